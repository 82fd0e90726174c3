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
	return f.Op(ir.OpMul, n, ir.I(int64(size)))
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
	return f.Op(code, a, b)
}

// divide gives 1 for a division by zero, counts it, and tells of the first.
func (f numbers) divide(op string, a, b ir.Operand, signed bool) ir.Operand {
	uop := ir.OpDiv
	if op == "%" {
		uop = ir.OpMod
	}
	if b.IsImm() && b.Imm != 0 {
		if !signed {
			return f.Op(uop, a, b)
		}
		return f.SignedDivide(uop, a, b)
	}
	r := f.Func.NewReg()
	if b.IsImm() {
		b = ir.R(f.Reg(b))
	}
	f.IfElse(ir.Eq, b, ir.I(0), func() {
		f.messages.lossAt(object.LossDivision, ir.I(0))
		f.Set(r, ir.I(1))
	}, func() {
		if signed {
			f.Set(r, f.SignedDivide(uop, a, b))
		} else {
			f.Set(r, f.Op(uop, a, b))
		}
	})
	return ir.R(r)
}
