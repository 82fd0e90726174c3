package check

import (
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// tupleIndex is x.N.
func (u members) tupleIndex(x *ast.TupleIndex) *types.Type {
	if Names(x.X, builtin.VarArgs) {
		if a := u.numbered(x); a != nil {
			return u.casts.standFor(x, a)
		}
		return invalid
	}
	t := u.value(x.X)
	if t.Kind == types.Invalid || t.Kind != types.Tuple && t.Kind != types.Record && u.access.neverStored(x.X) {
		return invalid
	}
	return u.element(t, int64(x.N), x.Span)
}

// numbered is the argument that args.N stands for: by its name, or arg0 and so on
// where no names are known.
func (u members) numbered(x *ast.TupleIndex) ast.Expr {
	if u.blind || !u.names.available(builtin.VarArgs, builtin.VarArgs.Name, x.X.Pos()) {
		return nil
	}
	names, known := u.arguments.parameters()
	if known && x.N >= len(names) {
		d := u.errorf(x.Span, "%s has %s, so there is no args.%d", u.Hooks[0].Name, diag.Plural(len(names), "argument"), x.N)
		if len(names) > 0 {
			d.Hintf("they are %s", strings.Join(names, ", "))
		}
		return nil
	}
	if known {
		return &ast.Field{At: x.At, X: x.X, Name: names[x.N], NameSpan: x.Span}
	}
	return &ast.Ident{At: x.At, Name: "arg" + strconv.Itoa(x.N)}
}

// element is a part of a tuple.
func (u members) element(t *types.Type, n int64, sp source.Span) *types.Type {
	if t.Kind != types.Tuple && t.Kind != types.Record {
		return wrong(u.errorf(sp, "%s is not a tuple", types.Describe(t)).Hintf("a tuple is written (a, b)"))
	}
	fields := t.Fields()
	if n < 0 || n >= int64(len(fields)) {
		return wrong(u.errorf(sp, "this tuple has %s, so there is no .%d", diag.Plural(len(fields), "part"), n).Hintf("parts count from 0: %s", types.Describe(t)))
	}
	return fields[n].Type
}

// index is x[i].
func (u members) index(x *ast.Index) *types.Type {
	t := u.value(x.X)
	if t.Kind.IsText() {
		t = u.casts.asText(x.X, t)
	}
	ti := u.integer(x.I, "an index")
	if t.Kind == types.Invalid || ti.Kind == types.Invalid {
		return invalid
	}
	n, constant := u.Consts[x.I]
	switch t.Kind {
	case types.Array:
		if constant && t.Len > 0 && (n < 0 || n >= int64(t.Len)) {
			return wrong(u.errorf(x.I.Pos(), "index %d is outside of an array of %s", n, diag.Plural(t.Len, "element")).Hintf("elements count from 0 to %d", t.Len-1))
		}
		return u.operators.loaded(x, t.Elem, u.userMem[x.X])
	case types.Pointer:
		if types.IsVoid(t.Elem) {
			return wrong(u.errorf(x.X.Pos(), "a void pointer does not say what it points to").Hintf("cast it: ((uint64 *)x)[0]"))
		}
		return u.operators.loaded(x, t.Elem, t.User)
	case types.String:
		if raw := u.raw[x.X]; raw != nil && constant && raw.Len > 0 && (n < 0 || n >= int64(raw.Len)) {
			return wrong(u.errorf(x.I.Pos(), "index %d is outside of an array of %s", n, diag.Plural(raw.Len, "element")).Hintf("elements count from 0 to %d", raw.Len-1))
		}
		if size := u.stated(x.X, t).Size; u.raw[x.X] == nil && constant && (n < 0 || n >= int64(size)) {
			return wrong(u.errorf(x.I.Pos(), "index %d is outside of a string of %s", n, diag.Plural(size, "byte")).Hintf("bytes count from 0 to %d, which is its end", size-1))
		}
		return types.I8
	case types.Tuple, types.Record:
		if !constant {
			return wrong(u.errorf(x.I.Pos(), "the index of a tuple must be a constant").Hintf("the parts of a tuple are .0, .1 and so on"))
		}
		return u.element(t, n, x.I.Pos())
	}
	d := u.errorf(x.X.Pos(), "%s has no elements", types.Describe(t))
	if t.IsInteger() {
		d.Hintf("cast it: ((uint64 *)x)[0]")
	} else if t.IsStack() {
		d.Hintf("it is shown whole; kstack(3) has its three innermost frames")
	}
	return invalid
}
