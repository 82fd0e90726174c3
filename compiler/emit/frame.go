package emit

import (
	"fmt"
	"sort"

	"fst/compiler/ir"
	"fst/compiler/object"
)

// Scratch memory. What does not fit on the stack is a part of a value of a
// per-CPU map, or, where that is too small, of an array whose elements are
// numbered by CPU. A program can be interrupted by another one on its CPU (a kprobe
// within a tracepoint's program, an NMI), so the map has Nest values, each
// with a flag that says that it is in use:
//
//	struct { u64 busy; u64 unused; u8 bytes[]; }
//
// The code that takes a value is inserted as IR where all uses are dominated by
// it, outside of loops; the value is given back where the dominated part of
// the program is left. Without atomic exchange the flag is read and
// set by two instructions: whoever interrupts in between takes the same value,
// but gives it back before returning, so nothing is shared.
const scratchHeader = 16

// largeSlot is the size from which a slot goes to scratch memory, if not all
// slots fit on the stack (or one must not be there).
const largeSlot = 128

// placement says where the slots of a function are.
type placement struct {
	onStack     []bool
	order       []int // slots on the stack, the nearest to r10 first
	scratchSize int
}

// placeSlots decides where slots live, given the bytes of stack for them. If
// some live in scratch memory, it returns f rewritten for that, else f.
func (e *emitter) placeSlots(f *ir.Func, limit int) (*placement, *ir.Func, error) {
	p := &placement{onStack: make([]bool, len(f.Slots))}
	if len(f.Slots) == 0 {
		return p, f, nil
	}
	uses := make([]int, len(f.Slots))
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if in := &b.Instrs[i]; in.Op == ir.OpSlotAddr {
				uses[in.Slot]++
			}
		}
	}
	for s := range f.Slots {
		if uses[s] > 0 {
			p.order = append(p.order, s)
		}
	}
	sort.SliceStable(p.order, func(i, j int) bool {
		a, b := p.order[i], p.order[j]
		if near := f.Slots[a].Near; near != f.Slots[b].Near {
			return near
		}
		return uses[a] > uses[b]
	})
	all, far := 0, false
	for _, s := range p.order {
		all = place(all, f.Slots[s])
		far = far || f.Slots[s].Far
	}
	if all <= limit && !far {
		for _, s := range p.order {
			p.onStack[s] = true
		}
		return p, f, nil
	}
	if e.o.Scratch < 0 {
		return nil, nil, fmt.Errorf("%d bytes of local memory do not fit on the stack (%d)", all, limit)
	}
	used := 8 // the key
	offset := make([]int, len(f.Slots))
	var near, away []int
	for _, s := range p.order {
		slot := f.Slots[s]
		end := place(used, slot)
		if slot.Near && end > limit {
			return nil, nil, &Limit{Message: fmt.Sprintf("the loops of this clause share too many variables: they take %d bytes, and the kernel's stack has %d for them", slot.Size, limit),
				Hint: "keep what a loop adds up in a @map"}
		}
		if (slot.Size <= largeSlot || slot.Near) && end <= limit && !slot.Far {
			used = end
			p.onStack[s] = true
			near = append(near, s)
			continue
		}
		away = append(away, s)
	}
	p.scratchSize = newReach(f).share(away, offset)
	f = f.Clone()
	p.order = near
	key := f.NewSlot("scratch key", 4, 4)
	p.onStack = append(p.onStack, true)
	p.order = append(p.order, int(key))
	s := &scratch{o: e.o, large: p.scratchSize > object.MaxPerCPUValue, f: f, key: key, base: f.NewReg(), inScratch: func(slot int32) bool { return !p.onStack[slot] }}
	s.insert()
	s.rewrite(offset)
	return p, f, ir.Verify(&ir.Program{Name: e.p.Name, Funcs: append([]*ir.Func{f}, e.p.Funcs[1:]...)})
}

// place returns the stack in use after a slot was added.
func place(used int, s ir.Slot) int {
	return (used + s.Size + s.Align - 1) &^ (s.Align - 1)
}

// layoutStack gives spilled values and slots their offsets and returns the
// size of the frame.
func (d *draft) layoutStack(f *ir.Func, p *placement) int {
	used := 8 * d.alloc.NumSlots
	d.slotOffset = make([]int, len(f.Slots))
	for _, s := range p.order {
		used = place(used, f.Slots[s])
		d.slotOffset[s] = -used
	}
	return (used + 7) &^ 7
}

// scratch inserts the code that takes a scratch value and gives it back.
type scratch struct {
	o         Options
	large     bool // it is of Options.LargeScratch
	f         *ir.Func
	key       int32
	base      ir.Reg // the scratch value
	inScratch func(slot int32) bool
}

// needs reports whether in must come after the value was taken. What must be
// given back before the program may return (ring-buffer records, locks) is
// only taken afterwards, as taking the value may end the program.
func (s *scratch) needs(in *ir.Instr) bool {
	return in.Does(ir.Holds) || in.Op == ir.OpSlotAddr && s.inScratch(in.Slot)
}

func (s *scratch) insert() {
	c := ir.NewCFG(s.f)
	at := -1
	for i, b := range c.Order {
		for k := range b.Instrs {
			if s.needs(&b.Instrs[k]) {
				if at < 0 {
					at = i
				}
				at = c.Common(at, i)
				break
			}
		}
	}
	if at < 0 {
		return // only code that is never reached
	}
	for c.Depth[at] > 0 && at > 0 {
		at = int(c.IDom[at])
	}
	head := c.Order[at]
	if c.Depth[at] > 0 {
		// The entry itself is in a loop: a new entry goes before it.
		head = &ir.Block{Term: ir.Term{Kind: ir.TermJump, Then: s.f.Blocks[0]}}
		s.f.Blocks = append([]*ir.Block{head}, s.f.Blocks...)
	}
	n := 0
	for n < len(head.Instrs) && !s.needs(&head.Instrs[n]) {
		n++
	}
	held := s.f.NewBlock()
	held.Instrs = append(held.Instrs, head.Instrs[n:]...)
	held.Term = head.Term
	head.Instrs = head.Instrs[:n:n]
	s.take(head, held)
	s.release(held)
	s.f.Number()
}

// take makes head go to held with the scratch value taken.
func (s *scratch) take(head, held *ir.Block) {
	f := s.f
	b := head
	var cpu ir.Reg
	if s.large {
		cpu = s.f.NewReg()
		b.Instrs = append(b.Instrs, ir.Instr{Op: ir.OpCall, Dst: cpu, Helper: ir.HelperCPU})
	}
	for i := range Nest {
		try, next := f.NewBlock(), f.NewBlock()
		p := s.lookup(b, cpu, int64(i))
		b.Term = ir.Term{Kind: ir.TermBranch, Cond: ir.Eq, A: ir.R(p), B: ir.I(0), Then: next, Else: try}
		busy := f.NewReg()
		got := try
		if s.o.Atomics {
			one := ir.Instr{Op: ir.OpAtomicXchg, Dst: busy, A: ir.R(p), B: ir.I(1), Size: 8}
			try.Instrs = append(try.Instrs, one)
		} else {
			try.Instrs = append(try.Instrs, ir.Instr{Op: ir.OpLoad, Dst: busy, A: ir.R(p), Size: 8})
			got = f.NewBlock()
			got.Instrs = append(got.Instrs, ir.Instr{Op: ir.OpStore, A: ir.R(p), B: ir.I(1), Size: 8})
			got.Term = ir.Term{Kind: ir.TermJump, Then: held}
		}
		got.Instrs = append(got.Instrs, ir.Instr{Op: ir.OpCopy, Dst: s.base, A: ir.R(p)})
		then := held
		if got != try {
			then = got
		}
		try.Term = ir.Term{Kind: ir.TermBranch, Cond: ir.Ne, A: ir.R(busy), B: ir.I(0), Then: next, Else: then}
		b = next
	}
	if s.o.LossMap >= 0 {
		p := f.NewReg()
		b.Instrs = append(b.Instrs,
			ir.Instr{Op: ir.OpMapValue, Dst: p, Map: s.o.LossMap, Off: int32(8 * s.o.LossNested)},
			ir.Instr{Op: ir.OpAtomicAdd, A: ir.R(p), B: ir.I(1), Size: 8})
	}
	b.Term = ir.Term{Kind: ir.TermReturn, A: ir.I(0)}
}

// lookup appends to b a lookup of value i of the CPU, on which the program stays:
// the kernel does not migrate it.
func (s *scratch) lookup(b *ir.Block, cpu ir.Reg, i int64) ir.Reg {
	m, index := s.o.Scratch, ir.I(i)
	if s.large {
		m = s.o.LargeScratch
		first, sum := s.f.NewReg(), s.f.NewReg()
		b.Instrs = append(b.Instrs,
			ir.Instr{Op: ir.OpMul, Dst: first, A: ir.R(cpu), B: ir.I(Nest)},
			ir.Instr{Op: ir.OpAdd, Dst: sum, A: ir.R(first), B: ir.I(i)})
		index = ir.R(sum)
	}
	key, ptr, p := s.f.NewReg(), s.f.NewReg(), s.f.NewReg()
	b.Instrs = append(b.Instrs,
		ir.Instr{Op: ir.OpSlotAddr, Dst: key, Slot: s.key},
		ir.Instr{Op: ir.OpStore, A: ir.R(key), B: index, Size: 4},
		ir.Instr{Op: ir.OpMapPtr, Dst: ptr, Map: m},
		ir.Instr{Op: ir.OpCall, Dst: p, Helper: ir.HelperMapLookup, Args: []ir.Operand{ir.R(ptr), ir.R(key)}})
	return p
}

// release gives the value back wherever the part dominated by held ends.
func (s *scratch) release(held *ir.Block) {
	c := ir.NewCFG(s.f)
	h := c.Index(held)
	give := ir.Instr{Op: ir.OpStore, A: ir.R(s.base), B: ir.I(0), Size: 8}
	for i, b := range c.Order {
		if !c.Dominates(h, i) {
			continue
		}
		if b.Term.Kind == ir.TermReturn {
			b.Instrs = append(b.Instrs, give)
			continue
		}
		leave := func(to **ir.Block) {
			if *to == nil || c.Dominates(h, c.Index(*to)) {
				return
			}
			out := s.f.NewBlock()
			out.Instrs = []ir.Instr{give}
			out.Term = ir.Term{Kind: ir.TermJump, Then: *to, Span: b.Term.Span}
			*to = out
		}
		leave(&b.Term.Then)
		if b.Term.Kind == ir.TermBranch {
			leave(&b.Term.Else)
		}
	}
}

// rewrite makes addresses of slots in scratch memory relative to the value.
// Where such an address is only used to load and store, the offset is folded.
func (s *scratch) rewrite(offset []int) {
	defs := s.f.Defs()
	at := map[ir.Reg]int32{}
	for _, b := range s.f.Blocks {
		for i := range b.Instrs {
			in := &b.Instrs[i]
			if in.Op != ir.OpSlotAddr || !s.inScratch(in.Slot) {
				continue
			}
			off := int32(offset[in.Slot]) + in.Off
			if defs[in.Dst] == 1 {
				at[in.Dst] = off
			}
			*in = ir.Instr{Op: ir.OpAdd, Dst: in.Dst, A: ir.R(s.base), B: ir.I(int64(off)), Span: in.Span}
		}
	}
	used := make([]bool, s.f.NumRegs)
	for _, b := range s.f.Blocks {
		for i := range b.Instrs {
			in := &b.Instrs[i]
			if off, ok := at[in.A.Reg]; ok && in.Op.IsMemory() {
				if sum := in.Off + off; sum == int32(int16(sum)) {
					in.A, in.Off = ir.R(s.base), sum
				}
			}
			in.Operands(func(o *ir.Operand) { used[o.Reg] = true })
		}
		b.Term.Operands(func(o *ir.Operand) { used[o.Reg] = true })
	}
	for _, b := range s.f.Blocks {
		kept := b.Instrs[:0]
		for _, in := range b.Instrs {
			if _, folded := at[in.Dst]; folded && !used[in.Dst] {
				continue
			}
			kept = append(kept, in)
		}
		b.Instrs = kept
	}
}
