package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// ident resolves a bare word: a built-in variable, an enumerator of the
// script or the kernel, or a constant of the headers, in this order.
func (u *unitChecker) ident(x *ast.Ident) *types.Type {
	if v, ok := builtin.VarByName(x.Name); ok {
		return u.builtinVar(x, x.Name, v, nil)
	}
	if n, t, ok := u.constant(x.Name); ok {
		u.u.Consts[x] = n
		return t
	}
	u.unknownName(x)
	return invalid
}

// constant is the value of an enumerator or a constant: of the script, of the
// unit's program, or of the kernel.
func (u *unitChecker) constant(name string) (int64, *types.Type, bool) {
	if _, own := u.enums[name]; !own && u.u.Hooks[0].Path != "" {
		if info, ok := u.t.(target.DebugInfo); ok {
			if n, t, ok := info.UserEnumerator(u.u.Hooks[0].Path, name); ok {
				return n, t, true
			}
		}
	}
	return u.checker.constant(name)
}

// constant is the value of an enumerator or a constant.
func (c *checker) constant(name string) (int64, *types.Type, bool) {
	if e, ok := c.enums[name]; ok {
		return e.value, e.t, true
	}
	l, asked := c.lookups[name]
	if !asked {
		l = c.lookUp(name)
		c.lookups[name] = l
	}
	return l.value, l.t, l.ok
}

func (c *checker) lookUp(name string) lookup {
	if n, ok := builtin.Constants()[name]; ok && !strings.HasPrefix(name, "TCP_") {
		return lookup{n, types.I64, true}
	}
	if c.t != nil {
		if call, ok := strings.CutPrefix(name, "__NR_"); ok {
			if nr, ok := c.t.SyscallNumber(call); ok {
				return lookup{int64(nr), types.I64, true}
			}
		}
		if n, t, ok := c.t.Enumerator(name); ok {
			return lookup{n, t, true}
		}
		// The flags of block requests are bits that an enum numbers.
		if strings.HasPrefix(name, "REQ_") {
			if n, _, ok := c.t.Enumerator("__" + name); ok {
				return lookup{1 << n, types.I64, true}
			}
		}
	}
	n, ok := builtin.Constants()[name]
	return lookup{n, types.I64, ok}
}

func (u *unitChecker) unknownName(x *ast.Ident) {
	if u.quiet {
		return
	}
	if f, ok := builtin.FuncByName(x.Name); ok {
		d := u.errorf(x.Span, "%s is a function, and has no value of its own", x.Name)
		if hint := builtin.Foreign()[x.Name]; hint != "" {
			d.Hintf("%s", hint)
		} else {
			d.Hintf("call it: %s", f.Signature)
		}
		return
	}
	d := u.errorf(x.Span, "%s is not known", x.Name)
	if v, _ := u.find(x.Name); v != nil {
		d.Hintf("did you mean $%s?", x.Name)
		return
	}
	if m := u.maps[x.Name]; m != nil {
		d.Hintf("did you mean @%s?", x.Name)
		return
	}
	if args := u.u.Args; args != nil && !u.blind {
		if _, ok := args.Field(x.Name); ok {
			d.Hintf("write args.%s", x.Name)
			return
		}
	}
	if u.wantText == ast.Expr(x) {
		d.Hintf(`a string is written in quotes: "%s"`, x.Name)
		if n := diag.NearestWithin(x.Name, builtin.VarNames(), 1); n != "" {
			d.Hintf(`a string is written in quotes: "%s"; or did you mean %s?`, x.Name, n)
		}
		return
	}
	if hint := builtin.Foreign()[x.Name]; hint != "" {
		d.Hintf("%s", hint)
		return
	}
	if upper := strings.ToUpper(x.Name); upper != x.Name {
		if _, ok := builtin.Constants()[upper]; ok {
			d.Hintf("did you mean %s?", upper)
			return
		}
	}
	var names []string
	for _, n := range builtin.VarNames() {
		// In some probes there are no numbered arguments.
		if v, ok := builtin.VarByName(n); !ok || u.blind || v != builtin.VarArgN || v.ValidIn(u.u.Provider) {
			names = append(names, n)
		}
	}
	for n := range u.enums {
		names = append(names, n)
	}
	if strings.ToUpper(x.Name) == x.Name {
		for n := range builtin.Constants() {
			names = append(names, n)
		}
	}
	if d.Hintf("a variable is written $%s, a map @%s; fst doc lists the built-ins", x.Name, x.Name); strings.ToUpper(x.Name) == x.Name && len(x.Name) > 2 {
		d.Hintf("#define %s ... gives it a value; the arguments of the script are $1, $2, ...", x.Name)
	}
	suggest(d, x.Name, "", names)
}

// available reports an error if a built-in variable does not exist in the
// unit's probes.
func (u *unitChecker) available(v *builtin.Var, name string, sp source.Span) bool {
	ok, p := v.ValidIn(u.u.Provider), u.u.Provider
	switch {
	case u.blind:
		return true
	case v == builtin.VarArgN:
		return ok || u.noArgN(name, sp)
	case p == "tracepoint" && v.Does(builtin.ReadsCall):
		ok = u.sysExit()
	}
	if ok {
		return true
	}
	d := u.errorf(sp, "%s can't be used in %s probes", name, p)
	if v.Instead != nil {
		d.Hint = v.Instead(p, u.u.Hooks[0].Function)
	}
	if d.Hint == "" && len(v.In) > 0 {
		d.Hintf("it exists in %s", strings.Join(v.In, ", "))
	}
	return false
}

// noArgN reports arg0 in a place that has no numbered arguments.
func (u *unitChecker) noArgN(name string, sp source.Span) bool {
	d := u.errorf(sp, "%s can't be used in %s probes", name, u.u.Provider)
	switch u.u.Provider {
	case "tracepoint":
		d.Hintf("use args.NAME: %s", u.argNames())
	case "kretprobe":
		d.Hintf("use args.NAME, which is kept from the entry: %s", u.argNames())
	case "uretprobe":
		d.Hintf("use args.%s, which is kept from the entry", name)
	default:
		d.Hintf("arguments exist in kprobe, uprobe, usdt, fentry and rawtracepoint probes")
	}
	return false
}

func (u *unitChecker) argNames() string {
	if u.u.Args == nil {
		return "not known here"
	}
	names := u.u.Args.FieldNames()
	if len(names) == 0 {
		return "it has none"
	}
	return strings.Join(names, ", ")
}

// builtinVar is the type of a built-in variable, written as name or name().
func (u *unitChecker) builtinVar(x ast.Expr, name string, v *builtin.Var, args []ast.Expr) *types.Type {
	sp := x.Pos()
	if !u.available(v, name, sp) {
		return invalid
	}
	switch {
	case v == builtin.VarArgN:
		return u.argN(name, sp)
	case v == builtin.VarArgs:
		if u.blind {
			return invalid
		}
		return u.wholeArgs(sp)
	case v == builtin.VarConfig:
		return u.configValue(x)
	case v.Does(builtin.ReadsStack):
		return u.stack(v, args)
	case v.Rule != nil:
		r, fault := v.Rule(v, u.where())
		u.fault(x, fault)
		return u.found(x, r)
	}
	u.took = u.took || v.Does(builtin.ReadsStart)
	return cmp.Or(v.Type, types.U64)
}

func (u *unitChecker) kernelType(tag, name string) (*types.Type, bool) {
	if t := u.structs[tag+" "+name]; t != nil {
		return t, true
	}
	if u.t == nil {
		return nil, false
	}
	return u.t.Type(tag, name)
}

// argN is arg0, arg1, ...: how many there are depends on the probe.
func (u *unitChecker) argN(name string, sp source.Span) *types.Type {
	n, _ := builtin.ArgNumber(name)
	if u.blind {
		return types.U64
	}
	switch u.u.Provider {
	case "call", "ucall", "syscall":
		if !u.ownArgs() {
			u.entry[name] = true
		}
	}
	if h := u.u.Hooks[0]; h.Bits32 && u.u.Provider != "usdt" {
		u.errorf(sp, "%s can't be read in %s: it is of a 32-bit program, which has its arguments on the stack", name, h.Name).
			Hintf(`write *(uint32 *)uptr(reg("sp") + %d), in a uprobe at the function's entry`, 4*n+4)
		return invalid
	}
	most := 6
	switch u.u.Hooks[0].Convention {
	case object.ConventionGo:
		most = 9
	case object.ConventionUnknown:
		u.errorf(sp, "%s can't be read in %s: it may be in a register or on the stack, and nothing records which for Go functions that are written in assembly or compiled before Go 1.18", name, u.u.Hooks[0].Name).
			Hintf(`reg("ax") is a register, *(uint64 *)uptr(reg("sp") + %d) on the stack at the function's entry`, 8*n+8)
		return invalid
	}
	switch u.u.Provider {
	case "usdt":
		most = len(u.u.USDT)
	case "rawtracepoint", "fentry", "fexit", "call":
		if u.u.Func != nil {
			most = len(u.u.Func.Params)
		}
	}
	u.beyondArgs(name, n, sp)
	if n >= most && u.u.Provider == "usdt" && slices.ContainsFunc(u.u.Clause.Probes, func(ap *ast.AttachPoint) bool { return slices.ContainsFunc(ap.Parts, target.IsWild) }) {
		// Each of the static probes of a program has arguments of its own.
		u.doubtf(sp, "some of these probes have no %s: it is 0 there", name).Hintf("fst -lv usdt:... lists the arguments of each")
		return types.U64
	}
	if n >= most {
		d := u.errorf(sp, "%s has no %s", u.u.Hooks[0].Name, name)
		switch {
		case most == 0:
			d.Hintf("it has no arguments")
		case u.u.Func != nil && most == len(u.u.Func.Params):
			var there []string
			for i, p := range u.u.Func.Params {
				there = append(there, fmt.Sprintf("arg%d (%s)", i, p.Name))
			}
			d.Hintf("it has %s", strings.Join(there, ", "))
		default:
			d.Hintf("its arguments are arg0 to arg%d", most-1)
		}
		return invalid
	}
	if u.u.Provider == "usdt" && u.u.USDT[n].Size == 0 {
		u.errorf(sp, "%s of %s is in a form that can't be read", name, u.u.Hooks[0].Name).
			Hintf("floating-point numbers are passed in registers that BPF programs don't see; fst -lv usdt:... lists the forms")
		return invalid
	}
	if u.u.Provider == "usdt" && u.u.USDT[n].Signed {
		return types.I64
	}
	return types.U64
}

// beyondArgs warns of argN in a kprobe on a function that has fewer arguments,
// above all one that is a system call's: that has the registers of the caller.
func (u *unitChecker) beyondArgs(name string, n int, sp source.Span) {
	f := u.u.Func
	if u.u.Provider != "kprobe" || f == nil || f.Variadic || n < len(f.Params) || n > 5 || len(u.u.Hooks) != 1 || u.u.Hooks[0].Offset != 0 {
		return
	}
	for _, p := range f.Params {
		if t := p.Type; !t.IsInteger() && t.Kind != types.Pointer {
			return // a struct may be in several registers
		}
	}
	hint := "leave it out"
	if len(f.Params) > 0 {
		hint = "fst -lv kprobe:" + f.Name + " lists them"
	}
	d := u.doubtf(sp, "%s has %s: %s is what a register happens to hold", f.Name, diag.Plural(len(f.Params), "argument"), name).Hintf("%s", hint)
	if _, call, ok := strings.Cut(f.Name, "_sys_"); ok && len(f.Params) == 1 && strings.HasPrefix(f.Name, "__") && u.t != nil {
		if s, known := u.t.Syscall(call); known && n < len(s.Params) {
			d.Hintf("write syscall:%s, and args.%s", call, s.Params[n].Name)
		}
	}
}

// maxFrames is the largest limit of a stack.
const maxFrames = 1024

// stack is kstack([mode][, frames]).
func (u *unitChecker) stack(v *builtin.Var, args []ast.Expr) *types.Type {
	user := v.Stack == types.UStack
	mode, limit := u.info.Config.StackMode, int64(types.DefaultFrames)
	for i, a := range args {
		if id, ok := a.(*ast.Ident); ok && i == 0 && isStackMode(id.Name) {
			u.u.Types[a] = types.NoneType
			if mode = id.Name; mode == "build_id" && !user {
				u.errorf(a.Pos(), "frames of the kernel have no build id").Hintf("ustack(build_id) has them")
				return invalid
			}
			continue
		}
		if id, ok := a.(*ast.Ident); ok && !u.isKnown(id.Name) {
			suggest(u.errorf(a.Pos(), "%s is not a mode of stacks", id.Name).Hintf("modes are %s", strings.Join(builtin.StackModes, ", ")), id.Name, "", builtin.StackModes)
			return invalid
		}
		t := u.value(a)
		n, constant := u.u.Consts[a]
		switch {
		case t.Kind == types.Invalid:
			return invalid
		case !constant:
			u.errorf(a.Pos(), "a stack takes a mode and a constant number of frames").Hintf("modes are %s", strings.Join(builtin.StackModes, ", "))
			return invalid
		case n < 1 || n > maxFrames:
			u.errorf(a.Pos(), "a stack has from 1 to %d frames, not %d", maxFrames, n).Hintf("leave the number out for %d", types.DefaultFrames)
			return invalid
		}
		limit = n
	}
	if mode == "build_id" && !user {
		mode = "bpftrace"
	}
	t := builtin.StackType(user, mode, int(limit))
	t.Stack.Tables = v.Tables
	return t
}

// isKnown reports whether a bare word has a value.
func (u *unitChecker) isKnown(name string) bool {
	if _, ok := builtin.VarByName(name); ok {
		return true
	}
	_, _, ok := u.constant(name)
	return ok
}

func isStackMode(s string) bool {
	for _, m := range builtin.StackModes {
		if m == s {
			return true
		}
	}
	return false
}
