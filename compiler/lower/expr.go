package lower

import (
	"fst/compiler/ir"
	"fst/compiler/types"
	"fst/lang/ast"
)

// typeOf is the checked type of an expression.
func (f *fn) typeOf(x ast.Expr) *types.Type {
	if t := f.u.Types[x]; t != nil {
		return t
	}
	return types.I64
}

// scalarOf evaluates a numeric expression.
func (f *fn) scalarOf(x ast.Expr) ir.Operand {
	v := f.expr(x)
	return f.values.operand(v)
}

// expr evaluates an expression. What lies in memory is read when it is used.
func (f *fn) expr(x ast.Expr) value {
	defer f.at(x)()
	v := f.evaluate(x)
	v.at = f.Span
	return v
}

func (f *fn) evaluate(x ast.Expr) value {
	x = f.meaning(x)
	t := f.typeOf(x)
	if c, ok := f.u.Consts[x]; ok && t.IsScalar() {
		return scalar(t, ir.I(c))
	}
	if s, ok := f.u.Strings[x]; ok && t.Kind == types.String {
		v := value{t: t, str: &s}
		if lit, ok := x.(*ast.StringLit); ok {
			v.written = &lit.Value
		}
		return v
	}
	switch x := x.(type) {
	case *ast.IntLit:
		return scalar(t, ir.I(int64(x.Value)))
	case *ast.BoolLit:
		if x.Value {
			return scalar(t, ir.I(1))
		}
		return scalar(t, ir.I(0))
	case *ast.Ident:
		return f.probed.builtin(x.Name, x, t)
	case *ast.Var:
		return f.values.variable(x)
	case *ast.Map:
		return f.access.mapRead(x, t)
	case *ast.Call:
		return f.callExpr(x, t)
	case *ast.Unary:
		return f.unary(x, t)
	case *ast.IncDec:
		return f.access.incDec(x, t)
	case *ast.Binary:
		return f.numbers.binary(x, t)
	case *ast.Cond:
		return f.ternary(x, t)
	case *ast.Field:
		return f.values.field(x, t)
	case *ast.TupleIndex:
		return f.values.element(f.expr(x.X), x.N)
	case *ast.Index:
		return f.values.index(x, t)
	case *ast.Cast:
		return f.cast(x, t)
	case *ast.Tuple:
		return f.values.made("tuple", x, t)
	case *ast.Record:
		return f.values.made("record", x, t)
	case *ast.Comptime:
		return f.expr(x.X)
	case *ast.BlockExpr:
		return f.blockValue(x.Body, t)
	case *ast.IfExpr:
		return f.chosen(x.Cond, t, func() value { return f.blockValue(x.Then, t) }, func() value { return f.blockValue(x.Else, t) })
	}
	panic(f.fault(x, "no way to compile this expression"))
}

// meaning is the expression that x stands for, mostly x.
func (f *fn) meaning(x ast.Expr) ast.Expr {
	if m := f.u.Meaning[x]; m != nil {
		return m
	}
	return x
}

// typed works out a pointer that a helper takes by its type, or the address of
// a struct, and gives it to use: what is read on the way must come from plain
// loads, of which the kernel follows the types. It catches those that fault. Null
// pointers must be told apart, as those of an iterator at its end: use is left out.
func (f *fn) typed(x ast.Expr, use func(p ir.Operand)) {
	null, done := f.NewBlock(), f.NewBlock()
	f.typedNull = null
	v := f.expr(x)
	var p ir.Operand
	if v.t.Kind == types.Struct {
		p = f.values.address(v)
	} else {
		p = ir.R(f.NewVar(f.values.operand(v)))
		f.notNull(p)
	}
	f.typedNull = nil
	use(p)
	f.Jump(done)
	f.SetBlock(null)
	f.Label(done)
}

// notNull leaves what typed works out if a pointer on the way is null.
func (f *fn) notNull(p ir.Operand) {
	f.Guard(ir.Ne, p, ir.I(0), f.typedNull)
}

// boolValue makes 0 or 1 of a condition.
func (f *fn) boolValue(x ast.Expr) value {
	return f.truth(types.BoolType, func(yes, no *ir.Block) { f.conditions.cond(x, yes, no) })
}

// truth is 1 or 0, as test decides.
func (f *fn) truth(t *types.Type, test func(yes, no *ir.Block)) value {
	r := f.Func.NewReg()
	f.Diamond(test, func() { f.Set(r, ir.I(1)) }, func() { f.Set(r, ir.I(0)) })
	return scalar(t, ir.R(r))
}

func (f *fn) unary(x *ast.Unary, t *types.Type) value {
	switch x.Op {
	case "!":
		return f.boolValue(x)
	case "-":
		a := f.scalarOf(x.X)
		if a.IsImm() {
			return scalar(t, ir.I(-a.Imm))
		}
		r := f.Func.NewReg()
		f.Emit(ir.Instr{Op: ir.OpNeg, Dst: r, A: a})
		return scalar(t, f.Extend(ir.R(r), t.Size, t.Signed))
	case "~":
		return scalar(t, f.Extend(f.Op(ir.OpXor, f.scalarOf(x.X), ir.I(-1)), t.Size, t.Signed))
	case "*":
		inner := f.expr(x.X)
		sp := kernel
		if inner.t.User {
			sp = user
		}
		return value{t: t, isMem: true, base: f.values.operand(inner), sp: sp}
	case "&":
		return f.addressOf(x.X, t)
	}
	return f.expr(x.X) // unary +
}

// addressOf is &x: the place of a variable, of a map's value or of a member.
func (f *fn) addressOf(x ast.Expr, t *types.Type) value {
	switch x := x.(type) {
	case *ast.Map:
		return scalar(t, f.access.lookupOrZero(f.info.ByName[x.Name], x))
	case *ast.Var:
		if p := f.values.place(x); p.kv == nil {
			base, off := f.values.placeMem(p)
			return scalar(t, f.AddConst(ir.R(base), int64(off)))
		}
		v := f.values.variable(x)
		base, off := f.values.inMemory(v)
		return scalar(t, f.AddConst(ir.R(base), int64(off)))
	}
	v := f.expr(x)
	if v.isMem {
		return scalar(t, f.values.address(v))
	}
	f.diags.Errorf(x.Pos(), "only a variable, a map's value or a member has an address")
	return scalar(t, ir.I(0))
}

// merge evaluates two alternatives into one value of type t.
func (f *fn) merge(t *types.Type, cond func(then, els *ir.Block), a, b func() value) value {
	var r, mem ir.Reg
	switch {
	case t.Kind == types.None:
	case t.IsScalar():
		r = f.Func.NewReg()
	default:
		mem = f.Slot("either", t.Size)
	}
	arm := func(get func() value) func() {
		return func() {
			v := get()
			switch {
			case r != 0:
				f.Set(r, f.Extend(f.values.operand(v), min(t.Size, 8), t.Signed))
			case mem != 0:
				f.values.storeValue(v, t, mem, 0)
			}
		}
	}
	f.Diamond(cond, arm(a), arm(b))
	if mem != 0 {
		return memory(t, mem, 0)
	}
	return scalar(t, ir.R(r))
}

func (f *fn) ternary(x *ast.Cond, t *types.Type) value {
	if x.A == nil {
		v := f.expr(x.C)
		op := f.values.operand(v)
		return f.merge(t, func(then, els *ir.Block) { f.Branch(ir.Ne, op, ir.I(0), then, els) },
			func() value { return scalar(v.t, op) }, func() value { return f.expr(x.B) })
	}
	return f.chosen(x.C, t, func() value { return f.expr(x.A) }, func() value { return f.expr(x.B) })
}

// chosen is one of two values of type t, as a condition decides. What a constant rules out is not compiled.
func (f *fn) chosen(cond ast.Expr, t *types.Type, a, b func() value) value {
	c, known := f.u.Consts[cond]
	switch {
	case !known:
		return f.merge(t, func(then, els *ir.Block) { f.conditions.cond(cond, then, els) }, a, b)
	case c != 0:
		return a()
	}
	return b()
}

func (f *fn) blockValue(b *ast.Block, t *types.Type) value {
	f.flow.stmts(b.Stmts)
	if b.Value == nil {
		return scalar(t, ir.I(0))
	}
	return f.expr(b.Value)
}

// cast converts between numbers, pointers and small arrays.
func (f *fn) cast(x *ast.Cast, t *types.Type) value {
	v := f.expr(x.X)
	switch {
	case v.t.Kind.IsText() && t.Kind == types.String:
		v = f.probed.nameText(v)
	case v.t.Kind.IsNamed():
		v = scalar(types.I64, f.Extend(f.values.operand(v), 4, v.t.Kind != types.Username))
	case v.t.Kind == types.Buffer && t.Kind != types.Buffer:
		v = f.bufferBytes(v)
	}
	switch {
	case t.Kind == types.Bool:
		return f.truth(t, func(yes, no *ir.Block) { f.Branch(ir.Ne, f.values.operand(v), ir.I(0), yes, no) })
	case t.Kind == types.Pointer && v.isMem && v.sp != direct && (v.t.Kind == types.Array || v.t.Kind == types.String):
		return scalar(t, f.values.address(v)) // an array stands for the place of its first element
	case t.IsScalar() && (v.t.Kind == types.Array || v.t.Kind == types.Inet):
		// A byte array read as a little-endian number.
		v.t = types.IntType(min(max(v.t.Size, 1), 8), false)
		return scalar(t, f.Extend(f.values.operand(v), t.Size, t.Signed))
	case t.IsScalar():
		return scalar(t, f.Extend(f.values.operand(v), t.Size, t.Signed))
	case v.isMem && (t.Kind == types.Struct || t.Kind == types.Union):
		v.t = t
		return v
	}
	as := t
	if v.t.Kind == types.String && t.Kind == types.Array {
		as = types.StringType(t.Size)
	}
	v = f.values.copied("cast", v, as)
	v.t = t
	return v
}

// bufferBytes is what a buffer holds, without the length before it, at a place
// where numbers can be read.
func (f *fn) bufferBytes(v value) value {
	t := types.ArrayOf(types.U8, v.t.Len)
	v.t, v.off = t, v.off+4
	mem := f.Slot("bytes", t.Size)
	f.Zero(mem, 0, max(t.Size, 8))
	f.values.storeValue(v, t, mem, 0)
	return memory(t, mem, 0)
}

// exprTo evaluates an expression into memory of type t.
func (f *fn) exprTo(x ast.Expr, t *types.Type, base ir.Reg, off int32) {
	defer f.at(x)()
	x = f.meaning(x)
	switch e := x.(type) {
	case *ast.Tuple:
		if t.Kind == types.Tuple {
			f.values.storeTuple(e.Elems, t, base, off)
			return
		}
	case *ast.Record:
		if t.Kind == types.Record {
			f.values.storeRecord(e, t, base, off)
			return
		}
	case *ast.Call:
		if f.callTo(e, t, base, off) {
			return
		}
	case *ast.Ident:
		if f.probed.builtinTo(e.Name, t, base, off) {
			return
		}
	}
	f.values.storeValue(f.expr(x), t, base, off)
}
