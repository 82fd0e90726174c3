package opt

import (
	"sort"

	"fst/compiler/ir"
)

// readers finds the assignments that a reading sees. Instructions are numbered
// through all blocks in the order of the CFG.
type readers struct {
	start []int32 // by block: the number of its first instruction; then the end
	block []int32 // by instruction
	used  ir.Bits // instructions whose result is read

	at    []int32   // by register: its assignment, or where its list begins in lists
	count []int32   // by register: assignments
	lists []int32   // assignments of the registers that have several, in order
	into  []ir.Bits // by register that has several: blocks before which it is read
	work  []int32   // instructions that stay and whose operands are to be followed
	climb []entry
}

// entry is a register that is read in a block or behind it, before it is
// assigned there.
type entry struct {
	reg   ir.Reg
	block int32
}

// reset numbers the instructions of c.
func (r *readers) reset(c *context) {
	r.start, r.block = r.start[:0], r.block[:0]
	r.at, r.count = zeroed(r.at, c.f.NumRegs), zeroed(r.count, c.f.NumRegs)
	for i, b := range c.cfg.Order {
		r.start = append(r.start, int32(len(r.block)))
		for k := range b.Instrs {
			if x := &b.Instrs[k]; x.Dst != 0 && !isIdle(x) {
				r.at[x.Dst] = int32(len(r.block))
				r.count[x.Dst]++
			}
			r.block = append(r.block, int32(i))
		}
	}
	r.start = append(r.start, int32(len(r.block)))
	r.used = zeroed(r.used, len(r.block)/64+1)
	several := int32(0)
	for reg, n := range r.count {
		if n > 1 {
			r.at[reg] = several
			several += n
		}
	}
	r.lists = r.lists[:0]
	if several > 0 {
		r.lists = zeroed(r.lists, int(several))
		n := int32(0)
		for _, b := range c.cfg.Order {
			for k := range b.Instrs {
				if x := &b.Instrs[k]; x.Dst != 0 && !isIdle(x) && r.count[x.Dst] > 1 {
					r.lists[r.at[x.Dst]] = n
					r.at[x.Dst]++
				}
				n++
			}
		}
		for reg, n := range r.count {
			if n > 1 {
				r.at[reg] -= n
			}
		}
	}
	r.into = zeroed(r.into, c.f.NumRegs)
	r.work = r.work[:0]
}

// use notes that the instruction whose result is read stays.
func (r *readers) use(n int32) {
	if !r.used.Has(int(n)) {
		r.used.Set(int(n))
		r.work = append(r.work, n)
	}
}

// read notes a reading of reg before instruction n, which is in the block or
// its end.
func (r *readers) read(c *context, reg ir.Reg, n, block int32) {
	switch r.count[reg] {
	case 0:
		return // a parameter
	case 1:
		// It dominates the reading, unless a parameter is assigned anew.
		r.use(r.at[reg])
		return
	}
	defs := r.lists[r.at[reg]:][:r.count[reg]]
	for {
		// The last assignment before n in the block, or those that may reach it.
		i := sort.Search(len(defs), func(i int) bool { return defs[i] >= n }) - 1
		if i >= 0 && defs[i] >= r.start[block] {
			r.use(defs[i])
		} else if into := r.blocksInto(reg); !into.Has(int(block)) {
			into.Set(int(block))
			for _, p := range c.cfg.Preds[block] {
				r.climb = append(r.climb, entry{reg, p})
			}
		}
		if len(r.climb) == 0 {
			return
		}
		block = r.climb[len(r.climb)-1].block
		r.climb = r.climb[:len(r.climb)-1]
		n = r.start[block+1]
	}
}

// blocksInto is the set of blocks into which reg is known to be read.
func (r *readers) blocksInto(reg ir.Reg) ir.Bits {
	if r.into[reg] == nil {
		r.into[reg] = make(ir.Bits, len(r.start)/64+1)
	}
	return r.into[reg]
}

// isIdle reports whether x is a copy of a register to itself.
func isIdle(x *ir.Instr) bool { return x.Op == ir.OpCopy && x.A.Reg == x.Dst }

// dead removes what computes values that nobody reads, starting from what has
// an effect: values that only compute each other go, too.
func dead(c *context) bool {
	r := &c.reads
	r.reset(c)
	for i, b := range c.cfg.Order {
		for k := range b.Instrs {
			if b.Instrs[k].Does(ir.Changes) {
				r.work = append(r.work, r.start[i]+int32(k))
			}
		}
		end := r.start[i+1]
		b.Term.Operands(func(o *ir.Operand) {
			if o.Reg != 0 {
				r.read(c, o.Reg, end, int32(i))
			}
		})
	}
	for len(r.work) > 0 {
		n := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		i := r.block[n]
		c.cfg.Order[i].Instrs[n-r.start[i]].Operands(func(o *ir.Operand) {
			if o.Reg != 0 {
				r.read(c, o.Reg, n, i)
			}
		})
	}
	changed := false
	for i, b := range c.cfg.Order {
		kept := 0
		for k := range b.Instrs {
			x := &b.Instrs[k]
			read := x.Dst != 0 && r.used.Has(int(r.start[i])+k)
			switch {
			case x.Does(ir.Changes):
				if (x.Op == ir.OpCall || x.Op == ir.OpReadMem) && x.Dst != 0 && !read {
					x.Dst, changed = 0, true
				}
			case !read:
				changed = true
				continue
			}
			if kept < k {
				b.Instrs[kept] = *x
			}
			kept++
		}
		b.Instrs = b.Instrs[:kept]
	}
	return changed
}
