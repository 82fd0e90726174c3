package emit

import "fst/compiler/ir"

// Values that find no room. A value without a register has a spill slot on the stack;
// if there are too many even for that, those that are kept for long live in
// scratch memory: they are stored when they are set and loaded where they are
// used.
//
// Of what it loads from a map the verifier knows nothing: whatever is used as a
// pointer, and numbers on whose bounds it relies, must not go there.

// evict returns f with the values in memory that are kept over at least so many
// instructions, or nil if there are none.
func evict(f *ir.Func, least int) *ir.Func {
	known := needKnown(f)
	first, last := make([]int, f.NumRegs), make([]int, f.NumRegs)
	at, defs := 1, f.Defs()
	seen := func(r ir.Reg) {
		if first[r] == 0 {
			first[r] = at
		}
		last[r] = at
	}
	again := make([]bool, f.NumRegs) // made anew at each use
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			in := &b.Instrs[i]
			in.Operands(func(o *ir.Operand) { seen(o.Reg) })
			seen(in.Dst)
			again[in.Dst] = in.Op == ir.OpConst && defs[in.Dst] == 1
			at++
		}
		b.Term.Operands(func(o *ir.Operand) { seen(o.Reg) })
		at++
	}
	f = f.Clone()
	spillSlot := make([]int32, len(known)) // slot + 1
	found := false
	for r := ir.Reg(1); int(r) < len(known); r++ {
		if !known[r] && !again[r] && last[r]-first[r] >= least {
			slot := f.NewSlot("evicted", 8, 8)
			f.Slots[slot].Far = true
			spillSlot[r], found = slot+1, true
		}
	}
	if !found {
		return nil
	}
	for _, b := range f.Blocks {
		var out []ir.Instr
		sp := b.Term.Span
		address := func(r ir.Reg) ir.Operand {
			a := f.NewReg()
			out = append(out, ir.Instr{Op: ir.OpSlotAddr, Dst: a, Slot: spillSlot[r] - 1, Span: sp})
			return ir.R(a)
		}
		load := func(o *ir.Operand) {
			if o.Reg == 0 || spillSlot[o.Reg] == 0 {
				return
			}
			a, v := address(o.Reg), f.NewReg()
			out = append(out, ir.Instr{Op: ir.OpLoad, Dst: v, A: a, Size: 8, Span: sp})
			*o = ir.R(v)
		}
		for _, in := range b.Instrs {
			sp = in.Span
			in.Operands(load)
			if in.Dst == 0 || spillSlot[in.Dst] == 0 {
				out = append(out, in)
				continue
			}
			r := in.Dst
			in.Dst = f.NewReg()
			out = append(out, in)
			out = append(out, ir.Instr{Op: ir.OpStore, A: address(r), B: ir.R(in.Dst), Size: 8, Span: sp})
		}
		sp = b.Term.Span
		b.Term.Operands(load)
		b.Instrs = out
	}
	return f
}

// numbers tells for each register whether it certainly holds nothing but numbers.
func numbers(f *ir.Func) []bool {
	number := make([]bool, f.NumRegs)
	for r := range number {
		number[r] = r > 0
	}
	for _, p := range f.Params {
		number[p] = false
	}
	is := func(o ir.Operand) bool { return o.IsImm() || number[o.Reg] }
	made := func(in *ir.Instr) bool { // a number, as far as is known
		switch in.Op {
		case ir.OpAdd, ir.OpSub, ir.OpCopy:
			return is(in.A) && is(in.B)
		case ir.OpLoad:
			// Of the context even a narrow field may be a pointer.
			return in.Size < 8 && (len(f.Params) == 0 || in.A.Reg != f.Params[0])
		case ir.OpCall:
			return in.Does(ir.Number)
		case ir.OpMapPtr, ir.OpMapValue, ir.OpSlotAddr, ir.OpFuncAddr:
			return false
		}
		return true
	}
	untilQuiet(f, forwards, func(in *ir.Instr) bool {
		if in.Dst == 0 || !number[in.Dst] || made(in) {
			return false
		}
		number[in.Dst] = false
		return true
	})
	return number
}

// needKnown tells of which registers the verifier must know more than that they
// hold some number: addresses, arguments of helpers, what may be a pointer and is
// kept somewhere to be used later, and all that those are made of.
func needKnown(f *ir.Func) []bool {
	number, known := numbers(f), make([]bool, f.NumRegs)
	for _, p := range f.Params {
		known[p] = true
	}
	untilQuiet(f, backwards, func(in *ir.Instr) (changed bool) {
		need := func(o ir.Operand) {
			if o.Reg != 0 && !known[o.Reg] {
				known[o.Reg], changed = true, true
			}
		}
		switch {
		case in.Op.IsMemory():
			need(in.A)
			if !number[in.B.Reg] {
				need(in.B)
			}
		case in.Op == ir.OpCall:
			for i, a := range in.Args {
				if i != 2 || !in.Does(ir.AnyAddress) {
					need(a)
				}
			}
		case in.Dst != 0 && known[in.Dst]:
			in.Operands(func(o *ir.Operand) { need(*o) })
		}
		return changed
	})
	return known
}

// What is found follows values from where they are made, or from where they are used:
// in that order one visit finds all but what goes round in loops.
const (
	forwards  = false
	backwards = true
)

// untilQuiet visits the instructions of f until that changes nothing.
func untilQuiet(f *ir.Func, back bool, visit func(in *ir.Instr) bool) {
	at := func(i, n int) int {
		if back {
			return n - 1 - i
		}
		return i
	}
	for changed := true; changed; {
		changed = false
		for i := range f.Blocks {
			b := f.Blocks[at(i, len(f.Blocks))]
			for k := range b.Instrs {
				changed = visit(&b.Instrs[at(k, len(b.Instrs))]) || changed
			}
		}
	}
}
