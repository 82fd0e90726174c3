package lower

import (
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

// numbers computes.
type numbers struct{ *fn }

func (f numbers) binary(x *ast.Binary, t *types.Type) value {
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

// scale is n elements of what a pointer of type p points to, in bytes.
func (f numbers) scale(n ir.Operand, p *types.Type) ir.Operand {
	return f.scaleBy(n, int(stepOf(p)))
}

// scaleBy is n elements of a size in bytes.
func (f numbers) scaleBy(n ir.Operand, size int) ir.Operand {
	switch {
	case size == 1:
		return n
	case n.IsImm():
		return ir.I(n.Imm * int64(size))
	}
	return f.op(ir.OpMul, n, ir.I(int64(size)))
}

// operations are those of the operators that are one instruction, whatever the
// signs of their operands.
var operations = map[string]ir.Op{"+": ir.OpAdd, "-": ir.OpSub, "*": ir.OpMul, "&": ir.OpAnd, "|": ir.OpOr, "^": ir.OpXor,
	"<<": ir.OpLsh, ">>": ir.OpRsh}

// arith computes a op b on 64 bits. signed selects signed division, arsh a
// shift that keeps the sign.
func (f numbers) arith(op string, a, b ir.Operand, signed, arsh bool) ir.Operand {
	if op == "/" || op == "%" {
		return f.divide(op, a, b, signed)
	}
	code, ok := operations[op]
	if !ok {
		panic("lower: unknown operator " + op)
	}
	if code == ir.OpRsh && arsh {
		code = ir.OpArsh
	}
	return f.op(code, a, b)
}

// divide gives 1 for a division by zero, counts it, and tells of the first.
func (f numbers) divide(op string, a, b ir.Operand, signed bool) ir.Operand {
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
	if b.IsImm() {
		b = ir.R(f.reg(b))
	}
	f.either(ir.Eq, b, ir.I(0), func() {
		f.messages.lossAt(object.LossDivision, ir.I(0))
		f.set(r, ir.I(1))
	}, func() {
		if signed {
			f.set(r, f.signedDivide(uop, a, b))
		} else {
			f.set(r, f.op(uop, a, b))
		}
	})
	return ir.R(r)
}

// signedDivide divides like C, by way of absolute values: eBPF has a signed
// division only from 6.6 on.
func (f numbers) signedDivide(uop ir.Op, a, b ir.Operand) ir.Operand {
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
