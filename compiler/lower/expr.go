package lower

import (
	"slices"

	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
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
	return f.operand(v)
}

// expr evaluates an expression.
func (f *fn) expr(x ast.Expr) value {
	defer f.at(x)()
	x = f.meaning(x)
	t := f.typeOf(x)
	if c, ok := f.u.Consts[x]; ok && t.IsScalar() {
		return scalar(t, ir.I(c))
	}
	if s, ok := f.u.Strings[x]; ok && t.Kind == types.String {
		return value{t: t, str: &s}
	}
	switch x := x.(type) {
	case *ast.IntLit:
		return scalar(t, ir.I(int64(x.Value)))
	case *ast.BoolLit:
		if x.Value {
			return scalar(t, ir.I(1))
		}
		return scalar(t, ir.I(0))
	case *ast.StringLit:
		return value{t: t, str: &x.Value}
	case *ast.Ident:
		return f.builtin(x.Name, x, t)
	case *ast.Var:
		return f.variable(x)
	case *ast.Map:
		return f.mapRead(x, t)
	case *ast.Call:
		return f.callExpr(x, t)
	case *ast.Unary:
		return f.unary(x, t)
	case *ast.IncDec:
		return f.incDec(x, t)
	case *ast.Binary:
		return f.binary(x, t)
	case *ast.Cond:
		return f.ternary(x, t)
	case *ast.Field:
		return f.field(x, t)
	case *ast.TupleIndex:
		return f.element(f.expr(x.X), x.N, t)
	case *ast.Index:
		return f.index(x, t)
	case *ast.Cast:
		return f.cast(x, t)
	case *ast.Tuple:
		return f.tuple(x.Elems, t)
	case *ast.Record:
		return f.tuple(inOrder(x, t), t)
	case *ast.Comptime:
		return f.expr(x.X)
	case *ast.BlockExpr:
		return f.blockValue(x.Body, t)
	case *ast.IfExpr:
		return f.ifValue(x, t)
	}
	f.diags.Errorf(x.Pos(), "this expression can't be used here")
	return scalar(types.I64, ir.I(0))
}

// meaning is the expression that x stands for, mostly x.
func (f *fn) meaning(x ast.Expr) ast.Expr {
	if m := f.u.Meaning[x]; m != nil {
		return m
	}
	return x
}

// typed evaluates a pointer that a helper takes by its type, or the address of
// a struct: what is read on the way must come from plain loads, of which the
// kernel follows the types. It catches those that fault.
func (f *fn) typed(x ast.Expr) ir.Operand {
	f.typedReads = true
	defer func() { f.typedReads = false }()
	if v := f.expr(x); v.t.Kind == types.Struct {
		return f.address(v)
	} else {
		return f.operand(v)
	}
}

// boolValue makes 0 or 1 of a condition.
func (f *fn) boolValue(x ast.Expr) value {
	r := f.f.NewReg()
	yes, no, done := f.block(), f.block(), f.block()
	f.cond(x, yes, no)
	f.use(yes)
	f.set(r, ir.I(1))
	f.jump(done)
	f.use(no)
	f.set(r, ir.I(0))
	f.jump(done)
	f.use(done)
	return scalar(types.BoolType, ir.R(r))
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
		r := f.f.NewReg()
		f.emit(ir.Instr{Op: ir.OpNeg, Dst: r, A: a})
		return scalar(t, f.ext(ir.R(r), t.Size, t.Signed))
	case "~":
		return scalar(t, f.ext(f.op(ir.OpXor, f.scalarOf(x.X), ir.I(-1)), t.Size, t.Signed))
	case "*":
		inner := f.expr(x.X)
		sp := kernel
		if inner.t.User {
			sp = user
		}
		return value{t: t, isMem: true, base: f.operand(inner), sp: sp}
	case "&":
		return f.addressOf(x.X, t)
	}
	return f.expr(x.X) // unary +
}

// addressOf is &x: the place of a variable, of a map's value or of a member.
func (f *fn) addressOf(x ast.Expr, t *types.Type) value {
	switch x := x.(type) {
	case *ast.Map:
		return scalar(t, f.lookupOrZero(f.info.ByName[x.Name], x))
	case *ast.Var:
		if p := f.place(x); p.kv == nil {
			base, off := f.placeMem(p)
			return scalar(t, f.add(ir.R(base), int64(off)))
		}
		v := f.variable(x)
		base, off := f.inMemory(v)
		return scalar(t, f.add(ir.R(base), int64(off)))
	}
	v := f.expr(x)
	if v.isMem {
		return scalar(t, f.address(v))
	}
	f.diags.Errorf(x.Pos(), "only a variable, a map's value or a member has an address")
	return scalar(t, ir.I(0))
}

func (f *fn) binary(x *ast.Binary, t *types.Type) value {
	switch x.Op {
	case "&&", "||", "==", "!=", "<", "<=", ">", ">=":
		return f.boolValue(x)
	}
	ta, tb := f.typeOf(x.X), f.typeOf(x.Y)
	a, b := f.scalarOf(x.X), f.scalarOf(x.Y)
	// Pointer arithmetic is scaled by the pointee's size.
	if ta.Kind == types.Pointer && tb.Kind != types.Pointer {
		b = f.scale(b, ta)
	} else if tb.Kind == types.Pointer && ta.Kind != types.Pointer {
		a = f.scale(a, tb)
	}
	signed := ta.Signed || tb.Signed
	return scalar(t, f.arith(x.Op, a, b, signed, ta.Signed))
}

func (f *fn) scale(n ir.Operand, p *types.Type) ir.Operand {
	size := 1
	if p.Elem != nil && p.Elem.Size > 1 {
		size = p.Elem.Size
	}
	if size == 1 {
		return n
	}
	if n.IsImm() {
		return ir.I(n.Imm * int64(size))
	}
	return f.op(ir.OpMul, n, ir.I(int64(size)))
}

// arith computes a op b on 64 bits. signed selects signed division, arsh a
// shift that keeps the sign.
func (f *fn) arith(op string, a, b ir.Operand, signed, arsh bool) ir.Operand {
	switch op {
	case "+":
		return f.op(ir.OpAdd, a, b)
	case "-":
		return f.op(ir.OpSub, a, b)
	case "*":
		return f.op(ir.OpMul, a, b)
	case "&":
		return f.op(ir.OpAnd, a, b)
	case "|":
		return f.op(ir.OpOr, a, b)
	case "^":
		return f.op(ir.OpXor, a, b)
	case "<<":
		return f.op(ir.OpLsh, a, b)
	case ">>":
		if arsh {
			return f.op(ir.OpArsh, a, b)
		}
		return f.op(ir.OpRsh, a, b)
	case "/", "%":
		return f.divide(op, a, b, signed)
	}
	panic("lower: unknown operator " + op)
}

// divide gives 1 for a division by zero, counts it, and tells of the first.
func (f *fn) divide(op string, a, b ir.Operand, signed bool) ir.Operand {
	uop := ir.OpDiv
	if op == "%" {
		uop = ir.OpMod
	}
	if b.IsImm() && b.Imm != 0 {
		if !signed {
			return f.op(uop, a, b)
		}
		return f.signedDivide(uop, a, b)
	}
	r := f.f.NewReg()
	zero, some, done := f.block(), f.block(), f.block()
	if b.IsImm() {
		b = ir.R(f.reg(b))
	}
	f.branch(ir.Eq, b, ir.I(0), zero, some)
	f.use(zero)
	f.lossAt(object.LossDivision, ir.I(0))
	f.set(r, ir.I(1))
	f.jump(done)
	f.use(some)
	if signed {
		f.set(r, f.signedDivide(uop, a, b))
	} else {
		f.set(r, f.op(uop, a, b))
	}
	f.jump(done)
	f.use(done)
	return ir.R(r)
}

// signedDivide divides like C, by way of absolute values: eBPF has a signed
// division only from 6.6 on.
func (f *fn) signedDivide(uop ir.Op, a, b ir.Operand) ir.Operand {
	abs := func(v ir.Operand) ir.Operand {
		if v.IsImm() {
			if v.Imm < 0 {
				return ir.I(-v.Imm)
			}
			return v
		}
		mask := f.op(ir.OpArsh, v, ir.I(63))
		return f.op(ir.OpSub, f.op(ir.OpXor, v, mask), mask)
	}
	q := f.op(uop, abs(a), abs(b))
	var sign ir.Operand
	switch {
	case uop == ir.OpMod: // the sign of the dividend
		sign = f.op(ir.OpArsh, a, ir.I(63))
	case b.IsImm() && b.Imm > 0:
		sign = f.op(ir.OpArsh, a, ir.I(63))
	default:
		sign = f.op(ir.OpArsh, f.op(ir.OpXor, a, b), ir.I(63))
	}
	return f.op(ir.OpSub, f.op(ir.OpXor, q, sign), sign)
}

// merge evaluates two alternatives into one value of type t.
func (f *fn) merge(t *types.Type, cond func(then, els *ir.Block), a, b func() value) value {
	then, els, done := f.block(), f.block(), f.block()
	var r ir.Reg
	var mem ir.Reg
	switch {
	case t.Kind == types.None:
	case t.IsScalar():
		r = f.f.NewReg()
	default:
		mem = f.slot("either", t.Size)
	}
	arm := func(b *ir.Block, get func() value) {
		f.use(b)
		v := get()
		switch {
		case r != 0:
			f.set(r, f.ext(f.operand(v), min(t.Size, 8), t.Signed))
		case mem != 0:
			f.storeValue(v, t, mem, 0)
		}
		f.jump(done)
	}
	cond(then, els)
	arm(then, a)
	arm(els, b)
	f.use(done)
	if mem != 0 {
		return memory(t, mem, 0)
	}
	return scalar(t, ir.R(r))
}

func (f *fn) ternary(x *ast.Cond, t *types.Type) value {
	if c, ok := f.u.Consts[x.C]; ok && x.A != nil {
		if c != 0 {
			return f.expr(x.A)
		}
		return f.expr(x.B)
	}
	if x.A == nil {
		v := f.expr(x.C)
		op := f.operand(v)
		return f.merge(t, func(then, els *ir.Block) { f.branch(ir.Ne, op, ir.I(0), then, els) },
			func() value { return scalar(v.t, op) }, func() value { return f.expr(x.B) })
	}
	return f.merge(t, func(then, els *ir.Block) { f.cond(x.C, then, els) },
		func() value { return f.expr(x.A) }, func() value { return f.expr(x.B) })
}

func (f *fn) ifValue(x *ast.IfExpr, t *types.Type) value {
	if c, ok := f.u.Consts[x.Cond]; ok {
		if c != 0 {
			return f.blockValue(x.Then, t)
		}
		return f.blockValue(x.Else, t)
	}
	return f.merge(t, func(then, els *ir.Block) { f.cond(x.Cond, then, els) },
		func() value { return f.blockValue(x.Then, t) }, func() value { return f.blockValue(x.Else, t) })
}

func (f *fn) blockValue(b *ast.Block, t *types.Type) value {
	f.stmts(b.Stmts)
	if b.Value == nil {
		return scalar(t, ir.I(0))
	}
	return f.expr(b.Value)
}

// field is x.name: a member of what x is or points to.
func (f *fn) field(x *ast.Field, t *types.Type) value {
	if id, ok := x.X.(*ast.Ident); ok && id.Name == "args" {
		return f.argNamed(x.Name)
	}
	v := f.expr(x.X)
	st := v.t
	if st.Kind == types.Pointer {
		p := f.operand(v)
		v = value{t: st.Elem, isMem: true, base: p, sp: spaceOf(st.User)}
		if f.typedReads && !st.User {
			v.sp = direct
		}
		st = st.Elem
	}
	fd, ok := st.Field(x.Name)
	if !ok {
		f.diags.Errorf(x.NameSpan, "%s has no member %s", st, x.Name)
		return scalar(t, ir.I(0))
	}
	return f.member(v, fd)
}

// member selects a field of a memory value.
func (f *fn) member(v value, fd types.Field) value {
	v.off += int64(fd.Offset)
	v.t = fd.Type
	if fd.BitSize != 0 {
		v.bits = &fd
	}
	if v.sp == user && v.t.Kind == types.Pointer && !v.t.User {
		v.t = types.PointerTo(v.t.Elem, true)
	}
	if fd.DataLoc {
		// u32: length << 16 | offset from the start of the record.
		loc := f.load(f.reg(v.base), int32(v.off), 4, false)
		at := f.op(ir.OpAnd, loc, ir.I(0xffff))
		addr := f.op(ir.OpAdd, v.base, at)
		v = value{t: fd.Type, isMem: true, base: addr, sp: kernel}
	}
	if v.t.IsCharArray() {
		// Of size 0 if the declaration does not say where it ends: its NUL does.
		v.t = &types.Type{Kind: types.String, Size: v.t.Size}
	}
	return v
}

// sized gives a text that ends nobody knows where a place of its own.
func (f *fn) sized(v value) value {
	if v.str != nil || !v.isMem || v.kv != nil || v.t.Kind != types.String || v.t.Size > 0 {
		return v
	}
	t := types.StringType(f.info.Config.MaxStrlen)
	mem := f.slot("text", t.Size)
	f.storeValue(v, t, mem, 0)
	return memory(t, mem, 0)
}

// element is tuple.N, also of a for-over-map's pair.
func (f *fn) element(v value, n int, t *types.Type) value {
	if v.kv != nil {
		if n == 0 {
			return f.kvKey(v.kv)
		}
		return f.kvValue(v.kv)
	}
	fields := v.t.Fields()
	if n >= len(fields) {
		return scalar(t, ir.I(0))
	}
	return f.member(v, fields[n])
}

func (f *fn) index(x *ast.Index, t *types.Type) value {
	v := f.expr(x.X)
	idx := f.operand(f.expr(x.I))
	if v.kv != nil || v.t.Kind == types.Tuple || v.t.Kind == types.Record {
		return f.element(v, int(idx.Imm), t)
	}
	if v.t.Kind == types.Pointer {
		p := f.operand(v)
		elem := v.t.Elem
		v = value{t: t, isMem: true, base: f.op(ir.OpAdd, p, f.scale(idx, v.t)), sp: spaceOf(v.t.User)}
		if elem != nil {
			v.t = elem
		}
		return v
	}
	if v.str != nil {
		base, off := f.inMemory(v)
		v = memory(v.t, base, off)
	}
	elem := v.t.Elem
	if elem == nil {
		elem = types.I8
	}
	size := max(elem.Size, 1)
	if idx.IsImm() {
		v.off += idx.Imm * int64(size)
		v.t = elem
		if v.sp == user && elem.Kind == types.Pointer {
			v.t = types.PointerTo(elem.Elem, true)
		}
		return v
	}
	n := v.t.Size / size
	if v.sp != direct {
		return value{t: elem, isMem: true, base: f.op(ir.OpAdd, f.address(v), f.scaleBy(idx, size)), sp: v.sp}
	}
	// The verifier must see that the index stays inside.
	out := f.fresh(ir.I(0))
	inside, done := f.block(), f.block()
	f.branch(ir.ULt, idx, ir.I(int64(max(n, 1))), inside, done)
	f.use(inside)
	addr := f.op(ir.OpAdd, f.address(v), f.scaleBy(idx, size))
	got := f.loadMem(value{t: elem, isMem: true, base: addr, sp: kernel}, min(size, 8), elem.Signed)
	f.set(out, got)
	f.jump(done)
	f.use(done)
	return scalar(elem, ir.R(out))
}

func (f *fn) scaleBy(n ir.Operand, size int) ir.Operand {
	if size == 1 {
		return n
	}
	return f.op(ir.OpMul, n, ir.I(int64(size)))
}

// cast converts between numbers, pointers and small arrays.
func (f *fn) cast(x *ast.Cast, t *types.Type) value {
	v := f.expr(x.X)
	switch {
	case t.Kind == types.Bool:
		r := f.f.NewReg()
		yes, no, done := f.block(), f.block(), f.block()
		f.branch(ir.Ne, f.operand(v), ir.I(0), yes, no)
		f.use(yes)
		f.set(r, ir.I(1))
		f.jump(done)
		f.use(no)
		f.set(r, ir.I(0))
		f.jump(done)
		f.use(done)
		return scalar(t, ir.R(r))
	case t.Kind == types.Pointer && v.isMem && v.sp != direct && (v.t.Kind == types.Array || v.t.Kind == types.String):
		return scalar(t, f.address(v)) // an array stands for the place of its first element
	case t.IsScalar() && (v.t.Kind == types.Array || v.t.Kind == types.Buffer || v.t.Kind == types.Inet):
		// A byte array read as a little-endian number.
		v.t = types.IntType(min(max(v.t.Size, 1), 8), false)
		return scalar(t, f.ext(f.operand(v), t.Size, t.Signed))
	case t.IsScalar():
		return scalar(t, f.ext(f.operand(v), t.Size, t.Signed))
	case v.isMem && (t.Kind == types.Struct || t.Kind == types.Union):
		v.t = t
		return v
	}
	mem, as := f.slot("cast", t.Size), t
	if v.t.Kind == types.String && t.Kind == types.Array {
		as = types.StringType(t.Size)
	}
	f.storeValue(v, as, mem, 0)
	return memory(t, mem, 0)
}

func (f *fn) tuple(elems []ast.Expr, t *types.Type) value {
	mem := f.slot("tuple", max(t.Size, 8))
	f.storeTuple(elems, t, mem, 0)
	return memory(t, mem, 0)
}

// inOrder are the values of a record in the order of its type's fields.
func inOrder(x *ast.Record, t *types.Type) []ast.Expr {
	values := make([]ast.Expr, len(x.Values))
	for i, fd := range t.Fields() {
		values[i] = x.Values[slices.Index(x.Names, fd.Name)]
	}
	return values
}

// storeTuple evaluates the elements straight into their places.
func (f *fn) storeTuple(elems []ast.Expr, t *types.Type, base ir.Reg, off int32) {
	f.zeroPadding(t, base, off)
	fields := t.Fields()
	for i, e := range elems {
		if i < len(fields) {
			f.exprTo(e, fields[i].Type, base, off+int32(fields[i].Offset))
		}
	}
}

// exprTo evaluates an expression into memory of type t.
func (f *fn) exprTo(x ast.Expr, t *types.Type, base ir.Reg, off int32) {
	defer f.at(x)()
	x = f.meaning(x)
	switch e := x.(type) {
	case *ast.Tuple:
		if t.Kind == types.Tuple {
			f.storeTuple(e.Elems, t, base, off)
			return
		}
	case *ast.Record:
		if t.Kind == types.Record {
			f.storeTuple(inOrder(e, t), t, base, off)
			return
		}
	case *ast.Call:
		if f.callTo(e, t, base, off) {
			return
		}
	case *ast.Ident:
		if f.builtinTo(e.Name, e, t, base, off) {
			return
		}
	}
	f.storeValue(f.expr(x), t, base, off)
}

// variable reads a $variable.
func (f *fn) variable(x *ast.Var) value {
	p := f.place(x)
	switch {
	case p.kv != nil:
		return value{t: p.t, isMem: true, kv: p.kv}
	case p.reg != 0:
		return scalar(p.t, ir.R(f.fresh(ir.R(p.reg))))
	}
	base, off := f.placeMem(p)
	v := memory(p.t, base, off)
	if p.t.IsScalar() {
		return scalar(p.t, ir.R(f.fresh(f.operand(v)))) // as it is now
	}
	return v
}

// hasAddress reports whether the address of a variable is taken: it then lives
// in memory.
func (f *fn) hasAddress(v *check.Var) bool {
	found := false
	if f.u.Body == nil {
		return false
	}
	ast.Walk(f.u.Body, func(n ast.Node) bool {
		if x, ok := n.(*ast.Unary); ok && x.Op == "&" {
			if target, ok := x.X.(*ast.Var); ok && f.u.Vars[target] == v {
				found = true
			}
		}
		return !found
	})
	return found
}

// place finds where a variable lives, choosing it at the first use.
func (f *fn) place(x *ast.Var) *place {
	v := f.u.Vars[x]
	if v == nil {
		v = &check0Var
	}
	if p, ok := f.vars[v]; ok {
		return p
	}
	p := &place{t: v.Type, cap: -1}
	if f.parent != nil {
		// Every variable of a callback that was not captured is its own.
		p.cap = -1
	}
	if p.t.IsScalar() && !f.hasAddress(v) {
		p.reg = f.f.NewReg()
	} else {
		p.slot = f.f.NewSlot("$"+v.Name, max(p.t.Size, 8), 8)
	}
	f.vars[v] = p
	f.initPlace(p)
	return p
}

// initPlace zeroes a variable at the function's start: it may be read on a
// path that has not assigned it.
func (f *fn) initPlace(p *place) {
	entry := f.f.Blocks[0]
	saved := f.cur
	at := len(entry.Instrs)
	if f.cur == entry {
		// Zero it right here: nothing has used it yet.
		if p.reg != 0 {
			f.set(p.reg, ir.I(0))
		} else {
			base, off := f.placeMem(p)
			f.zero(base, off, max(p.t.Size, 8))
		}
		return
	}
	f.cur = &ir.Block{}
	if p.reg != 0 {
		f.set(p.reg, ir.I(0))
	} else {
		base, off := f.placeMem(p)
		f.zero(base, off, max(p.t.Size, 8))
	}
	entry.Instrs = append(entry.Instrs[:at:at], f.cur.Instrs...)
	f.cur = saved
}

// placeMem is the address of a variable in memory.
func (f *fn) placeMem(p *place) (ir.Reg, int32) {
	if p.far {
		return f.load(f.captureBase(), f.p.captured.farCell, 8, false).Reg, p.cap
	}
	if p.cap >= 0 {
		return f.captureBase(), p.cap
	}
	return f.slotAddr(p.slot, 0), 0
}

// assignVar writes a $variable.
func (f *fn) assignVar(x *ast.Var, value func(t *types.Type) value) {
	p := f.place(x)
	v := value(p.t)
	if p.reg != 0 {
		f.set(p.reg, f.ext(f.operand(v), min(max(p.t.Size, 1), 8), p.t.Signed))
		return
	}
	base, off := f.placeMem(p)
	f.storeValue(v, p.t, base, off)
}
