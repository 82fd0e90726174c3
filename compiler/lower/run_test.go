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
		{"aggregations", `@c = count(); @c = count(); @s = sum(5); @s = sum(-7); print(((int64)@c, (int64)@s));`, "(2, -2)"},
		{"aggregations", `@l = min(5); @l = min(-3); @h = max(5); @h = max(9); @v = avg(2); @v = avg(4); print(((int64)@l, (int64)@h, (int64)@v));`, "(-3, 9, 3)"},
		{"aggregations", `@c["a"] = count(); @c["a"] = count(); @c["b"] = count(); print((@c["a"] > @c["b"], (int64)@c["c"]));`, "(true, 0)"},
		{"texts", `$s = "abc"; print((strlen($s), strcontains($s, "bc"), $s == "abc", strncmp($s, "abx", 2)));`, "(3, true, true, 0)"},
		{"conditions", `$x = 5; print(($x > 3 && $x < 5, $x == 5 || $x / ($x - 5) == 1, !($x & 4), $x > 4 ? "more" : "less"));`, "(false, true, false, more)"},
		{"numbers", `$x = -7; print(($x / 2, $x % 3, $x >> 1, (uint64)$x >> 60, 1 << 40));`, "(-3, -1, -4, 15, 1099511627776)"},
		{"values", `$t = (1, (2, "x")); $u = (a = 3, b = $t.1); print(($t.1.0, $u.a, $u.b.1, $u == (a = 3, b = (2, "x"))));`, "(2, 3, x, true)"},
		{"statements", `$n = 0; for ($i : 0..10) { if ($i == 2) { continue; } if ($i == 5) { break; } $n = $n * 10 + $i; } print($n);`, "134"},
		{"statements", `$n = 1; while ($n < 100) { $n *= 3; } unroll (2) { $n++; } print($n);`, "245"},
		{"statements", `if (1 == 2) { print("yes"); } else if (2 == 2) { print("else"); } return; print("never");`, "else"},
		{"messages", `printf("%d %s %x\n", 5, "a", 255); print("b"); errorf("c");`, "5 a ff\nb"},
	} {
		if got := strings.TrimRight(interptest.Run(t, "begin { "+c.text+" }").Out, "\n"); got != c.want && !strings.HasPrefix(got, c.want+"\n") {
			t.Errorf("%s: %s prints %q, want %q", c.concern, c.text, got, c.want)
		}
	}
}
