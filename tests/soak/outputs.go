package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// generate makes n calls of getpgid, of the processes 0 to n-1, so many a second, and
// writes the seconds that they took.
func generate(n, rate int, out io.Writer) {
	start := time.Now()
	for made := 0; made < n; time.Sleep(time.Millisecond) {
		for due := min(n, int(time.Since(start).Seconds()*float64(rate))); made < due; made++ {
			syscall.RawSyscall(syscall.SYS_GETPGID, uintptr(made), 0, 0)
		}
	}
	fmt.Fprintln(out, time.Since(start).Seconds())
}

// isGenerator reports whether this process was started by outputs, and does its work.
func isGenerator() bool {
	if len(os.Args) != 4 || os.Args[1] != "generate" {
		return false
	}
	n, err := strconv.Atoi(os.Args[2])
	rate, err2 := strconv.Atoi(os.Args[3])
	if err := errors.Join(err, err2); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	generate(n, rate, os.Stderr)
	return true
}

// formats are of the outputs that are read. A fourth one, of text, is opened by a reader that never reads.
var formats = []string{"json", "csv", "influx"}

var (
	lastNumber = regexp.MustCompile(`(\d+)\D*$`)
	stampless  = regexp.MustCompile(` \d+$`) // a line of influx ends with the time
	dropped    = regexp.MustCompile(`WARNING: (\d+) events were dropped from (\S+): it was too slow; what it got last is incomplete`)
)

// outputs writes events at a rate to four outputs, one of which nobody reads. It fails unless each
// of the others has all of them in order, and what the last one has not is told.
func outputs(out io.Writer, program string, events, rate int) error {
	dir, err := os.MkdirTemp("", "fst-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	stopped := filepath.Join(dir, "stopped")
	if err := syscall.Mkfifo(stopped, 0o600); err != nil {
		return err
	}
	reader, err := os.OpenFile(stopped, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer reader.Close()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"-q", "-c", fmt.Sprintf("%s generate %d %d", self, events, rate), "--also", "text=" + stopped,
		// The buffer has room for a second in which fst does not run.
		"-e", `config = { perf_rb_pages = 4096 } tracepoint:syscalls:sys_enter_getpgid /pid == cpid/ { row("PID %d", args.pid); }`}
	for i, f := range formats {
		path := filepath.Join(dir, f)
		if i == 0 {
			args = append(args, "-f", f, "-o", path)
			continue
		}
		args = append(args, "--also", f+"="+path)
	}
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, &said)
	}
	seconds, rest, _ := strings.Cut(said.String(), "\n")
	took, err := strconv.ParseFloat(seconds, 64)
	told := dropped.FindStringSubmatch(rest)
	if err != nil || told == nil || told[2] != stopped || strings.Count(rest, "\n") != 1 {
		return fmt.Errorf("it says %q", &said)
	}
	for _, f := range formats {
		if err := inOrder(filepath.Join(dir, f), events); err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
	}
	missed, _ := strconv.Atoi(told[1])
	got, err := held(reader)
	// What is written at a time is 64 KB: that many lines more were given to the output, in part.
	if err != nil || got+missed > events || got+missed < events-128<<10/len("0\n") {
		return fmt.Errorf("of %d events the stopped output has %d, and %d were told as dropped: %v", events, got, missed, err)
	}
	fmt.Fprintf(out, "%d outputs and one that is stopped: %d events each, %.0f a second; the stopped one has %d, told as dropped %d; fst took %.2f µs of CPU an event\n",
		len(formats), events, float64(events)/took, got, missed,
		1e6*(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Seconds()/float64(events))
	return nil
}

// inOrder fails unless the lines of a file that end with a number, but for a time, have those from 0 to n-1.
func inOrder(path string, n int) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	next := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if filepath.Base(path) == "influx" {
			line = stampless.ReplaceAllString(line, "")
		}
		number := lastNumber.FindStringSubmatch(line)
		switch {
		case number == nil || strings.Contains(line, "attached_probes"):
			continue
		case number[1] != strconv.Itoa(next):
			return fmt.Errorf("after %d events: %q", next, line)
		}
		next++
	}
	if next != n {
		return fmt.Errorf("%d events, not %d", next, n)
	}
	return nil
}

// held counts the whole lines of numbers that wait in a FIFO.
func held(f *os.File) (lines int, err error) {
	f.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	text, err := io.ReadAll(f)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	return max(0, bytes.Count(text, []byte("\n"))-1), err // but the heading
}
