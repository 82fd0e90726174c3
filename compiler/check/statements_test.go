package check

import "testing"

// TestStatementErrors: where a statement can't stand, and what it takes.
func TestStatementErrors(t *testing.T) {
	says(t, "kprobe:vfs_open", `
break;
^^^^^ break is outside of a loop
? return ends the clause

continue;
^^^^^^^^ continue is outside of a loop
? return ends the clause

if (pid) { break; }
           ^^^^^ break is outside of a loop
           ? return ends the clause

for ($i : 0..3) { if ($i) { break; } continue; }

unroll (0) { print(1); }
        ^ unroll takes a count from 1 to 100, not 0
        ? unroll (5) { ... } repeats its body five times

unroll (101) { print(1); }
        ^^^ unroll takes a count from 1 to 100, not 101
        ? use for ($i : 0..101)

unroll (-1) { print(1); }
        ^^ unroll takes a count from 1 to 100, not -1
        ? unroll (5) { ... } repeats its body five times

unroll (pid) { print(1); }
        ^^^ the count of unroll must be a constant
        ? use for ($i : 0..n) with a count that is not

unroll ("x") { print(1); }
        ^^^ the count of unroll must be a constant
        ? use for ($i : 0..n) with a count that is not

for ($i : 0.."x") { print($i); }
             ^^^ the bounds of a loop must be integers, not string
             ? write for ($i : 0..10) { ... }

for ($i : kstack..5) { print($i); }
          ^^^^^^ the bounds of a loop must be integers, not kstack
          ? write for ($i : 0..10) { ... }

for ($i : 0..9000000) { print($i); }
          ^^^^^^^^^^ this loop has 9000000 turns; the kernel allows a program at most 8388608
          ? a loop in a loop has more: for ($i : 0..1000) { for ($j : 0..9000) { ... } }

for ($i : 0..3) { for ($i : 0..3) { print($i); } }
     ^^ note: it is declared here
                       ^^ there is a $i already
                       ? a name means one thing: use another

$i = "x"; for ($i : 0..3) { print($i); }
^^ note: it is declared here
               ^^ there is a $i already
               ? a name means one thing: use another

for ($kv : comm) { print($kv); }
               ^ expected '..' and the end of the range, found ')'
               ? write for ($i : 0..10) { ... } or for ($kv : @map) { ... }

for ($kv : 5) { print($kv); }
            ^ expected '..' and the end of the range, found ')'
            ? write for ($i : 0..10) { ... } or for ($kv : @map) { ... }

while (comm) { print(1); }
       ^^^^ a string is not a condition
       ? compare it: x != ""

while (kstack) { print(1); }
       ^^^^^^ a condition must be an integer, bool or pointer, not kstack

while ((1, 2)) { print(1); }
       ^^^^^^ a condition must be an integer, bool or pointer, not (int64, int64)
       ? take one of its parts: x.0

if (comm) { print(1); }
    ^^^^ a string is not a condition
    ? compare it: x != ""

if ("x") { print(1); }
    ^^^ a string is not a condition
    ? compare it: x != ""

if (args.file) { print(1); }

if (args.file.f_path) { print(1); }
    ^^^^^^^^^^^^^^^^ a condition must be an integer, bool or pointer, not struct path
    ? take one of its members: x.NAME

_ += 1;
^ _ only takes a plain assignment
? write _ = ...; the value is thrown away

_ = 1;

pid = 1;
^^^ can't assign to the name pid
? a variable is written $pid, a map @pid

nosuch = 1;
^^^^^^ can't assign to the name nosuch
? a variable is written $nosuch, a map @nosuch

comm += 1;
^^^^ can't assign to the name comm
? a variable is written $comm, a map @comm

args.file = 0;
^^^^^^^^^ can't assign to a part of a value
? a script can only observe; copy the value to a $variable or @map

5 = 6;
^ can't assign to this expression
? the left side of '=' is a $variable or @map

$x + 1 = 5;
^^^^^^ can't assign to this expression
? the left side of '=' is a $variable or @map

str(arg0) = "x";
^^^^^^^^^ can't assign to this expression
? the left side of '=' is a $variable or @map

$x = ();

$x = 1; $x = kstack;
^^ note: $x gets its type here
             ^^^^^^ $x holds int64, so it can't be given kstack
             ? use another variable

return 5;

return; print(1);
^^^^^^ note: return is here
        ^^^^^^^^ warning: this is never reached
        ? return ends the statements before it

exit(); print(1);
^^^^^^ note: exit() is here
        ^^^^^^^^ warning: this is never reached
        ? exit() ends the statements before it

assert(pid, "x"); print(1);

for ($i : 0..3) { break; print($i); }
                  ^^^^^ note: break is here
                         ^^^^^^^^^ warning: this is never reached
                         ? break ends the statements before it

pid == 5;
^^^^^^^^ warning: this compares and does nothing with the result
? an assignment has one =

pid;
^^^ warning: this has no effect
? print(x) shows a value, $x = ... keeps it

comm;
^^^^ warning: this has no effect
? print(x) shows a value, $x = ... keeps it

"text";

5 + 6;
^^^^^ warning: this has no effect
? print(x) shows a value, $x = ... keeps it

!pid;
^^^^ warning: this has no effect
? print(x) shows a value, $x = ... keeps it

$x = 1; $x == 2;
        ^^^^^^^ warning: this compares and does nothing with the result
        ? an assignment has one =

$x == 2;
^^ $x is used before it is assigned a value
? give it one first: $x = 0; a value of another clause or entry is kept in a map: @x

@a == 2;
^^ warning: @a is never assigned a value: it is always 0
? store into it first: @a = ...
^^^^^^^ warning: this compares and does nothing with the result
? an assignment has one =

str(arg0);

count() + 1;
^^^^^^^ count() must be alone on the right side of an assignment to a map
? keep it in a map: @count = count()

{ pid }
  ^^^ warning: this has no effect
  ? print(x) shows a value, $x = ... keeps it

$x = { 5 };

$x = { print(1); };
                 ^ this block is used as a value, so it must end with an expression
                 ? leave out the ';' after the last expression

$x = if (pid) { 1 } else { "x" };
     ^^^^^^^^^^^^^^^^^^^^^^^^^^^ the two alternatives have different types: int64 and string
     ? both must be strings, or both numbers
                ^ note: this is int64
                           ^^^ note: this is string

$x = if (pid) { 1 };
     ^^^^^^^^^^^^^^ an if that is used as a value needs an else
     ? add else { ... } with a value of the same type

$y = 7 / 2 * 1.5;
             ^^^ a number must be an integer, without a fraction
             ? use a smaller unit, such as 1500us for 1.5ms

subprog(1);
^^^^^^^ there is no function subprog
? fst doc lists the functions

unroll (500) { print(1); }
        ^^^ unroll takes a count from 1 to 100, not 500
        ? use for ($i : 0..500)

for ($i : 0..100000000) { print($i); }
          ^^^^^^^^^^^^ this loop has 100000000 turns; the kernel allows a program at most 8388608
          ? a loop in a loop has more: for ($i : 0..1000) { for ($j : 0..100000) { ... } }
`)
}

// TestDoubts: what is allowed, and hardly meant. Some are said to those who ask for it only.
func TestDoubts(t *testing.T) {
	saysWith(t, "kprobe:vfs_open", Options{Target: kernel(t), Thorough: true}, `
$unused = 5;
^^^^^^^ warning: $unused is assigned a value that is never read
? use it, or leave it out; _ = ... throws a value away

$used = 5; print($used);

$x = 5; $x = 6;
^^ warning: $x is assigned a value that is never read
? use it, or leave it out; _ = ... throws a value away

$x = 5; $x++;

$count = 0; $cuont = 1; print($count);
            ^^^^^^ warning: $cuont is assigned a value that is never read
            ? did you mean $count?

let $x = 5;
    ^^ warning: $x is assigned a value that is never read
    ? use it, or leave it out; _ = ... throws a value away

let $x;

for ($i : 0..3) { print(1); }

for ($kv : @a) { print($kv.0); } @a[1] = 2;

@a = 5;

@a++;

@a[1] = 5; print(@b[1]);
                 ^^ warning: @b is never assigned a value: it is always 0
                 ? store into it first: @b = ...

$p = args.file; if ($p == args.path.dentry.d_name.name) { print(1); }

print(args.path.dentry.d_name.name);

printf("%s", args.path.dentry.d_name.name);

@[args.path.dentry.d_name.name] = count();

if (pid = 5) { print(1); }
   ^^^^^^^^^ an assignment is not a condition
   ? comparison is ==

$x = pid == 5; print($x);

@a[pid] == 5;
^^ warning: @a is never assigned a value: it is always 0
? store into it first: @a = ...
^^^^^^^^^^^^ warning: this compares and does nothing with the result
? an assignment has one =

return; @a = 1;
^^^^^^ note: return is here
        ^^^^^^ warning: this is never reached
        ? return ends the statements before it

exit(); exit();
^^^^^^ note: exit() is here
        ^^^^^^ warning: this is never reached
        ? exit() ends the statements before it

if (1) { return; } print(1);

while (1) { break; } print(1);

while (1) { print(1); }

while (pid) { print(1); }

_ = pid;

$x = 1; { $x = 2; } print($x);

if (0) { print(1); }

if (pid > 5 && pid < 3) { print(1); }

@a[tid] = nsecs;
`)
}

// TestParameters: words behind the script.
func TestParameters(t *testing.T) {
	gives(t, "kprobe:vfs_open", `
$a = $1;           // int64 = 7
$b = $1 + 1;       // int64 = 8
$c = $2;           // string[8] = "word"
$d = str($1);      // string[8] = "7"
$e = str($2);      // string[8] = "word"
$f = str($3);      // string[8] = ""
$g = $3;           // int64 = 0
$h = $#;           // int64 = 2
$i = $1 > 5;       // bool = 1
$j = $2 == "word"; // bool = 1
@a[$1] = $2;       // string[8] = "word" at int64
`)
	saysWith(t, "kprobe:vfs_open", Options{Target: kernel(t), Params: []string{"7", "word", "-3", "1e3", "0x10", "9223372036854775808", "12k"}}, `
print($1 + $3 + $4 + $5 + $6);

print($2 + 1);

print($7 + 1);

print(str($2) == "x");

if ($2) { print(1); }

if ($1 == "x") { print(1); }
    ^^^^^^^^^ int64 and string can't be compared
    ? put quotes round a string, and none round a number

print($8);
      ^^ warning: $8 is 0: the command line has 7 parameters
      ? write its value behind the program; $# is the number of parameters

print($9 + 1);
      ^^ warning: $9 is 0: the command line has 7 parameters
      ? write its value behind the program; $# is the number of parameters

if ($9 == 0) { print(1); }

if (str($9) == "") { print(1); }

print($# > 5);

print($0);
      ^^ there is no $0
      ? the first argument of the script is $1

kill($1);
^^^^ there is no function kill
? fst doc lists the functions
`)
}

// TestOptionsOfScripts: getopt() takes what is behind "--", and nothing that it does not know.
func TestOptionsOfScripts(t *testing.T) {
	for _, c := range []struct {
		named map[string]string
		flags map[string]bool
		text  string
	}{
		{map[string]string{"ms": "5", "name": "sh"}, nil, `
print(getopt("ms", 1) + 1); print(getopt("name", "x"));

print(getopt("ms", 1)); print(getopt("nam", "x"));
^ the script has no option --name
? did you mean --nam?

print(getopt("ms", "1")); print(getopt("name", ""));

print(getopt("ms", 1)); print(getopt("name", 1));
^ the option --name is "sh", but must be a number
? --name=5

print(getopt("ms", true)); print(getopt("name", "x"));
^ the option --ms is "5", but must be true or false
? --ms or --ms=false

print(getopt("ms", 1, "milliseconds")); print(getopt("name", "", "of the command"));

print(1);
^ the script has no option --ms
? it has none
^ the script has no option --name
? it has none
`},
		{map[string]string{"all": "true", "n": "1e3", "top": "x"}, map[string]bool{"all": true}, `
print(getopt("all")); print(getopt("n", 5)); print(getopt("top", ""));

print(getopt("all", 5)); print(getopt("n", 5)); print(getopt("top", 5));
^ the option --all needs a value
? --all=5
^ the option --top is "x", but must be a number
? --top=5

print(getopt("all", "x")); print(getopt("n", true)); print(getopt("top", false));
^ the option --all needs a value
? --all=text
^ the option --n is "1e3", but must be true or false
? --n or --n=false
^ the option --top is "x", but must be true or false
? --top or --top=false
`},
		{map[string]string{"n": "10ms", "f": "false"}, nil, `
print(getopt("n", 5ms)); print(getopt("f"));

print(getopt("n", 5ms)); print(getopt("f", true));

print(getopt("n", 5ms)); print(getopt("f", 5));
`},
		{map[string]string{"n": "5x", "f": "perhaps"}, nil, `
print(getopt("n", 5)); print(getopt("f"));
^ the option --n is "5x", but must be a number
? --n=5
^ the option --f is "perhaps", but must be true or false
? --f or --f=false
`},
	} {
		saysWith(t, "kprobe:vfs_open", Options{Target: kernel(t), Named: c.named, Flags: c.flags}, c.text)
	}
}
