package lower

import (
	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/types"
	"fst/lang/ast"
)

// field is x.name: a member of what x is or points to.
func (f values) field(x *ast.Field, t *types.Type) value {
	if check.Names(x.X, builtin.VarArgs) {
		return f.probed.argNamed(x.Name)
	}
	v := f.expr(x.X)
	st := v.t
	if st.Kind == types.Pointer {
		p := f.operand(v)
		v = value{t: st.Elem, isMem: true, base: p, sp: spaceOf(st.User)}
		if f.typedNull != nil && !st.User {
			v.base = ir.R(f.NewVar(p))
			f.notNull(v.base)
			v.sp = direct
		}
		st = st.Elem
	}
	fd, ok := st.Field(x.Name)
	if !ok {
		f.diags.Errorf(x.NameSpan, "%s has no member %s", st, x.Name)
		return scalar(t, ir.I(0))
	}
	return f.member(v, fd)
}

// member selects a field of a memory value.
func (f values) member(v value, fd types.Field) value {
	v.off += int64(fd.Offset)
	if v.name == "" && v.t != nil {
		v.name = v.t.Name
	}
	v.name += "." + fd.Name
	v.t = fd.Type
	if fd.BitSize != 0 {
		v.bits = &fd
	}
	if v.sp == user && v.t.Kind == types.Pointer && !v.t.User {
		v.t = types.PointerTo(v.t.Elem, true)
	}
	if fd.DataLoc {
		// u32: length << 16 | offset from the start of the record.
		loc := f.Load(f.Reg(v.base), int32(v.off), 4, false)
		at := f.Op(ir.OpAnd, loc, ir.I(0xffff))
		addr := f.Op(ir.OpAdd, v.base, at)
		v = value{t: fd.Type, isMem: true, base: addr, sp: kernel, loc: loc.Reg}
	}
	if v.chars = v.t.IsCharArray(); v.chars {
		// Of size 0 if the declaration does not say where it ends: its NUL does.
		v.t = &types.Type{Kind: types.String, Size: v.t.Size}
	}
	return v
}

// sized gives a text of unknown length a place of its own.
func (f values) sized(v value) value {
	if v.str != nil || !v.isMem || v.kv != nil || v.t.Kind != types.String || v.t.Size > 0 {
		return v
	}
	return f.copied("text", v, types.StringType(f.info.Config.MaxStrlen))
}

// copied is a value in memory of its own, as one of type t.
func (f values) copied(name string, v value, t *types.Type) value {
	mem := f.Slot(name, t.Size)
	f.storeValue(v, t, mem, 0)
	return memory(t, mem, 0)
}

// element is tuple.N, also of a for-over-map's pair.
func (f values) element(v value, n int) value {
	if v.kv != nil {
		if n == 0 {
			return f.access.kvKey(v.kv)
		}
		return f.access.kvValue(v.kv)
	}
	return f.member(v, v.t.Fields()[n])
}

// made is a tuple or a record as a value.
func (f values) made(name string, x ast.Expr, t *types.Type) value {
	mem := f.Slot(name, t.Size)
	f.exprTo(x, t, mem, 0)
	return memory(t, mem, 0)
}

// storeRecord evaluates the values of a record straight into their places. What is
// evaluated first is what is written first, wherever its field lies.
func (f values) storeRecord(x *ast.Record, t *types.Type, base ir.Reg, off int32) {
	f.zeroPadding(t, base, off)
	for i, e := range x.Values {
		fd, _ := t.Field(x.Names[i])
		f.exprTo(e, fd.Type, base, off+int32(fd.Offset))
	}
}

// storeTuple evaluates the elements straight into their places.
func (f values) storeTuple(elems []ast.Expr, t *types.Type, base ir.Reg, off int32) {
	f.zeroPadding(t, base, off)
	fields := t.Fields()
	for i, e := range elems {
		if i < len(fields) {
			f.exprTo(e, fields[i].Type, base, off+int32(fields[i].Offset))
		}
	}
}
