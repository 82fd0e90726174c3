package regalloc

import (
	"cmp"
	"math"
	"slices"
)

// bitmap is a set of positions.
type bitmap []uint64

// mask has the bits of word w that lie in [from, to).
func mask(w, from, to int) uint64 {
	m := ^uint64(0)
	if w == from/64 {
		m <<= from % 64
	}
	if w == to/64 {
		m &= 1<<(to%64) - 1
	}
	return m
}

func (b bitmap) set(from, to int) {
	for w := from / 64; w*64 < to; w++ {
		b[w] |= mask(w, from, to)
	}
}

func (b bitmap) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bitmap) clear(i int)    { b[i/64] &^= 1 << (i % 64) }

// meets reports whether any of [from, to) is in the set.
func (b bitmap) meets(from, to int) bool {
	for w := from / 64; w*64 < to; w++ {
		if b[w]&mask(w, from, to) != 0 {
			return true
		}
	}
	return false
}

// segment is a part [from, to) of a range, and where the next part is in
// Allocator.segs. 0 is none.
type segment struct {
	from, to int32
	next     int32
}

// isFree reports whether a range lies outside of what is taken.
func (a *Allocator) isFree(taken bitmap, first int32) bool {
	for i := first; i != 0; i = a.segs[i].next {
		if s := &a.segs[i]; taken.meets(int(s.from), int(s.to)) {
			return false
		}
	}
	return true
}

// take adds a range to what is taken.
func (a *Allocator) take(taken bitmap, first int32) {
	for i := first; i != 0; i = a.segs[i].next {
		s := &a.segs[i]
		taken.set(int(s.from), int(s.to))
	}
}

// step moves alive from after c to before it, and returns how many more of the
// values that are kept are alive there.
func (c *code) step(alive bitmap, kept []bool) (more int) {
	if d := c.def; d != None {
		if alive.has(int(d)) {
			more -= b2i(kept[d])
		}
		alive.clear(int(d))
	}
	for _, u := range c.uses {
		if !alive.has(int(u)) {
			more += b2i(kept[u])
		}
		alive.set(int(u), int(u)+1)
	}
	return more
}

// room is how many values can be kept at one time.
func (a *Allocator) room() int {
	if a.in.MaxSpillSlots == 0 {
		return math.MaxInt
	}
	return a.in.MaxSpillSlots + NumPhys
}

// isKept reports whether r takes a register or a spill slot wherever it is alive.
func (a *Allocator) isKept(r Reg) bool {
	if r < First {
		return false
	}
	_, again := a.in.Remat[a.origin(r)]
	return !again
}

// findLive computes which registers are alive at the end of each block, or some
// block at whose end there are too many.
func (a *Allocator) findLive() {
	a.live.find(len(a.regs), a.preds, func(b int, read, set func(Reg)) {
		for i := range a.blocks[b] {
			c := &a.blocks[b][i]
			for _, u := range c.uses {
				read(u)
			}
			if c.def != None {
				set(c.def)
			}
		}
	}, a.kept, a.room())
	a.crowd = a.live.crowd
}

// dropDeadCopies removes copies (and loads from spill slots) to registers that
// nothing reads, and leaves the liveness of the rest behind.
func (a *Allocator) dropDeadCopies() {
	a.kept = resize(a.kept, len(a.regs))
	for r := range a.kept {
		a.kept[r] = a.isKept(Reg(r))
	}
	for again := true; again; {
		again = false
		a.findLive()
		if a.crowd > a.room() {
			return
		}
		a.alive = zeroed(a.alive, len(a.regs)/64+1)
		alive := a.alive
		for b, list := range a.blocks {
			count := 0 // of the values that are kept
			for _, r := range a.live.alive(b) {
				alive.set(int(r), int(r)+1)
				count += b2i(a.kept[r])
			}
			kept := len(list)
			for i := len(list) - 1; i >= 0; i-- {
				c := &list[i]
				movable := c.kind == Reload || c.kind == Remat || c.kind == Normal && c.orig.Copy
				if movable && c.def >= First && !alive.has(int(c.def)) {
					c.dead = true
					kept--
					continue
				}
				count += c.step(alive, a.kept)
				a.crowd = max(a.crowd, count)
			}
			for i := range list { // all that may still be in the set
				if d := list[i].def; d != None {
					alive.clear(int(d))
				}
				for _, u := range list[i].uses {
					alive.clear(int(u))
				}
			}
			for _, r := range a.live.alive(b) {
				alive.clear(int(r))
			}
			if kept < len(list) {
				again = true
				a.blocks[b] = slices.DeleteFunc(list, func(c code) bool { return c.dead })
			}
		}
	}
}

// powers are what a use in so many loops counts.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6}

func (b *Block) cost() float64 { return powers[min(b.Depth, len(powers)-1)] }

// ranges computes the segments and weights of all registers from the liveness.
func (a *Allocator) ranges() {
	a.start = a.start[:0]
	a.length = 0
	for _, list := range a.blocks {
		a.start = append(a.start, a.length)
		a.length += len(list)
	}
	for i := range a.regs {
		a.regs[i].first, a.regs[i].weight = 0, 0
	}
	a.segs = append(a.segs[:0], segment{})
	a.end = zeroed(a.end, len(a.regs)) // end of the open segment, or 0
	end, open := a.end, a.open[:0]     // open: registers that had an open segment in the present block
	begin := func(r Reg, at int) {
		if end[r] == 0 {
			open = append(open, r)
		}
		end[r] = int32(at)
	}
	// Blocks and instructions are walked backwards; segments come out last first.
	for b := len(a.blocks) - 1; b >= 0; b-- {
		list := a.blocks[b]
		from, to := 2*a.start[b], 2*(a.start[b]+len(list))
		if to > from {
			for _, r := range a.live.alive(b) {
				begin(r, to)
			}
		}
		cost := a.in.Blocks[b].cost()
		for i := len(list) - 1; i >= 0; i-- {
			c, at := &list[i], 2*(a.start[b]+i)
			if d := c.def; d != None {
				a.regs[d].weight += cost
				if end[d] == 0 {
					end[d] = int32(at) + 2
				}
				a.add(d, at+1, int(end[d]))
				end[d] = 0
			}
			for _, u := range c.uses {
				a.regs[u].weight += cost
				if end[u] == 0 {
					begin(u, at+1)
				}
			}
		}
		for _, r := range open {
			if end[r] != 0 {
				a.add(r, from, int(end[r]))
				end[r] = 0
			}
		}
		open = open[:0]
	}
	a.open = open
	for r := range a.regs {
		v := &a.regs[r]
		if v.first == 0 {
			continue
		}
		length := int32(0)
		for i := v.first; i != 0; i = a.segs[i].next {
			length += a.segs[i].to - a.segs[i].from
		}
		v.weight /= float64(length)
		if _, ok := a.in.Remat[Reg(r)]; ok {
			v.weight /= 4
		}
		switch v.generation {
		case 1:
			v.weight *= 2
		case 2:
			v.weight = math.Inf(1)
		}
	}
}

// add puts a segment in front of those that r has.
func (a *Allocator) add(r Reg, from, to int) {
	v := &a.regs[r]
	if s := &a.segs[v.first]; v.first != 0 && int(s.from) <= to {
		s.from = min(int32(from), s.from)
		return
	}
	a.segs = append(a.segs, segment{int32(from), int32(to), v.first})
	v.first = int32(len(a.segs) - 1)
}

// byWeight lists the virtual registers that live anywhere, the heaviest first.
func (a *Allocator) byWeight() []Reg {
	list := a.order[:0]
	for r := int(First); r < len(a.regs); r++ {
		if a.regs[r].first != 0 {
			list = append(list, Reg(r))
		}
	}
	slices.SortFunc(list, func(v, w Reg) int {
		if c := cmp.Compare(a.regs[w].weight, a.regs[v].weight); c != 0 {
			return c
		}
		return cmp.Compare(v, w)
	})
	a.order = list
	return list
}
