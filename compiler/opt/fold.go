package opt

import (
	"math/bits"
	"slices"

	"fst/compiler/ir"
)

// knownValues are the registers that hold a constant or a copy, as found so far
// in one block.
type knownValues struct {
	value []ir.Operand // by register
	block []int32      // by register: the block, plus one, for which value is
	age   []int32      // by register: how often it was assigned until now
	then  []int32      // by register: the age of the one that value is, when it was copied
}

// has reports whether the value of reg is known in a block.
func (k *knownValues) has(reg ir.Reg, block int32) bool {
	v := &k.value[reg]
	return k.block[reg] == block && (v.IsImm() || k.age[v.Reg] == k.then[reg])
}

// fold replaces operands by the constants and the registers that they are
// copies of, computes what is constant, and folds additions into addresses.
func fold(c *context) bool {
	changed := false
	k := &c.known
	k.value, k.block = slices.Grow(k.value[:0], c.f.NumRegs)[:c.f.NumRegs], zeroed(k.block, c.f.NumRegs)
	k.age, k.then = zeroed(k.age, c.f.NumRegs), zeroed(k.then, c.f.NumRegs)
	for n, b := range c.cfg.Order {
		here := int32(n + 1)
		replace := func(o *ir.Operand) {
			if o.IsImm() {
				return
			}
			if k.has(o.Reg, here) {
				*o, changed = k.value[o.Reg], true
				return
			}
			if d := c.def[o.Reg]; d != nil && (d.Op == ir.OpConst || d.Op == ir.OpCopy) && c.once(d.A) {
				*o, changed = d.A, true
			}
		}
		for i := range b.Instrs {
			in := &b.Instrs[i]
			if in.Op != ir.OpConst {
				if in.Op.IsMemory() {
					// An address stays a register.
					old := in.A
					in.Operands(replace)
					if in.A.IsImm() {
						in.A = old
					}
				} else {
					in.Operands(replace)
				}
			}
			if c.simplify(in) {
				changed = true
			}
			if c.address(in) {
				changed = true
			}
			if in.Bit != 0 {
				k.block[c.f.Failed] = 0
				k.age[c.f.Failed]++
			}
			if in.Dst == 0 {
				continue
			}
			k.block[in.Dst] = 0
			k.age[in.Dst]++ // what was a copy of its old value is none of the new
			if (in.Op == ir.OpConst || in.Op == ir.OpCopy) && in.A.Reg != in.Dst {
				k.value[in.Dst], k.block[in.Dst], k.then[in.Dst] = in.A, here, k.age[in.A.Reg]
			}
		}
		b.Term.Operands(replace)
	}
	return changed
}

// become makes in a constant or a copy.
func become(in *ir.Instr, o ir.Operand) bool {
	op := ir.OpCopy
	if o.IsImm() {
		op = ir.OpConst
	}
	*in = ir.Instr{Op: op, Dst: in.Dst, A: o, Span: in.Span}
	return true
}

// simplify computes arithmetic with known operands or neutral elements.
func (c *context) simplify(in *ir.Instr) bool {
	a, b := in.A, in.B
	if in.Op == ir.OpConst || in.Op > ir.OpExt {
		return false
	}
	unary := in.Op == ir.OpCopy || in.Op == ir.OpNeg || in.Op == ir.OpSwap || in.Op == ir.OpExt
	if a.IsImm() && (unary || b.IsImm()) {
		v, _ := in.Eval(a.Imm, b.Imm)
		return become(in, ir.I(v))
	}
	if unary {
		return in.Op == ir.OpExt && in.Size == 8 && become(in, a)
	}
	if a.IsImm() {
		switch in.Op {
		case ir.OpAdd, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor:
			in.A, in.B = b, a
			c.simplify(in)
			return true
		}
		return false
	}
	if !b.IsImm() {
		if a.Reg == b.Reg {
			switch in.Op {
			case ir.OpAnd, ir.OpOr:
				return become(in, a)
			case ir.OpSub, ir.OpXor:
				return become(in, ir.I(0))
			}
		}
		return false
	}
	v := b.Imm
	switch in.Op {
	case ir.OpAdd, ir.OpSub, ir.OpOr, ir.OpXor, ir.OpLsh, ir.OpRsh, ir.OpArsh:
		if v == 0 {
			return become(in, a)
		}
	case ir.OpMul, ir.OpDiv, ir.OpSDiv:
		if v == 1 {
			return become(in, a)
		}
		if v == 0 {
			return become(in, ir.I(0))
		}
	case ir.OpAnd:
		if v == -1 {
			return become(in, a)
		}
		if v == 0 {
			return become(in, ir.I(0))
		}
	case ir.OpMod:
		if v == 1 {
			return become(in, ir.I(0))
		}
	}
	if u := uint64(v); bits.OnesCount64(u) == 1 {
		shift := int64(bits.TrailingZeros64(u))
		switch in.Op {
		case ir.OpMul:
			in.Op, in.B = ir.OpLsh, ir.I(shift)
			return true
		case ir.OpDiv:
			in.Op, in.B = ir.OpRsh, ir.I(shift)
			return true
		case ir.OpMod:
			in.Op, in.B = ir.OpAnd, ir.I(v-1)
			return true
		}
	}
	return c.twice(in)
}

// twice joins an operation with the one that made its operand: (x + 1) + 2,
// (x & m) & n, the zero-extension of what was loaded or masked.
func (c *context) twice(in *ir.Instr) bool {
	d := c.def[in.A.Reg]
	if d == nil || !c.once(d.A) {
		return false
	}
	v := in.B.Imm
	off := int64(d.Off) + v
	switch {
	case in.Op == ir.OpAdd && d.Op == ir.OpAdd && d.B.IsImm():
		in.A, in.B = d.A, ir.I(d.B.Imm+v)
		return true
	case in.Op == ir.OpAdd && d.Op == ir.OpSlotAddr && off == int64(int32(off)):
		*in = ir.Instr{Op: d.Op, Dst: in.Dst, Slot: d.Slot, Off: int32(off), Span: in.Span}
		return true
	case in.Op == ir.OpAdd && d.Op == ir.OpMapValue && v > 0 && off == int64(int32(off)):
		*in = ir.Instr{Op: d.Op, Dst: in.Dst, Map: d.Map, Off: int32(off), Span: in.Span}
		return true
	case in.Op == ir.OpAnd && d.Op == ir.OpAnd && d.B.IsImm():
		in.A, in.B = d.A, ir.I(d.B.Imm&v)
		return true
	case in.Op == ir.OpAnd && c.low(in.A, bits.TrailingZeros64(^uint64(v))):
		return become(in, ir.R(in.A.Reg))
	}
	return false
}

// low reports whether all bits of a register from n on are certainly 0.
func (c *context) low(o ir.Operand, n int) bool {
	d := c.def[o.Reg]
	if d == nil {
		return false
	}
	switch d.Op {
	case ir.OpLoad, ir.OpExt:
		return !d.Signed && 8*int(d.Size) <= n
	case ir.OpRsh:
		return d.B.IsImm() && d.B.Imm >= 0 && d.B.Imm < 64 && 64-int(d.B.Imm) <= n
	case ir.OpAnd:
		return d.B.IsImm() && bits.Len64(uint64(d.B.Imm)) <= n
	}
	return false
}

// address folds an addition of a constant into the offset of a load or store,
// and drops extensions of values that are narrow already.
func (c *context) address(in *ir.Instr) bool {
	if in.Op == ir.OpExt && !in.A.IsImm() {
		d := c.def[in.A.Reg]
		same := d != nil && (d.Op == ir.OpLoad || d.Op == ir.OpExt) && d.Size == in.Size && d.Signed == in.Signed
		return (same || !in.Signed && c.low(in.A, 8*int(in.Size))) && become(in, in.A)
	}
	if !in.Op.IsMemory() && in.Op != ir.OpRead {
		return false
	}
	d := c.def[in.A.Reg]
	if d == nil || d.Op != ir.OpAdd || d.A.IsImm() || !d.B.IsImm() || !c.once(d.A) {
		return false
	}
	sum := int64(in.Off) + d.B.Imm
	if sum != int64(int16(sum)) && (in.Op != ir.OpRead || sum != int64(int32(sum))) {
		return false
	}
	in.A, in.Off = d.A, int32(sum)
	return true
}
