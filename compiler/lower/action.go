package lower

import (
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

// printfCall is printf("format", ...): into the file of an iterator, if it has one.
func printfCall(f *fn, x *ast.Call) {
	if f.messages.isPinned() {
		f.messages.seqPrintf(f.messages.parseFormat(f.u.Strings[x.Args[0]]), x.Args[1:], x.Span)
	} else {
		f.messages.printf(object.MsgPrintf, x)
	}
}

// errorf is errorf("format", ...).
func errorf(f *fn, x *ast.Call) { f.messages.printf(object.MsgErrorf, x) }

// assert is assert(condition[, text]): if it does not hold, an error and the end of
// the script.
func assert(f *fn, x *ast.Call) {
	ok, fail := f.NewBlock(), f.NewBlock()
	f.conditions.cond(x.Args[0], ok, fail)
	f.SetBlock(fail)
	m := f.message(object.MsgErrorf, f.u, x.Span)
	text := "assert failed"
	if len(x.Args) > 1 {
		text += ": " + f.u.Strings[x.Args[1]]
	}
	m.Format = []object.Verb{{Literal: text}}
	f.messages.send(m, false, nil)
	f.messages.exitWith(x, ir.I(1))
	f.Label(ok)
}

// exitCall is exit([code]).
func exitCall(f *fn, x *ast.Call) {
	code := ir.I(0)
	if len(x.Args) > 0 {
		code = f.scalarOf(x.Args[0])
	}
	f.messages.exitWith(x, code)
}

// exitWith sends the message that ends the script, and ends the body.
func (f messages) exitWith(x *ast.Call, code ir.Operand) {
	f.sendWords(f.message(object.MsgExit, f.u, x.Span), types.I64, code)
	if f.walks() {
		f.Store(f.MapValue(f.stopMap(), 0), 0, ir.I(1), 8)
	}
	f.flow.leave()
}
