package check

import (
	"errors"
	"io/fs"
	"math/bits"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
)

// strCall is str(address[, length]); of a number that is written out, or of
// $1, it is the text.
func (u *unitChecker) strCall(x *ast.Call, f *builtin.Func) *types.Type {
	a := x.Args[0]
	most := u.info.Config.MaxStrlen
	size := most
	if len(x.Args) > 1 {
		t := u.integer(x.Args[1], "the length of str()")
		if n, ok := u.u.Consts[x.Args[1]]; ok && t.Kind != types.Invalid {
			if n < 0 {
				u.errorf(x.Args[1].Pos(), "the length of str() can't be negative").Hintf("leave it out for all of the string, up to max_strlen")
				return invalid
			}
			// Of n bytes the last one is the NUL; a longer text than
			// max_strlen is cut, which shows as if no length was given.
			if size = int(max(n, 1)); size > most {
				size = most + 1
			}
		}
	}
	t := u.value(a)
	if word, ok := u.wordOf(a); ok && t.Kind != types.Invalid {
		return u.strText(x, word)
	}
	if n, ok := u.u.Consts[a]; ok && t.Kind == types.Int && isNumeral(a) {
		return u.strText(x, exact(n, t.Signed).String())
	}
	raw := u.raw[a]
	switch {
	case t.Kind == types.Invalid:
		return invalid
	case t.Kind == types.String:
		if s, ok := u.u.Strings[a]; ok {
			if _, fixed := u.u.Consts[lastArg(x)]; fixed || len(x.Args) == 1 {
				return u.strText(x, s)
			}
		}
		if (raw == nil || raw.Size > 0) && t.Size <= most {
			return types.StringType(min(size, t.Size))
		}
		if len(x.Args) == 1 {
			size++
		}
	case t.Kind == types.Pointer, t.Kind == types.Int, t.Kind == types.Enum:
		if len(x.Args) == 1 {
			size++ // max_strlen characters and the NUL
		}
	case t.Kind == types.Array && t.Elem.Size == 1:
		if t.Size > 0 {
			size = min(size, t.Size+1)
		}
	case t.Kind == types.Buffer:
		size = min(size, t.Len+1)
	default:
		u.misused(x, f, "str can't read a string from %s", describe(t))
		return invalid
	}
	return types.StringType(size)
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

func lastArg(x *ast.Call) ast.Expr { return x.Args[len(x.Args)-1] }

// wordOf is the text of $1, and what stands behind the first n characters of it for
// $1 + n, also where the word is a number: as a text it is no address.
func (u *unitChecker) wordOf(x ast.Expr) (string, bool) {
	switch x := x.(type) {
	case *ast.Param:
		if x.N >= 1 && x.N <= len(u.opts.Params) {
			return u.opts.Params[x.N-1], true
		}
		return "", !x.Count
	case *ast.Binary:
		_, isParam := x.X.(*ast.Param)
		word, ok := u.wordOf(x.X)
		n, isConst := u.u.Consts[x.Y]
		if isParam && ok && isConst && x.Op == "+" && n >= 0 {
			return word[min(n, int64(len(word))):], true
		}
	}
	return "", false
}

// strText makes str(x[, n]) a constant: n is all of the text that is kept.
func (u *unitChecker) strText(x *ast.Call, s string) *types.Type {
	keep := u.info.Config.MaxStrlen
	if n, ok := u.u.Consts[lastArg(x)]; ok && len(x.Args) > 1 {
		keep = int(min(n, int64(keep)))
	}
	s = s[:min(len(s), keep)]
	u.u.Strings[x] = s
	return types.StringType(len(s) + 1)
}

// bufCall is buf(address[, length]).
func (u *unitChecker) bufCall(x *ast.Call, f *builtin.Func) *types.Type {
	t := u.value(x.Args[0])
	if raw := u.raw[x.Args[0]]; raw != nil {
		t = raw
	}
	most := u.info.Config.MaxStrlen
	n := int64(-1)
	if len(x.Args) > 1 {
		if u.integer(x.Args[1], "the length of buf()").Kind == types.Invalid {
			return invalid
		}
		n = int64(most)
		if c, ok := u.u.Consts[x.Args[1]]; ok {
			if c < 0 {
				u.errorf(x.Args[1].Pos(), "the length of buf() can't be negative").Hintf("%s", f.Signature)
				return invalid
			}
			n = min(c, n)
		}
	}
	switch t.Kind {
	case types.Invalid:
		return invalid
	case types.String:
		if n < 0 {
			u.errorf(x.Span, "buf needs the number of bytes to take from a text").Hintf("buf(text, strlen(text)) takes all that it has")
			return invalid
		}
	case types.Array:
		size := t.Size
		if n < 0 || size > 0 && int64(size) < n {
			n = int64(min(size, most))
		}
	case types.Pointer, types.Int, types.Enum:
		if n < 0 {
			u.misused(x, f, "buf needs the number of bytes to read from %s", describe(t))
			return invalid
		}
	default:
		u.misused(x, f, "buf can't read bytes from %s", describe(t))
		return invalid
	}
	return types.BufferType(int(max(n, 1)))
}

// pathCall is path(&struct path[, length]).
func (u *unitChecker) pathCall(x *ast.Call, f *builtin.Func) *types.Type {
	if _, ok := u.checkArgs(x, f); !ok {
		return invalid
	}
	size := u.info.Config.MaxStrlen
	if len(x.Args) > 1 {
		n := u.u.Consts[x.Args[1]]
		if n < 1 {
			u.errorf(x.Args[1].Pos(), "the length of path() must be at least 1").Hintf("%s", f.Signature)
			return invalid
		}
		size = int(min(n, int64(size)))
	}
	return types.StringType(size)
}

// ntop takes an IPv4 address as a number or 4 bytes, an IPv6 one as 16 bytes.
func (u *unitChecker) ntop(x *ast.Call, f *builtin.Func) *types.Type {
	if len(x.Args) > 1 {
		u.integer(x.Args[0], "the family of ntop()")
	}
	a := x.Args[len(x.Args)-1]
	t := u.value(a)
	if raw := u.raw[a]; raw != nil {
		t = raw
		u.u.Types[a] = raw
	}
	switch {
	case t.Kind == types.Invalid, t.IsInteger(), t.Kind == types.Inet:
	case (t.Kind == types.Array || t.Kind == types.Struct || t.Kind == types.Union) && (t.Size == 4 || t.Size == 16):
	default:
		u.misused(x, f, "ntop takes a number, 4 bytes or 16 bytes, not %s", describe(t))
	}
	return f.Type
}

func (u *unitChecker) macaddr(x *ast.Call, f *builtin.Func) *types.Type {
	a := x.Args[0]
	t := u.value(a)
	if raw := u.raw[a]; raw != nil {
		t = raw
	}
	switch {
	case t.Kind == types.Invalid, t.Kind == types.Pointer, t.IsInteger():
	case t.Kind == types.Array && t.Size >= 6, t.Kind == types.Buffer && t.Len >= 6:
	default:
		u.misused(x, f, "macaddr takes 6 bytes or a pointer to them, not %s", describe(t))
	}
	return f.Type
}

// pton is a constant: the bytes of an address in network order. Strings has
// them.
func (u *unitChecker) pton(x *ast.Call, f *builtin.Func) *types.Type {
	if u.arg(x, f, 0, x.Args[0]).Kind == types.Invalid {
		return invalid
	}
	text := u.u.Strings[x.Args[0]]
	if u.isOpen(x.Args[0]) {
		u.open(x) // 4 bytes, or 16
		return invalid
	}
	addr, err := netip.ParseAddr(text)
	if err != nil || addr.Zone() != "" {
		u.errorf(x.Args[0].Pos(), "%q is not an IPv4 or IPv6 address", text).Hintf(`write pton("127.0.0.1") or pton("::1")`)
		return invalid
	}
	bytes := addr.AsSlice()
	u.u.Strings[x] = string(bytes)
	return types.ArrayOf(types.U8, len(bytes))
}

// bswap keeps the width of its argument; a number that is written out has the
// smallest width that holds it.
func (u *unitChecker) bswap(x *ast.Call, _ *builtin.Func) *types.Type {
	t := u.integer(x.Args[0], "the argument of bswap()")
	if t.Kind == types.Invalid {
		return invalid
	}
	size := statedSize(u.stated(x.Args[0], t))
	if n, ok := u.u.Consts[x.Args[0]]; ok {
		if _, literal := x.Args[0].(*ast.IntLit); literal {
			for size = 1; size < 8 && uint64(n)>>(8*size) != 0; size *= 2 {
			}
		}
		u.u.Consts[x] = int64(bits.ReverseBytes64(uint64(n)) >> (64 - 8*size))
	}
	return types.IntType(size, false)
}

// strftime formats the clock of nsecs; the monotonic clock has no date.
func (u *unitChecker) strftime(x *ast.Call, f *builtin.Func) *types.Type {
	ok := u.arg(x, f, 0, x.Args[0]).Kind != types.Invalid
	if u.arg(x, f, 1, x.Args[1]).Kind == types.Invalid || !ok {
		return invalid
	}
	if n, ok := u.u.Consts[x.Args[1]]; ok && n < 0 {
		u.errorf(x.Args[1].Pos(), "a time can't be negative").Hintf("nsecs is now, nsecs - 5s was five seconds ago")
		return invalid
	}
	if c, ok := x.Args[1].(*ast.Call); ok && Names(c, builtin.VarNsecs) && len(c.Args) == 1 {
		if id, ok := c.Args[0].(*ast.Ident); ok && id.Name == "monotonic" {
			u.errorf(x.Args[1].Pos(), "the monotonic clock can't be turned into a date").Hintf("use nsecs")
			return invalid
		}
	}
	return builtin.TimestampType(u.u.Strings[x.Args[0]])
}

// cgroupPath keeps the hierarchies whose names match a pattern.
func (u *unitChecker) cgroupPath(x *ast.Call, f *builtin.Func) *types.Type {
	if _, ok := u.checkArgs(x, f); !ok {
		return invalid
	}
	pattern := ""
	if len(x.Args) > 1 {
		pattern = u.u.Strings[x.Args[1]]
	}
	return builtin.CgroupPathType(pattern)
}

// firstBytes are the functions that compare n bytes.
func (u *unitChecker) firstBytes(x *ast.Call, f *builtin.Func) *types.Type {
	if _, ok := u.checkArgs(x, f); !ok {
		return invalid
	}
	if u.u.Consts[x.Args[2]] < 0 {
		u.errorf(x.Args[2].Pos(), "the length of %s can't be negative", x.Name).Hintf("%s", f.Signature)
		return invalid
	}
	return f.Type
}

// writeUser is write_user(to, from, length). Whether from has so many bytes is
// known when all types are: the code for it looks.
func (u *unitChecker) writeUser(x *ast.Call, f *builtin.Func) *types.Type {
	if _, ok := u.checkArgs(x, f); !ok {
		return invalid
	}
	if n, constant := u.u.Consts[x.Args[2]]; constant && n < 1 {
		u.errorf(x.Args[2].Pos(), "the length of write_user() must be at least 1").Hintf("%s", f.Signature)
		return invalid
	}
	return f.Type
}

// withSpace is kptr(p) and uptr(p).
func (u *unitChecker) withSpace(x *ast.Call, f *builtin.Func) *types.Type {
	t := u.arg(x, f, 0, x.Args[0])
	user := f == builtin.FuncUptr
	switch {
	case t.Kind == types.Invalid:
		return invalid
	case t.Kind == types.Pointer:
		return types.PointerTo(t.Elem, user)
	}
	return types.PointerTo(types.WordType, user)
}

func (u *unitChecker) kaddr(x *ast.Call, f *builtin.Func) *types.Type {
	if u.arg(x, f, 0, x.Args[0]).Kind == types.Invalid {
		return types.U64
	}
	name := u.u.Strings[x.Args[0]]
	if u.t == nil {
		return types.U64
	}
	addr, ok := u.t.Symbol(name)
	if !ok {
		u.errorf(x.Args[0].Pos(), "the kernel has no symbol %s", name).Hintf("grep for it in /proc/kallsyms")
		return types.U64
	}
	u.u.Consts[x] = int64(addr)
	return types.U64
}

func (u *unitChecker) percpuKaddr(x *ast.Call, f *builtin.Func) *types.Type {
	if _, ok := u.checkArgs(x, f); !ok {
		return types.U64
	}
	name := u.u.Strings[x.Args[0]]
	if u.t == nil {
		return types.U64
	}
	if _, ok := u.t.Symbol(name); !ok {
		u.errorf(x.Args[0].Pos(), "the kernel has no per-CPU symbol %s", name).Hintf("grep for it in /proc/kallsyms")
	}
	return types.U64
}

// uaddr points to a symbol of the probed program, as wide as the symbol.
func (u *unitChecker) uaddr(x *ast.Call, f *builtin.Func) *types.Type {
	if u.arg(x, f, 0, x.Args[0]).Kind == types.Invalid {
		return invalid
	}
	name, path := u.u.Strings[x.Args[0]], u.u.Hooks[0].Path
	if u.blind {
		return invalid
	}
	sym, ok := u.t.Object(path, name)
	if !ok {
		d := u.errorf(x.Args[0].Pos(), "%s has no symbol %s", path, name).Hintf("nm -D %s lists them", path)
		if n := u.probes.NearestSymbol(path, name); n != "" && !u.quiet {
			d.Hintf("did you mean %s?", n)
		}
		return invalid
	}
	if sym.Several && !u.quiet {
		u.diags.Warnf(x.Args[0].Pos(), "%s has several variables %s: this is the one at %#x", path, name, sym.Addr).
			Hintf("nm -n %s shows which that is; names of variables that are static need not be unique", path)
	}
	elem := types.U64
	switch sym.Size {
	case 1, 2, 4:
		elem = types.IntType(int(sym.Size), false)
	}
	return types.PointerTo(elem, true)
}

// followed is followed(pid), which is true where nobody is followed.
func (u *unitChecker) followed(x *ast.Call, f *builtin.Func) *types.Type {
	u.arg(x, f, 0, x.Args[0])
	if !u.opts.Follow {
		u.u.Consts[x] = 1
	}
	return types.BoolType
}

func (u *unitChecker) cgroupID(x *ast.Call, f *builtin.Func) *types.Type {
	if u.arg(x, f, 0, x.Args[0]).Kind == types.Invalid {
		return types.U64
	}
	path := u.u.Strings[x.Args[0]]
	groups, ok := u.t.(target.Cgroups)
	if !ok {
		u.u.Consts[x] = 1 // a recorded kernel: any number will do
		return types.U64
	}
	id, unified, err := groups.CgroupID(path)
	if err != nil {
		d := u.errorf(x.Args[0].Pos(), "there is no cgroup %s", path).Hintf("write its whole path: /sys/fs/cgroup/...")
		if !errors.Is(err, fs.ErrNotExist) {
			d.Message += ": " + err.Error()
		}
		return types.U64
	}
	if !unified {
		u.diags.Warnf(x.Args[0].Pos(), "%s is not a cgroup of version 2: its number says nothing about cgroup", path).
			Hintf("grep cgroup2 /proc/mounts shows where those are")
	}
	u.u.Consts[x] = int64(id)
	return types.U64
}

// isSyscall is is_syscall(number, "name,..."): the names become numbers.
func (u *unitChecker) isSyscall(x *ast.Call, f *builtin.Func) *types.Type {
	n, names := u.arg(x, f, 0, x.Args[0]), u.arg(x, f, 1, x.Args[1])
	if n.Kind == types.Invalid || names.Kind == types.Invalid || u.t == nil {
		return types.BoolType
	}
	var numbers []int
	for _, name := range strings.Split(u.u.Strings[x.Args[1]], ",") {
		list := []string{strings.TrimSpace(name)}
		if target.IsWild(name) {
			list = u.t.Syscalls(list[0])
		}
		known := false
		for _, call := range list {
			if nr, ok := u.t.SyscallNumber(call); ok && !slices.Contains(numbers, nr) {
				numbers = append(numbers, nr)
				known = true
			} else {
				known = known || ok
			}
		}
		if !known {
			d := u.errorf(x.Args[1].Pos(), "there is no system call %q", name).Hintf("fst list 'syscall:*' shows them; several are written read,write")
			if near := diag.Nearest(name, u.t.Syscalls("*")); near != "" {
				d.Hintf("did you mean %s?", near)
			}
			return types.BoolType
		}
	}
	if u.u.Syscalls == nil {
		u.u.Syscalls = map[*ast.Call][]int{}
	}
	u.u.Syscalls[x] = numbers
	return types.BoolType
}

func (u *unitChecker) strcap(x *ast.Call, f *builtin.Func) *types.Type {
	if t := u.arg(x, f, 0, x.Args[0]); t.Kind != types.Invalid {
		if raw := u.raw[x.Args[0]]; raw != nil {
			t = raw
		}
		u.u.Consts[x] = int64(statedSize(u.stated(x.Args[0], t)))
	}
	return types.U64
}

// bits is bits(enum E, number).
func (u *unitChecker) bits(x *ast.Call, f *builtin.Func) *types.Type {
	e, n := u.arg(x, f, 0, x.Args[0]), u.arg(x, f, 1, x.Args[1])
	if e.Kind == types.Invalid || n.Kind == types.Invalid {
		return invalid
	}
	if e.Kind != types.Enum || e.Bits {
		u.misused(x, f, "bits takes an enum type and a number")
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
func (u *unitChecker) containerOf(x *ast.Call, f *builtin.Func) *types.Type {
	p := u.arg(x, f, 0, x.Args[0])
	st := u.arg(x, f, 1, x.Args[1])
	member := x.Args[2]
	u.u.Types[member] = types.U64
	path, ok := memberPath(member)
	if p.Kind == types.Invalid || st.Kind == types.Invalid {
		return invalid
	}
	if st.Kind == types.Pointer && st.Elem != nil {
		st = st.Elem
	}
	if !ok || st.Kind != types.Struct && st.Kind != types.Union {
		u.misused(x, f, "container_of takes a pointer, a struct type and one of its members")
		return invalid
	}
	off, ok := u.path(st, path, member.Pos())
	if !ok {
		return invalid
	}
	u.u.Consts[member] = off
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

// isKind answers is_ptr(x) and its like.
func isKind(is func(*types.Type) bool) callRule {
	return func(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
		if t := u.arg(x, f, 0, x.Args[0]); t.Kind != types.Invalid {
			u.u.Consts[x] = b2i(is(t))
		}
		return types.BoolType
	}
}

// isLiteral answers is_literal(x).
func (u *unitChecker) isLiteral(x *ast.Call, f *builtin.Func) *types.Type {
	if u.arg(x, f, 0, x.Args[0]).Kind != types.Invalid {
		u.u.Consts[x] = b2i(u.isConst(x.Args[0]))
	}
	return types.BoolType
}
