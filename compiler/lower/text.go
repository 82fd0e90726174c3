package lower

import (
	"fst/compiler/ir"
	"fst/compiler/types"
	"fst/lang/ast"
)

// strncmp is 0 if the first n bytes of two strings are equal (up to a NUL),
// else 1.
func (f *fn) strncmp(a, b value, n int, t *types.Type) value {
	r := f.f.NewReg()
	same, differ, done := f.block(), f.block(), f.block()
	if a.str != nil && b.str == nil {
		a, b = b, a
	}
	switch {
	case a.str != nil:
		x, y := *a.str, *b.str
		if cut(x, n) == cut(y, n) {
			f.jump(same)
		} else {
			f.jump(differ)
		}
	case b.str != nil:
		f.compareConst(a, cut(*b.str, n), min(n, len(*b.str)+1), same, differ)
	default:
		ab, ao := f.inMemory(a)
		bb, bo := f.inMemory(b)
		at := 0
		for ; at+8 <= n && at+8 <= min(a.t.Size, b.t.Size); at += 8 {
			more := f.block()
			f.compareWord(ab, ao+int32(at), bb, bo+int32(at), same, more, differ)
			f.use(more)
		}
		for ; at < n && at < min(a.t.Size, b.t.Size); at++ {
			x := f.load(ab, ao+int32(at), 1, false)
			equal, more := f.block(), f.block()
			f.branch(ir.Eq, x, f.load(bb, bo+int32(at), 1, false), equal, differ)
			f.use(equal)
			f.branch(ir.Eq, x, ir.I(0), same, more)
			f.use(more)
		}
		f.jump(same)
	}
	f.use(same)
	f.set(r, ir.I(0))
	f.jump(done)
	f.use(differ)
	f.set(r, ir.I(1))
	f.jump(done)
	f.use(done)
	return scalar(t, ir.R(r))
}

func cut(s string, n int) string { return s[:min(n, len(s))] }

// compareWord compares eight bytes of two texts: to same if both end here
// equal, to more if they are equal without an end, else to differ.
func (f *fn) compareWord(ab ir.Reg, ao int32, bb ir.Reg, bo int32, same, more, differ *ir.Block) {
	x, y := f.load(ab, ao, 8, false), f.load(bb, bo, 8, false)
	diff := f.op(ir.OpXor, x, y)
	z := f.hasZero(x)
	last, whole := f.block(), f.block()
	f.branch(ir.Ne, z, ir.I(0), last, whole)
	f.use(last)
	upTo := f.op(ir.OpXor, z, f.op(ir.OpSub, z, ir.I(1)))
	f.branch(ir.Eq, f.op(ir.OpAnd, diff, upTo), ir.I(0), same, differ)
	f.use(whole)
	f.branch(ir.Eq, diff, ir.I(0), more, differ)
}

// hasZero is not 0 if a byte of x is 0; its lowest set bit is in the first such byte.
func (f *fn) hasZero(x ir.Operand) ir.Operand {
	ones, highs := f.reg(ir.I(0x0101010101010101)), f.reg(ir.I(-0x7f7f7f7f7f7f7f80))
	return f.op(ir.OpAnd, f.op(ir.OpAnd, f.op(ir.OpSub, x, ir.R(ones)), f.op(ir.OpXor, x, ir.I(-1))), ir.R(highs))
}

// strlen counts the bytes before the NUL, a word at a time.
func (f *fn) strlen(v value) ir.Operand {
	if v.str != nil {
		return ir.I(int64(len(*v.str)))
	}
	base, off := f.inMemory(v)
	out := f.fresh(ir.I(int64(v.t.Size)))
	done := f.block()
	at := 0
	for ; at+8 <= v.t.Size; at += 8 {
		z := f.hasZero(f.load(base, off+int32(at), 8, false))
		here, next := f.block(), f.block()
		f.branch(ir.Ne, z, ir.I(0), here, next)
		f.use(here)
		// The position of the lowest set bit, by comparing z & -z.
		low := f.op(ir.OpAnd, z, f.op(ir.OpSub, ir.I(0), z))
		for i := 0; i < 8; i++ {
			hit, miss := f.block(), f.block()
			f.branch(ir.Eq, low, ir.R(f.reg(ir.I(int64(uint64(0x80)<<(8*i))))), hit, miss)
			f.use(hit)
			f.set(out, ir.I(int64(at+i)))
			f.jump(done)
			f.use(miss)
		}
		f.jump(done)
		f.use(next)
	}
	for ; at < v.t.Size; at++ {
		here, next := f.block(), f.block()
		f.branch(ir.Eq, f.load(base, off+int32(at), 1, false), ir.I(0), here, next)
		f.use(here)
		f.set(out, ir.I(int64(at)))
		f.jump(done)
		f.use(next)
	}
	f.jump(done)
	f.use(done)
	return ir.R(out)
}

// contains is strcontains (index false) and strstr (index true): a loop over
// the places where the needle may begin. The texts are copied into one area
// that the verifier lets us index.
func (f *fn) contains(x *ast.Call, t *types.Type, index bool) value {
	hay, needle := f.expr(x.Args[0]), f.expr(x.Args[1])
	none := int64(0)
	if index {
		none = -1
	}
	if hay.str != nil && needle.str != nil {
		at := indexOf(*hay.str, *needle.str)
		switch {
		case index:
			return scalar(t, ir.I(int64(at)))
		case at >= 0:
			return scalar(t, ir.I(1))
		}
		return scalar(t, ir.I(0))
	}
	if needle.str == nil {
		f.diags.Errorf(x.Args[1].Pos(), "the text to look for must be constant").
			Hintf("compare with == or strncmp() instead")
		return scalar(t, ir.I(0))
	}
	n := len(*needle.str)
	hb, ho := f.inMemory(hay)
	out := f.fresh(ir.I(none))
	done := f.block()
	// Unrolled over the places, eight bytes of the needle at a time.
	ended := done
	for at := 0; at+n < hay.t.Size && at < 256; at++ {
		next := f.block()
		for i := 0; i < n; i++ {
			more := f.block()
			f.branch(ir.Eq, f.load(hb, ho+int32(at+i), 1, false), ir.I(int64((*needle.str)[i])), more, next)
			f.use(more)
		}
		if index {
			f.set(out, ir.I(int64(at)))
		} else {
			f.set(out, ir.I(1))
		}
		f.jump(done)
		f.use(next)
		going := f.block()
		f.branch(ir.Eq, f.load(hb, ho+int32(at), 1, false), ir.I(0), ended, going)
		f.use(going)
	}
	f.jump(done)
	f.use(done)
	return scalar(t, ir.R(out))
}

func indexOf(s, sub string) int {
	for i := 0; i+len(sub) <= len(s); i++ {
		if s[i:i+len(sub)] == sub {
			return i
		}
	}
	return -1
}
