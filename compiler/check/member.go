package check

import (
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

// argument is the name in args of arg0, arg1 and so on of a program's function,
// if it points to what has the member, or "". Which register it is in depends
// on the arguments before it, so that the number alone does not tell the type.
func (u *unitChecker) argument(x ast.Expr, member string) string {
	name, _ := bareName(x)
	n, err := strconv.Atoi(strings.TrimPrefix(name, "arg"))
	if err != nil || !strings.HasPrefix(name, "arg") || u.u.Args == nil {
		return ""
	}
	if fields := u.u.Args.Fields(); n < len(fields) && fields[n].Type.Kind == types.Pointer {
		if _, ok := fields[n].Type.Elem.Field(member); ok {
			return fields[n].Name
		}
	}
	return ""
}

// field is x.name and x->name: a member of a struct, of what a pointer points
// to, or of a record; args.name and config.name have rules of their own.
func (u *unitChecker) field(x *ast.Field) *types.Type {
	switch {
	case Names(x.X, builtin.VarArgs):
		return u.argsField(x)
	case Names(x.X, builtin.VarConfig):
		return u.configField(x)
	case Word(x.X) == "arg":
		if !u.quiet {
			u.errorf(x.X.Pos(), "arg is not known").Hintf("write args.%s", x.Name)
		}
		return invalid
	}
	t := u.value(x.X)
	if t.Kind == types.Invalid {
		return invalid
	}
	if name, ok := bareName(x.X); ok && t.IsInteger() {
		// arg0 of a kprobe and retval of a kretprobe are numbers, as scripts
		// take them to be; members make them the pointers that the function
		// takes and returns.
		if p := u.declared(name); p != nil && p.Kind == types.Pointer {
			t = p
			u.u.Types[x.X] = t
		}
	}
	if u.unknowable(t) {
		return invalid
	}
	user := u.userMem[x.X]
	base := t
	if t.Kind == types.Pointer {
		base, user = t.Elem, t.User
		switch {
		case isVoid(base):
			u.errorf(x.X.Pos(), "a void pointer does not say what it points to").Hintf("cast it: ((struct NAME *)x).%s", x.Name)
			return invalid
		case base.Kind == types.Pointer:
			u.errorf(x.X.Pos(), "this is a pointer to a pointer").Hintf("read it first: (*x).%s", x.Name)
			return invalid
		}
	}
	switch base.Kind {
	case types.Struct, types.Union, types.Record:
	default:
		if u.neverStored(x.X) {
			return invalid
		}
		d := u.errorf(x.X.Pos(), "%s has no members", describe(t))
		switch {
		case base.IsInteger() && u.argument(x.X, x.Name) != "":
			d.Hintf("its name has the type: args.%s->%s", u.argument(x.X, x.Name), x.Name)
		case base.IsInteger():
			what := "x"
			if name, ok := bareName(x.X); ok {
				what = name
			} else if v, ok := x.X.(*ast.Var); ok {
				what = called(v.Name)
			}
			d.Hintf("cast it: ((struct NAME *)%s).%s", what, x.Name)
		case base.Kind == types.Tuple:
			d.Hintf("the parts of a tuple are .0, .1 and so on")
		case base.Kind == types.String:
			d.Hintf("strlen(x) counts its characters, strstr(x, \"...\") finds a part, str_concat(x, y) joins two")
		}
		return invalid
	}
	u.constMember(x)
	f, ok := base.Field(x.Name)
	if !ok {
		if path := successorOf(base, x.Name); path != "" {
			u.errorf(x.NameSpan, "%s has no member %s", base, x.Name).Hintf("here it is %s", path)
			return invalid
		}
		if owner, path := u.ownersMember(x); path != "" {
			u.errorf(x.NameSpan, "%s has no member %s", base, x.Name).Hintf("here %s has it: %s", owner, path)
			return invalid
		}
		u.noField(x.NameSpan, base.String(), x.Name, base.FieldNames())
		return invalid
	}
	if f.Type.Kind == types.Array && f.Type.Size == 0 && t.Kind != types.Pointer && u.isCopy(x.X) {
		u.errorf(x.NameSpan, "%s lies behind the struct, so it is not in the copy", x.Name).Hintf("go there from the pointer that was copied: p->%s", x.Name)
		return invalid
	}
	return u.member(x, f, user)
}

// isCopy reports whether a struct, or a part of one, lies in a variable or a map.
func (u *unitChecker) isCopy(x ast.Expr) bool {
	for {
		switch e := x.(type) {
		case *ast.Var, *ast.Map:
			return true
		case *ast.Field:
			x = e.X
		case *ast.Index:
			x = e.X
		default:
			return false
		}
		if t := u.u.Types[x]; t == nil || t.Kind == types.Pointer {
			return false
		}
	}
}

// unknowable is true of a number or address that could come from a probe that is
// not there: what its arguments, its context and its result would point to is
// known only where it is.
func (u *unitChecker) unknowable(t *types.Type) bool {
	return u.blind && u.u.Provider != "" && (t.IsInteger() || t.Kind == types.Pointer && isVoid(t.Elem))
}

// ownersMember is the member that gives x.y.name today in what x is, and the type of
// that.
func (u *unitChecker) ownersMember(x *ast.Field) (owner *types.Type, path string) {
	through, ok := x.X.(*ast.Field)
	if !ok {
		return nil, ""
	}
	if owner = u.u.Types[through.X]; owner != nil && owner.Kind == types.Pointer {
		owner = owner.Elem
	}
	if owner == nil || !owner.IsStruct() {
		return nil, ""
	}
	return owner, successorOf(owner, through.Name+"."+x.Name)
}

// declared is the type that the probed function's declaration gives retval or
// arg0, arg1, ..., or nil.
func (u *unitChecker) declared(name string) *types.Type {
	if name == builtin.VarRetval.Name {
		return u.u.Func.Returns()
	}
	n, ok := builtin.ArgNumber(name)
	if !ok || u.u.Func == nil || u.u.Provider != "kprobe" {
		return nil
	}
	for i, p := range u.u.Func.Params {
		if u.u.Func.Slot(i) == n {
			return p.Type
		}
	}
	return nil
}

// Word is the name of a built-in variable or function that an expression consists of, with
// parentheses or without, or empty.
func Word(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.Call:
		return x.Name
	}
	return ""
}

// Names reports whether an expression is a built-in variable, however it is written.
func Names(x ast.Expr, v *builtin.Var) bool {
	named, _ := builtin.VarByName(Word(x))
	return named == v
}

// calls reports whether an expression is a call of a function.
func calls(x ast.Expr, f *builtin.Func) bool {
	c, ok := x.(*ast.Call)
	if !ok {
		return false
	}
	called, _ := builtin.FuncByName(c.Name)
	return called == f
}

func bareName(x ast.Expr) (string, bool) {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name, true
	case *ast.Call:
		return x.Name, len(x.Args) == 0
	}
	return "", false
}

// member is the type of a field that is read.
func (u *unitChecker) member(x ast.Expr, f types.Field, user bool) *types.Type {
	if f.DataLoc && f.Type.Kind == types.Array && f.Type.Elem != nil && f.Type.Elem.Char {
		u.raw[x] = f.Type
		return types.StringType(u.info.Config.MaxStrlen)
	}
	return u.loaded(x, f.Type, user)
}

// noField reports a member that does not exist.
func (u *unitChecker) noField(sp source.Span, what, name string, names []string) {
	d := u.errorf(sp, "%s has no member %s", what, name)
	if u.quiet {
		return
	}
	if n := diag.Nearest(name, names); n != "" {
		d.Hintf("did you mean %s?", n)
	} else if other := u.relative(what, name); other != "" {
		d.Hintf("%s has it: ((%s *)x)->%s", other, other, name)
	} else if len(names) > 0 && len(names) <= 12 {
		d.Hintf("it has %s", strings.Join(names, ", "))
	} else if len(names) == 0 {
		d.Hintf("only its name is known: define it in the script")
	} else if st, ok := strings.CutPrefix(what, "struct "); ok {
		d.Hintf("fst -lv 'struct %s' lists them; exists(struct %s, %s) asks", st, st, name)
	}
}

// relative finds the struct with a member that one whose name is a part of its
// own lacks: struct inet_sock for struct sock, struct sockaddr_in for struct
// sockaddr. Those that begin with the other are preferred, then shorter names.
func (u *unitChecker) relative(what, member string) string {
	name, ok := strings.CutPrefix(what, "struct ")
	if !ok || u.t == nil {
		return ""
	}
	best, bestBegins := "", false
	for _, other := range u.t.TypeNames() {
		if other == name || !strings.Contains(other, name) {
			continue
		}
		t, ok := u.t.Type("struct", other)
		if !ok {
			continue
		}
		if _, ok := t.Field(member); !ok {
			continue
		}
		begins := beginsWith(t, what)
		if best == "" || begins && !bestBegins || begins == bestBegins && (len(other) < len(best) || len(other) == len(best) && other < best) {
			best, bestBegins = other, begins
		}
	}
	if best == "" {
		return ""
	}
	return "struct " + best
}

// beginsWith reports whether a struct's first member is, or begins with, another.
func beginsWith(t *types.Type, what string) bool {
	for t.Kind == types.Struct && len(t.Fields()) > 0 {
		if t = t.Fields()[0].Type; t.String() == what {
			return true
		}
	}
	return false
}

// argsField is args.name: of the probe's own record or parameters, else an
// argument that is kept from the entry.
func (u *unitChecker) argsField(x *ast.Field) *types.Type {
	if u.blind || !u.available(builtin.VarArgs, builtin.VarArgs.Name, x.X.Pos()) {
		return invalid
	}
	u.u.Types[x.X] = u.argsType()
	if u.u.Args != nil {
		if f, ok := u.u.Args.Field(x.Name); ok {
			u.keep(x.Name)
			u.raw[x] = nil
			delete(u.raw, x)
			return u.member(x, f, false)
		}
	}
	if u.sysExit() && u.u.Func != nil {
		for _, p := range u.u.Func.Params {
			if p.Name == x.Name {
				u.entry[x.Name] = true
				return u.loaded(x, p.Type, false)
			}
		}
	}
	u.noArgs(x.NameSpan, x.Name)
	return invalid
}

// keep notes that an argument must be kept from the entry of a call.
func (u *unitChecker) keep(name string) {
	switch u.u.Provider {
	case "call", "ucall", "syscall", "kretprobe", "uretprobe":
		if !u.ownArgs() {
			u.entry[name] = true
		}
	}
}

// noArgs reports a name that args does not have.
func (u *unitChecker) noArgs(sp source.Span, name string) {
	hook := u.u.Hooks[0]
	if other := u.namesakeWith(name); other != nil {
		lacks := "has no argument " + name
		if u.u.Args == nil {
			lacks = "has no arguments that are known by name here"
		}
		u.errorf(sp, "the function %s of %s %s, that of %s has", hook.Function, hook.Module, lacks, other.Module).
			Hintf("%s:%s:%s is that one alone", u.u.Provider, other.Module, hook.Function)
		return
	}
	if u.u.Args == nil {
		d := u.errorf(sp, "the arguments of %s are not known by name here", hook.Name)
		switch u.u.Provider {
		case "uprobe":
			d.Hintf("use arg0 to arg5; names need debug information of the program (-g, or a package of debug symbols; with -gsplit-dwarf also the .dwo files, or their .dwp)")
		case "kprobe":
			d.Hintf("use arg0 to arg5, with casts")
		case "usdt":
			d.Hintf("it has no arguments that can be read; fst -lv '%s' lists them", hook.Name)
		case "tracepoint":
			d.Hintf("the events of this clause have different arguments")
		default:
			d.Hintf("use retval, or probe the entry")
		}
		return
	}
	if p := u.unreadable(name); p != nil {
		u.errorf(sp, "argument %s can't be read: %s", name, p.Unread).
			Hintf("fst -lv '%s' shows all arguments; reg(\"di\") is a register", hook.Name)
		return
	}
	names := u.u.Args.FieldNames()
	if u.sysExit() && u.u.Func != nil {
		for _, p := range u.u.Func.Params {
			names = append(names, p.Name)
		}
	}
	if name == builtin.VarRet.Name && u.u.Provider == "syscall" {
		u.errorf(sp, "the result is not an argument").Hintf("write ret (or errno)")
		return
	}
	if a := u.absent[sp]; a != nil && a.probe != hook.Name && !u.quiet {
		a.others++
		d := &u.diags.All[a.at]
		d.Message = fmt.Sprintf("%s has no argument %s, nor have %d others of the clause's probes", a.probe, name, a.others)
		if a.others == 1 {
			d.Message = fmt.Sprintf("%s has no argument %s, nor has %s", a.probe, name, hook.Name)
		}
		if !strings.HasPrefix(d.Hint, "did you mean") {
			d.Hintf("write a clause of its own for the probes that have it")
		}
		return
	}
	if !u.quiet {
		u.absent[sp] = &absence{probe: hook.Name, at: len(u.diags.All)}
	}
	d := u.errorf(sp, "%s has no argument %s", hook.Name, name)
	// bpftrace before 0.12 had the place of a text in the record under this name.
	located := strings.TrimPrefix(name, "data_loc_")
	if located != name && slices.Contains(names, located) {
		d.Hintf("did you mean args.%s?", located)
	} else if n := diag.Nearest(name, names); n != "" {
		d.Hintf("did you mean args.%s?", n)
	} else if strings.HasPrefix(name, "common_") && u.u.Provider == "tracepoint" {
		d.Hintf("the kernel keeps the common_ fields from BPF programs; the thread's number is tid")
	} else if name == builtin.VarRetval.Name && slices.Contains(names, "ret") {
		d.Hintf("did you mean args.ret?")
	} else if u.ofTask(hook.Category, name) {
		d.Hintf("the thread's is curtask.%s", name)
	} else if event := u.eventWith(hook.Event, name); event != "" {
		d.Hintf("%s has it; here there are %s", event, strings.Join(names, ", "))
	} else if len(names) == 0 {
		d.Hintf("it has no arguments")
	} else {
		d.Hintf("it has %s", strings.Join(names, ", "))
	}
}

// ofTask reports whether a field that an event of the scheduler lacks is one of
// its thread's.
func (u *unitChecker) ofTask(category, name string) bool {
	if category != "sched" || u.quiet {
		return false
	}
	t, ok := u.kernelType("struct", "task_struct")
	if !ok {
		return false
	}
	_, ok = t.Field(name)
	return ok
}

// namesakeWith is a place of the clause in another function of the same name, which has an
// argument, or nil.
func (u *unitChecker) namesakeWith(argument string) *object.Hook {
	hook := &u.u.Hooks[0]
	for _, other := range u.info.Units {
		if h := &other.Hooks[0]; other.Clause == u.u.Clause && hook.Function != "" && h.Function == hook.Function && h.Module != hook.Module &&
			other.Args != nil && slices.Contains(other.Args.FieldNames(), argument) {
			return h
		}
	}
	return nil
}

// unreadable is the parameter of a program's function that has a name, if it can't be read.
func (u *unitChecker) unreadable(name string) *target.Param {
	if u.u.Func == nil || u.sysExit() {
		return nil
	}
	i := slices.IndexFunc(u.u.Func.Params, func(p target.Param) bool { return p.Name == name && p.Unread != "" })
	if i < 0 {
		return nil
	}
	return &u.u.Func.Params[i]
}

// absence is an argument that several probes of a clause lack. It is told once.
type absence struct {
	probe      string // the first of them
	at, others int    // where it is told, and how many others there are
}

// eventWith names the tracepoint of a raw tracepoint, if that has the argument.
func (u *unitChecker) eventWith(event, name string) string {
	if u.u.Provider != "rawtracepoint" {
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
func (u *unitChecker) argsType() *types.Type {
	if u.u.Args == nil {
		return invalid
	}
	var names []string
	var elems []*types.Type
	for _, f := range u.u.Args.Fields() {
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
func (u *unitChecker) wholeArgs(sp source.Span) *types.Type {
	if u.u.Hooks[0].Program != 0 {
		u.errorf(sp, "the arguments of a BPF program can't be shown as a whole").Hintf("take one of them: args.%s", u.argNames())
		return invalid
	}
	if u.u.Args == nil {
		u.noArgs(sp, "")
		return invalid
	}
	for _, f := range u.u.Args.Fields() {
		u.keep(f.Name)
	}
	return u.argsType()
}

func (u *unitChecker) configField(x *ast.Field) *types.Type {
	u.u.Types[x.X] = types.NoneType
	s, ok := u.settings[x.Name]
	if _, known := configKeys[x.Name]; !ok && !known {
		var names []string
		for n := range configKeys {
			names = append(names, n)
		}
		suggest(u.errorf(x.NameSpan, "there is no setting %s", x.Name), x.Name, "config.", names)
		return invalid
	}
	switch {
	case s.isText || configKeys[x.Name].Kind == builtin.WordSetting:
		u.u.Strings[x] = s.text
		return types.StringType(len(s.text) + 1)
	case configKeys[x.Name].Kind == builtin.SwitchSetting:
		u.u.Consts[x] = s.num
		return types.BoolType
	}
	u.u.Consts[x] = s.num
	return types.I64
}

// tupleIndex is x.N.
func (u *unitChecker) tupleIndex(x *ast.TupleIndex) *types.Type {
	if Names(x.X, builtin.VarArgs) {
		if a := u.numbered(x); a != nil {
			return u.standFor(x, a)
		}
		return invalid
	}
	t := u.value(x.X)
	if t.Kind == types.Invalid || t.Kind != types.Tuple && t.Kind != types.Record && u.neverStored(x.X) {
		return invalid
	}
	return u.element(t, int64(x.N), x.Span)
}

// numbered is the argument that args.N stands for: by its name, or arg0 and so on
// where no names are known.
func (u *unitChecker) numbered(x *ast.TupleIndex) ast.Expr {
	if u.blind || !u.available(builtin.VarArgs, builtin.VarArgs.Name, x.X.Pos()) {
		return nil
	}
	names, known := u.parameters()
	if known && x.N >= len(names) {
		d := u.errorf(x.Span, "%s has %s, so there is no args.%d", u.u.Hooks[0].Name, diag.Plural(len(names), "argument"), x.N)
		if len(names) > 0 {
			d.Hintf("they are %s", strings.Join(names, ", "))
		}
		return nil
	}
	if known {
		return &ast.Field{At: x.At, X: x.X, Name: names[x.N], NameSpan: x.Span}
	}
	return &ast.Ident{At: x.At, Name: "arg" + strconv.Itoa(x.N)}
}

// parameters are the names of the function's arguments in their order, if they
// are known here.
func (u *unitChecker) parameters() (names []string, known bool) {
	switch {
	case u.u.Func != nil:
		for _, p := range u.u.Func.Params {
			names = append(names, p.Name)
		}
		return names, true
	case u.u.Args != nil:
		return u.u.Args.FieldNames(), true
	}
	return nil, false
}

// element is a part of a tuple.
func (u *unitChecker) element(t *types.Type, n int64, sp source.Span) *types.Type {
	if t.Kind != types.Tuple && t.Kind != types.Record {
		u.errorf(sp, "%s is not a tuple", describe(t)).Hintf("a tuple is written (a, b)")
		return invalid
	}
	fields := t.Fields()
	if n < 0 || n >= int64(len(fields)) {
		u.errorf(sp, "this tuple has %s, so there is no .%d", diag.Plural(len(fields), "part"), n).Hintf("parts count from 0: %s", describe(t))
		return invalid
	}
	return fields[n].Type
}

// index is x[i].
func (u *unitChecker) index(x *ast.Index) *types.Type {
	t := u.value(x.X)
	if t.Kind.IsText() {
		t = u.asText(x.X, t)
	}
	ti := u.integer(x.I, "an index")
	if t.Kind == types.Invalid || ti.Kind == types.Invalid {
		return invalid
	}
	n, constant := u.u.Consts[x.I]
	switch t.Kind {
	case types.Array:
		if constant && t.Len > 0 && (n < 0 || n >= int64(t.Len)) {
			u.errorf(x.I.Pos(), "index %d is outside of an array of %s", n, diag.Plural(t.Len, "element")).Hintf("elements count from 0 to %d", t.Len-1)
			return invalid
		}
		return u.loaded(x, t.Elem, u.userMem[x.X])
	case types.Pointer:
		if isVoid(t.Elem) {
			u.errorf(x.X.Pos(), "a void pointer does not say what it points to").Hintf("cast it: ((uint64 *)x)[0]")
			return invalid
		}
		return u.loaded(x, t.Elem, t.User)
	case types.String:
		if raw := u.raw[x.X]; raw != nil && constant && raw.Len > 0 && (n < 0 || n >= int64(raw.Len)) {
			u.errorf(x.I.Pos(), "index %d is outside of an array of %s", n, diag.Plural(raw.Len, "element")).Hintf("elements count from 0 to %d", raw.Len-1)
			return invalid
		}
		if size := u.stated(x.X, t).Size; u.raw[x.X] == nil && constant && (n < 0 || n >= int64(size)) {
			u.errorf(x.I.Pos(), "index %d is outside of a string of %s", n, diag.Plural(size, "byte")).Hintf("bytes count from 0 to %d, which is its end", size-1)
			return invalid
		}
		return types.I8
	case types.Tuple, types.Record:
		if !constant {
			u.errorf(x.I.Pos(), "the index of a tuple must be a constant").Hintf("the parts of a tuple are .0, .1 and so on")
			return invalid
		}
		return u.element(t, n, x.I.Pos())
	}
	d := u.errorf(x.X.Pos(), "%s has no elements", describe(t))
	if t.IsInteger() {
		d.Hintf("cast it: ((uint64 *)x)[0]")
	} else if t.IsStack() {
		d.Hintf("it is shown whole; kstack(3) has its three innermost frames")
	}
	return invalid
}

// typeNamed is the kernel's typedef that a word names, which the parser takes
// for an expression; nil if it is none.
func (u *unitChecker) typeNamed(x ast.Expr) *types.Type {
	id, ok := x.(*ast.Ident)
	if !ok || u.t == nil {
		return nil
	}
	if _, ok := builtin.VarByName(id.Name); ok {
		return nil
	}
	t, _ := u.t.Type("", id.Name)
	return t
}

// typeOperand is the type that sizeof and offsetof are given, nil if it is a
// value.
func (u *unitChecker) typeOperand(t *ast.TypeExpr, x ast.Expr) *types.Type {
	if t != nil {
		return u.resolveType(t, u)
	}
	return u.typeNamed(x)
}

// sizeOf is sizeof(type) or sizeof(e).
func (u *unitChecker) sizeOf(x *ast.SizeOf) *types.Type {
	t := u.typeOperand(x.Type, x.X)
	if t == nil {
		t = u.value(x.X)
		if raw := u.raw[x.X]; raw != nil {
			t = raw
		}
		t = u.stated(x.X, t)
	} else if x.Type != nil {
		t = u.statedName(x.Type, t)
	}
	if t.Kind == types.Invalid {
		return invalid
	}
	u.u.Consts[x] = int64(statedSize(t))
	return types.U64
}

// offsetOf is offsetof(type or e, a.b[2].c).
func (u *unitChecker) offsetOf(x *ast.OffsetOf) *types.Type {
	t := u.typeOperand(x.Type, x.X)
	if t == nil {
		t = u.value(x.X)
	}
	if t.Kind == types.Pointer && t.Elem != nil {
		t = t.Elem
	}
	if t.Kind == types.Invalid {
		return invalid
	}
	off, ok := u.path(t, x.Path, x.Span)
	if !ok {
		return invalid
	}
	u.u.Consts[x] = off
	return types.U64
}

// path follows "a", "b", "[2]" from a struct and gives the place of the end.
func (u *unitChecker) path(t *types.Type, path []string, sp source.Span) (int64, bool) {
	off := int64(0)
	for _, step := range path {
		if digits, ok := strings.CutPrefix(step, "["); ok {
			if t.Kind != types.Array {
				u.errorf(sp, "%s has no elements", describe(t)).Hintf("the path ends here")
				return 0, false
			}
			n, err := strconv.ParseInt(strings.TrimSuffix(digits, "]"), 10, 32)
			if err != nil {
				u.errorf(sp, "[%s is no element of any array", digits).Hintf("elements count from 0")
				return 0, false
			}
			t = t.Elem
			off += n * int64(t.Size)
			continue
		}
		if t.Kind != types.Struct && t.Kind != types.Union && t.Kind != types.Record {
			u.errorf(sp, "%s has no members", describe(t)).Hintf("the path ends here")
			return 0, false
		}
		f, ok := t.Field(step)
		if !ok {
			u.noField(sp, t.String(), step, t.FieldNames())
			return 0, false
		}
		off += int64(f.Offset)
		t = f.Type
	}
	return off, true
}
