package lower

import (
	"slices"

	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

func (f flow) while(s *ast.While) {
	f.noteLoop(s)
	if f.p.loops.IsCallback(s) {
		f.whileCallback(s)
		return
	}
	head, body, done := f.NewBlock(), f.NewBlock(), f.NewBlock()
	f.Label(head)
	f.conditions.cond(s.Cond, body, done)
	f.SetBlock(body)
	f.turn(s.Body, head, done)
	f.Jump(head)
	f.SetBlock(done)
}

// whileCallback has bpf_loop run a loop until its condition fails.
func (f flow) whileCallback(s *ast.While) {
	cb := f.callback("while", 2, 1, func(cb *fn, _ []ir.Reg) {
		cb.flow.endLoop(s)
		body, stop := cb.NewBlock(), cb.NewBlock()
		cb.conditions.cond(s.Cond, body, stop)
		cb.SetBlock(stop)
		cb.Set(cb.result, ir.I(1))
		cb.Jump(cb.exit)
		cb.SetBlock(body)
		cb.flow.stmtBlock(s.Body)
	})
	ran := f.runCallback(s, ir.R(f.Reg(ir.I(check.MaxTurns))), cb)
	f.If(ir.Eq, ran, ir.I(check.MaxTurns), func() { f.messages.lossAt(object.LossLoop, ir.I(0)) })
}

// noteLoop keeps the place of a loop for the complaints of the kernel's verifier.
func (f flow) noteLoop(s ast.Stmt) {
	if o := f.p.obj; !slices.Contains(o.Loops, s.Pos()) {
		o.Loops = append(o.Loops, s.Pos())
	}
}

// unroll repeats its body in the program, as its name says; a body that would
// make the program large runs in a loop, which does the same.
func (f flow) unroll(s *ast.Unroll) {
	f.noteLoop(s)
	n := f.p.loops.Turns(s)
	switch {
	case f.p.loops.IsCallback(s):
		cb := f.callback("unroll", 2, 1, func(cb *fn, _ []ir.Reg) {
			cb.flow.endLoop(s)
			cb.flow.stmtBlock(s.Body)
		})
		f.runCallback(s.Body, ir.I(n), cb)
		return
	case f.p.loops.IsLarge(s):
		f.count(f.NewVar(ir.I(0)), ir.I(n), s.Body, func(ir.Reg) {})
		return
	}
	done := f.NewBlock()
	for i := int64(0); i < n; i++ {
		next := f.NewBlock()
		f.turn(s.Body, next, done)
		f.Label(next)
	}
	f.Label(done)
}

func (f flow) forRange(s *ast.ForRange) {
	f.noteLoop(s)
	from, to := f.scalarOf(s.From), f.scalarOf(s.To)
	f.values.inTurns(s, func() {
		if f.p.loops.IsCallback(s) {
			f.rangeCallback(s, from, to)
			return
		}
		limit := to
		if !limit.IsImm() {
			limit = ir.R(f.NewVar(to))
		}
		f.count(f.NewVar(from), limit, s.Body, func(i ir.Reg) {
			f.values.assignVar(s.Var, func(t *types.Type) value { return scalar(types.I64, ir.R(i)) })
		})
	})
}

// count runs a body while a register counts up to a limit. enter gives it the
// counter.
func (f flow) count(i ir.Reg, limit ir.Operand, b *ast.Block, enter func(ir.Reg)) {
	next, done := f.NewBlock(), f.NewBlock()
	f.CountedLoop(i, ir.SLt, limit, next, done, func() {
		enter(i)
		f.turn(b, next, done)
	})
}

// turn compiles the body of a plain loop.
func (f flow) turn(b *ast.Block, next, done *ir.Block) {
	f.loops = append(f.loops, loop{brk: done, cont: next})
	f.stmtBlock(b)
	f.loops = f.loops[:len(f.loops)-1]
}

// rangeCallback runs a loop's body by bpf_loop. The counter starts at 0, so
// the first bound is added to it.
func (f flow) rangeCallback(s *ast.ForRange, from, to ir.Operand) {
	off := f.p.captured.from[s]
	n := f.NewVar(f.Op(ir.OpSub, to, from))
	run, done := f.NewBlock(), f.NewBlock()
	f.Guard(ir.SLt, from, to, done)
	f.Guard(ir.UGt, ir.R(n), ir.I(check.MaxTurns), run)
	f.messages.lossAt(object.LossLoop, ir.I(0))
	f.Jump(done)
	f.SetBlock(run)
	f.Store(f.captureBase(), off, from, 8)
	cb := f.callback("loop", 2, 1, func(cb *fn, args []ir.Reg) {
		cb.flow.endLoop(s)
		base := cb.Load(cb.capture, off, 8, false)
		i := cb.Op(ir.OpAdd, base, cb.Extend(ir.R(args[0]), 4, false))
		cb.values.assignVar(s.Var, func(t *types.Type) value { return scalar(types.I64, i) })
		cb.flow.stmtBlock(s.Body)
	})
	f.runCallback(s.Body, ir.R(n), cb)
	f.Label(done)
}

// endLoop ends a loop, and with it what it is in, where loops within each other could run for
// hours, which no signal ends: in programs that fst runs itself if the session ends, and where the
// inner loops have taken as many turns as they may.
func (f flow) endLoop(loop ast.Node) {
	if f.stops() {
		f.leaveIf(ir.Ne, f.isStopped(), 0, func() {})
	}
	if most := f.mostTurns(); most > 0 && f.p.loops.IsNested(loop) {
		off := f.p.captured.turns
		n := f.Op(ir.OpAdd, f.Load(f.capture, off, 8, false), ir.I(1))
		f.Store(f.capture, off, n, 8)
		f.leaveIf(ir.UGt, n, most, func() { f.messages.lossAt(object.LossLoop, ir.I(0)) })
	}
}

// mostTurns is how many turns the loops within other loops may take together, 0 if any number. A timer
// stops its CPU meanwhile. So does BEGIN on most kernels; where that is the only one, nobody can end it.
func (f flow) mostTurns() int64 {
	switch {
	case !f.stops():
		return check.MaxTurns
	case f.t.CPUs() == 1:
		return 16 * check.MaxTurns // about a second
	}
	return 0
}

// leaveIf leaves the body where a comparison holds, after what last does.
func (f flow) leaveIf(cond ir.Cond, n ir.Operand, limit int64, last func()) {
	f.If(cond, n, ir.I(limit), func() {
		last()
		f.leave()
	})
}

// runCallback calls bpf_loop for the callback of a loop's body, and returns the number
// of turns.
func (f flow) runCallback(body ast.Node, n ir.Operand, cb int32) ir.Operand {
	f.blur(body)
	ran := f.Do(ir.OpLoop, n, f.funcAddr(cb), ir.R(f.captureBase()))
	f.blur(body)
	f.afterCallback()
	return ran
}
