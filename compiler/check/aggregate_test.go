package check

import "testing"

// TestAggregationArguments: each aggregation says what it takes.
func TestAggregationArguments(t *testing.T) {
	says(t, "kprobe:vfs_open", `
@ = count(1);
    ^^^^^^^^ count takes no arguments, but is given 1
    ? count(): count events

@ = count(@x); @x[1] = 1;
    ^^^^^^^^^ count takes no arguments, but is given 1
    ? len(@x) counts the entries of a map

@ = sum();
    ^^^^^ sum takes 1 argument, but is given none
    ? sum(n): add numbers up

@ = sum(comm);
        ^^^^ argument 1 of sum must be an integer, not string
        ? sum(n)

@ = sum(1, 2);
    ^^^^^^^^^ sum takes 1 argument, but is given 2
    ? sum(n): add numbers up

@ = sum(kstack);
        ^^^^^^ argument 1 of sum must be an integer, not kstack
        ? sum(n)

@ = sum((1, 2));
        ^^^^^^ argument 1 of sum must be an integer, not (int64, int64)
        ? sum(n)

@ = sum(args.file);
        ^^^^^^^^^ argument 1 of sum must be an integer, not struct file *
        ? cast it: (uint64)x

@ = avg("x");
        ^^^ argument 1 of avg must be an integer, not string
        ? avg(n)

@ = min(pid, tid);
    ^^^^^^^^^^^^^ min takes 1 argument, but is given 2
    ? write pid < tid ? pid : tid; min() keeps one number in a map

@ = max(1, 2, 3);
    ^^^^^^^^^^^^ max takes 1 argument, but is given 3
    ? max(n): largest number

@ = stats(hist(1));
          ^^^^^^^ hist() must be alone on the right side of an assignment to a map
          ? keep it in a map: @hist = hist(n[, k])

@ = hist(pid, 6);
              ^ the k of hist must be from 0 to 5, not 6
              ? hist(n[, k]): histogram by powers of two, each divided into 2^k buckets (k from 0 to 5); numbers from 2^63 on count as negative, as in bpftrace

@ = hist(pid, -1);
              ^^ the k of hist must be from 0 to 5, not -1
              ? hist(n[, k]): histogram by powers of two, each divided into 2^k buckets (k from 0 to 5); numbers from 2^63 on count as negative, as in bpftrace

@ = hist(pid, tid);
              ^^^ argument 2 of hist must be a constant integer, not a value known only at run time
              ? hist(n[, k])

@ = hist(pid, "x");
              ^^^ argument 2 of hist must be a constant integer, not string
              ? hist(n[, k])

@ = lhist(pid);
    ^^^^^^^^^^ lhist takes 4 arguments, but is given 1
    ? lhist(n, min, max, step): histogram with buckets of the same size

@ = lhist(pid, 0, 10);
    ^^^^^^^^^^^^^^^^^ lhist takes 4 arguments, but is given 3
    ? lhist(n, min, max, step): histogram with buckets of the same size

@ = lhist(pid, 10, 0, 1);
                   ^ the upper bound of lhist must be above the lower one
                   ? lhist(n, min, max, step)

@ = lhist(pid, -5, 5, 1);
               ^^ the lower bound of lhist can't be negative
               ? lhist(n, min, max, step)

@ = lhist(pid, 0, 10, 0);
                      ^ the step of lhist must be at least 1
                      ? lhist(n, min, max, step)

@ = lhist(pid, 0, 10, 11);
                      ^^ the step of lhist is larger than its range
                      ? lhist(n, min, max, step)

@ = lhist(pid, 0, 100000, 1);
    ^^^^^^^^^^^^^^^^^^^^^^^^ lhist would have 100000 buckets; at most 1000 are allowed
    ? use a larger step

@ = lhist(pid, 0, tid, 1);
                  ^^^ argument 3 of lhist must be a constant integer, not a value known only at run time
                  ? lhist(n, min, max, step)

@ = quantile(comm);
             ^^^^ argument 1 of quantile must be an integer, not string
             ? quantile(n)

@ = tseries(1, 1s);
    ^^^^^^^^^^^^^^ tseries takes 3 or 4 arguments, but is given 2
    ? tseries(n, interval, slots[, "avg"|"sum"|"min"|"max"]): values over time: the newest slots of one interval each

@ = tseries(1, 0, 5);
               ^ the interval of tseries must be at least 1ns
               ? tseries(n, interval, slots[, "avg"|"sum"|"min"|"max"])

@ = tseries(1, 1s, 0);
                   ^ the number of slots of tseries must be from 1 to 1000000, not 0
                   ? tseries(n, interval, slots[, "avg"|"sum"|"min"|"max"])

@ = tseries(1, 1s, 2000000);
                   ^^^^^^^ the number of slots of tseries must be from 1 to 1000000, not 2000000
                   ? tseries(n, interval, slots[, "avg"|"sum"|"min"|"max"])

@ = tseries(1, 1s, 5, "med");
                      ^^^^^ tseries has no function "med"
                      ? use avg, sum, min or max

@ = tseries(1, 1s, 5, "summ");
                      ^^^^^^ tseries has no function "summ"
                      ? did you mean sum?

@ = tseries(1, 1s, 5, comm);
                      ^^^^ argument 4 of tseries must be a constant string, not a value known only at run time
                      ? tseries(n, interval, slots[, "avg"|"sum"|"min"|"max"])

@ = top(comm);
    ^^^^^^^^^ top takes 2 arguments, but is given 1
    ? top(key, n): the n most frequent keys, in memory that does not grow: a key occurred at most count times and at least count - error times; error is 0 while all keys fit

@ = top(comm, 0);
              ^ the n of top must be from 1 to 500, not 0
              ? top(key, n)

@ = top(comm, 501);
              ^^^ the n of top must be from 1 to 500, not 501
              ? top(key, n)

@ = top(comm, pid);
              ^^^ argument 2 of top must be a constant integer, not a value known only at run time
              ? top(key, n)

@ = top(hist(1), 5);
        ^^^^^^^ hist() must be alone on the right side of an assignment to a map
        ? keep it in a map: @hist = hist(n[, k])

@ = top(str(arg0), 500);
    ^^^^^^^^^^^^^^^^^^^ 500 keys of 1032 bytes do not fit into the 32768 bytes that top() has
    ? ask for fewer keys, or shorten them: str(x, 32)

@a[1] += count();
         ^^^^^^^ count() must be alone on the right side of an assignment to a map
         ? count() adds to the current value: write @a[1] = count()

@a = @b = count();
        ^ an assignment has no value: it can't be assigned again
        ? write two statements

$x = sum(1);
     ^^^^^^ sum() is kept in a map, not in a variable
     ? write @x = sum(1)

print(sum(1));
      ^^^^^^ sum() must be alone on the right side of an assignment to a map
      ? keep it in a map: @sum = sum(n)

if (count()) { print(1); }
    ^^^^^^^ count() must be alone on the right side of an assignment to a map
    ? keep it in a map: @count = count()

count();
^^^^^^^ count() must be alone on the right side of an assignment to a map
? keep it in a map: @count = count()

@a == count();
   ^^ expected '=' between a map and count(), found '=='
   ? write @a = count()

@x = sum(pid + tid) / 1KB;
     ^^^^^^^^^^^^^^ sum() must be alone on the right side of an assignment to a map
     ? divide inside the parentheses: write @x = sum((pid + tid) / 1KB)

@x = @y + count();
          ^^^^^^^ count() must be alone on the right side of an assignment to a map
          ? count() adds to the current value: write @x = count()

@a = (count(), sum(1));
      ^^^^^^^ count() must be alone on the right side of an assignment to a map
      ? count() adds to the current value: write @a = count()
               ^^^^^^ sum() must be alone on the right side of an assignment to a map
               ? sum() adds to the current value: write @a = sum(1)

@a = pid ? count() : count();
           ^^^^^^^ count() must be alone on the right side of an assignment to a map
           ? count() adds to the current value: write @a = count()
                     ^^^^^^^ count() must be alone on the right side of an assignment to a map
                     ? count() adds to the current value: write @a = count()
`)
}
