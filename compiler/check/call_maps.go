package check

import (
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/source"
)

// mapArg takes a map as it is, named without keys.
func (u mapAccess) mapArg(x *ast.Call, f *builtin.Func, i int) (*mapState, *ast.Map) {
	a, ok := x.Args[i].(*ast.Map)
	if !ok {
		t := u.expr(x.Args[i])
		if t.Kind != types.Invalid {
			u.errorf(x.Args[i].Pos(), "argument %d of %s must be a map, not %s", i+1, x.Name, types.Describe(t)).Hintf("%s", f.Signature)
		}
		return nil, nil
	}
	m := u.operand(a)
	if m != nil && a.Keys != nil {
		u.noteKeys(m, a.Span, a.Keys)
		u.errorf(a.Span, "%s takes a whole map, without keys", x.Name).Hintf("%s", f.Signature)
		return nil, a
	}
	return m, a
}

// wholeMap is clear(@m) and zero(@m).
func wholeMap(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	u.access.mapArg(x, f, 0)
	return types.NoneType
}

// keyArgs are the keys behind a map: has_key(@m, a, b) or has_key(@m, (a, b)).
// A tuple of one is a key that is a tuple.
func (u mapAccess) keyArgs(m *mapState, sp source.Span, keys []ast.Expr) {
	if m == nil {
		u.exprs(keys)
		return
	}
	if m.m.Key == nil && m.scalar != nil {
		u.exprs(keys)
		u.errorf(sp, "@%s has no keys", m.m.Name).Hintf("give it keys everywhere, or leave the key out").Notef(m.scalar.Pos(), "it is used without keys here")
		return
	}
	if len(keys) == 1 {
		if t, ok := keys[0].(*ast.Tuple); ok && len(t.Elems) > 1 {
			u.noteKeys(m, t.Span, t.Elems)
			elems := make([]*types.Type, len(t.Elems))
			for i, e := range t.Elems {
				elems[i] = types.Wide(u.Types[e])
			}
			u.Types[t] = types.TupleType(elems)
			return
		}
	}
	u.noteKeys(m, sp, keys)
}

func hasKey(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	m, _ := u.access.mapArg(x, f, 0)
	u.access.keyArgs(m, x.Span, x.Args[1:])
	return types.BoolType
}

// deleteCall is delete(@m, k), and the older delete(@m[k], ...) and
// delete(@scalar).
func deleteCall(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	first, ok := x.Args[0].(*ast.Map)
	if !ok {
		u.calls.args(x.Args)
		if t := u.Types[x.Args[0]]; t == nil || t.Kind != types.Invalid {
			u.errorf(x.Args[0].Pos(), "argument 1 of delete must be a map").Hintf("%s", f.Signature)
		}
		return types.BoolType
	}
	if first.Keys == nil && len(x.Args) > 1 {
		m := u.mapOf(first.Name)
		if _, another := x.Args[1].(*ast.Map); !another || m.m.Key != nil {
			m, _ := u.access.mapArg(x, f, 0)
			u.access.keyArgs(m, x.Span, x.Args[1:])
			return types.BoolType
		}
	}
	for _, a := range x.Args {
		mx, ok := a.(*ast.Map)
		if !ok {
			u.expr(a)
			u.errorf(a.Pos(), "delete takes maps here, not %s", types.Describe(u.Types[a])).Hintf("%s", f.Signature)
			continue
		}
		m := u.access.operand(mx)
		if m == nil {
			continue
		}
		if mx.Keys == nil && (m.m.Key != nil || m.keyed != nil) {
			u.errorf(mx.Span, "delete needs the key to remove from @%s", mx.Name).Hintf("delete(@%s, key), or clear(@%s) for all of them", mx.Name, mx.Name)
			continue
		}
		u.access.place(m, mx)
	}
	return types.BoolType
}

// findCall is find(@m, key, $value).
func findCall(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	m, mx := u.access.mapArg(x, f, 0)
	u.access.keyArgs(m, x.Args[1].Pos(), x.Args[1:2])
	v, ok := x.Args[2].(*ast.Var)
	if !ok {
		u.expr(x.Args[2])
		u.errorf(x.Args[2].Pos(), "argument 3 of find must be a $variable").Hintf("%s", f.Signature)
		return types.BoolType
	}
	t := invalid
	if m != nil && m.m.Value != nil {
		t = u.access.oneNumber(types.ReadType(m.m.Value), mx, mx.Span)
	}
	u.variables.assignTo(v, t, u.stated(x.Args[0], t), x.Args[2])
	return types.BoolType
}

// lenCall is len(@m) and len(stack).
func lenCall(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	if mx, ok := x.Args[0].(*ast.Map); ok && mx.Keys == nil {
		m, _ := u.access.mapArg(x, f, 0)
		if m != nil && m.m.Key == nil && m.scalar != nil {
			if v := m.m.Value; v != nil && v.Kind != types.KStack && v.Kind != types.UStack {
				u.errorf(mx.Span, "@%s has no keys to count", mx.Name).Hintf("it is one value; len() counts the entries of a map with keys").
					Notef(m.scalar.Pos(), "it is used without keys here")
			}
		}
		return types.I64
	}
	t := u.value(x.Args[0])
	switch t.Kind {
	case types.Invalid:
	case types.KStack, types.UStack:
	case types.Array:
		u.Consts[x] = int64(t.Len)
	case types.String:
		u.calls.misused(x, f, "len takes a map or a stack, not a string; strlen() counts characters")
	default:
		u.calls.misused(x, f, "len takes a map or a stack, not %s", types.Describe(t))
	}
	return types.I64
}

// printCall is print(value), print(@m), print(@m, top), print(@m, top, div).
func printCall(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	mx, isMap := x.Args[0].(*ast.Map)
	isWhole := isMap && mx.Keys == nil
	for i, a := range x.Args[1:] {
		if t := u.value(a); isWhole && t.Kind != types.Invalid && !t.IsInteger() {
			u.origin(u.errorf(a.Pos(), "argument %d of print must be an integer, not %s", i+2, types.Describe(t)).Hintf("%s", f.Signature), a)
		}
	}
	if isWhole {
		u.access.mapArg(x, f, 0)
		return types.NoneType
	}
	if len(x.Args) > 1 {
		d := u.errorf(x.Args[1].Pos(), "only a whole map is printed with top and div").
			Hintf("several values are a tuple, print((a, b)), or the arguments of printf")
		if lit, ok := x.Args[0].(*ast.StringLit); ok && strings.Contains(lit.Value, "%") {
			d.Message = "print takes one value, and no format"
			d.Hintf("write printf(%s, ...)", strings.TrimSuffix(strings.TrimSuffix(lit.Text, `"`), `\n`)+`\n"`)
		}
	}
	if isMap {
		u.Types[mx] = u.access.entryValue(mx) // an entry of a histogram is shown as a whole
		return types.NoneType
	}
	t := u.value(x.Args[0])
	if t.Kind == types.Tuple && len(t.Fields()) == 0 {
		u.errorf(x.Args[0].Pos(), "an empty tuple can't be printed").Hintf("name the value to print: print(x), print((a, b))")
	}
	u.warnings.addressOfText(x.Args[0], t)
	return types.NoneType
}
