package opt

import "fst/compiler/ir"

// value names a computation; equal values have equal results. It has no holes,
// so that it is hashed as one piece of memory.
type value struct {
	what                   uint32 // operation, size, sign
	ra, rb                 ir.Reg
	off, m, slot, fn, call int32
	ia, ib                 int64
}

func valueOf(in *ir.Instr) value {
	a, b := in.A, in.B
	switch in.Op {
	case ir.OpCall: // of one that is repeatable
		if len(in.Args) > 0 {
			a = in.Args[0]
		}
	case ir.OpAdd, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor:
		if a.Reg > b.Reg {
			a, b = b, a
		}
	}
	what := uint32(in.Op) | uint32(uint8(in.Size))<<8
	if in.Signed {
		what |= 1 << 16
	}
	what |= uint32(in.Space)<<17 | uint32(in.Fact)<<20
	return value{what: what, ra: a.Reg, rb: b.Reg, ia: a.Imm, ib: b.Imm, off: in.Off, m: in.Map, slot: in.Slot, fn: in.Func, call: in.Helper}
}

// valueTable holds the registers of the values that are there at one place.
type valueTable struct {
	have  map[value]ir.Reg // in this block or one that dominates it
	loads map[value]ir.Reg // loaded in this block
	added []value          // to have, in order
	child []int32          // of each block: the first that it dominates next, or 0
	next  []int32          // of each block: the next with the same dominator, or 0
}

// cse computes equal values once. Across blocks that is done for pure
// operations, facts and reads of memory that stay as they are (see isSteady), where the
// first dominates the second; for other loads and reads only within a block and up to
// the next change.
func cse(c *context) bool {
	n := len(c.cfg.Order)
	if n == 0 {
		return false
	}
	t := &c.values
	if t.have == nil {
		t.have, t.loads = map[value]ir.Reg{}, map[value]ir.Reg{}
	}
	t.child, t.next = zeroed(t.child, n), zeroed(t.next, n)
	for i := n - 1; i > 0; i-- {
		d := c.cfg.IDom[i]
		t.next[i], t.child[d] = t.child[d], int32(i)
	}
	return c.cseFrom(0)
}

// cseFrom is cse for a block and those that it dominates.
func (c *context) cseFrom(n int32) bool {
	t, changed := &c.values, false
	outer := len(t.added)
	b := c.cfg.Order[n]
	for i := range b.Instrs {
		in := &b.Instrs[i]
		global := in.Op != ir.OpConst && in.Op != ir.OpCopy && c.isSteady(in)
		table := t.have
		if !global {
			if in.Op != ir.OpLoad && in.Op != ir.OpRead {
				if len(t.loads) > 0 && in.Does(ir.Changes) {
					clear(t.loads)
				}
				continue
			}
			table = t.loads
		}
		if in.Dst == 0 || !c.onceAll(in) {
			continue
		}
		v := valueOf(in)
		if r, ok := table[v]; ok {
			become(in, ir.R(r))
			changed = true
			continue
		}
		if c.defs[in.Dst] == 1 {
			table[v] = in.Dst
			if global {
				t.added = append(t.added, v)
			}
		}
	}
	clear(t.loads)
	for k := t.child[n]; k != 0; k = t.next[k] {
		changed = c.cseFrom(k) || changed
	}
	for _, v := range t.added[outer:] {
		delete(t.have, v)
	}
	t.added = t.added[:outer]
	return changed
}
