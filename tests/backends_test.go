package tests

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fst/cmd/fst/cli"
	"fst/tests/conformance"
)

// more are tests of what the cases leave out: each prints what it has done, and fails to show it.
const more = `
let @lru = lruhash(3);
enum color { RED = 1, BLUE = 2 }
fn half($n: int64): int64 { return $n / 2; }
begin { @begun["a", 1] = 7; @sums = sum(3); }
test:numbers { print((1 + 2, -7 / 2, -7 % 3, 1 << 40, (int8)200, (uint16)70000, 7 > 3 ? half(9) : 0)); return 1; }
test:texts { $s = str_concat("ab", "cd"); printf("%s|%6s|%-6s|%r|%d\n", $s, $s, "x", buf($s, 4), strlen($s)); print((strstr($s, "c"), strcontains($s, "bc"), $s == "abcd", (enum color)2)); return 1; }
test:loops { for $i : 0..10 { if ($i % 2) { continue; } @even[$i] = $i * $i; } $k = 3; while ($k) { $k--; @turns++; } unroll (3) { @turns++; } print(@turns); print(@even); return 1; }
test:keys { print((@begun["a", 1], @begun["b", 2], has_key(@begun, ("a", 1)), len(@begun))); delete(@begun["a", 1]); for ($kv : @begun) { print($kv); } return 1; }
test:sums { @sums = sum(4); @n = count(); @lo = min(5); @lo = min(-5); @hi = max(2); @mean = avg(1); @mean = avg(4); @st = stats(3); print(@sums); print(@n); print(@lo); print(@hi); print(@mean); print(@st); return 1; }
test:charts { for $i : 0..100 { @h = hist($i * $i); @l[$i % 2] = lhist($i, 0, 100, 20); @q = quantile($i); } print(@h); print(@l); print(@q); return 1; }
test:drains { @d[1] = count(); @d[2] = count(); print(@d); clear(@d); @d[2] = count(); print(@d); zero(@d); print(@d); return 1; }
test:full { for $i : 0..6 { @lru[$i] = $i; } print(len(@lru) <= 3); print(*(uint32 *)0); print(1 / (@turns - @turns)); return 1; }
test:process { printf("%d %d %s %s\n", uid, gid, username, comm); print((pid > 0, tid > 0, nsecs > 0, elapsed < 1h, cgroup > 0, probe)); return 1; }
test:passes { assert(@begun["a", 1] == 0, "deleted"); }
end { printf("%d\n", @turns); }
`

// TestBackends runs all tests of the conformance cases, and more, in the kernel and in the
// interpreter: what they print must be the same, but for how long it took.
func TestBackends(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the kernel takes programs from root")
	}
	cases, err := conformance.Load("conformance")
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string][]string{"more": {"--test", "-e", more}}
	for _, c := range cases {
		if slices.ContainsFunc(c.Args, func(a string) bool { return a == "--test" || a == "--bench" || strings.HasPrefix(a, "--mode") }) {
			args := slices.DeleteFunc(slices.Clone(c.Args), func(a string) bool { return strings.Contains(a, "backend") || a == "interpreter" })
			programs[c.Name] = append(args, "-e", c.Prog)
		}
	}
	if len(programs) < 4 {
		t.Fatalf("only %d programs have tests or benchmarks", len(programs))
	}
	for name, args := range programs {
		kernel, interpreted := runBackend("kernel", args), runBackend("interpreter", args)
		if name == "more" && !strings.Contains(kernel, "10 tests ran") {
			t.Errorf("not all tests of the kernel ran:\n%s", kernel)
		}
		if kernel != interpreted {
			t.Errorf("%s: in the kernel\n%s\nin the interpreter\n%s", name, kernel, interpreted)
		}
	}
}

var times = regexp.MustCompile(`\(\d+ μs\)|"duration": \d+|"average": \d+|"iters": \d+| +\d+ +\d+\n`)

// runBackend is all that a program says, without times.
func runBackend(where string, args []string) string {
	var out, errs strings.Builder
	code := cli.Run(context.Background(), append([]string{"--backend", where}, args...), strings.NewReader(""), &out, &errs, nil)
	return times.ReplaceAllString(out.String()+errs.String(), " TIME\n") + string(rune('0'+code))
}
