package builtin

import (
	"fmt"
	"testing"

	"fst/compiler/object"
	"fst/compiler/types"
)

func told(r Result, f *Fault) string {
	text := ""
	if r.Type != nil {
		text = r.Type.String()
	}
	if r.Num != nil {
		text += fmt.Sprintf(" = %d", *r.Num)
	}
	if r.Text != nil {
		text += fmt.Sprintf(" = %q", *r.Text)
	}
	if f != nil {
		text += fmt.Sprintf(" argument %d: %s", f.Arg, f.Message)
	}
	return text
}

// TestRules gives the rules of functions arguments.
func TestRules(t *testing.T) {
	num := func(n int64) Value { return Value{Type: types.I64, Num: &n, Size: 8} }
	word := func(s string) Value { return Value{Type: types.StringType(len(s) + 1), Text: &s} }
	of := func(t *types.Type) Value { return Value{Type: t, Size: t.Size} }
	chars := Value{Type: types.StringType(64), Declared: types.ArrayOf(types.U8, 4)}
	address := of(types.U64)
	digits := "12"
	for _, c := range []struct {
		f    *Func
		args []Value
		want string
	}{
		{FuncStr, []Value{address}, "string[72]"},
		{FuncStr, []Value{address, num(16)}, "string[16]"},
		{FuncStr, []Value{address, num(-1)}, " argument 1: the length of str() can't be negative"},
		{FuncStr, []Value{address, word("x")}, " argument 1: the length of str() must be an integer"},
		{FuncStr, []Value{word("text"), num(2)}, `string[8] = "te"`},
		{FuncStr, []Value{{Type: types.I64, Written: &digits}}, `string[8] = "12"`},
		{FuncStr, []Value{of(InetType)}, " argument -1: str can't read a string from inet"},
		{FuncBuf, []Value{chars}, "buffer[4]"},
		{FuncBuf, []Value{address}, " argument -1: buf needs the number of bytes to read from uint64"},
		{FuncNtop, []Value{of(types.ArrayOf(types.U8, 16))}, "inet"},
		{FuncNtop, []Value{of(types.ArrayOf(types.U8, 5))}, "inet argument -1: ntop takes a number, 4 bytes or 16 bytes, not uint8[5]"},
		{FuncBswap, []Value{of(types.U32)}, "uint32"},
		{FuncBswap, []Value{num(0x1234)}, fmt.Sprintf("uint64 = %d", 0x3412<<48)},
		{FuncPton, []Value{word("127.0.0.1")}, `uint8[4] = "\x7f\x00\x00\x01"`},
		{FuncPton, []Value{word("fe80::1%eth0")}, ` argument 0: "fe80::1%eth0" is not an IPv4 or IPv6 address`},
		{FuncStrncmp, []Value{word("a"), word("b"), num(-1)}, " argument 2: the length of strncmp can't be negative"},
		{FuncStrftime, []Value{word("%H"), {Type: types.U64, Var: VarNsecs, Word: "monotonic"}}, " argument 1: the monotonic clock can't be turned into a date"},
		{FuncStrConcat, []Value{of(types.StringType(16)), of(types.StringType(64))}, "string[64]"},
		{FuncUptr, []Value{of(types.PointerTo(types.U8, false))}, "uint8 *"},
		{FuncSignalNum, []Value{word("sigkill")}, "int64 = 9"},
		{FuncIsPtr, []Value{address}, "bool = 0"},
		{FuncFollowed, []Value{address}, "bool = 1"},
	} {
		if got := told(c.f.Rule(&Call{Where: &Where{MaxStrlen: 64}, Func: c.f, Args: c.args})); got != c.want {
			t.Errorf("%s: %q, want %q", c.f.Name, got, c.want)
		}
	}
}

// TestVariables asks for variables in probes.
func TestVariables(t *testing.T) {
	in := func(provider string, hooks ...object.Hook) *Where {
		return &Where{Provider: provider, Hooks: hooks, Struct: func(string, string) (*types.Type, bool) { return nil, false }}
	}
	open, read := object.Hook{Name: "kprobe:vfs_open", Function: "vfs_open"}, object.Hook{Name: "kprobe:vfs_read", Function: "vfs_read"}
	named := in("kprobe", open, read)
	named.Named = true
	user := in("uprobe", object.Hook{Name: "uprobe:/bin/true:main", Symbol: "main"})
	user.User = true
	for _, c := range []struct {
		v    *Var
		w    *Where
		want string
	}{
		{VarFunc, in("kprobe", open), `func = "vfs_open"`},
		{VarFunc, in("kprobe", open, read), "func"},
		{VarFunc, user, `probe = "main"`},
		{VarFunc, in("syscall", open), "syscall name"},
		{VarProbe, named, "string[16]"},
		{VarProbetype, in("begin", object.Hook{}), `string[8] = "special"`},
		{VarRetval, in("kretprobe", open), " argument -1: kprobe:vfs_open returns nothing"},
		{VarCurtask, in("kprobe", open), "uint64"},
		{VarCpid, in("kprobe", open), "uint32 = 0"},
		{VarSafeMode, in("kprobe", open), "bool = 1"},
		{VarPidns, in("kprobe", open), "uint64 = 0"},
	} {
		if got := told(c.v.Rule(c.v, c.w)); got != c.want {
			t.Errorf("%s: %q, want %q", c.v.Name, got, c.want)
		}
	}
	if got := VarErrno.Instead("kretprobe", "f"); got != "use retval; errno belongs to system calls" {
		t.Error(got)
	}
}
