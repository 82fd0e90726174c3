package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// messages are what a unit shows: formats and their arguments, rows and tables.
type messages struct{ *unitChecker }

// maxFormatArgs is the largest number of values in one printf.
const maxFormatArgs = 127

// printf checks a constant format against its arguments: their number and the
// class of each.
func printf(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	format := x.Args[0]
	t := u.messages.format(format)
	argTypes := make([]*types.Type, len(x.Args)-1)
	for i, a := range x.Args[1:] {
		argTypes[i] = u.value(a)
	}
	text, ok := u.Strings[format]
	switch {
	case t.Kind == types.Invalid:
	case !ok || t.Kind != types.String:
		found := types.Describe(t)
		if t.Kind == types.String {
			found = "one known only at run time"
		}
		u.errorf(format.Pos(), "the format of %s must be a constant string, not %s", x.Name, found).Hintf(`%s("%%s", x) prints a value`, x.Name)
	case !u.isOpen(format):
		u.messages.conversions(x, text, argTypes)
	}
	return types.NoneType
}

// format is the type of a format. One that is written out stays in user space, so its length is free.
func (u messages) format(x ast.Expr) *types.Type {
	if lit, ok := x.(*ast.StringLit); ok {
		u.Strings[lit], u.Types[lit] = lit.Value, types.StringType(len(lit.Value)+1)
		return u.Types[lit]
	}
	u.wantText = x
	for sum, ok := x.(*ast.Binary); ok; sum, ok = sum.X.(*ast.Binary) {
		u.wantText = sum.X // printf(hello %d, x)
	}
	return u.expr(x)
}

// conversions checks the conversions of a format, and the arguments for each.
func (u messages) conversions(x *ast.Call, text string, argTypes []*types.Type) {
	format := x.Args[0]
	verbs, bad := object.ParseFormat(text)
	if u.Provider == "iter" {
		verbs = object.KernelPointers(verbs)
	}
	convs := slices.DeleteFunc(verbs, func(v object.Verb) bool { return v.Conv == 0 })
	for _, v := range convs {
		switch {
		case v.Star && len(convs) != len(argTypes):
			bad = append(bad, object.Verb{Conv: '*', Start: v.Start, End: v.End})
		case v.Star:
			u.warnf(verbSpan(format, v), "the * of %s is ignored", verbText(text, v)).Hintf("a width is written into the format: %%8d, %%.8s")
		}
	}
	for _, v := range bad {
		d := u.errorf(verbSpan(format, v), "the format has %%%c, which is not supported", v.Conv)
		if strings.IndexByte("feEgGaAF", v.Conv) >= 0 {
			d.Hintf("only integers can be printed: scale them, as %%d.%%03d does with x / 1000 and x %% 1000")
		} else if v.Conv == '*' {
			d.Hintf("a width is written into the format: %%8d, %%.8s")
		}
	}
	switch {
	case len(bad) > 0:
	case len(argTypes) > maxFormatArgs:
		u.errorf(x.Span, "%s takes at most %d values", x.Name, maxFormatArgs)
	case len(convs) != len(argTypes):
		u.countMismatch(x, text, convs, len(argTypes))
	default:
		u.kernelFormats(format, text, convs)
		for i, v := range convs {
			u.conversion(x.Args[i+1], verbText(text, v), v, argTypes[i])
		}
	}
}

// throughPointer makes of an address what a form of %p shows of the memory there, and
// reports whether it still is to be checked. The kernel's own printf does that itself.
func (u messages) throughPointer(x ast.Expr, form string, t *types.Type) bool {
	at := ast.At{Span: x.Pos()}
	size := 0
	switch form {
	case "S", "s", "B":
		return true
	case "I4", "i4":
		size = 4
	case "I6", "i6":
		size = 16
	}
	if t.Kind != types.Pointer && !t.IsInteger() {
		d := u.errorf(at.Span, "%%p%s prints what is at an address, not %s", form, types.Describe(t))
		if size > 0 {
			d.Hintf("write %%s with ntop(x)")
		} else {
			d.Hintf("write %%s")
		}
		return false
	}
	if u.Hooks[0].Pin != "" {
		return false
	}
	call := func(f *builtin.Func, arg ast.Expr) ast.Expr {
		return &ast.Call{At: at, Name: f.Name, NameSpan: at.Span, Args: []ast.Expr{arg}}
	}
	switch form {
	case "ks":
		u.casts.standFor(x, call(builtin.FuncStr, call(builtin.FuncKptr, itself(x))))
	case "us":
		u.casts.standFor(x, call(builtin.FuncStr, call(builtin.FuncUptr, itself(x))))
	default:
		bytes := &ast.TypeExpr{At: at, Name: "uint8", NameSpan: at.Span, Post: []ast.TypePost{{Len: size}, {Pointer: true}}}
		u.casts.standFor(x, call(builtin.FuncNtop, &ast.Unary{At: at, Op: "*", X: &ast.Cast{At: at, Type: bytes, X: itself(x)}}))
	}
	return false
}

// kernelFormats warns about %pI4 and its like, which mean something to the
// kernel's printk only: here they are %p and some letters.
func (u messages) kernelFormats(format ast.Expr, text string, convs []object.Verb) {
	for _, v := range convs {
		if v.Conv != 'p' || v.Pointer != "" || u.quiet {
			continue
		}
		for letters, instead := range kernelPointers {
			if rest, ok := strings.CutPrefix(text[v.End:], letters); ok && (rest == "" || !isLetter(rest[0])) {
				v.End += len(letters)
				u.diags.Warnf(verbSpan(format, v), "%%p%s prints an address and then %q; it has its meaning in the kernel's printk only", letters, letters).
					Hintf("%s", instead)
			}
		}
	}
}

// kernelPointers are the letters that printk knows behind %p, with what prints
// the same here.
var kernelPointers = map[string]string{
	"I4": "write %s with ntop(x)", "I6": "write %s with ntop(x)", "i4": "write %s with ntop(x)", "i6": "write %s with ntop(x)",
	"I6c": "write %s with ntop(x)", "S": "write %s with ksym(x)", "s": "write %s with ksym(x)", "M": "write %s with macaddr(x)",
	"K": "write %p", "d": "write %s with str(x->d_name.name)", "D": "write %s with str(x->f_path.dentry->d_name.name)",
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func verbText(format string, v object.Verb) string {
	if v.Start >= 0 && v.End <= len(format) && v.Start < v.End {
		return format[v.Start:v.End]
	}
	return "%" + string(rune(v.Conv))
}

func (u messages) countMismatch(x *ast.Call, text string, convs []object.Verb, have int) {
	want := len(convs)
	if have > want {
		if v, wide, ok := lonePercent(text, convs); wide {
			u.errorf(verbSpan(x.Args[0], v), "'%s' is a percent sign", verbText(text, v)).Hintf("a lone percent sign is written %%%%")
			return
		} else if ok {
			u.errorf(verbSpan(x.Args[0], v), "%s is not a conversion", verbText(text, v)).
				Hintf("%%d %%u %%x %%o print numbers, %%s anything, %%c a character, %%p an address, %%r bytes")
			return
		}
		sp := x.Args[1+want].Pos().To(x.Args[have].Pos())
		u.errorf(sp, "%s has %s too many: its format takes %d", x.Name, diag.Plural(have-want, "argument"), want).
			Hintf("add a conversion such as %%d or %%s to the format")
		return
	}
	missing := convs[have]
	d := u.errorf(verbSpan(x.Args[0], missing), "%s has no argument for %s: its format takes %d, and %s given", x.Name, verbText(text, missing), want, areOrIs(have))
	if have == 0 && want == 1 && strings.HasPrefix(text[missing.Start:], "% ") {
		d.Hintf("a lone percent sign is written %%%%")
		return
	}
	d.Hintf("add an argument; a lone percent sign is written %%%%")
}

func areOrIs(n int) string {
	switch n {
	case 0:
		return "none is"
	case 1:
		return "1 is"
	}
	return fmt.Sprintf("%d are", n)
}

// lonePercent finds a % that begins no conversion: one that has taken in what was to
// stand behind it, the blank of "100% %d", which is wide, else one of nothing known.
func lonePercent(text string, convs []object.Verb) (v object.Verb, wide, ok bool) {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		known := slices.ContainsFunc(convs, func(v object.Verb) bool { return v.Start == i })
		switch n := object.PercentSign(text[i:]); {
		case n > 2:
			return object.Verb{Start: i, End: i + n}, true, true
		case n > 0:
			i += n - 1
		case !ok && !known && isLetter(text[i+1]):
			v, ok = object.Verb{Start: i, End: i + 2}, true
		}
	}
	return v, false, ok
}

// verbSpan is where a conversion of a literal format stands in the script.
func verbSpan(format ast.Expr, v object.Verb) source.Span {
	lit, ok := format.(*ast.StringLit)
	if !ok || lit.Text == "" {
		return format.Pos()
	}
	// The text of the script has escapes where the format has characters.
	at := 1
	for n := 0; n < v.Start && at < len(lit.Text); n++ {
		at += escapeLen(lit.Text[at:])
	}
	start := lit.Span.Start + source.Pos(at)
	return source.Span{Start: start, End: min(start+source.Pos(v.End-v.Start), lit.Span.End)}
}

// escapeLen is how many bytes of a literal's text stand for its next byte.
func escapeLen(s string) int {
	digits := func(from, most int, set string) int {
		n := from
		for n < len(s) && n < from+most && strings.IndexByte(set, s[n]) >= 0 {
			n++
		}
		return n
	}
	switch {
	case len(s) < 2 || s[0] != '\\':
		return 1
	case s[1] == 'x':
		return digits(2, 2, "0123456789abcdefABCDEF")
	case s[1] >= '0' && s[1] <= '7':
		return digits(1, 3, "01234567")
	}
	return 2
}

// conversion checks that a conversion takes a type.
func (u messages) conversion(a ast.Expr, verb string, v object.Verb, t *types.Type) {
	if t.Kind == types.Invalid {
		return
	}
	if strings.IndexByte("diuxXoc", v.Conv) >= 0 {
		t = u.casts.asNumber(a, t)
	}
	if v.Pointer != "" && !u.throughPointer(a, v.Pointer, t) {
		return
	}
	switch v.Conv {
	case 's':
		if t.Kind == types.Tuple && len(t.Fields()) == 0 {
			u.errorf(a.Pos(), "an empty tuple can't be printed").Hintf("name the value to print: x, or (a, b)")
		}
		u.warnings.addressOfText(a, t)
		return
	case 'r':
		if v.Sub == 'g' {
			break
		}
		if t.Kind != types.Buffer && t.Kind != types.Array && t.Kind != types.String {
			u.errorf(a.Pos(), "%s prints bytes, not %s", verb, types.Describe(t)).Hintf("make them with buf()")
		}
		return
	}
	if printsAsNumber(t) {
		return
	}
	d := u.errorf(a.Pos(), "%s prints a number, not %s", verb, types.Describe(t))
	switch {
	case t.Kind == types.Pointer:
	case v.Conv == 'c':
		d.Hintf("print it with %%s")
	default:
		d.Hintf("print it with %s", swapVerb(verb))
	}
}

// swapVerb is a conversion with %s in the place of a number's.
func swapVerb(verb string) string {
	i := 1
	for i < len(verb) && strings.IndexByte("-0+ #123456789.", verb[i]) >= 0 {
		i++
	}
	return verb[:i] + "s"
}

// printsAsNumber reports whether %d and its like take a type.
func printsAsNumber(t *types.Type) bool {
	switch t.Kind {
	case types.Int, types.Bool, types.Enum, types.Pointer, types.KSym, types.Username, types.Syscall, types.Errno,
		types.SignalName, types.CgroupPath, types.Container, types.Pod:
		return true
	case types.Func:
		return !t.User
	}
	return false
}

// formatConsts fills a format with constant arguments, for messages.
func (u messages) formatConsts(text string, args []ast.Expr) string {
	verbs, _ := object.ParseFormat(text)
	var b strings.Builder
	i := 0
	for _, v := range verbs {
		b.WriteString(v.Literal)
		if v.Conv == 0 {
			continue
		}
		word := "?"
		if i < len(args) {
			if s, ok := u.Strings[args[i]]; ok {
				word = s
			} else if n, ok := u.Consts[args[i]]; ok {
				word = strconv.FormatInt(n, 10)
				if v.Conv == 'x' {
					word = fmt.Sprintf("%x", uint64(n))
				}
			}
		}
		b.WriteString(word)
		i++
	}
	return b.String()
}
