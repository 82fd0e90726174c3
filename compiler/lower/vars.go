package lower

import (
	"fst/compiler/ir"
	"fst/compiler/types"
	"fst/lang/ast"
)

// variable reads a $variable.
func (f values) variable(x *ast.Var) value {
	p := f.place(x)
	switch {
	case p.kv != nil:
		return value{t: p.t, isMem: true, kv: p.kv}
	case p.reg != 0:
		return scalar(p.t, ir.R(f.NewVar(ir.R(p.reg))))
	}
	base, off := f.placeMem(p)
	v := f.read(memory(p.t, base, off))
	if !v.isMem {
		v.op = ir.R(f.NewVar(v.op)) // as it is now
	}
	return v
}

// place finds where a variable lives, choosing it at the first use.
func (f values) place(x *ast.Var) *place { return f.placeOf(x, false) }

// placeOf is place for a use that may be sure to give the variable its whole value
// before any other use.
func (f values) placeOf(x *ast.Var, given bool) *place {
	v := f.u.Vars[x]
	if v == nil {
		panic(f.fault(x, "no such variable"))
	}
	if p, ok := f.vars[v]; ok {
		return p
	}
	// Every variable of a callback that was not captured is its own.
	p := &place{t: v.Type, cap: -1}
	if p.t.IsScalar() && !f.p.addressed[v] {
		p.reg = f.Func.NewReg()
	} else {
		p.slot = f.Func.NewSlot("$"+v.Name, max(p.t.Size, 8), 8)
	}
	f.vars[v] = p
	if !given || p.reg != 0 || p.t.Size%8 != 0 {
		f.initPlace(p)
	}
	return p
}

// initPlace zeroes a variable where the function's statements begin: it may be
// read on a path that has not assigned it.
func (f values) initPlace(p *place) {
	entry, saved := f.first, f.Cur
	if f.Cur == entry {
		f.clear(p) // nothing has used it yet
		return
	}
	f.Cur = &ir.Block{}
	f.clear(p)
	entry.Instrs = append(entry.Instrs, f.Cur.Instrs...)
	f.Cur = saved
}

// clear sets a variable to zero.
func (f values) clear(p *place) {
	if p.reg != 0 {
		f.Set(p.reg, ir.I(0))
		return
	}
	base, off := f.placeMem(p)
	f.Zero(base, off, max(p.t.Size, 8))
}

// placeMem is the address of a variable in memory.
func (f values) placeMem(p *place) (ir.Reg, int32) {
	if p.far {
		return f.Load(f.flow.captureBase(), f.p.captured.farCell, 8, false).Reg, p.cap
	}
	if p.cap >= 0 {
		return f.flow.captureBase(), p.cap
	}
	return f.SlotAddr(p.slot, 0), 0
}

// assignTo writes the value of an expression to a $variable: straight to its
// memory if it has one, unless the expression reads what is there.
func (f values) assignTo(x *ast.Var, e ast.Expr) {
	v := f.u.Vars[x]
	reads := ast.Any(e, func(n ast.Node) bool {
		y, ok := n.(*ast.Var)
		return ok && f.u.Vars[y] == v
	})
	if p := f.placeOf(x, !reads && f.depth == 1 && f.parent == nil); p.reg == 0 && p.kv == nil && !reads {
		base, off := f.placeMem(p)
		f.exprTo(e, p.t, base, off)
		return
	}
	f.assignVar(x, func(*types.Type) value { return f.expr(e) })
}

// assignVar writes a $variable.
func (f values) assignVar(x *ast.Var, value func(t *types.Type) value) {
	p := f.place(x)
	v := value(p.t)
	if p.reg != 0 {
		f.Set(p.reg, f.Extend(f.operand(v), min(max(p.t.Size, 1), 8), p.t.Signed))
		return
	}
	base, off := f.placeMem(p)
	f.storeValue(v, p.t, base, off)
}
