package opt

import (
	"slices"

	"fst/compiler/ir"
)

// sink moves helper calls, reads of the context and pure operations out of the
// way of those who do not need them: into the block that dominates all
// uses, if it is another one and not in more loops.
func sink(c *context) bool {
	const unused = -1
	meet := slices.Grow(c.joins[:0], c.f.NumRegs)[:c.f.NumRegs] // the block that dominates all uses, by register
	c.joins = meet
	for r := range meet {
		meet[r] = unused
	}
	at := 0
	note := func(o *ir.Operand) {
		switch m := &meet[o.Reg]; {
		case o.Reg == 0 || *m == int32(at):
		case *m == unused:
			*m = int32(at)
		default:
			*m = int32(c.cfg.Common(int(*m), at))
		}
	}
	for i, b := range c.cfg.Order {
		at = i
		for k := range b.Instrs {
			b.Instrs[k].Operands(note)
		}
		b.Term.Operands(note)
	}
	c.later.reset(len(c.cfg.Order))
	for i, b := range c.cfg.Order {
		c.later.put(b, i)
		kept := len(b.Instrs)
		for k := len(b.Instrs) - 1; k >= 0; k-- {
			in := &b.Instrs[k]
			movable := in.Op != ir.OpCopy && c.isSteady(in)
			if movable && in.Dst != 0 && c.defs[in.Dst] == 1 && meet[in.Dst] != unused && c.onceAll(in) {
				to := int(meet[in.Dst])
				if to != i && c.cfg.Depth[to] <= c.cfg.Depth[i] && c.cfg.Dominates(i, to) {
					at = to
					in.Operands(note)
					c.later.add(*in, to)
					continue
				}
			}
			if kept--; kept != k {
				b.Instrs[kept] = *in
			}
		}
		b.Instrs = slices.Delete(b.Instrs, 0, kept)
	}
	return len(c.later.instrs) > 1
}

// moved are instructions on their way to the beginning of other blocks, which
// come later in the order.
type moved struct {
	first  []int32 // by block: in instrs, or 0
	instrs []movedInstr
}

type movedInstr struct {
	ir.Instr
	next int32 // in the block
}

func (m *moved) reset(blocks int) {
	m.first = zeroed(m.first, blocks)
	m.instrs = append(m.instrs[:0], movedInstr{})
}

// add puts an instruction before those that are to go to a block.
func (m *moved) add(in ir.Instr, to int) {
	m.instrs = append(m.instrs, movedInstr{in, m.first[to]})
	m.first[to] = int32(len(m.instrs) - 1)
}

// put brings the instructions into their block.
func (m *moved) put(b *ir.Block, n int) {
	count := 0
	for i := m.first[n]; i != 0; i = m.instrs[i].next {
		count++
	}
	if count == 0 {
		return
	}
	old := len(b.Instrs)
	b.Instrs = slices.Grow(b.Instrs, count)[:old+count]
	copy(b.Instrs[count:], b.Instrs[:old])
	for i, k := m.first[n], 0; i != 0; i, k = m.instrs[i].next, k+1 {
		b.Instrs[k] = m.instrs[i].Instr
	}
}
