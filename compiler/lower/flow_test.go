package lower_test

import (
	"strings"
	"testing"

	"fst/compiler/check"
	"fst/runtime/interpreter/interptest"
)

// TestLoops: bounds, steps, and how loops are left; in loops that the verifier walks through and in those that it does not.
func TestLoops(t *testing.T) {
	prints(t, `
@n = 5; $n = @n;
$s = 0; for ($i : 0..$n) { $s = $s * 10 + $i; } print($s); //= 1234
$s = 0; for ($i : $n..0) { $s++; } print($s);              //= 0
$s = 0; for ($i : -3..3) { $s = $s * 2 + $i; } print($s);  //= -132
$s = 0; for ($i : $n..$n + 3) { $s += $i; } print($s);     //= 18
$s = 0; for ($i : 0..10) { if ($i == 3) { continue; } if ($i == 6) { break; } $s = $s * 10 + $i; } print($s); //= 1245
$s = 0; for ($i : 0..3) { for ($j : 0..3) { if ($j == 2) { break; } if ($i == 1) { continue; } $s = $s * 10 + $j; } } print($s); //= 101
$s = 0; for ($i : 0..4) { for ($j : $i..4) { $s++; } } print($s); //= 10
$s = 0; for ($i : 0..3) { $i2 = $i * $i; $s += $i2; } print($s); //= 5
$s = 0; while ($s < 10) { $s += 3; } print($s);            //= 12
$s = 0; while ($s < $n) { $s++; if ($s == 2) { continue; } if ($s == 4) { break; } @seen[$s] = 1; } print(($s, has_key(@seen, 2), has_key(@seen, 3))); //= (4, false, true)
$s = 10; while ($s) { $s--; } print($s);                   //= 0
$s = 10; while (1) { $s--; if ($s < 5) { break; } } print($s); //= 4
$s = 1; while ($s < 1000 && $s != 64) { $s *= 2; } print($s); //= 64
$s = 0; $k = 3; while ($k--) { $s += $k; } print($s);      //= 3
$s = 0; unroll (4) { $s = $s * 2 + 1; } print($s);         //= 15
$s = 0; unroll (3) { $s++; if ($s == 2) { break; } } print($s); //= 2
$s = 0; unroll (2) { unroll (3) { $s++; } } print($s);     //= 6
$s = 0; unroll (3) { for ($i : 0..3) { if ($i == 1) { break; } $s++; } } print($s); //= 3
$s = 0; for ($i : 0..3000) { $s += $i; } print($s);        //= 4498500
$s = 0; for ($i : 0..3000) { if ($i % 2) { continue; } if ($i > 2000) { break; } $s++; } print($s); //= 1001
$s = 0; for ($i : 0..3000) { for ($j : 0..3) { if ($j == 2) { break; } $s++; } } print($s); //= 6000
$s = 0; for ($i : 0..60) { for ($j : 0..60) { $s += $i == $j ? 1 : 0; } } print($s); //= 60
$s = 0; for ($i : 2000..3000) { if ($i == 2500) { $s = $i; break; } } print($s); //= 2500
$t = ""; for ($i : 0..2000) { if ($i == 1234) { $t = "found"; } } print($t); //= found
$p = (1, "a"); for ($i : 0..2000) { if ($i == 1999) { $p = ($i, "last"); } } print($p); //= (1999, last)
for ($i : 0..2000) { @count = count(); @sum += $i; @last = $i; } print((@count + 0, @sum + 0, @last + 0)); //= (2000, 1999000, 1999)
for ($i : 0..2000) { if ($i == 1000) { printf("%d\n", $i); } }
//= 1000
$s = 0; $w = 0; while ($w < 2000) { $w++; if ($w % 3 == 0) { continue; } $s++; } print($s); //= 1334
$s = 0; $w = 0; while ($w < 2000) { $w++; if ($w == 1500) { break; } $s += 2; } print(($s, $w)); //= (2998, 1500)
$a = 1; $b = 2; for ($i : 0..1500) { $c = $a; $a = $b; $b = $c; } print(($a, $b)); //= (1, 2)
$u = (uint8)250; for ($i : 0..10) { $u = (uint8)($u + 1); } print($u); //= 4
for ($i : 0..3) { let $inner = $i; $inner++; @in[$i] = $inner; } print((@in[0], @in[2])); //= (1, 3)
for ($i : 0..2000) { if ($i == 3) { return; } @ret++; }
print("never");
// at the end
//= @count: 2000
//= @in[0]: 1
//= @in[1]: 2
//= @in[2]: 3
//= @last: 1999
//= @n: 5
//= @ret: 3
//= @seen[1]: 1
//= @seen[3]: 1
//= @sum: 1999000
`)
	printsOn(t, newest, `
@a[1] = 5; @n = 3; $n = @n;
for ($i : 0..2000) { for ($kv : @a) { if ($i < $n) { @m += $kv.1; } } } print(@m + 0); //= 15
for ($kv : @a) { for ($i : 0..2000) { if ($i >= $n) { break; } @k += $kv.1; } } print(@k + 0); //= 15
for ($kv : @a) { $n += $kv.1; } print($n); //= 8
for ($i : 0..2000) { if ($i == 5) { for ($kv : @a) { print($kv); return; } } }
//= (1, 5)
print("never");
`)
}

// TestBranches: blocks without braces' scope, early returns, conditions of statements.
func TestBranches(t *testing.T) {
	prints(t, `
@n = 5; $n = @n;
if ($n == 5) { print("five"); } else { print("other"); }
//= five
if ($n == 4) { print("four"); } else if ($n == 5) { print("five"); } else { print("other"); }
//= five
if ($n == 4) { print("four"); } else if ($n == 6) { print("six"); } else { print("other"); }
//= other
if ($n) { print("some"); }
//= some
if (!$n) { print("none"); }
if ($n > 3 && $n < 10 && $n != 7) { print("all"); }
//= all
if ($n > 30 || $n < 1 || $n == 5) { print("any"); }
//= any
if (!($n > 3 && $n < 10)) { print("outside"); }
if (($n & 1) == 1) { print("odd"); }
//= odd
if ($n & 4) { print("has 4"); }
//= has 4
if ($n & 2) { print("has 2"); }
if (($n & 6) == 4) { print("only 4"); }
//= only 4
if ($n > 3) { $x = "big"; } else { $x = "small and longer"; } print($x); //= big
if ($n < 3) { $y = (1, "a"); } else { $y = (2, "bc"); } print($y); //= (2, bc)
if ("a" == "a") { print("same"); }
//= same
if ((1, $n) == (1, 5)) { print("equal"); }
//= equal
if (0) { print("never"); }
if (1) { print("always"); }
//= always
if ((uint8)($n + 251)) { print("not zero"); } else { print("zero"); }
//= zero
{ let $z = 3; print($z); }
//= 3
{ $n = 6; } print($n);                                   //= 6
if ($n == 6) { if ($n > 7) { print("a"); } else { if ($n > 5) { print("b"); } } }
//= b
if ($n == 6) { return; }
print("never");
`)
	prints(t, `
print(1); exit(); print("never"); //= 1
`)
	prints(t, `
assert(1 == 1, "right"); print("goes on");            //= goes on
@n = 5; assert(@n == 5, "right too"); print("still"); //= still
assert(@n == 6, "wrong");
print("never");
`)
	prints(t, `
@n = 0;
print(5 / @n);                   //= 1
print(5 % @n);                   //= 1
$n = (uint8)@n; print(7 / $n);   //= 1
@d = 7; @d /= @n; print(@d + 0); //= 1
$d = 7; $d %= @n; print($d);     //= 1
// at the end
//= @d: 1
//= @n: 0
`)
}

// TestFunctions: parameters, results and variables of functions are their own; maps are shared.
func TestFunctions(t *testing.T) {
	prints(t, `
fn twice($n: int64): int64 { return 2 * $n; }
fn sign($n: int64): int64 { if ($n < 0) { return -1; } else if ($n == 0) { return 0; } return 1; }
fn text($n: int64): string[16] { if ($n > 3) { return "big"; } return "small"; }
fn greet($s: string[16]): string[32] { return str_concat("hello ", $s); }
fn count_up() { @calls++; }
fn nothing() { return; }
fn sum_to($n: int64): int64 { $s = 0; for ($i : 0..$n) { $s += $i; } return $s; }
fn first_over($n: int64): int64 { for ($i : 0..100) { if ($i * $i > $n) { return $i; } } return -1; }
fn is_even($n: int64): bool { return $n % 2 == 0; }
fn narrow($n: uint8): uint8 { return $n + 1; }
fn nested($n: int64): int64 { return twice(twice($n)) + sign($n); }
fn store($k: int64, $v: string[8]) { @kept[$k] = $v; }
fn no_result($n: int64): int64 { if ($n) { return 5; } return 6; }
macro add(a, b) { a + b }
macro bump($v) { $v++; }
macro put(@m, k) { @m[k] = 1; }
macro both(x) { $t = x; $t * $t }
---
@n = 5; $n = @n;
print(twice($n));                                          //= 10
print(twice(twice($n)) + twice(1));                        //= 22
print((sign(-$n), sign(0), sign($n)));                     //= (-1, 0, 1)
print(text($n));                                           //= big
print(text(1));                                            //= small
print(greet(text($n)));                                    //= hello big
count_up(); count_up(); print(@calls + 0);                 //= 2
nothing(); print("after");                                 //= after
print(sum_to($n));                                         //= 10
print(first_over(50));                                     //= 8
print(first_over(100000));                                 //= -1
print((is_even(4), is_even($n)));                          //= (true, false)
print(narrow((uint8)255));                                 //= 0
print(nested(-$n));                                        //= -21
store(1, "one"); print(@kept[1]);                          //= one
$n2 = $n; print((no_result($n2), no_result(0)));           //= (5, 6)
print(add($n, 2) * 10);                                    //= 70
$v = 1; bump($v); print($v);                               //= 2
put(@set, 7); print(@set[7]);                              //= 1
$t = 100; print(both($n + 1)); print($t);
//= 36
//= 100
if (is_even($n)) { print("even"); } else { print("odd"); }
//= odd
print(is_even($n) ? "even" : "odd");                       //= odd
for ($i : 0..3) { @twice[twice($i)] = sign($i); } print((@twice[4], @twice[0])); //= (1, 0)
while (twice($n) > 4) { $n--; } print($n);                 //= 2
`)
}

// TestAddresses: what has an address is read through it when it is read, and not before.
func TestAddresses(t *testing.T) {
	prints(t, `
$x = (uint64)5; $p = &$x; print(*$p);        //= 5
$x = 6; print(*$p);                          //= 6
$q = $p; $x = 7; print(*$q + *$p);           //= 14
@m = (uint64)1; $m = &@m; @m++; print(*$m);  //= 2
@k["a"] = (uint64)1; $k = &@k["a"]; @k["a"] += 4; print(*$k); //= 5
$t = (uint32)258; $b = (uint8 *)&$t; print(($b[0], $b[1], $b[2])); //= (2, 1, 0)
$s = "abc"; $c = (uint8 *)&$s; print($c[1]); //= 98
if (*$p == 7) { print("seven"); }
//= seven
for ($i : 0..3) { $x += 1; } print(*$p);     //= 10
$y = (uint64)1; $r = &$y; unroll (3) { $y *= 2; } print(*$r); //= 8
`)
}

// TestLongLoops: turns that are many or long for the verifier are a callback's, where the kernel has bpf_loop; few short ones
// are not.
func TestLongLoops(t *testing.T) {
	const body = `{ $p = $p.real_parent; if ($p.pid == 1) { @depth = max($i); break; } @seen[$p.comm, $i % 7] = count(); }`
	for _, c := range []struct {
		loop string
		is   bool
	}{
		{`for ($i : 0..8) ` + body, false},
		{`for ($i : 0..512) ` + body, true},
		{`for ($i : 0..512) { @n++; }`, false},
		{`for ($i : 0..5000) { @n++; }`, true},
		{`for ($i : 0..512) { $k = 0; while ($k < 20) { $k++; } }`, true}, // 10,240 turns
		{`$i = 0; while ($i < 8) ` + strings.Replace(body, "{", "{ $i++;", 1), false},
		{`$i = 0; while ($i < 512) ` + strings.Replace(body, "{", "{ $i++;", 1), true},
	} {
		for _, kernel := range []string{oldest, newest} {
			w := newWorld(t, kernel)
			_, code, err := interptest.CompileAny(check.Options{Target: w.kernel}, "kprobe:vfs_open { $p = curtask; "+c.loop+" }")
			if err != nil {
				t.Fatal(err)
			}
			if is := len(code[0].Funcs) > 1; is != (c.is && kernel == newest) {
				t.Errorf("%s: %s has a callback: %t", kernel, c.loop, is)
			}
		}
	}
}
