package lower

import (
	"fst/compiler/builtin"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

// formatted are the functions that send a format and its arguments.
var formatted = map[string]object.MessageKind{
	"errorf": object.MsgErrorf, "warnf": object.MsgWarnf, "time": object.MsgTime, "cat": object.MsgCat, "system": object.MsgSystem,
}

// action compiles a call that is made for what it does and has no value. It
// returns false for all others.
func (f *fn) action(x *ast.Call) bool {
	if kind, ok := formatted[x.Name]; ok {
		f.printf(kind, x)
		return true
	}
	switch builtin.Canonical(x.Name) {
	case "printf":
		if f.isPinned() {
			f.seqPrintf(f.parseFormat(f.constString(x.Args[0])), x.Args[1:], x.Span)
		} else {
			f.printf(object.MsgPrintf, x)
		}
	case "print":
		f.print(x)
	case "heat":
		f.heat(x)
	case "row":
		f.row(x)
	case "table":
		f.table(x)
	case "clear":
		f.mapMessage(object.MsgClear, x)
	case "zero":
		f.mapMessage(object.MsgZero, x)
	case "exit":
		f.exitCall(x)
	case "join":
		f.join(x)
	case "assert":
		f.assert(x)
	case "debugf":
		f.debugf(x)
	case "signal":
		f.callVoid(helperSendSignal, f.scalarOf(x.Args[0]))
	case "signal_thread":
		f.callVoid(helperSendSignalThr, f.scalarOf(x.Args[0]))
	case "override":
		f.callVoid(helperOverrideReturn, ir.R(f.ctx), f.scalarOf(x.Args[0]))
	case "witness": // the clause begins with it
	case "static_assert": // was judged by the checker
	default:
		return false
	}
	return true
}

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
