package inspect

import (
	"fmt"
	"strings"
	"testing"

	"fst/compiler/check"
	"fst/compiler/target/fixture"
	"fst/lang/load"
	"fst/lang/source"
)

// TestHalfTyped asks at the end of texts, or at the ^ in them.
func TestHalfTyped(t *testing.T) {
	k, err := fixture.Load("6.12")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{`kprobe:vfs_open { args.`,
			`: (path = struct path *, file = struct file *) .path struct path *; .file struct file *;`},
		{`kprobe:vfs_open { args.pa`,
			`pa: (path = struct path *, file = struct file *) .path struct path *; .file struct file *;`},
		{`kprobe:vfs_open { args`,
			`args: (path = struct path *, file = struct file *)`},
		{`kprobe:vfs_open { $p = args.path->`,
			`: struct path * .mnt struct vfsmount *; .dentry struct dentry *;`},
		{`kprobe:vfs_open { $p = args.path; $p->dentry->d_`,
			`d_: struct dentry * .d_flags uint32; .d_seq struct seqcount_spinlock; .d_hash struct hlist_bl_node; $p struct path *;`},
		{`kprobe:vfs_open { if (args.path->dentry->d_inode.i_mode`,
			`i_mode: struct inode * .i_mode uint16; .i_opflags uint16; .i_uid struct kuid_t;`},
		{`kprobe:vfs_open { if (pid) { arg0->`,
			`: struct path * .mnt struct vfsmount *; .dentry struct dentry *;`},
		{`kprobe:vfs_open { @a[tid] = 1; printf("%d %s", 1, ((struct path *)arg0)->`,
			`: struct path * .mnt struct vfsmount *; .dentry struct dentry *; @a int64;`},
		{`kprobe:vfs_open /args.path.`,
			`: struct path * .mnt struct vfsmount *; .dentry struct dentry *;`},
		{`kprobe:vfs_open /args.path.^ / 2 > 1/ { @x = 1; } kprobe:vfs_read { @y[comm] = count(); }`,
			`: struct path * .mnt struct vfsmount *; .dentry struct dentry *; @y count;`},
		{`syscall:openat { $a = 1; if ($a) { $b = comm; } else { args.flags & $`,
			`$:  $a int64; $b string[16];`},
		{`io:done { args.`,
			`: (id = void *, disk = string[32], dev = uint64, sector = uint64, bytes = uint64, op = string[16], flags = bits of enum req_flag_bits, failed = bool, queued = uint64, took = uint64, pid = uint64, tid = uint64, comm = string[16], uid = uint64, cgroup = uint64, stacked = bool, parts = uint64) .id void *; .disk string[32]; .dev uint64;`},
		{`io:done { $x = args.took; $`,
			`$:  $x uint64;`},
		{`fn f($x : struct path *) { $x->`,
			`: struct path * .mnt struct vfsmount *; .dentry struct dentry *; $x struct path *;`},
		{`print(curtask->se.load.`,
			`: struct load_weight .weight uint64; .inv_weight uint32;`},
		{`curtask`,
			`curtask: struct task_struct *`},
		{`kprobe:vfs_open { @start[`,
			`: `},
		{`kprobe:vfs_open { @start[tid, comm] = nsecs; } kretprobe:vfs_open { $d = nsecs - @start[tid, ^`,
			`:  @start uint64; key string[16]`},
		{`kprobe:vfs_open { @start[^ } kprobe:vfs_read { @start[comm] = nsecs; }`,
			`:  @start uint64; key string[16]`},
		{`kprobe:vfs_open { @start[tid, comm] = nsecs; } kretprobe:vfs_open { $d = nsecs - @s^`,
			`@s: int64 @start uint64;`},
		{`kprobe:vfs_open { $t = (1, comm, args.path); $t.2->`,
			`: struct path * .mnt struct vfsmount *; .dentry struct dentry *; $t (int64, string[16], struct path *);`},
		{`kprobe:vfs_open { @t[1] = (1, comm); @t[1].`,
			`: (int64, string[16]) .0 int64; .1 string[16]; @t (int64, string[16]);`},
		{`kprobe:vfs_open { @t[1] = (a = 1, b = comm); for ($kv : @t) { print($kv.1.`,
			`: (a = int64, b = string[16]) .a int64; .b string[16]; $kv (int64, (a = int64, b = string[16])); @t (a = int64, b = string[16]);`},
		{`kprobe:nosuch { curtask->se.load.`,
			`: struct load_weight .weight uint64; .inv_weight uint32;`},
		{`kretprobe:dentry_open { retval->f_path.`,
			`: struct path .mnt struct vfsmount *; .dentry struct dentry *;`},
		{`tracepoint:sched:sched_wakeup { args->`,
			`: (comm = string[16], pid = int32, prio = int32, target_cpu = int32) .comm string[16]; .pid int32; .prio int32;`},
		{`struct x { int a; char b; } uprobe:/bin/bash:main /*{*/ { ((struct x *)arg0)->`,
			`: struct x * .a int32; .b char;`},
		{`kprobe:vfs_open { $x = `,
			`: `},
		{``,
			`: `},
		{`kprobe:vfs_op`,
			`no code`},
		{`struct x { int a`,
			`no code`},
		{`kprobe:vfs_open { "str`,
			`no code`},
	} {
		text, at := c.text, len(c.text)
		if i := strings.IndexByte(text, '^'); i >= 0 {
			text, at = text[:i]+text[i+1:], i
		}
		p, ok := At(new(source.Set), text, at, load.Options{}, check.Options{Target: k})
		got := "no code"
		if ok {
			got = fmt.Sprintf("%s: %s", p.Word, p.Type)
			for i, list := range [][]NamedType{p.Members, p.Vars, p.Maps} {
				for _, n := range list[:min(3, len(list))] {
					got += fmt.Sprintf(" %s%s %s;", []string{".", "$", "@"}[i], n.Name, n.Type)
				}
			}
			if p.Key != "" {
				got += " key " + p.Key
			}
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}
