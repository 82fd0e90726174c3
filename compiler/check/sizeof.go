package check

import (
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/source"
)

// typeNamed is the kernel's typedef that a word names, which the parser takes
// for an expression; nil if it is none.
func (u typeRefs) typeNamed(x ast.Expr) *types.Type {
	id, ok := x.(*ast.Ident)
	if !ok {
		return nil
	}
	if _, ok := builtin.VarByName(id.Name); ok {
		return nil
	}
	t, _ := u.t.Type("", id.Name)
	return t
}

// typeOperand is the type that sizeof and offsetof are given, nil if it is a
// value.
func (u typeRefs) typeOperand(t *ast.TypeExpr, x ast.Expr) *types.Type {
	if t != nil {
		return u.resolveType(t, u.unitChecker)
	}
	return u.typeNamed(x)
}

// sizeOf is sizeof(type) or sizeof(e).
func (u typeRefs) sizeOf(x *ast.SizeOf) *types.Type {
	t := u.typeOperand(x.Type, x.X)
	if t == nil {
		t = u.value(x.X)
		if raw := u.raw[x.X]; raw != nil {
			t = raw
		}
		t = u.stated(x.X, t)
	} else if x.Type != nil {
		t = u.statedName(x.Type, t)
	}
	if t.Kind == types.Invalid {
		return invalid
	}
	u.Consts[x] = int64(statedSize(t))
	return types.U64
}

// offsetOf is offsetof(type or e, a.b[2].c).
func (u typeRefs) offsetOf(x *ast.OffsetOf) *types.Type {
	t := u.typeOperand(x.Type, x.X)
	if t == nil {
		t = u.value(x.X)
	}
	if t.Kind == types.Pointer && t.Elem != nil {
		t = t.Elem
	}
	if t.Kind == types.Invalid {
		return invalid
	}
	off, ok := u.path(t, x.Path, x.Span)
	if !ok {
		return invalid
	}
	u.Consts[x] = off
	return types.U64
}

// path follows "a", "b", "[2]" from a struct and gives the place of the end.
func (u typeRefs) path(t *types.Type, path []string, sp source.Span) (int64, bool) {
	off := int64(0)
	for _, step := range path {
		if digits, ok := strings.CutPrefix(step, "["); ok {
			if t.Kind != types.Array {
				u.errorf(sp, "%s has no elements", types.Describe(t)).Hintf("the path ends here")
				return 0, false
			}
			n, err := strconv.ParseInt(strings.TrimSuffix(digits, "]"), 10, 32)
			if err != nil {
				u.errorf(sp, "[%s is no element of any array", digits).Hintf("elements count from 0")
				return 0, false
			}
			t = t.Elem
			off += n * int64(t.Size)
			continue
		}
		if t.Kind != types.Struct && t.Kind != types.Union && t.Kind != types.Record {
			u.errorf(sp, "%s has no members", types.Describe(t)).Hintf("the path ends here")
			return 0, false
		}
		f, ok := t.Field(step)
		if !ok {
			u.members.noField(sp, t, step, "")
			return 0, false
		}
		off += int64(f.Offset)
		t = f.Type
	}
	return off, true
}
