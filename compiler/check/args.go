package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// arguments are those of the traced function or event: args, args.name, arg0.
type arguments struct{ *unitChecker }

// argsField is args.name: of the probe's own record or parameters, else an
// argument that is kept from the entry.
func (u arguments) argsField(x *ast.Field) *types.Type {
	if u.blind || !u.names.available(builtin.VarArgs, builtin.VarArgs.Name, x.X.Pos()) {
		return invalid
	}
	u.Types[x.X] = u.argsType()
	if u.Args != nil {
		if f, ok := u.Args.Field(x.Name); ok {
			u.keep(x.Name)
			delete(u.raw, x)
			return u.members.member(x, f, false)
		}
	}
	if p := u.entryParam(x.Name); p != nil {
		u.entry[x.Name] = true
		return u.operators.loaded(x, p.Type, false)
	}
	u.noArgs(x.NameSpan, x.Name)
	return invalid
}

// entryParam is the argument of the system call with a name, where the unit is on tracepoints of its return, or nil.
func (u arguments) entryParam(name string) *target.Param {
	if !u.sysExit() {
		return nil
	}
	_, p := u.Func.Param(name)
	return p
}

// keep notes that an argument must be kept from the entry of a call.
func (u arguments) keep(name string) {
	switch u.Provider {
	case "call", "ucall", "syscall", "kretprobe", "uretprobe":
		if !u.ownArgs() {
			u.entry[name] = true
		}
	}
}

// noArgs reports a name that args does not have.
func (u arguments) noArgs(sp source.Span, name string) {
	hook := u.Hooks[0]
	if other := u.namesakeWith(name); other != nil {
		lacks := "has no argument " + name
		if u.Args == nil {
			lacks = "has no arguments that are known by name here"
		}
		u.errorf(sp, "the function %s of %s %s, that of %s has", hook.Function, hook.Module, lacks, other.Module).
			Hintf("%s:%s:%s is only that one", u.Provider, other.Module, hook.Function)
		return
	}
	if hook.Convention == object.ConventionInlined {
		u.copyHasNo(sp, name)
		return
	}
	if u.Args == nil {
		d := u.errorf(sp, "the arguments of %s are not known by name here", hook.Name)
		d.Hint = cmp.Or(namelessHints[u.Provider], "use retval, or probe the entry")
		if u.Provider == "usdt" {
			d.Hintf("it has no arguments that can be read; fst -lv '%s' lists them", hook.Name)
		}
		return
	}
	if p := u.unreadable(name); p != nil {
		u.errorf(sp, "argument %s can't be read: %s", name, p.Unread).
			Hintf("fst -lv '%s' shows all arguments; reg(\"di\") is a register", hook.Name)
		return
	}
	if name == builtin.VarRet.Name && u.Provider == "syscall" {
		u.errorf(sp, "the result is not an argument").Hintf("write ret (or errno)")
		return
	}
	if a := u.absent[sp]; a != nil && a.probe != hook.Name && !u.quiet {
		u.alsoAbsent(a, name)
		return
	}
	at := len(u.diags.All)
	if d := u.errorf(sp, "%s has no argument %s", hook.Name, name); !u.quiet {
		u.absent[sp] = &absence{probe: hook.Name, at: at}
		d.Hint = u.argHint(name)
	}
}

// namelessHints are what to do where no names of arguments are known, by the kind of the probe.
var namelessHints = map[string]string{
	"uprobe":     "use arg0 to arg5; names need debug information of the program (-g, or a package of debug symbols; with -gsplit-dwarf also the .dwo files, or their .dwp)",
	"kprobe":     "use arg0 to arg5, with casts",
	"tracepoint": "the events of this clause have different arguments",
}

// alsoAbsent adds a probe to the complaint that another one lacks an argument.
func (u arguments) alsoAbsent(a *absence, name string) {
	a.others++
	d := &u.diags.All[a.at]
	d.Message = fmt.Sprintf("%s has no argument %s, nor have %d others of the clause's probes", a.probe, name, a.others)
	if a.others == 1 {
		d.Message = fmt.Sprintf("%s has no argument %s, nor has %s", a.probe, name, u.Hooks[0].Name)
	}
	if !strings.HasPrefix(d.Hint, "did you mean") {
		d.Hintf("write a clause of its own for the probes that have it")
	}
}

// argHint is what may be meant by a name that args does not have.
func (u arguments) argHint(name string) string {
	hook, names := u.Hooks[0], u.Args.FieldNames()
	if u.sysExit() && u.Func != nil {
		for _, p := range u.Func.Params {
			names = append(names, p.Name)
		}
	}
	// bpftrace before 0.12 had the place of a text in the record under data_loc_NAME.
	if located, ok := strings.CutPrefix(name, "data_loc_"); ok && slices.Contains(names, located) {
		return "did you mean args." + located + "?"
	}
	if n := diag.Nearest(name, names); n != "" {
		return "did you mean args." + n + "?"
	}
	if strings.HasPrefix(name, "common_") && u.Provider == "tracepoint" {
		return "BPF programs cannot read the common_ fields; the thread ID is tid"
	}
	if name == builtin.VarRetval.Name && slices.Contains(names, "ret") {
		return "did you mean args.ret?"
	}
	if ends := endingIn("_"+name, names); len(ends) > 0 {
		return "did you mean args." + strings.Join(ends, " or args.") + "?"
	}
	if u.ofTask(hook.Category, name) {
		return "the thread's is curtask." + name
	}
	if event := u.eventWith(hook.Event, name); event != "" {
		return fmt.Sprintf("%s has it; this probe has %s", event, strings.Join(names, ", "))
	}
	if len(names) == 0 {
		return "it has no arguments"
	}
	return "it has " + strings.Join(names, ", ")
}

// ofTask reports whether a field that an event of the scheduler lacks is one of
// its thread's.
func (u arguments) ofTask(category, name string) bool {
	if category != "sched" {
		return false
	}
	t, ok := u.typeRefs.kernelType("struct", "task_struct")
	if !ok {
		return false
	}
	_, ok = t.Field(name)
	return ok
}

// namesakeWith is a place of the clause in another function of the same name, which has an
// argument, or nil.
func (u arguments) namesakeWith(argument string) *object.Hook {
	hook := &u.Hooks[0]
	for _, other := range u.info.Units {
		if h := &other.Hooks[0]; other.Clause == u.Clause && hook.Function != "" && h.Function == hook.Function && h.Module != hook.Module &&
			other.Args != nil && slices.Contains(other.Args.FieldNames(), argument) {
			return h
		}
	}
	return nil
}

// unreadable is the parameter of a program's function that has a name, if it can't be read.
func (u arguments) unreadable(name string) *target.Param {
	_, p := u.Func.Param(name)
	if p == nil || p.Unread == "" || u.sysExit() {
		return nil
	}
	return p
}

// absence is an argument that several probes of a clause lack. It is told once.
type absence struct {
	probe      string // the first of them
	at, others int    // where it is told, and how many others there are
}

// eventWith names the tracepoint of a raw tracepoint, if that has the argument.
func (u arguments) eventWith(event, name string) string {
	if u.Provider != "rawtracepoint" {
		return ""
	}
	list, err := u.t.Tracepoints("*", event)
	if err != nil || len(list) != 1 {
		return ""
	}
	category, _, _ := strings.Cut(list[0], ":")
	tp, err := u.t.Tracepoint(category, event)
	if err != nil {
		return ""
	}
	if _, ok := tp.Args.Field(name); !ok {
		return ""
	}
	return "tracepoint:" + list[0]
}

// argsType is the record that `args` is as a whole.
func (u arguments) argsType() *types.Type {
	if u.Args == nil {
		return invalid
	}
	var names []string
	var elems []*types.Type
	for _, f := range u.Args.Fields() {
		t := f.Type
		switch {
		case f.Name == "" || f.Name == "__syscall_nr" || t.Kind == types.Invalid || t.Kind == types.None:
			continue
		case f.DataLoc && t.Kind == types.Array && t.Elem.Char:
			t = types.StringType(min(u.info.Config.MaxStrlen, maxShownString))
		case f.DataLoc:
			continue
		case t.IsCharArray():
			t = types.StringType(t.Size)
		}
		names, elems = append(names, f.Name), append(elems, t)
	}
	return types.RecordType(names, elems)
}

// maxShownString is the room for a string of variable size in a whole value.
const maxShownString = 256

// wholeArgs is `args` as a value.
func (u arguments) wholeArgs(sp source.Span) *types.Type {
	if u.Hooks[0].Program != 0 {
		return wrong(u.errorf(sp, "the arguments of a BPF program can't be shown as a whole").Hintf("take one of them: args.%s", u.argNames()))
	}
	if u.Args == nil {
		u.noArgs(sp, "")
		return invalid
	}
	for _, f := range u.Args.Fields() {
		u.keep(f.Name)
	}
	return u.argsType()
}

// parameters are the names of the function's arguments in their order, if they
// are known here.
func (u arguments) parameters() (names []string, known bool) {
	switch {
	case u.Func != nil:
		for _, p := range u.Func.Params {
			names = append(names, p.Name)
		}
		return names, true
	case u.Args != nil:
		return u.Args.FieldNames(), true
	}
	return nil, false
}

// noArgN reports arg0 in a place that has no numbered arguments.
func (u arguments) noArgN(name string, sp source.Span) bool {
	d := u.errorf(sp, "%s can't be used in %s probes", name, u.Provider)
	switch u.Provider {
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

func (u arguments) argNames() string {
	if u.Args == nil {
		return "not known here"
	}
	names := u.Args.FieldNames()
	if len(names) == 0 {
		return "it has none"
	}
	return strings.Join(names, ", ")
}

// copyHasNo reports an argument of an inlined copy of a function.
func (u arguments) copyHasNo(sp source.Span, name string) {
	u.errorf(sp, "%s can't be read in %s: an inlined copy is not called, its arguments may be anywhere", cmp.Or(name, "args"), u.Hooks[0].Name).
		Hintf("probe a function that calls it, whose arguments are known")
}

// argN is arg0, arg1, ...: how many there are depends on the probe.
func (u arguments) argN(name string, sp source.Span) *types.Type {
	n, _ := builtin.ArgNumber(name)
	if u.blind {
		return types.U64
	}
	switch u.Provider {
	case "call", "ucall", "syscall":
		if !u.ownArgs() {
			u.entry[name] = true
		}
	}
	if u.unplacedArg(name, n, sp) {
		return invalid
	}
	most := u.mostArgs()
	u.beyondArgs(name, n, sp)
	switch {
	case n >= most && u.Provider == "usdt" && u.ofPattern():
		// Each of the static probes of a program has arguments of its own.
		u.warnf(sp, "some of these probes have no %s: it is 0 there", name).Hintf("fst -lv usdt:... lists the arguments of each")
	case n >= most:
		d := u.errorf(sp, "%s has no %s", u.Hooks[0].Name, name)
		switch {
		case most == 0:
			d.Hintf("it has no arguments")
		case u.Func != nil && most == len(u.Func.Params):
			var there []string
			for i, p := range u.Func.Params {
				there = append(there, fmt.Sprintf("arg%d (%s)", i, p.Name))
			}
			d.Hintf("it has %s", strings.Join(there, ", "))
		default:
			d.Hintf("its arguments are arg0 to arg%d", most-1)
		}
		return invalid
	case u.Provider == "usdt" && u.USDT[n].Size == 0:
		return wrong(u.errorf(sp, "%s of %s is in a form that can't be read", name, u.Hooks[0].Name).
			Hintf("floating-point numbers are passed in registers that BPF programs don't see; fst -lv usdt:... lists the forms"))
	case u.Provider == "usdt" && u.USDT[n].Signed:
		return types.I64
	}
	return types.U64
}

// unplacedArg reports an argument that is in no place which is known.
func (u arguments) unplacedArg(name string, n int, sp source.Span) bool {
	h := u.Hooks[0]
	switch {
	case h.Bits32 && u.Provider != "usdt":
		u.errorf(sp, "%s can't be read in %s: it is of a 32-bit program, which has its arguments on the stack", name, h.Name).
			Hintf(`write *(uint32 *)uptr(reg("sp") + %d), in a uprobe at the function's entry`, 4*n+4)
	case h.Convention == object.ConventionUnknown:
		u.errorf(sp, "%s can't be read in %s: it may be in a register or on the stack, and nothing records which for Go functions that are written in assembly or compiled before Go 1.18", name, h.Name).
			Hintf(`reg("ax") is a register, *(uint64 *)uptr(reg("sp") + %d) on the stack at the function's entry`, 8*n+8)
	case h.Convention == object.ConventionInlined:
		u.copyHasNo(sp, name)
	default:
		return false
	}
	return true
}

// mostArgs is how many numbered arguments the probe has.
func (u arguments) mostArgs() int {
	switch u.Provider {
	case "usdt":
		return len(u.USDT)
	case "rawtracepoint", "fentry", "fexit", "call":
		if u.Func != nil {
			return len(u.Func.Params)
		}
	}
	if u.Hooks[0].Convention == object.ConventionGo {
		return 9
	}
	return 6
}

// ofPattern reports whether a probe of the clause is a pattern.
func (u arguments) ofPattern() bool {
	return slices.ContainsFunc(u.Clause.Probes, func(ap *ast.AttachPoint) bool { return slices.ContainsFunc(ap.Parts, target.IsWild) })
}

// beyondArgs warns of argN in a kprobe on a function that has fewer arguments,
// above all one that is a system call's: that has the registers of the caller.
func (u arguments) beyondArgs(name string, n int, sp source.Span) {
	f := u.Func
	if u.Provider != "kprobe" || f == nil || f.Variadic || n < len(f.Params) || n > 5 || len(u.Hooks) != 1 || u.Hooks[0].Offset != 0 {
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
	d := u.warnf(sp, "%s has %s: %s is what a register happens to hold", f.Name, diag.Plural(len(f.Params), "argument"), name).Hintf("%s", hint)
	if _, call, ok := strings.Cut(f.Name, "_sys_"); ok && len(f.Params) == 1 && strings.HasPrefix(f.Name, "__") {
		if s, known := u.t.Syscall(call); known && n < len(s.Params) {
			d.Hintf("write syscall:%s, and args.%s", call, s.Params[n].Name)
		}
	}
}

// argument is the name in args of arg0, arg1 and so on of a program's function,
// if it points to what has the member, or "". Which register it is in depends
// on the arguments before it, so that the number alone does not tell the type.
func (u arguments) argument(x ast.Expr, member string) string {
	name, _ := bareName(x)
	n, err := strconv.Atoi(strings.TrimPrefix(name, "arg"))
	if err != nil || !strings.HasPrefix(name, "arg") || u.Args == nil {
		return ""
	}
	if fields := u.Args.Fields(); n < len(fields) && fields[n].Type.Kind == types.Pointer {
		if _, ok := fields[n].Type.Elem.Field(member); ok {
			return fields[n].Name
		}
	}
	return ""
}

// ownArgs reports whether the arguments can still be read where the unit
// runs: the exit of a trampoline has them.
func (u arguments) ownArgs() bool { return u.Hooks[0].Kind == object.HookFexit }

// endingIn are the names with an ending, at most three.
func endingIn(ending string, names []string) (found []string) {
	for _, n := range names {
		if strings.HasSuffix(n, ending) && len(found) < 3 {
			found = append(found, n)
		}
	}
	return found
}
