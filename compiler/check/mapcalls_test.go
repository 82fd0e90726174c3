package check

import "testing"

// TestMapCalls: what is done to maps takes maps, with the right keys.
func TestMapCalls(t *testing.T) {
	says(t, "kprobe:vfs_open", `
clear(5);
      ^ argument 1 of clear must be a map, not int64
      ? clear(@map)

clear(@a[1]); @a[1] = 1;
      ^^^^^ clear takes a whole map, without keys
      ? clear(@map)

zero(comm);
     ^^^^ argument 1 of zero must be a map, not string
     ? zero(@map)

@a = 1; clear(@a); zero(@a);

clear(@a, 1); @a = 1;
^^^^^^^^^^^^ clear takes 1 argument, but is given 2
? clear(@map): remove all entries

@a[1] = 1; delete(@a);
                  ^^ delete needs the key to remove from @a
                  ? delete(@a, key), or clear(@a) for all of them

@a[1] = 1; delete(@a, "x");
   ^ note: its key gets its type here
                      ^^^ the key of @a is string here, but int64 elsewhere
                      ? use the same keys everywhere, or another map

@a[1] = 1; delete(@a, 1, 2);
   ^ note: its key gets its type here
                      ^^^^ the key of @a is (int64, int64) here, but int64 elsewhere
                      ? use the same keys everywhere, or another map

@a[1] = 1; delete(@a[1], @a[2]);

@a[1, 2] = 1; delete(@a, (1, 2)); delete(@a, 1, 2); delete(@a[1, 2]);

@a = 1; delete(@a, 1);
^^ note: it is used without keys here
        ^^^^^^^^^^^^^ @a has no keys
        ? give it keys everywhere, or leave the key out

@a = 1; delete(@a);

delete(5, 1);
       ^ argument 1 of delete must be a map
       ? delete(@map, key) or delete(@map[key])

delete(comm);
       ^^^^ argument 1 of delete must be a map
       ? delete(@map, key) or delete(@map[key])

@a[1] = 1; $x = has_key(@a);
                ^^^^^^^^^^^ has_key takes at least 2 arguments, but is given 1
                ? has_key(@map, key): true if the map has the key

@a[1] = 1; $x = has_key(@a[1], 1);
                        ^^^^^ has_key takes a whole map, without keys
                        ? has_key(@map, key)

@a[1] = 1; $x = has_key(@a, "x");
   ^ note: its key gets its type here
                            ^^^ the key of @a is string here, but int64 elsewhere
                            ? use the same keys everywhere, or another map

@a = 1; $x = has_key(@a, 1);
^^ note: it is used without keys here
             ^^^^^^^^^^^^^^ @a has no keys
             ? give it keys everywhere, or leave the key out

$x = has_key(5, 1);
             ^ argument 1 of has_key must be a map, not int64
             ? has_key(@map, key)

@a[1] = 1; $x = find(@a, 1);
                ^^^^^^^^^^^ find takes 3 arguments, but is given 2
                ? find(@map, key, $value): look a key up and copy its value; true if it was there

@a[1] = 1; $x = find(@a, 1, 2);
                            ^ argument 3 of find must be a $variable
                            ? find(@map, key, $value)

@a[1] = 1; $x = find(@a, 1, @b);
                            ^^ argument 3 of find must be a $variable
                            ? find(@map, key, $value)

@a[1] = hist(1); $x = find(@a, 1, $v);
        ^^^^^^^ note: @a is given its type here
                           ^^ @a holds hist(), which is not one number
                           ? print(@a) shows it

@a[1] = 1; $v = "x"; $x = find(@a, 1, $v);
           ^^ note: $v gets its type here
                                      ^^ $v holds string, so it can't be given int64
                                      ? use another variable

@a = 1; $x = len(@a);
^^ note: it is used without keys here
                 ^^ @a has no keys to count
                 ? it is one value; len() counts the entries of a map with keys

@a[1] = 1; $x = len(@a[1]);
                ^^^^^^^^^^ len takes a map or a stack, not int64
                ? len(@map or stack): number of entries of a map, or of frames of a stack

$x = len(comm);
     ^^^^^^^^^ len takes a map or a stack, not a string; strlen() counts characters
     ? len(@map or stack): number of entries of a map, or of frames of a stack

$x = len(args.file);
     ^^^^^^^^^^^^^^ len takes a map or a stack, not struct file *
     ? len(@map or stack): number of entries of a map, or of frames of a stack

@a[1] = 1; print(@a, 5, 2);

@a[1] = 1; print(@a, "x");
                     ^^^ argument 2 of print must be an integer, not string
                     ? print(value) or print(@map[, top[, div]])

@a[1] = 1; print(@a, pid);

@a[1] = 1; print(@a[1], 5);
                        ^ only a whole map is printed with top and div
                        ? several values are a tuple, print((a, b)), or the arguments of printf

print(pid, 5);
           ^ only a whole map is printed with top and div
           ? several values are a tuple, print((a, b)), or the arguments of printf

print("%d", pid);
            ^^^ print takes one value, and no format
            ? write printf("%d\n", ...)

print(());
      ^^ an empty tuple can't be printed
      ? name the value to print: print(x), print((a, b))

print((1, ()));

@a[1] = 1; print(@a, 1, 2, 3);
           ^^^^^^^^^^^^^^^^^^ print takes 1 to 3 arguments, but is given 4
           ? print(value) or print(@map[, top[, div]]): print any value, or a map: its largest entries, divided by div

@a = hist(1); print(@a, 5);
`)
}
