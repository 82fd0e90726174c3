package prompt

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkComplete measures how long it takes from Tab until all ten names are shown that a word can become, where 100,000 names of a file's functions,
// or of a directory's files, are candidates: the median and the 99th percentile in ms. The first time reads them and is
// measured by itself.
//
//	go test ./tests/prompt -run - -bench Complete -benchtime 500x
func BenchmarkComplete(b *testing.B) {
	const count = 100_000
	dir := b.TempDir()
	for i := range count {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%06d.txt", i)), nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	program := filepath.Join(dir, "program")
	var source strings.Builder
	for i := range count {
		fmt.Fprintf(&source, ".globl g%06d.txt\n.type g%06[1]d.txt, @function\ng%06[1]d.txt: ret\n", i)
	}
	as := exec.Command("gcc", "-shared", "-nostdlib", "-x", "assembler", "-o", program, "-")
	as.Stdin = strings.NewReader(source.String())
	if out, err := as.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, bench := range []struct{ name, before string }{
		{"functions", "uprobe:" + program + ":g"},
		{"files", "#include \"" + dir + "/f"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			out := make(chan []byte, 1<<16)
			s := start(b, b.TempDir())
			s.mu.Lock()
			s.instead = out
			s.mu.Unlock()
			complete := func() time.Duration {
				word := fmt.Sprintf("%05d", rand.Intn(count/10))
				s.key(bench.before + word)
				await(b, out, word)
				pressed := time.Now()
				s.key("\t") // ten files begin so
				await(b, out, word+"9.txt")
				took := time.Since(pressed)
				s.key("\x15")
				await(b, out, "> \x1b")
				return took
			}
			first := complete()
			var times []time.Duration
			for b.Loop() {
				times = append(times, complete())
			}
			slices.Sort(times)
			ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
			b.ReportMetric(ms(first), "ms-first")
			b.ReportMetric(ms(times[len(times)/2]), "ms-p50")
			b.ReportMetric(ms(times[(len(times)-1)*99/100]), "ms-p99")
		})
	}
}
