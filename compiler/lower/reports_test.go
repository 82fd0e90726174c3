package lower_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// reportTurns is how often the intervals of reportScript count.
const reportTurns = 35

// reportScript counts 10 times a second, and shows what it has counted by the text given. In the interpreter time passes as
// fast as it can, and exactly.
const reportScript = `
begin { @turn = 0; }
interval:ms:100 {
  @turn++; $n = @turn;
  @c = count(); @s = sum($n); @a = avg($n); @max = max($n); @min = min($n); @st = stats($n);
  @k[$n %% 3] = count(); @t["key", $n %% 2] = sum($n); @h = hist($n); @top = top($n %% 2, 5);
  if ($n == %d) { exit(); }
}
%s`

// TestReports: each event is in one report, whichever way a map is shown and begun anew, and whether or not the report reads
// it in the kernel as well.
func TestReports(t *testing.T) {
	for _, kernel := range []string{oldest, "6.1", newest} {
		for _, shown := range []string{
			`report { %s }`,
			`report { printf("%%%%d\n", (int64)@c + 0); %s }`,
			`interval:s:1 { %s clear(@c); clear(@s); clear(@k); clear(@t); clear(@h); clear(@a); clear(@st); clear(@top); clear(@max); clear(@min); }`,
		} {
			shown = fmt.Sprintf(shown, "print(@c); print(@s); print(@k); print(@t);")
			w := newWorld(t, kernel)
			if strings.HasPrefix(shown, "report") {
				w.options.Named = map[string]string{"interval": "1"}
			}
			r := w.run(nil, fmt.Sprintf(reportScript, reportTurns, strings.ReplaceAll(shown, "%%", "%")))
			sums, reports := map[string]int{}, map[string][]string{}
			for _, m := range regexp.MustCompile(`(?m)^(@\S+?)(?:\[.*\])?: (\d+)$`).FindAllStringSubmatch(r.Out, -1) {
				n, _ := strconv.Atoi(m[2])
				sums[m[1]] += n
				reports[m[1]] = append(reports[m[1]], m[2])
			}
			total := reportTurns * (reportTurns + 1) / 2
			for name, want := range map[string]int{"@c": reportTurns, "@k": reportTurns, "@s": total, "@t": total} {
				if sums[name] != want {
					t.Errorf("%s: the reports of %s add up to %d, want %d:\n%s\n%s", kernel, name, sums[name], want, shown, r.Out)
				}
			}
			if got := strings.Join(reports["@c"], " "); got != "10 10 10 5" {
				t.Errorf("%s: reports of %s turns, want 10 10 10 5:\n%s", kernel, got, shown)
			}
			if r.Errs != "" {
				t.Errorf("%s: %s", kernel, r.Errs)
			}
		}
	}
}

// TestReportedKinds: each kind of map is what there was since the last report.
func TestReportedKinds(t *testing.T) {
	w := newWorld(t, newest)
	w.options.Named = map[string]string{"interval": "2"}
	w.sees(nil, `
interval:ms:100 {
  @turn++; $n = (int64)@turn;
  @c = count(); @s = sum(-$n); @a = avg($n); @max = max($n); @min = min(-$n); @st = stats($n);
  @k[$n % 2] = max($n); @t["key"] = stats($n);
  if ($n == 35) { exit(); }
}
report {
  print((@c, @s, @a, @max, @min));             //= (20, -210, 10, 20, -20) | (15, -420, 28, 35, -35)
  print(@c);                                   //= @c: 20 | @c: 15
  print(@s);                                   //= @s: -210 | @s: -420
  print(@a);                                   //= @a: 10 | @a: 28
  print(@max);                                 //= @max: 20 | @max: 35
  print(@min);                                 //= @min: -20 | @min: -35
  print(@st);                                  //= @st: { .count = 20, .average = 10, .total = 210 } | @st: { .count = 15, .average = 28, .total = 420 }
  print(@k);                                   //= @k[1]: 19 | @k[0]: 20 | @k[0]: 34 | @k[1]: 35
  print(@t);                                   //= @t[key]: { .count = 20, .average = 10, .total = 210 } | @t[key]: { .count = 15, .average = 28, .total = 420 }
}
`)
}
