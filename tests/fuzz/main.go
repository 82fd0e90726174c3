// Command fuzz makes random programs and asks several judges about each:
//
//   - what the checker accepts must compile for this kernel and for the
//     recorded ones, and this kernel's verifier must take it;
//   - what it prints must be the same by the IR's interpreter, before and after
//     the optimiser, and in the kernel;
//   - and the same as by bpftrace, if there is one (FST_REFERENCE names it, or
//     it is in PATH), as far as the two languages agree.
//
// Besides it mutates scripts that are there (tests/conformance, scripts, and the
// directories of -corpus): they must never make a pass panic or hang.
//
//	go run ./tests/fuzz -for 10m
//	go run ./tests/fuzz -seed 17 -programs 1 -v
//
// A failure is made smaller before it is shown; its seed gives it again.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"sort"
	"strings"
	"syscall"
	"time"

	"fst/compiler/target"
	"fst/compiler/target/fixture"
	"fst/runtime/kernel"
)

// fuzzer is what all runs share.
type fuzzer struct {
	live      target.Target
	recorded  []target.Target
	root      bool
	reference *reference
	shrink    time.Duration
	counts    map[string]int
	seen      map[string]bool // failures that were shown, by kind and class
	unjudged  map[string]int
}

func newFuzzer() (*fuzzer, error) {
	f := &fuzzer{live: kernel.Open(kernel.Options{}), root: os.Geteuid() == 0, counts: map[string]int{},
		seen: map[string]bool{}, unjudged: map[string]int{}}
	for _, name := range fixture.Names {
		k, err := fixture.Load(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // in a guest, where the sources are not
		}
		if err != nil {
			return nil, err
		}
		f.recorded = append(f.recorded, k)
	}
	return f, nil
}

func main() {
	seed := flag.Int64("seed", time.Now().UnixNano()%1e9, "the first seed")
	programs := flag.Int("programs", 0, "how many programs (0: until the time is over)")
	long := flag.Duration("for", time.Minute, "how long")
	old := flag.Bool("old", false, "make programs that run on Linux 5.10")
	mutants := flag.Bool("mutants", true, "mutate scripts too")
	generated := flag.Bool("generated", true, "make programs")
	noReference := flag.Bool("no-reference", false, "do not ask bpftrace")
	shrink := flag.Duration("shrink", time.Minute, "how long a failure is made smaller")
	corpus := flag.String("corpus", os.Getenv("FST_SCRIPTS"), "more scripts to mutate: directories, with ':' between")
	verbose := flag.Bool("v", false, "show the programs")
	flag.Parse()
	f, err := newFuzzer()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(2)
	}
	f.shrink = *shrink
	dir, err := os.MkdirTemp("", "fst-fuzz-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(2)
	}
	defer os.RemoveAll(dir)
	if !*noReference {
		f.reference = findReference(dir)
	}
	var seeds []string
	if *mutants {
		if seeds, err = readScripts(*corpus); err != nil {
			fmt.Fprintln(os.Stderr, "fuzz:", err)
			os.Exit(2)
		}
	}
	fmt.Printf("from seed %d; reference: %t\n", *seed, f.reference != nil)
	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	deadline := time.Now().Add(*long)
	for i := 0; time.Now().Before(deadline) && interrupted.Err() == nil && (*programs == 0 || i < *programs); i++ {
		s := *seed + int64(i)
		if *generated {
			text := generate(s, *old)
			if *verbose {
				fmt.Println(text)
			}
			f.counts["programs"]++
			f.report(s, text, f.program(s, text), func(t string) *failure { return f.program(s, t) })
		}
		if *mutants && len(f.recorded) > 0 {
			for n := range int64(20) {
				text := mutate(seeds, s*20+n)
				f.counts["mutants"]++
				t := f.recorded[int(n)%len(f.recorded)]
				f.report(s, text, f.mutant(t, text), func(x string) *failure { return f.mutant(t, x) })
			}
		}
	}
	f.summary(time.Since(deadline.Add(-*long)))
}

// program judges a generated program.
func (f *fuzzer) program(seed int64, text string) *failure {
	if found := f.judge(text, isCommon(seed), isJSON(seed)); found != nil {
		return found
	}
	if len(f.recorded) == 0 {
		return nil
	}
	// One of the recorded kernels; refusing is allowed to the old ones.
	t := f.recorded[int(seed)%len(f.recorded)]
	if _, found := compile(t, text, false); found != nil && found.kind != "refused" {
		found.detail = "for " + t.Release() + ": " + found.detail
		return found
	}
	return nil
}

// report shows a failure, made smaller, once for each cause.
func (f *fuzzer) report(seed int64, text string, found *failure, again func(string) *failure) {
	if found == nil {
		f.counts["agreed"]++
		return
	}
	f.counts[found.kind]++
	if found.kind == "unjudged" {
		if f.unjudged[found.class]++; f.unjudged[found.class] > 1 {
			return
		}
	}
	if f.seen[found.kind+found.class] && found.class != "" || f.counts["shown "+found.kind] > 40 {
		return
	}
	f.seen[found.kind+found.class] = true
	f.counts["shown "+found.kind]++
	fmt.Printf("=== seed %d: %s\n", seed, found.Error())
	if found.kind == "refused" || found.kind == "unjudged" {
		// Less of a program that is refused is refused for less.
		fmt.Printf("--- program\n%s\n", lineOf(text, found.detail))
		return
	}
	if found.kind == "hang" { // each try would take as long, and would go on behind
		fmt.Println(text)
		return
	}
	small := reduce(text, func(t string) bool { return again(t).is(found) }, f.shrink)
	if now := again(small); now.is(found) {
		found = now
	}
	fmt.Printf("--- program\n%s--- %s\n\n", small, found.Error())
}

// lineOf is the line of a program that a message "line:col: ..." is about.
func lineOf(text, message string) string {
	n := 0
	if _, err := fmt.Sscanf(message, "%d:", &n); err != nil {
		return text
	}
	if lines := strings.Split(text, "\n"); n >= 1 && n <= len(lines) {
		return lines[n-1] + "\n"
	}
	return text
}

func (f *fuzzer) summary(ran time.Duration) {
	fmt.Printf("after %v:\n", ran.Round(time.Second))
	var kinds []string
	for k := range f.counts {
		kinds = append(kinds, k)
	}
	sort.Strings(kinds)
	for _, k := range kinds {
		fmt.Printf("%s: %d\n", k, f.counts[k])
	}
	for c, n := range f.unjudged {
		fmt.Printf("bpftrace refuses %d: %s\n", n, c)
	}
}
