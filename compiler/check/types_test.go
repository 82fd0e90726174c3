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
		{`$a = args.path.dentry.d_inode.i_sb.s_dev; $b = args.file.f_mode & 1;`,
			`$a uint32; $b uint64`},
		{`$a = curtask; $b = $a.mm; $c = $a.comm; $d = curtask.real_parent.tgid;`,
			`$a struct task_struct *; $b struct mm_struct *; $c string[16]; $d int32`},
		{`$a = (1, "x") == (1, "x"); $b = pid == 5 && tid > 3; $c = !pid; $d = ~pid;`,
			`$a bool; $b bool; $c bool; $d uint64`},
		{`$a = pid ?: 5; $b = if (pid > 1) { "x" } else { "long text" }; $c = { 5 };`,
			`$a uint64; $b string[16]; $c = 5; $c int64`},
		{`$a = *(uint64 *)arg0; $b = ((uint32 *)arg0)[3]; $c = (uint8[8])nsecs;`,
			`$a uint64; $b uint32; $c uint8[8]`},
		{`$a = -pid; $b = pid - tid; $c = pid << 3; $d = pid >> 1; $e = pid * 2;`,
			`$a int64; $b int64; $c uint64; $d uint64; $e uint64`},
		{`@a = min(pid); @b = max(-1); @c = avg(nsecs); @d = stats(pid); @e = lhist(pid, 0, 10, 1);`,
			`@a min; @b max; @c avg; @d stats; @e lhist`},
		{`@a[1] = 1; @a[-1] = 2; $x = @a[3]; $y = has_key(@a, 1); $z = len(@a);`,
			`$x int64; $y bool; $z int64; @a[int64] int64`},
		{`@a = "x"; @a = comm; $x = @a; $y = strcontains(@a, "b");`,
			`$x string[16]; $y bool; @a string[16]`},
		{`@q = quantile(nsecs); @t = top(comm, 5); @s = tseries(5, 1s, 10);`,
			`@q quantile; @s tseries; @t top`},
		{`$a = 0; $a = args.file; $b = $a.f_mode; $c = $a == 0;`,
			`$a = 0; $a struct file *; $b uint32; $c bool`},
		{`let $x : uint8 = 5; $y = $x + 1; let $s : string[32] = "a"; $t = $s;`,
			`$s string[32]; $t string[32]; $x uint8; $y uint64`},
		{`$a = strncmp(comm, "x", 1); $b = strstr(comm, "x"); $c = str_concat(comm, "x"); $d = memcmp(comm, "x", 1);`,
			`$a uint64; $b int64; $c string[24]; $d int64`},
		{`$a = uid; $b = gid; $c = username; $d = cgroup; $e = jiffies; $f = cpu; $g = pcomm; $h = leader_tid;`,
			`$a uint64; $b uint64; $c username; $d uint64; $e uint64; $f uint32; $g string[16]; $h uint32`},
		{`$a = nsecs(tai); $b = elapsed; $c = rand; $d = numaid; $e = pidns; $f = container;`,
			`$a uint64; $b uint64; $c uint32; $d uint32; $e = 0; $e uint64; $f container name`},
		{`$a = (char)65; $b = (bool)5; $c = (int64)(uint8)-1; $d = (uint64)"x"[0];`,
			`$a = 65; $a char; $b = 1; $b bool; $c = 255; $c int64; $d uint64`},
		{`$a = typeinfo(pid).full_type; $b = typeinfo(args.file).base_type; $c = sizeof(struct file) > 0; $d = config.max_strlen;`,
			`$a = "uint32"; $a string[8]; $b = "pointer"; $b string[8]; $c = 1; $c bool; $d = 1024; $d int64`},
		{`$a = 0x7fffffffffffffff + 0; $b = 18446744073709551615; $c = 1 << 63; $d = 7 / 2; $e = -7 % 3;`,
			`$a = 9223372036854775807; $a int64; $b = -1; $b uint64; $c = -9223372036854775808; $c uint64; $d = 3; $d int64; $e = -1; $e int64`},
		{`enum e { A, B = 5, C } kprobe:vfs_open { $a = C; $b = (enum e)5; $c = A == 0; }`,
			`$a = 6; $a enum e; $b = 5; $b enum e; $c = 1; $c bool`},
		{`union u { uint32 n; uint8 b[4]; } kprobe:vfs_open { $a = (union u *)arg0; $b = $a.b[1]; $c = $a.n; $d = sizeof(union u); }`,
			`$a union u *; $b uint8; $c uint32; $d = 4; $d uint64`},
		{`struct s { uint32 a : 3; uint32 b : 7; uint64 c; } kprobe:vfs_open { $a = ((struct s *)arg0).b; $b = offsetof(struct s, c); }`,
			`$a uint32; $b = 8; $b uint64`},
		{`typedef unsigned long ul; kprobe:vfs_open { $a = (ul)5; $b = sizeof(ul); }`,
			`$a = 5; $a uint64; $b = 8; $b uint64`},
		{`fentry:vfs_open { $a = args.file.f_inode; $b = arg1; $c = func; }`,
			`$a struct inode *; $b uint64; $c = "vfs_open"; $c func`},
		{`fexit:vfs_open { $a = retval; $b = args.path; }`,
			`$a int32; $b struct path *`},
		{`profile:hz:99 { $a = usermode; $b = reg("ip"); $c = kstack(3); $d = ctx; }`,
			`$a uint8; $b uint64; $c kstack(3); $d struct bpf_perf_event_data *`},
		{`iter:task { $a = ctx.task; $b = ctx.task.pid; $c = ctx.meta; }`,
			`$a struct task_struct *; $b int32; $c struct bpf_iter_meta *`},
		{`begin { $a = cpid; $b = has_cpid; $c = probe; $d = pid(init); }`,
			`$a = 0; $a uint32; $b = 0; $b bool; $c = "begin"; $c probe; $d uint32`},
		{`syscall:read { $a = took; $b = errno; $c = args.fd; $d = args.count; }`,
			`$a uint64; $b int64; $c uint32; $d uint64`},
		{`kretprobe:vfs_read { $a = retval; $b = args.count; $c = took / 1us; }`,
			`$a uint64; $b uint64; $c uint64`},
		{`rawtracepoint:sched_switch { $a = args.prev; $b = arg1; $c = func; }`,
			`$a struct task_struct *; $b uint64; $c = "rawtracepoint:vmlinux:sched_switch"; $c probe`},
	} {
		text := c.text
		if strings.ContainsAny(text[:1], "$@") || strings.HasPrefix(text, "for ") || strings.HasPrefix(text, "let ") {
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
