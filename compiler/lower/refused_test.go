package lower_test

import (
	"strings"
	"testing"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/target"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/tests/expect"
)

// refuses compiles scripts, which empty lines separate: what is said of a line is below it.
func refuses(t *testing.T, kernel string, features map[target.Feature]bool, text string) {
	t.Helper()
	var scripts []string
	for s := range strings.SplitSeq(text, "\n\n") {
		k, err := fixture.Load(kernel)
		if err != nil {
			t.Fatal(err)
		}
		k.Features = features
		k.Functions = map[string][]target.UserSymbol{"/bin/true": {{Name: "main", Offset: 2, Size: 1}, {Name: "other", Offset: 9, Size: 1}}}
		var set source.Set
		var diags diag.List
		lines := expect.Script(s)
		f := set.Add("t", strings.Join(lines, "\n"))
		if tree := parse.Parse(f, &diags); !diags.HasErrors() {
			compiler.Compile(&set, tree, compiler.Options{Options: check.Options{Target: k, Unsafe: true}, Verify: true}, &diags)
		}
		scripts = append(scripts, expect.Remarks(lines, "", f, diags.All))
	}
	expect.Text(t, strings.Join(scripts, "\n\n"), text)
}

// TestRefused: what can be written, and not be done here.
func TestRefused(t *testing.T) {
	refuses(t, "5.10", nil, `
begin { @a[1] = 1; for ($kv : @a) { print($kv); } }
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ for over a map needs Linux 5.13 (bpf_for_each_map_elem); this is 5.10.0-32-cloud-amd64
                   ? print(@a) shows the whole map on every kernel

begin { @a[1] = 1; print(len(@a)); }
                         ^^^^^^^ len() of a map needs Linux 5.13 (bpf_for_each_map_elem); this is 5.10.0-32-cloud-amd64
                         ? print(@m) shows the whole map on every kernel

begin { @a = 1; print(@a); }

fentry:tcp_v4_do_rcv { print(socket_cookie(args.sk)); }
                             ^^^^^^^^^^^^^^^^^^^^^^ socket_cookie() needs Linux 5.12 (bpf_get_socket_cookie in fentry); this is 5.10.0-32-cloud-amd64
                             ? the address of the socket tells sockets apart, too, as long as they live

begin { print(nsecs(tai)); }

kprobe:vfs_open { signal_thread(9); }

begin { for ($i : 0..100000) { @n += $i; } }

begin { $i = 0; while ($i < 100000) { $i++; } print($i); }
`)
	refuses(t, "6.12", nil, `
kprobe:vfs_open { print(reg("nosuch")); }
                            ^^^^^^^^ there is no register "nosuch" here
                            ? x86-64 has ax bx cx dx si di bp sp ip r8 to r15 flags cs ss orig_ax

kprobe:vfs_open { print(reg("r16")); }
                            ^^^^^ there is no register "r16" here
                            ? x86-64 has ax bx cx dx si di bp sp ip r8 to r15 flags cs ss orig_ax

kprobe:vfs_open { print(reg("ip") + reg("cs") + reg("flags")); }

kprobe:vfs_open { debugf("%d %d %d %d\n", 1, 2, 3, 4); }
                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ debugf() takes at most 3 values
                  ? printf() takes any number

kprobe:vfs_open { debugf("%d %s\n", 1, comm); }

uprobe:/bin/true:main { $x = (uint32)5; write_user(arg0, &$x, 8); }

uprobe:/bin/true:main { $x = (uint32)5; write_user(arg0, &$x, 4); }

uprobe:/bin/true:main { $x = (uint32)5; write_user(arg0, &$x, arg1); }
                                                              ^^^^ the length must be a constant where write_user() is given a pointer
                                                              ? write a number or a parameter of the script, or give the value instead of its address

uprobe:/bin/true:main { print(uaddr("other")); }

uprobe:/bin/true:main { print(uaddr("nosuch")); }
                                    ^^^^^^^^ /bin/true has no symbol nosuch
                                    ? nm -D /bin/true lists them

uprobe:/bin/true:main, uprobe:/bin/true:other { print(uaddr("main")); }

kprobe:vfs_open { print(percpu_kaddr("nosuch")); }
                                     ^^^^^^^^ the kernel has no per-CPU symbol nosuch
                                     ? grep for it in /proc/kallsyms

fentry:tcp_v4_do_rcv { print(socket_cookie(args.sk)); }

fentry:vfs_open { print(path(args.path)); }

kprobe:vfs_open { $p = args.path; print(&$p.mnt); print(&*$p); }
`)
	refuses(t, "6.12", map[target.Feature]bool{target.ForEachMapElem: false, target.BPFLoop: false, target.TaskStorage: false}, `
begin { @a[1] = 1; for ($kv : @a) { print($kv); } }
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ for over a map needs Linux 5.13 (bpf_for_each_map_elem); this is 6.12.107+deb13-cloud-amd64
                   ? print(@a) shows the whole map on every kernel

begin { for ($i : 0..100000) { @n += $i; } }

kprobe:vfs_open { print((curtask.comm, pid, comm)); }
`)
}
