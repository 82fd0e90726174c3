package lower

import (
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

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

func (f *fn) scaleBy(n ir.Operand, size int) ir.Operand {
	if size == 1 {
		return n
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
