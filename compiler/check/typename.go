package check

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// typeRefs are the C types that a unit names.
type typeRefs struct{ *unitChecker }

// baseTypes are the names of types that do not come from the kernel: those of
// C, and the language's own.
var baseTypes = func() map[string]*types.Type {
	all := maps.Clone(types.CTypes)
	maps.Copy(all, map[string]*types.Type{
		"int8": types.I8, "int16": types.I16, "int32": types.I32, "int64": types.I64,
		"uint8": types.U8, "uint16": types.U16, "uint32": types.U32, "uint64": types.U64,
		"void":  types.NoneType,
		"float": floatType("float", 4), "double": floatType("double", 8), "long double": floatType("long double", 16),
		"count_t": types.U64, "sum_t": types.I64, "min_t": types.I64, "max_t": types.I64, "avg_t": types.I64,
	})
	return all
}()

// floatType takes its place in a struct, but has no values: eBPF can't compute
// with it.
func floatType(name string, size int) *types.Type {
	return &types.Type{Kind: types.Invalid, Name: name, Size: size}
}

// noFloats complains about a value of such a type.
func (c *checker) noFloats(at source.Span) {
	c.errorf(at, "there are no floating-point types").Hintf("read its bytes as a number: *(uint64 *)&p->x")
}

// resolveType is the type that an expression of types names. u, which may be
// nil, resolves typeof(e).
func (c *checker) resolveType(x *ast.TypeExpr, u *unitChecker) *types.Type {
	if x.Tag == "typeof" {
		if u == nil || x.TypeOf == nil {
			return wrong(c.errorf(x.Span, "typeof can't be used here").Hintf("name the type: uint64, struct NAME"))
		}
		t := u.expr(x.TypeOf)
		if raw := u.raw[x.TypeOf]; raw != nil {
			t = raw
		} else {
			t = storable(u.stated(x.TypeOf, t))
		}
		return c.derive(t, x.Post)
	}
	var t *types.Type
	post := x.Post
	sized := func(def int) int {
		if len(post) > 0 && !post[0].Pointer {
			n := post[0].Len
			post = post[1:]
			if n > 0 {
				return n
			}
		}
		return def
	}
	switch {
	case x.Tag == "" && x.Name == "string":
		t = types.StringType(sized(c.info.Config.MaxStrlen))
	case x.Tag == "" && x.Name == "buffer":
		t = types.BufferType(sized(c.info.Config.MaxStrlen))
	case x.Tag == "" && x.Name == "inet":
		sized(16)
		t = builtin.InetType
	case x.Tag == "" && baseTypes[x.Name] != nil && c.structs[x.Name] == nil:
		t = baseTypes[x.Name]
	default:
		t = c.namedType(x, u)
	}
	if t = c.derive(t, post); t.Kind == types.Invalid && t.Size > 0 && u != nil {
		c.noFloats(x.Span)
	}
	return t
}

// namedType finds a struct, union, enum or typedef of the script or the kernel.
// In a probe of a program its own types come before the kernel's. u is nil for
// members of C definitions, which may point to structs that nobody knows; a
// script that names one so may point to it elsewhere too.
func (c *checker) namedType(x *ast.TypeExpr, u *unitChecker) *types.Type {
	full := strings.TrimSpace(x.Tag + " " + x.Name)
	if t := c.structs[full]; t != nil {
		if len(x.Post) == 0 || !x.Post[0].Pointer { // what a member points to may still be open
			c.layOut(t)
		}
		return t
	}
	if d := c.typedefs[full]; d != nil {
		delete(c.typedefs, full) // one of itself is not known
		defer func() { c.typedefs[full] = d }()
		return c.memberType(d)
	}
	if u != nil {
		if t, ok := u.typeRefs.userType(x); ok {
			return t
		}
	}
	if t, ok := c.t.Type(x.Tag, x.Name); ok {
		return t
	}
	if x.Tag == "" {
		for _, tag := range []string{"struct", "union", "enum"} {
			if t, ok := c.t.Type(tag, x.Name); ok {
				return t // older scripts leave the tag out
			}
		}
	}
	if t, ok := builtin.Enums()[x.Name]; ok && x.Tag == "enum" {
		return t
	}
	if len(x.Post) > 0 && x.Post[0].Pointer && x.Tag != "" && x.Tag != "enum" {
		// A pointer to a struct that nobody knows is still a pointer, as in C.
		if u == nil && c.incomplete[full] == nil {
			kind := types.Struct
			if x.Tag == "union" {
				kind = types.Union
			}
			c.incomplete[full] = types.NewStruct(kind, x.Name, 0, nil)
		}
		if t := c.incomplete[full]; t != nil {
			return t
		}
	}
	c.unknownType(x, full)
	return invalid
}

// unknownType reports a type that is not there, once for all places that the clause is attached to.
func (c *checker) unknownType(x *ast.TypeExpr, full string) {
	at := x.NameSpan
	if !at.IsValid() {
		at = x.Span
	}
	if c.noType[at] {
		return
	}
	d := c.errorf(at, "there is no %s on this kernel", strings.TrimSpace(cmp.Or(x.Tag, "type")+" "+x.Name))
	if c.quiet {
		return
	}
	c.noType[at] = true
	if !c.t.Has(target.BTF) {
		d.Hintf("this kernel has no type information (BTF): define it in the script")
		return
	}
	d.Hintf("define it in the script, or test for it with exists(%s); the types of a module are known once it is loaded", full)
	if near := diag.Nearest(x.Name, c.typeNames()); near != "" && (!strings.Contains(x.Name, "_") || diag.AreKin(x.Name, near)) {
		d.Hintf("did you mean %s? A module's types are known once it is loaded", strings.TrimSpace(x.Tag+" "+near))
	}
}

func (c *checker) typeNames() []string {
	var names []string
	for _, d := range c.prog.CTypes {
		names = append(names, d.Name)
	}
	return append(slices.AppendSeq(names, maps.Keys(baseTypes)), c.t.TypeNames()...)
}

// maxTypeSize keeps arrays within what can be read at once.
const maxTypeSize = 1 << 24

// derive applies pointers and array lengths, left to right.
func (c *checker) derive(t *types.Type, post []ast.TypePost) *types.Type {
	if t.Kind == types.Invalid && t.Size == 0 {
		return t
	}
	for _, p := range post {
		switch {
		case p.Pointer:
			t = types.PointerTo(t, false)
		case t.Size > 0 && p.Len > maxTypeSize/t.Size:
			return invalid
		default:
			n := p.Len
			t = types.ArrayOf(t, n)
			t.Len = n
		}
	}
	return t
}

// mostUnits is of how many places of a clause it is looked up which source file
// they are of.
const mostUnits = 100

// userType finds a type in the debug information of the unit's program.
func (u typeRefs) userType(x *ast.TypeExpr) (*types.Type, bool) {
	path := u.Hooks[0].Path
	info, ok := u.t.(target.DebugInfo)
	if !ok || path == "" {
		return nil, false
	}
	var code []uint64
	for _, h := range u.Hooks {
		if h.Path == path && len(code) < mostUnits {
			code = append(code, h.FileOffset)
		}
	}
	t, doubt, ok := info.UserType(path, code, x.Tag, x.Name)
	if doubt && !u.quiet {
		u.warnf(x.NameSpan, "files of this program's source define %s differently: the first is taken", strings.TrimSpace(x.Tag+" "+x.Name)).
			Hintf("give functions of different files a clause each; args has the types of the function's own file")
	}
	return t, ok
}

// typeExists reports whether a type is known, without complaining.
func (u typeRefs) typeExists(x *ast.TypeExpr) (*types.Type, bool) {
	c := u.checker
	full := strings.TrimSpace(x.Tag + " " + x.Name)
	if t := c.structs[full]; t != nil {
		c.layOut(t)
		return t, true
	}
	if x.Tag == "" && baseTypes[x.Name] != nil {
		return baseTypes[x.Name], true
	}
	if x.Tag == "typeof" {
		return nil, false
	}
	if t, ok := u.userType(x); ok {
		return t, true
	}
	return c.t.Type(x.Tag, x.Name)
}

// kernelType is a struct, union or enum of the script or the kernel.
func (u typeRefs) kernelType(tag, name string) (*types.Type, bool) {
	if t := u.structs[tag+" "+name]; t != nil {
		return t, true
	}
	return u.t.Type(tag, name)
}
