// Package regalloc gives machine registers to the values of a function.
//
// # What it sees
//
// A function is a list of blocks in the order in which they will be laid out.
// An instruction is known only by what it reads, what it sets and what it
// destroys; its meaning stays with the caller, who finds it again by Instr.ID.
// The registers 0 to 9 are the machine's (r10, the frame, never appears); from
// First on they are virtual and unlimited. Demands on registers are made by
// copies: the arguments of a call are copied to 1..5 right before it, its
// result is copied from 0 right after, and the call's Clobbers are 0..5. A
// two-operand instruction reads and sets the same virtual register.
//
// # How it works
//
// Greedy assignment over exact live ranges, repeated until nothing is left
// over. A round computes liveness by blocks, then the ranges of each virtual
// register as segments over instruction positions (2n: instruction n reads,
// 2n+1: it sets), so that a register which dies in an instruction can be the one
// it sets, and a range has holes where the value is dead. Each machine
// register has a bitmap of the positions at which it is taken; the fixed
// registers' own ranges and the clobbers of calls are in it from the start.
// That is all the call awareness there is: a value that lives across a call
// overlaps r0..r5's clobbered positions and can only get r6..r9.
//
// Registers are given in the order of weight: uses, each counting ten times as
// much for every loop around it, divided by the length of the range. Ties are
// broken by number, so the result depends on nothing but the input. Among the
// free registers one is preferred that makes a copy vanish: copies join
// virtual registers in families, and a register that a relative has (or is,
// for an argument) comes first. Then r1..r5 and r0, and r6..r9 last, which are the
// scarce ones.
//
// What gets no register is spilled and the round repeated. A spilled value has
// a spill slot: a slot of 8 bytes in the frame, always stored and loaded whole, so
// that the verifier keeps what it knows of pointers. Each setting of the value
// is followed by a store to its spill slot; before a use it is loaded into a new
// virtual register, which later uses share until the next call, the end of the block
// or a new setting of the value (so a value is split at calls). If even such a
// part gets no register, it is cut down to one instruction; those are never
// spilled again, which is why the rounds end. A copy whose one side is spilled
// becomes the load or the store itself. Values that can be made again from
// nothing (constants, addresses: Func.Remat) have no spill slot: their definition is
// repeated instead of loaded.
//
// At the end, spill slots that are not alive at the same time share slots, and
// Check follows the values through the result, independently of everything
// above: it knows only the original instructions and the places that were
// given to their operands, and tells if an instruction would see another value
// than the one it names. Emitted code is always checked: it costs little, and a
// wrong register is the one error that shows itself nowhere else.
//
// The package must not import anything of this project or of the machine.
package regalloc

import (
	"fmt"
	"math"
	"slices"
)

// Reg is a register: 0 to 9 are the machine's, from First on virtual.
type Reg int32

const (
	// None is no register.
	None Reg = -1
	// NumPhys is the number of machine registers to give.
	NumPhys = 10
	// First is the first virtual register.
	First Reg = NumPhys
)

// Func is a function to allocate for. Blocks[0] is entered with the
// parameters in machine registers 1, 2, ...
type Func struct {
	Blocks []*Block
	// NumRegs is one more than the largest register in use.
	NumRegs int
	// MaxSpillSlots is how many spill slots there is room for at one time; 0 for any number.
	MaxSpillSlots int
	// Remat tells for virtual registers that are set once, by an
	// instruction that reads nothing, the ID of that instruction. It may be
	// repeated anywhere.
	Remat map[Reg]int
}

// Block is a sequence of instructions; only the last may leave it.
type Block struct {
	Instrs []Instr
	Succs  []int // indices in Func.Blocks
	Depth  int   // loops around it
}

// Instr is an instruction: it reads Uses, then destroys Clobbers, then sets Def.
type Instr struct {
	ID       int // the caller's
	Copy     bool
	Def      Reg
	Uses     []Reg
	Clobbers uint16 // bit n: machine register n
}

// Kind says what an instruction of the result is.
type Kind uint8

const (
	Normal Kind = iota // one of the caller's instructions
	Reload             // Def = spill slot Slot
	Spill              // spill slot Slot = Uses[0]
	Remat              // Def = the value of instruction ID, repeated
)

// Out is an instruction of the result. Its registers are the machine's. A copy
// of the caller's may have become a Reload, Spill or Remat. ID is that of the
// caller's instruction, of the instruction to repeat, or -1.
type Out struct {
	Kind Kind
	ID   int
	Def  Reg
	Uses []Reg
	Slot int

	orig  *Instr
	value Reg // Remat, Reload and Spill that were added: the value moved
}

// Result is an allocated function.
type Result struct {
	Blocks   [][]Out
	NumSlots int // spill slots of 8 bytes
}

// Crowded is the error of Allocate where more values are alive at one place than
// registers and spill slots can hold: that shows long before each has a spill slot.
type Crowded struct {
	Values int // at one place; there may be more
}

func (c *Crowded) Error() string { return fmt.Sprintf("regalloc: %d values at once", c.Values) }

// Allocate allocates registers for f. The result is valid until the next call:
// an Allocator uses its memory again.
func (a *Allocator) Allocate(f *Func) (*Result, error) {
	a.reset(f)
	for round := 0; ; round++ {
		if round > 40 {
			return nil, fmt.Errorf("regalloc: no allocation found in %d rounds", round)
		}
		a.dropDeadCopies()
		if a.crowd > a.room() {
			return nil, &Crowded{a.crowd}
		}
		failed := a.assign()
		if len(failed) == 0 {
			break
		}
		for _, r := range failed {
			if a.regs[r].generation >= 2 {
				return nil, fmt.Errorf("regalloc: no register for the parts of v%d", a.origin(r))
			}
		}
		a.split(failed)
	}
	return a.result(), nil
}

// code is an instruction on its way: Out with virtual registers.
type code struct {
	kind      Kind
	id        int
	def       Reg
	uses      []Reg
	spillSlot int // index in Allocator.spillSlots
	orig      *Instr
	dead      bool
}

// spillSlot is where a spilled value is kept.
type spillSlot struct {
	value Reg // the virtual register of the input
	remat int // ID of the instruction that makes it, or -1
}

// regInfo is what is known of a register.
type regInfo struct {
	generation int // 0: of the input, 1: a part of one, 2: a part of one instruction
	spillSlot  int // of a part, else -1
	weight     float64
	first      int32 // of its segments
	assigned   Reg
	family     Reg
}

// Allocator is what Allocate works with. The zero value is ready.
type Allocator struct {
	in         *Func
	preds      [][]int32
	blocks     [][]code
	regs       []regInfo
	spillSlots []spillSlot
	start      []int // position of each block's first instruction
	length     int
	crowd      int // the most values that are alive at one place and cannot be made again
	segs       []segment
	live       liveness
	hints      hints

	// Memory that is used again.
	edges []int32
	codes []code
	uses  []Reg
	alive bitmap
	kept  []bool // by register: isKept
	end   []int32
	open  []Reg
	order []Reg
	taken [NumPhys]bitmap
	outs  []Out
	lists [][]Out
	given []Reg // uses of outs
}

// resize returns n elements of undefined content, in the memory of s if it is
// enough.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// zeroed is resize with zero elements.
func zeroed[T any](s []T, n int) []T {
	s = resize(s, n)
	clear(s)
	return s
}

// reset begins with f as it is.
func (a *Allocator) reset(f *Func) {
	a.in, a.spillSlots = f, a.spillSlots[:0]
	a.regs = resize(a.regs, f.NumRegs)
	for i := range a.regs {
		a.regs[i] = regInfo{spillSlot: -1}
	}
	instrs, uses := 0, 0
	for _, b := range f.Blocks {
		instrs += len(b.Instrs)
		for i := range b.Instrs {
			uses += len(b.Instrs[i].Uses)
		}
	}
	a.codes, a.uses, a.blocks = resize(a.codes, instrs)[:0], resize(a.uses, uses)[:0], a.blocks[:0]
	for _, b := range f.Blocks {
		from := len(a.codes)
		for i := range b.Instrs {
			in := &b.Instrs[i]
			at := len(a.uses)
			a.uses = append(a.uses, in.Uses...)
			a.codes = append(a.codes, code{id: in.ID, def: in.Def, uses: a.uses[at:len(a.uses):len(a.uses)], spillSlot: -1, orig: in})
		}
		a.blocks = append(a.blocks, a.codes[from:len(a.codes):len(a.codes)])
	}
	a.predecessors()
}

// predecessors inverts the successors of the blocks.
func (a *Allocator) predecessors() {
	n, edges := len(a.in.Blocks), 0
	for _, b := range a.in.Blocks {
		edges += len(b.Succs)
	}
	a.edges = zeroed(a.edges, n+edges)
	counts, all := a.edges[:n], a.edges[n:]
	for _, b := range a.in.Blocks {
		for _, s := range b.Succs {
			counts[s]++
		}
	}
	a.preds = resize(a.preds, n)
	for i, n := range counts {
		a.preds[i], all = all[:0:n], all[n:]
	}
	for i, b := range a.in.Blocks {
		for _, s := range b.Succs {
			a.preds[s] = append(a.preds[s], int32(i))
		}
	}
}

// newReg makes a part of a spilled value.
func (a *Allocator) newReg(spillSlot, generation int) Reg {
	a.regs = append(a.regs, regInfo{spillSlot: spillSlot, generation: generation})
	return Reg(len(a.regs) - 1)
}

// origin is the register of the input that r is or is a part of.
func (a *Allocator) origin(r Reg) Reg {
	if h := a.regs[r].spillSlot; h >= 0 {
		return a.spillSlots[h].value
	}
	return r
}

// assign gives registers for one round and returns what is left over.
func (a *Allocator) assign() (failed []Reg) {
	a.ranges()
	for p := range a.taken {
		a.taken[p] = zeroed(a.taken[p], 2*a.length/64+1)
		a.take(a.taken[p], a.regs[p].first)
	}
	for b, list := range a.blocks {
		for i := range list {
			if c := list[i].orig; c != nil && c.Clobbers != 0 {
				at := 2*(a.start[b]+i) + 1
				for p := range a.taken {
					if c.Clobbers&(1<<p) != 0 {
						a.taken[p].set(at, at+1)
					}
				}
			}
		}
	}
	a.families()
	a.hints.reset(a)
	for r := range a.regs {
		a.regs[r].assigned = None
	}
	for _, r := range a.byWeight() {
		v := &a.regs[r]
		best, bestScore := None, math.Inf(-1)
		scores := a.hints.scores(a, r)
		for n, p := range giveOrder {
			if score := scores[p] - float64(n)*1e-6; score > bestScore && a.isFree(a.taken[p], v.first) {
				best, bestScore = p, score
			}
		}
		if best == None {
			failed = append(failed, r)
			continue
		}
		v.assigned = best
		a.take(a.taken[best], v.first)
		a.hints.given(a, r, best)
	}
	return failed
}

// giveOrder is the order in which free registers are given.
var giveOrder = [NumPhys]Reg{1, 2, 3, 4, 5, 0, 6, 7, 8, 9}

// result makes the final code.
func (a *Allocator) result() *Result {
	slots, n := a.colorSpillSlots()
	place := func(r Reg) Reg {
		if r < First {
			return r
		}
		return a.regs[r].assigned
	}
	instrs, uses := 0, 0
	for _, list := range a.blocks {
		instrs += len(list)
		for i := range list {
			uses += len(list[i].uses)
		}
	}
	a.outs, a.given, a.lists = resize(a.outs, instrs)[:0], resize(a.given, uses)[:0], a.lists[:0]
	for _, list := range a.blocks {
		from := len(a.outs)
		for i := range list {
			c := &list[i]
			at := len(a.given)
			for _, u := range c.uses {
				a.given = append(a.given, place(u))
			}
			o := Out{Kind: c.kind, ID: c.id, Def: place(c.def), Uses: a.given[at:len(a.given):len(a.given)], orig: c.orig, value: None, Slot: -1}
			if c.spillSlot >= 0 {
				o.value = a.spillSlots[c.spillSlot].value
				if c.kind != Remat {
					o.Slot = slots[c.spillSlot]
				}
			}
			a.outs = append(a.outs, o)
		}
		a.lists = append(a.lists, a.outs[from:len(a.outs):len(a.outs)])
	}
	return &Result{Blocks: a.lists, NumSlots: n}
}
