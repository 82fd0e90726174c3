package render

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

const (
	runBefore = "a;b;c 10\na;b 30\nd <x> 60\n"
	runAfter  = "a;b;c 30\na;e 10\nd <x> 10\n"
)

func stacksOf(t *testing.T, file string) Stacks {
	t.Helper()
	s, err := ReadStacks([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestReadStacks: folded lines, profiles of pprof and of speedscope are read as they were written, and a damaged file is refused.
func TestReadStacks(t *testing.T) {
	var folded, pprof, scope bytes.Buffer
	obj := fakeObject()
	weights := map[string]uint64{"a program dd": 3, "another prog": 4}
	f := NewFolded(&folded, &folded, obj, Options{})
	showStacks(f, obj, weights)
	f.End()
	p, s := NewPprof(&pprof, &pprof, obj, Options{}), NewSpeedscope(&scope, &scope, obj, Options{})
	showStacks(p, obj, weights)
	showStacks(s, obj, weights)
	p.End()
	s.End()
	const frames = "[unknown];main;ksys_read"
	want := fmt.Sprint(Stacks{"a program dd;" + frames + "_[k];vfs_read_[k]": 3, "another prog;" + frames + "_[k];vfs_read_[k]": 4})
	for _, file := range []*bytes.Buffer{&folded, &scope} {
		if got := fmt.Sprint(stacksOf(t, file.String())); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := fmt.Sprint(stacksOf(t, pprof.String())); got != fmt.Sprint(Stacks{frames + ";vfs_read": 7}) {
		t.Errorf("%s", got)
	}
	for _, file := range []string{"", "a b\n", "a -1\n", "{}", `{"profiles": [{"samples": [[7]], "weights": [1]}]}`, "\x1f\x8b", pprof.String()[:40], "7"} {
		if s, err := ReadStacks([]byte(file)); err == nil {
			t.Errorf("%q is read: %v", file, s)
		}
	}
}

func FuzzReadStacks(f *testing.F) {
	f.Add([]byte(runBefore))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Add([]byte(`{"shared": {"frames": [{"name": "a"}]}, "profiles": [{"samples": [[0]], "weights": [1]}]}`))
	f.Fuzz(func(_ *testing.T, file []byte) { ReadStacks(file) })
}

// TestDiffTable: shares of each run, whatever it has counted in all.
func TestDiffTable(t *testing.T) {
	var out bytes.Buffer
	DiffTable(&out, stacksOf(t, runBefore), stacksOf(t, runAfter), 3)
	if got := out.String(); got != ` CHANGE %   SELF before    after    ALL before    after  FUNCTION
    +50.00         10.00    60.00         10.00    60.00  c
    -40.00         60.00    20.00         60.00    20.00  d <x>
    -30.00         30.00     0.00         40.00    60.00  b
... and 1 more
` {
		t.Errorf("%s", got)
	}
}

// TestDiffInBrowser: frames are as wide as they weigh in the new run, red where their share has grown and blue where it has become smaller.
func TestDiffInBrowser(t *testing.T) {
	var out bytes.Buffer
	if err := DiffPage(&out, "old", "new", stacksOf(t, runBefore), stacksOf(t, runAfter)); err != nil {
		t.Fatal(err)
	}
	dom, second, both := strings.Cut(drawn(t, out.Bytes(), 1000), "</section>")
	if !both || !strings.Contains(second, "before: ") && !strings.Contains(second, "after: ") {
		t.Errorf("the second run is not drawn: %s", second)
	}
	want := map[string]string{"all": "100 215 0", "a": "80 6 76", "b": "60 6 54", "c": "60 6 85", "e": "20 6 54", "d &lt;x&gt;": "20 215 76"}
	for _, m := range regexp.MustCompile(`aria-label="([^:"]+): [^"]* points from [0-9.]+ %" style="[^"]*width: ([0-9.]+)%;[^"]*hsl\((\d+) (\d+)%`).FindAllStringSubmatch(dom, -1) {
		name := strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(m[1])
		if got := fmt.Sprintf("%s %s %s", m[2], m[3], m[4]); got != want[name] {
			t.Errorf("%s is %s, want %s", name, got, want[name])
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("not drawn: %v\n%s", want, dom)
	}
}
