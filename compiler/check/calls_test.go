package check

import "testing"

// TestCallTypes: what functions give.
func TestCallTypes(t *testing.T) {
	gives(t, "kprobe:vfs_open", `
$a = str(arg0);                                     // string[1032]
$b = str(arg0, 10);                                 // string[16]
$c = str("abc");                                    // string[8] = "abc"
$d = str(args.path.dentry.d_iname);                 // string[48]
$e = buf(arg0, 5);                                  // buffer[5]
$g = buf("abc", 2);                                 // buffer[2]
$i = strlen("abc");                                 // uint64
$j = strlen(comm);                                  // uint64
$k = strncmp(comm, "ab", 2);                        // uint64
$l = strcontains(comm, "a");                        // bool
$m = strstr(comm, "a");                             // int64
$n = str_concat("a", "b");                          // string[16]
$o = str_concat(comm, comm);                        // string[32]
$p = memcmp(comm, "abc", 3);                        // int64
$q = ksym(arg0);                                    // ksym
$r = usym(arg0);                                    // usym
$s = kaddr("vfs_read");                             // uint64 = 18446744071583238544
$t1 = ntop(0x0100007f);                             // inet
$u = ntop(2, arg0);                                 // inet
$w = pton("1.2.3.4");                               // uint8[4] = "\x01\x02\x03\x04"
$x = pton("::1");                                   // uint8[16] = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"
$y = macaddr(arg0);                                 // mac address
$z = strftime("%H:%M", nsecs);                      // timestamp
$aa = strerror(2);                                  // error text
$ab = signal_name(9);                               // signal name
$ac = signal_num("KILL");                           // int64 = 9
$ad = syscall_name(1);                              // syscall name
$ae = reg("ip");                                    // uint64
$af = bswap((uint16)1);                             // uint16 = 256
$ag = bswap(1);                                     // uint8 = 1
$ah = bswap((int32)pid);                            // uint32
$ak = cgroupid("/sys/fs/cgroup");                   // uint64 = 1
$al = sizeof(pid);                                  // uint64 = 4
$am = offsetof(struct file, f_mode);                // uint64 = 12
$an = kptr(arg0);                                   // void *
$ao = uptr(arg0);                                   // void *
$ap = uptr(args.file);                              // struct file *
$aq = is_ptr(arg0);                                 // bool = 0
$ar = is_str(comm);                                 // bool = 1
$as = is_integer(pid);                              // bool = 1
$at = is_literal(1);                                // bool = 1
$au = is_literal(pid);                              // bool = 0
$av = is_err(args.file);                            // bool
$aw = is_syscall(1, "write");                       // bool
$ay = bits(enum pid_type, 1);                       // bits of enum pid_type
$az = strcap(comm);                                 // uint64 = 16
$ba = nsecs(boot);                                  // uint64
$bb = nsecs(monotonic);                             // uint64
$bc = pid(init);                                    // uint32
$bd = tid(curr_ns);                                 // uint32
$be = ppid(curtask);                                // uint32
$bf = pcomm(curtask);                               // string[16]
$bg = comm(curtask);                                // string[16]
$bh = exists(kprobe:vfs_open);                      // bool = 1
$bi = exists(kprobe:nosuch_function);               // bool = 0
$bj = exists(tracepoint:sched:sched_switch);        // bool = 1
$bk = exists(struct file, nosuch);                  // bool = 0
$bl = exists(args.file);                            // bool = 1
$bm = exists(args.nosuch);                          // bool = 0
$bn = getopt("a");                                  // bool = 0
$bo = getopt("b", 10ms);                            // int64 = 10000000
$bp = getopt("c", "text");                          // string[8] = "text"
$bq = getopt("d", true);                            // bool = 1
$br = typeinfo(pid).base_type;                      // string[8] = "int"
$bs = typeinfo(comm).full_type;                     // string[16] = "string[16]"
$bu = container_of(args.path, struct file, f_path); // struct file *
`)
}

// TestCallErrors: what functions do not take.
func TestCallErrors(t *testing.T) {
	says(t, "kprobe:vfs_open", `
$x = nosuch(1);
     ^^^^^^ there is no function nosuch
     ? fst doc lists the functions

$x = strlenn("a");
     ^^^^^^^ there is no function strlenn
     ? did you mean strlen(text)?

$x = sizeof();
            ^ expected an expression, found ')'
            ? a value is missing after '('

$x = sizeof(1, 2);
             ^ expected ')' to end sizeof, found ','
             ? write sizeof(struct NAME) or sizeof(x); a member's is sizeof(((struct NAME *)0)->member)

$x = uint64(5);
     ^^^^^^ there is no function uint64
     ? a cast is written (uint64)x

$x = strlen();
     ^^^^^^^^ strlen takes 1 argument, but is given none
     ? strlen(text): number of characters

$x = strlen(5);
            ^ argument 1 of strlen must be a string, not int64
            ? strlen(text)

$x = strlen(arg0);
            ^^^^ argument 1 of strlen must be a string, not uint64
            ? str() reads the string at an address

$x = strlen("a", "b");
     ^^^^^^^^^^^^^^^^ strlen takes 1 argument, but is given 2
     ? strlen(text): number of characters

$x = str();
     ^^^^^ str takes 1 or 2 arguments, but is given none
     ? str(address[, length]): read a string; str($1) is the text of an argument

$x = str(kstack);
     ^^^^^^^^^^^ str can't read a string from kstack
     ? str(address[, length]): read a string; str($1) is the text of an argument

$x = str((1, 2));
     ^^^^^^^^^^^ str can't read a string from (int64, int64)
     ? str(address[, length]): read a string; str($1) is the text of an argument

$x = str(arg0, comm);
               ^^^^ the length of str() must be an integer, not string
               ? a string is no number; strlen(x) counts its characters

$x = str(arg0, -1);
               ^^ the length of str() can't be negative
               ? leave it out for all of the string, up to max_strlen

$x = str(arg0, 100000);

$x = buf();
     ^^^^^ buf takes 1 or 2 arguments, but is given none
     ? buf(address[, length]): read bytes, to be printed with %r; bytes after the end of a text are zeros

$x = buf(arg0);
     ^^^^^^^^^ buf needs the number of bytes to read from uint64
     ? buf(address[, length]): read bytes, to be printed with %r; bytes after the end of a text are zeros

$x = buf(arg0, comm);
               ^^^^ the length of buf() must be an integer, not string
               ? a string is no number; strlen(x) counts its characters

$x = buf(arg0, -1);
               ^^ the length of buf() can't be negative
               ? buf(address[, length])

$x = buf(5, 100000);

$x = strncmp("a", "b");
     ^^^^^^^^^^^^^^^^^ strncmp takes 3 arguments, but is given 2
     ? strncmp(a, b, n): 0 if the first n characters are the same

$x = strncmp("a", "b", comm);
                       ^^^^ argument 3 of strncmp must be a constant integer, not string
                       ? strncmp(a, b, n)

$x = strncmp(1, "b", 1);
             ^ argument 1 of strncmp must be a string, not int64
             ? strncmp(a, b, n)

$x = strncmp("a", "b", pid);
                       ^^^ argument 3 of strncmp must be a constant integer, not a value known only at run time
                       ? strncmp(a, b, n)

$x = strncmp("a", "b", -1);
                       ^^ the length of strncmp can't be negative
                       ? strncmp(a, b, n)

$x = strcontains(comm);
     ^^^^^^^^^^^^^^^^^ strcontains takes 2 arguments, but is given 1
     ? strcontains(text, part): true if part occurs in text

$x = strcontains(comm, 5);
                       ^ argument 2 of strcontains must be a string, not int64
                       ? strcontains(text, part)

$x = strstr(5, comm);
            ^ argument 1 of strstr must be a string, not int64
            ? strstr(text, part)

$x = str_concat("a");
     ^^^^^^^^^^^^^^^ str_concat takes 2 arguments, but is given 1
     ? str_concat(a, b): the two strings joined

$x = str_concat("a", 5);
                     ^ argument 2 of str_concat must be a string, not int64
                     ? str_concat(a, b)

$x = memcmp(comm, "a");
     ^^^^^^^^^^^^^^^^^ memcmp takes 3 arguments, but is given 2
     ? memcmp(a, b, n): 0 if the first n bytes are the same

$x = memcmp(comm, 5, 1);

$x = ksym(comm);
          ^^^^ argument 1 of ksym must be a pointer or address, not string
          ? ksym(address)

$x = usym("x");
          ^^^ argument 1 of usym must be a pointer or address, not string
          ? usym(address)

$x = kaddr(pid);
           ^^^ argument 1 of kaddr must be a constant string, not uint32
           ? kaddr("symbol")

$x = kaddr("nosuch");
           ^^^^^^^^ the kernel has no symbol nosuch
           ? grep for it in /proc/kallsyms

$x = uaddr("nosuch");
     ^^^^^ uaddr() can't be used in kprobe probes
     ? it works in uprobe, uretprobe, ucall, usdt

$x = ntop(comm);
     ^^^^^^^^^^ ntop takes a number, 4 bytes or 16 bytes, not string
     ? ntop([family, ]address): text of an IPv4 or IPv6 address

$x = ntop(2, 3, 4);
     ^^^^^^^^^^^^^ ntop takes 1 or 2 arguments, but is given 3
     ? ntop([family, ]address): text of an IPv4 or IPv6 address

$x = ntop("x", 1);
          ^^^ the family of ntop() must be an integer, not string
          ? a string is no number; strlen(x) counts its characters

$x = pton("nosuch");
          ^^^^^^^^ "nosuch" is not an IPv4 or IPv6 address
          ? write pton("127.0.0.1") or pton("::1")

$x = pton(comm);
          ^^^^ argument 1 of pton must be a constant string, not a value known only at run time
          ? pton("address")

$x = pton("1.2.3.4.5");
          ^^^^^^^^^^^ "1.2.3.4.5" is not an IPv4 or IPv6 address
          ? write pton("127.0.0.1") or pton("::1")

$x = macaddr(5);

$x = macaddr("abcdef");
     ^^^^^^^^^^^^^^^^^ macaddr takes 6 bytes or a pointer to them, not string
     ? macaddr(bytes): text of a hardware address

$x = strftime("%H");
     ^^^^^^^^^^^^^^ strftime takes 2 arguments, but is given 1
     ? strftime("format", ns): a time from nsecs as text; %f is microseconds

$x = strftime(5, nsecs);
              ^ argument 1 of strftime must be a constant string, not int64
              ? strftime("format", ns)

$x = strftime("%H", comm);
                    ^^^^ argument 2 of strftime must be an integer, not string
                    ? strftime("format", ns)

$x = strftime("%Q", nsecs);

$x = strerror("x");
              ^^^ argument 1 of strerror must be an integer, not string
              ? strerror(errno)

$x = signal_name("KILL");
                 ^^^^^^ argument 1 of signal_name must be an integer, not string
                 ? signal_name(signal)

$x = signal_num(9);
                ^ argument 1 of signal_num must be a constant string, not int64
                ? signal_num("name")

$x = signal_num("NOSUCH");
                ^^^^^^^^ there is no signal "NOSUCH"
                ? signals are called HUP, INT, KILL, TERM, USR1 and so on, or numbered from 1 to 64

$x = signal_num("KIL");
                ^^^^^ there is no signal "KIL"
                ? did you mean SIGKILL?

$x = syscall_name("read");
                  ^^^^^^ argument 1 of syscall_name must be an integer, not string
                  ? syscall_name(number)

$x = bswap(comm);
           ^^^^ the argument of bswap() must be an integer, not string
           ? a string is no number; strlen(x) counts its characters

$x = bswap((uint8)1);

$x = path(args.file);
     ^^^^ path() can't be used in kprobe probes
     ? it works in fentry, fexit, iter

$x = path(arg0);
     ^^^^ path() can't be used in kprobe probes
     ? it works in fentry, fexit, iter

$x = path(args.path, comm);
     ^^^^ path() can't be used in kprobe probes
     ? it works in fentry, fexit, iter

$x = cgroupid(5);
              ^ argument 1 of cgroupid must be a constant string, not int64
              ? cgroupid("path")

$x = cgroupid("/nosuch");

$x = offsetof(struct file);
                         ^ expected ',' before the field of offsetof, found ')'
                         ? write offsetof(struct NAME, member)

$x = kptr(comm);
          ^^^^ argument 1 of kptr must be a pointer or address, not string
          ? kptr(pointer)

$x = uptr(kstack);
          ^^^^^^ argument 1 of uptr must be a pointer or address, not kstack
          ? uptr(pointer)

$x = is_syscall(1, 5);
                   ^ argument 2 of is_syscall must be a constant string, not int64
                   ? is_syscall(number, "name,...")

$x = is_syscall(1, "reed");
                   ^^^^^^ there is no system call "reed"
                   ? did you mean read?

$x = is_syscall(comm, "read");
                ^^^^ argument 1 of is_syscall must be an integer, not string
                ? is_syscall(number, "name,...")

$x = hex(comm);
     ^^^ there is no function hex
     ? write printf("%x", x)

$x = bits(5, 1);
     ^^^^^^^^^^ bits takes an enum type and a number
     ? bits(enum E, number): shows the number as the names of its bits; the enum gives the position of each bit

$x = bits(enum nosuch, 1);
          ^^^^^^^^^^^ there is no enum nosuch on this kernel
          ? define it in the script, or test for it with exists(enum nosuch); the types of a module are known once it is loaded

$x = bits(enum pid_type, comm);
                         ^^^^ argument 2 of bits must be an integer, not string
                         ? bits(enum E, number)

$x = strcap(5);
            ^ argument 1 of strcap must be a string, not int64
            ? strcap(text)
`)
}
