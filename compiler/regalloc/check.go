package regalloc

import "fmt"

// Check follows values through an allocated function and reports the first
// instruction that would read another value than the one it names. It relies
// on the input's instructions only.
func Check(f *Func, res *Result) error {
	c := &checker{f: f, in: make([]places, len(f.Blocks))}
	c.in[0] = places{}
	for p := Reg(0); p < NumPhys; p++ {
		c.in[0].put(int(p), p)
	}
	work := []int{0}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		state := c.in[b].clone()
		if err := c.block(state, b, res.Blocks[b], false); err != nil {
			return err
		}
		for _, s := range f.Blocks[b].Succs {
			if c.in[s] == nil {
				c.in[s] = state.clone()
			} else if !c.in[s].meet(state) {
				continue
			}
			work = append(work, s)
		}
	}
	for b := range res.Blocks {
		if c.in[b] == nil {
			continue
		}
		state := c.in[b].clone()
		if err := c.block(state, b, res.Blocks[b], true); err != nil {
			return err
		}
	}
	return nil
}

type checker struct {
	f  *Func
	in []places
}

// places tells for each place (machine registers, then slots) which values it
// holds.
type places map[int]map[Reg]bool

func (p places) clone() places {
	q := places{}
	for at, set := range p {
		n := make(map[Reg]bool, len(set))
		for r := range set {
			n[r] = true
		}
		q[at] = n
	}
	return q
}

// meet keeps what both have and reports whether that is less.
func (p places) meet(q places) bool {
	less := false
	for at, set := range p {
		for r := range set {
			if !q[at][r] {
				delete(set, r)
				less = true
			}
		}
	}
	return less
}

// put makes at hold r alone, and r be nowhere else.
func (p places) put(at int, r Reg) {
	p.forget(r)
	p[at] = map[Reg]bool{r: true}
}

func (p places) forget(r Reg) {
	for _, set := range p {
		delete(set, r)
	}
}

// move copies what one place holds to another.
func (p places) move(from, to int) {
	if from == to {
		return
	}
	n := map[Reg]bool{}
	for r := range p[from] {
		n[r] = true
	}
	p[to] = n
}

// block follows the values through a block. Instructions of the input that are
// missing may only be copies and definitions that are repeated elsewhere; what
// a missing copy sets is from then on nowhere.
func (c *checker) block(s places, b int, outs []Out, check bool) error {
	rest := c.f.Blocks[b].Instrs
	skip := func(until *Instr) error {
		for len(rest) > 0 && &rest[0] != until {
			_, again := c.f.Remat[rest[0].Def]
			if !rest[0].Copy && !again {
				return fmt.Errorf("regalloc: block %d: an instruction is missing", b)
			}
			if !again {
				s.forget(rest[0].Def)
			}
			rest = rest[1:]
		}
		return nil
	}
	for i := range outs {
		if orig := outs[i].orig; orig != nil {
			if err := skip(orig); err != nil {
				return err
			}
			if len(rest) == 0 {
				return fmt.Errorf("regalloc: block %d: instructions out of order", b)
			}
			rest = rest[1:]
		}
		if err := c.step(s, &outs[i], check); err != nil {
			return fmt.Errorf("regalloc: block %d, instruction %d: %w", b, i, err)
		}
	}
	return skip(nil)
}

func (c *checker) step(s places, o *Out, check bool) error {
	from, to := -1, -1
	if len(o.Uses) > 0 {
		from = int(o.Uses[0])
	}
	if o.Def != None {
		to = int(o.Def)
	}
	switch o.Kind {
	case Reload:
		from = NumPhys + o.Slot
	case Spill:
		to = NumPhys + o.Slot
	}
	if o.orig == nil {
		switch o.Kind {
		case Remat:
			s[to] = map[Reg]bool{o.value: true}
		default:
			s.move(from, to)
		}
		return nil
	}
	if o.orig.Copy {
		src, dst := o.orig.Uses[0], o.orig.Def
		if o.Kind == Remat {
			if o.value != src {
				return fmt.Errorf("a copy of v%d repeats v%d", src, o.value)
			}
			s[to] = map[Reg]bool{src: true}
		} else {
			if check && !s[from][src] {
				return fmt.Errorf("a copy reads v%d, which is not in place %d", src, from)
			}
			s.move(from, to)
		}
		s.forget(dst)
		s[to][dst] = true
		return nil
	}
	for i, u := range o.orig.Uses {
		if check && !s[int(o.Uses[i])][u] {
			return fmt.Errorf("v%d is not in r%d", u, o.Uses[i])
		}
	}
	for p := range NumPhys {
		if o.orig.Clobbers&(1<<p) != 0 {
			delete(s, p)
		}
	}
	if o.orig.Def != None {
		for i, u := range o.orig.Uses {
			if u == o.orig.Def && o.Uses[i] != o.Def {
				return fmt.Errorf("v%d is read in r%d and set in r%d", u, o.Uses[i], o.Def)
			}
		}
		s.put(to, o.orig.Def)
	}
	return nil
}
