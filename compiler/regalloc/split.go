package regalloc

import (
	"math"
	"slices"
)

// split gives spill slots to registers and rewrites the code so that they live in
// short parts only.
func (a *Allocator) split(failed []Reg) {
	spilled := map[Reg]int{} // to its spill slot
	for _, r := range failed {
		h := a.regs[r].spillSlot
		if h < 0 {
			h = len(a.spillSlots)
			remat := -1
			if id, ok := a.in.Remat[r]; ok {
				remat = id
			}
			a.spillSlots = append(a.spillSlots, spillSlot{value: r, remat: remat})
		}
		spilled[r] = h
	}
	for b := range a.blocks {
		s := splitter{a: a, spilled: spilled, current: map[int]Reg{}}
		for i := range a.blocks[b] {
			s.instr(a.blocks[b][i])
		}
		a.blocks[b] = s.out
	}
}

type splitter struct {
	a       *Allocator
	spilled map[Reg]int
	current map[int]Reg // spill slot -> the part that holds its value now
	out     []code
}

func (s *splitter) instr(c code) {
	defSlot, defSpilled := s.spillSlotOf(c.def)
	if c.kind != Normal {
		s.moved(c, defSlot, defSpilled)
		return
	}
	if defSpilled && s.a.spillSlots[defSlot].remat >= 0 && len(c.uses) == 0 {
		return // the definition that is repeated before each use
	}
	if c.orig.Copy {
		h, ok := s.spillSlotOf(c.uses[0])
		t, has := s.current[h]
		switch {
		case defSpilled:
			if ok && !has {
				t = s.a.newReg(h, 2)
				s.load(h, code{id: -1, def: t})
			}
			if ok {
				c.uses[0] = t
			}
			c.kind, c.spillSlot, c.def = Spill, defSlot, None
			s.out = append(s.out, c)
			delete(s.current, defSlot)
			return
		case ok && !has:
			s.load(h, c)
			return
		}
	}
	gen := 1
	renamed := map[Reg]Reg{}
	for i, u := range c.uses {
		h, ok := s.spillSlotOf(u)
		if !ok {
			continue
		}
		if t, ok := renamed[u]; ok {
			c.uses[i] = t
			continue
		}
		short := s.a.regs[u].generation >= 1
		t, has := s.current[h]
		if !has || short {
			if short {
				gen = 2
			}
			t = s.a.newReg(h, 1+b2i(short))
			s.load(h, code{id: -1, def: t})
			if !short {
				s.current[h] = t
			}
		}
		renamed[u] = t
		c.uses[i] = t
	}
	if c.orig.Clobbers != 0 {
		clear(s.current)
	}
	if !defSpilled {
		s.out = append(s.out, c)
		return
	}
	// An instruction that reads and sets one register does so in the same
	// part: no later use may take the part for the value before it.
	t, tied := renamed[c.def]
	short := s.a.regs[c.def].generation >= 1
	if !tied {
		if short {
			gen = 2
		}
		t = s.a.newReg(defSlot, gen)
	}
	c.def = t
	s.out = append(s.out, c, code{kind: Spill, id: -1, def: None, uses: []Reg{t}, spillSlot: defSlot})
	delete(s.current, defSlot)
	if !short && s.a.regs[t].generation == 1 {
		s.current[defSlot] = t
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// moved rewrites a load or store that an earlier round added. If its register
// is a part of the very spill slot that it names, it goes away; otherwise it came from
// a copy between two values, both of which now have spill slots.
func (s *splitter) moved(c code, defSlot int, defSpilled bool) {
	switch {
	case c.kind == Spill:
		if h, ok := s.spillSlotOf(c.uses[0]); ok {
			if h == c.spillSlot {
				return
			}
			t := s.a.newReg(h, 2)
			s.load(h, code{id: -1, def: t})
			c.uses[0] = t
		}
		s.out = append(s.out, c)
	case defSpilled:
		if defSlot == c.spillSlot {
			return
		}
		t := s.a.newReg(defSlot, 2)
		c.def = t
		delete(s.current, defSlot)
		// The copy's meaning is complete with the store.
		orig, id := c.orig, c.id
		c.orig = nil
		if c.kind == Reload {
			c.id = -1
		}
		s.out = append(s.out, c, code{kind: Spill, id: id, def: None, uses: []Reg{t}, spillSlot: defSlot, orig: orig})
	default:
		s.out = append(s.out, c)
	}
}

// spillSlotOf returns the spill slot of r if it is being spilled.
func (s *splitter) spillSlotOf(r Reg) (int, bool) {
	if r < First {
		return -1, false
	}
	h, ok := s.spilled[r]
	return h, ok
}

// load makes c, which sets c.def, a load from a spill slot.
func (s *splitter) load(h int, c code) {
	c.kind, c.spillSlot, c.uses = Reload, h, nil
	if id := s.a.spillSlots[h].remat; id >= 0 {
		c.kind, c.id = Remat, id
	}
	s.out = append(s.out, c)
}

// colorSpillSlots gives slots to spill slots; those that are never alive together share.
func (a *Allocator) colorSpillSlots() (slot []int, n int) {
	nh := len(a.spillSlots)
	if nh == 0 {
		return nil, 0
	}
	slot = make([]int, nh)
	step := func(c *code, alive bitmap) {
		switch c.kind {
		case Spill:
			alive.clear(c.spillSlot)
		case Reload:
			alive.set(c.spillSlot, c.spillSlot+1)
		}
	}
	a.live.find(nh, a.preds, func(b int, read, set func(Reg)) {
		for i := range a.blocks[b] {
			switch c := &a.blocks[b][i]; c.kind {
			case Spill:
				set(Reg(c.spillSlot))
			case Reload:
				read(Reg(c.spillSlot))
			}
		}
	}, nil, math.MaxInt)
	alive := make(bitmap, nh/64+1)
	for b, list := range a.blocks {
		for _, h := range a.live.alive(b) {
			alive.set(int(h), int(h)+1)
		}
		for i := len(list) - 1; i >= 0; i-- {
			c := &list[i]
			c.dead = c.kind == Spill && !alive.has(c.spillSlot)
			step(c, alive)
		}
		for i := range list {
			if h := list[i].spillSlot; h >= 0 {
				alive.clear(h)
			}
		}
		for _, h := range a.live.alive(b) {
			alive.clear(int(h))
		}
		a.blocks[b] = slices.DeleteFunc(list, func(c code) bool { return c.dead })
	}
	// A spill slot clashes with those that are alive where it is set.
	clash := make([][]int32, nh)
	there := set{at: make([]int32, nh)}
	for b, list := range a.blocks {
		there.list = there.list[:0]
		for _, h := range a.live.alive(b) {
			there.add(int32(h))
		}
		for i := len(list) - 1; i >= 0; i-- {
			switch c := &list[i]; c.kind {
			case Spill:
				there.remove(int32(c.spillSlot))
				for _, h := range there.list {
					clash[h] = append(clash[h], int32(c.spillSlot))
					clash[c.spillSlot] = append(clash[c.spillSlot], h)
				}
			case Reload:
				there.add(int32(c.spillSlot))
			}
		}
	}
	var used []int // by slot: one more than the last spill slot that cannot have it
	for h := range nh {
		if a.spillSlots[h].remat >= 0 {
			slot[h] = -1
			continue
		}
		for _, k := range clash[h] {
			if int(k) < h && slot[k] >= 0 {
				used[slot[k]] = h + 1
			}
		}
		for slot[h] < n && used[slot[h]] == h+1 {
			slot[h]++
		}
		if slot[h] == n {
			n++
			used = append(used, 0)
		}
	}
	return slot, n
}

// set is a set of small numbers whose members can be listed.
type set struct {
	list []int32
	at   []int32 // by number: where it is in the list, if it is there
}

func (s *set) has(n int32) bool { return int(s.at[n]) < len(s.list) && s.list[s.at[n]] == n }

func (s *set) add(n int32) {
	if !s.has(n) {
		s.at[n] = int32(len(s.list))
		s.list = append(s.list, n)
	}
}

func (s *set) remove(n int32) {
	if s.has(n) {
		last := s.list[len(s.list)-1]
		s.list[s.at[n]], s.at[last] = last, s.at[n]
		s.list = s.list[:len(s.list)-1]
	}
}
