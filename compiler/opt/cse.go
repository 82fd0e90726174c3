package opt

import "fst/compiler/ir"

// value names a computation; equal values have equal results.
type value struct {
	op                     ir.Op
	a, b                   ir.Operand
	size                   int8
	signed                 bool
	off, m, slot, fn, call int32
}

func valueOf(in *ir.Instr) value {
	v := value{op: in.Op, a: in.A, b: in.B, size: in.Size, signed: in.Signed, off: in.Off, m: in.Map, slot: in.Slot, fn: in.Func, call: in.Helper}
	switch in.Op {
	case ir.OpAdd, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor:
		if v.a.Reg > v.b.Reg {
			v.a, v.b = v.b, v.a
		}
	}
	return v
}

// cse computes equal values once. Across blocks that is done for pure
// operations, repeatable helpers and reads of the context, where the first
// dominates the second; other loads only within a block and up to the next
// write or call.
func cse(c *context) bool {
	changed := false
	children := make([][]int, len(c.cfg.Order))
	for i := 1; i < len(c.cfg.Order); i++ {
		children[c.cfg.IDom[i]] = append(children[c.cfg.IDom[i]], i)
	}
	have := map[value]ir.Reg{}
	var walk func(n int)
	walk = func(n int) {
		var added []value
		loads := map[value]ir.Reg{}
		b := c.cfg.Order[n]
		for i := range b.Instrs {
			in := &b.Instrs[i]
			global := in.IsPure() && in.Op != ir.OpConst && in.Op != ir.OpCopy || isRepeatable(in) || c.isContextLoad(in)
			table := have
			if !global {
				if in.Op != ir.OpLoad {
					if hasEffect(in) {
						clear(loads)
					}
					continue
				}
				table = loads
			}
			if in.Dst == 0 || !c.once(in.A) || !c.once(in.B) {
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
					added = append(added, v)
				}
			}
		}
		for _, k := range children[n] {
			walk(k)
		}
		for _, v := range added {
			delete(have, v)
		}
	}
	if len(c.cfg.Order) > 0 {
		walk(0)
	}
	return changed
}

// dead removes what computes values that nobody reads.
func dead(c *context) bool {
	changed := false
	n := len(c.cfg.Order)
	in := make([]ir.Bits, n)
	for i := range in {
		in[i] = ir.NewBits(c.f.NumRegs)
	}
	// sweep walks a block backwards from what is alive at its end.
	sweep := func(i int, remove bool) ir.Bits {
		b := c.cfg.Order[i]
		alive := ir.NewBits(c.f.NumRegs)
		for _, s := range c.cfg.Succs[i] {
			alive.Or(in[s])
		}
		use := func(o *ir.Operand) {
			if o.Reg != 0 {
				alive.Set(int(o.Reg))
			}
		}
		b.Term.Operands(use)
		for k := len(b.Instrs) - 1; k >= 0; k-- {
			x := &b.Instrs[k]
			if x.Dst != 0 && !alive.Has(int(x.Dst)) || x.Op == ir.OpCopy && x.A.Reg == x.Dst || x.Dst == 0 && isRepeatable(x) {
				if !hasEffect(x) {
					if remove {
						b.Instrs = append(b.Instrs[:k], b.Instrs[k+1:]...)
						changed = true
					}
					continue
				}
				if remove && x.Op == ir.OpCall {
					x.Dst = 0
					changed = true
				}
			}
			if x.Dst != 0 {
				alive.Clear(int(x.Dst))
			}
			x.Operands(use)
		}
		return alive
	}
	for again := true; again; {
		again = false
		for i := n - 1; i >= 0; i-- {
			again = in[i].Or(sweep(i, false)) || again
		}
	}
	for i := range n {
		sweep(i, true)
	}
	return changed
}

// sink moves helper calls, reads of the context and pure operations out of the
// way of those who do not need them: into the block that dominates all
// uses, if it is another one and not in more loops.
func sink(c *context) bool {
	uses := make([][]int, c.f.NumRegs) // blocks that read the register
	for i, b := range c.cfg.Order {
		note := func(o *ir.Operand) {
			if u := uses[o.Reg]; o.Reg != 0 && (len(u) == 0 || u[len(u)-1] != i) {
				uses[o.Reg] = append(u, i)
			}
		}
		for k := range b.Instrs {
			b.Instrs[k].Operands(note)
		}
		b.Term.Operands(note)
	}
	changed := false
	for i, b := range c.cfg.Order {
		for k := len(b.Instrs) - 1; k >= 0; k-- {
			in := b.Instrs[k]
			movable := isRepeatable(&in) || c.isContextLoad(&in) || in.IsPure() && in.Op != ir.OpCopy
			if !movable || in.Dst == 0 || c.defs[in.Dst] != 1 || len(uses[in.Dst]) == 0 || !c.once(in.A) || !c.once(in.B) {
				continue
			}
			to := uses[in.Dst][0]
			for _, u := range uses[in.Dst] {
				to = c.cfg.Common(to, u)
			}
			if to == i || c.cfg.Depth[to] > c.cfg.Depth[i] || !c.cfg.Dominates(i, to) {
				continue
			}
			b.Instrs = append(b.Instrs[:k], b.Instrs[k+1:]...)
			t := c.cfg.Order[to]
			t.Instrs = append([]ir.Instr{in}, t.Instrs...)
			changed = true
			note := func(o *ir.Operand) {
				if o.Reg != 0 {
					uses[o.Reg] = append(uses[o.Reg], to)
				}
			}
			in.Operands(note)
		}
	}
	return changed
}
