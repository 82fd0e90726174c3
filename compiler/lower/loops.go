package lower

import (
	"slices"

	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
)

func (f flow) while(s *ast.While) {
	f.noteLoop(s)
	if f.byCallback(s) {
		f.whileCallback(s)
		return
	}
	head, body, done := f.block(), f.block(), f.block()
	f.goOn(head)
	f.conditions.cond(s.Cond, body, done)
	f.use(body)
	f.turn(s.Body, head, done)
	f.jump(head)
	f.use(done)
}

// whileCallback has bpf_loop run a loop until its condition fails.
func (f flow) whileCallback(s *ast.While) {
	cb := f.callback("while", 2, 1, func(cb *fn, _ []ir.Reg) {
		cb.flow.endLoop(s)
		body, stop := cb.block(), cb.block()
		cb.conditions.cond(s.Cond, body, stop)
		cb.use(stop)
		cb.set(cb.result, ir.I(1))
		cb.jump(cb.exit)
		cb.use(body)
		cb.flow.stmtBlock(s.Body)
	})
	ran := f.runCallback(s, ir.R(f.reg(ir.I(check.MaxTurns))), cb)
	f.when(ir.Eq, ran, ir.I(check.MaxTurns), func() { f.messages.lossAt(object.LossLoop, ir.I(0)) })
}

// maxWalked is how many nodes of the tree a loop may make the verifier walk, those of each turn counted. It follows the
// branches of each turn as well, and may put off 8192 of them. Five times as many delay the start of a tool by a tenth of a second.
const maxWalked = 4000

// isHeavy reports whether a while loop becomes bpf_loop: walking through its turns would
// be too much for the verifier, and its condition tells that it ends.
func (f flow) isHeavy(s *ast.While) bool {
	heavy, known := f.p.heavy[s]
	if known || !f.t.Has(target.BPFLoop) {
		return heavy
	}
	heavy = f.counted(s, s.Cond)*f.walked(s) > maxWalked
	if f.p.heavy == nil {
		f.p.heavy = map[*ast.While]bool{}
	}
	f.p.heavy[s] = heavy
	return heavy
}

// counted is how often a while loop runs as long as a condition holds: that a variable which
// the body changes is less than a constant, where it counts up from 0. 0 stands for others.
func (f flow) counted(s *ast.While, cond ast.Expr) int64 {
	x, ok := cond.(*ast.Binary)
	if !ok {
		return 0
	}
	if x.Op == "&&" {
		a, b := f.counted(s, x.X), f.counted(s, x.Y)
		if a == 0 || b == 0 {
			return max(a, b)
		}
		return min(a, b)
	}
	less, more := x.X, x.Y
	switch x.Op {
	case ">", ">=":
		less, more = more, less
	case "<", "<=":
	default:
		return 0
	}
	n, ok := f.constant(more)
	v, isVar := less.(*ast.Var)
	if !ok || !isVar || !slices.Contains(f.changedVars(s), f.u.Vars[v]) {
		return 0
	}
	return min(max(n, 0), 1<<31)
}

// walked counts the nodes of a turn of a loop that the verifier walks, those of while loops
// within it as often as they run: s is a while loop, or the body of another.
func (f flow) walked(s ast.Node) int64 {
	n := int64(0)
	ast.Walk(s, func(x ast.Node) bool {
		n++
		switch x := x.(type) {
		case *ast.While:
			if x != s && !f.isHeavy(x) {
				n += max(f.counted(x, x.Cond), 1) * f.walked(x)
				return false
			}
		case *ast.Unroll:
			if !f.isLarge(x) {
				n += f.turns(x) * f.weight(x.Body)
				return false
			}
		}
		return true
	})
	return min(n, 1<<31)
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
	n := f.turns(s)
	switch {
	case f.byCallback(s):
		cb := f.callback("unroll", 2, 1, func(cb *fn, _ []ir.Reg) {
			cb.flow.endLoop(s)
			cb.flow.stmtBlock(s.Body)
		})
		f.runCallback(s.Body, ir.I(n), cb)
		return
	case f.isLarge(s):
		f.count(f.fresh(ir.I(0)), ir.I(n), s.Body, func(ir.Reg) {})
		return
	}
	done := f.block()
	for i := int64(0); i < n; i++ {
		next := f.block()
		f.turn(s.Body, next, done)
		f.goOn(next)
	}
	f.goOn(done)
}

// turns is how often an unroll runs its body.
func (f flow) turns(s *ast.Unroll) int64 {
	if lit, ok := s.N.(*ast.IntLit); ok {
		return int64(lit.Value)
	}
	return f.u.Consts[s.N]
}

// isLarge reports whether an unroll's copies would make more of the program
// than maxCopied nodes of the tree.
func (f flow) isLarge(s *ast.Unroll) bool { return f.turns(s)*f.weight(s.Body) > maxCopied }

const maxCopied = 3000

// weight counts the nodes of a block, those within an unroll as often as they
// would be copied.
func (f flow) weight(b *ast.Block) int64 {
	n := int64(0)
	ast.Walk(b, func(x ast.Node) bool {
		n++
		if inner, ok := x.(*ast.Unroll); ok {
			n += f.turns(inner) * f.weight(inner.Body)
			return false
		}
		return true
	})
	return min(n, 1<<31) // more than enough, and a number that can be multiplied
}

// fewTurns reports whether the bounds of a for loop are constant, and its turns few and short enough for the verifier to walk.
func (f flow) fewTurns(s *ast.ForRange) bool {
	a, ok1 := f.constant(s.From)
	b, ok2 := f.constant(s.To)
	return ok1 && ok2 && (b <= a || uint64(b)-uint64(a) <= maxWalked && (b-a)*f.walked(s.Body) <= maxWalked)
}

func (f flow) constant(x ast.Expr) (int64, bool) {
	if c, ok := f.u.Consts[x]; ok {
		return c, true
	}
	if lit, ok := x.(*ast.IntLit); ok {
		return int64(lit.Value), true
	}
	return 0, false
}

// byCallback tells whether a node is a loop whose body becomes a function of its
// own, which the kernel calls for each turn: the verifier looks at that once,
// however often it runs. A for over a range of few turns is a plain loop, which costs
// less, but not if another loop multiplies them.
func (f flow) byCallback(n ast.Node) bool {
	switch s := n.(type) {
	case *ast.ForMap:
		return true
	case *ast.While:
		return f.isHeavy(s)
	case *ast.Unroll:
		return f.isLarge(s) && f.t.Has(target.BPFLoop)
	case *ast.ForRange:
		return (!f.fewTurns(s) || f.p.repeated[s]) && f.t.Has(target.BPFLoop)
	}
	return false
}

// loopParts are the parts of a loop: what is evaluated once before it, and what each turn runs. Other nodes have none.
func loopParts(n ast.Node) (once, turn []ast.Node) {
	switch n := n.(type) {
	case *ast.While:
		return nil, []ast.Node{n.Cond, n.Body}
	case *ast.Unroll:
		return []ast.Node{n.N}, []ast.Node{n.Body}
	case *ast.ForRange:
		return []ast.Node{n.From, n.To}, []ast.Node{n.Body}
	case *ast.ForMap:
		return nil, []ast.Node{n.Body}
	}
	return nil, nil
}

func (f flow) forRange(s *ast.ForRange) {
	f.noteLoop(s)
	from, to := f.scalarOf(s.From), f.scalarOf(s.To)
	f.values.inTurns(s, func() {
		if f.byCallback(s) {
			f.rangeCallback(s, from, to)
			return
		}
		limit := to
		if !limit.IsImm() {
			limit = ir.R(f.fresh(to))
		}
		f.count(f.fresh(from), limit, s.Body, func(i ir.Reg) {
			f.values.assignVar(s.Var, func(t *types.Type) value { return scalar(types.I64, ir.R(i)) })
		})
	})
}

// count runs a body while a register counts up to a limit. enter gives it the
// counter.
func (f flow) count(i ir.Reg, limit ir.Operand, b *ast.Block, enter func(ir.Reg)) {
	next, done := f.block(), f.block()
	f.upTo(i, ir.SLt, limit, next, done, func() {
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
	n := f.fresh(f.op(ir.OpSub, to, from))
	run, done := f.block(), f.block()
	f.goOnIf(ir.SLt, from, to, done)
	f.goOnIf(ir.UGt, ir.R(n), ir.I(check.MaxTurns), run)
	f.messages.lossAt(object.LossLoop, ir.I(0))
	f.jump(done)
	f.use(run)
	f.store(f.captureBase(), off, from, 8)
	cb := f.callback("loop", 2, 1, func(cb *fn, args []ir.Reg) {
		cb.flow.endLoop(s)
		base := cb.load(cb.capture, off, 8, false)
		i := cb.op(ir.OpAdd, base, cb.ext(ir.R(args[0]), 4, false))
		cb.values.assignVar(s.Var, func(t *types.Type) value { return scalar(types.I64, i) })
		cb.flow.stmtBlock(s.Body)
	})
	f.runCallback(s.Body, ir.R(n), cb)
	f.goOn(done)
}

// endLoop ends a loop, and with it what it is in, where loops within each other could run for
// hours, which no signal ends: in programs that fst runs itself if the session ends, and where the
// inner loops have taken as many turns as they may.
func (f flow) endLoop(loop ast.Node) {
	if f.stops() {
		f.leaveIf(ir.Ne, f.isStopped(), 0, func() {})
	}
	if most := f.mostTurns(); most > 0 && f.p.inner[loop] {
		off := f.p.captured.turns
		n := f.op(ir.OpAdd, f.load(f.capture, off, 8, false), ir.I(1))
		f.store(f.capture, off, n, 8)
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
	f.when(cond, n, ir.I(limit), func() {
		last()
		f.leave()
	})
}

// runCallback calls bpf_loop for the callback of a loop's body, and returns the number
// of turns.
func (f flow) runCallback(body ast.Node, n ir.Operand, cb int32) ir.Operand {
	f.blur(body)
	ran := f.do(ir.OpLoop, n, f.funcAddr(cb), ir.R(f.captureBase()))
	f.blur(body)
	f.afterCallback()
	return ran
}
