package check

import (
	"cmp"
	"strconv"

	"fst/compiler/builtin"
	"fst/compiler/fold"
	"fst/compiler/types"
	"fst/lang/ast"
)

// plainCall checks a call by the kinds of its arguments, and by the rule of the function if it has one.
func plainCall(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	argTypes, ok := u.calls.checkArgs(x, f)
	if !ok || f.Rule == nil {
		return cmp.Or(f.Type, invalid)
	}
	call := builtin.Call{Where: u.calls.where(), Func: f}
	for i, a := range x.Args {
		call.Args = append(call.Args, u.calls.ruleValue(a, argTypes[i]))
	}
	r, fault := f.Rule(&call)
	u.calls.fault(x, fault)
	if len(r.Numbers) > 0 {
		if u.Syscalls == nil {
			u.Syscalls = map[*ast.Call][]int{}
		}
		u.Syscalls[x] = r.Numbers
	}
	if r.Open {
		u.open(x)
	}
	if r.Doubt != nil && !u.quiet {
		u.diags.Warnf(x.Args[r.Doubt.Arg].Pos(), "%s", r.Doubt.Message).Hint = r.Doubt.Hint
	}
	return u.calls.found(x, r)
}

// ruleValue is an argument as rules see it.
func (u callRules) ruleValue(x ast.Expr, t *types.Type) builtin.Value {
	v := builtin.Value{Type: t, Declared: u.raw[x], Open: u.isOpen(x), Size: statedSize(u.stated(x, cmp.Or(u.raw[x], t)))}
	if n, ok := u.Consts[x]; ok {
		v.Num = &n
	}
	if s, ok := u.Strings[x]; ok {
		v.Text = &s
	}
	if word, ok := u.wordOf(x); ok {
		v.Written = &word
	} else if v.Num != nil && t.Kind == types.Int && isNumeral(x) {
		digits := fold.Big(*v.Num, t.Signed).String()
		v.Written = &digits
	}
	_, v.Literal = x.(*ast.IntLit)
	if c, ok := x.(*ast.Call); ok && len(c.Args) == 1 {
		v.Var, _ = builtin.VarByName(c.Name)
		v.Word = Word(c.Args[0])
	}
	return v
}

// found records what a rule has found of an expression, and returns its type.
func (u callRules) found(x ast.Expr, r builtin.Result) *types.Type {
	if r.Num != nil {
		u.Consts[x] = *r.Num
	}
	if r.Text != nil {
		u.Strings[x] = *r.Text
	}
	return cmp.Or(r.Type, invalid)
}

// fault reports what a rule has found wrong with a built-in, and whether there is nothing.
func (u callRules) fault(x ast.Expr, f *builtin.Fault) bool {
	if f == nil {
		return true
	}
	at, text := x, f.Message
	if f.Arg != builtin.WholeCall {
		at = x.(*ast.Call).Args[f.Arg]
	}
	if f.Unfit {
		t := u.Types[at]
		u.origin(u.errorf(at.Pos(), "%s, not %s", text, types.Describe(t)), at).Hint = asNumber(t)
		return false
	}
	d := u.errorf(at.Pos(), "%s", text)
	d.Hint = f.Hint
	if f.Near != nil && !u.quiet {
		if name := f.Near(); name != "" {
			d.Hintf("did you mean %s?", name)
		}
	}
	return false
}

// where is what rules may ask of the unit, the script and the run.
func (u callRules) where() *builtin.Where {
	w := &builtin.Where{Target: u.t, Provider: u.Provider, Hooks: u.Hooks, Blind: u.blind, User: u.IsUser(), Func: u.Func, Retval: u.Retval,
		Named: u.info.ProbeText, Shared: u.manyUserFuncs, MaxStrlen: u.info.Config.MaxStrlen, CPID: u.opts.CPID, Unsafe: u.opts.Unsafe,
		Follow: u.opts.Follow, Struct: u.typeRefs.kernelType}
	if u.inline != nil {
		w.Title = u.inline.Probe
	} else if len(u.Hooks) == 1 {
		w.Title = u.Hooks[0].Name
	}
	w.NearSymbol = func(name string) string { return u.probes.NearestSymbol(u.Hooks[0].Path, name) }
	return w
}

// isNumeral reports whether an expression consists of written numbers only: as a
// text it is its digits, not an address.
func isNumeral(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.IntLit, *ast.SizeOf:
		return true
	case *ast.Unary:
		return isNumeral(x.X)
	case *ast.Binary:
		return isNumeral(x.X) && isNumeral(x.Y)
	case *ast.Cond:
		return isNumeral(x.A) && isNumeral(x.B)
	case *ast.Param:
		return x.Count
	}
	return false
}

// wordOf is the text of $1, and what stands behind the first n characters of it for
// $1 + n, also where the word is a number: as a text it is no address.
func (u callRules) wordOf(x ast.Expr) (string, bool) {
	switch x := x.(type) {
	case *ast.Param:
		if x.N >= 1 && x.N <= len(u.opts.Params) {
			return u.opts.Params[x.N-1], true
		}
		return "", !x.Count
	case *ast.Binary:
		_, isParam := x.X.(*ast.Param)
		word, ok := u.wordOf(x.X)
		n, isConst := u.Consts[x.Y]
		if isParam && ok && isConst && x.Op == "+" && n >= 0 {
			return word[min(n, int64(len(word))):], true
		}
	}
	return "", false
}

// bits is bits(enum E, number).
func bits(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	e, n := u.calls.arg(x, f, 0, x.Args[0]), u.calls.arg(x, f, 1, x.Args[1])
	if e.Kind == types.Invalid || n.Kind == types.Invalid {
		return invalid
	}
	if e.Kind != types.Enum || e.Bits {
		u.calls.misused(x, f, "bits takes an enum type and a number")
		return invalid
	}
	t := u.bitTypes[e.Name]
	if t == nil {
		t = types.BitsType(e)
		u.bitTypes[e.Name] = t
	}
	return t
}

// containerOf gives the struct around a member. The member's offset is the
// constant value of the third argument.
func containerOf(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	p := u.calls.arg(x, f, 0, x.Args[0])
	st := u.calls.arg(x, f, 1, x.Args[1])
	member := x.Args[2]
	u.Types[member] = types.U64
	path, ok := memberPath(member)
	if p.Kind == types.Invalid || st.Kind == types.Invalid {
		return invalid
	}
	if st.Kind == types.Pointer && st.Elem != nil {
		st = st.Elem
	}
	if !ok || st.Kind != types.Struct && st.Kind != types.Union {
		u.calls.misused(x, f, "container_of takes a pointer, a struct type and one of its members")
		return invalid
	}
	off, ok := u.typeRefs.path(st, path, member.Pos())
	if !ok {
		return invalid
	}
	u.Consts[member] = off
	return types.PointerTo(st, p.User)
}

// memberPath reads "a.b[2]" from an expression that is only a name.
func memberPath(x ast.Expr) ([]string, bool) {
	switch x := x.(type) {
	case *ast.Ident:
		return []string{x.Name}, true
	case *ast.Field:
		p, ok := memberPath(x.X)
		return append(p, x.Name), ok
	case *ast.Index:
		p, ok := memberPath(x.X)
		n, lit := x.I.(*ast.IntLit)
		if !lit {
			return nil, false
		}
		return append(p, "["+strconv.FormatUint(n.Value, 10)+"]"), ok
	}
	return nil, false
}
