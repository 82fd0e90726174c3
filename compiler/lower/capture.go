package lower

import (
	"maps"
	"slices"

	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/types"
	"fst/lang/ast"
)

// captured is the memory that a probe's body shares with the callbacks of its
// loops: a word that is 1 when a callback asked to leave, the context, then the
// variables. It lies on the stack, where the verifier follows pointers: what a
// callback loads from it is the context again. The stack is small: where it
// would take more than maxCaptured bytes, the larger variables are in a slot of
// their own, away from the stack, and a pointer to it is among what is shared.
// So are texts and tuples that a loop changes: before Linux 6.7 the verifier
// looks at a callback once, and takes what it knew before for what holds after
// (numbers are blurred). And so are pointers that a loop changes and variables whose
// address is taken: the verifier does not let a callback keep the address of what is on
// its stack on that of its caller, and such a variable may be gone before its address.
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

// sharing is what the callbacks of a body's loops use together with the body or
// with each other.
type sharing struct {
	f *fn
	// bodies are those of the probe and of its callbacks that use a variable:
	// what a single one uses is its own.
	bodies map[*check.Var]ast.Node
	vars   []*check.Var    // of several bodies
	ranges []*ast.ForRange // those that become callbacks
	loops  int             // all that do

	addressed []*check.Var // whose address is taken
	given     []*check.Var // the keys and values of loops
	turned    []*check.Var // that callbacks change
}

// use notes that a body uses a variable.
func (s *sharing) use(x *ast.Var, body ast.Node) {
	v := s.f.u.Vars[x]
	if v == nil {
		return
	}
	if other, seen := s.bodies[v]; !seen {
		s.bodies[v] = body
	} else if other != body && !slices.Contains(s.vars, v) {
		s.vars = append(s.vars, v)
	}
}

// nesting is what a part of a body is in: whether it is in a loop at all, and whether the
// verifier walks through the turns of the innermost one.
type nesting struct{ looped, walked bool }

// walk looks at a part of a body: that of the callback of a loop, or of the
// probe if that is nil.
func (s *sharing) walk(root, body ast.Node, in nesting) {
	f := s.f
	ast.Walk(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Var:
			s.use(n, body)
		case *ast.Unary:
			if v := f.flow.holder(n.X); n.Op == "&" && v != nil && !slices.Contains(s.addressed, v) {
				s.addressed = append(s.addressed, v)
			}
		case *ast.ForRange:
			f.p.repeated[n] = in.walked
		}
		once, turn := loopParts(n)
		if turn == nil {
			return true
		}
		for _, part := range once {
			s.walk(part, body, in)
		}
		inside, callback := body, f.flow.byCallback(n)
		if callback {
			inside = n
			s.loops++
			if in.looped {
				f.p.inner[n] = true
			}
		}
		switch n := n.(type) {
		case *ast.ForMap:
			s.given = append(s.given, f.u.Vars[n.Var])
			s.use(n.Var, inside)
		case *ast.ForRange:
			if callback {
				s.ranges = append(s.ranges, n)
			}
			s.use(n.Var, inside)
		}
		for _, part := range turn {
			if callback {
				s.turned = append(s.turned, f.flow.changedVars(part)...)
			}
			s.walk(part, inside, nesting{looped: true, walked: !callback})
		}
		return false
	})
}

// findCaptured gives every variable that a callback shares with others a place
// in memory that all can reach.
func (f flow) findCaptured() {
	f.p.repeated, f.p.inner = map[*ast.ForRange]bool{}, map[ast.Node]bool{}
	s := sharing{f: f.fn, bodies: map[*check.Var]ast.Node{}}
	for _, part := range []ast.Node{f.u.Filter, f.u.Body} {
		s.walk(part, nil, nesting{})
	}
	if s.loops == 0 {
		return
	}
	for _, v := range s.addressed {
		if !slices.Contains(s.vars, v) && !slices.Contains(s.given, v) {
			s.vars = append(s.vars, v)
		}
	}
	c := &captured{size: capturedVars, vars: map[*check.Var]*place{}, kept: map[ir.Reg]int32{}, from: map[ast.Node]int32{}}
	for _, r := range s.ranges {
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
	if len(f.p.inner) > 0 && f.mostTurns() > 0 {
		c.turns = c.add(8)
	}
	far := c.place(&s)
	c.slot = f.nearSlot("captured", c.size)
	f.p.captured = c
	maps.Copy(f.vars, c.vars)
	base := f.captureBase()
	f.zero(base, 0, c.size)
	f.store(base, capturedCtx, ir.R(f.ctx), 8)
	if c.turns > 0 {
		// A zero that the verifier does not know: it would follow turn after turn (see blur).
		f.store(base, c.turns, f.load(f.mapValue(f.zeroes(8), 0), 0, 8, false), 8)
	}
	for _, r := range keep {
		f.store(base, c.kept[r], ir.R(r), 8)
	}
	if far > 0 {
		mem := f.farSlot("captured far", far)
		f.zero(mem, 0, far)
		f.store(base, c.farCell, ir.R(mem), 8)
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
func (c *captured) place(s *sharing) (far int) {
	total := c.size
	for _, v := range s.vars {
		total += capturedSize(v)
	}
	changed := s.f.flow.changedVars(s.f.u.Filter, s.f.u.Body)
	for _, v := range s.vars {
		size := capturedSize(v)
		isFar := total > maxCaptured && size > maxNear || slices.Contains(s.addressed, v)
		switch {
		case v.Type.Kind == types.Pointer:
			isFar = isFar || slices.Contains(s.turned, v)
		case !v.Type.IsScalar():
			isFar = isFar || slices.Contains(changed, v)
		}
		p := &place{t: v.Type, far: isFar, cap: int32(far)}
		if isFar {
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

// holder is the variable that an expression is, or is a part of; nil if there is none.
func (f flow) holder(e ast.Expr) *check.Var {
	for {
		switch x := e.(type) {
		case *ast.Var:
			return f.u.Vars[x]
		case *ast.Field:
			e = x.X
		case *ast.TupleIndex:
			e = x.X
		case *ast.Index:
			e = x.X
		default:
			return nil
		}
	}
}

func capturedSize(v *check.Var) int { return (max(v.Type.Size, 8) + 7) &^ 7 }

// ofBody is a register of the probe's body, which callbacks have in memory.
func (f flow) ofBody(r ir.Reg) ir.Operand {
	if f.parent == nil {
		return ir.R(r)
	}
	return f.load(f.capture, f.p.captured.kept[r], 8, false)
}

func (f flow) captureBase() ir.Reg {
	if f.parent != nil {
		return f.capture
	}
	return f.slotAddr(f.p.captured.slot, 0)
}

// callback builds a function of the program that runs a loop's body.
func (f flow) callback(name string, params int, ctxParam int, build func(cb *fn, args []ir.Reg)) int32 {
	cb := f.newFunc(f.u, f.p, f.f.Name+"_"+name)
	index := int32(len(f.p.ir.Funcs) - 1)
	cb.parent, cb.span = f.fn, f.span
	cb.inlines = slices.Clone(f.inlines)
	args := make([]ir.Reg, params)
	for i := range args {
		args[i] = cb.f.NewReg()
	}
	cb.f.Params = args
	cb.capture = args[ctxParam]
	cb.start()
	cb.ctx = cb.load(cb.capture, capturedCtx, 8, false).Reg
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
	base := f.slotAddr(f.nearSlot(name, capturedVars+8*len(words)), 0)
	ctx := ir.R(f.ctx)
	if f.ctx == 0 {
		ctx = ir.I(0) // a function that is called knows of none
	}
	f.store(base, capturedLeave, ir.I(0), 8)
	f.store(base, capturedCtx, ctx, 8)
	for i, r := range words {
		f.store(base, capturedVars+int32(8*i), ir.R(r), 8)
	}
	return base
}

// sharedWord is one of the words that a callback was given.
func (f flow) sharedWord(i int) ir.Reg {
	return f.load(f.capture, capturedVars+int32(8*i), 8, false).Reg
}

// afterCallback leaves too if the loop's body asked for it.
func (f flow) afterCallback() {
	flag := f.load(f.captureBase(), capturedLeave, 8, false)
	stay := f.block()
	f.goOnIf(ir.Ne, flag, ir.I(0), stay)
	to, outside := f.end()
	switch {
	case outside:
		f.set(f.result, ir.I(1))
	case to != f.exit:
		f.store(f.captureBase(), capturedLeave, ir.I(0), 8) // the rest of the probe goes on
	}
	f.jump(to)
	f.use(stay)
}

// changedVars are the variables that a part of the tree changes.
func (f flow) changedVars(roots ...ast.Node) []*check.Var {
	var vars []*check.Var
	look := func(n ast.Node) bool {
		target, _ := stored(n)
		x, _ := target.(*ast.Var)
		if v := f.u.Vars[x]; v != nil && !slices.Contains(vars, v) {
			vars = append(vars, v)
		}
		return true
	}
	for _, root := range roots {
		ast.Walk(root, look)
	}
	return vars
}

// stored is what a node stores something in, or nil, and the expression whose value that is, nil if there is none.
func stored(n ast.Node) (target, value ast.Expr) {
	switch n := n.(type) {
	case *ast.Assign:
		if n.Op == "=" {
			return n.Target, n.Value
		}
		return n.Target, nil
	case *ast.Let:
		return n.Var, n.Value
	case *ast.IncDec:
		return n.X, nil
	case *ast.Call:
		if builtin.Does(n.Name, builtin.DoesStore) {
			return n.Args[len(n.Args)-1], nil
		}
	}
	return nil, nil
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
	for _, v := range f.changedVars(body) {
		if p := f.p.captured.vars[v]; p != nil && !p.far && v.Type.IsScalar() {
			offs = append(offs, p.cap)
		}
	}
	if len(offs) == 0 {
		return
	}
	zero := f.load(f.mapValue(f.zeroes(8), 0), 0, 8, false)
	base := f.captureBase()
	for _, off := range offs {
		f.store(base, off, f.op(ir.OpAdd, f.load(base, off, 8, false), zero), 8)
	}
}
