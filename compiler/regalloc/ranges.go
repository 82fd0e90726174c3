package regalloc

import (
	"math"
	"math/bits"
	"sort"
)

// bitmap is a set of positions.
type bitmap []uint64

func newBitmap(n int) bitmap { return make(bitmap, n/64+1) }

func (b bitmap) set(from, to int) {
	for i := from; i < to; i++ {
		b[i/64] |= 1 << (i % 64)
	}
}

func (b bitmap) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

func (b bitmap) overlaps(segs []segment) bool {
	for _, s := range segs {
		for i := s.from; i < s.to; {
			if i%64 == 0 && s.to-i >= 64 {
				if b[i/64] != 0 {
					return true
				}
				i += 64
				continue
			}
			if b.has(i) {
				return true
			}
			i++
		}
	}
	return false
}

// live computes for each block which registers are alive at its end.
func live(n int, blocks int, succs func(int) []int, walk func(b int, alive bitmap)) []bitmap {
	in, out := make([]bitmap, blocks), make([]bitmap, blocks)
	for i := range in {
		in[i], out[i] = newBitmap(n), newBitmap(n)
	}
	for changed := true; changed; {
		changed = false
		for b := blocks - 1; b >= 0; b-- {
			for _, s := range succs(b) {
				for w := range out[b] {
					out[b][w] |= in[s][w]
				}
			}
			alive := append(bitmap(nil), out[b]...)
			walk(b, alive)
			for w := range alive {
				if alive[w] != in[b][w] {
					in[b], changed = alive, true
					break
				}
			}
		}
	}
	return out
}

func (b bitmap) clear(i int) { b[i/64] &^= 1 << (i % 64) }

// step moves alive from after c to before it.
func (c *code) step(alive bitmap) {
	if c.def != None {
		alive.clear(int(c.def))
	}
	for _, u := range c.uses {
		alive.set(int(u), int(u)+1)
	}
}

// liveness is what is alive at the end of each block. Most registers live
// within one block only; the sets have the others.
type liveness struct {
	far []Reg    // the registers that some block needs from another one
	out []bitmap // by block: indices of far
}

// liveOut computes the liveness.
func (a *allocator) liveOut() *liveness {
	l := &liveness{}
	index := make([]int, len(a.regs)) // in far, or -1
	defined := make([]int, len(a.regs))
	for r := range index {
		index[r], defined[r] = -1, -1
	}
	for b, list := range a.blocks {
		for i := range list {
			for _, u := range list[i].uses {
				if defined[u] != b && index[u] < 0 {
					index[u] = len(l.far)
					l.far = append(l.far, u)
				}
			}
			if d := list[i].def; d != None {
				defined[d] = b
			}
		}
	}
	l.out = live(len(l.far), len(a.blocks), func(b int) []int { return a.in.Blocks[b].Succs }, func(b int, alive bitmap) {
		list := a.blocks[b]
		for i := len(list) - 1; i >= 0; i-- {
			c := &list[i]
			if c.def != None && index[c.def] >= 0 {
				alive.clear(index[c.def])
			}
			for _, u := range c.uses {
				if n := index[u]; n >= 0 {
					alive.set(n, n+1)
				}
			}
		}
	})
	return l
}

// each calls f with the registers alive at the end of a block, in order.
func (l *liveness) each(block int, f func(Reg)) {
	for i, w := range l.out[block] {
		for ; w != 0; w &= w - 1 {
			f(l.far[i*64+bits.TrailingZeros64(w)])
		}
	}
}

// dropDeadCopies removes copies (and loads from homes) to registers that
// nothing reads.
func (a *allocator) dropDeadCopies() {
	for again := true; again; {
		again = false
		out, alive := a.liveOut(), newBitmap(len(a.regs))
		for b, list := range a.blocks {
			clear(alive)
			out.each(b, func(r Reg) { alive.set(int(r), int(r)+1) })
			kept := len(list)
			for i := len(list) - 1; i >= 0; i-- {
				c := &list[i]
				movable := c.kind == Reload || c.kind == Remat || c.kind == Normal && c.orig.Copy
				if movable && c.def >= First && !alive.has(int(c.def)) {
					c.dead = true
					kept--
					continue
				}
				c.step(alive)
			}
			if kept == len(list) {
				continue
			}
			again = true
			rest := make([]code, 0, kept)
			for _, c := range list {
				if !c.dead {
					rest = append(rest, c)
				}
			}
			a.blocks[b] = rest
		}
	}
}

// ranges computes the segments and weights of all registers.
func (a *allocator) ranges() {
	out := a.liveOut()
	a.start = a.start[:0]
	a.length = 0
	for _, list := range a.blocks {
		a.start = append(a.start, a.length)
		a.length += len(list)
	}
	for i := range a.regs {
		a.regs[i].segs, a.regs[i].weight = nil, 0
	}
	end := make([]int, len(a.regs)) // end of the open segment, or -1
	for i := range end {
		end[i] = -1
	}
	var open []Reg // registers that had an open segment in the present block
	begin := func(r Reg, at int) {
		if end[r] < 0 {
			open = append(open, r)
		}
		end[r] = at
	}
	// Blocks and instructions are walked backwards; segments come out last first.
	for b := len(a.blocks) - 1; b >= 0; b-- {
		list := a.blocks[b]
		from, to := 2*a.start[b], 2*(a.start[b]+len(list))
		out.each(b, func(r Reg) { begin(r, to) })
		cost := math.Pow(10, float64(min(a.in.Blocks[b].Depth, 6)))
		for i := len(list) - 1; i >= 0; i-- {
			c, at := &list[i], 2*(a.start[b]+i)
			if d := c.def; d != None {
				v := &a.regs[d]
				v.weight += cost
				if end[d] < 0 {
					end[d] = at + 2
				}
				v.add(at+1, end[d])
				end[d] = -1
			}
			for _, u := range c.uses {
				a.regs[u].weight += cost
				if end[u] < 0 {
					begin(u, at+1)
				}
			}
		}
		for _, r := range open {
			if end[r] >= 0 {
				a.regs[r].add(from, end[r])
				end[r] = -1
			}
		}
		open = open[:0]
	}
	for r := range a.regs {
		v := &a.regs[r]
		length := 0
		for i, j := 0, len(v.segs)-1; i < j; i, j = i+1, j-1 {
			v.segs[i], v.segs[j] = v.segs[j], v.segs[i]
		}
		for _, s := range v.segs {
			length += s.to - s.from
		}
		if length == 0 {
			continue
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

// add puts a segment in front of those that v has.
func (v *regInfo) add(from, to int) {
	if n := len(v.segs); n > 0 && v.segs[n-1].from <= to {
		v.segs[n-1].from = min(from, v.segs[n-1].from)
		return
	}
	v.segs = append(v.segs, segment{from, to})
}

// byWeight lists the virtual registers that live anywhere, the heaviest first.
func (a *allocator) byWeight() []Reg {
	var list []Reg
	for r := int(First); r < len(a.regs); r++ {
		if len(a.regs[r].segs) > 0 {
			list = append(list, Reg(r))
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return a.regs[list[i]].weight > a.regs[list[j]].weight })
	return list
}

// families joins the virtual registers that are connected by copies.
func (a *allocator) families() {
	for r := range a.regs {
		a.regs[r].family = Reg(r)
	}
	a.eachCopy(func(d, s Reg, _ float64) {
		if d >= First && s >= First {
			d, s = a.family(d), a.family(s)
			a.regs[max(d, s)].family = min(d, s)
		}
	})
	for r := range a.regs {
		a.regs[r].family = a.family(Reg(r))
	}
}

func (a *allocator) family(r Reg) Reg {
	for a.regs[r].family != r {
		r = a.regs[r].family
	}
	return r
}

func (a *allocator) eachCopy(f func(d, s Reg, cost float64)) {
	for b, list := range a.blocks {
		cost := math.Pow(10, float64(min(a.in.Blocks[b].Depth, 6)))
		for i := range list {
			if c := &list[i]; c.kind == Normal && c.orig.Copy {
				f(c.def, c.uses[0], cost)
			}
		}
	}
}

// wishes tells how much is gained by giving a register a machine register:
// most by what its own copies want, then by its neighbours' place, a little by
// what others of the family want.
type wishes struct {
	own, family [][NumPhys]float64
	near        map[Reg][]neighbour
}

// neighbour is the other side of a copy.
type neighbour struct {
	reg  Reg
	cost float64
}

func (a *allocator) newWishes() *wishes {
	n := len(a.regs)
	w := &wishes{own: make([][NumPhys]float64, n), family: make([][NumPhys]float64, n), near: map[Reg][]neighbour{}}
	add := func(v, p Reg, cost float64) {
		w.own[v][p] += cost
		w.family[a.regs[v].family][p] += cost
	}
	a.eachCopy(func(d, s Reg, cost float64) {
		switch {
		case d < First && s >= First:
			add(s, d, cost)
		case s < First && d >= First:
			add(d, s, cost)
		case d >= First && s >= First:
			w.near[d] = append(w.near[d], neighbour{s, cost})
			w.near[s] = append(w.near[s], neighbour{d, cost})
		}
	})
	return w
}

// scores rates the machine registers for v.
func (w *wishes) scores(a *allocator, v Reg) (score [NumPhys]float64) {
	for p := range score {
		score[p] = w.own[v][p] + 1e-4*w.family[a.regs[v].family][p]
	}
	for _, n := range w.near[v] {
		if p := a.regs[n.reg].assigned; p != None {
			score[p] += n.cost
			continue
		}
		for p := range score {
			score[p] += 1e-2 * min(n.cost, w.own[n.reg][p])
		}
	}
	return score
}
