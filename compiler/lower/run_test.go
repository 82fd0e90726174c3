package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"fst/runtime/interpreter/interptest"
)

// TestNarrow runs what is computed in fewer than 64 bits: each value is what C would give.
func TestNarrow(t *testing.T) {
	for text, want := range map[string]string{
		"print(((int8)200, (uint8)-1, (int16)40000, (uint32)(1 << 33 | 5)));":    "(-56, 255, -25536, 5)",
		"print(((int32)-7 / 2, (int32)-7 % 3, (uint32)7 / 2, (int8)-128 >> 1));": "(-3, -1, 3, -64)",
	} {
		if got := interptest.Run(t, "begin { "+text+" }").Out; strings.TrimRight(got, "\n") != want {
			t.Errorf("%s prints %q, want %q", text, got, want)
		}
	}
}

// TestReadAgain reads the same memory before and after it is written: each value is that of its time.
func TestReadAgain(t *testing.T) {
	for text, want := range map[string]string{
		"$x = (uint64)1; $p = &$x; $a = *$p; $x = 2; $b = *$p; $c = *$p; print(($a, $b, $c));":                                   "(1, 2, 2)",
		"@x = (uint64)1; $p = &@x; $a = *$p; @x = 2; print(($a, *$p, *$p));":                                                     "(1, 2, 2)",
		"@i = 0; $s = \"abc\"; $i = (uint64)@i; $a = $s[$i]; $s = \"def\"; print(($a, $s[$i], $s[$i]));":                         "(97, 100, 100)",
		"@k[1] = (uint64)1; $p = &@k[1]; $n = (uint64)0; while (*$p < 4) { @k[1] = *$p + 1; $n += *$p; } print(($n, *$p, *$p));": "(9, 4, 4)",
	} {
		if got := interptest.Run(t, "begin { "+text+" }").Out; !strings.HasPrefix(got, want+"\n") {
			t.Errorf("%s prints %q, want %q", text, got, want)
		}
	}
}

// TestTop counts random keys twice, by top() and each: a true number is within the bounds that are shown, the most
// frequent are shown, and few keys are counted exactly. Keys of all sizes are told apart.
func TestTop(t *testing.T) {
	const script = `begin {
		$r = %d;
		for ($i : 0..1200) {
			$r = ($r * 6364136223846793005 + 1442695040888963407);
			$k = (($r >> 33) %% %d) & (($r >> 47) %% %d);
			@top = top(%s, %d);
			@true[$k] = count();
		}
		print(@true); clear(@true); print(@top); zero(@top); print(@top); clear(@top);
	}`
	for _, c := range []struct{ keys, n int }{{16, 5}, {300, 10}, {3000, 3}, {3000, 40}} {
		for seed, key := range []string{"$k", "(uint8)$k", "($k, 7)", "($k, $k == 0 ? \"none\" : \"several\")"} {
			text := fmt.Sprintf(script, seed+1, c.keys, c.keys, key, c.n)
			if key == "(uint8)$k" {
				text = strings.ReplaceAll(text, "@true[$k]", "@true[(uint8)$k]")
			}
			truth, shown, sum := map[string]int{}, 0, 0
			for _, line := range strings.Split(interptest.Run(t, text).Out, "\n") {
				var k string
				var n, off int
				if f := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("@[]: ", r) }); len(f) == 3 && f[0] == "true" {
					fmt.Sscan(f[2], &n)
					truth[f[1]] = n
				} else if m, _ := fmt.Sscan(line, &n, &off, &k); m == 3 {
					k = strings.TrimSuffix(k, ",")
					shown++
					sum += n - truth[k]
					if truth[k] > n || truth[k] < n-off || c.keys <= 16 && off > 0 {
						t.Errorf("%s of %d keys: %q occurred %d times, and is shown as %d, error %d", key, c.keys, k, truth[k], n, off)
					}
				}
			}
			if want := min(c.n, len(truth)); shown != want {
				t.Errorf("%s of %d keys: %d are shown, want %d", key, c.keys, shown, want)
			}
			if c.keys == 300 && sum > 200 {
				t.Errorf("%s of %d keys: the shown numbers are %d too large", key, c.keys, sum)
			}
		}
	}
}

// TestRun runs what each concern of lowering makes, and compares what it prints.
func TestRun(t *testing.T) {
	for _, c := range []struct{ concern, text, want string }{
		{"maps", `@a[1, "x"] = 5; @a[1, "x"] += 2; @a[1, "y"]++; print((@a[1, "x"], @a[1, "y"], @a[2, "x"]));`, "(7, 1, 0)"},
		{"maps", `@n = 5; @n *= 3; $old = @n--; print((@n, $old, --@n));`, "(14, 15, 13)"},
		{"maps", `@a[1] = 2; $was = delete(@a, 1); print(($was, delete(@a, 1), has_key(@a, 1), @a[1]));`, "(true, false, false, 0)"},
		{"maps", `@a[1] = (1, "one"); $x = @a[1]; @a[1] = (2, "two"); print(($x.1, @a[1].1, @a[7].1));`, "(one, two, )"},
		{"maps", `@a[3] = 4; @a[5] = 6; $n = 0; for ($kv : @a) { $n += $kv.0 * $kv.1; } print(($n, len(@a)));`, "(42, 2)"},
		{"maps", `@a["k"] = "v"; $x = @a["k"]; @a["k"] = "w"; print(($x, @a["k"], @a["none"]));`, "(v, w, )"},
		{"maps", `@a[(1, "x")] = 1; $k = (1, "x"); @a[$k] += 10; print(@a[1, "x"]);`, "11"},
		{"maps", `@n = 3; @n <<= 2; @n |= 1; @n ^= 4; @n &= 13; @n %= 7; print(@n);`, "@n: 2"},
		{"maps", `@a[1] = 7; print((@a[1]++, ++@a[1], @a[1]--, @a[1]));`, "(7, 9, 9, 8)"},
		{"maps", `@f[1] = 1; @t[2] = @f[1] + @f[9]; for ($kv : @t) { print(($kv.0, $kv.1)); }`, "(2, 1)"},
		{"maps", `@f[1] = 1; @f[2] = 2; @f[3] = 3; for ($kv : @f) { if ($kv.0 != 2) { delete(@f, $kv.0); } } print((len(@f), @f[2]));`, "(1, 2)"},
		{"maps", `let $x = 4; @a[$x > 3 ? "big" : "small"] = $x; print(@a["big"]);`, "4"},
		{"aggregations", `@c = count(); @c = count(); @s = sum(5); @s = sum(-7); print(((int64)@c, (int64)@s));`, "(2, -2)"},
		{"aggregations", `@l = min(5); @l = min(-3); @h = max(5); @h = max(9); @v = avg(2); @v = avg(4); print(((int64)@l, (int64)@h, (int64)@v));`, "(-3, 9, 3)"},
		{"aggregations", `@c["a"] = count(); @c["a"] = count(); @c["b"] = count(); print((@c["a"] > @c["b"], (int64)@c["c"]));`, "(true, 0)"},
		{"aggregations", `@s["a"] = stats(4); @s["a"] = stats(8); print(@s["a"]);`, "{ .count = 2, .average = 6, .total = 12 }"},
		{"aggregations", `@v = avg(-3); @v = avg(-4); print((int64)@v);`, "-3"},
		{"aggregations", `@m = max((uint64)1 << 63); @m = max(5); print((uint64)@m);`, "9223372036854775808"},
		{"aggregations", `if (1) { @x = min(3); } else { @x = min(1); } @x = min(2); print((int64)@x);`, "2"},
		{"texts", `$s = "abc"; print((strlen($s), strcontains($s, "bc"), $s == "abc", strncmp($s, "abx", 2)));`, "(3, true, true, 0)"},
		{"texts", `$s = "a long text of more than eight"; print(($s[2], $s[30], strlen($s)));`, "(108, 0, 30)"},
		{"texts", `print(str_concat(str_concat("a", "b"), "c"));`, "abc"},
		{"texts", `$s = "same"; @m[$s] = 1; print((@m["same"], @m["Same"], strcontains("", $s), strcontains($s, "")));`, "(1, 0, false, true)"},
		{"texts", `print((strncmp("abc", "abd", 2) == 0, strncmp("abc", "abd", 3) == 0, strcap("aXb")));`, "(true, false, 4)"},
		{"texts", `$b = buf("ab\x01c", 4); print($b);`, `ab\x01c`},
		{"texts", `$s = "abcdef"; $t = str($s, 4); print(($t, strlen($t), $t == "abc", $t == "abcd"));`, "(abc, 3, true, false)"},
		{"texts", `$i = 0; $s = "hello"; $n = 0; while ($i < 5) { $n += $s[$i] == 108 ? 1 : 0; $i++; } print($n);`, "2"},
		{"conditions", `$x = 5; print(($x > 3 && $x < 5, $x == 5 || $x / ($x - 5) == 1, !($x & 4), $x > 4 ? "more" : "less"));`, "(false, true, false, more)"},
		{"conditions", `$n = 0; if (0 && $n++) { } if (1 || $n++) { } print($n);`, "0"},
		{"conditions", `$a = -1; $b = (uint8)255; print(($a < $b, (uint64)$a > 5, $b == 255, -1 < 1));`, "(true, true, true, true)"},
		{"conditions", `$x = 7; print((!$x, !!$x, !($x == 7), $x == 7 ? $x > 8 ? "a" : "b" : "c"));`, "(false, true, false, b)"},
		{"conditions", `$t = (1, "x"); print(($t == (1, "x"), $t != (1, "y"), $t == (2, "x")));`, "(true, true, false)"},
		{"conditions", `$p = (uint64 *)0; print(($p == 0, !$p, $p ? 1 : 2));`, "(true, true, 2)"},
		{"conditions", `$n = 0; for ($i : 0..20) { if ($i % 3 == 0 && $i % 2 == 0 || $i == 7) { $n += $i; } } print($n);`, "43"},
		{"numbers", `$x = -7; print(($x / 2, $x % 3, $x >> 1, (uint64)$x >> 60, 1 << 40));`, "(-3, -1, -4, 15, 1099511627776)"},
		{"numbers", `print((7 / -2, 7 % -2, -7 / -2, (uint64)7 / 2, 1 / 1));`, "(-3, 1, 3, 3, 1)"},
		{"numbers", `$z = 0; print((5 / $z, 5 % $z));`, "(1, 1)"},
		{"numbers", `$n = 1; print(($n << 63 < 0, -$n >> 60, ~$n, $n | 6, 7 & ~2, 5 ^ 1));`, "(true, -1, -2, 7, 5, 4)"},
		{"numbers", `$x = (int32)2147483647; $x += 1; $y = (uint32)0; $y -= 1; print(($x, $y));`, "(2147483648, -1)"},
		{"numbers", `print((bswap((uint16)0x1234), bswap((uint32)0x12345678), bswap((uint64)1)));`, "(13330, 2018915346, 72057594037927936)"},
		{"numbers", `print((0x10, 1e3, 1_000_000, 5us, 2KiB, -0x10, 1 == 1 ? 3 : 4));`, "(16, 1000, 1000000, 5000, 2048, -16, 3)"},
		{"numbers", `$a = (int8)-1; $b = (uint8)$a; $c = (int64)$b; print(($a, $b, $c, (int16)$b));`, "(-1, 255, 255, 255)"},
		{"numbers", `$big = (uint64)-1; print(($big, $big / 2, $big % 10, $big > 0, $big >> 63));`, "(18446744073709551615, 9223372036854775807, 5, true, 1)"},
		{"values", `$t = (1, (2, "x")); $u = (a = 3, b = $t.1); print(($t.1.0, $u.a, $u.b.1, $u == (a = 3, b = (2, "x"))));`, "(2, 3, x, true)"},
		{"values", `$t = (1, "x", (2, 3)); $u = $t; $t = (4, "y", (5, 6)); print(($u.0, $t.2.1, $u.2.0, $t.1));`, "(1, 6, 2, y)"},
		{"values", `$r = (name = "n", n = 2); @m[1] = $r; print((@m[1].name, @m[1].n, @m[2].n));`, "(n, 2, 0)"},
		{"calls", `@a[1] = 1; $f = has_key(@a, 1) ? len(@a) : 0; print(($f, sizeof(uint32), sizeof($f)));`, "(1, 4, 8)"},
		{"statements", `$n = 0; for ($i : 0..10) { if ($i == 2) { continue; } if ($i == 5) { break; } $n = $n * 10 + $i; } print($n);`, "134"},
		{"statements", `$n = 1; while ($n < 100) { $n *= 3; } unroll (2) { $n++; } print($n);`, "245"},
		{"statements", `if (1 == 2) { print("yes"); } else if (2 == 2) { print("else"); } return; print("never");`, "else"},
		{"statements", `$n = 0; for ($i : 0..3) { for ($j : 0..3) { if ($j > $i) { break; } $n++; } } print($n);`, "6"},
		{"statements", `$n = 0; for ($i : 5..2) { $n++; } for ($i : -2..1) { $n += $i; } print($n);`, "-3"},
		{"statements", `$n = 10; while (1) { $n--; if ($n == 3) { break; } if ($n % 2) { continue; } @sum += $n; } print(@sum);`, "@sum: 18"},
		{"statements", `$n = 0; unroll (3) { $n = $n * 2 + 1; } if ($n == 7) { $x = "seven"; } else { $x = "other"; } print($x);`, "seven"},
		{"statements", `let $x : uint8 = 255; $x++; { let $y = 2; $x += $y; } print($x);`, "2"},
		{"statements", `$x = 3; if ($x == 1) { print("one"); } else if ($x == 2) { print("two"); } else if ($x == 3) { print("three"); } else { print("many"); }`, "three"},
		{"messages", `printf("%d %s %x\n", 5, "a", 255); print("b"); errorf("c");`, "5 a ff\nb"},
		{"messages", `printf("%5d|%-5s|%05x|%+d|%c|%%|%lld|%p\n", 42, "ab", 255, 7, 65, -1, 16);`, "   42|ab   |000ff|+7|A|%|-1|0x10"},
		{"messages", `print((1, "two", (3, 4))); print(-5); print("a\tb"); printf("%s|%s\n", "x", 1 == 1);`, "(1, two, (3, 4))\n-5\na\tb\nx|true"},
		{"messages", `@a[2] = 1; @a[1] = 3; print(@a); print(@a, 1); print((len(@a)));`, "@a[2]: 1\n@a[1]: 3\n@a[1]: 3\n2"},
		{"messages", `row("N %d NAME %-8s", 5, "abc");`, "N NAME\n5 abc"},
		{"maps", `@a[1] = 5; $x = 0; $f = find(@a, 1, $x); $g = find(@a, 2, $x); print(($f, $x, $g));`, "(true, 5, false)"},
		{"maps", `@a[1, "k"] = 3; print((has_key(@a, (1, "k")), has_key(@a, (2, "k")), delete(@a, (1, "k")), len(@a)));`, "(true, false, true, 0)"},
		{"maps", `@a = "first"; @b = @a; @a = "second"; print((@a, @b));`, "(second, first)"},
		{"maps", `@a[(uint8)1] = 1; @a[257] = 2; print((@a[1], @a[257], len(@a)));`, "(1, 2, 2)"},
		{"maps", `@r[1] = (a = 1, b = (x = 2, y = "z")); @r[1] = (a = 5, b = @r[1].b); print((@r[1].a, @r[1].b.y));`, "(5, z)"},
		{"maps", `@a[1] = 1; @a[2] = 2; clear(@a); @a[3] = 3; print(@a[3]);`, "3"},
		{"maps", `@a[1] = 1; for ($kv : @a) { @a[$kv.0 + 1] = $kv.1 + 1; break; } print((@a[1], @a[2]));`, "(1, 2)"},
		{"maps", `@a[1] = "x"; @a[2] = "y"; $all = ""; for ($kv : @a) { if ($kv.1 == "y") { $all = $kv.1; } } print($all);`, "y"},
		{"maps", `@a[5]++; @a[5] += 10; @a[5] -= 4; @a[5] *= 2; @a[5] /= 7; print(@a[5]);`, "2"},
		{"aggregations", `@l = lhist(5, 0, 10, 5); @l = lhist(-1, 0, 10, 5); @l = lhist(10, 0, 10, 5); print(@l);`, "@l:\n(..., 0)               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n[0, 5)                 0 |                                                    |\n[5, 10)                1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n[10, ...)              1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|"},
		{"aggregations", `@q = quantile(5); @q = quantile(7); @q = quantile(100); print(@q);`, "@q: p50 7 p90 100 p99 100 p99.9 100 max 100"},
		{"aggregations", `@s = sum(1500us / 1ms); @s = sum(700us / 1ms); print((int64)@s);`, "2"},
		{"aggregations", `@v = avg((uint64)1 << 62); @v = avg((uint64)1 << 62); print((int64)@v);`, "4611686018427387904"},
		{"aggregations", `@c = count(); clear(@c); @c = count(); print((int64)@c);`, "2"},
		{"aggregations", `@c["x"] = count(); @c["y"] = count(); @c["y"] = count(); $n = 0; for ($kv : @c) { $n += $kv.1; } print($n);`, "3"},
		{"aggregations", `@t["a"] = top("k", 2); @t["a"] = top("k", 2); @t["a"] = top("l", 2); print(@t["a"]);`, "@t[a]:\n   COUNT    ERROR  KEY\n       2        0  k\n       1        0  l"},
		{"aggregations", `@h[1] = hist(1024, 2); @h[1] = hist(1500, 2); print(@h[1]);`, "@h[1]:\n[1024, 1280)           1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n[1280, 1536)           1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|"},
		{"texts", `print((strstr("hello world", "world"), strstr("hello", "z"), strstr("aaab", "ab")));`, "(6, -1, 2)"},
		{"texts", `$a = "xyz"; $b = "yz"; print((strstr($a, $b), strcontains($a, "x"), strcontains($b, $a)));`, "(1, true, false)"},
		{"texts", `print((memcmp("abc", "abc", 3), memcmp("abc", "abd", 3) < 0, memcmp("abd", "abc", 2)));`, "(0, true, 0)"},
		{"texts", `$s = "tail"; $t = str_concat("long head ", $s); print(($t, strlen($t), $t == "long head tail"));`, "(long head tail, 14, true)"},
		{"texts", `$s = "0123456789012345678901234567890123456789012345678901234567890123456789"; print((strlen($s), strcontains($s, "8901"), $s[69]));`, "(70, true, 57)"},
		{"texts", `$s = "abc"; $t = $s; $s = "changed"; print(($s, $t, $s != $t, strlen($t)));`, "(changed, abc, true, 3)"},
		{"texts", `@m["a long key of some length"] = 1; $k = "a long key of some length"; print((@m[$k], has_key(@m, "a long key")));`, "(1, false)"},
		{"texts", `$b = buf("abcd", 2); print(($b, sizeof($b))); printf("%r|%rx\n", $b, $b);`, "(ab, 6)\nab|\\x61\\x62"},
		{"texts", `print((strerror(2), signal_name(9), syscall_name(0)));`, "(No such file or directory, Killed, read)"},
		{"texts", `$e = strerror(2); print(($e == "No such file or directory", signal_name(9) == "SIGKILL"));`, "(true, false)"},
		{"conditions", `$a = (x = 1, y = "b"); $b = (y = "b", x = (uint8)1); print(($a == $b, $a != (x = 2, y = "b")));`, "(true, true)"},
		{"conditions", `$x = 3; $y = $x ?: 9; $z = 0 ?: 9; print(($y, $z, $x > 2 ? (1, "a") : (2, "bc")));`, "(3, 9, (1, a))"},
		{"conditions", `$s = "abcdefghijklmnop"; print(($s == "abcdefghijklmnop", $s == "abcdefghijklmnox", $s == "abcdefgh", "abc" < "abd"));`, "(true, false, false, true)"},
		{"conditions", `$n = 5; print((if ($n > 3) { "big" } else { "small" }, { $n * 2 }));`, "(big, 10)"},
		{"numbers", `$x = (int64)-9; print(($x / 4, $x % 4, $x / -4, $x * -1, $x & 7, (uint32)$x));`, "(-2, -1, 2, 9, 7, 4294967287)"},
		{"numbers", `$n = 200; $b = (int8)$n; $c = (uint8[4])$n; print(($b, $c[0], $c[1]));`, "(-56, 200, 0)"},
		{"numbers", `$x = 1; $x <<= 40; $x |= 5; $x ^= 4; $x >>= 1; print($x);`, "549755813888"},
		{"numbers", `$a = (uint64)5; $b = -1; print(($a > $b, $a + $b, $a * $b, $b / $a));`, "(true, 4, -5, 0)"},
		{"values", `$t = ((1, 2), "x", (a = 3)); print(($t.0.1, $t.1, $t.2.a)); $t = ((4, 5), "yy", (a = 6)); print($t);`, "(2, x, 3)\n((4, 5), yy, { .a = 6 })"},
		{"values", `$a = 5; $p = &$a; $a = 6; print((*$p, *$p + 1)); @x = 1; print(@x);`, "(6, 7)\n@x: 1"},
		{"values", `$x = (uint16[2])0x00020001; $i = 1; print(($x[0], $x[$i], $x[$i - 1]));`, "(1, 2, 1)"},
		{"values", `$x = (uint8[4])0x04030201; $sum = 0; for ($i : 0..4) { $sum = $sum * 10 + $x[$i]; } print($sum);`, "1234"},
		{"values", `$i = 9; $x = (uint8[4])1; print($x[$i]);`, "0"},
		{"statements", `$n = 0; for ($i : 0..2000) { if ($i == 1500) { break; } if ($i % 2) { continue; } $n++; } print($n);`, "750"},
		{"statements", `$s = ""; for ($i : 0..1030) { if ($i == 1029) { $s = "last"; } } print(($s, strlen($s)));`, "(last, 4)"},
		{"statements", `$n = 0; $m = 3; for ($i : 0..$m) { for ($j : 0..$m) { if ($j == 2) { break; } $n += $i * $j; } } print($n);`, "3"},
		{"statements", `$n = 0; for ($i : 0..5000) { $n += 1; if ($n > 4000) { print($n); return; } } print("not");`, "4001"},
		{"statements", `@a[1] = 1; @a[2] = 2; for ($kv : @a) { for ($i : 0..2000) { if ($i > $kv.1) { break; } @n++; } } print(@n);`, "@n: 5"},
		{"statements", `unroll (100) { $x = 5; @n += $x; } print(@n);`, "@n: 500"},
		{"statements", `$n = 0; while ($n < 3000) { $n++; if ($n % 7 == 0) { continue; } @odd += 1; } print(($n, @odd));`, "(3000, 2572)"},
		{"messages", `printf("%-5d|%05d|%5s|%.2s|%x|%X|%o|%u\n", 5, 42, "ab", "abc", 255, 255, 8, -1);`, "5    |00042|   ab|ab|ff|FF|10|4294967295"},
		{"messages", `warnf("%s", "w"); errorf("%d", 1); print("after");`, "after"},
		{"messages", `@a["x"] = 1; @b["x"] = 3; table("NAME %-6s N %4d SUM %4d", @a, @a + @b);`, "NAME      N  SUM\nx         1    4"},
		{"messages", `assert(1 == 1, "fine"); assert(2 == 3, "wrong"); print("never");`, ""},
		{"messages", `print(("a", 1)); exit(); print("never");`, "(a, 1)"},
		{"calls", `print((sizeof("abc"), sizeof((1, "x")), is_err((void *)-5), is_err((void *)5)));`, "(4, 3, true, false)"},
		{"calls", `$c = comptime (5 * 5); print(($c, getopt("n", 7), ncpus > 0, safe_mode, probetype, probe));`, "(25, 7, true, false, special, begin)"},
		{"calls", `$a = uid; $b = gid; $c = pid; $d = cpu; print(($a >= 0, $b >= 0, $c > 0, $d >= 0, jiffies >= 0, rand >= 0, elapsed >= 0));`, "(true, true, true, true, true, true, true)"},
	} {
		got, _, _ := strings.Cut(interptest.Run(t, "begin { "+c.text+" } end { printf(\"\\x01\"); }").Out, "\x01") // before the maps
		if got = strings.TrimRight(got, "\n"); got != c.want {
			t.Errorf("%s: %s prints %q, want %q", c.concern, c.text, got, c.want)
		}
	}
}
