package check

import "testing"

// TestCallErrorsOfWords: built-ins that take words, probes, types and constants, and statements that are calls.
func TestCallErrorsOfWords(t *testing.T) {
	says(t, "kprobe:vfs_open", `
$x = nsecs(5);
           ^ nsecs takes one of these words: monotonic, boot, tai, sw_tai
           ? nsecs([monotonic|boot|tai|sw_tai])

$x = nsecs(tay);
           ^^^ nsecs takes one of these words: monotonic, boot, tai, sw_tai
           ? did you mean tai?

$x = nsecs(boot, tai);
     ^^^^^^^^^^^^^^^^ nsecs takes at most 1 argument, but is given 2
     ? nsecs([monotonic|boot|tai|sw_tai]): nanoseconds since boot, sleep included

$x = comm(5);
          ^ comm takes a task, not int64
          ? the kernel does not find tasks by their numbers here; an address of one is cast: (struct task_struct *)x

$x = comm(args.file);
          ^^^^^^^^^ comm takes a task, not struct file *
          ? comm([task]), with a struct task_struct * such as curtask

$x = ppid(pid);
          ^^^ ppid takes a task, not uint32
          ? the kernel does not find tasks by their numbers here; an address of one is cast: (struct task_struct *)x

$x = pid(curtask);
         ^^^^^^^ pid takes one of these words: init, curr_ns
         ? pid([init|curr_ns])

$x = cpu(1);
     ^^^^^^ cpu takes no arguments, but is given 1
     ? cpu: number of the CPU

$x = exists();
     ^^^^^^^^ exists takes 1 or 2 arguments, but is given none
     ? exists(probe), exists(struct S), exists(struct S, field) or exists(args.field): true if this kernel has a probe, a type, a member, or an argument of the probe; the branch not taken is not checked

$x = exists(kprobe);
            ^^^^^^ this probe is not complete
            ? it is written kprobe:FUNCTION or kprobe:MODULE:FUNCTION

$x = exists(nosuch:x);
            ^^^^^^ there are no probes of the kind "nosuch"
            ? kinds are syscall, call, kprobe, tracepoint, uprobe, usdt, interval, profile, begin, end, the library's io, page, fs, proc, sched, net, and others (fst doc probes)

$x = exists(comm);

$x = getopt();
     ^^^^^^^^ getopt takes 1 to 3 arguments, but is given none
     ? getopt("name"[, default[, "help"]]): value of the script's option --name

$x = getopt(5);
            ^ argument 1 of getopt must be a constant string, not int64
            ? getopt("name"[, default[, "help"]])

$x = getopt("a", pid);
                 ^^^ the default of an option must be a constant
                 ? getopt("name"[, default[, "help"]])

$x = getopt("a", kstack);
                 ^^^^^^ the default of an option must be a constant
                 ? getopt("name"[, default[, "help"]])

$x = getopt("a", 5); $y = getopt("a", "x");
     ^^^^^^^^^^^^^^ note: it is first read here
                          ^^^^^^^^^^^^^^^^ the option --a has another default here
                          ? give it the same default everywhere

$x = typeinfo();
     ^^^^^^^^^^ typeinfo takes 1 argument, but is given none
     ? typeinfo(type or x): the class and the name of a type, as the texts base_type and full_type

$x = container_of(args.path);
     ^^^^^^^^^^^^^^^^^^^^^^^ container_of takes 3 arguments, but is given 1
     ? container_of(pointer, struct S, member): the struct that a pointer to its member belongs to

static_assert(1 == 1); static_assert(1 == 2);
                                     ^^^^^^ static_assert failed
                                     ? this is false on this kernel

static_assert(pid == 1);
              ^^^^^^^^ the condition of static_assert must be a constant
              ? assert() checks at run time

static_assert(0, "said so");
              ^ static_assert failed: said so
              ? this is false on this kernel

static_assert(1 == 2, 5);
              ^^^^^^ static_assert failed
              ? this is false on this kernel
                      ^ argument 2 of static_assert must be a constant string, not int64
                      ? static_assert(condition, "message")

fail("never %d", 5);
^^^^^^^^^^^^^^^^^^^ never 5

fail();
^^^^^^ fail takes at least 1 argument, but is given none
? fail("format", ...): refuse to compile, unless this is in a branch that is never taken

fail(5);
     ^ the format of fail must be a constant string, not int64
     ? fail("%s", x) prints a value

assert();
^^^^^^^^ assert takes 1 or 2 arguments, but is given none
? assert(condition, "message"): end the script with an error if a condition is false

assert(comm);
       ^^^^ a string is not a condition
       ? compare it: x != ""

assert(1 == 1, 5);
               ^ argument 2 of assert must be a constant string, not int64
               ? assert(condition, "message")

exit("x");
     ^^^ argument 1 of exit must be an integer, not string
     ? exit([code])

exit(1, 2);
^^^^^^^^^^ exit takes at most 1 argument, but is given 2
? exit([code]): end the script after the END clauses

signal("KILL");
^^^^^^ signal() acts on the system
? run with --unsafe to allow it

system("ls");
^^^^^^ system() acts on the system
? run with --unsafe to allow it

override(5);
^^^^^^^^ override() acts on the system
? run with --unsafe to allow it

print();
^^^^^^^ print takes 1 to 3 arguments, but is given none
? print(value) or print(@map[, top[, div]]): print any value, or a map: its largest entries, divided by div

printf();
^^^^^^^^ printf takes at least 1 argument, but is given none
? printf("format", ...): print text according to a format: %d %u %x %s %c %p %r, with C's flags and widths

printf(5);
       ^ the format of printf must be a constant string, not int64
       ? printf("%s", x) prints a value

time(5);
     ^ argument 1 of time must be a constant string, not int64
     ? time(["format"])

cat(5);
    ^ the format of cat must be a constant string, not int64
    ? cat("%s", x) prints a value

join();
^^^^^^ join takes 1 or 2 arguments, but is given none
? join(argv[, "separator"]): print an array of strings in one line

join(5);

$x = print(1);
     ^^^^^^^^ print() has no value
     ? write it alone, as a statement

$x = printf("x");
     ^^^^^^^^^^^ printf() has no value
     ? write it alone, as a statement

$x = clear(@m); @m = 1;
     ^^^^^^^^^ clear() has no value
     ? write it alone, as a statement

$x = exit();
     ^^^^^^ exit() has no value
     ? write it alone, as a statement

$x = time("x");
     ^^^^^^^^^ time() has no value
     ? let it stand alone; strftime("%H:%M:%S", nsecs) is the time as a text

witness("x", "y");
        ^^^ "x" is neither a file with the words of its lines nor a tracepoint
        ? "/proc/vmstat: pswpin %d" adds up the numbers on lines that begin with these words, "tracepoint:CATEGORY:EVENT" counts an event

print(1); witness("/proc/vmstat: x %d", "y");
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ witness() must be the first statement of its clause
          ? it describes the probe, not the clause: for a declared probe, write it after the fields, probe family:name(...) witness(...);

witness("tracepoint:sched:sched_switch", "y");

witness("nonsense", "y");
        ^^^^^^^^^^ "nonsense" is neither a file with the words of its lines nor a tracepoint
        ? "/proc/vmstat: pswpin %d" adds up the numbers on lines that begin with these words, "tracepoint:CATEGORY:EVENT" counts an event

followed();
^^^^^^^^^^ followed takes 1 argument, but is given none
? followed(pid): true if a process is the one that --only limits the program to, or was started by it; always true without --only

comptime pid;
^^^^^^^^^^^^ this is not a constant
? comptime takes literals, sizeof, exists() and the like

$x = comptime (pid + 1);
     ^^^^^^^^^^^^^^^^^^ this is not a constant
     ? comptime takes literals, sizeof, exists() and the like

unroll(3);
         ^ expected '{' to begin the body of unroll, found ';'
         ? braces are needed even for one statement

$x = pton("1.2"); $y = signal_num("TREM");
          ^^^^^ "1.2" is not an IPv4 or IPv6 address
          ? write pton("127.0.0.1") or pton("::1")
                                  ^^^^^^ there is no signal "TREM"
                                  ? did you mean SIGTERM?

$x = max(1, 2);
     ^^^^^^^^^ max takes 1 argument, but is given 2
     ? write 1 > 2 ? 1 : 2; max() keeps one number in a map

$x = exists(5);
     ^^^^^^^^^ exists takes a probe, a type or a field
     ? exists(probe), exists(struct S), exists(struct S, field) or exists(args.field): true if this kernel has a probe, a type, a member, or an argument of the probe; the branch not taken is not checked

$x = exists(file, f_mode);
            ^^^^ file needs its tag here
            ? write exists(struct file, MEMBER)

$x = container_of(arg0, uint8, x);
     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ container_of takes a pointer, a struct type and one of its members
     ? container_of(pointer, struct S, member): the struct that a pointer to its member belongs to

@a[1] = 1; delete(@a[1], 5);
                         ^ delete takes maps here, not int64
                         ? delete(@map, key) or delete(@map[key])
`)
	saysWith(t, "kprobe:vfs_open", Options{Target: kernel(t), Unsafe: true}, `
signal("KILL"); signal(9); signal(SIGUSR1);

signal("NOSUCH");
       ^^^^^^^^ there is no signal "NOSUCH"
       ? signals are called HUP, INT, KILL, TERM, USR1 and so on, or numbered from 1 to 64

signal("KIL");
       ^^^^^ there is no signal "KIL"
       ? did you mean SIGKILL?

signal(65);
       ^^ there is no signal 65
       ? signals are numbered from 1 to 64

signal(0);
       ^ there is no signal 0
       ? signals are numbered from 1 to 64

signal(kstack);
       ^^^^^^ argument 1 of signal must be a number or a constant name, not kstack
       ? signal(number or name)

system("ls %d", 1);

system("ls %d");
           ^^ system has no argument for %d: its format takes 1, and none is given
           ? add an argument; a lone percent sign is written %%

system(comm);
       ^^^^ the format of system must be a constant string, not one known only at run time
       ? system("%s", x) prints a value

override(5);

signal(pid);

write_user(arg0, 5);
^^^^^^^^^^^^^^^^^^^ write_user takes 3 arguments, but is given 2
? write_user(to, from, length): write to the memory of the current process
`)
}
