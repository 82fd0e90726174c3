package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/format"
)

// callRules check calls and their arguments.
type callRules struct{ *unitChecker }

// formRules check the calls whose arguments are more than values; these have not been looked at yet.
var formRules [builtin.TypeInfo + 1]func(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type

func init() {
	formRules = [...]func(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type{
		builtin.Plain: plainCall, builtin.Formatted: printf, builtin.Failing: failCall,
		builtin.Tabular: row, builtin.MapTable: table, builtin.HeatMap: heat,
		builtin.Printing: printCall, builtin.Deleting: deleteCall, builtin.KeyLookup: hasKey,
		builtin.Finding: findCall, builtin.WholeMap: wholeMap, builtin.Length: lenCall,
		builtin.Signalling: signal, builtin.Assertion: assert, builtin.Testimony: witness,
		builtin.Existence: exists, builtin.Option: getopt, builtin.Container: containerOf,
		builtin.NamedBits: bits, builtin.TypeInfo: typeInfo,
	}
}

// call checks a call of a function, or of a variable written as one.
func (u callRules) call(x *ast.Call) *types.Type {
	f, ok := builtin.FuncByName(x.Name)
	if !ok {
		if v, isVar := builtin.VarByName(x.Name); isVar {
			return u.callVar(x, v)
		}
		u.unknownFunc(x)
		return invalid
	}
	if n := len(x.Args); n < f.Min || f.Max >= 0 && n > f.Max {
		u.misused(x, f, "%s takes %s, but is given %s", x.Name, argCount(f.Min, f.Max), count(n))
		u.args(x.Args)
		return f.Type
	}
	if f.Unsafe && !u.opts.Unsafe {
		u.errorf(x.NameSpan, "%s() acts on the system", x.Name).Hintf("run with --unsafe to allow it")
	}
	if !f.ValidIn(u.Provider) && !u.blind {
		u.errorf(x.NameSpan, "%s() can't be used in %s probes", x.Name, u.Provider).Hintf("it works in %s", strings.Join(f.In, ", "))
		u.args(x.Args)
		return f.Type
	}
	if f.Aggregation != 0 {
		u.strayAggregation(x, f)
		return invalid
	}
	return formRules[f.Form](u.unitChecker, x, f)
}

// strayAggregation reports count() and its like where they are not what a map is given.
func (u callRules) strayAggregation(x *ast.Call, f *builtin.Func) {
	u.args(x.Args)
	d := u.errorf(x.Span, "%s() must be alone on the right side of an assignment to a map", x.Name).Hintf("keep it in a map: @%s = %s", x.Name, f.Signature)
	if len(x.Args) > 0 && f.Aggregation.Has(types.Ranking) {
		if m, ok := x.Args[0].(*ast.Map); ok && m.Keys == nil {
			d.Hintf("write print(@%s, 5) for its five largest entries", m.Name)
		}
	}
	if u.target == nil {
		return
	}
	d.Hintf("%s() adds to the current value: write %s = %s", x.Name, format.Expr(u.target.Target), format.Expr(x))
	if b, ok := u.target.Value.(*ast.Binary); ok && b.Op == "/" && b.X == ast.Expr(x) && len(x.Args) == 1 {
		quotient := &ast.Binary{At: b.At, Op: b.Op, X: x.Args[0], Y: b.Y}
		d.Hintf("divide inside the parentheses: write %s = %s(%s)", format.Expr(u.target.Target), x.Name, format.Expr(quotient))
	}
}

// args checks arguments after an error, for the errors in themselves. What the
// right call would do with a map is not known.
func (u callRules) args(args []ast.Expr) {
	defer func(was bool) { u.misplaced = was }(u.misplaced)
	u.misplaced = true
	for _, a := range args {
		switch a := a.(type) {
		case *ast.Map:
			u.mapOf(a.Name)
			u.exprs(a.Keys)
			u.Types[a] = invalid
		case *ast.ProbeArg:
			u.Types[a] = types.NoneType
		case *ast.Ident:
			if builtin.IsWord(a.Name) || isStackMode(a.Name) {
				u.Types[a] = types.NoneType
			} else {
				u.expr(a)
			}
		default:
			u.expr(a)
		}
	}
}

// misused reports a wrong call with the function's signature.
func (u callRules) misused(x *ast.Call, f *builtin.Func, format string, args ...any) {
	if f.Aggregation != 0 && len(x.Args) == 1 && f.Max == 0 {
		if m, ok := x.Args[0].(*ast.Map); ok && m.Keys == nil {
			u.errorf(x.Span, format, args...).Hintf("len(@%s) counts the entries of a map", m.Name)
			return
		}
	}
	if other, ok := ofTwo(x); ok {
		u.errorf(x.Span, format, args...).Hintf("write %s; %s() keeps one number in a map", other, f.Name)
		return
	}
	u.errorf(x.Span, format, args...).Hintf("%s: %s", f.Signature, f.Help)
}

// ofTwo writes the larger or the smaller of two values, which is what max() and min()
// with two arguments are in other languages.
func ofTwo(x *ast.Call) (string, bool) {
	f, _ := builtin.FuncByName(x.Name)
	if f == nil || f.Picks == "" || len(x.Args) != 2 {
		return "", false
	}
	a, b := x.Args[0], x.Args[1]
	return format.Expr(&ast.Cond{C: &ast.Binary{Op: f.Picks, X: a, Y: b}, A: a, B: b}), true
}

func count(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

func argCount(least, most int) string {
	switch {
	case most < 0:
		return "at least " + diag.Plural(least, "argument")
	case most == 0:
		return "no arguments"
	case least == most:
		return diag.Plural(least, "argument")
	case least == 0:
		return "at most " + diag.Plural(most, "argument")
	}
	if most == least+1 {
		return fmt.Sprintf("%d or %d arguments", least, most)
	}
	return fmt.Sprintf("%d to %d arguments", least, most)
}

func (u callRules) unknownFunc(x *ast.Call) {
	u.args(x.Args)
	if d := u.errorf(x.NameSpan, "there is no function %s", x.Name); !u.quiet {
		d.Hint = cmp.Or(callForms[x.Name], builtin.Foreign()[x.Name], u.nearFunc(x.Name))
	}
}

// callForms are how what looks like a function, and is none, is written.
var callForms = map[string]string{"sizeof": "write sizeof(struct NAME) or sizeof(x)", "offsetof": "write offsetof(struct NAME) or offsetof(x)"}

// nearFunc is a hint at the function, variable, macro or type whose name is near.
func (u callRules) nearFunc(name string) string {
	if baseTypes[name] != nil {
		return "a cast is written (" + name + ")x"
	}
	names := append(builtin.FuncNames(), builtin.VarNames()...)
	for _, m := range u.prog.Macros {
		names = append(names, m.Name)
	}
	n := diag.Nearest(name, names)
	if n == "" {
		return "fst doc lists the functions"
	}
	if f, ok := builtin.FuncByName(n); ok {
		n = f.Signature
	}
	return "did you mean " + n + "?"
}

// checkArgs checks arguments against the kinds of the function's record.
func (u callRules) checkArgs(x *ast.Call, f *builtin.Func) ([]*types.Type, bool) {
	ok := true
	out := make([]*types.Type, len(x.Args))
	for i, a := range x.Args {
		out[i] = u.arg(x, f, i, a)
		ok = ok && out[i].Kind != types.Invalid
	}
	return out, ok
}

// arg checks argument i of a call.
func (u callRules) arg(x *ast.Call, f *builtin.Func, i int, a ast.Expr) *types.Type {
	kind := f.Arg(i)
	if kind == builtin.TypeName {
		t := u.expr(a)
		if raw := u.raw[a]; raw != nil {
			return raw
		}
		return t
	}
	if _, isType := a.(*ast.TypeArg); isType {
		u.errorf(a.Pos(), "%s takes %s here, not a type", x.Name, kind).Hintf("%s", f.Signature)
		u.Types[a] = invalid
		return invalid
	}
	if kind == builtin.Text || kind == builtin.Literal {
		u.wantText = a
	}
	t := u.value(a)
	if t.Kind == types.Invalid {
		return invalid
	}
	if kind == builtin.FilePath && isOtherStruct(t, "path") {
		return wrong(u.errorf(a.Pos(), "path takes a struct path, not %s", types.Describe(t)).Hintf("that of a struct file is &x->f_path"))
	}
	t, good := u.asKind(kind, a, t)
	if good {
		return t
	}
	found := types.Describe(t)
	if (kind == builtin.Constant && t.IsInteger()) || (kind == builtin.Literal && t.Kind == types.String) {
		found = "a value known only at run time"
	}
	d := u.origin(u.errorf(a.Pos(), "argument %d of %s must be %s, not %s", i+1, x.Name, kind, found), a)
	switch {
	case kind == builtin.Text && (t.Kind == types.Pointer || t.IsInteger() && !u.isConst(a)):
		d.Hintf("str() reads the string at an address")
	case kind == builtin.Integer && t.Kind == types.Pointer:
		d.Hintf("cast it: (uint64)x")
	default:
		d.Hintf("%s", f.Signature)
	}
	return invalid
}

// asKind converts an argument to what a parameter of some kind takes, and reports whether it is that.
func (u callRules) asKind(kind builtin.ArgKind, a ast.Expr, t *types.Type) (*types.Type, bool) {
	switch kind {
	case builtin.Integer:
		t = u.casts.asNumber(a, t)
		return t, t.IsInteger()
	case builtin.Constant:
		_, known := u.Consts[a]
		return t, known && t.IsInteger()
	case builtin.Address, builtin.FilePath:
		// A struct in memory stands for its address: path(f->f_path).
		return t, isNumber(t) || t.Kind == types.KSym || t.Kind == types.Func && !t.User || u.raw[a] != nil || t.Kind == types.Array ||
			kind == builtin.FilePath && t.Kind == types.Struct && u.casts.inMemory(a)
	case builtin.Text:
		if s, known := u.Strings[a]; known && t.Kind == types.ProbeName {
			t = types.StringType(len(s) + 1) // the name of the only probe
			u.Types[a] = t
		}
		t = u.casts.asText(a, t)
		return t, t.Kind == types.String
	case builtin.Literal:
		_, known := u.Strings[a]
		return t, known && t.Kind == types.String
	}
	return t, true
}

// isOtherStruct reports whether t points to a struct that is not called name.
func isOtherStruct(t *types.Type, name string) bool {
	return t.Kind == types.Pointer && t.Elem != nil && t.Elem.Kind == types.Struct && t.Elem.Name != name
}

// callVar is a variable with parentheses: pid(), nsecs(monotonic), kstack(5).
func (u callRules) callVar(x *ast.Call, v *builtin.Var) *types.Type {
	if len(x.Args) > v.Max {
		sig := v.Signature
		if sig == "" {
			sig = v.Name
		}
		u.errorf(x.Span, "%s takes %s, but is given %s", x.Name, argCount(0, v.Max), count(len(x.Args))).Hintf("%s: %s", sig, v.Help)
		u.args(x.Args)
		return v.Type
	}
	if v.Does(builtin.ReadsStack) {
		return u.names.builtinVar(x, x.Name, v, x.Args)
	}
	for i, a := range x.Args {
		switch v.Arg(i) {
		case builtin.Task:
			u.task(x, v, a)
			continue
		case builtin.Word:
		default:
			u.value(a)
			continue
		}
		id, ok := a.(*ast.Ident)
		u.Types[a] = types.NoneType
		if !ok || !slices.Contains(v.Words, id.Name) {
			d := u.errorf(a.Pos(), "%s takes one of these words: %s", x.Name, strings.Join(v.Words, ", ")).Hintf("%s", v.Signature)
			if ok {
				suggest(d, id.Name, "", v.Words)
			}
		}
	}
	return u.names.builtinVar(x, x.Name, v, x.Args)
}

// task checks the argument of what is known of each task: ppid(curtask).
func (u callRules) task(x *ast.Call, v *builtin.Var, a ast.Expr) {
	t := u.value(a)
	if t.Kind == types.Invalid || t.Kind == types.Pointer && t.Elem != nil && t.Elem.Kind == types.Struct && t.Elem.Name == "task_struct" {
		return
	}
	d := u.origin(u.errorf(a.Pos(), "%s takes a task, not %s", x.Name, types.Describe(t)), a)
	if t.IsInteger() {
		d.Hintf("the kernel does not find tasks by their numbers here; an address of one is cast: (struct task_struct *)x")
		return
	}
	d.Hintf("%s, with a struct task_struct * such as curtask", v.Signature)
}

// failCall is fail("format", ...): reaching it is an error.
func failCall(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	printf(u, x, f)
	text, ok := "", false
	if len(x.Args) > 0 {
		text, ok = u.Strings[x.Args[0]]
	}
	if !ok { // which is an error already
		return types.NoneType
	}
	if i := strings.IndexByte(text, '%'); i >= 0 && len(x.Args) > 1 {
		text = u.messages.formatConsts(text, x.Args[1:])
	}
	if text = strings.TrimSpace(text); text == "" {
		u.errorf(x.Span, "this script does not run here").Hintf("fail(\"text\") says why")
		return types.NoneType
	}
	u.errorf(x.Span, "%s", text)
	return types.NoneType
}

// assert is assert(condition, "message") and static_assert, whose condition
// must be constant.
func assert(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	u.cond(x.Args[0])
	if len(x.Args) > 1 {
		u.calls.arg(x, f, 1, x.Args[1])
	}
	if !f.Static {
		return types.NoneType
	}
	n, ok := u.Consts[x.Args[0]]
	switch {
	case !ok:
		if u.Types[x.Args[0]].Kind != types.Invalid {
			u.errorf(x.Args[0].Pos(), "the condition of static_assert must be a constant").Hintf("assert() checks at run time")
		}
	case n == 0:
		d := u.errorf(x.Args[0].Pos(), "static_assert failed").Hintf("this is false on this kernel")
		if len(x.Args) > 1 && u.Strings[x.Args[1]] != "" {
			d.Message += ": " + u.Strings[x.Args[1]]
		}
	}
	u.Consts[x] = 1
	return types.NoneType
}

// signal takes a number or a name: "KILL", "SIGKILL", "sigkill".
func signal(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	a := x.Args[0]
	t := u.value(a)
	name, text := u.Strings[a]
	switch {
	case t.Kind == types.Invalid, text && u.isOpen(a):
	case text:
		n, fault := builtin.SignalNamed(name)
		if u.calls.fault(x, fault) {
			u.Types[a], u.Consts[a] = types.I64, n
		}
	case !t.IsInteger():
		u.errorf(a.Pos(), "argument 1 of %s must be a number or a constant name, not %s", x.Name, types.Describe(t)).Hintf("%s", f.Signature)
	default:
		if n, ok := u.Consts[a]; ok && (n < 1 || n > 64) {
			u.errorf(a.Pos(), "there is no signal %d", n).Hintf("signals are numbered from 1 to 64")
		}
	}
	return types.NoneType
}
