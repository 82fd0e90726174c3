package prompt

import (
	"bytes"
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

// BenchmarkComplete measures how long it takes from Tab until all ten names are shown that a word can become, where 100,000 names of a
// file's functions, of a directory's files, or of a map's keys are candidates: the median and the 99th percentile in ms. The first time
// reads them, and is measured by itself: until it is said that they are being read, and until they are shown.
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
	for _, bench := range []struct{ name, before, behind string }{
		{"functions", "uprobe:" + program + ":g", "9.txt"},
		{"files", "#include \"" + dir + "/f", "9.txt"},
		{"keys", "@k[1", "9]"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			out := make(chan []byte, 1<<16)
			s := start(b, b.TempDir())
			if bench.name == "keys" {
				s.enter("let @k = hash(200000);")
				s.enter("{ for ($i : 1000000..1100000) { @k[$i] = $i; } }")
			}
			s.mu.Lock()
			s.instead = out
			s.mu.Unlock()
			var echoes, times []time.Duration
			complete := func() (answer, took time.Duration) {
				word := fmt.Sprintf("%05d", rand.Intn(count/10))
				typed := time.Now()
				s.key(bench.before + word)
				await(b, out, word)
				echoes = append(echoes, time.Since(typed))
				pressed := time.Now()
				s.key("\t") // ten files begin so
				_, latest := await(b, out, word+bench.behind, "reading…")
				answer = time.Since(pressed)
				if !bytes.Contains(latest, []byte(word+bench.behind)) {
					await(b, out, word+bench.behind)
				}
				took = time.Since(pressed)
				s.key("\x15")
				await(b, out, "> \x1b")
				return answer, took
			}
			answer, first := complete()
			for b.Loop() {
				_, took := complete()
				times = append(times, took)
			}
			slices.Sort(times)
			slices.Sort(echoes)
			ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
			b.ReportMetric(ms(answer), "ms-first-answer")
			b.ReportMetric(ms(first), "ms-first")
			b.ReportMetric(ms(echoes[(len(echoes)-1)*99/100]), "ms-echo-p99") // as much has a machine that is busy for itself
			b.ReportMetric(ms(times[len(times)/2]), "ms-p50")
			b.ReportMetric(ms(times[(len(times)-1)*99/100]), "ms-p99")
		})
	}
}
