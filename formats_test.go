package fst

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/pprof/profile"
)

// TestFormatsOfStacksAgree: in all formats of one run, what stacks weigh is how often the text says that they were seen.
func TestFormatsOfStacksAgree(t *testing.T) {
	if os.Geteuid() != 0 || testing.Short() {
		t.Skip("traces as root")
	}
	formats := []string{"text", "json", "folded", "pprof", "html", "svg", "speedscope"}
	prog, err := Compile(fmt.Sprintf(`tracepoint:syscalls:sys_enter_setns /pid == %d/ { @[kstack, ustack, tid] = count(); @n = count(); }`, os.Getpid()), Options{Formats: formats})
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]*bytes.Buffer{}
	var outputs []Output
	for _, f := range formats {
		written[f] = &bytes.Buffer{}
		outputs = append(outputs, Output{Writer: written[f], Name: f, Format: f})
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s, err := prog.Start(ctx, RunOptions{Outputs: outputs})
	if err != nil {
		t.Fatal(err)
	}
	const calls = 300
	for n := range calls {
		call := func() { syscall.RawSyscall(308, ^uintptr(0), 0, 0) } // setns
		if n%3 == 0 {
			func() { call() }()
		} else {
			call()
		}
	}
	stop()
	if _, err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	s.Close()

	sums := map[string]int{}
	add := func(format, pattern string) {
		for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(written[format].Bytes(), -1) {
			var n int
			fmt.Sscan(string(m[1]), &n)
			sums[format] += n
		}
	}
	add("text", `(?m)^.*\]: (\d+)$`)
	add("folded", `(?m) (\d+)$`)
	add("svg", `<title>all: (\d+) count, 100.00 %</title>`)
	var page struct {
		Blocks []struct {
			Kind string
			Rows []struct{ Counts []int }
		}
	}
	_, data, _ := strings.Cut(written["html"].String(), `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	if err := json.Unmarshal([]byte(data), &page); err != nil {
		t.Fatal(err)
	}
	for _, b := range page.Blocks {
		for _, row := range b.Rows {
			for i := 1; b.Kind == "stacks" && i < len(row.Counts); i += 2 {
				sums["html"] += row.Counts[i]
			}
		}
	}
	add("speedscope", `"endValue":(\d+),`)
	for line := range strings.Lines(written["json"].String()) {
		var record struct {
			Data map[string]json.RawMessage
		}
		var counts map[string]int
		if json.Unmarshal([]byte(line), &record) == nil && json.Unmarshal(record.Data["@"], &counts) == nil {
			for _, n := range counts {
				sums["json"] += n
			}
		}
	}
	p, err := profile.ParseData(written["pprof"].Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range p.Sample {
		sums["pprof"] += int(sample.Value[0])
	}
	for _, f := range formats {
		if sums[f] != calls {
			t.Errorf("%s: %d stacks of %d\n%s", f, sums[f], calls, written[f])
		}
	}
	if !strings.Contains(written["text"].String(), fmt.Sprintf("@n: %d\n", calls)) {
		t.Errorf("%s", written["text"])
	}
}
