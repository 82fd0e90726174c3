package lower

import (
	"strconv"
	"strings"

	"fst/compiler/ir"
	"fst/compiler/ir/irbuild"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/source"
)

// A pinned iterator prints into the file that it is pinned as, for whoever
// reads it, also when fst is gone: printf, and print of a value, are calls of
// the kernel's printf for such files.

// maxSeqArgs is how many values one call takes (MAX_SEQ_PRINTF_VARARGS).
const maxSeqArgs = 12

// isPinned reports whether the program prints into a file.
func (f messages) isPinned() bool { return f.u.Hooks[0].Pin != "" }

// parseFormat splits the format of a printf of the program.
func (f messages) parseFormat(format string) []object.Verb {
	verbs, _ := object.ParseFormat(format)
	if f.u.Provider == "iter" {
		verbs = object.KernelPointers(verbs)
	}
	return verbs
}

// seqPrintf is printf and print for a pinned iterator.
func (f messages) seqPrintf(verbs []object.Verb, args []ast.Expr, at source.Span) {
	if len(args) > maxSeqArgs {
		f.diags.Errorf(at, "a pinned iterator prints at most %d values at once", maxSeqArgs).Hintf("use more than one printf()")
		return
	}
	var format strings.Builder
	data := f.Slot("values", 8*max(1, len(args)))
	n := 0
	for _, v := range verbs {
		format.WriteString(strings.ReplaceAll(v.Literal, "%", "%%"))
		if v.Conv == 0 || n >= len(args) {
			continue
		}
		x := args[n]
		text, word, ok := f.seqValue(v, f.expr(x))
		if !ok {
			f.diags.Errorf(x.Pos(), "a pinned iterator can't print this: it prints numbers and strings, in the forms that the kernel has").
				Hintf("without the pin all can be printed")
			return
		}
		format.WriteString(text)
		f.Store(data, int32(8*n), word, 8)
		n++
	}
	text := f.texts.constBytes(format.String(), types.StringType(format.Len()+1))
	values := ir.I(0)
	if n > 0 {
		values = ir.R(data)
	}
	f.MapOp(irbuild.Map{In: ir.R(f.ctx)}, ir.OpPrintFile, f.values.address(text), ir.I(int64(format.Len()+1)), values, ir.I(int64(8*n)))
}

// seqValue is a value as the kernel prints it: the conversion, and the word
// that goes with it.
func (f messages) seqValue(v object.Verb, x value) (conversion string, word ir.Operand, ok bool) {
	if v.Prec >= 0 || v.Sub != 0 || v.Hash || v.Space {
		return "", word, false
	}
	flags := "%"
	switch {
	case v.Minus:
		flags += "-"
	case v.Zero:
		flags += "0"
	case v.Plus:
		flags += "+"
	}
	if v.Width > 0 {
		flags += strconv.Itoa(v.Width)
	}
	switch {
	case x.t.Kind == types.String && v.Conv == 's':
		base, off, _ := f.texts.bytesOf(x)
		return flags + "s", f.AddConst(ir.R(base), int64(off)), true
	case !x.t.IsInteger() && x.t.Kind != types.Pointer:
		return "", word, false
	}
	word = f.values.operand(x)
	signed := x.t.Signed
	switch v.Conv {
	case 'd', 'i':
		signed = true
	case 'u', 'x':
		signed = false
	case 's':
		v.Bits = 64
		if x.t.Kind == types.Pointer {
			v.Conv = 'p'
		}
	case 'p':
	default:
		return "", word, false
	}
	word = f.Extend(word, v.Bits/8, signed)
	switch {
	case v.Pointer != "":
		return flags + "p" + v.Pointer, word, true
	case v.Conv == 'p':
		return "0x" + flags + "llx", word, v.Width == 0
	case v.Conv == 'x':
		return flags + "llx", word, true
	case signed:
		return flags + "lld", word, true
	}
	return flags + "llu", word, true
}
