package regalloc

// families joins the virtual registers that are connected by copies.
func (a *Allocator) families() {
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

func (a *Allocator) family(r Reg) Reg {
	for a.regs[r].family != r {
		a.regs[r].family = a.regs[a.regs[r].family].family // halves the way for the next
		r = a.regs[r].family
	}
	return r
}

func (a *Allocator) eachCopy(f func(d, s Reg, cost float64)) {
	for b, list := range a.blocks {
		cost := a.in.Blocks[b].cost()
		for i := range list {
			if c := &list[i]; c.kind == Normal && c.orig.Copy {
				f(c.def, c.uses[0], cost)
			}
		}
	}
}

// hints tells how much is gained by giving a register a machine register:
// most by what its own copies want, then by its neighbours' place, a little by
// what others of the family want.
type hints struct {
	own, family []int32 // by register: its gains, by family: theirs; 0 is none
	gains       [][NumPhys]float64
	near        []int32 // by register: its first neighbour, or 0
	neighbours  []neighbour
}

// neighbour is the other side of a copy.
type neighbour struct {
	reg  Reg
	next int32
	cost float64
}

// reset finds the hints that copies give.
func (w *hints) reset(a *Allocator) {
	n := len(a.regs)
	w.own, w.family, w.near = zeroed(w.own, n), zeroed(w.family, n), zeroed(w.near, n)
	w.gains = append(w.gains[:0], [NumPhys]float64{})
	w.neighbours = append(w.neighbours[:0], neighbour{})
	meet := func(v, of Reg, cost float64) {
		w.neighbours = append(w.neighbours, neighbour{of, w.near[v], cost})
		w.near[v] = int32(len(w.neighbours) - 1)
	}
	a.eachCopy(func(d, s Reg, cost float64) {
		switch {
		case d < First && s >= First:
			w.add(&w.own[s], d, cost)
			w.add(&w.family[a.regs[s].family], d, cost)
		case s < First && d >= First:
			w.add(&w.own[d], s, cost)
			w.add(&w.family[a.regs[d].family], s, cost)
		case d >= First && s >= First:
			meet(d, s, cost)
			meet(s, d, cost)
		}
	})
}

// add makes gains of a register or family greater.
func (w *hints) add(gains *int32, p Reg, by float64) {
	if *gains == 0 {
		w.gains = append(w.gains, [NumPhys]float64{})
		*gains = int32(len(w.gains) - 1)
	}
	w.gains[*gains][p] += by
}

// given notes that a register was given.
func (w *hints) given(a *Allocator, v, p Reg) {
	if w.near[v] != 0 { // else it is the only one of its family
		w.add(&w.family[a.regs[v].family], p, 0.5)
	}
}

// scores rates the machine registers for v.
func (w *hints) scores(a *Allocator, v Reg) (score [NumPhys]float64) {
	own, family := &w.gains[w.own[v]], &w.gains[w.family[a.regs[v].family]]
	for p := range score {
		score[p] = own[p] + 1e-4*family[p]
	}
	for i := w.near[v]; i != 0; i = w.neighbours[i].next {
		n := &w.neighbours[i]
		if p := a.regs[n.reg].assigned; p != None {
			score[p] += n.cost
			continue
		}
		if its := w.own[n.reg]; its != 0 {
			for p := range score {
				score[p] += 1e-2 * min(n.cost, w.gains[its][p])
			}
		}
	}
	return score
}
