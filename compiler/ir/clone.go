package ir

import "slices"

// Clone returns a deep copy of p.
func (p *Program) Clone() *Program {
	q := &Program{Name: p.Name, Maps: p.Maps}
	for _, f := range p.Funcs {
		q.Funcs = append(q.Funcs, f.Clone())
	}
	return q
}

// Clone returns a deep copy of f.
func (f *Func) Clone() *Func {
	g := &Func{Name: f.Name, Params: append([]Reg(nil), f.Params...), Slots: append([]Slot(nil), f.Slots...), Failed: f.Failed, Aliased: f.Aliased, Members: slices.Clip(f.Members), NumRegs: f.NumRegs}
	to := make(map[*Block]*Block, len(f.Blocks))
	for _, b := range f.Blocks {
		c := &Block{ID: b.ID, Instrs: append([]Instr(nil), b.Instrs...), Term: b.Term}
		for i := range c.Instrs {
			c.Instrs[i].Args = append([]Operand(nil), c.Instrs[i].Args...)
		}
		to[b] = c
		g.Blocks = append(g.Blocks, c)
	}
	for _, c := range g.Blocks {
		c.Term.Then, c.Term.Else = to[c.Term.Then], to[c.Term.Else]
	}
	return g
}

// Number makes the IDs of the blocks their places in f.Blocks.
func (f *Func) Number() {
	for i, b := range f.Blocks {
		b.ID = i
	}
}

// Defs counts for each register how often it is assigned; parameters are
// assigned once on entry.
func (f *Func) Defs() []int32 { return f.CountDefs(nil) }

// CountDefs is Defs in the memory of n.
func (f *Func) CountDefs(n []int32) []int32 {
	n = resize(n, f.NumRegs)
	clear(n)
	for _, r := range f.Params {
		n[r]++
	}
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			in := &b.Instrs[i]
			if in.Dst != 0 {
				n[in.Dst]++
			}
			if in.Bit != 0 {
				n[f.Failed]++
			}
		}
	}
	return n
}

// Link makes the indexes of maps, which Parse gives by the order in which it sees their
// names, those of a list of the names.
func (p *Program) Link(maps []string) {
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				if in := &b.Instrs[i]; shapes[in.Op].mapped {
					in.Map = int32(slices.Index(maps, p.Maps[in.Map]))
				}
			}
		}
	}
	p.Maps = maps
}
