package lower

import (
	"slices"

	"fst/compiler/analysis"
	"fst/compiler/builtin"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

// flow has the statements, loops and callbacks.
type flow struct{ *fn }

// body compiles the filter and the action.
func (f flow) body() {
	f.findCaptured()
	if f.u.Clause.For == nil {
		f.gate(f.exit)
	}
	noted := f.messages.noteClause()
	f.filter(noted, func(ast.Expr) bool { return true })
	f.messages.reached(noted, object.NotedPassed)
	f.first = f.Cur
	f.access.drains()
	if f.u.Default {
		f.messages.event()
		return
	}
	if f.u.Body != nil {
		f.stmtBlock(f.u.Body)
	}
}

// filter leads to the exit unless those parts of the filter hold that are wanted.
// The probe has fired before the first that is not known while compiling.
func (f flow) filter(noted int, wanted func(part ast.Expr) bool) {
	fired := false
	for _, c := range analysis.Conjuncts(f.u, f.u.Filter) {
		if !wanted(c) {
			continue
		}
		if _, known := f.u.Consts[c]; !known && !fired {
			f.messages.reached(noted, object.NotedFired)
			fired = true
		}
		keep := f.NewBlock()
		f.inFilter = !analysis.Branches(c)
		f.conditions.cond(c, keep, f.exit)
		f.inFilter = false
		f.SetBlock(keep)
	}
}

func (f flow) stmts(list []ast.Stmt) {
	behind := f.clearedBehind(f.u, list)
	done := map[int]bool{} // clear() that a print() before it has done
	for i, s := range list {
		if done[i] {
			continue
		}
		if at, ok := behind[i]; ok {
			name, _ := analysis.WholeMap(s, builtin.ShowsMaps)
			m := f.info.ByName[name]
			f.access.drain(m, f.access.turn(m), s.Pos())
			done[at] = true
			f.drainedHere = m
		}
		f.stmt(s)
		f.drainedHere = nil
	}
}

// dead starts a block for statements that nothing reaches.
func (f flow) dead(to *ir.Block) {
	f.Jump(to)
	f.SetBlock(f.NewBlock())
}

func (f flow) stmt(s ast.Stmt) {
	if f.live.Idle(f.u, s) {
		return
	}
	defer f.at(s)()
	f.depth++
	defer func() { f.depth-- }()
	switch s := s.(type) {
	case *ast.ExprStmt:
		f.expr(s.X)
	case *ast.Assign:
		f.assign(s)
	case *ast.Let:
		f.let(s)
	case *ast.If:
		f.ifStmt(s)
	case *ast.While:
		f.while(s)
	case *ast.Unroll:
		f.unroll(s)
	case *ast.ForRange:
		f.forRange(s)
	case *ast.ForMap:
		f.access.forMap(s)
	case *ast.Break:
		f.breakOut(true)
	case *ast.Continue:
		f.breakOut(false)
	case *ast.Return:
		if s.Value != nil {
			v := f.expr(s.Value)
			if f.u.Provider == "test" && f.u.Types[s.Value].IsInteger() {
				f.Set(f.result, f.values.operand(v))
			}
		}
		f.leave()
	case *ast.BlockStmt:
		f.stmtBlock(s.Body)
	case *ast.Inline:
		f.inline(s)
	case *ast.FuncBody:
		f.left(func() { f.stmtBlock(s.Body) })
	case *ast.Event:
		f.messages.eventOf(s)
	}
}

// left compiles code that return leaves.
func (f flow) left(build func()) {
	done := f.NewBlock()
	f.exits = append(f.exits, done)
	build()
	f.exits = f.exits[:len(f.exits)-1]
	f.Label(done)
}

// inline compiles a clause that is put into another one.
func (f flow) inline(s *ast.Inline) {
	loops := f.loops
	f.inlines, f.loops = append(f.inlines, inline{node: s}), nil
	f.left(func() {
		if s.Clause.For == nil {
			f.gate(f.exits[len(f.exits)-1])
		}
		noted := f.messages.note(f.clause(), s.Probe, s.Body, s.Clause.For != nil)
		f.inlines[len(f.inlines)-1].noted = noted
		if isFiltered(s.Body) {
			f.messages.reached(noted, object.NotedFired)
		} else {
			f.messages.reached(noted, object.NotedPassed)
		}
		f.stmtBlock(s.Body)
	})
	f.inlines, f.loops = f.inlines[:len(f.inlines)-1], loops
}

// isFiltered reports whether the body of a clause that is put in is within its
// filter.
func isFiltered(body *ast.Block) bool {
	return slices.ContainsFunc(body.Stmts, func(s ast.Stmt) bool {
		i, ok := s.(*ast.If)
		return ok && i.Filter
	})
}

func (f flow) assign(s *ast.Assign) {
	switch target := s.Target.(type) {
	case *ast.Map:
		f.access.assignMap(s, target)
	case *ast.Var:
		if s.Op == "=" {
			f.values.assignTo(target, s.Value)
			return
		}
		op := s.Op[:len(s.Op)-1]
		old := f.values.variable(target)
		n := f.scalarOf(s.Value)
		if old.t.Kind == types.Pointer {
			n = f.numbers.scale(n, old.t)
		}
		signed := old.t.Signed || f.typeOf(s.Value).Signed
		r := f.numbers.arith(op, f.values.operand(old), n, signed, old.t.Signed)
		f.values.assignVar(target, func(t *types.Type) value { return scalar(t, r) })
	default: // _ = x
		f.expr(s.Value)
	}
}

func (f flow) let(s *ast.Let) {
	if s.Value != nil {
		f.values.assignTo(s.Var, s.Value)
		return
	}
	f.values.clear(f.values.place(s.Var))
}

func (f flow) ifStmt(s *ast.If) {
	then := func() {
		if s.Filter {
			f.messages.reached(f.inlines[len(f.inlines)-1].noted, object.NotedPassed)
		}
		f.stmtBlock(s.Then)
	}
	els := func() {
		if s.Else != nil {
			f.stmtBlock(s.Else)
		}
	}
	if c, ok := f.u.Consts[s.Cond]; ok {
		if c != 0 {
			then()
		} else {
			els()
		}
		return
	}
	f.Diamond(func(then, els *ir.Block) { f.conditions.cond(s.Cond, then, els) }, then, els)
}

func (f flow) stmtBlock(b *ast.Block) {
	f.stmts(b.Stmts)
	if b.Value != nil {
		f.expr(b.Value)
	}
}

// breakOut is break or continue: a jump, or the return of a callback.
func (f flow) breakOut(brk bool) {
	if n := len(f.loops); n > 0 {
		if brk {
			f.dead(f.loops[n-1].brk)
		} else {
			f.dead(f.loops[n-1].cont)
		}
		return
	}
	if f.parent != nil {
		if brk {
			f.Set(f.result, ir.I(1))
		}
		f.dead(f.exit)
	}
}

// end is where return leads: behind the function or the clause that was put in,
// or to the end of the probe's body. outside is true if that is not within f.
func (f flow) end() (to *ir.Block, outside bool) {
	if n := len(f.exits); n > 0 {
		return f.exits[n-1], false
	}
	return f.exit, f.parent != nil
}

// leave is return, from within loops too.
func (f flow) leave() {
	to, outside := f.end()
	if outside {
		f.Store(f.captureBase(), capturedLeave, ir.I(1), 8)
		f.Set(f.result, ir.I(1))
	}
	f.dead(to)
}

func (f flow) funcAddr(i int32) ir.Operand {
	r := f.Func.NewReg()
	f.Emit(ir.Instr{Op: ir.OpFuncAddr, Dst: r, Func: i})
	return ir.R(r)
}
