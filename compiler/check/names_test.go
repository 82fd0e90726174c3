package check

import "testing"

// TestUnknownNames: what a name that is not known may have been meant to be.
func TestUnknownNames(t *testing.T) {
	says(t, "kprobe:vfs_open", `
$count = 5; print(count);
                  ^^^^^ count is a function, and has no value of its own
                  ? call it: count()

@count = 5; print(cnt);
                  ^^^ cnt is not known
                  ? write @ = count()

@start = 5; print(start);
                  ^^^^^ start is not known
                  ? did you mean @start?

$path = 1; print(path);
                 ^^^^ path is a function, and has no value of its own
                 ? call it: path(&struct path[, length])

print(file);
      ^^^^ file is not known
      ? write args.file

print(path);
      ^^^^ path is a function, and has no value of its own
      ? call it: path(&struct path[, length])

print(com);
      ^^^ com is not known
      ? did you mean comm?

print(PID);
      ^^^ PID is not known
      ? did you mean pid?

print(nsec);
      ^^^^ nsec is not known
      ? did you mean nsecs?

print(enoent);
      ^^^^^^ enoent is not known
      ? did you mean ENOENT?

print(EN0ENT);
      ^^^^^^ EN0ENT is not known
      ? did you mean ENOENT?

print(LIMIT);
      ^^^^^ LIMIT is not known
      ? #define LIMIT ... gives it a value; the arguments of the script are $1, $2, ...

print(comm == bash);
              ^^^^ bash is not known
              ? a string is written in quotes: "bash"

print(printf);
      ^^^^^^ printf is a function, and has no value of its own
      ? call it: printf("format", ...)

print(str);
      ^^^ str is a function, and has no value of its own
      ? call it: str(address[, length])

print(count);
      ^^^^^ count is a function, and has no value of its own
      ? call it: count()

print(NULL);

print(true);

print(usym);
      ^^^^ usym is a function, and has no value of its own
      ? call it: usym(address)

print(vfs_open);
      ^^^^^^^^ vfs_open is not known
      ? a variable is written $vfs_open, a map @vfs_open; fst doc lists the built-ins

print(arg);
      ^^^ arg is not known
      ? write arg0, arg1 and so on

print(arg.path);
      ^^^ arg is not known
      ? write args.path

print(argz.path);
      ^^^^ argz is not known
      ? did you mean arg0?

print(retvalue);
      ^^^^^^^^ retvalue is not known
      ? did you mean retval?

print(timestamp);
      ^^^^^^^^^ timestamp is not known
      ? write nsecs

print(self);
      ^^^^ self is not known
      ? what belongs to a thread is kept in a map: @name[tid]

print(this);
      ^^^^ this is not known
      ? a variable of the clause is written $name

$x = nosuch + 1; $y = nosuch;
     ^^^^^^ nosuch is not known
     ? a variable is written $nosuch, a map @nosuch; fst doc lists the built-ins
                      ^^^^^^ nosuch is not known
                      ? a variable is written $nosuch, a map @nosuch; fst doc lists the built-ins

print(struct file);
      ^^^^^^^^^^^ a type has no value
      ? sizeof() is its size, and typeinfo(TYPE).full_type its name; a cast is written (TYPE)x

print(uint64);
      ^^^^^^ a type has no value
      ? sizeof() is its size, and typeinfo(TYPE).full_type its name; a cast is written (TYPE)x

print($count);
      ^^^^^^ $count is used before it is assigned a value
      ? give it one first: $count = 0; a value of another clause or entry is kept in a map: @count

$count = 1; print($cuont);
                  ^^^^^^ $cuont is used before it is assigned a value
                  ? did you mean $count?

print($comm);
      ^^^^^ $comm is used before it is assigned a value
      ? did you mean comm? Built-ins have no $

print($target);
      ^^^^^^^ $target is used before it is assigned a value
      ? the process that -c starts is cpid; give any other as a parameter of the script: $1

if (pid) { $late = 1; } print($late);

{ let $inner = 5; } print($inner);
                          ^^^^^^ $inner is used before it is assigned a value
                          ? give it one first: $inner = 0; a value of another clause or entry is kept in a map: @inner

$x = $x + 1;
     ^^ $x is used before it is assigned a value
     ? give it one first: $x = 0; a value of another clause or entry is kept in a map: @x

let $a = 1; let $a = 2;
    ^^ note: it is declared here
                ^^ there is a $a already
                ? a name means one thing: use another

let $u: uint8; $u = 300;
    ^^ note: it is declared here
                    ^^^ $u is declared uint8, so it can't be given 300
                    ? cast the value: (uint8)x

let $u: uint8; print($u);

let $u: uint8 = "x";
        ^^^^^ note: it is declared here
                ^^^ $u is declared uint8, so it can't be given string
                ? declare it string, or use another variable

let $s: string[4] = "abcd";
    ^^ note: it is declared here
                    ^^^^^^ $s is declared string, so it can't be given a text of 4 characters
                    ? a string[N] holds N-1 characters

let $s: string[5] = "abcd"; $s = comm;

let $p: struct file * = 5; $p = "x";
    ^^ note: $p gets its type here
                                ^^^ $p is declared struct file *, so it can't be given string
                                ? use another variable

let $b: bool = true; $b = 7;
    ^^ note: it is declared here
                          ^ $b is declared bool, so it can't be given int64
                          ? cast the value: (bool)x

let $i: int8 = -129;
    ^^ note: it is declared here
               ^^^^ $i is declared int8, so it can't be given -129
               ? cast the value: (int8)x

let $t: string[8]; $t = pid;
    ^^ note: $t gets its type here
                        ^^^ $t is declared string, so it can't be given uint32
                        ? use another variable

$x = 5; $x = "five";
^^ note: $x gets its type here
             ^^^^^^ $x holds int64, so it can't be given string
             ? use another variable

$x = comm; $x = (1, 2);
^^ note: $x gets its type here
                ^^^^^^ $x holds string, so it can't be given (int64, int64)
                ? use another variable

$x = args.file; $x = args.path;
^^ note: $x gets its type here
                     ^^^^^^^^^ $x holds struct file *, so it can't be given struct path *
                     ? cast the value: (struct file *)x

$x = kstack; $x = ustack;
^^ note: $x gets its type here
                  ^^^^^^ $x holds kstack, so it can't be given ustack
                  ? use another variable

$x = hist(5);
     ^^^^^^^ hist() is kept in a map, not in a variable
     ? write @x = hist(5)

$x = count() + 1;
     ^^^^^^^ count() must be alone on the right side of an assignment to a map
     ? keep it in a map: @count = count()

$unused = 5;

$unused = 5; $unused = 6;

_ = 5; _ = nosuch;
           ^^^^^^ nosuch is not known
           ? a variable is written $nosuch, a map @nosuch; fst doc lists the built-ins

print($1);
      ^^ warning: $1 is 0: the command line has no parameter
      ? write its value behind the program; $# is the number of parameters

print($0);
      ^^ there is no $0
      ? the first argument of the script is $1

$x = kprobe:vfs_open;
           ^ expected ';' or '}' after the statement, found ':'
           ? a probe is not a value; exists(kprobe:...) is true if it exists

$x = args; $y = $x.nosuch;
                   ^^^^^^ (path = struct path *, file = struct file *) has no member nosuch
                   ? it has path, file

$x = typeof(5);
     ^^^^^^ typeof() is a type, not a value
     ? it stands where a type does: let $x: typeof($y) = 5, (typeof($y))5
`)
	says(t, "", `
kprobe:vfs_open { $shared = 5; print($shared); }
kprobe:vfs_read { print($shared); }
                        ^^^^^^^ $shared is used before it is assigned a value
                        ? variables belong to one clause; a map keeps a value for others: @shared, or @shared[tid]
`)
}

// TestStacks: modes and numbers of frames.
func TestStacks(t *testing.T) {
	says(t, "kprobe:vfs_open", `
$x = kstack(perf, 3); print($x);

$x = kstack(3, perf); print($x);
               ^^^^ a stack takes a mode and a constant number of frames
               ? in this order: kstack(perf, 3)

$x = kstack(brftrace); print($x);
            ^^^^^^^^ brftrace is not a mode of stacks
            ? did you mean bpftrace?

$x = kstack(1025); print($x);
            ^^^^ a stack has from 1 to 1024 frames, not 1025
            ? leave the number out for 127

$x = kstack(-1); print($x);
            ^^ a stack has from 1 to 1024 frames, not -1
            ? leave the number out for 127

$x = kstack("perf"); print($x);
            ^^^^^^ a stack takes a mode and a constant number of frames
            ? modes are bpftrace, perf, raw, build_id

$x = ustack(build_id); print($x);

$x = kstack(1, 2); print($x);
               ^ a stack takes a mode and a constant number of frames
               ? in this order: kstack(perf, 3)

$x = kstack(perf, raw); print($x);
                  ^^^ a stack takes a mode and a constant number of frames
                  ? in this order: kstack(perf, 3)

print(kstack == kstack);

@[kstack] = count(); @[kstack(3)] = count();
  ^^^^^^ note: its key gets its type here
                       ^^^^^^^^^ the key of @ is kstack(3) here, but kstack elsewhere
                       ? use the same keys everywhere, or another map

print(len(kstack(3)));

print(len(5));
      ^^^^^^ len takes a map or a stack, not int64
      ? len(@map or stack): number of entries of a map, or of frames of a stack
`)
}
