package check

import "testing"

// TestOperatorTypes: arithmetic has 64 bits, and is signed where C would have it so.
func TestOperatorTypes(t *testing.T) {
	gives(t, "kprobe:vfs_open", `
$a = pid + 1;                               // uint64
$b = pid - 1;                               // int64
$c = (int8)pid + 1;                         // int64
$d = (int8)pid * (uint8)pid;                // int64
$e = nsecs + -1;                            // int64
$f = nsecs / 2;                             // uint64
$g = (int64)nsecs / 2;                      // int64
$h = nsecs / (int32)pid;                    // int64
$i = pid % 7;                               // uint64
$j = pid & 7;                               // uint64
$k = (int32)pid | 7;                        // int64
$l = pid ^ tid;                             // uint64
$m = pid << 3;                              // uint64
$n = (int32)pid >> 3;                       // int64
$o = nsecs >> 3;                            // uint64
$p = ~pid;                                  // uint64
$q = -nsecs;                                // int64
$r = !pid;                                  // bool
$s = pid < tid;                             // bool
$t1 = pid == tid && tid == pid || pid == 0; // bool
$u = +pid;                                  // uint64
$v = (bool)pid + (bool)tid;                 // uint64
$x = args.file + 1;                         // struct file *
$y = args.file - args.file;                 // int64
$z = &args.path.dentry;                     // struct dentry **
$aa = *(struct path *)args.path;            // struct path
$ab = args.file == 0;                       // bool
$ac = args.file != args.path.dentry;        // bool
$ad = comm == "sh";                         // bool
$ae = (pid, comm) == (1, "sh");             // bool
$af = "abc" != "abd";                       // bool = 1
$ag = "a" < "b";                            // bool = 1
$ah = func == "x";                          // bool = 0
$ai = pid ? tid : -1;                       // int64
$aj = pid ? (uint8)1 : (uint16)tid;         // uint16
$ak = pid ? "a" : "abcdefghijk";            // string[16]
$al = pid ? (1, "a") : (pid, comm);         // (uint64, string[16])
$am = pid ? args.file : 0;                  // struct file *
$an = pid ?: -1;                            // int64
$ao = pid ? strerror(1) : "x";              // string[64]
`)
}

// TestOperatorErrors: what an operator does not take.
func TestOperatorErrors(t *testing.T) {
	says(t, "kprobe:vfs_open", `
$x = comm * 2;
     ^^^^ the operands of * must be integers, not string
     ? a string is no number; strlen(x) counts its characters

$x = comm . "a";
            ^^^ expected the name of a field after '.', found the string "a"
            ? str_concat(a, b) joins strings

$x = "a" + comm;
     ^^^ the operands of + must be integers, not string
     ? write str_concat("a", comm)

$x = kstack + 1;
     ^^^^^^ the operands of + must be integers, not kstack

$x = 1 + (1, 2);
         ^^^^^^ the operands of + must be integers, not (int64, int64)
         ? take one of its parts: x.0

$x = ~comm;
      ^^^^ the operand of ~ must be an integer, not string
      ? a string is no number; strlen(x) counts its characters

$x = -kstack;
      ^^^^^^ the operand of - must be an integer, not kstack

$x = ~(pid == 1);
     ^^^^^^^^^^^ ~ takes a number, not bool
     ? write !x for the opposite

$x = !kstack;
      ^^^^^^ a condition must be an integer, bool or pointer, not kstack

$x = !(1, 2);
      ^^^^^^ a condition must be an integer, bool or pointer, not (int64, int64)
      ? take one of its parts: x.0

$x = (1, 2) && 1;
     ^^^^^^ a condition must be an integer, bool or pointer, not (int64, int64)
     ? take one of its parts: x.0

$x = comm || 1;
     ^^^^ a string is not a condition
     ? compare it: x != ""

$x = pid / 0;
           ^ division by zero
           ? this is always 0: divide by another number

$x = pid % 0;
           ^ division by zero
           ? this is always 0: divide by another number

$x = 1; $x /= 0;
              ^ division by zero
              ? this is always 0: divide by another number

$x = 1; $x %= 0;
              ^ division by zero
              ? this is always 0: divide by another number

$x = 0x7fffffffffffffff * 4;
     ^^^^^^^^^^^^^^^^^^^^^^ the result does not fit in 64 bits
     ? numbers go from -9223372036854775808 to 18446744073709551615

$x = 18446744073709551615 + 1;
     ^^^^^^^^^^^^^^^^^^^^^^^^ the result does not fit in 64 bits
     ? numbers go from -9223372036854775808 to 18446744073709551615

$x = 1 << 64;
     ^^^^^^^ the result does not fit in 64 bits
     ? a number has 64 bits: shift it by 63 at most

$x = 1 << -1;
     ^^^^^^^ the result does not fit in 64 bits
     ? a number has 64 bits: shift it by 63 at most

$x = args.file / 2;
     ^^^^^^^^^^^^^ / can't be used with struct file * and int64
     ? cast the pointer: (uint64)p

$x = args.file + args.file;
     ^^^^^^^^^^^^^^^^^^^^^ + can't be used with struct file * and struct file *
     ? cast the pointer: (uint64)p

$x = args.file & 1;
     ^^^^^^^^^^^^^ & can't be used with struct file * and int64
     ? cast the pointer: (uint64)p

$x = 5 - args.file;
     ^^^^^^^^^^^^^ - can't be used with int64 and struct file *
     ? cast the pointer: (uint64)p

$x = *5;

$x = *pid;
     ^^^^ uint32 is not a pointer
     ? cast it first: *(uint64 *)x

$x = *comm;
     ^^^^^ string is not a pointer
     ? * reads what a pointer points to: leave it out here

$x = *(1, 2);
     ^^^^^^^ (int64, int64) is not a pointer
     ? * reads what a pointer points to: leave it out here

$x = **args.file;
     ^^^^^^^^^^^ struct file is not a pointer
     ? it is the value itself: leave the * out

$x = &pid;
     ^^^^ only a variable, a map's value or a member has an address
     ? assign it to a $variable first: $x = ...; &$x

$x = &(1 + 2);
     ^^^^^^^^ only a variable, a map's value or a member has an address
     ? assign it to a $variable first: $x = ...; &$x

$x = &comm;
     ^^^^^ only a variable, a map's value or a member has an address
     ? assign it to a $variable first: $x = ...; &$x

comm++;
^^^^ can't apply '++' to this expression
? what is counted is kept in a map: @comm++

pid++;
^^^ can't apply '++' to this expression
? what is counted is kept in a map: @pid++

5++;
^ can't apply '++' to this expression
? '++' needs a $variable or @map

$x = comm; $x++;
^^ note: $x gets its type here
           ^^^^ ++ needs an integer, not string
           ? a string is no number; strlen(x) counts its characters

@s = "x"; @s--;
     ^^^ note: @s is given its type here
          ^^^^ -- needs an integer, not string
          ? a string is no number; strlen(x) counts its characters

@t = (1, 2); @t++;
     ^^^^^^ note: @t is given its type here
             ^^^^ ++ needs an integer, not (int64, int64)
             ? take one of its parts: x.0

$x = (1, 2); $x += 1;
^^ note: $x gets its type here
             ^^ += needs integers, not (int64, int64)
             ? take one of its parts: x.0

$x = comm; $x <<= 1;
^^ note: $x gets its type here
           ^^ <<= needs integers, not string
           ? a string is no number; strlen(x) counts its characters

@s = comm; @s += 1;
     ^^^^ note: @s is given its type here
           ^^ += needs integers, not string
           ? str_concat(a, b) joins strings

@k = kstack; @k |= 1;
     ^^^^^^ note: @k is given its type here
             ^^ |= needs integers, not kstack

$x = pid > comm;
     ^^^^^^^^^^ > compares integers and pointers, not string
     ? strings are compared with == and !=

$x = (1, 2) < (1, 3);
     ^^^^^^^^^^^^^^^ < compares integers and pointers, not (int64, int64)

$x = kstack > 1;
     ^^^^^^^^^^ > compares integers and pointers, not kstack

$x = args.file > "a";
     ^^^^^^^^^^^^^^^ > compares integers and pointers, not string
     ? strings are compared with == and !=

$x = kstack == ustack;
     ^^^^^^^^^^^^^^^^ kstack and ustack can't be compared

$x = comm == 'a';
             ^ expected an expression, found a single quote
             ? a character is written as its number, 97 for 'a'; a string in double quotes

$x = pid == "1";
     ^^^^^^^^^^ uint32 and string can't be compared
     ? a number has no quotes: 1

$x = comm == ENOENT;
     ^^^^^^^^^^^^^^ string and int64 can't be compared
     ? put quotes round a string, and none round a number

$x = comm == nosuch;
             ^^^^^^ nosuch is not known
             ? a string is written in quotes: "nosuch"

$x = arg0 == "a";
     ^^^^^^^^^^^ uint64 and string can't be compared
     ? str(arg0) reads the string at that address

$x = (1, 2) == 5;
     ^^^^^^^^^^^ (int64, int64) and int64 can't be compared

$x = (a = 1) == (b = 1);
     ^^^^^^^^^^^^^^^^^^ (a = int64) and (b = int64) can't be compared

$x = uid == "root";
     ^^^^^^^^^^^^^ uint64 and string can't be compared
     ? uid is a number: 0 is root; id -u NAME prints the number of a user

$x = 1 ? "a" : 2;
     ^^^^^^^^^^^ the two alternatives have different types: string and int64
     ? both must be strings, or both numbers
         ^^^ note: this is string
               ^ note: this is int64

$x = pid ? kstack : ustack;
     ^^^^^^^^^^^^^^^^^^^^^ the two alternatives have different types: kstack and ustack
           ^^^^^^ note: this is kstack
                    ^^^^^^ note: this is ustack

$x = pid ? (1, 2) : (1, "a");
     ^^^^^^^^^^^^^^^^^^^^^^^ the two alternatives have different types: (int64, int64) and (int64, string)
           ^^^^^^ note: this is (int64, int64)
                    ^^^^^^^^ note: this is (int64, string)

$x = comm ? 1 : 2;
     ^^^^ a string is not a condition
     ? compare it: x != ""

$x = (pid == 1) + comm;
                  ^^^^ the operands of + must be integers, not string
                  ? str_concat(a, b) joins strings

$x = "5" == pid;
     ^^^^^^^^^^ string and uint32 can't be compared
     ? a number has no quotes: 5

$x = args.file == "x";
     ^^^^^^^^^^^^^^^^ struct file * and string can't be compared
     ? read the string: str(p) == "..."

$x = comm % 5;
     ^^^^ the operands of % must be integers, not string
     ? printf("... %s ...", x) puts values into a text

$x = 5 ** 2;
       ^^ there is no operator **
       ? write x * x for the square of x; a * *p is a product with what p points to

$x = -9223372036854775809;
     ^^^^^^^^^^^^^^^^^^^^ -9223372036854775809 does not fit in 64 bits
     ? the smallest number is -9223372036854775808

$x = -(1 == 1);
     ^^^^^^^^^ - takes a number, not bool
     ? write !x for the opposite

$x = (1, 2) == (1, "x");
     ^^^^^^^^^^^^^^^^^^ (int64, int64) and (int64, string) can't be compared
     ? part .1 is int64 here and string there

$x = (1, 2) == (1, 2, 3);
     ^^^^^^^^^^^^^^^^^^^ (int64, int64) and (int64, int64, int64) can't be compared
     ? one has 2 parts, the other 3
`)
}
