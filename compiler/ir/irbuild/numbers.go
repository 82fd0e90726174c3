package irbuild

import (
	"fst/compiler/ir"
	"fst/compiler/types"
)

// SignedDivide divides like C, by way of absolute values: eBPF has a signed
// division only from 6.6 on.
func (f *Builder) SignedDivide(uop ir.Op, a, b ir.Operand) ir.Operand {
	abs := func(v ir.Operand) ir.Operand {
		if v.IsImm() {
			if v.Imm < 0 {
				return ir.I(-v.Imm)
			}
			return v
		}
		mask := f.Op(ir.OpArsh, v, ir.I(63))
		return f.Op(ir.OpSub, f.Op(ir.OpXor, v, mask), mask)
	}
	q := f.Op(uop, abs(a), abs(b))
	var sign ir.Operand
	switch {
	case uop == ir.OpMod: // the sign of the dividend
		sign = f.Op(ir.OpArsh, a, ir.I(63))
	case b.IsImm() && b.Imm > 0:
		sign = f.Op(ir.OpArsh, a, ir.I(63))
	default:
		sign = f.Op(ir.OpArsh, f.Op(ir.OpXor, a, b), ir.I(63))
	}
	return f.Op(ir.OpSub, f.Op(ir.OpXor, q, sign), sign)
}

// Hash adds a word to the hash of those before it.
func (f *Builder) Hash(hash, frame ir.Operand) ir.Operand {
	hash = f.Op(ir.OpMul, f.Op(ir.OpXor, hash, frame), ir.R(f.Reg(ir.I(-0x61c8864680b583eb))))
	return f.Op(ir.OpXor, hash, f.Op(ir.OpRsh, hash, ir.I(29)))
}

// Increment adds to a word of an aggregation as its map needs it: atomically, or as a CPU of its own does.
type Increment func(at ir.Reg, off int32, by ir.Operand)

// CountBucket adds one to bucket idx. The comparison with the number of buckets is
// what lets the verifier follow the address.
func (f *Builder) CountBucket(p ir.Reg, idx ir.Operand, buckets int, inc Increment) {
	f.If(ir.ULt, idx, ir.I(int64(buckets)), func() {
		at := f.Op(ir.OpAdd, ir.R(p), f.Op(ir.OpLsh, idx, ir.I(3)))
		inc(at.Reg, 0, ir.I(1))
	})
}

// HistIndex is the bucket of hist(n, k): 0 of negative numbers, n+1 of those below 2^k; of the others, each power of two
// is divided into 2^k buckets.
func (f *Builder) HistIndex(n ir.Operand, k int) ir.Operand {
	n = ir.R(f.Reg(n))
	out := f.NewVar(ir.I(0)) // negative numbers share bucket 0
	big, done := f.NewBlock(), f.NewBlock()
	f.Guard(ir.SGe, n, ir.I(0), done)
	f.Guard(ir.ULt, n, ir.I(1<<k), big)
	f.Set(out, f.AddConst(n, 1))
	f.Jump(done)
	f.SetBlock(big)
	// floor(log2 n) by halving: six comparisons.
	rest := f.NewVar(n)
	l := f.NewVar(ir.I(0))
	for _, w := range []int64{32, 16, 8, 4, 2, 1} {
		limit := ir.I(int64(1) << w)
		if w == 32 {
			limit = ir.R(f.Reg(limit))
		}
		f.If(ir.UGe, ir.R(rest), limit, func() {
			f.Emit(ir.Instr{Op: ir.OpRsh, Dst: rest, A: ir.R(rest), B: ir.I(w)})
			f.Emit(ir.Instr{Op: ir.OpAdd, Dst: l, A: ir.R(l), B: ir.I(w)})
		})
	}
	if k == 0 {
		f.Set(out, f.AddConst(ir.R(l), 2))
	} else {
		shift := f.Op(ir.OpSub, ir.R(l), ir.I(int64(k)))
		sub := f.Op(ir.OpAnd, f.Op(ir.OpRsh, n, shift), ir.I(1<<k-1))
		row := f.Op(ir.OpLsh, f.Op(ir.OpAdd, shift, ir.I(1)), ir.I(int64(k)))
		f.Set(out, f.Op(ir.OpAdd, f.Op(ir.OpAdd, row, sub), ir.I(1)))
	}
	f.Label(done)
	return ir.R(out)
}

// LinearIndex is the bucket of lhist: 0 below the minimum, the last one above the maximum.
func (f *Builder) LinearIndex(n ir.Operand, a types.Agg) ir.Operand {
	n = ir.R(f.Reg(n))
	out := f.NewVar(ir.I(0))
	inside, done := f.NewBlock(), f.NewBlock()
	f.Guard(ir.SGe, n, ir.R(f.Reg(ir.I(a.Min))), done)
	f.Guard(ir.SGt, n, ir.R(f.Reg(ir.I(a.Max))), inside)
	f.Set(out, ir.I(1+(a.Max-a.Min)/max(a.Step, 1)))
	f.Jump(done)
	f.SetBlock(inside)
	f.Set(out, f.AddConst(f.Op(ir.OpDiv, f.Op(ir.OpSub, n, ir.R(f.Reg(ir.I(a.Min)))), ir.R(f.Reg(ir.I(max(a.Step, 1))))), 1))
	f.Label(done)
	return ir.R(out)
}

// Rank counts a key in its set of a ranking, the value of top(). busy has room for a number.
func (f *Builder) Rank(l types.RankingLayout, busy, p, key ir.Reg) {
	hash := ir.I(0)
	f.EachWord(0, l.KeySize, func(off int32, _ int) { hash = f.Hash(hash, f.Load(key, off, 8, false)) })
	set := f.AddConst(ir.R(p), 16).Reg
	if l.Sets > 1 {
		number := f.Op(ir.OpAnd, f.Op(ir.OpRsh, hash, ir.I(32)), ir.I(int64(l.Sets-1)))
		set = f.Op(ir.OpAdd, ir.R(set), f.Op(ir.OpMul, number, ir.I(int64(l.SetSize())))).Reg
	}
	give, done := f.NewBlock(), f.NewBlock()
	// The number of the slot goes through memory: the verifier would else follow each one to the end.
	least, index := f.NewVar(ir.I(0)), f.NewVar(ir.I(0))
	slot := func(i int) int32 { return int32(8 + i*l.SlotSize()) }
	for i := range types.RankingWays {
		n := f.Load(set, slot(i), 8, false)
		other := f.NewBlock()
		f.Set(index, ir.I(int64(i)))
		f.Guard(ir.Ne, n, ir.I(0), give) // a free one
		f.EachWord(0, l.KeySize, func(off int32, _ int) {
			f.Guard(ir.Eq, f.Load(set, slot(i)+16+off, 8, false), f.Load(key, off, 8, false), other)
		})
		f.Store(set, slot(i), f.AddConst(n, 1), 8)
		f.Jump(done)
		f.SetBlock(other)
	}
	f.Set(index, ir.I(0))
	f.Set(least, f.Load(set, slot(0), 8, false))
	for i := 1; i < types.RankingWays; i++ {
		n := f.Load(set, slot(i), 8, false)
		f.If(ir.ULt, n, ir.R(least), func() {
			f.Set(least, n)
			f.Set(index, ir.I(int64(i)))
		})
	}
	f.Label(give)
	f.Store(busy, 8, ir.R(index), 8)
	number := f.Op(ir.OpAnd, f.Load(busy, 8, 8, false), ir.I(types.RankingWays-1))
	at := f.Op(ir.OpAdd, ir.R(set), f.Op(ir.OpMul, number, ir.I(int64(l.SlotSize())))).Reg
	before := int32(l.SetSize() - 8)
	changes := f.AddConst(f.Load(set, before, 8, false), 1)
	f.Store(set, before, changes, 8)
	f.Store(at, 16, ir.R(least), 8)
	f.CopyMem(at, 24, key, 0, l.KeySize)
	f.Store(at, 8, f.AddConst(ir.R(least), 1), 8)
	f.Store(set, 0, changes, 8)
	f.Label(done)
}
