package builtin

import (
	"errors"
	"io/fs"
	"math/bits"
	"net/netip"
	"slices"
	"strings"

	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/diag"
)

// The rules of functions whose types, or values, do not follow from the kinds of their arguments alone.

// ofStr is str(address[, length]); of a number that is written out, or of $1, it is the text.
func ofStr(c *Call) (Result, *Fault) {
	a, most := c.Args[0], c.MaxStrlen
	size, sized := most, len(c.Args) > 1
	var n *int64
	if sized {
		if !c.Args[1].Type.IsInteger() {
			return notInteger(1, "the length of str()")
		}
		if n = c.Args[1].Num; n != nil {
			if *n < 0 {
				return faulty(nil, 1, "leave it out for all of the string, up to max_strlen", "the length of str() can't be negative")
			}
			// Of n bytes the last one is the NUL; a longer text than max_strlen is cut, which shows as if
			// no length was given.
			if size = int(max(*n, 1)); size > most {
				size = most + 1
			}
		}
	}
	constant := func(s string) (Result, *Fault) {
		keep := most
		if n != nil {
			keep = int(min(*n, int64(most)))
		}
		return text(s[:min(len(s), keep)])
	}
	t := a.Type
	switch {
	case a.Written != nil:
		return constant(*a.Written)
	case t.Kind == types.String:
		if a.Text != nil && (n != nil || !sized) {
			return constant(*a.Text)
		}
		if (a.Declared == nil || a.Declared.Size > 0) && t.Size <= most {
			return typed(types.StringType(min(size, t.Size)))
		}
		if !sized {
			size++
		}
	case t.Kind == types.Pointer, t.Kind == types.Int, t.Kind == types.Enum:
		if !sized {
			size++ // max_strlen characters and the NUL
		}
	case t.Kind == types.Array && t.Elem.Size == 1:
		if t.Size > 0 {
			size = min(size, t.Size+1)
		}
	case t.Kind == types.Buffer:
		size = min(size, t.Len+1)
	default:
		return c.unfit(nil, "str can't read a string from %s", types.Describe(t))
	}
	return typed(types.StringType(size))
}

// ofBuf is buf(address[, length]).
func ofBuf(c *Call) (Result, *Fault) {
	t, most, n := c.Args[0].memory(), c.MaxStrlen, int64(-1)
	if len(c.Args) > 1 {
		if !c.Args[1].Type.IsInteger() {
			return notInteger(1, "the length of buf()")
		}
		n = int64(most)
		if given := c.Args[1].Num; given != nil {
			if *given < 0 {
				return faulty(nil, 1, c.Func.Signature, "the length of buf() can't be negative")
			}
			n = min(*given, n)
		}
	}
	switch t.Kind {
	case types.String:
		if n < 0 {
			return faulty(nil, WholeCall, "buf(text, strlen(text)) takes the whole text", "buf needs the number of bytes to take from a text")
		}
	case types.Array:
		if n < 0 || t.Size > 0 && int64(t.Size) < n {
			n = int64(min(t.Size, most))
		}
	case types.Pointer, types.Int, types.Enum:
		if n < 0 {
			return c.unfit(nil, "buf needs the number of bytes to read from %s", types.Describe(t))
		}
	default:
		return c.unfit(nil, "buf can't read bytes from %s", types.Describe(t))
	}
	return typed(types.BufferType(int(max(n, 1))))
}

// ofPath is path(&struct path[, length]).
func ofPath(c *Call) (Result, *Fault) {
	size := c.MaxStrlen
	if len(c.Args) > 1 {
		n := *c.Args[1].Num
		if n < 1 {
			return faulty(nil, 1, c.Func.Signature, "the length of path() must be at least 1")
		}
		size = int(min(n, int64(size)))
	}
	return typed(types.StringType(size))
}

// ofNtop takes an IPv4 address as a number or 4 bytes, an IPv6 one as 16 bytes.
func ofNtop(c *Call) (Result, *Fault) {
	if len(c.Args) > 1 && !c.Args[0].Type.IsInteger() {
		return notInteger(0, "the family of ntop()")
	}
	t := c.Args[len(c.Args)-1].Type
	switch {
	case t.IsInteger(), t.Kind == types.Inet:
	case (t.Kind == types.Array || t.Kind == types.Struct || t.Kind == types.Union) && (t.Size == 4 || t.Size == 16):
	default:
		return c.unfit(c.Func.Type, "ntop takes a number, 4 bytes or 16 bytes, not %s", types.Describe(t))
	}
	return typed(c.Func.Type)
}

func ofMacaddr(c *Call) (Result, *Fault) {
	t := c.Args[0].memory()
	switch {
	case t.Kind == types.Pointer, t.IsInteger():
	case t.Kind == types.Array && t.Size >= 6, t.Kind == types.Buffer && t.Len >= 6:
	default:
		return c.unfit(c.Func.Type, "macaddr takes 6 bytes or a pointer to them, not %s", types.Describe(t))
	}
	return typed(c.Func.Type)
}

// ofPton is a constant: the bytes of an address in network order are its text.
func ofPton(c *Call) (Result, *Fault) {
	if c.Args[0].Open {
		return Result{Open: true}, nil // 4 bytes, or 16
	}
	addr, err := netip.ParseAddr(*c.Args[0].Text)
	if err != nil || addr.Zone() != "" {
		return faulty(nil, 0, `write pton("127.0.0.1") or pton("::1")`, "%q is not an IPv4 or IPv6 address", *c.Args[0].Text)
	}
	bytes := string(addr.AsSlice())
	return Result{Type: types.ArrayOf(types.U8, len(bytes)), Text: &bytes}, nil
}

// ofBswap keeps the width of its argument; a number that is written out has the smallest width that holds it.
func ofBswap(c *Call) (Result, *Fault) {
	a := c.Args[0]
	if !a.Type.IsInteger() {
		return notInteger(0, "the argument of bswap()")
	}
	size := a.Size
	if a.Num == nil {
		return typed(types.IntType(size, false))
	}
	n := uint64(*a.Num)
	if a.Literal {
		for size = 1; size < 8 && n>>(8*size) != 0; size *= 2 {
		}
	}
	return number(types.IntType(size, false), int64(bits.ReverseBytes64(n)>>(64-8*size)))
}

// ofStrftime formats the clock of nsecs; the monotonic clock has no date.
func ofStrftime(c *Call) (Result, *Fault) {
	ns := c.Args[1]
	switch {
	case ns.Num != nil && *ns.Num < 0:
		return faulty(nil, 1, "nsecs is now, nsecs - 5s was five seconds ago", "a time can't be negative")
	case ns.Var == VarNsecs && ns.Word == "monotonic":
		return faulty(nil, 1, "use nsecs", "the monotonic clock can't be turned into a date")
	}
	return typed(TimestampType(*c.Args[0].Text))
}

// ofCgroupPath keeps the hierarchies whose names match a pattern.
func ofCgroupPath(c *Call) (Result, *Fault) {
	if len(c.Args) > 1 {
		return typed(CgroupPathType(*c.Args[1].Text))
	}
	return typed(CgroupPathType(""))
}

// ofFirstBytes are the functions that compare n bytes.
func ofFirstBytes(c *Call) (Result, *Fault) {
	if *c.Args[2].Num < 0 {
		return faulty(nil, 2, c.Func.Signature, "the length of %s can't be negative", c.Func.Name)
	}
	return typed(c.Func.Type)
}

// ofWriteUser is write_user(to, from, length). Whether from has so many bytes is known when all types are: the
// code for it looks.
func ofWriteUser(c *Call) (Result, *Fault) {
	if n := c.Args[2].Num; n != nil && *n < 1 {
		return faulty(nil, 2, c.Func.Signature, "the length of write_user() must be at least 1")
	}
	return typed(c.Func.Type)
}

// intoSpace is kptr(p) and uptr(p).
func intoSpace(user bool) func(*Call) (Result, *Fault) {
	return func(c *Call) (Result, *Fault) {
		elem := types.WordType
		if t := c.Args[0].Type; t.Kind == types.Pointer {
			elem = t.Elem
		}
		return typed(types.PointerTo(elem, user))
	}
}

func ofKaddr(c *Call) (Result, *Fault) {
	addr, ok := c.Target.Symbol(*c.Args[0].Text)
	if !ok {
		return faulty(types.U64, 0, "grep for it in /proc/kallsyms", "the kernel has no symbol %s", *c.Args[0].Text)
	}
	return number(types.U64, int64(addr))
}

func ofPercpuKaddr(c *Call) (Result, *Fault) {
	if _, ok := c.Target.Symbol(*c.Args[0].Text); !ok {
		return faulty(types.U64, 0, "grep for it in /proc/kallsyms", "the kernel has no per-CPU symbol %s", *c.Args[0].Text)
	}
	return typed(types.U64)
}

// ofUaddr points to a symbol of the probed program, as wide as the symbol.
func ofUaddr(c *Call) (r Result, f *Fault) {
	if c.Blind {
		return typed(nil)
	}
	name, path := *c.Args[0].Text, c.Hook().Path
	sym, ok := c.Target.Object(path, name)
	if !ok {
		r, f = faulty(nil, 0, "nm -D "+path+" lists them", "%s has no symbol %s", path, name)
		f.Near = func() string { return c.NearSymbol(name) }
		return r, f
	}
	if sym.Several {
		_, r.Doubt = faulty(nil, 0, "nm -n "+path+" shows which that is; names of variables that are static need not be unique",
			"%s has several variables %s: this is the one at %#x", path, name, sym.Addr)
	}
	elem := types.U64
	switch sym.Size {
	case 1, 2, 4:
		elem = types.IntType(int(sym.Size), false)
	}
	r.Type = types.PointerTo(elem, true)
	return r, nil
}

// ofFollowed is followed(pid), which is true where nobody is followed.
func ofFollowed(c *Call) (Result, *Fault) {
	if !c.Follow {
		return truth(true)
	}
	return typed(types.BoolType)
}

func ofCgroupid(c *Call) (Result, *Fault) {
	path := *c.Args[0].Text
	groups, ok := c.Target.(target.Cgroups)
	if !ok {
		return number(types.U64, 1) // a recorded kernel: any number will do
	}
	id, unified, err := groups.CgroupID(path)
	if err != nil {
		hint := "systemd-cgls lists them"
		if !strings.HasPrefix(path, "/") {
			hint = "write its whole path: /sys/fs/cgroup/..."
		}
		r, f := faulty(types.U64, 0, hint, "there is no cgroup %s", path)
		if !errors.Is(err, fs.ErrNotExist) {
			f.Message += ": " + err.Error()
		}
		return r, f
	}
	r, _ := number(types.U64, int64(id))
	if !unified {
		_, r.Doubt = faulty(nil, 0, "grep cgroup2 /proc/mounts shows where those are", "%s is not a cgroup of version 2: its number says nothing about cgroup", path)
	}
	return r, nil
}

// ofIsSyscall is is_syscall(number, "name,..."): the names become numbers.
func ofIsSyscall(c *Call) (Result, *Fault) {
	r := Result{Type: types.BoolType}
	for _, name := range strings.Split(*c.Args[1].Text, ",") {
		list := []string{strings.TrimSpace(name)}
		if target.IsWild(name) {
			list = c.Target.Syscalls(list[0])
		}
		known := false
		for _, call := range list {
			nr, ok := c.Target.SyscallNumber(call)
			if known = known || ok; ok && !slices.Contains(r.Numbers, nr) {
				r.Numbers = append(r.Numbers, nr)
			}
		}
		if !known {
			r, f := faulty(types.BoolType, 1, "fst list 'syscall:*' shows them; several are written read,write", "there is no system call %q", name)
			f.Near = func() string { return diag.Nearest(name, c.Target.Syscalls("*")) }
			return r, f
		}
	}
	return r, nil
}

// ofConcat has room for both texts.
func ofConcat(c *Call) (Result, *Fault) {
	n := 0
	for _, a := range c.Args {
		n += a.Type.Size
	}
	return typed(types.StringType(min(n, c.MaxStrlen)))
}

func ofStrcap(c *Call) (Result, *Fault) { return number(types.U64, int64(c.Args[0].Size)) }

// isKind answers is_ptr(x) and its like.
func isKind(is func(*types.Type) bool) func(*Call) (Result, *Fault) {
	return func(c *Call) (Result, *Fault) { return truth(is(c.Args[0].Type)) }
}

// ofIsLiteral answers is_literal(x).
func ofIsLiteral(c *Call) (Result, *Fault) {
	return truth(c.Args[0].Num != nil || c.Args[0].Text != nil)
}

// ofKfunc is kfunc_exist("name"), and ofKfuncAllowed kfunc_allowed("name").
func ofKfunc(c *Call) (Result, *Fault) {
	_, ok := c.Target.Function("", *c.Args[0].Text)
	return truth(ok)
}

func ofKfuncAllowed(c *Call) (Result, *Fault) {
	r, f := ofKfunc(c)
	if r.Num != nil && (*c.Args[0].Text != "bpf_rdonly_cast" || !c.Target.Has(target.RdonlyCast)) {
		return truth(false)
	}
	return r, f
}

// ofSignalNum is signal_num("KILL"): a constant.
func ofSignalNum(c *Call) (Result, *Fault) {
	if c.Args[0].Open {
		return typed(nil)
	}
	n, f := SignalNamed(*c.Args[0].Text)
	if f != nil {
		return Result{}, f
	}
	return number(types.I64, n)
}

// SignalNamed is the number of a signal: "KILL", "SIGKILL" and "sigkill" are one.
func SignalNamed(name string) (int64, *Fault) {
	full := strings.ToUpper(name)
	if !strings.HasPrefix(full, "SIG") {
		full = "SIG" + full
	}
	n, ok := Constants()[full]
	if ok {
		return n, nil
	}
	_, f := faulty(nil, 0, "signals are called HUP, INT, KILL, TERM, USR1 and so on, or numbered from 1 to 64", "there is no signal %q", name)
	f.Near = func() string {
		var names []string
		for n := range Constants() {
			if strings.HasPrefix(n, "SIG") && !strings.Contains(n, "_") {
				names = append(names, n)
			}
		}
		return diag.Nearest(full, names)
	}
	return 0, f
}
