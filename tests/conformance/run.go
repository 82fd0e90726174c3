package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// attachedLine is what fst prints on standard output once all probes are
// attached, if the environment variable of that name is set.
const attachedLine = "__BPFTRACE_NOTIFY_PROBES_ATTACHED"

// settle is how long after the workload the program may still catch up
// before it gets SIGINT.
const settle = 200 * time.Millisecond

// Status is what became of a case.
type Status string

const (
	Started Status = "start" // reported before a case runs
	Passed  Status = "pass"
	Failed  Status = "fail"
	Skipped Status = "skip"
	Again   Status = "again" // failed, and is judged by a second run after all others
)

// secondRuns is how many failed cases are run a second time. A busy machine can
// spoil a case that measures time or compares with counters read a moment later;
// what spoils more cases than this is no accident.
const secondRuns = 3

// Result is what became of a case, and why unless it passed.
type Result struct {
	Name    string   `json:"name"`
	Status  Status   `json:"status"`
	Seconds float64  `json:"seconds"`
	Reason  string   `json:"reason,omitempty"`
	Earlier []string `json:"earlier,omitempty"` // why each run before the last one failed
	Printed string   `json:"printed,omitempty"` // by fst in the last run, if there were earlier ones
}

// Runner runs cases.
type Runner struct {
	FST     string // path of the program under test
	Machine *Machine
	Timeout time.Duration // of a case that names none
	Slow    int           // multiplies all time limits; at least 1
	Jobs    int           // cases at a time; at least 1
	Built   string        // directory of BuildAll, or empty: cases build their programs here
	Report  func(Result)  // called for every start and end, one at a time
}

// RunAll runs the cases: side by side those that may, then the others one by
// one, then those that failed once more (up to secondRuns).
func (r *Runner) RunAll(ctx context.Context, cases []*Case) {
	var mu sync.Mutex
	var failed []Result
	one := func(c *Case) {
		mu.Lock()
		r.Report(Result{Name: c.Name, Status: Started})
		mu.Unlock()
		result := r.Run(ctx, c)
		mu.Lock()
		if result.Status == Failed {
			failed = append(failed, result)
			result.Status = Again
		}
		r.Report(result)
		mu.Unlock()
	}
	queue := make(chan *Case)
	var workers sync.WaitGroup
	for range max(1, r.Jobs) {
		workers.Go(func() {
			for c := range queue {
				one(c)
			}
		})
	}
	for _, c := range cases {
		if !c.Serial {
			queue <- c
		}
	}
	close(queue)
	workers.Wait()
	for _, c := range cases {
		if c.Serial {
			one(c)
		}
	}
	again := len(failed) <= secondRuns && ctx.Err() == nil
	for _, first := range failed {
		if again {
			r.Report(Result{Name: first.Name, Status: Started})
			i := slices.IndexFunc(cases, func(c *Case) bool { return c.Name == first.Name })
			second := r.Run(ctx, cases[i])
			second.Earlier = slices.Concat(first.Earlier, []string{first.Reason}, second.Earlier)
			r.Report(second)
			continue
		}
		r.Report(first)
	}
}

// Run runs one case. Everything that it starts has ended when it returns.
func (r *Runner) Run(ctx context.Context, c *Case) Result {
	began := time.Now()
	result := Result{Name: c.Name, Status: Passed}
	needs := c.Needs
	if r.isBuilt(c) {
		needs = slices.DeleteFunc(slices.Clone(needs), func(need string) bool { return buildNeeds[need] })
	}
	if reason, fatal := r.Machine.Missing(needs); reason != "" {
		result.Status, result.Reason = Skipped, reason
		if fatal {
			result.Status = Failed
		}
		return result
	}
	timeout := r.Timeout
	if c.Timeout != 0 {
		timeout = c.Timeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout*time.Duration(max(1, r.Slow)))
	defer cancel()
	printed, err := r.run(ctx, c)
	for again := 0; err != nil && strings.Contains(err.Error(), toldLoss) && again < 3 && ctx.Err() == nil; again++ {
		result.Earlier = append(result.Earlier, err.Error())
		printed, err = r.run(ctx, c)
	}
	result.Printed = printed
	if err != nil {
		result.Status, result.Reason = Failed, err.Error()
		if version := r.Machine.refusal(result.Reason); version != "" {
			result.Status, result.Reason = Skipped, "fst refuses it here: it needs Linux "+version
		}
		if reason := r.Machine.open(c); reason != "" {
			result.Status, result.Reason = Skipped, "known to fail: "+reason
		}
	}
	result.Seconds = time.Since(began).Seconds()
	return result
}

// toldLoss is how fst says that the kernel left out events, because a thread was
// preempted within the same program (tracepoints and trampolines of newer
// kernels): a case is then run again, for its numbers can't be exact.
const toldLoss = "skipped: probes interrupted each other"

// errTimeout is the reason of a case whose time is over.
var errTimeout = errors.New("time limit")

// run runs a case once and returns what fst printed.
func (r *Runner) run(ctx context.Context, c *Case) (printed string, err error) {
	dir, err := os.MkdirTemp("", "fst-case-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	e := &execution{Case: c, fst: r.FST, dir: dir, vars: map[string]string{"DIR": dir, "FST": r.FST}}
	if r.Machine.Workload != "" {
		e.vars["WORKLOAD"] = r.Machine.Workload
	}
	if device := os.Getenv("FST_SCRATCH_DEV"); device != "" {
		e.vars["SCRATCH"] = device
		e.vars["DISK"] = filepath.Base(device)
	}
	if err := e.writeFiles(); err != nil {
		return e.streams(), err
	}
	if r.isBuilt(c) {
		err = e.script(ctx, "copy of what was built", "cp -a "+filepath.Join(r.Built, c.Name)+"/. .")
	} else if c.Build != "" {
		err = e.script(ctx, "build", c.Build)
	}
	if err != nil {
		return e.streams(), err
	}
	if c.Cleanup != "" {
		defer func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
			defer cancel()
			err = errors.Join(err, e.script(ctx, "cleanup", c.Cleanup))
		}()
	}
	if c.Setup != "" {
		if err := e.script(ctx, "setup", c.Setup); err != nil {
			return e.streams(), err
		}
	}
	if err := e.trace(ctx); err != nil {
		return e.streams(), err
	}
	if err := e.judge(); err != nil {
		return e.streams(), err
	}
	if c.Check != "" {
		if err := e.script(ctx, "check", c.Check); err != nil {
			return e.streams(), err
		}
	}
	return e.streams(), e.expect()
}

// execution is a case being run.
type execution struct {
	*Case
	fst, dir string
	vars     map[string]string // for expand and for the scripts' environment

	stdout, stderr string
	status         int
}

func (e *execution) writeFiles() error {
	for name, text := range e.Files {
		path := filepath.Join(e.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(e.expand(text)), 0o755); err != nil {
			return err
		}
	}
	return nil
}

var variable = regexp.MustCompile(`\$(PID|DIR|FST|SCRATCH|DISK|WORKLOAD)\b`)

// expand replaces the runner's variables. Scripts have them in their
// environment; programs and arguments need this.
func (e *execution) expand(text string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		if value, ok := e.vars[name[1:]]; ok {
			return value
		}
		return name
	})
}

func (e *execution) environment() []string {
	env := os.Environ()
	for name, value := range e.vars {
		env = append(env, name+"="+value)
	}
	return env
}

// group prepares a command that can be killed with all its children.
func (e *execution) group(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = e.dir, e.environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// wait waits for a started command; when ctx is done first, it kills the
// command's process group.
func wait(ctx context.Context, cmd *exec.Cmd) error {
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-done
		return errTimeout
	}
}

// script runs a section of shell commands and stops at the first that fails.
func (e *execution) script(ctx context.Context, what, text string) error {
	cmd := e.group("/bin/sh", "-ec", text)
	// A file and not a pipe: what a script leaves behind must not hold us.
	out, err := os.CreateTemp(e.dir, what)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := wait(ctx, cmd); err != nil {
		said, _ := os.ReadFile(out.Name())
		return fmt.Errorf("%s: %w\n%s%s", what, err, said, e.streams())
	}
	return nil
}

// trace starts fst, the workload when fst is ready, and waits for both.
func (e *execution) trace(ctx context.Context) error {
	var shell *exec.Cmd
	var start io.WriteCloser
	if e.Workload != "" || strings.Contains(e.Prog+strings.Join(e.Args, " "), "$PID") {
		// The workload's shell exists before fst does, so that programs
		// can name its pid; it waits for a line on its input.
		var err error
		shell = e.group("/bin/sh", "-c", "read _ || exit 0\nexec </dev/null\nexport PID=$$\n"+e.Workload)
		if start, err = shell.StdinPipe(); err != nil {
			return err
		}
		out, err := os.Create(filepath.Join(e.dir, "workload.out"))
		if err != nil {
			return err
		}
		defer out.Close()
		shell.Stdout, shell.Stderr = out, out
		if err := shell.Start(); err != nil {
			return err
		}
		e.vars["PID"] = strconv.Itoa(shell.Process.Pid)
		defer func() {
			start.Close()
			syscall.Kill(-shell.Process.Pid, syscall.SIGKILL)
			if shell.ProcessState == nil {
				shell.Wait()
			}
		}()
	}

	var args []string
	if e.HasProg {
		args = append(args, "-e", e.expand(e.Prog))
	}
	for _, a := range e.Args {
		args = append(args, e.expand(a))
	}
	cmd := e.group(e.fst, args...)
	cmd.Env = append(cmd.Env, attachedLine+"=1", "LC_ALL=C", "TZ=UTC")
	for _, v := range e.Env {
		cmd.Env = append(cmd.Env, e.expand(v))
	}
	cmd.Stdin = strings.NewReader(e.Stdin)
	out := &watcher{attached: make(chan struct{})}
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = out, &errs
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- wait(ctx, cmd) }()
	pid := strconv.Itoa(cmd.Process.Pid) + "\n"
	if err := os.WriteFile(filepath.Join(e.dir, "fst.pid"), []byte(pid), 0o644); err != nil {
		return err
	}

	err, over := error(nil), false
	if shell != nil {
		select {
		case err = <-ended:
			over = true
		case <-out.attached:
			io.WriteString(start, "\n")
			if werr := wait(ctx, shell); werr != nil {
				said, _ := os.ReadFile(filepath.Join(e.dir, "workload.out"))
				syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
				<-ended
				e.stdout, e.stderr = out.String(), errs.String()
				return fmt.Errorf("workload: %w\n%s%s", werr, said, e.streams())
			}
			if !e.EndSelf {
				select {
				case err = <-ended:
					over = true
				case <-time.After(settle):
					cmd.Process.Signal(os.Interrupt)
				}
			}
		}
	}
	if !over {
		err = <-ended
	}
	e.stdout, e.stderr = out.String(), errs.String()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, errTimeout):
		return fmt.Errorf("fst: %w%s", err, e.streams())
	case errors.As(err, &exit):
		ws := exit.Sys().(syscall.WaitStatus)
		if e.status = ws.ExitStatus(); ws.Signaled() {
			e.status = 128 + int(ws.Signal())
		}
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return err
	}
	// For the check script.
	for name, text := range map[string]string{"OUT": e.stdout, "ERR": e.stderr} {
		path := filepath.Join(e.dir, "fst."+strings.ToLower(name))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
		e.vars[name] = path
	}
	e.vars["STATUS"] = strconv.Itoa(e.status)
	return nil
}

// judge compares what fst did with what the case expects.
func (e *execution) judge() error {
	if strings.Contains(e.stderr, "panic: ") && strings.Contains(e.stderr, "goroutine ") {
		return fmt.Errorf("fst panicked%s", e.streams())
	}
	if e.status != e.Exit {
		return fmt.Errorf("exit status %d, expected %d%s", e.status, e.Exit, e.streams())
	}
	if e.HasStdout {
		if difference := matchOutput(e.Stdout, e.stdout); difference != "" {
			return fmt.Errorf("%s\nstderr:\n%s", difference, strings.TrimRight(e.stderr, "\n"))
		}
	}
	if problem := e.judgePage(e.stdout, e.stderr); problem != "" {
		return fmt.Errorf("%s%s", problem, e.streams())
	}
	for _, p := range e.Stderr {
		if p.MatchString(e.stderr) == p.Absent {
			problem := "does not match"
			if p.Absent {
				problem = "must not match"
			}
			return fmt.Errorf("stderr %s %s%s", problem, p, e.streams())
		}
	}
	return nil
}

// streams shows fst's output below an error.
func (e *execution) streams() string {
	var b strings.Builder
	for _, s := range []struct{ name, text string }{{"stdout", e.stdout}, {"stderr", e.stderr}} {
		if text := strings.TrimRight(s.text, "\n"); text != "" {
			fmt.Fprintf(&b, "\n%s:\n%.4000s", s.name, text)
		}
	}
	return b.String()
}

// watcher collects an output and notices the attached line in it, which it
// leaves out.
type watcher struct {
	mu       sync.Mutex
	text     []byte
	found    bool
	attached chan struct{}
}

func (w *watcher) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	if !w.found {
		if before, after, ok := bytes.Cut(w.text, []byte(attachedLine+"\n")); ok {
			w.text = append(bytes.Clone(before), after...)
			w.found = true
			close(w.attached)
		}
	}
	return len(p), nil
}

func (w *watcher) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text)
}
