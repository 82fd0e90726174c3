package check

import (
	"cmp"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
)

// exists asks what this kernel has: a probe, a type, a member, an enumerator.
func exists(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	u.Consts[x] = 0
	for _, a := range x.Args {
		u.Types[a] = types.NoneType
	}
	more, has := len(x.Args) > 1, false
	switch a := x.Args[0].(type) {
	case *ast.ProbeArg:
		if more {
			u.calls.misused(x, f, "exists takes nothing after a probe")
		} else {
			has = u.calls.probeExists(a)
		}
	case *ast.TypeArg:
		has = u.calls.typeHas(x, f, a)
	case *ast.Ident:
		has = u.calls.nameExists(a, more)
	case *ast.Field:
		if more {
			u.calls.misused(x, f, "exists takes nothing after a field")
			break
		}
		var t *types.Type
		if t, has = u.calls.fieldExists(a); t.Kind == types.Invalid {
			delete(u.Consts, x) // what it is a field of is wrong
			return types.BoolType
		}
	case *ast.TupleIndex:
		if names, known := u.arguments.parameters(); Names(a.X, builtin.VarArgs) && !more {
			has = u.names.available(builtin.VarArgs, builtin.VarArgs.Name, a.X.Pos()) && (!known || a.N < len(names))
			break
		}
		u.calls.misused(x, f, "exists takes a probe, a type or a field")
	default:
		u.calls.misused(x, f, "exists takes a probe, a type or a field")
	}
	u.Consts[x] = b2i(has)
	return types.BoolType
}

func (u callRules) probeExists(a *ast.ProbeArg) bool {
	points, fail := u.probes.Ask(a.Probe)
	if fail != nil && !fail.Missing && !fail.Wild {
		fail.Report(u.errorf)
	}
	return fail == nil && !u.probes.SurelyMissing(points)
}

// typeHas is exists(TYPE) and exists(TYPE, MEMBER).
func (u callRules) typeHas(x *ast.Call, f *builtin.Func, a *ast.TypeArg) bool {
	t, ok := u.typeRefs.typeExists(a.Type)
	if len(x.Args) == 1 {
		return ok
	}
	path, isPath := memberPath(x.Args[1])
	if !isPath {
		u.misused(x, f, "exists takes the name of a member after a type")
	}
	if !ok || !isPath {
		return false
	}
	u.silently(func() { _, ok = u.typeRefs.path(t, path, x.Span) })
	return ok
}

// nameExists looks for a constant or a type without a tag; more is true if a member is asked for.
func (u callRules) nameExists(a *ast.Ident, more bool) bool {
	_, _, ok := u.constant(a.Name)
	if !ok {
		_, ok = u.t.Type("", a.Name)
	}
	if kind, isKind := builtin.ProbeByName(a.Name); isKind && !ok && len(kind.Forms) > 0 && strings.Contains(kind.Forms[0], ":") {
		u.errorf(a.Span, "this probe is not complete").Hintf("it is written %s", strings.Join(kind.Forms, " or "))
		return false
	}
	if more {
		u.errorf(a.Span, "%s needs its tag here", a.Name).Hintf("write exists(struct %s, MEMBER)", a.Name)
		return false
	}
	return ok
}

// fieldExists looks for args.NAME, or for a member of a value, without reading it.
// Where it is not there ok is false; where the value is wrong the type is invalid.
func (u callRules) fieldExists(x ast.Expr) (t *types.Type, ok bool) {
	switch x := x.(type) {
	case *ast.Field:
		if Names(x.X, builtin.VarArgs) {
			if !u.names.available(builtin.VarArgs, builtin.VarArgs.Name, x.X.Pos()) {
				return invalid, false
			}
			return u.argumentType(x.Name)
		}
		if t, ok = u.fieldExists(x.X); !ok {
			return t, false
		}
		if t.Kind == types.Pointer {
			t = t.Elem
		}
		f, ok := t.Field(x.Name)
		return cmp.Or(f.Type, types.NoneType), ok
	case *ast.Index:
		if t, ok = u.fieldExists(x.X); !ok || t.Elem == nil {
			return t, false
		}
		return t.Elem, true
	case *ast.Refused: // by a declared probe
		return types.NoneType, false
	}
	t = u.value(x)
	return t, t.Kind != types.Invalid
}

// argumentType is the type of args.name, if there is one.
func (u callRules) argumentType(name string) (*types.Type, bool) {
	if u.Args != nil {
		if f, ok := u.Args.Field(name); ok {
			return f.Type, true
		}
	}
	if p := u.arguments.entryParam(name); p != nil {
		return p.Type, true
	}
	return types.NoneType, false
}
