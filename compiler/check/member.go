package check

import (
	"cmp"
	"fmt"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/source"
)

// members are members of structs and records, elements of tuples and arrays.
type members struct{ *unitChecker }

// field is x.name and x->name: a member of a struct, of what a pointer points
// to, or of a record; args.name and config.name have rules of their own.
func (u members) field(x *ast.Field) *types.Type {
	switch {
	case Names(x.X, builtin.VarArgs):
		return u.arguments.argsField(x)
	case Names(x.X, builtin.VarConfig):
		return u.configField(x)
	case Word(x.X) == "arg":
		if !u.quiet {
			u.errorf(x.X.Pos(), "arg is not known").Hintf("write args.%s", x.Name)
		}
		return invalid
	}
	t := u.value(x.X)
	if t.Kind == types.Invalid {
		return invalid
	}
	if name, ok := bareName(x.X); ok && t.IsInteger() {
		// arg0 of a kprobe and retval of a kretprobe are numbers, as scripts
		// take them to be; members make them the pointers that the function
		// takes and returns.
		if p := u.declared(name); p != nil && p.Kind == types.Pointer {
			t = p
			u.Types[x.X] = t
		}
	}
	if u.unknowable(t) {
		return invalid
	}
	user := u.userMem[x.X]
	base := t
	if t.Kind == types.Pointer {
		base, user = t.Elem, t.User
		switch {
		case types.IsVoid(base):
			return wrong(u.errorf(x.X.Pos(), "a void pointer does not say what it points to").Hintf("cast it: ((struct NAME *)x).%s", x.Name))
		case base.Kind == types.Pointer:
			return wrong(u.errorf(x.X.Pos(), "this is a pointer to a pointer").Hintf("read it first: (*x).%s", x.Name))
		}
	}
	if base.Kind != types.Record && !base.IsStruct() {
		if !u.access.neverStored(x.X) {
			u.errorf(x.X.Pos(), "%s has no members", types.Describe(t)).Hint = u.memberHint(x, base)
		}
		return invalid
	}
	u.constMember(x)
	f, ok := base.Field(x.Name)
	if !ok {
		u.noField(x.NameSpan, base, x.Name, u.successor(x, base))
		return invalid
	}
	if f.Type.Kind == types.Array && f.Type.Size == 0 && t.Kind != types.Pointer && u.isCopy(x.X) {
		return wrong(u.errorf(x.NameSpan, "%s is beyond the end of the struct, so it is not in the copy", x.Name).Hintf("read it through the original pointer: p->%s", x.Name))
	}
	return u.member(x, f, user)
}

// memberHint is what to do about a member of a value of a type without members, or "".
func (u members) memberHint(x *ast.Field, t *types.Type) string {
	switch {
	case t.IsInteger() && u.arguments.argument(x.X, x.Name) != "":
		return fmt.Sprintf("its name has the type: args.%s->%s", u.arguments.argument(x.X, x.Name), x.Name)
	case t.IsInteger() && namesUnit(x.Name):
		return fmt.Sprintf("write %s / 1%s", format.Expr(x.X), x.Name)
	case t.IsInteger():
		what := "x"
		if name, ok := bareName(x.X); ok {
			what = name
		} else if v, ok := x.X.(*ast.Var); ok {
			what = called(v.Name)
		}
		return fmt.Sprintf("cast it: ((struct NAME *)%s).%s", what, x.Name)
	case t.Kind == types.Tuple:
		return "the parts of a tuple are .0, .1 and so on"
	case t.Kind == types.String:
		return "strlen(x) counts its characters, strstr(x, \"...\") finds a part, str_concat(x, y) joins two"
	}
	return ""
}

// isCopy reports whether a struct, or a part of one, lies in a variable or a map.
func (u members) isCopy(x ast.Expr) bool {
	for {
		switch e := x.(type) {
		case *ast.Var, *ast.Map:
			return true
		case *ast.Field:
			x = e.X
		case *ast.Index:
			x = e.X
		default:
			return false
		}
		if t := u.Types[x]; t == nil || t.Kind == types.Pointer {
			return false
		}
	}
}

// unknowable is true of a number or address that could come from a probe that is
// not there: what its arguments, its context and its result would point to is
// known only where it is.
func (u members) unknowable(t *types.Type) bool {
	return u.blind && u.Provider != "" && (t.IsInteger() || t.Kind == types.Pointer && types.IsVoid(t.Elem))
}

// successor says what a member that a struct lacks here is called now, or what x is one of has it as, or "".
func (u members) successor(x *ast.Field, t *types.Type) string {
	if path := types.SuccessorOf(t, x.Name); path != "" {
		return "here it is " + path
	}
	through, ok := x.X.(*ast.Field)
	if !ok {
		return ""
	}
	owner := u.Types[through.X]
	if owner != nil && owner.Kind == types.Pointer {
		owner = owner.Elem
	}
	if owner.IsStruct() {
		if path := types.SuccessorOf(owner, through.Name+"."+x.Name); path != "" {
			return fmt.Sprintf("here %s has it: %s", owner, path)
		}
	}
	return ""
}

// declared is the type that the probed function's declaration gives retval or
// arg0, arg1, ..., or nil.
func (u members) declared(name string) *types.Type {
	if name == builtin.VarRetval.Name {
		return u.Func.Returns()
	}
	n, ok := builtin.ArgNumber(name)
	if !ok || u.Func == nil || u.Provider != "kprobe" {
		return nil
	}
	for i, p := range u.Func.Params {
		if u.Func.Slot(i) == n {
			return p.Type
		}
	}
	return nil
}

// member is the type of a field that is read.
func (u members) member(x ast.Expr, f types.Field, user bool) *types.Type {
	if f.DataLoc && f.Type.Kind == types.Array && f.Type.Elem != nil && f.Type.Elem.Char {
		u.raw[x] = f.Type
		return types.StringType(u.info.Config.MaxStrlen)
	}
	return u.operators.loaded(x, f.Type, user)
}

// noField reports a member that a type does not have; successor says what has it here, if that is known.
func (u members) noField(sp source.Span, t *types.Type, name, successor string) {
	if d := u.errorf(sp, "%s has no member %s", t, name); !u.quiet {
		d.Hint = cmp.Or(successor, u.nearMember(t.String(), name, t.FieldNames()))
	}
}

// nearMember is a hint at the member or the struct that may be meant by a name, or "".
func (u members) nearMember(what, name string, names []string) string {
	if n := diag.Nearest(name, names); n != "" {
		return "did you mean " + n + "?"
	}
	if other := u.relative(what, name); other != "" {
		return fmt.Sprintf("%s has it: ((%s *)x)->%s", other, other, name)
	}
	if len(names) == 0 {
		return "only its name is known: define it in the script"
	}
	if len(names) <= 12 {
		return "it has " + strings.Join(names, ", ")
	}
	if st, ok := strings.CutPrefix(what, "struct "); ok {
		return fmt.Sprintf("fst -lv 'struct %s' lists them; exists(struct %s, %s) asks", st, st, name)
	}
	return ""
}

// relative finds the struct with a member that one whose name is a part of its
// own lacks: struct inet_sock for struct sock, struct sockaddr_in for struct
// sockaddr. Those that begin with the other are preferred, then shorter names.
func (u members) relative(what, member string) string {
	name, ok := strings.CutPrefix(what, "struct ")
	if !ok {
		return ""
	}
	best, bestBegins := "", false
	for _, other := range u.t.TypeNames() {
		if other == name || !strings.Contains(other, name) {
			continue
		}
		t, ok := u.t.Type("struct", other)
		if !ok {
			continue
		}
		if _, ok := t.Field(member); !ok {
			continue
		}
		begins := beginsWith(t, what)
		if best == "" || begins && !bestBegins || begins == bestBegins && (len(other) < len(best) || len(other) == len(best) && other < best) {
			best, bestBegins = other, begins
		}
	}
	if best == "" {
		return ""
	}
	return "struct " + best
}

// beginsWith reports whether a struct's first member is, or begins with, another.
func beginsWith(t *types.Type, what string) bool {
	for t.Kind == types.Struct && len(t.Fields()) > 0 {
		if t = t.Fields()[0].Type; t.String() == what {
			return true
		}
	}
	return false
}

// namesUnit reports whether a name is that of a time or a size.
func namesUnit(name string) bool {
	unit, ok := types.UnitNamed(name)
	return ok && unit.Of != types.Events
}
