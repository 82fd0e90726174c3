package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fst/compiler/target"
	"fst/compiler/target/fixture"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

// checked checks a text. said are the errors, each with the text at its place, and its hint.
func checked(k *fixture.Kernel, text string) (info *Info, said string) {
	var set source.Set
	var diags diag.List
	f := set.Add("t", text)
	info = Check(parse.Parse(f, &diags), Options{Target: k, Params: []string{"7", "word"}}, &diags)
	var list []string
	for _, d := range diags.All {
		if d.Severity == diag.Error {
			list = append(list, fmt.Sprintf("`%s`: %s (%s)", text[d.Span.Start-f.Base:d.Span.End-f.Base], d.Message, d.Hint))
		}
	}
	return info, strings.Join(list, "; ")
}

func kernel(t *testing.T) *fixture.Kernel {
	t.Helper()
	k, err := fixture.Load("6.12")
	if err != nil {
		t.Fatal(err)
	}
	k.Functions = map[string][]target.UserSymbol{"/bin/true": {{Name: "main", Offset: 2, Size: 1}}}
	return k
}

// found lists the types of maps and variables, and the constants that are given to variables.
func found(info *Info) string {
	var list []string
	for _, m := range info.Maps {
		text := "@" + m.Name
		if m.Key != nil {
			text += "[" + m.Key.String() + "]"
		}
		list = append(list, text+" "+m.Value.String())
	}
	for _, u := range info.Units {
		for _, v := range u.Vars {
			list = append(list, fmt.Sprintf("$%s %s", v.Name, v.Type))
		}
		ast.Walk(u.Body, func(n ast.Node) bool {
			if a, ok := n.(*ast.Assign); ok {
				if v, isVar := a.Target.(*ast.Var); isVar {
					if c, is := u.Consts[a.Value]; is {
						list = append(list, fmt.Sprintf("$%s = %d", v.Name, c))
					}
					if s, is := u.Strings[a.Value]; is {
						list = append(list, fmt.Sprintf("$%s = %q", v.Name, s))
					}
				}
			}
			return true
		})
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "; ")
}

// TestTypes checks bodies of kprobe:vfs_open, or whole scripts.
func TestTypes(t *testing.T) {
	k := kernel(t)
	for _, c := range []struct{ text, want string }{
		{`$a = 1; $b = -1; $c = 5u; $d = 1 == 2;`,
			`$a = 1; $a int64; $b = -1; $b int64; $c = 5; $c uint64; $d = 0; $d bool`},
		{`$a = pid; $a = -1;`,
			`$a = -1; $a int64`},
		{`$a = "x"; $a = comm;`,
			`$a = "x"; $a string[16]`},
		{`$a = 2 * 3 + sizeof(uint32); $b = $1 + 1; $c = str($2); $d = "a" == "b";`,
			`$a = 10; $a int64; $b = 8; $b int64; $c = "word"; $c string[8]; $d = 0; $d bool`},
		{`$a = pid > 1 ? 5 : pid; $b = pid > 1 ? "x" : comm;`,
			`$a uint64; $b string[16]`},
		{`$a = args.path; $b = args.path.dentry; $c = $b.d_name.name; $d = $b.d_iname;`,
			`$a struct path *; $b struct dentry *; $c uint8 *; $d uint8[40]`},
		{`$a = (struct file *)arg1; $b = $a.f_mode; $c = &$a.f_path; $d = *$c;`,
			`$a struct file *; $b uint32; $c struct path *; $d struct path`},
		{`$a = (int8)300; $b = (uint16)-1; $c = (uint8[4])7;`,
			`$a = 44; $a int8; $b = 65535; $b uint16; $c uint8[4]`},
		{`$a = (1, comm, (x = pid, y = "s")); $b = $a.2.y; $c = $a.0;`,
			`$a (int64, string[16], (x = uint64, y = string[8])); $b string[8]; $c int64`},
		{`@a = count(); @b[comm] = sum(pid); @c[pid, tid] = hist(nsecs); $x = @a + 1;`,
			`$x uint64; @a count; @b[string[16]] sum; @c[(uint64, uint64)] hist`},
		{`@a[pid] = nsecs; $x = nsecs - @a[pid]; @b = @a[1];`,
			`$x int64; @a[uint64] uint64; @b uint64`},
		{`@n++; @m[comm] += 5; @k -= 1;`,
			`@k int64; @m[string[16]] int64; @n int64`},
		{`for ($kv : @a) { $x = $kv.0; $y = $kv.1; } @a[comm] = (1, pid);`,
			`$kv (string[16], (int64, uint64)); $x string[16]; $y (int64, uint64); @a[string[16]] (int64, uint64)`},
		{`for ($i : 0..5) { $s = $i; }`,
			`$i int64; $s int64`},
		{`$a = str(arg0); $b = str(arg0, 16); $c = buf(arg0, 8); $d = strlen(comm);`,
			`$a string[1032]; $b string[16]; $c buffer[8]; $d uint64`},
		{`$a = kstack; $b = ustack(perf, 3); $c = ksym(arg0); $d = func; $e = probe;`,
			`$a kstack; $b ustack(perf, 3); $c ksym; $d = "vfs_open"; $d func; $e = "kprobe:vfs_open"; $e probe`},
		{`$a = ntop(1); $b = strftime("%H", nsecs); $c = macaddr(arg0); $d = pton("::1");`,
			`$a inet; $b timestamp; $c mac address; $d = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"; $d uint8[16]`},
		{`$a = bswap(0x1234); $b = bswap(pid); $c = strcap(comm); $d = signal_num("term");`,
			`$a = 13330; $a uint16; $b uint32; $c = 16; $c uint64; $d = 15; $d int64`},
		{`$a = is_ptr(curtask); $b = is_str(comm); $c = is_literal(5); $d = is_integer(comm);`,
			`$a = 1; $a bool; $b = 1; $b bool; $c = 1; $c bool; $d = 0; $d bool`},
		{`$a = kptr(arg0); $b = uptr(args.path); $c = container_of($b, struct file, f_path);`,
			`$a void *; $b struct path *; $c struct file *`},
		{`$a = probetype; $b = arch; $c = ncpus; $d = has_cpid; $e = safe_mode; $f = cpid;`,
			`$a = "kprobe"; $a string[8]; $b = "x86_64"; $b string[8]; $c = 2; $c uint32; $d = 0; $d bool; $e = 1; $e bool; $f = 0; $f uint32`},
		{`$a = getopt("n", 5); $b = getopt("on"); $c = getopt("s", "x");`,
			`$a = 5; $a int64; $b = 0; $b bool; $c = "x"; $c string[8]`},
		{`$a = exists(struct file, f_mode); $b = exists(struct nosuch); $c = exists(args.path);`,
			`$a = 1; $a bool; $b = 0; $b bool; $c = 1; $c bool`},
		{`$a = S_IFMT; $b = TASK_RUNNING;`,
			`$a = 61440; $a int64; $b = 0; $b int64`},
		{`struct s { char c; int n[3]; } kprobe:vfs_open { $a = (struct s *)arg0; $b = $a.n[1]; $c = $a.c; $d = offsetof(struct s, n); }`,
			`$a struct s *; $b int32; $c char; $d = 4; $d uint64`},
		{`kretprobe:vfs_open { $a = retval; $b = args.file; $c = took; }`,
			`$a int32; $b struct file *; $c uint64`},
		{`syscall:openat { $a = ret; $b = args.flags; $c = str(args.filename); $d = func; }`,
			`$a int64; $b int32; $c string[1032]; $d syscall name`},
		{`tracepoint:sched:sched_switch { $a = args.prev_comm; $b = args.prev_pid; $c = args.prev_state; }`,
			`$a string[16]; $b int32; $c int64`},
		{`uprobe:/bin/true:main { $a = func; $b = *(uint32 *)arg0; $c = str(arg1); }`,
			`$a = "main"; $a probe; $b uint32; $c string[1032]`},
	} {
		text := c.text
		if !strings.Contains(text, "probe:") && !strings.Contains(text, "syscall:") && !strings.Contains(text, "tracepoint:") {
			text = "kprobe:vfs_open { " + text + " }"
		}
		info, said := checked(k, text)
		if said != "" {
			t.Errorf("%s\n%s", c.text, said)
		} else if got := found(info); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestMessages checks texts that are wrong: what stands at the place of each error, the message and the hint.
func TestMessages(t *testing.T) {
	k := kernel(t)
	for _, c := range []struct{ text, want string }{
		{`kprobe:vfs_open { $a = 1 + "x"; }`,
			"`\"x\"`: the operands of + must be integers, not string (str_concat(a, b) joins strings)"},
		{`kprobe:vfs_open { $a = args.nosuch; }`,
			"`nosuch`: kprobe:vfs_open has no argument nosuch (it has path, file)"},
		{`kprobe:vfs_open { @a = count(); @a = 1; }`,
			"`1`: @a holds count(), so it can't be given int64 (clear(@a) or zero(@a) resets it; another map can hold plain values)"},
		{`kprobe:vfs_open { @a[1] = 1; @a[1, 2] = 1; @b[1] = pid; @b["x"] = 1; }`,
			"`1, 2`: the key of @a is (int64, int64) here, but int64 elsewhere (use the same keys everywhere, or another map); `\"x\"`: the key of @b is string here, but int64 elsewhere (use the same keys everywhere, or another map)"},
		{`kprobe:vfs_open { $a = comm; $a = 5; }`,
			"`5`: $a holds string, so it can't be given int64 (use another variable)"},
		{`kprobe:vfs_open { print(retval); }`,
			"`retval`: retval can't be used in kprobe probes (it exists at the return: call:vfs_open or kretprobe:vfs_open)"},
		{`kprobe:vfs_open { $a = str(arg0, "x"); }`,
			"`\"x\"`: the length of str() must be an integer, not string (a string is no number; strlen(x) counts its characters)"},
		{`kprobe:vfs_open { $a = bswap("x"); }`,
			"`\"x\"`: the argument of bswap() must be an integer, not string (a string is no number; strlen(x) counts its characters)"},
		{`kprobe:vfs_open { $a = macaddr(comm); }`,
			"`macaddr(comm)`: macaddr takes 6 bytes or a pointer to them, not string (macaddr(bytes): text of a hardware address)"},
		{`kprobe:vfs_open { $a = pton("1.2"); $b = signal_num("TREM"); }`,
			"`\"1.2\"`: \"1.2\" is not an IPv4 or IPv6 address (write pton(\"127.0.0.1\") or pton(\"::1\")); `\"TREM\"`: there is no signal \"TREM\" (did you mean SIGTERM?)"},
		{`kprobe:vfs_open { $a = kaddr("nosuch"); }`,
			"`\"nosuch\"`: the kernel has no symbol nosuch (grep for it in /proc/kallsyms)"},
		{`kprobe:vfs_open { printf("%d %s\n", comm, pid); }`,
			"`comm`: %d prints a number, not string (print it with %s)"},
		{`kprobe:vfs_open { $a = is_syscall(1, "reed"); }`,
			"`\"reed\"`: there is no system call \"reed\" (did you mean read?)"},
		{`profile:hz:99 { print(func); } begin { print(usermode); } kprobe:vfs_open { print(took); }`,
			"`func`: func can't be used in profile probes (kstack(1) is what runs in the kernel, ustack(1) what runs in the program); `usermode`: usermode can't be used in begin probes (it describes the interrupted code, and nothing is interrupted here: the kernel runs these probes for fst itself); `took`: took can't be used in kprobe probes (use call:vfs_open)"},
	} {
		if _, said := checked(k, c.text); said != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, said, c.want)
		}
	}
}
