// Command kill ends runs of fst at random moments in all ways, and looks what is left of
// each: maps in the kernel (which all programs, links and probes of a run hold), children, zombies, and
// changed settings of the kernel's tracer or of the terminal. It shows a table and fails if anything is.
//
// It ends only processes that it started, and counts only maps with a name of its own.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

// token is in the names of the maps of all runs.
const token = "killtest"

// scenario is a command line, with $MAP for a map, and how long it takes until nothing new happens in it.
type scenario struct {
	name   string
	script string
	args   []string
	child  bool // it has a command that can be killed
	prompt bool
	needs  string // a file that must be there
	within time.Duration
}

var scenarios = []scenario{
	{name: "compiling", script: strings.Repeat("interval:s:1 { @MAP[comm, pid, tid] = count(); printf(\"%s %d\\n\", comm, pid); }\n", 300), within: 300 * time.Millisecond},
	{name: "streaming", script: "tracepoint:raw_syscalls:sys_enter /pid == cpid/ { @MAP[args.id] = count(); printf(\"%d %s\\n\", args.id, comm); }", child: true, within: time.Second},
	{name: "attaching many", script: "tracepoint:syscalls:sys_enter_* /pid == cpid/ { @MAP = count(); }", child: true, within: 2 * time.Second},
	{name: "attaching uprobes", script: "uprobe:/bin/sh:* /pid == cpid/ { @MAP = count(); }\nuprobe:libc:mem* /pid == cpid/ { @MAP = count(); }", child: true, within: time.Second},
	{name: "attaching kprobes", script: "kprobe:vfs_* /pid == cpid/ { @MAP = count(); }\nkretprobe:vfs_read,kprobe:tcp_* /pid == cpid/ { @MAP = count(); }\ncall:vfs_read /pid == cpid/ { @MAP2 = hist(took); }", child: true, needs: "/sys/kernel/tracing/kprobe_events", within: 3 * time.Second},
	{name: "draining", script: "tracepoint:raw_syscalls:sys_enter /pid == cpid/ { @MAP[args.id, nsecs / 1000] = count(); }\ninterval:ms:50 { print(@MAP); clear(@MAP); }", child: true, within: time.Second},
	{name: "at the end", script: "tracepoint:raw_syscalls:sys_enter /pid == cpid/ { @MAP[nsecs / 1000] = count(); }\ninterval:ms:200 { exit(); }\nend { for ($kv : @MAP) { @MAP2 = count(); } }", child: true, within: time.Second},
	{name: "reading slowly", script: "iter:task { @MAP[pid] = count(); printf(\"%s\\n\", comm); }\ninterval:s:9 { }", within: 500 * time.Millisecond},
	{name: "the prompt", prompt: true, within: time.Second},
	{name: "prompt's start", prompt: true, within: 60 * time.Millisecond},
	{name: "graph", args: []string{"graph", "vfs_read", "-c", "sh -c 'while :; do cat /proc/self/stat; done'"}, needs: "/sys/kernel/tracing/max_graph_depth", within: 2 * time.Second},
}

// ending is a way to end a run.
type ending struct {
	name string
	end  func(r *run)
}

func signal(s syscall.Signal) func(r *run) { return func(r *run) { r.cmd.Process.Signal(s) } }

var endings = []ending{
	{"SIGKILL", signal(unix.SIGKILL)},
	{"SIGTERM", signal(unix.SIGTERM)},
	{"SIGINT", signal(unix.SIGINT)},
	{"SIGHUP", signal(unix.SIGHUP)},
	{"closed output", func(r *run) { r.output.Close() }},
	{"killed command", (*run).killChildren}, // the last: not all runs have a command
}

// run is one run.
type run struct {
	cmd    *exec.Cmd
	output *os.File // where its output is read
	before *unix.Termios
}

func main() {
	fst := flag.String("fst", "bin/fst", "the program")
	n := flag.Int("n", 1000, "how many runs")
	only := flag.String("run", "", "regular expression of what is run")
	slow := flag.Float64("slow", 1, "how many times slower than most this machine is: the moments are as much later")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "of the moments")
	flag.Parse()
	failed, err := campaign(*fst, *n, *seed, *only, *slow)
	if err != nil {
		fmt.Fprintln(os.Stderr, "kill:", err)
		os.Exit(2)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// campaign makes n runs and shows the table.
func campaign(program string, n int, seed uint64, only string, slow float64) (failed int, err error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	scenarios := slices.DeleteFunc(slices.Clone(scenarios), func(s scenario) bool {
		_, err := os.Stat(s.needs)
		return !pattern.MatchString(s.name) || s.needs != "" && err != nil
	})
	if len(scenarios) == 0 {
		return 0, fmt.Errorf("nothing matches %q", only)
	}
	if os.Geteuid() != 0 {
		return 0, errors.New("tracing needs root")
	}
	if program, err = filepath.Abs(program); err != nil {
		return 0, err
	}
	// What a run leaves behind becomes a child of this process.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	random := rand.New(rand.NewPCG(seed, 1))
	runs, bad := map[[2]string]int{}, map[[2]string]int{}
	tracer := tracerSettings()
	for i := range n {
		s := scenarios[i%len(scenarios)]
		applicable := endings
		if !s.child {
			applicable = endings[:len(endings)-1]
		}
		e := applicable[random.IntN(len(applicable))]
		delay := time.Duration(random.Float64() * slow * float64(s.within))
		left, err := s.play(program, e, delay)
		if err != nil {
			return failed, fmt.Errorf("%s: %w", s.name, err)
		}
		if now := tracerSettings(); now != tracer {
			left = append(left, "tracer settings "+now+", before "+tracer)
		}
		key := [2]string{s.name, e.name}
		runs[key]++
		if len(left) > 0 {
			failed++
			bad[key]++
			fmt.Printf("FAILED: %s, %s after %v: left are %s\n", s.name, e.name, delay, strings.Join(left, ", "))
		}
	}
	fmt.Printf("%-18s", "RUNS (FAILED)")
	for _, e := range endings {
		fmt.Printf(" %14s", e.name)
	}
	fmt.Println()
	for _, s := range scenarios {
		fmt.Printf("%-18s", s.name)
		for _, e := range endings {
			key := [2]string{s.name, e.name}
			cell := "-"
			if runs[key] > 0 {
				cell = fmt.Sprintf("%d (%d)", runs[key], bad[key])
			}
			fmt.Printf(" %14s", cell)
		}
		fmt.Println()
	}
	fmt.Printf("%d runs, %d failed; -seed %d\n", n, failed, seed)
	return failed, nil
}

// patience is how long a run may take to end, and the kernel to free what it had. To switch function_graph on or off, the
// kernel patches each of its functions: in an emulated guest that takes up to ten seconds each time, and no signal interrupts it.
const patience = time.Minute

// play makes one run and returns what is left of it.
func (s *scenario) play(program string, e ending, delay time.Duration) (left []string, err error) {
	r := &run{}
	args := s.args
	if args == nil && !s.prompt {
		script := strings.ReplaceAll(s.script, "MAP", token)
		if args = []string{"-e", script}; s.child {
			args = append(args, "-c", "sh -c 'while :; do read x < /dev/null; done'")
		}
	}
	r.cmd = exec.Command(program, args...)
	var theirs *os.File
	if s.prompt {
		if r.output, theirs, err = openPTY(); err != nil {
			return nil, err
		}
		if r.before, err = unix.IoctlGetTermios(int(theirs.Fd()), unix.TCGETS); err != nil {
			return nil, err
		}
		r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = theirs, theirs, theirs
		r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		r.cmd.Env = append(os.Environ(), "HOME=/nonexistent", "TERM=xterm")
	} else {
		if r.output, theirs, err = os.Pipe(); err != nil {
			return nil, err
		}
		r.cmd.Stdout, r.cmd.Stderr = theirs, theirs
	}
	defer r.output.Close()
	defer theirs.Close()
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	if !s.prompt {
		theirs.Close()
	} else {
		fmt.Fprintf(r.output, "tracepoint:syscalls:sys_enter_setns { @%s = count(); }\r", token)
	}
	go io.Copy(io.Discard, r.output)
	time.Sleep(delay)
	e.end(r)
	ended := make(chan error, 1)
	go func() { ended <- r.cmd.Wait() }()
	// Some ends are none: the command may be not there yet, and who says nothing meets no closed output.
	again := time.AfterFunc(3*time.Second, func() { r.cmd.Process.Signal(unix.SIGTERM) })
	defer again.Stop()
	select {
	case <-ended:
	case <-time.After(patience):
		left = append(left, "the process")
		r.cmd.Process.Kill()
		<-ended
	}
	if s.prompt && e.name != "SIGKILL" && e.name != "closed output" {
		now, err := unix.IoctlGetTermios(int(theirs.Fd()), unix.TCGETS)
		if err == nil && (now.Lflag != r.before.Lflag || now.Iflag != r.before.Iflag || now.Oflag != r.before.Oflag) {
			left = append(left, "a raw terminal")
		}
	}
	return append(left, rest()...), nil
}

// rest is what runs left: maps and children that do not go away.
func rest() (left []string) {
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		left = nil
		for {
			pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
			if err != nil || pid <= 0 {
				break
			}
		}
		for _, pid := range children(os.Getpid()) {
			comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
			left = append(left, fmt.Sprintf("process %d (%s)", pid, strings.TrimSpace(string(comm))))
		}
		left = append(left, maps()...)
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(end) {
			for _, pid := range children(os.Getpid()) {
				unix.Kill(pid, unix.SIGKILL)
			}
			return left
		}
	}
}

// maps lists the maps of runs that are in the kernel.
func maps() (found []string) {
	for id := ebpf.MapID(0); ; {
		next, err := ebpf.MapGetNextID(id)
		if err != nil {
			return found
		}
		id = next
		m, err := ebpf.NewMapFromID(id)
		if err != nil {
			continue // gone meanwhile
		}
		if info, err := m.Info(); err == nil && strings.Contains(info.Name, token) {
			found = append(found, "map "+info.Name)
		}
		m.Close()
	}
}

// children lists the children of a process.
func children(pid int) (found []int) {
	names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, name := range names {
		text, _ := os.ReadFile(name)
		for word := range strings.FieldsSeq(string(text)) {
			var child int
			if _, err := fmt.Sscan(word, &child); err == nil {
				found = append(found, child)
			}
		}
	}
	return found
}

// killChildren ends the commands of a run.
func (r *run) killChildren() {
	for _, pid := range children(r.cmd.Process.Pid) {
		unix.Kill(pid, unix.SIGKILL)
	}
}

// tracerSettings is what fst graph changes.
func tracerSettings() string {
	var b strings.Builder
	for _, name := range []string{"current_tracer", "set_graph_function", "set_ftrace_pid", "tracing_on", "max_graph_depth"} {
		text, _ := os.ReadFile("/sys/kernel/tracing/" + name)
		fmt.Fprintf(&b, "%s=%q ", name, text)
	}
	instances, _ := os.ReadDir("/sys/kernel/tracing/instances")
	fmt.Fprintf(&b, "instances=%d", len(instances))
	return b.String()
}

// openPTY makes a terminal: what is written to ours is typed on theirs.
func openPTY() (ours, theirs *os.File, err error) {
	if ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err == nil { // without a size no line is edited, and the mode stays as it is
		err = unix.IoctlSetWinsize(int(theirs.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	}
	if err != nil {
		ours.Close()
	}
	return ours, theirs, err
}
