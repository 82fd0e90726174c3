// Command soak runs fst for a long time at full rate, many instances at once and readers of all
// manners among them, and shows for each what it held in memory and in descriptors early and late.
// It fails if either grows, if one ends by itself, or does not end when it is told to. After that
// it writes 200,000 events a second to four outputs, one of which nobody reads.
//
// It traces only the commands that it has started.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// scenario is a script with -c LOAD, and how its output is read.
type scenario struct {
	name, script, load string
	args               []string
	instances          int
	read               func(r io.Reader, stopped func() bool) // nil: as fast as it comes
}

// The loads: system calls as fast as one CPU makes them, and processes that come and go.
const (
	calls     = "dd if=/dev/zero of=/dev/null bs=1"
	processes = "sh -c 'while :; do /bin/true; done'"
)

var scenarios = []scenario{
	{name: "each event, as text", load: calls, script: `tracepoint:syscalls:sys_enter_write /pid == cpid/ { printf("%s %d\n", comm, args.count); }`},
	{name: "each event, as JSON", load: calls, args: []string{"-f", "json"}, script: `tracepoint:syscalls:sys_enter_write /pid == cpid/ { printf("%s %d\n", comm, args.count); }`},
	{name: "a reader that sleeps", load: calls, script: `tracepoint:syscalls:sys_enter_write /pid == cpid/ { printf("%d\n", args.count); }`, read: slowly},
	{name: "a reader that never reads", load: calls, script: `tracepoint:syscalls:sys_enter_write /pid == cpid/ { printf("%d\n", args.count); }`, read: never},
	{name: "maps that are emptied", load: calls, script: `tracepoint:syscalls:sys_enter_write /pid == cpid/ { @[nsecs / 1000 % 5000] = count(); } interval:ms:200 { print(@, 3); clear(@); }`},
	{name: "a map that is full", load: calls, script: `config = { max_map_keys = 1000 } tracepoint:syscalls:sys_enter_write /pid == cpid/ { @[nsecs] = hist(nsecs); } interval:s:1 { print(@, 1); }`},
	{name: "processes, their stacks", load: processes, script: `tracepoint:sched:sched_process_exec /ppid == cpid/ { printf("%d %s %s\n", pid, comm, str(args.filename)); } tracepoint:syscalls:sys_enter_openat /comm == "true"/ { printf("%s\n", ustack(5)); }`},
	{name: "30 instances", load: "sleep 100000", instances: 30, script: `tracepoint:sched:sched_process_exec /pid == cpid/ { @ = count(); } interval:s:1 { print(@); } tracepoint:syscalls:sys_enter_nanosleep /pid == cpid/ { @n[comm] = count(); }`},
}

// slowly reads a line a second.
func slowly(r io.Reader, stopped func() bool) {
	lines := bufio.NewReaderSize(r, 16)
	for !stopped() {
		if _, err := lines.ReadString('\n'); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
	io.Copy(io.Discard, r)
}

// never reads nothing until the end.
func never(r io.Reader, stopped func() bool) {
	for !stopped() {
		time.Sleep(100 * time.Millisecond)
	}
	io.Copy(io.Discard, r)
}

// instance is a running fst.
type instance struct {
	*scenario
	cmd     *exec.Cmd
	errs    strings.Builder
	bytes   atomic.Int64
	ended   chan struct{} // closed when it has ended
	err     error         // how
	samples []sample
}

// sample is what an instance holds at a moment.
type sample struct{ kilobytes, descriptors int }

// most is the larger of both, of each.
func (s sample) most(other sample) sample {
	return sample{max(s.kilobytes, other.kilobytes), max(s.descriptors, other.descriptors)}
}

func main() {
	if isGenerator() {
		return
	}
	fst := flag.String("fst", "bin/fst", "the program")
	length := flag.Duration("for", 10*time.Minute, "how long")
	flag.Parse()
	failed, err := soak(os.Stdout, *fst, *length)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	if err := outputs(os.Stdout, *fst, 2_000_000, 200_000); err != nil {
		fmt.Fprintln(os.Stderr, "soak: several outputs:", err)
		failed++
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// soak runs all scenarios at once and shows the table.
func soak(out io.Writer, program string, length time.Duration) (failed int, err error) {
	if os.Geteuid() != 0 {
		return 0, errors.New("tracing needs root")
	}
	var over atomic.Bool
	var all []*instance
	defer func() {
		for _, i := range all {
			i.cmd.Process.Kill() // one that has ended is left alone
		}
	}()
	for n := range scenarios {
		for range max(1, scenarios[n].instances) {
			i := &instance{scenario: &scenarios[n], ended: make(chan struct{})}
			if err := i.start(program, over.Load); err != nil {
				return 0, err
			}
			all = append(all, i)
		}
	}
	for end := time.Now().Add(length); time.Now().Before(end); {
		time.Sleep(min(time.Second, length/20))
		for _, i := range all {
			if s, ok := i.look(); ok {
				i.samples = append(i.samples, s)
			}
		}
	}
	for _, i := range all {
		select {
		case <-i.ended:
			i.err = fmt.Errorf("ended by itself: %v", i.err)
		default:
		}
	}
	over.Store(true)
	for _, i := range all {
		i.cmd.Process.Signal(os.Interrupt)
	}
	fmt.Fprintf(out, "%-28s %9s %22s %22s  %s\n", "SCENARIO", "WRITTEN", "MB EARLY, LATE", "DESCRIPTORS", "RESULT")
	late := time.After(30 * time.Second)
	for i := 0; i < len(all); {
		var early, last sample
		written, result, first := int64(0), "ok", all[i]
		for ; i < len(all) && all[i].scenario == first.scenario; i++ {
			select {
			case <-all[i].ended:
			case <-late:
				all[i].err = errors.New("did not end within 30 s")
			}
			if r := all[i].judge(); r != "ok" {
				result = r
				failed++
			}
			early, last = early.most(all[i].quarter(1)), last.most(all[i].quarter(3))
			written += all[i].bytes.Load()
		}
		fmt.Fprintf(out, "%-28s %6d MB %10.1f %10.1f  %10d %10d  %s\n", first.name, written>>20,
			float64(early.kilobytes)/1024, float64(last.kilobytes)/1024, early.descriptors, last.descriptors, result)
	}
	return failed, nil
}

// start starts it and reads what it prints.
func (i *instance) start(program string, stopped func() bool) error {
	args := append([]string{"-q", "-c", i.load, "-e", i.script}, i.args...)
	i.cmd = exec.Command(program, args...)
	// fst and its command end with this process group only if they are told to.
	i.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	i.cmd.Stderr = &i.errs
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	i.cmd.Stdout = w
	if err := i.cmd.Start(); err != nil {
		return err
	}
	w.Close()
	read := i.read
	if read == nil {
		read = func(r io.Reader, _ func() bool) { io.Copy(io.Discard, r) }
	}
	go func() {
		defer r.Close()
		read(counting{r, &i.bytes}, stopped)
	}()
	go func() {
		if err := i.cmd.Wait(); err != nil {
			i.err = fmt.Errorf("%w: %s", err, &i.errs)
		}
		close(i.ended)
	}()
	return nil
}

type counting struct {
	io.Reader
	n *atomic.Int64
}

func (c counting) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// look takes a sample of what has not ended.
func (i *instance) look() (s sample, ok bool) {
	dir := "/proc/" + strconv.Itoa(i.cmd.Process.Pid)
	status, err := os.ReadFile(dir + "/status")
	if err != nil {
		return s, false
	}
	_, rest, ok := strings.Cut(string(status), "VmRSS:")
	if !ok {
		return s, false
	}
	s.kilobytes, _ = strconv.Atoi(strings.Fields(rest)[0])
	open, err := os.ReadDir(dir + "/fd")
	s.descriptors = len(open)
	return s, err == nil
}

// quarter is what was held in a quarter of the time, the first being 0: the most memory, and the fewest
// descriptors, because a file that is open for a moment (an executable whose symbols are read) is no leak.
func (i *instance) quarter(n int) (held sample) {
	for k, s := range i.samples[len(i.samples)*n/4 : len(i.samples)*(n+1)/4] {
		if k > 0 {
			s.descriptors = min(s.descriptors, held.descriptors)
		}
		held = sample{max(s.kilobytes, held.kilobytes), s.descriptors}
	}
	return held
}

// judge compares the second quarter with the last. The garbage collector lets a heap become
// twice as large as it was left, and moves when it does: 8 MB and a tenth are no growth.
func (i *instance) judge() string {
	early, last := i.quarter(1), i.quarter(3)
	switch {
	case i.err != nil:
		return i.err.Error()
	case len(i.samples) < 8:
		return "was not seen often enough"
	case last.kilobytes > early.kilobytes*11/10+8<<10:
		return "memory grows"
	case last.descriptors > early.descriptors:
		return "descriptors grow"
	}
	return "ok"
}
