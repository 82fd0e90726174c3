// Package emit turns IR into eBPF instructions: it decides what lives on the
// stack and what in scratch memory (frame.go), selects instructions for virtual
// registers (select.go), has registers given to them (compiler/regalloc) and
// lays the result out (layout.go).
//
// It must not import the tree, the checker or the runtime.
package emit

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/regalloc"
	"fst/lang/source"

	"github.com/cilium/ebpf/asm"
)

// Options are what emitting needs to know of the kernel and of the object.
type Options struct {
	// MapName is the name by which instructions refer to map i.
	MapName func(i int32) string
	// Scratch is the index of the per-CPU scratch map, an array of Nest
	// values of at least Result.ScratchSize bytes; -1 if there is none.
	Scratch int32
	// LargeScratch is the index of the map for functions that need more than a
	// per-CPU value holds: an array of Nest values of at least
	// Result.LargeScratchSize bytes for each number of a CPU.
	LargeScratch int32
	// LossMap is an array with one value, of u64, and LossNested the index there of the
	// counter for events that found all scratch values taken; -1 for no map.
	LossMap    int32
	LossNested int
	// Atomics says that the kernel knows atomic exchange (5.12).
	Atomics bool
	// SignedDivision says that the kernel knows sdiv and smod (6.6).
	SignedDivision bool
	// Check verifies the register allocation.
	Check bool
}

// Nest is the number of values of the scratch map: how many programs that use
// scratch memory may interrupt each other on one CPU.
const Nest = 4

// MaxStack is the kernel's limit for the frames of a program and the callback
// that it runs, together.
const MaxStack = 512

// Result is an emitted program.
type Result struct {
	// Insns are the program, then its other functions. Maps are referred to by
	// name, functions by symbol.
	Insns asm.Instructions
	// ScratchSize is the size a value of the scratch map must have at
	// least; 0 if the program does not use it.
	ScratchSize int
	// LargeScratchSize is the same for Options.LargeScratch.
	LargeScratchSize int
	// StackSize is the stack used by the program and its deepest callback.
	StackSize int
	// Spills counts the values that found no register.
	Spills int

	spans []source.Span
}

// SpanAt returns the place in the script of the instruction that the kernel
// numbers n (a 64-bit load counts as two).
func (r *Result) SpanAt(n int) source.Span {
	if n < 0 || n >= len(r.spans) {
		return source.Span{}
	}
	return r.spans[n]
}

// Emit turns p into instructions. p is not changed.
func Emit(p *ir.Program, o Options) (*Result, error) {
	if err := ir.Verify(p); err != nil {
		return nil, fmt.Errorf("emit: %w", err)
	}
	e := &emitter{p: p, o: o, res: &Result{}, funcs: make([]*function, len(p.Funcs)), called: make([]bool, len(p.Funcs)), memory: memories.Get().(*memory)}
	defer memories.Put(e.memory)
	if err := e.function(0, 0); err != nil {
		return nil, fmt.Errorf("emit %s: %w", p.Name, err)
	}
	e.res.StackSize = e.funcs[0].depth
	e.layout()
	if n := mapsOf(e.res.Insns); n > maxMaps {
		return nil, &Limit{Message: fmt.Sprintf("this clause uses %d maps; the kernel takes %d in one program", n, maxMaps),
			Hint: "make several clauses of it, or keep the values in one map: @m[\"reads\"], @m[\"writes\"]"}
	}
	return e.res, nil
}

type emitter struct {
	p      *ir.Program
	o      Options
	res    *Result
	funcs  []*function // by index in p.Funcs; nil if not reached
	called []bool      // those that are called and are no callbacks
	memory *memory
}

// memory is what emitting one function after the other uses again.
type memory struct {
	alloc    regalloc.Allocator
	selector selector
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// function is an emitted function.
type function struct {
	insns asm.Instructions
	spans []source.Span // of insns as the kernel numbers them
	frame int           // bytes, rounded as the kernel does
	depth int           // frame and the deepest callee's
}

// draft is a function whose registers are given.
type draft struct {
	code  *selection
	alloc *regalloc.Result
	// slotOffset is the place of each slot on the stack, from r10.
	slotOffset []int
}

// function emits function n, after those that it calls or whose address it takes.
func (e *emitter) function(n, level int) error {
	if level > 7 {
		return &Limit{Message: "loops are nested too deeply: the kernel takes 7 over maps or long ranges, one in the other", Span: firstSpan(e.p.Funcs[n]),
			Hint: "loops with few iterations can be while ($i < 10) { ... } or unroll (10) { ... }"}
	}
	if e.funcs[n] != nil {
		return nil
	}
	below := 0
	for _, b := range e.p.Funcs[n].Blocks {
		for i := range b.Instrs {
			if in := &b.Instrs[i]; in.Op == ir.OpFuncAddr || in.Op == ir.OpCall && in.Func != 0 {
				e.called[in.Func] = e.called[in.Func] || in.Op == ir.OpCall
				if err := e.function(int(in.Func), level+1); err != nil {
					return err
				}
				below = max(below, e.funcs[in.Func].depth)
			}
		}
	}
	most := MaxStack - below
	limit := most
	if n > 0 && e.o.Scratch >= 0 {
		limit = min(most, callbackStack)
	}
	fn, err := e.try(n, limit)
	for err != nil && limit < most {
		limit = min(most, limit+32)
		fn, err = e.try(n, limit)
	}
	for least := 64; err != nil && least > 0; least /= 2 {
		var l *Limit
		if e.o.Scratch < 0 || !errors.As(err, &l) || !l.crowded {
			break
		}
		if f := evict(e.p.Funcs[n], least); f != nil {
			e.replace(n, f)
			fn, err = e.try(n, limit)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.p.Funcs[n].Name, err)
	}
	fn.depth = fn.frame + below
	e.funcs[n] = fn
	return nil
}

// replace puts f in the place of function n, for this emission only.
func (e *emitter) replace(n int, f *ir.Func) {
	p := *e.p
	p.Funcs = slices.Clone(p.Funcs)
	p.Funcs[n] = f
	e.p = &p
}

// callbackStack is how much stack a callback may take at first where scratch
// memory can hold the rest, so that something is left for the program itself.
const callbackStack = 160

// try emits function n into limit bytes of stack. How many registers will be
// spilled is known only at the end; if the room left for them was too small it
// starts again with more.
func (e *emitter) try(n, limit int) (*function, error) {
	room := 0
	for {
		place, f, err := e.placeSlots(e.p.Funcs[n], limit-room)
		if err != nil {
			return nil, err
		}
		code, err := e.selectFunc(f)
		if err != nil {
			return nil, err
		}
		code.alloc.MaxSpillSlots = limit / 8
		alloc, err := e.memory.alloc.Allocate(code.alloc)
		var crowd *regalloc.Crowded
		if errors.As(err, &crowd) {
			return nil, crowded(8*(crowd.Values-regalloc.NumPhys), limit)
		}
		if err != nil {
			return nil, err
		}
		if e.o.Check {
			if err := regalloc.Check(code.alloc, alloc); err != nil {
				return nil, err
			}
		}
		d := &draft{code: code, alloc: alloc}
		size := d.layoutStack(f, place)
		if size <= limit {
			e.res.Spills += alloc.NumSlots
			if size := place.scratchSize; size > object.MaxPerCPUValue {
				e.res.LargeScratchSize = max(e.res.LargeScratchSize, size)
			} else {
				e.res.ScratchSize = max(e.res.ScratchSize, size)
			}
			fn := &function{frame: (max(size, 1) + 31) &^ 31}
			fn.insns, fn.spans, err = d.assemble()
			return fn, err
		}
		if room >= limit {
			return nil, crowded(size, limit)
		}
		// Moving slots away may lead to further spills.
		room = min(max(room+32, 8*alloc.NumSlots), limit)
	}
}

// crowded tells that the values of a function do not fit into limit bytes.
func crowded(size, limit int) *Limit {
	return &Limit{Message: fmt.Sprintf("this clause holds too many values at once: they take %d bytes, and the kernel's stack has %d for them", size, limit),
		Hint: "make several statements or clauses of it", crowded: true}
}
