package irbuild

import "fst/compiler/ir"

// NewBlock makes a block, which SetBlock or Label fill.
func (f *Builder) NewBlock() *ir.Block { return f.Func.NewBlock() }

// Jump ends the present block, if it has no end yet.
func (f *Builder) Jump(to *ir.Block) {
	if f.Cur.Term.Kind == ir.TermInvalid {
		f.Cur.Term = ir.Term{Kind: ir.TermJump, Then: to, Span: f.Span}
	}
}

// Branch ends the present block by a comparison.
func (f *Builder) Branch(c ir.Cond, a, b ir.Operand, then, els *ir.Block) {
	if f.Cur.Term.Kind != ir.TermInvalid {
		return
	}
	if a.IsImm() {
		a = ir.R(f.Reg(a))
	}
	f.Cur.Term = ir.Term{Kind: ir.TermBranch, Cond: c, A: a, B: b, Then: then, Else: els, Span: f.Span}
}

// SetBlock has instructions go to another block.
func (f *Builder) SetBlock(b *ir.Block) { f.Cur = b }

// Label places a block here: what comes before leads to it, and instructions go there from now on.
func (f *Builder) Label(at *ir.Block) {
	f.Jump(at)
	f.SetBlock(at)
}

// JumpConst is a branch whose condition is known.
func (f *Builder) JumpConst(yes bool, then, els *ir.Block) {
	if !yes {
		then = els
	}
	f.Jump(then)
}

// If has body run if a condition holds.
func (f *Builder) If(c ir.Cond, a, b ir.Operand, body func()) {
	then, done := f.NewBlock(), f.NewBlock()
	f.Branch(c, a, b, then, done)
	f.SetBlock(then)
	body()
	f.Label(done)
}

// IfElse has body run if a condition holds, and else other.
func (f *Builder) IfElse(c ir.Cond, a, b ir.Operand, body, other func()) {
	f.Diamond(func(then, els *ir.Block) { f.Branch(c, a, b, then, els) }, body, other)
}

// Diamond has one of two run, as test decides, and goes on behind both.
func (f *Builder) Diamond(test func(then, els *ir.Block), body, other func()) {
	then, els, done := f.NewBlock(), f.NewBlock(), f.NewBlock()
	test(then, els)
	f.SetBlock(then)
	body()
	f.Jump(done)
	f.SetBlock(els)
	other()
	f.Label(done)
}

// SelectIf is what get gives if a condition holds, and else other.
func (f *Builder) SelectIf(c ir.Cond, a, b, other ir.Operand, get func() ir.Operand) ir.Operand {
	out := f.NewVar(other)
	f.If(c, a, b, func() { f.Set(out, get()) })
	return ir.R(out)
}

// CountedLoop runs body while a register, which each turn makes one more, is below a limit, and then goes on at done.
func (f *Builder) CountedLoop(i ir.Reg, below ir.Cond, limit ir.Operand, next, done *ir.Block, body func()) {
	head := f.NewBlock()
	f.Label(head)
	f.Guard(below, ir.R(i), limit, done)
	body()
	f.Label(next)
	f.Emit(ir.Instr{Op: ir.OpAdd, Dst: i, A: ir.R(i), B: ir.I(1)})
	f.Jump(head)
	f.SetBlock(done)
}

// Guard goes on if a condition holds, and leads to other if not.
func (f *Builder) Guard(c ir.Cond, a, b ir.Operand, other *ir.Block) {
	then := f.NewBlock()
	f.Branch(c, a, b, then, other)
	f.SetBlock(then)
}
