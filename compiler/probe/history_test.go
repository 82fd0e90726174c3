package probe

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fst/compiler/target/fixture"
)

var updateHistory = flag.Bool("update", false, "write events.txt")

// TestEventHistory makes sure that events.txt says what the recorded kernels say.
func TestEventHistory(t *testing.T) {
	kernels := []string{"5.10", "6.1", "6.12", "7.2"}
	has := map[string]map[string]bool{} // by event
	categories := map[string]map[string]bool{}
	note := func(m map[string]map[string]bool, name, kernel string) {
		if m[name] == nil {
			m[name] = map[string]bool{}
		}
		m[name][kernel] = true
	}
	for _, name := range kernels {
		k, err := fixture.Open(filepath.Join("../target/fixture/testdata", name+".zip"))
		if err != nil {
			t.Fatal(err)
		}
		events, err := k.Tracepoints("*", "*")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			category, _, _ := strings.Cut(e, ":")
			note(has, e, name)
			note(categories, category, name)
		}
	}
	lines := map[string][]string{}
	for name, in := range has {
		category, event, _ := strings.Cut(name, ":")
		marks := ""
		for _, k := range kernels {
			switch {
			case in[k]:
				marks += "+"
			case categories[category][k]:
				marks += "-"
			default:
				marks += "."
			}
		}
		if strings.ContainsAny(marks, "-.") {
			lines[marks+" "+category] = append(lines[marks+" "+category], event)
		}
	}
	var out []string
	for head, events := range lines {
		slices.Sort(events)
		out = append(out, head+" "+strings.Join(events, " "))
	}
	slices.SortFunc(out, func(a, b string) int { return strings.Compare(a[len(kernels):], b[len(kernels):]) })
	text := strings.Join(kernels, " ") + "\n" + strings.Join(out, "\n") + "\n"
	if *updateHistory {
		if err := os.WriteFile("events.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != eventHistory {
		t.Error("events.txt is not what the recorded kernels say: go test ./compiler/probe -run EventHistory -update")
	}
}

func TestWhichKernels(t *testing.T) {
	for _, c := range []struct{ category, event, want string }{
		{"block", "block_io_start", "Linux 6.12 and 7.2 have it, 5.10 and 6.1 do not"},
		{"block", "block_sleeprq", "Linux 5.10 has it, 6.1, 6.12 and 7.2 do not"},
		{"block", "block_rq_issue", ""}, // all have it
		{"block", "block_io_strat", ""},
		{"dma", "dma_map_page", "Linux 6.12 has it, 7.2 does not"},      // before, there was no category dma
		{"lock", "contention_begin", "Linux 6.1, 6.12 and 7.2 have it"}, // 5.10 has no category lock
	} {
		if got := whichKernels(c.category, c.event); got != c.want {
			t.Errorf("%s:%s: %q, want %q", c.category, c.event, got, c.want)
		}
	}
}
