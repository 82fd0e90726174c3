package check

import "testing"

// TestMapTypes: a map keeps all integers in 64 bits, and the type that holds all that it is given.
func TestMapTypes(t *testing.T) {
	gives(t, "kprobe:vfs_open", `
@a = 1;                                   // int64 = 1
@b = pid;                                 // uint32 -> uint64
@c[pid] = (uint8)1;                       // uint8 = 1 -> uint64 at uint64
@d[comm] = comm;                          // string[16] at string[16]
@e[pid, comm] = nsecs;                    // uint64 at (uint64, string[16])
@f[(uint8)1, (int8)2] = 1;                // int64 = 1 at (uint64, int64)
@g[1] = 1; @g[pid] = pid;                 // int64 = 1 -> uint64 at uint64; uint32 -> uint64 at uint64
@h[1] = 1; @h[-1] = -1;                   // int64 = 1 at int64; int64 = -1 at int64
@i = "ab"; @i = "abcdefghijk"; @i = comm; // string[8] = "ab" -> string[16]; string[16] = "abcdefghijk"
@j[1] = (1, "a"); @j[2] = (pid, comm);    // (int64, string[8]) -> (uint64, string[16]) at int64
@k[1] = (x = 1, y = comm);                // (x = int64, y = string[16]) at int64
@l = args.file;                           // struct file *
@m[args.file] = args.path;                // struct path * at struct file *
@n[kstack] = count();                     // count at kstack
@o[func, probe] = count();                // count at (func, probe)
@p = sum(pid);                            // sum
@q = sum(-1);                             // sum
@r[comm] = avg(nsecs);                    // avg at string[16]
@s = min((int8)pid); @s = min(1);         // min
@u = max(5);                              // max
@v = stats((uint8)5);                     // stats
@w = hist(pid); @w = hist(nsecs);         // hist
@x = lhist(pid, 0, 100, 10);              // lhist
@y = quantile(pid);                       // quantile
@z = tseries(pid, 1s, 5, "max");          // tseries
@aa = top((pid, comm), 3);                // top
$a = @a;                                  // int64
$b = @c[1];                               // uint64
$c = @e[1, "x"];                          // uint64
$d = @j[2];                               // (uint64, string[16])
$e = @j[2].1;                             // string[16]
$f = @k[1].y;                             // string[16]
$g = @p + 1;                              // uint64
$h = (int64)@q;                           // int64
$i = @r["x"] > 5;                         // bool
$j = @u;                                  // uint64
$k = has_key(@c, 1);                      // bool
$l = len(@c);                             // int64
$m = delete(@c, 1);                       // bool
$n = &@a;                                 // int64 *
$o = @l.f_mode;                           // uint32
$p = @m[0].dentry;                        // struct dentry *
@ab = (bool)pid;                          // bool
@ac = strerror(1);                        // error text
@ad[strerror(1)] = 1;                     // int64 = 1 at error text
@ae[uid] = username;                      // username at uint64
@af = args.path.dentry.d_iname;           // uint8[40]
@ag = *args.path;                         // struct path
@ah = (uint8[4])pid;                      // uint8[4]
@ai = buf(arg0, 10);                      // buffer[10]
@aj++;
@ak[pid]--;
@al += nsecs;                             // uint64
@am[comm] -= 1;                           // int64 = 1 at string[16]
@an = @aj;                                // int64
@ao = nsecs; $q = @ao++;                  // uint64
`)
}

// TestMapErrors: keys and values that do not agree.
func TestMapErrors(t *testing.T) {
	says(t, "kprobe:vfs_open", `
@a[1] = 1; @a["x"] = 1;
   ^ note: its key gets its type here
              ^^^ the key of @a is string here, but int64 elsewhere
              ? use the same keys everywhere, or another map

@a[1] = 1; @a = 1;
   ^ note: it has keys here
           ^^ @a needs a key here
           ? write @a[...]; len(@a) is the number of entries

@a = 1; @a[1] = 1;
^^ note: it is used without keys here
        ^^^^^ @a has keys here, but none elsewhere
        ? give it keys everywhere, or use another map

@a[1, 2] = 1; @a[1] = 1;
   ^ note: its key gets its type here
                 ^ the key of @a is int64 here, but (int64, int64) elsewhere
                 ? use the same keys everywhere, or another map

@a["x"] = 1; print(@a[5]);
   ^^^ note: its key gets its type here
                      ^ the key of @a is int64 here, but string elsewhere
                      ? use the same keys everywhere, or another map

@a[comm] = 1; print(@a[args.file]);
   ^^^^ note: its key gets its type here
                       ^^^^^^^^^ the key of @a is struct file * here, but string elsewhere
                       ? use the same keys everywhere, or another map

@a[args.file] = 1; print(@a[args.path]);
   ^^^^^^^^^ note: its key gets its type here
                            ^^^^^^^^^ the key of @a is struct path * here, but struct file * elsewhere
                            ? cast it: @a[(struct file *)x]

@a[kstack] = 1; print(@a[ustack]);
   ^^^^^^ note: its key gets its type here
                         ^^^^^^ the key of @a is ustack here, but kstack elsewhere
                         ? use the same keys everywhere, or another map

@a = 1; @a = "x";
     ^ note: @a is given its type here
             ^^^ @a holds int64, so it can't be given string
             ? use another map

@a = "x"; @a = 5;
     ^^^ note: @a is given its type here
               ^ @a holds string, so it can't be given int64
               ? use another map

@a = count(); @a = sum(1);
     ^^^^^^^ note: @a is given its type here
                   ^^^^^^ @a holds count(), so it can't be given sum()
                   ? use another map

@a = count(); @a = 5;
     ^^^^^^^ note: @a is given its type here
                   ^ @a holds count(), so it can't be given int64
                   ? clear(@a) or zero(@a) resets it; another map can hold plain values

@a = 5; @a = count();
     ^ note: @a is given its type here
             ^^^^^^^ @a holds int64, so it can't be given count()
             ? use another map

@a = hist(1, 2); @a = hist(1, 3);
     ^^^^^^^^^^ note: @a is given its type here
                      ^^^^^^^^^^ @a holds hist() with other parameters
                      ? use the same parameters everywhere, or another map

@a = lhist(1, 0, 10, 1); @a = lhist(1, 0, 10, 2);
     ^^^^^^^^^^^^^^^^^^ note: @a is given its type here
                              ^^^^^^^^^^^^^^^^^^ @a holds lhist() with other parameters
                              ? use the same parameters everywhere, or another map

@a = count(); @b = @a;
     ^^^^^^^ note: @a is given its type here
                   ^^ @a holds count(), which is not one value that a map can be given
                   ? its current value is a number: @b = (int64)@a

@a = hist(1); @b = @a;
     ^^^^^^^ note: @a is given its type here
                   ^^ @a holds hist(), which is not one number
                   ? print(@a) shows it

@a = hist(1); print(@a + 1);
     ^^^^^^^ note: @a is given its type here
                    ^^ @a holds hist(), which is not one number
                    ? print(@a) shows it

@a = hist(1); if (@a) { print(1); }
     ^^^^^^^ note: @a is given its type here
                  ^^ @a holds hist(), which is not one number
                  ? print(@a) shows it

@a = stats(1); $x = @a;
     ^^^^^^^^ note: @a is given its type here
                    ^^ @a holds stats(), which is not one number
                    ? print(@a) shows it

@a = avg(1); @a++;
     ^^^^^^ note: @a is given its type here
             ^^^^ @a holds avg(), so it can't be changed by ++
             ? aggregations only take @a = avg(...)

@a = count(); @a -= 1;
     ^^^^^^^ note: @a is given its type here
              ^^ @a holds count(), so it can't be changed by -=
              ? aggregations only take @a = count(...)

@a = hist(1); @b[@a] = 1;
     ^^^^^^^ note: @a is given its type here
                 ^^ @a holds hist(), which is not one number
                 ? print(@a) shows it

@a[hist(1)] = 1;
   ^^^^^^^ hist() must be alone on the right side of an assignment to a map
   ? keep it in a map: @hist = hist(n[, k])

@a[count()] = 1;
   ^^^^^^^ count() must be alone on the right side of an assignment to a map
   ? keep it in a map: @count = count()

@a[strftime("%H", nsecs)] = 1;

@a[(1, ())] = 1;

@a[()] = 1;
^^^^^^ an empty tuple can't be a key
? leave the brackets out for a map without keys

@a = ();
     ^^ an empty tuple can't be stored
     ? store a value: @a[...] = 1

print(@never);
      ^^^^^^ @never is never assigned a value
      ? store into it first: @never = ...

print(@never[1]);
      ^^^^^^ warning: @never is never assigned a value: it is always 0
      ? store into it first: @never = ...

@never++; print(@nevr);
^^^^^^ note: @never is assigned a value here that is never read
                ^^^^^ @nevr is never assigned a value
                ? did you mean @never?

@nevr = 1; print(@never);
        ^ note: @nevr is assigned a value here that is never read
                 ^^^^^^ @never is never assigned a value
                 ? did you mean @nevr?

print(@comm);
      ^^^^^ @comm is never assigned a value
      ? did you mean comm? Built-ins have no @

for ($kv : @never) { print($kv); }
           ^^^^^^ @never is never assigned a value
           ? store into it first: @never = ...

clear(@never);
      ^^^^^^ @never is never assigned a value
      ? store into it first: @never = ...

delete(@never, 1);
       ^^^^^^ @never is never assigned a value
       ? store into it first: @never = ...

$x = len(@never);
         ^^^^^^ @never is never assigned a value
         ? store into it first: @never = ...

$x = @a[1]; @a = 5;
        ^ note: it has keys here
            ^^ @a needs a key here
            ? write @a[...]; len(@a) is the number of entries

@a[1] = 5; $x = @a;
   ^ note: it has keys here
                ^^ @a needs a key here
                ? write @a[...]; len(@a) is the number of entries

@a[1] = 5; for ($kv : @a[1]) { print($kv); }
                      ^^^^^ a loop iterates over a whole map, not over one entry
                      ? write for ($kv : @a)

@a = 5; for ($kv : @a) { print($kv); }
^^ note: it is used without keys here
                   ^^ @a has no keys to loop over
                   ? print(@a) shows its one value

@a[1] = hist(5); for ($kv : @a) { print($kv); }
                            ^^ a loop can't iterate over a map of hist()
                            ? print(@a) shows it

@a[1] = 5; for ($kv : @a) { print(@a[$kv]); }
   ^ note: its key gets its type here
                                     ^^^ the key of @a is (int64, int64) here, but int64 elsewhere
                                     ? $kv has a key and its value: write @a[$kv.0]; the value is $kv.1

@a[1] = 5; @b = @a;
   ^ note: it has keys here
                ^^ @a needs a key here
                ? write @a[...]; len(@a) is the number of entries

@a[1] = 5; @b[1] = @a[1]; @b[1] = "x";
                   ^^^^^ note: @b is given its type here
                                  ^^^ @b holds int64, so it can't be given string
                                  ? use another map

@a[1] = args.file; @a[1] = args.path;
        ^^^^^^^^^ note: @a is given its type here
                           ^^^^^^^^^ @a holds struct file *, so it can't be given struct path *
                           ? cast one of them: (struct file *)x

@a = kstack; @a = ustack;
     ^^^^^^ note: @a is given its type here
                  ^^^^^^ @a holds kstack, so it can't be given ustack
                  ? use another map

@a[1] = (1, 2); @a[1] = (1, 2, 3);
        ^^^^^^ note: @a is given its type here
                        ^^^^^^^^^ @a holds (int64, int64), so it can't be given (int64, int64, int64)
                        ? use another map

@a[1] = (x = 1); @a[1] = (y = 1);
        ^^^^^^^ note: @a is given its type here
                         ^^^^^^^ @a holds (x = int64), so it can't be given (y = int64)
                         ? use another map

@a[1] = (1, 2); @a[1] = 5;
        ^^^^^^ note: @a is given its type here
                        ^ @a holds (int64, int64), so it can't be given int64
                        ? use another map

@a = 1; @a = 18446744073709551615;

@a = pid; @a = -1; @a = 18446744073709551615;
                        ^^^^^^^^^^^^^^^^^^^^ @a holds signed numbers, so it can't be given 18446744073709551615
                        ? write -1, which has the same bits, or cast the other values: (uint64)x

@a = -1; @a = 18446744073709551615;
              ^^^^^^^^^^^^^^^^^^^^ @a holds signed numbers, so it can't be given 18446744073709551615
              ? write -1, which has the same bits, or cast the other values: (uint64)x

@a[1] = 1; @a[1, 2] = 1; @b[1] = pid; @b["x"] = 1;
   ^ note: its key gets its type here
              ^^^^ the key of @a is (int64, int64) here, but int64 elsewhere
              ? use the same keys everywhere, or another map
                            ^ note: its key gets its type here
                                         ^^^ the key of @b is string here, but int64 elsewhere
                                         ? use the same keys everywhere, or another map

@a = hist(1); @a = lhist(1, 0, 5, 1);
     ^^^^^^^ note: @a is given its type here
                   ^^^^^^^^^^^^^^^^^ @a holds hist(), so it can't be given lhist()
                   ? use another map

@h = hist(1); @h[1] = hist(1); for ($kv : @h) { print($kv); }
^^ note: it is used without keys here
^^ note: it is used without keys here
              ^^^^^ @h has keys here, but none elsewhere
              ? give it keys everywhere, or use another map
                                          ^^ @h has no keys to loop over
                                          ? print(@h) shows its one value
`)
}

// TestMapDeclarations: kinds and sizes.
func TestMapDeclarations(t *testing.T) {
	says(t, "", `
let @a = hash(5);
begin { @a[1] = 1; }

let @a = hash(0);
              ^ the size of @a must be a number of entries from 1 on
              ? let @a = hash(1000)
begin { @a[1] = 1; }

let @a = hash(-1);
              ^^ the size of @a must be a number of entries from 1 on
              ? let @a = hash(1000)
begin { @a[1] = 1; }

let @a = hash(5); let @a = hash(6);
^^^^^^^^^^^^^^^^ note: the first declaration is here
                  ^^^^^^^^^^^^^^^^ @a is declared twice
                  ? remove one of the declarations
begin { @a[1] = 1; }

let @a = hashh(5);
^^^^^^^^^^^^^^^^^ there is no kind of map called hashh
? did you mean hash?
begin { @a[1] = 1; }

let @a = percpuhash(5);
^^^^^^^^^^^^^^^^^^^^^^ @a is declared percpuhash, which is for aggregations such as count(), but it holds int64
? declare it hash
begin { @a[1] = 1; }

let @a = hash(5);
^^^^^^^^^^^^^^^^ @a is declared hash, but count() needs a map for each CPU
? declare it percpuhash
begin { @a[1] = count(); }

let @a = lruhash(5);
^^^^^^^^^^^^^^^^^^^ @a is declared lruhash, but hist() needs a map for each CPU
? declare it percpulruhash
begin { @a[1] = hist(1); }

let @a = percpuarray(1);
begin { @a = count(); }

let @a = percpuarray(5);
begin { @a[1] = count(); }

let @a = hash(5);
begin { @a = 1; }

let @a = hash(5);
^^^^^^^^^^^^^^^^ warning: @a is declared but never assigned a value
? remove the declaration, or store into it: @a[...] = ...
begin { print(1); }

let @a = percpulruhash(5);
^^^^^^^^^^^^^^^^^^^^^^^^^ @a is declared percpulruhash, which is for aggregations such as count(), but it holds string
? declare it lruhash
begin { @a[1] = "x"; }
`)
}
