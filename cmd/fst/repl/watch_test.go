package repl

import (
	"fmt"
	"strings"
	"testing"
)

func TestSparkline(t *testing.T) {
	for want, numbers := range map[string][]int64{
		"":          {5},
		" ▁▁█":      {0, 0, 3},
		" ▁▂▃▄▅▆▇█": {0, 1, 2, 3, 4, 5, 6, 7},
		" ██":       {1 << 62, 1 << 62},
	} {
		if got := sparkline(numbers); got != want {
			t.Errorf("%v: %q, want %q", numbers, got, want)
		}
	}
	for _, none := range [][]int64{{0, 0}, {-1, 2}} {
		if got := sparkline(none); got != "" {
			t.Errorf("%v: %q", none, got)
		}
	}
	w := watch{name: "@n", top: 3}
	for n := range 20 {
		w.update(fmt.Sprintf("@n[1]: %d\n@n[2]: 4\n", n*n))
	}
	if want := "@n[1]: 361 (+37) ▄▄▅▅▅▆▆▆▇▇██"; w.lines[0] != want || w.lines[1] != "@n[2]: 4" {
		t.Errorf("%q, want %q", w.lines, want)
	}
}

func TestWatchShowsChanges(t *testing.T) {
	w := watch{name: "@m", top: 3}
	for _, step := range []struct{ text, want string }{
		{"", "@m is empty"},
		{"@m[a]: 1\n@m[b]: 2\n", "@m[a]: 1 (+1)|@m[b]: 2 (+2)"},
		{"@m[a]: 1\n@m[b]: 5\n@m[c]: -7\n\n", "@m[a]: 1 █▁|@m[b]: 5 (+3) ▆█|@m[c]: -7 (-7)"},
		{"@m[a]: 1\n@m[b]: 5\n@m[c]: -7\n@m[d]: x\n", "@m: 1 more lines|@m[b]: 5 ▆█▁|@m[c]: -7|@m[d]: x"},
	} {
		w.update(step.text)
		if got := strings.Join(w.lines, "|"); got != step.want {
			t.Errorf("%q: %q, want %q", step.text, got, step.want)
		}
	}
}
