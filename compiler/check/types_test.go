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
		{`kprobe:vfs_open { $a = $b + 1; }`,
			"`$b`: $b is used before it is assigned a value (give it one first: $b = 0)"},
		{`kprobe:vfs_open { $a[1] = 2; }`,
			"`$a[1]`: can't assign to a part of a value (a variable has no keys; a map is written @a[key])"},
		{`kprobe:vfs_open { @a = @b[1]; @b = 1; }`,
			"`@b`: @b needs a key here (write @b[...]; len(@b) is the number of entries)"},
		{`kprobe:vfs_open { print(nosuch); }`,
			"`nosuch`: nosuch is not known (a variable is written $nosuch, a map @nosuch; fst doc lists the built-ins)"},
		{`kprobe:vfs_open { nosuch(1); }`,
			"`nosuch`: there is no function nosuch (fst doc lists the functions)"},
		{`kprobe:vfs_open { printf("%s"); }`,
			"`%s`: printf has no argument for %s: its format takes 1, and none is given (add an argument; a lone percent sign is written %%)"},
		{`kprobe:vfs_open { printf("%d\n", 1, 2); }`,
			"`2`: printf has 1 argument too many: its format takes 1 (add a conversion such as %d or %s to the format)"},
		{`kprobe:vfs_open { printf("%q\n", 1); }`,
			"`%q`: %q is not a conversion (%d %u %x %o print numbers, %s anything, %c a character, %p an address, %r bytes)"},
		{`kprobe:vfs_open { printf(comm); }`,
			"`comm`: the format of printf must be a constant string, not one known only at run time (printf(\"%s\", x) prints a value)"},
		{`kprobe:vfs_open { @a = hist("x"); }`,
			"`\"x\"`: argument 1 of hist must be an integer, not string (hist(n[, k]))"},
		{`kprobe:vfs_open { @a = hist(1, 9); }`,
			"`9`: the k of hist must be from 0 to 5, not 9 (hist(n[, k]): histogram by powers of two, each divided into 2^k buckets (k from 0 to 5); numbers from 2^63 on count as negative, as in bpftrace)"},
		{`kprobe:vfs_open { @a = lhist(1, 10, 5, 1); }`,
			"`5`: the upper bound of lhist must be above the lower one (lhist(n, min, max, step))"},
		{`kprobe:vfs_open { @a = lhist(1, 0, 10); }`,
			"`lhist(1, 0, 10)`: lhist takes 4 arguments, but is given 3 (lhist(n, min, max, step): histogram with buckets of the same size)"},
		{`kprobe:vfs_open { @a = count(1); }`,
			"`count(1)`: count takes no arguments, but is given 1 (count(): count events)"},
		{`kprobe:vfs_open { @a = avg(comm); }`,
			"`comm`: argument 1 of avg must be an integer, not string (avg(n))"},
		{`kprobe:vfs_open { @a[kstack] = 1; print(@a[1]); }`,
			"`1`: the key of @a is int64 here, but kstack elsewhere (use the same keys everywhere, or another map)"},
		{`kprobe:vfs_open { delete(@a); delete(@a, 1); @a[2] = 1; }`,
			"`delete(@a, 1)`: @a has no keys (give it keys everywhere, or leave the key out); `@a[2]`: @a has keys here, but none elsewhere (give it keys everywhere, or use another map)"},
		{`kprobe:vfs_open { clear(1); }`,
			"`1`: argument 1 of clear must be a map, not int64 (clear(@map))"},
		{`kprobe:vfs_open { print(@never); }`,
			"`@never`: @never is never assigned a value (store into it first: @never = ...)"},
		{`kprobe:vfs_open { for ($x : 5) { } }`,
			"`)`: expected '..' and the end of the range, found ')' (write for ($i : 0..10) { ... } or for ($kv : @map) { ... })"},
		{`kprobe:vfs_open { for ($kv : @a) { } @a = 1; }`,
			"`@a`: @a has no keys to loop over (print(@a) shows its one value)"},
		{`kprobe:vfs_open { while (comm) { } }`,
			"`comm`: a string is not a condition (compare it: x != \"\")"},
		{`kprobe:vfs_open { if (@a) { } @a = hist(1); }`,
			"`@a`: @a holds hist(), which is not one number (print(@a) shows it)"},
		{`kprobe:vfs_open { $a = (struct nosuch *)arg0; }`,
			"`struct nosuch`: there is no struct nosuch on this kernel (define it in the script, or test for it with exists(struct nosuch); the types of a module are known once it is loaded)"},
		{`kprobe:vfs_open { $a = (struct file *)arg0; $b = $a.nosuch; }`,
			"`nosuch`: struct file has no member nosuch (fst -lv 'struct file' lists them; exists(struct file, nosuch) asks)"},
		{`kprobe:vfs_open { $a = (1, 2); $b = $a.5; }`,
			"`$a.5`: this tuple has 2 parts, so there is no .5 (parts count from 0: (int64, int64))"},
		{`kprobe:vfs_open { $a = 5; $b = $a.x; }`,
			"`$a`: int64 has no members (cast it: ((struct NAME *)$a).x)"},
		{`kprobe:vfs_open { $a = *comm; }`,
			"`*comm`: string is not a pointer (* reads what a pointer points to: leave it out here)"},
		{`kprobe:vfs_open { $a = &5; }`,
			"`&5`: only a variable, a map's value or a member has an address (assign it to a $variable first: $x = ...; &$x)"},
		{`kprobe:vfs_open { $a = comm + 1; }`,
			"`comm`: the operands of + must be integers, not string (str_concat(a, b) joins strings)"},
		{`kprobe:vfs_open { $a = comm > "x"; }`,
			"`comm > \"x\"`: > compares integers and pointers, not string (strings are compared with == and !=)"},
		{`kprobe:vfs_open { $a = -comm; }`,
			"`comm`: the operand of - must be an integer, not string (a string is no number; strlen(x) counts its characters)"},
		{`kprobe:vfs_open { $a = 1 << 70; }`,
			"`1 << 70`: the result does not fit in 64 bits (a number has 64 bits: shift it by 63 at most)"},
		{`kprobe:vfs_open { $a = 5 / 0; }`,
			"`0`: division by zero (this is always 0: divide by another number)"},
		{`kprobe:vfs_open { $a = str("x", -1); }`,
			"`-1`: the length of str() can't be negative (leave it out for all of the string, up to max_strlen)"},
		{`kprobe:vfs_open { $a = buf(arg0); }`,
			"`buf(arg0)`: buf needs the number of bytes to read from uint64 (buf(address[, length]): read bytes, to be printed with %r; bytes after the end of a text are zeros)"},
		{`kprobe:vfs_open { $a = kstack(nosuch); }`,
			"`nosuch`: nosuch is not a mode of stacks (modes are bpftrace, perf, raw, build_id)"},
		{`kprobe:vfs_open { $a = ustack(0); }`,
			"`0`: a stack has from 1 to 1024 frames, not 0 (leave the number out for 127)"},
		{`kprobe:vfs_open { $a = strncmp(comm, "x"); }`,
			"`strncmp(comm, \"x\")`: strncmp takes 3 arguments, but is given 2 (strncmp(a, b, n): 0 if the first n characters are the same)"},
		{`kprobe:vfs_open { $a = sizeof(struct nosuch); }`,
			"`struct nosuch`: there is no struct nosuch on this kernel (define it in the script, or test for it with exists(struct nosuch); the types of a module are known once it is loaded)"},
		{`kprobe:vfs_open { $a = offsetof(struct file, nosuch); }`,
			"`offsetof(struct file, nosuch)`: struct file has no member nosuch (fst -lv 'struct file' lists them; exists(struct file, nosuch) asks)"},
		{`kprobe:vfs_open { exit("x"); }`,
			"`\"x\"`: argument 1 of exit must be an integer, not string (exit([code]))"},
		{`kprobe:vfs_open { signal("NOSUCH"); }`,
			"`signal`: signal() acts on the system (run with --unsafe to allow it); `\"NOSUCH\"`: there is no signal \"NOSUCH\" (signals are called HUP, INT, KILL, TERM, USR1 and so on, or numbered from 1 to 64)"},
		{`kprobe:vfs_open { system("ls"); }`,
			"`system`: system() acts on the system (run with --unsafe to allow it)"},
		{`kprobe:vfs_open { break; }`,
			"`break`: break is outside of a loop (return ends the clause)"},
		{`kprobe:vfs_open { let $x : struct nosuch = 1; }`,
			"`struct nosuch`: there is no struct nosuch on this kernel (define it in the script, or test for it with exists(struct nosuch); the types of a module are known once it is loaded)"},
		{`kprobe:vfs_open { let $x; let $x; }`,
			"`$x`: there is a $x already (a name means one thing: use another)"},
		{`kprobe:vfs_open { unroll (500) { } }`,
			"`500`: unroll takes a count from 1 to 100, not 500 (use for ($i : 0..500))"},
		{`kprobe:vfs_open { args.x = 5; }`,
			"`args.x`: can't assign to a part of a value (a script can only observe; copy the value to a $variable or @map)"},
		{`kprobe:vfs_open { pid = 5; }`,
			"`pid`: can't assign to the name pid (a variable is written $pid, a map @pid)"},
		{`kprobe:vfs_open { @a = retval; }`,
			"`retval`: retval can't be used in kprobe probes (it exists at the return: call:vfs_open or kretprobe:vfs_open)"},
		{`kprobe:vfs_open { $a = ret; }`,
			"`ret`: ret can't be used in kprobe probes (use syscall:NAME, or the fields of args)"},
		{`kprobe:vfs_open { $a = args.ret; }`,
			"`ret`: kprobe:vfs_open has no argument ret (it has path, file)"},
	} {
		if _, said := checked(k, c.text); said != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, said, c.want)
		}
	}
}
