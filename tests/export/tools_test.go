package export

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"fst"
	"fst/tests/examples"
)

// eachExample tries the examples of each bundled tool.
func eachExample(t *testing.T, try func(tool, example string, prog *fst.Program)) {
	t.Helper()
	compileOnce.Do(func() { compileExamples(t) })
	for _, e := range compiled {
		try(e.tool, e.example, e.prog)
	}
}

type compiledExample struct {
	tool, example string
	prog          *fst.Program
}

var (
	compileOnce sync.Once
	compiled    []compiledExample
)

// compileExamples compiles them for a recorded kernel, as far as they are for it.
func compileExamples(t *testing.T) {
	t.Helper()
	kernel, err := fst.OpenRecorded("../../compiler/target/fixture/testdata/6.12.zip")
	if err != nil {
		t.Fatal(err)
	}
	list, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		prog, err := fst.Compile(e.Text, fst.Options{Name: e.Tool, Kernel: kernel, Params: fst.Params{Words: e.Words, Named: e.Named}})
		if err != nil {
			continue // what the recording has not: others test that
		}
		compiled = append(compiled, compiledExample{e.Tool, e.Command, prog})
	}
}

// withoutUnit are metrics of numbers that are no times, sizes or counts.
var withoutUnit = []string{"fst_cpuwalk_cpu", "fst_runqlen_length", "fst_tcpsynbl_backlog", "fst_argdist_value", "fst_stackcount_depth"}

// TestTools: each bundled tool has metrics with names, labels, a unit and a help of their own, or says in a line why not.
func TestTools(t *testing.T) {
	nameless := regexp.MustCompile(`^key(_[0-9]+)?$`)
	with := map[string]bool{}
	suited := map[string]bool{} // "FORMAT TOOL"
	alone := map[string]string{"fst biolatency": "fst_biolatency_latency_seconds", "fst biolatency -D 1 10": "fst_biolatency_by_disk_seconds"}
	eachExample(t, func(tool, example string, prog *fst.Program) {
		list, why := prog.Metrics()
		if len(list) == 0 && (why == "" || strings.Contains(why, "\n")) || len(list) > 0 && why != "" {
			t.Errorf("%s: %d metrics, and %q", example, len(list), why)
		}
		if name := alone[example]; name != "" {
			delete(alone, example)
			if len(list) != 1 || list[0].Name != name {
				t.Errorf("%s has %v, not %s alone: other options fill the other maps", example, list, name)
			}
		}
		for _, format := range fst.Formats() {
			why := prog.Unsuited(format)
			if strings.Contains(why, "\n") {
				t.Errorf("%s in the format %s: %q", example, format, why)
			}
			suited[format+" "+tool] = suited[format+" "+tool] || why == ""
		}
		seen := map[string]bool{}
		for _, m := range list {
			if seen[m.Name] || !strings.HasPrefix(m.Name, "fst_"+strings.ReplaceAll(tool, "-", "_")) || m.Help == "" {
				t.Errorf("%s: %+v", example, m)
			}
			seen[m.Name] = true
			if m.Unit == "" && m.Kind != "counter" && !slices.Contains(withoutUnit, m.Name) {
				t.Errorf("%s: %s, a %s, has no unit", example, m.Name, m.Kind)
			}
			if i := slices.IndexFunc(m.Labels, nameless.MatchString); i >= 0 {
				t.Errorf("%s: a label of %s has no name: give the part of the key one, by a variable or the heading of a table: %q", example, m.Name, m.Labels)
			}
			t.Logf("%s: %s %s %v", example, m.Name, m.Kind, m.Labels)
		}
		with[tool] = with[tool] || len(list) > 0
	})
	for _, format := range fst.Formats() {
		n := 0
		for pair, suits := range suited {
			if suits && strings.HasPrefix(pair, format+" ") {
				n++
			}
		}
		t.Logf("%s suits %d tools", format, n)
		want := len(with)
		if format == "csv" || format == "influx" {
			want-- // loads shows a file
		}
		if slices.Contains([]string{"text", "json", "json2", "csv", "influx", "html"}, format) != (n == want) || n < 4 {
			t.Errorf("%s suits %d of %d tools", format, n, len(with))
		}
	}
	if len(alone) > 0 {
		t.Errorf("no such examples: %v", alone)
	}
	if len(with) < 30 {
		t.Errorf("only %d tools have metrics", len(with))
	}
}
