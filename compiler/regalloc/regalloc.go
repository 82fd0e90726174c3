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
// a home: a slot of 8 bytes in the frame, always stored and loaded whole, so
// that the verifier keeps what it knows of pointers. Each setting of the value
// is followed by a store to its home; before a use it is loaded into a new
// virtual register, which later uses share until the next call, the end of the block
// or a new setting of the value (so a value is split at calls). If even such a
// part gets no register, it is cut down to one instruction; those are never
// spilled again, which is why the rounds end. A copy whose one side is spilled
// becomes the load or the store itself. Values that can be made again from
// nothing (constants, addresses: Func.Remat) have no home: their definition is
// repeated instead of loaded.
//
// At the end, homes that are not alive at the same time share slots, and
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
	Reload             // Def = home Slot
	Spill              // home Slot = Uses[0]
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
	NumSlots int // homes of 8 bytes
}

// Allocate allocates registers for f.
func Allocate(f *Func) (*Result, error) {
	a := newAllocator(f)
	for round := 0; ; round++ {
		if round > 40 {
			return nil, fmt.Errorf("regalloc: no allocation found in %d rounds", round)
		}
		a.dropDeadCopies()
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
	kind Kind
	id   int
	def  Reg
	uses []Reg
	home int // index in allocator.homes
	orig *Instr
	dead bool
}

// home is where a spilled value is kept.
type home struct {
	value Reg // the virtual register of the input
	remat int // ID of the instruction that makes it, or -1
}

// regInfo is what is known of a register.
type regInfo struct {
	generation int // 0: of the input, 1: a part of one, 2: a part of one instruction
	home       int // of a part, else -1
	weight     float64
	segs       []segment
	assigned   Reg
	family     Reg
}

type segment struct{ from, to int } // [from, to)

type allocator struct {
	in     *Func
	blocks [][]code
	regs   []regInfo
	homes  []home
	start  []int // position of each block's first instruction
	length int
}

func newAllocator(f *Func) *allocator {
	a := &allocator{in: f, regs: make([]regInfo, f.NumRegs)}
	for i := range a.regs {
		a.regs[i] = regInfo{home: -1}
	}
	for _, b := range f.Blocks {
		var list []code
		for i := range b.Instrs {
			in := &b.Instrs[i]
			list = append(list, code{id: in.ID, def: in.Def, uses: append([]Reg(nil), in.Uses...), home: -1, orig: in})
		}
		a.blocks = append(a.blocks, list)
	}
	return a
}

// newReg makes a part of a spilled value.
func (a *allocator) newReg(home, generation int) Reg {
	a.regs = append(a.regs, regInfo{home: home, generation: generation})
	return Reg(len(a.regs) - 1)
}

// origin is the register of the input that r is or is a part of.
func (a *allocator) origin(r Reg) Reg {
	if h := a.regs[r].home; h >= 0 {
		return a.homes[h].value
	}
	return r
}

// assign gives registers for one round and returns what is left over.
func (a *allocator) assign() (failed []Reg) {
	a.ranges()
	taken := make([]bitmap, NumPhys)
	for p := range taken {
		taken[p] = newBitmap(2 * a.length)
		for _, s := range a.regs[p].segs {
			taken[p].set(s.from, s.to)
		}
	}
	for b, list := range a.blocks {
		for i := range list {
			if c := list[i].orig; c != nil && c.Clobbers != 0 {
				at := 2*(a.start[b]+i) + 1
				for p := range taken {
					if c.Clobbers&(1<<p) != 0 {
						taken[p].set(at, at+1)
					}
				}
			}
		}
	}
	a.families()
	wishes := a.newWishes()
	for r := range a.regs {
		a.regs[r].assigned = None
	}
	for _, r := range a.byWeight() {
		v := &a.regs[r]
		best, bestScore := None, math.Inf(-1)
		scores := wishes.scores(a, r)
		for n, p := range giveOrder {
			if taken[p].overlaps(v.segs) {
				continue
			}
			score := scores[p] - float64(n)*1e-6
			if score > bestScore {
				best, bestScore = p, score
			}
		}
		if best == None {
			failed = append(failed, r)
			continue
		}
		v.assigned = best
		for _, s := range v.segs {
			taken[best].set(s.from, s.to)
		}
		wishes.family[v.family][best] += 0.5
	}
	return failed
}

// giveOrder is the order in which free registers are given.
var giveOrder = [NumPhys]Reg{1, 2, 3, 4, 5, 0, 6, 7, 8, 9}

// result makes the final code.
func (a *allocator) result() *Result {
	slots, n := a.homeSlots()
	res := &Result{NumSlots: n}
	place := func(r Reg) Reg {
		if r < First {
			return r
		}
		return a.regs[r].assigned
	}
	for _, list := range a.blocks {
		outs := make([]Out, 0, len(list))
		for i := range list {
			c := &list[i]
			o := Out{Kind: c.kind, ID: c.id, Def: place(c.def), orig: c.orig, value: None, Slot: -1}
			for _, u := range c.uses {
				o.Uses = append(o.Uses, place(u))
			}
			if c.home >= 0 {
				o.value = a.homes[c.home].value
				if c.kind != Remat {
					o.Slot = slots[c.home]
				}
			}
			outs = append(outs, o)
		}
		res.Blocks = append(res.Blocks, outs)
	}
	return res
}
