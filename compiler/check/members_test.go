package check

import "testing"

// TestMembers: members are found through pointers, in structs, unions without a name, arrays and texts.
func TestMembers(t *testing.T) {
	gives(t, "kprobe:vfs_open", `
$f = args.file;                                      // struct file *
$a = $f.f_inode.i_sb.s_dev;                          // uint32
$b = $f->f_inode->i_sb->s_id;                        // string[32]
$c = $f.f_path.dentry;                               // struct dentry *
$d = args.path.dentry.d_name;                        // struct qstr
$e = args.path.dentry.d_name.name;                   // uint8 *
$g = args.path.dentry.d_name.len;                    // uint32
$h = str($e);                                        // string[1032]
$i = args.path.mnt.mnt_sb.s_type.name;               // char *
$j = curtask.comm;                                   // string[16]
$k = curtask.signal.rlim[3].rlim_cur;                // uint64
$l = curtask.signal.rlim;                            // struct rlimit[16]
$m = curtask.cpus_mask;                              // struct cpumask
$n = curtask.__state;                                // uint32
$o = curtask.mm.pgd;                                 // struct pgd_t *
$p = (*curtask).tgid;                                // int32
$q = curtask.real_parent.pid;                        // int32
$r = curtask.thread_info.flags;                      // uint64
$s = $f.f_op.read;                                   // void *
$t1 = &$f.f_path;                                    // struct path *
$u = ($f.f_path).mnt;                                // struct vfsmount *
$v = $f.f_inode.i_mode & S_IFMT;                     // uint64
$w = ((struct sk_buff *)arg0).pkt_type;              // uint8
$x = ((struct sock *)arg0).__sk_common.skc_daddr;    // uint32
$y = ((struct sock *)arg0).sk_type;                  // uint16
$z = ((struct page *)arg0).flags;                    // uint64
$aa = container_of(&$f.f_path, struct file, f_path); // struct file *
$ab = $f.f_path.dentry.d_iname;                      // uint8[40]
$ac = $f.f_path.dentry.d_iname[0];                   // uint8
$ad = *$f;                                           // struct file
$ae = offsetof(struct file, f_path.dentry);          // uint64 = 72
$af = sizeof($f.f_path);                             // uint64 = 16
$ag = sizeof(*$f) > 100;                             // bool = 1
`)
}

// TestTuples: parts of tuples and records.
func TestTuples(t *testing.T) {
	gives(t, "kprobe:vfs_open", `
$t = (1, "two", (3, comm), (a = pid, b = "x")); // (int64, string[8], (int64, string[16]), (a = uint64, b = string[8]))
$a = $t.0;                                      // int64
$b = $t.1;                                      // string[8]
$c = $t.2.1;                                    // string[16]
$d = $t.3.a;                                    // uint64
$e = $t.3.b;                                    // string[8]
$f = $t[1];                                     // string[8]
$g = ($t.0, $t.2);                              // (int64, (int64, string[16]))
$h = (x = 1);                                   // (x = int64)
$i = $h.x;                                      // int64
$j = (pid, tid).1;                              // uint64
@m[1] = $t;                                     // (int64, string[8], (int64, string[16]), (a = uint64, b = string[8])) at int64
$k = @m[1].3.a;                                 // uint64
$l = @m[2].2.0;                                 // int64
$m = (1,);                                      // (int64)
$n = ($m, $m).1.0;                              // int64
`)
}

// TestMemberErrors: what has no members, parts or elements.
func TestMemberErrors(t *testing.T) {
	says(t, "kprobe:vfs_open", `
$x = args.file.f_path.nosuch;
                      ^^^^^^ struct path has no member nosuch
                      ? it has mnt, dentry

$x = args.file.f_path.dentri;
                      ^^^^^^ struct path has no member dentri
                      ? did you mean dentry?

$x = pid.x;
     ^^^ uint32 has no members
     ? cast it: ((struct NAME *)pid).x

$x = arg0.f_mode;
          ^^^^^^ struct path has no member f_mode
          ? it has mnt, dentry

$x = arg1.f_mode;

$x = comm.len;
     ^^^^ string has no members
     ? strlen(x) counts its characters, strstr(x, "...") finds a part, str_concat(x, y) joins two

$x = kstack.x;
     ^^^^^^ kstack has no members

$x = (1, 2).x;
     ^^^^^^ (int64, int64) has no members
     ? the parts of a tuple are .0, .1 and so on

$x = (a = 1, bc = 2).b;
                     ^ (a = int64, bc = int64) has no member b
                     ? it has a, bc

$x = (a = 1).nosuch;
             ^^^^^^ (a = int64) has no member nosuch
             ? it has a

$x = (1, 2).2;
     ^^^^^^^^ this tuple has 2 parts, so there is no .2
     ? parts count from 0: (int64, int64)

$x = pid.0;
     ^^^^^ uint32 is not a tuple
     ? a tuple is written (a, b)

$x = comm.0;
     ^^^^^^ string is not a tuple
     ? a tuple is written (a, b)

$x = &args.file; $y = $x.f_mode;
                      ^^ this is a pointer to a pointer
                      ? read it first: (*x).f_mode

$x = &args.file.f_path; $y = $x.0;
                             ^^^^ struct path * is not a tuple
                             ? a tuple is written (a, b)

$p = &curtask.mm; $x = $p.pgd;
                       ^^ this is a pointer to a pointer
                       ? read it first: (*x).pgd

$x = ((void *)arg0).x;
      ^^^^^^^^^^^^ a void pointer does not say what it points to
      ? cast it: ((struct NAME *)x).x

$x = ((void *)arg0)[1];
      ^^^^^^^^^^^^ a void pointer does not say what it points to
      ? cast it: ((uint64 *)x)[0]

$x = *(void *)arg0;
     ^^^^^^^^^^^^^ a void pointer does not say what it points to
     ? cast it first: *(uint64 *)x

$x = args.path.dentry.d_iname[40];
                              ^^ index 40 is outside of an array of 40 elements
                              ? elements count from 0 to 39

$x = comm[16];
          ^^ index 16 is outside of a string of 16 bytes
          ? bytes count from 0 to 15, which is its end

$x = comm[-1];
          ^^ index -1 is outside of a string of 16 bytes
          ? bytes count from 0 to 15, which is its end

$x = "ab"[3];
          ^ index 3 is outside of a string of 3 bytes
          ? bytes count from 0 to 2, which is its end

$x = (1, 2)[2];
            ^ this tuple has 2 parts, so there is no .2
            ? parts count from 0: (int64, int64)

$x = (1, 2)[pid];
            ^^^ the index of a tuple must be a constant
            ? the parts of a tuple are .0, .1 and so on

$x = pid[0];
     ^^^ uint32 has no elements
     ? cast it: ((uint64 *)x)[0]

$x = kstack[0];
     ^^^^^^ kstack has no elements
     ? it is shown whole; kstack(3) has its three innermost frames

$x = curtask.signal.rlim[16];
                         ^^ index 16 is outside of an array of 16 elements
                         ? elements count from 0 to 15

$x = config.max_strlen;

$x = config.max_strln;
            ^^^^^^^^^ there is no setting max_strln
            ? did you mean config.max_strlen?

$x = curtask.state;
             ^^^^^ struct task_struct has no member state
             ? here it is __state

$x = ((struct bio *)arg0).bi_disk;
                          ^^^^^^^ struct bio has no member bi_disk
                          ? here it is bi_bdev.bd_disk

$x = ((struct request *)arg0).rq_disk;
                              ^^^^^^^ struct request has no member rq_disk
                              ? here it is q.disk

$x = ((struct nosuch *)arg0).x;
       ^^^^^^^^^^^^^ there is no struct nosuch on this kernel
       ? define it in the script, or test for it with exists(struct nosuch); the types of a module are known once it is loaded

args.file.f_mode = 1;
^^^^^^^^^^^^^^^^ can't assign to a part of a value
? a script can only observe; copy the value to a $variable or @map

curtask.comm[0] = 1;
^^^^^^^^^^^^^^^ can't assign to a part of a value
? a script can only observe; copy the value to a $variable or @map

$t = (1, 2); $t.0 = 5;
             ^^^^ can't assign to a part of a value
             ? a script can only observe; copy the value to a $variable or @map

$x = offsetof(struct file, nosuch);
     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ struct file has no member nosuch
     ? fst -lv 'struct file' lists them; exists(struct file, nosuch) asks

$x = offsetof(struct file, f_path.nosuch);
     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ struct path has no member nosuch
     ? it has mnt, dentry

$x = offsetof(struct task_struct, comm[3]);

$x = offsetof(struct task_struct, comm[99]);

$x = offsetof(5, x);
     ^^^^^^^^^^^^^^ int64 has no members
     ? the path ends here

$x = sizeof(nosuch);
            ^^^^^^ nosuch is not known
            ? a variable is written $nosuch, a map @nosuch; fst doc lists the built-ins

$x = sizeof(struct nosuch);
            ^^^^^^^^^^^^^ there is no struct nosuch on this kernel
            ? define it in the script, or test for it with exists(struct nosuch); the types of a module are known once it is loaded

$x = container_of(arg0, struct file, f_path);

$x = container_of(args.path, struct file, nosuch);
                                          ^^^^^^ struct file has no member nosuch
                                          ? fst -lv 'struct file' lists them; exists(struct file, nosuch) asks

$x = container_of(args.path, file, f_path);
                             ^^^^ file is not known
                             ? write args.file
`)
}
