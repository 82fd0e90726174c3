package check

import (
	"cmp"
	"fmt"
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

// names are words without a sigil: built-in variables, stacks, constants.
type names struct{ *unitChecker }

// ident resolves a bare word: a built-in variable, an enumerator of the
// script or the kernel, or a constant of the headers, in this order.
func (u names) ident(x *ast.Ident) *types.Type {
	if v, ok := builtin.VarByName(x.Name); ok {
		return u.builtinVar(x, x.Name, v, nil)
	}
	if n, t, ok := u.constant(x.Name); ok {
		u.Consts[x] = n
		return t
	}
	u.unknownName(x)
	return invalid
}

// constant is the value of an enumerator or a constant: of the script, of the
// unit's program, or of the kernel.
func (u *unitChecker) constant(name string) (int64, *types.Type, bool) {
	if _, own := u.enums[name]; !own && u.Hooks[0].Path != "" {
		if info, ok := u.t.(target.DebugInfo); ok {
			if n, t, ok := info.UserEnumerator(u.Hooks[0].Path, name); ok {
				return n, t, true
			}
		}
	}
	return u.checker.constant(name)
}

// constant is the value of an enumerator or a constant.
func (c *checker) constant(name string) (int64, *types.Type, bool) {
	if e, ok := c.enums[name]; ok {
		return e.value, e.t, true
	}
	l, asked := c.lookups[name]
	if !asked {
		l = c.lookUp(name)
		c.lookups[name] = l
	}
	return l.value, l.t, l.ok
}

func (c *checker) lookUp(name string) lookup {
	if n, ok := builtin.Constants()[name]; ok && !strings.HasPrefix(name, "TCP_") {
		return lookup{n, types.I64, true}
	}
	if call, ok := strings.CutPrefix(name, "__NR_"); ok {
		if nr, ok := c.t.SyscallNumber(call); ok {
			return lookup{int64(nr), types.I64, true}
		}
	}
	if n, t, ok := c.t.Enumerator(name); ok {
		return lookup{n, t, true}
	}
	// The flags of block requests are bits that an enum numbers.
	if strings.HasPrefix(name, "REQ_") {
		if n, _, ok := c.t.Enumerator("__" + name); ok {
			return lookup{1 << n, types.I64, true}
		}
	}
	n, ok := builtin.Constants()[name]
	return lookup{n, types.I64, ok}
}

// unknownName reports a word that means nothing, with what may be meant.
func (u names) unknownName(x *ast.Ident) {
	if u.quiet {
		return
	}
	if f, ok := builtin.FuncByName(x.Name); ok {
		d := u.errorf(x.Span, "%s is a function, and has no value of its own", x.Name)
		if d.Hint = builtin.Foreign()[x.Name]; d.Hint == "" && u.wantText == ast.Expr(x) {
			d.Hintf(`a string is written in quotes: "%s"`, x.Name)
		}
		d.Hint = cmp.Or(d.Hint, "call it: "+f.Signature)
		return
	}
	u.errorf(x.Span, "%s is not known", x.Name).Hint = cmp.Or(u.namesake(x.Name), u.unquoted(x), builtin.Foreign()[x.Name], u.nearName(x.Name))
}

// namesake is a hint at what the script or the probe calls by a name, or "".
func (u names) namesake(name string) string {
	if v := u.variables.find(name); v != nil {
		return "did you mean $" + name + "?"
	}
	if u.maps[name] != nil {
		return "did you mean @" + name + "?"
	}
	if u.Args != nil && !u.blind {
		if _, ok := u.Args.Field(name); ok {
			return "write args." + name
		}
	}
	return ""
}

// unquoted is a hint that a word where a text is wanted may be one, or "".
func (u names) unquoted(x *ast.Ident) string {
	if u.wantText != ast.Expr(x) {
		return ""
	}
	hint := fmt.Sprintf(`a string is written in quotes: "%s"`, x.Name)
	if n := diag.NearestWithin(x.Name, builtin.VarNames(), 1); n != "" {
		hint += "; or did you mean " + n + "?"
	}
	return hint
}

// nearName is a hint at the built-in or constant whose name is near, or at how names are given values.
func (u names) nearName(name string) string {
	if len(name) > 1 && namesUnit(name) { // one letter is rather a name
		return "a unit is written directly behind a number: 1" + name
	}
	upper := strings.ToUpper(name)
	if _, ok := builtin.Constants()[upper]; ok && upper != name {
		return "did you mean " + upper + "?"
	}
	var names []string
	for _, n := range builtin.VarNames() {
		// In some probes there are no numbered arguments.
		if v, ok := builtin.VarByName(n); !ok || u.blind || v != builtin.VarArgN || v.ValidIn(u.Provider) {
			names = append(names, n)
		}
	}
	names = slices.AppendSeq(names, maps.Keys(u.enums))
	if upper == name {
		names = slices.AppendSeq(names, maps.Keys(builtin.Constants()))
	}
	switch near := diag.Nearest(name, names); {
	case near != "":
		return "did you mean " + near + "?"
	case upper == name && len(name) > 2:
		return fmt.Sprintf("#define %s ... gives it a value; the arguments of the script are $1, $2, ...", name)
	}
	return fmt.Sprintf("a variable is written $%s, a map @%[1]s; fst doc lists the built-ins", name)
}

// available reports an error if a built-in variable does not exist in the
// unit's probes.
func (u names) available(v *builtin.Var, name string, sp source.Span) bool {
	ok, p := v.ValidIn(u.Provider), u.Provider
	switch {
	case u.blind:
		return true
	case v == builtin.VarArgN:
		return ok || u.arguments.noArgN(name, sp)
	case p == "tracepoint" && v.Does(builtin.ReadsCall):
		ok = u.sysExit()
	}
	if ok {
		return true
	}
	d := u.errorf(sp, "%s can't be used in %s probes", name, p)
	if v.Instead != nil {
		d.Hint = v.Instead(p, u.Hooks[0].Function)
	}
	if d.Hint == "" && len(v.In) > 0 {
		d.Hintf("it exists in %s", strings.Join(v.In, ", "))
	}
	return false
}

// builtinVar is the type of a built-in variable, written as name or name().
func (u names) builtinVar(x ast.Expr, name string, v *builtin.Var, args []ast.Expr) *types.Type {
	sp := x.Pos()
	if !u.available(v, name, sp) {
		return invalid
	}
	switch {
	case v == builtin.VarArgN:
		return u.arguments.argN(name, sp)
	case v == builtin.VarArgs:
		if u.blind {
			return invalid
		}
		return u.arguments.wholeArgs(sp)
	case v == builtin.VarConfig:
		return u.members.configValue(x)
	case v.Does(builtin.ReadsStack):
		return u.stack(v, args)
	case v.Rule != nil:
		r, fault := v.Rule(v, u.calls.where())
		u.calls.fault(x, fault)
		return u.calls.found(x, r)
	}
	u.took = u.took || v.Does(builtin.ReadsStart)
	return cmp.Or(v.Type, types.U64)
}

// maxFrames is the largest limit of a stack.
const maxFrames = 1024

// stack is kstack([mode][, frames]).
func (u names) stack(v *builtin.Var, args []ast.Expr) *types.Type {
	user := v.Stack == types.UStack
	mode, limit := u.info.Config.StackMode, int64(types.DefaultFrames)
	named := false
	for i, a := range args {
		id, ok := a.(*ast.Ident)
		if ok && i == 0 && isStackMode(id.Name) {
			u.Types[a] = types.NoneType
			named = true
			if mode = id.Name; mode == "build_id" && !user {
				return wrong(u.errorf(a.Pos(), "frames of the kernel have no build id").Hintf("ustack(build_id) has them"))
			}
			continue
		}
		if i > 0 && !named || ok && isStackMode(id.Name) {
			return wrong(u.errorf(a.Pos(), "a stack takes a mode and a constant number of frames").Hintf("in this order: %s(perf, 3)", v.Name))
		}
		if ok && !u.isKnown(id.Name) {
			return wrong(suggest(u.errorf(a.Pos(), "%s is not a mode of stacks", id.Name).Hintf("modes are %s", strings.Join(builtin.StackModes, ", ")), id.Name, "", builtin.StackModes))
		}
		t := u.value(a)
		n, constant := u.Consts[a]
		switch {
		case t.Kind == types.Invalid:
			return invalid
		case !constant:
			return wrong(u.errorf(a.Pos(), "a stack takes a mode and a constant number of frames").Hintf("modes are %s", strings.Join(builtin.StackModes, ", ")))
		case n < 1 || n > maxFrames:
			return wrong(u.errorf(a.Pos(), "a stack has from 1 to %d frames, not %d", maxFrames, n).Hintf("leave the number out for %d", types.DefaultFrames))
		}
		limit = n
	}
	if mode == "build_id" && !user {
		mode = "bpftrace"
	}
	t := builtin.StackType(user, mode, int(limit))
	t.Stack.Tables = v.Tables
	return t
}

// isKnown reports whether a bare word has a value.
func (u *unitChecker) isKnown(name string) bool {
	if _, ok := builtin.VarByName(name); ok {
		return true
	}
	_, _, ok := u.constant(name)
	return ok
}

func isStackMode(s string) bool { return slices.Contains(builtin.StackModes, s) }

// Word is the name of a built-in variable or function that an expression consists of, with
// parentheses or without, or empty.
func Word(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.Call:
		return x.Name
	}
	return ""
}

// Names reports whether an expression is a built-in variable, however it is written.
func Names(x ast.Expr, v *builtin.Var) bool {
	named, _ := builtin.VarByName(Word(x))
	return named == v
}

// calls reports whether an expression is a call of a function.
func calls(x ast.Expr, f *builtin.Func) bool {
	c, ok := x.(*ast.Call)
	if !ok {
		return false
	}
	called, _ := builtin.FuncByName(c.Name)
	return called == f
}

func bareName(x ast.Expr) (string, bool) {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name, true
	case *ast.Call:
		return x.Name, len(x.Args) == 0
	}
	return "", false
}
