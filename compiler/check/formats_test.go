package check

import "testing"

// TestFormatErrors: conversions and their arguments.
func TestFormatErrors(t *testing.T) {
	says(t, "kprobe:vfs_open", `
printf("%d %s %x\n", pid, comm, nsecs);

printf("%d\n");
        ^^ printf has no argument for %d: its format takes 1, and none is given
        ? add an argument; a lone percent sign is written %%

printf("%d %d\n", 1);
           ^^ printf has no argument for %d: its format takes 2, and 1 is given
           ? add an argument; a lone percent sign is written %%

printf("%d\n", 1, 2);
                  ^ printf has 1 argument too many: its format takes 1
                  ? add a conversion such as %d or %s to the format

printf("no\n", 1);
               ^ printf has 1 argument too many: its format takes 0
               ? add a conversion such as %d or %s to the format

printf("%d\n", comm);
               ^^^^ %d prints a number, not string
               ? print it with %s

printf("%x\n", "ab");
               ^^^^ %x prints a number, not string
               ? print it with %s

printf("%s\n", pid);

printf("%c\n", comm);
               ^^^^ %c prints a number, not string
               ? print it with %s

printf("%c\n", 65);

printf("%p\n", args.file);

printf("%p\n", comm);
               ^^^^ %p prints a number, not string
               ? print it with %s

printf("%d\n", args.file);

printf("%d\n", kstack);
               ^^^^^^ %d prints a number, not kstack
               ? print it with %s

printf("%s\n", kstack);

printf("%d\n", (1, 2));
               ^^^^^^ %d prints a number, not (int64, int64)
               ? print it with %s

printf("%s\n", (1, 2));

printf("%r\n", comm);

printf("%r\n", buf(arg0, 4));

printf("%r\n", 5);
               ^ %r prints bytes, not int64
               ? make them with buf()

printf("%rx %rh\n", buf(arg0, 4), buf(arg0, 4));

printf("%f\n", pid);
        ^^ the format has %f, which is not supported
        ? only integers can be printed: scale them, as %d.%03d does with x / 1000 and x % 1000

printf("%5.2f\n", pid);
        ^^^^^ the format has %f, which is not supported
        ? only integers can be printed: scale them, as %d.%03d does with x / 1000 and x % 1000

printf("%e %g\n", 1, 2);
        ^^ the format has %e, which is not supported
        ? only integers can be printed: scale them, as %d.%03d does with x / 1000 and x % 1000
           ^^ the format has %g, which is not supported
           ? only integers can be printed: scale them, as %d.%03d does with x / 1000 and x % 1000

printf("%n\n", pid);
        ^^ the format has %n, which is not supported

printf("%i\n", pid);

printf("%q\n", pid);
        ^^ %q is not a conversion
        ? %d %u %x %o print numbers, %s anything, %c a character, %p an address, %r bytes

printf("%5\n", pid);
               ^^^ printf has 1 argument too many: its format takes 0
               ? add a conversion such as %d or %s to the format

printf("%", pid);
            ^^^ printf has 1 argument too many: its format takes 0
            ? add a conversion such as %d or %s to the format

printf("100%\n");

printf("100% of\n");
           ^^^ printf has no argument for % o: its format takes 1, and none is given
           ? a lone percent sign is written %%

printf("%d% \n", 5);

printf("%% %d\n", 5);

printf("%*d\n", 5, 6);
        ^^^ the format has %*, which is not supported
        ? a width is written into the format: %8d, %.8s

printf("%.*s\n", 5, comm);
        ^^^^ the format has %*, which is not supported
        ? a width is written into the format: %8d, %.8s

printf("%-10s|%08x|%+d|% d|%#x\n", comm, 1, 2, 3, 4);

printf("%lld %hd %lu %zu %jd\n", 1, 2, 3, 4, 5);

printf("%b\n", 5);
        ^^ %b is not a conversion
        ? %d %u %x %o print numbers, %s anything, %c a character, %p an address, %r bytes

printf("%s\n", ());
               ^^ an empty tuple can't be printed
               ? name the value to print: x, or (a, b)

printf("%d\n", ());
               ^^ %d prints a number, not ()
               ? print it with %s

printf("%pI4\n", arg0);
        ^^^^ warning: %pI4 prints an address and then "I4"; it has its meaning in the kernel's printk only
        ? write %s with ntop(x)

printf("%pI6\n", arg0);
        ^^^^ warning: %pI6 prints an address and then "I6"; it has its meaning in the kernel's printk only
        ? write %s with ntop(x)

printf("%pM\n", arg0);
        ^^^ warning: %pM prints an address and then "M"; it has its meaning in the kernel's printk only
        ? write %s with macaddr(x)

printf("%ps\n", arg0);
        ^^^ warning: %ps prints an address and then "s"; it has its meaning in the kernel's printk only
        ? write %s with ksym(x)

printf("%pB\n", arg0);

printf("%pd\n", args.file);
        ^^^ warning: %pd prints an address and then "d"; it has its meaning in the kernel's printk only
        ? write %s with str(x->d_name.name)

printf("%px\n", arg0);

printf("%p4\n", arg0);

printf("%pI4\n", comm);
        ^^^^ warning: %pI4 prints an address and then "I4"; it has its meaning in the kernel's printk only
        ? write %s with ntop(x)
                 ^^^^ %p prints a number, not string
                 ? print it with %s

printf("%ps\n", comm);
        ^^^ warning: %ps prints an address and then "s"; it has its meaning in the kernel's printk only
        ? write %s with ksym(x)
                ^^^^ %p prints a number, not string
                ? print it with %s

printf("%s\n", @a); @a[1] = 2;
               ^^ note: it is used without keys here
                    ^^^^^ @a has keys here, but none elsewhere
                    ? give it keys everywhere, or use another map

printf("%s\n", @h); @h = hist(1);
               ^^ @h holds hist(), which is not one number
               ? print(@h) shows it
                         ^^^^^^^ note: @h is given its type here

printf("%d\n", @c); @c = count();

printf("%s\n", @s); @s = stats(1);
               ^^ @s holds stats(), which is not one number
               ? print(@s) shows it
                         ^^^^^^^^ note: @s is given its type here

printf("%d\n", hist(1));
               ^^^^^^^ hist() must be alone on the right side of an assignment to a map
               ? keep it in a map: @hist = hist(n[, k])

printf("%d %s\n", "x", 5);
                  ^^^ %d prints a number, not string
                  ? print it with %s

printf("%s %d\n", 5, "x");
                     ^^^ %d prints a number, not string
                     ? print it with %s

printf(comm, 5);
       ^^^^ the format of printf must be a constant string, not one known only at run time
       ? printf("%s", x) prints a value

printf("%s" "%d", comm, 5);
            ^^^^ expected ',' or ')' after the argument of printf, found the string "%d"
            ? separate them with ','

printf($1, 5);
       ^^ the format of printf must be a constant string, not int64
       ? printf("%s", x) prints a value

errorf("%d\n", comm);
               ^^^^ %d prints a number, not string
               ? print it with %s

warnf("%d\n");
       ^^ warnf has no argument for %d: its format takes 1, and none is given
       ? add an argument; a lone percent sign is written %%

cat("/proc/%d/stat");
           ^^ cat has no argument for %d: its format takes 1, and none is given
           ? add an argument; a lone percent sign is written %%

strftime("%d", 5);

print((1, 2), 3);
              ^ only a whole map is printed with top and div
              ? several values are a tuple, print((a, b)), or the arguments of printf

printf("%10000d\n", 5);

printf("%.10000s\n", comm);

debugf("%d\n", 5);

printf("100% %d", 5, 6);
           ^^^ '% %' is a percent sign
           ? a lone percent sign is written %%

printf("%s"); printf("%5q", 1); printf("%f", 1);
        ^^ printf has no argument for %s: its format takes 1, and none is given
        ? add an argument; a lone percent sign is written %%
                            ^ printf has 1 argument too many: its format takes 0
                            ? add a conversion such as %d or %s to the format
                                        ^^ the format has %f, which is not supported
                                        ? only integers can be printed: scale them, as %d.%03d does with x / 1000 and x % 1000
`)
}

// TestTables: rows and columns.
func TestTables(t *testing.T) {
	says(t, "kprobe:vfs_open", `
row("PID %d", pid);

row("PID %-7d COMM %-16s", pid, comm);

row("%d", pid);
    ^^^^ a conversion has no name
    ? write the name of each column before its conversion: "PID %-7d COMM %s"

row("PID", pid);
    ^^^^^ the column PID has no conversion
    ? write the name of each column before its conversion: "PID %-7d COMM %s"
           ^^^ row has 1 argument too many: its format takes 0
           ? add a conversion such as %d or %s to the format

row("PID %d", comm);
              ^^^^ %d prints a number, not string
              ? print it with %s

row("PID %d COMM %s", pid);
                 ^^ row has no argument for %s: its format takes 2, and 1 is given
                 ? add an argument; a lone percent sign is written %%

row("PID %d", pid, comm);
                   ^^^^ row has 1 argument too many: its format takes 1
                   ? add a conversion such as %d or %s to the format

row(comm);
^^^^^^^^^ row takes at least 2 arguments, but is given 1
? row("NAME %d OTHER %s", ...): print a row of a table: the words before the conversions are the heading, shown once, and the names in JSON; --time adds the time of day

row("PID %d PID %d", pid, tid);

row("PID %d of", pid);
    ^^^^^^^^^^^ the column of has no conversion
    ? write the name of each column before its conversion: "PID %-7d COMM %s"

table("K %s N %d", @a); @a[1] = count();

table("K %s N %d", @a, @b); @a[1] = count(); @b[1] = count();
      ^^^^^^^^^^^ the format has 2 columns for 1 part of the key and 2 values
      ? name the parts of the key first, then the values

table("K %s A %d B %d", @a, @b); @a[1] = count(); @b["x"] = count();
                        ^^ note: @a is here
                            ^^ @b and @a have different keys
                            ? a table has a row for each key that its maps have in common

table("K %s A %d B %d", @a, @a + @b); @a[1] = count(); @b[1] = count();

table("K %s A %d", @a / 2); @a[1] = count();

table("K %s A %d", @a * pid); @a[1] = count();
                        ^^^ a column of a table can only contain whole maps and constants
                        ? table("KEY %-16s COUNT %8d", @map, ...)

table("K %s A %d", pid); @a[1] = count();
                   ^^^ a column of a table can only contain whole maps and constants
                   ? table("KEY %-16s COUNT %8d", @map, ...)

table("", @a); @a[1] = count();
      ^^ the format has no columns
      ? write the name of each column before its conversion: "PID %-7d COMM %s"

table("K %s", @a); @a[1] = count();
      ^^^^^^ the format has 1 column for 1 part of the key and 1 value
      ? name the parts of the key first, then the values

table("P %d C %s N %d", @a); @a[pid, comm] = count();

table("P %d N %d", @a); @a[pid, comm] = count();
      ^^^^^^^^^^^ the format has 2 columns for 2 parts of the key and 1 value
      ? name the parts of the key first, then the values

table("N %d", @a); @a = count();

table("K %s H %s", @a); @a[1] = hist(1);
                   ^^ @a is printed as a chart, which does not fit in a column
                   ? print it by itself

table("K %s S %s", @a); @a[1] = stats(1);

table("K %s A %d", @a[1]); @a[1] = count();
                   ^^^^^ a column of a table can only contain whole maps and constants
                   ? table("KEY %-16s COUNT %8d", @map, ...)

table(comm, @a); @a[1] = count();
      ^^^^ the format of table must be a constant string
      ? table("KEY %-16s COUNT %8d", @map, ...)

table("K %s", 5);

table("K %s A %s", @a); @a[1] = "x";

heat(@a); @a[1] = hist(1);

heat(@a); @a[1] = count();
     ^^ @a holds no histograms
     ? a heat map shows what hist(), lhist() and quantile() count

heat(@a); @a = hist(1);

heat(@a, @b); @a[1] = hist(1); @b[1] = hist(1);
         ^^ @b holds hist(), which is not one number
         ? print(@b) shows it
         ^^ note: it is used without keys here
                               ^^^^^ @b has keys here, but none elsewhere
                               ? give it keys everywhere, or use another map
                                       ^^^^^^^ note: @b is given its type here

heat(5);
     ^ argument 1 of heat must be a map, not int64
     ? heat(@map[, "unit"])
`)
	for _, c := range []struct {
		named map[string]string
		text  string
	}{
		{map[string]string{"sort": "n", "top": "5"}, `
table("K %s N %d", @a); @a[1] = count();

table("K %s M %d", @a); @a[1] = count();
^ there is no column "n" to sort by
? --sort takes one of k, m

print(1);
^ the script has no option --sort
? --sort is an option of table(): report { table("COMM %-16s CALLS %8d", @calls); }
^ the script has no option --top
? --top is an option of table(): report { table("COMM %-16s CALLS %8d", @calls); }
`},
		{map[string]string{"sort": "calls"}, `
table("K %s CALLS %d", @a); @a[1] = count();

table("K %s CALL %d", @a); @a[1] = count();
^ there is no column "calls" to sort by
? did you mean --sort call? There are k, call
`},
		{map[string]string{"top": "many"}, `
table("K %s N %d", @a); @a[1] = count();
^ the option --top is "many", but must be a number
? --top=20; 0 shows all
`},
	} {
		saysWith(t, "begin", Options{Target: kernel(t), Named: c.named}, c.text)
	}
}
