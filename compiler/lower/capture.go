package lower

import (
	"maps"
	"slices"

	"fst/compiler/analysis"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/target"
	"fst/lang/ast"
)

// captured is the memory that a probe's body shares with the callbacks of its
// loops: a word that is 1 when a callback asked to leave, the context, then the
// variables. It lies on the stack, where the verifier follows pointers: what a
// callback loads from it is the context again. The stack is small: where it
// would take more than maxCaptured bytes, the larger variables are in a slot of
// their own, away from the stack, and a pointer to it is among what is shared.
// So are those that must not lie on the stack (analysis.Loops.OffStack).
type captured struct {
	slot int32
	size int
	vars map[*check.Var]*place
	// kept has the registers of the body that a callback may ask for: what the
	// entry half of a paired probe left, and the like.
	kept    map[ir.Reg]int32
	farCell int32 // where the pointer to the other slot is
	// turns is where the turns of loops within loops are counted.
	turns int32
	// from is where a bpf_loop's callback finds its first bound.
	from map[ast.Node]int32
}

// Offsets in the memory that is shared with callbacks.
const (
	capturedLeave = 0
	capturedCtx   = 8
	capturedVars  = 16
)

const (
	maxCaptured = 192
	maxNear     = 16 // what is larger is far, if something must be
)

// findCaptured gives every variable that a callback shares with others a place
// in memory that all can reach.
func (f flow) findCaptured() {
	loops := analysis.FindLoops(f.u, func() bool { return f.t.Has(target.BPFLoop) })
	f.p.loops = loops
	if loops.Callbacks == 0 {
		return
	}
	c := &captured{size: capturedVars, vars: map[*check.Var]*place{}, kept: map[ir.Reg]int32{}, from: map[ast.Node]int32{}}
	for _, r := range loops.Ranges {
		c.from[r] = c.add(8)
	}
	keep := []ir.Reg{f.p.took, f.p.nr}
	for _, name := range f.u.EntryArgs {
		keep = append(keep, f.p.pairArgs[name]...)
	}
	keep = slices.DeleteFunc(keep, func(r ir.Reg) bool { return r == 0 })
	for _, r := range keep {
		c.kept[r] = c.add(8)
	}
	if loops.HasNested() && f.mostTurns() > 0 {
		c.turns = c.add(8)
	}
	far := c.place(loops)
	c.slot = f.NearSlot("captured", c.size)
	f.p.captured = c
	maps.Copy(f.vars, c.vars)
	base := f.captureBase()
	f.Zero(base, 0, c.size)
	f.Store(base, capturedCtx, ir.R(f.ctx), 8)
	if c.turns > 0 {
		// A zero that the verifier does not know: it would follow turn after turn (see blur).
		f.Store(base, c.turns, f.Load(f.MapValue(f.zeroes(8), 0), 0, 8, false), 8)
	}
	for _, r := range keep {
		f.Store(base, c.kept[r], ir.R(r), 8)
	}
	if far > 0 {
		mem := f.FarSlot("captured far", far)
		f.Zero(mem, 0, far)
		f.Store(base, c.farCell, ir.R(mem), 8)
	}
}

// add makes room for so many bytes and returns where it is.
func (c *captured) add(size int) int32 {
	off := c.size
	c.size += size
	return int32(off)
}

// place gives the variables that are shared their places, and returns how many
// bytes of them are far.
func (c *captured) place(loops *analysis.Loops) (far int) {
	total := c.size
	for _, v := range loops.Shared {
		total += capturedSize(v)
	}
	for _, v := range loops.Shared {
		size := capturedSize(v)
		p := &place{t: v.Type, far: total > maxCaptured && size > maxNear || loops.OffStack(v), cap: int32(far)}
		if p.far {
			far += size
		} else {
			p.cap = c.add(size)
		}
		c.vars[v] = p
	}
	if far > 0 {
		c.farCell = c.add(8)
	}
	return far
}

func capturedSize(v *check.Var) int { return (max(v.Type.Size, 8) + 7) &^ 7 }

// ofBody is a register of the probe's body, which callbacks have in memory.
func (f flow) ofBody(r ir.Reg) ir.Operand {
	if f.parent == nil {
		return ir.R(r)
	}
	return f.Load(f.capture, f.p.captured.kept[r], 8, false)
}

func (f flow) captureBase() ir.Reg {
	if f.parent != nil {
		return f.capture
	}
	return f.SlotAddr(f.p.captured.slot, 0)
}

// callback builds a function of the program that runs a loop's body.
func (f flow) callback(name string, params int, ctxParam int, build func(cb *fn, args []ir.Reg)) int32 {
	cb := f.newFunc(f.u, f.p, f.Func.Name+"_"+name)
	index := int32(len(f.p.ir.Funcs) - 1)
	cb.parent, cb.Span = f.fn, f.Span
	cb.inlines = slices.Clone(f.inlines)
	args := make([]ir.Reg, params)
	for i := range args {
		args[i] = cb.Func.NewReg()
	}
	cb.Func.Params = args
	cb.capture = args[ctxParam]
	cb.start()
	cb.ctx = cb.Load(cb.capture, capturedCtx, 8, false).Reg
	if f.p.captured != nil { // some loop of the script needs a callback
		maps.Copy(cb.vars, f.p.captured.vars)
	}
	build(cb, args)
	cb.finish()
	return index
}

// shareWords makes memory for the callback of a loop that is not the script's, and returns its address: what all
// callbacks find in their context, then the words that this one is given.
func (f flow) shareWords(name string, words ...ir.Reg) ir.Reg {
	base := f.SlotAddr(f.NearSlot(name, capturedVars+8*len(words)), 0)
	ctx := ir.R(f.ctx)
	if f.ctx == 0 {
		ctx = ir.I(0) // a function that is called knows of none
	}
	f.Store(base, capturedLeave, ir.I(0), 8)
	f.Store(base, capturedCtx, ctx, 8)
	for i, r := range words {
		f.Store(base, capturedVars+int32(8*i), ir.R(r), 8)
	}
	return base
}

// sharedWord is one of the words that a callback was given.
func (f flow) sharedWord(i int) ir.Reg {
	return f.Load(f.capture, capturedVars+int32(8*i), 8, false).Reg
}

// afterCallback leaves too if the loop's body asked for it.
func (f flow) afterCallback() {
	flag := f.Load(f.captureBase(), capturedLeave, 8, false)
	stay := f.NewBlock()
	f.Guard(ir.Ne, flag, ir.I(0), stay)
	to, outside := f.end()
	switch {
	case outside:
		f.Set(f.result, ir.I(1))
	case to != f.exit:
		f.Store(f.captureBase(), capturedLeave, ir.I(0), 8) // the rest of the probe goes on
	}
	f.Jump(to)
	f.SetBlock(stay)
}

// blur hides from the verifier what it knows of the numbers that a loop's body
// changes, before the loop and behind it. It looks at a callback until nothing
// new is seen: with a counter whose value it knows before the loop, every turn
// is new, and as soon as the counter decides about a branch it follows
// thousands of turns. Adding a zero from a map, of which it knows nothing, makes
// all turns alike. What the body only reads stays known: it may be what ends a
// loop round this one.
func (f flow) blur(body ast.Node) {
	var offs []int32
	for _, v := range analysis.ChangedVars(f.u, body) {
		if p := f.p.captured.vars[v]; p != nil && !p.far && v.Type.IsScalar() {
			offs = append(offs, p.cap)
		}
	}
	if len(offs) == 0 {
		return
	}
	zero := f.Load(f.MapValue(f.zeroes(8), 0), 0, 8, false)
	base := f.captureBase()
	for _, off := range offs {
		f.Store(base, off, f.Op(ir.OpAdd, f.Load(base, off, 8, false), zero), 8)
	}
}
