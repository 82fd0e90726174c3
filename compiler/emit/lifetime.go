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
	// The slots that have a place and are alive: by block, but those that are alive in a
	// whole page of blocks by page. And by block those that are not in the one before it.
	n := len(r.f.Blocks)
	placed, pages, begun := make([][]int, n), make([][]int, n/page+1), make([][]int, n)
	met := make([]int, len(r.f.Slots)) // by slot: one more than the last that it was alive with
	var taken ir.Bits                  // 8 bytes each
	for _, s := range slots {
		// The first gap between the slots that are alive together with s: where the
		// two meet first, one of them begins.
		clear(taken)
		meet := func(others []int) {
			for _, o := range others {
				if met[o] != s+1 {
					met[o] = s + 1
					for w := offset[o] / 8; w < words(offset[o]+r.f.Slots[o].Size); w++ {
						taken.Set(w)
					}
				}
			}
		}
		for _, run := range alive[s] {
			meet(placed[run.first])
			meet(pages[run.first/page])
			for b := run.first + 1; b <= run.last; b++ {
				meet(begun[b])
			}
			begun[run.first] = append(begun[run.first], s)
			for b := run.first; b <= run.last; {
				if b%page == 0 && b+page-1 <= run.last {
					pages[b/page] = append(pages[b/page], s)
					b += page
					continue
				}
				placed[b] = append(placed[b], s)
				b++
			}
		}
		at, need := scratchHeader/8, words(r.f.Slots[s].Size)
		for w := at; w < at+need && w < 64*len(taken); w++ {
			if taken.Has(w) {
				at = w + 1
			}
		}
		for 64*len(taken) < at+need {
			taken = append(taken, 0)
		}
		at, need = 8*at, 8*need
		offset[s] = at
		size = max(size, at+need)
	}
	return size
}

// page is how many blocks are looked up as one.
const page = 64

// words is how many words of 8 bytes so many bytes take.
func words(bytes int) int { return (bytes + 7) / 8 }

// run is a stretch of blocks in their order.
type run struct{ first, last int32 }

// alive gives for each of the slots the blocks, in order, in which its content may matter:
// those with an access, and those that lie on a way from one access to another.
// A slot whose address is stored somewhere is alive everywhere.
func (r *reach) alive(slots []int) [][]run {
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
	w := newWays(c)
	alive := make([][]run, len(r.f.Slots))
	for _, s := range slots {
		if everywhere[s] {
			alive[s] = []run{{0, int32(n - 1)}}
			continue
		}
		alive[s] = w.between(access[s])
	}
	return alive
}

// ways finds blocks that lie on a way between others.
type ways struct {
	cfg           *ir.CFG
	before, after []int32 // by block: the last search that found it
	search        int32

	// By block, of the edges from a block to one that does not come later: the first
	// block to which those from it or from a later one lead, the last one from which some
	// lead to it or an earlier one, and how many lead to earlier ones than it.
	earliest, latest, loops []int32
}

func newWays(c *ir.CFG) *ways {
	n := len(c.Order)
	w := &ways{cfg: c, before: make([]int32, n), after: make([]int32, n),
		earliest: make([]int32, n), latest: make([]int32, n), loops: make([]int32, n+1)}
	for i := range n {
		w.earliest[i], w.latest[i] = int32(i), int32(i)
	}
	for i, next := range c.Succs {
		for _, to := range next {
			if int(to) <= i {
				w.earliest[i] = min(w.earliest[i], to)
				w.latest[to] = max(w.latest[to], int32(i))
				w.loops[to+1]++
			}
		}
	}
	for i := range n {
		w.loops[i+1] += w.loops[i]
		if i > 0 {
			w.latest[i] = max(w.latest[i], w.latest[i-1])
			w.earliest[n-1-i] = min(w.earliest[n-1-i], w.earliest[n-i])
		}
	}
	return w
}

// between returns, in order, the blocks that can be reached from one of the list,
// which is in order, and from which one can be reached.
func (w *ways) between(list []int32) (found []run) {
	if len(list) == 0 {
		return nil
	}
	w.search++
	// A way that leaves the stretch from the first of the list to the last of it comes
	// back by an edge back.
	first, last := list[0], list[len(list)-1]
	for w.earliest[first] < first || w.latest[last] > last {
		first, last = w.earliest[first], w.latest[last]
	}
	loops := w.loops[last+1] > w.loops[first]
	for _, b := range list {
		w.before[b], w.after[b] = w.search, w.search
	}
	// All neighbours in one direction were visited before, but for loops.
	for again := true; again; again = again && loops {
		again = false
		for b := first; b <= last; b++ {
			again = w.mark(w.before, b, w.cfg.Preds[b]) || again
		}
	}
	for again := true; again; again = again && loops {
		again = false
		for b := last; b >= first; b-- {
			again = w.before[b] == w.search && w.mark(w.after, b, w.cfg.Succs[b]) || again
		}
	}
	for b := first; b <= last; b++ {
		switch k := len(found) - 1; {
		case w.before[b] != w.search || w.after[b] != w.search:
		case k >= 0 && found[k].last == b-1:
			found[k].last = b
		default:
			found = append(found, run{b, b})
		}
	}
	return found
}

// mark notes a block as found if one of its neighbours was, and reports whether it
// was not before.
func (w *ways) mark(seen []int32, b int32, neighbours []int32) bool {
	if seen[b] == w.search {
		return false
	}
	for _, n := range neighbours {
		if seen[n] == w.search {
			seen[b] = w.search
			return true
		}
	}
	return false
}
