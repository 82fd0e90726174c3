package check

import "testing"

// TestComparisonDoubts: comparisons that are right by the rules and wrong by what they seem to mean.
func TestComparisonDoubts(t *testing.T) {
	says(t, "kretprobe:vfs_read", `
if (!comm == "sh") { print(1); }
    ^^^^^^^^^^^^^ ! comes before ==, and a string is neither true nor false
    ? write comm != "sh"

if (!pid == 5) { print(1); }
    ^^^^^^^^^ warning: ! comes before ==: this compares !pid, which is 0 or 1, with 5
    ? write pid != 5

if (!pid & 5) { print(1); }

if (pid & 1 == 1) { print(1); }
    ^^^^^^^^^^^^ warning: == comes before &: this is pid & (1 == 1)
    ? write (pid & 1) == 1

if (1 == pid & 1) { print(1); }
    ^^^^^^^^^^^^ warning: == comes before &: this is (1 == pid) & 1
    ? write 1 == (pid & 1)

if (pid | 2 != 0) { print(1); }
    ^^^^^^^^^^^^ warning: != comes before |: this is pid | (2 != 0)
    ? write (pid | 2) != 0

if (retval == ENOENT) { print(1); }
    ^^^^^^^^^^^^^^^^ warning: retval is -ENOENT where a call fails so, not ENOENT
    ? write retval == -ENOENT

if ((int64)retval == EAGAIN) { print(1); }
    ^^^^^^^^^^^^^^^^^^^^^^^ warning: (int64)retval is -EAGAIN where a call fails so, not EAGAIN
    ? write (int64)retval == -EAGAIN

if (pid < 0) { print(1); }
    ^^^^^^^ warning: this is never true: uint32 is never negative
    ? cast it to have its sign: (int32)x

if (pid >= 0) { print(1); }
    ^^^^^^^^ warning: this is always true: uint32 is never negative
    ? cast it to have its sign: (int32)x

if (nsecs == -1) { print(1); }

if ((uint8)pid > 255) { print(1); }
    ^^^^^^^^^^^^^^^^ warning: this is never true: uint8 is 255 at most
    ? look at the number, or at the type: print(x)

if ((uint8)pid == 256) { print(1); }
    ^^^^^^^^^^^^^^^^^ warning: this is never true: uint8 is 255 at most
    ? look at the number, or at the type: print(x)

if ((int8)pid < -128) { print(1); }
    ^^^^^^^^^^^^^^^^ warning: this is never true: int8 is from -128 to 127
    ? look at the number, or at the type: print(x)

if ((pid == 1) == 2) { print(1); }
    ^^^^^^^^^^^^^^^ warning: this is never true: bool is 0 or 1
    ? look at the value: print(x)

if ((pid == 1) > 1) { print(1); }

if (pid % 4 == 4) { print(1); }
    ^^^^^^^^^^^^ warning: this is never true: pid % 4 is less than 4
    ? look at the value: print(pid % 4)

if ((pid & 3) == 4) { print(1); }
    ^^^^^^^^^^^^^^ warning: this is never true: pid & 3 has no other bits than those of 3
    ? look at the value: print(pid & 3)

if ((pid & 6) == 1) { print(1); }
    ^^^^^^^^^^^^^^ warning: this is never true: pid & 6 has no other bits than those of 6
    ? look at the value: print(pid & 6)

if (comm == "a name that is too long") { print(1); }
            ^^^^^^^^^^^^^^^^^^^^^^^^^ warning: this is never true: the text has 23 characters, and the other side at most 15
            ? longer texts are cut there: compare with "a name that is "

if (str(arg0, 4) == "abcdef") { print(1); }
        ^^^^ arg0 can't be used in kretprobe probes
        ? use args.NAME, which is kept from the entry: file, buf, count, pos

if (comm == "sh*") { print(1); }
            ^^^^^ warning: == takes * as a letter, not as a pattern
            ? write strncmp(comm, "sh", 2) == 0 for a string that begins with it

if (comm == "*sh") { print(1); }
            ^^^^^ warning: == takes * as a letter, not as a pattern
            ? write strcontains(comm, "sh") for a string that contains it

if (comm != "*s*") { print(1); }
            ^^^^^ warning: != takes * as a letter, not as a pattern
            ? write !strcontains(comm, "s") for a string that contains it

if (comm == "a*b*c") { print(1); }
`)
	says(t, "syscall:read", `
if (errno == -2) { print(1); }
    ^^^^^^^^^^^ warning: this is never true: errno is not negative
    ? it is the number of the error itself, or 0: errno == ENOENT, errno != 0

if (errno < 0) { print(1); }
    ^^^^^^^^^ warning: this is never true: errno is not negative
    ? it is the number of the error itself, or 0: errno == ENOENT, errno != 0

if (ret == ENOENT) { print(1); }
    ^^^^^^^^^^^^^ warning: ret is -ENOENT where a call fails so, not ENOENT
    ? write errno == ENOENT, or ret == -ENOENT

if (-ENOENT == ret) { print(1); }

if (ret != EINTR) { print(1); }
    ^^^^^^^^^^^^ warning: ret is -EINTR where a call fails so, not EINTR
    ? write errno != EINTR, or ret != -EINTR
`)
}

// TestNeverThere: what a clause that this kernel rules out does with its results is as right as elsewhere.
func TestNeverThere(t *testing.T) {
	says(t, "syscall:nosuch /comptime exists(tracepoint:syscalls:sys_enter_nosuch)/", `
if (ret < 0) { print(1); }

if (ret == ENOENT) { print(1); }
    ^^^^^^^^^^^^^ warning: ret is -ENOENT where a call fails so, not ENOENT
    ? write errno == ENOENT, or ret == -ENOENT
`)
}

// TestRoundedSums: a sum of quotients loses what a quotient of the sum keeps.
func TestRoundedSums(t *testing.T) {
	says(t, "syscall:read", `
$us = took / 1000; @ = sum($us);

$us = took / 1us; @a = sum($us); print($us);
^^^^^^^^^^^^^^^^ note: it is divided here
                           ^^^ warning: $us is rounded down each time before it is added
                           ? write sum(took / 1us): that divides the total

$ms = took / 1ms; @ = avg($ms);
^^^^^^^^^^^^^^^^ note: it is divided here
                          ^^^ warning: $ms is rounded down each time before it is added
                          ? write avg(took / 1ms): that divides the total

$ms = took / 1ms; @ = hist($ms);

@ = sum(took / 1000);
`)
}
