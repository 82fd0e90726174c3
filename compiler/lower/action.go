package lower

import (
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

// printfCall is printf("format", ...): into the file of an iterator, if it has one.
func (f *fn) printfCall(x *ast.Call) {
	if f.isPinned() {
		f.seqPrintf(f.parseFormat(f.constString(x.Args[0])), x.Args[1:], x.Span)
	} else {
		f.printf(object.MsgPrintf, x)
	}
}

// errorf is errorf("format", ...).
func (f *fn) errorf(x *ast.Call) { f.printf(object.MsgErrorf, x) }

// assert is assert(condition[, text]): if it does not hold, an error and the end of
// the script.
func (f *fn) assert(x *ast.Call) {
	ok, fail := f.block(), f.block()
	f.cond(x.Args[0], ok, fail)
	f.use(fail)
	m := f.message(object.MsgErrorf, f.u, x.Span)
	text := "assert failed"
	if len(x.Args) > 1 {
		text += ": " + f.constString(x.Args[1])
	}
	m.Format = []object.Verb{{Literal: text}}
	f.send(m, false, nil)
	f.exitWith(x, ir.I(1))
	f.jump(ok)
	f.use(ok)
}

// exitCall is exit([code]).
func (f *fn) exitCall(x *ast.Call) {
	code := ir.I(0)
	if len(x.Args) > 0 {
		code = f.scalarOf(x.Args[0])
	}
	f.exitWith(x, code)
}

// exitWith sends the message that ends the script, and ends the body.
func (f *fn) exitWith(x *ast.Call, code ir.Operand) {
	m := f.message(object.MsgExit, f.u, x.Span)
	off := int32(field(m, types.I64).Offset)
	f.send(m, true, func(rec ir.Reg) { f.store(rec, off, code, 8) })
	if f.walks() {
		f.store(f.mapValue(f.stopMap(), 0), 0, ir.I(1), 8)
	}
	f.leave()
}
