// Command campaign gives fst inputs that try to take all time and memory, and files
// that others wrote and that are damaged, and shows a table of what became of them. It fails if
// one panics, hangs, or takes more than 5 seconds of a processor or 500 MB.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// What a run may take: CPU time, as other programs may share the machine.
const (
	mostTime   = 5 * time.Second
	mostMemory = 500 << 20
	// patience is when a run is taken to hang.
	patience = 60 * time.Second
)

func main() {
	fst := flag.String("fst", "bin/fst", "the program")
	match := flag.String("run", "", "only inputs whose names match")
	share := flag.Int("share", 1, "texts of 1/N of the longest length")
	flag.Parse()
	failed, err := campaign(*fst, *match, *share)
	if err != nil {
		fmt.Fprintln(os.Stderr, "campaign:", err)
		os.Exit(1)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// campaign runs all inputs and shows the table.
func campaign(program, match string, share int) (failed int, err error) {
	only, err := regexp.Compile(match)
	if err != nil {
		return 0, err
	}
	if program, err = filepath.Abs(program); err != nil {
		return 0, err
	}
	fmt.Printf("%-40s %8s %8s %5s  %s\n", "INPUT", "CPU s", "MB", "CODE", "ANSWER")
	count, longest, largest := 0, time.Duration(0), int64(0)
	for i := range texts {
		if !only.MatchString(texts[i].name) {
			continue
		}
		r, err := texts[i].run(program, share)
		if err != nil {
			return failed, fmt.Errorf("%s: %w", texts[i].name, err)
		}
		count++
		longest, largest = max(longest, r.cpu), max(largest, r.memory)
		if r.fault != "" {
			failed++
			r.answer = "FAILED: " + r.fault + ": " + r.answer
		}
		fmt.Printf("%-40s %8.2f %8d %5d  %.100s\n", texts[i].name, r.cpu.Seconds(), r.memory>>20, r.code, r.answer)
	}
	fmt.Printf("%d inputs, %d failed; the longest took %.1f s, the largest %d MB\n", count, failed, longest.Seconds(), largest>>20)
	return failed, nil
}

// result is what became of a run.
type result struct {
	cpu    time.Duration
	memory int64
	code   int
	answer string // its first line
	fault  string // empty if all is as it should be
}

func (in *input) run(program string, share int) (r result, err error) {
	dir, err := os.MkdirTemp("", "fst-hostile-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	text := in.text.fill(scriptSize / share)
	if in.header.piece != "" {
		text = "#include \"h.h\"\n" + ok
		err = os.WriteFile(filepath.Join(dir, "h.h"), []byte(in.header.fill(headerSize/share)), 0o600)
	}
	if text = strings.ReplaceAll(text, "FST", program); text != "" {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, "s.fst"), []byte(text), 0o600))
	}
	if in.prepare != nil {
		err = errors.Join(err, in.prepare(dir))
	}
	if err != nil {
		return r, err
	}
	args := "check s.fst"
	if in.args != "" {
		args = in.args
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, strings.Fields(args)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return r, err
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	r.cpu, r.memory, r.code = cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), usage.Maxrss<<10, cmd.ProcessState.ExitCode()
	first, _, _ := bytes.Cut(bytes.TrimSpace(out), []byte("\n"))
	r.answer = string(first)
	switch {
	case ctx.Err() != nil:
		r.fault = "it hangs"
	case bytes.Contains(out, []byte("goroutine ")) || r.code != 0 && r.code != 1:
		r.fault = "it panics"
	case r.cpu > mostTime:
		r.fault = "it takes too long"
	case r.memory > mostMemory:
		r.fault = "it takes too much memory"
	case len(out) > 64<<10:
		r.fault = fmt.Sprintf("it says %d bytes", len(out))
	case r.code != 0 && len(out) == 0:
		r.fault = "it does not say why"
	case !bytes.Contains(out, []byte(in.says)):
		r.fault = "it does not say " + in.says
	}
	return r, nil
}
