package emit

import (
	"slices"
	"sort"

	"fst/compiler/ir"
)

// stackArgs are the arguments (from 0) that helpers take on the stack only: the
// contexts of the callbacks of bpf_for_each_map_elem, bpf_find_vma and bpf_loop.
var stackArgs = map[int32]int{164: 2, 180: 3, 181: 2}

// reach knows which registers of a function may point into which slots.
type reach struct {
	f   *ir.Func
	reg []map[int32]bool // by register
}

func newReach(f *ir.Func) *reach {
	r := &reach{f: f, reg: make([]map[int32]bool, f.NumRegs)}
	for changed := true; changed; {
		changed = false
		note := func(reg ir.Reg, slot int32) {
			if r.reg[reg] == nil {
				r.reg[reg] = map[int32]bool{}
			}
			if !r.reg[reg][slot] {
				r.reg[reg][slot], changed = true, true
			}
		}
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				in := &b.Instrs[i]
				switch in.Op {
				case ir.OpSlotAddr:
					note(in.Dst, in.Slot)
				case ir.OpCopy, ir.OpAdd, ir.OpSub:
					for _, o := range []ir.Operand{in.A, in.B} {
						for s := range r.reg[o.Reg] {
							note(in.Dst, s)
						}
					}
				}
			}
		}
	}
	return r
}

// pinned tells which slots must be on the stack.
func (r *reach) pinned() []bool {
	pinned := make([]bool, len(r.f.Slots))
	for _, b := range r.f.Blocks {
		for i := range b.Instrs {
			in := &b.Instrs[i]
			if n, ok := stackArgs[in.Helper]; in.Op == ir.OpCall && ok && n < len(in.Args) {
				for s := range r.reg[in.Args[n].Reg] {
					pinned[s] = true
				}
			}
		}
	}
	return pinned
}

// share lays slots out in scratch memory, writes where each is to offset, and
// returns the size. Slots that are not in use at the same time share memory.
func (r *reach) share(slots []int, offset []int) int {
	alive := r.alive(slots)
	slots = slices.Clone(slots)
	sort.SliceStable(slots, func(i, j int) bool { return r.f.Slots[slots[i]].Size > r.f.Slots[slots[j]].Size })
	size := scratchHeader
	for n, s := range slots {
		// The first gap between the slots that are alive together with s.
		type span struct{ start, end int }
		var taken []span
		for _, o := range slots[:n] {
			if overlap(alive[s], alive[o]) {
				taken = append(taken, span{offset[o], offset[o] + (r.f.Slots[o].Size+7)&^7})
			}
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

// alive gives for each of the slots the blocks in which its content may matter:
// those with an access, and those that lie on a way from one access to another.
// A slot whose address is stored somewhere is alive everywhere.
func (r *reach) alive(slots []int) map[int]ir.Bits {
	c := ir.NewCFG(r.f)
	n := len(c.Order)
	access := map[int]ir.Bits{}
	for _, s := range slots {
		access[s] = ir.NewBits(n)
	}
	for i, b := range c.Order {
		note := func(o *ir.Operand) {
			for s := range r.reg[o.Reg] {
				if bits, ok := access[int(s)]; ok {
					bits.Set(i)
				}
			}
		}
		for k := range b.Instrs {
			in := &b.Instrs[k]
			in.Operands(note)
			if in.Op == ir.OpStore || in.Op == ir.OpAtomicXchg {
				for s := range r.reg[in.B.Reg] {
					if bits, ok := access[int(s)]; ok {
						bits.Fill()
					}
				}
			}
		}
		b.Term.Operands(note)
	}
	alive := map[int]ir.Bits{}
	for _, s := range slots {
		after, before := spread(access[s], c.Succs), spread(access[s], c.Preds)
		after.And(before)
		alive[s] = after
	}
	return alive
}

// spread is a set of blocks with all that can be reached from it.
func spread(from ir.Bits, next [][]int32) ir.Bits {
	seen := from.Clone()
	var work []int32
	for i := range next {
		if seen.Has(i) {
			work = append(work, int32(i))
		}
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		for _, k := range next[i] {
			if !seen.Has(int(k)) {
				seen.Set(int(k))
				work = append(work, k)
			}
		}
	}
	return seen
}

func overlap(a, b ir.Bits) bool {
	for i := range a {
		if a[i]&b[i] != 0 {
			return true
		}
	}
	return false
}
