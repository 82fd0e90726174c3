package emit

import (
	"slices"
	"sort"

	"fst/compiler/ir"
)

// reach knows which registers of a function may point into which slots.
type reach struct {
	f   *ir.Func
	reg [][]int32 // by register: slots
}

func newReach(f *ir.Func) *reach {
	r := &reach{f: f, reg: make([][]int32, f.NumRegs)}
	for changed := true; changed; {
		changed = false
		note := func(reg ir.Reg, slot int32) {
			if !slices.Contains(r.reg[reg], slot) {
				r.reg[reg], changed = append(r.reg[reg], slot), true
			}
		}
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				in := &b.Instrs[i]
				switch in.Op {
				case ir.OpSlotAddr:
					note(in.Dst, in.Slot)
				case ir.OpCopy, ir.OpAdd, ir.OpSub:
					for _, o := range [2]ir.Operand{in.A, in.B} {
						for _, s := range r.reg[o.Reg] {
							note(in.Dst, s)
						}
					}
				}
			}
		}
	}
	return r
}

// share lays slots out in scratch memory, writes where each is to offset, and
// returns the size. Slots that are not in use at the same time share memory.
func (r *reach) share(slots []int, offset []int) int {
	alive := r.alive(slots)
	slots = slices.Clone(slots)
	sort.SliceStable(slots, func(i, j int) bool { return r.f.Slots[slots[i]].Size > r.f.Slots[slots[j]].Size })
	size := scratchHeader
	// By block: the slots that have a place and are alive there, and those of them
	// that are not in the block before it.
	placed, begun := make([][]int, len(r.f.Blocks)), make([][]int, len(r.f.Blocks))
	met := make([]int, len(r.f.Slots)) // by slot: one more than the last that it was alive with
	type span struct{ start, end int }
	var taken []span
	for _, s := range slots {
		// The first gap between the slots that are alive together with s: where the
		// two meet first, one of them begins.
		taken = taken[:0]
		for i, b := range alive[s] {
			others := &begun[b]
			if i == 0 || alive[s][i-1] != b-1 {
				others = &placed[b]
				begun[b] = append(begun[b], s)
			}
			for _, o := range *others {
				if met[o] != s+1 {
					met[o] = s + 1
					taken = append(taken, span{offset[o], offset[o] + (r.f.Slots[o].Size+7)&^7})
				}
			}
			placed[b] = append(placed[b], s)
		}
		slices.SortFunc(taken, func(a, b span) int { return a.start - b.start })
		at, need := scratchHeader, (r.f.Slots[s].Size+7)&^7
		for _, t := range taken {
			if at+need <= t.start {
				break
			}
			at = max(at, t.end)
		}
		offset[s] = at
		size = max(size, at+need)
	}
	return size
}

// alive gives for each of the slots the blocks, in order, in which its content may matter:
// those with an access, and those that lie on a way from one access to another.
// A slot whose address is stored somewhere is alive everywhere.
func (r *reach) alive(slots []int) [][]int32 {
	c := ir.NewCFG(r.f)
	n := len(c.Order)
	access, wanted := make([][]int32, len(r.f.Slots)), make([]bool, len(r.f.Slots))
	everywhere := make([]bool, len(r.f.Slots))
	for _, s := range slots {
		wanted[s] = true
	}
	for i, b := range c.Order {
		note := func(o *ir.Operand) {
			for _, s := range r.reg[o.Reg] {
				if l := access[s]; wanted[s] && (len(l) == 0 || l[len(l)-1] != int32(i)) {
					access[s] = append(l, int32(i))
				}
			}
		}
		for k := range b.Instrs {
			in := &b.Instrs[k]
			in.Operands(note)
			if in.Op == ir.OpStore || in.Op == ir.OpAtomicXchg {
				for _, s := range r.reg[in.B.Reg] {
					everywhere[s] = true
				}
			}
		}
		b.Term.Operands(note)
	}
	w := ways{cfg: c, before: make([]int32, n), after: make([]int32, n)}
	for i, next := range c.Succs {
		for _, to := range next {
			if int(to) <= i {
				w.back = append(w.back, edge{int32(i), to})
			}
		}
	}
	for _, s := range slots {
		if everywhere[s] {
			access[s] = access[s][:0]
			for i := range n {
				access[s] = append(access[s], int32(i))
			}
			continue
		}
		access[s] = w.between(access[s])
	}
	return access
}

// ways finds blocks that lie on a way between others.
type ways struct {
	cfg           *ir.CFG
	back          []edge  // from a block to one that does not come later in the order
	before, after []int32 // by block: the last search that found it
	search        int32
}

type edge struct{ from, to int32 }

// between returns, in order, the blocks that can be reached from one of the list,
// which is in order, and from which one can be reached.
func (w *ways) between(list []int32) []int32 {
	if len(list) == 0 || len(list) == 1 && len(w.back) == 0 {
		return list
	}
	w.search++
	// No way from the list leads before the first block, but by an edge back.
	first := list[0]
	for again := true; again; {
		again = false
		for _, e := range w.back {
			if e.from >= first && e.to < first {
				first, again = e.to, true
			}
		}
	}
	w.spread(w.before, list, w.cfg.Preds, func(b int32) bool { return b >= first })
	found := w.spread(w.after, list, w.cfg.Succs, func(b int32) bool { return w.before[b] == w.search })
	slices.Sort(found)
	return found
}

// spread returns a list of blocks with all that can be reached from it through
// blocks that are allowed, and marks them.
func (w *ways) spread(seen, from []int32, next [][]int32, allowed func(int32) bool) []int32 {
	var found []int32
	add := func(b int32) {
		if seen[b] != w.search && allowed(b) {
			seen[b] = w.search
			found = append(found, b)
		}
	}
	for _, b := range from {
		add(b)
	}
	for i := 0; i < len(found); i++ {
		for _, k := range next[found[i]] {
			add(k)
		}
	}
	return found
}
