package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fst"
	"fst/scripts"
)

// notify is the variable of the environment, and the line that is printed
// once everything is attached if it is set: test harnesses wait for it.
const notify = "__BPFTRACE_NOTIFY_PROBES_ATTACHED"

// run compiles the program, attaches it and shows what it says until it ends.
func (a *app) run() int {
	inv := a.inv
	name, text, err := a.text()
	if err != nil {
		return a.fail(err)
	}
	if inv.scriptHelp {
		return a.scriptHelp(name, text)
	}
	if inv.hasChild && inv.pid != 0 {
		return a.fail(errors.New("-c and -p do not go together"))
	}
	if inv.pid != 0 && errors.Is(syscall.Kill(inv.pid, 0), syscall.ESRCH) {
		return a.fail(fmt.Errorf("there is no process %d", inv.pid))
	}
	if err := a.missingRights(); err != nil {
		return a.fail(err)
	}

	ctx, stop := a.endOnSignals()
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	opts := a.compileOptions(name)
	if inv.hasChild {
		opts.Child, err = fst.NewChild(inv.child)
		if err != nil {
			return a.fail(err)
		}
		defer opts.Child.Close()
	}
	done := a.compiling()
	prog, err := fst.Compile(text, opts)
	done()
	if err != nil {
		code := a.fail(err)
		a.instead()
		return code
	}
	a.warn(prog)

	out, closeOutput, err := a.output()
	if err != nil {
		return a.fail(err)
	}
	defer closeOutput()
	session, err := prog.Start(ctx, fst.RunOptions{
		Stdout: out, Stderr: a.stderr, Format: inv.format, LineBuffered: inv.buffering == "none",
		Quiet: inv.quiet, NoWarnings: inv.noWarnings, Verbose: inv.verbose, DryRun: inv.dryRun, MaxOverhead: inv.maxOverhead,
		NoExitLines: inv.ownsWords, Width: widthOf(out),
		OnAttached: func() {
			// The time that was asked for is that of tracing.
			if inv.duration > 0 {
				time.AfterFunc(time.Duration(inv.duration*float64(time.Second)), cancel)
			}
			a.attached(out)
		},
	})
	if err == nil {
		var code int
		code, err = session.Wait()
		a.tellSystemd("STOPPING=1")
		session.Close()
		if err == nil {
			return code
		}
	}
	return a.failRun(err)
}

// endOnSignals returns a context that SIGINT and SIGTERM end, so that what runs
// ends gracefully; a second one has no effect.
func (a *app) endOnSignals() (ctx context.Context, stop context.CancelFunc) {
	// The Go runtime would show the stacks of fst's own goroutines.
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT)
	go func() {
		<-quit
		os.Exit(128 + int(syscall.SIGQUIT))
	}()
	return signal.NotifyContext(a.ctx, syscall.SIGINT, syscall.SIGTERM)
}

// output is where the output goes: stdout, or the file of -o.
func (a *app) output() (out io.Writer, closeOutput func() error, err error) {
	if a.inv.output == "" {
		return a.stdout, func() error { return nil }, nil
	}
	f, err := os.Create(a.inv.output)
	if err != nil {
		return nil, nil, err
	}
	return f, f.Close, nil
}

// attached tells a test harness that the probes are in place.
func (a *app) attached(out io.Writer) {
	a.tellSystemd("READY=1")
	if a.env[notify] != "" {
		fmt.Fprintln(a.stdout, notify)
	}
}

// failRun reports an error of loading, attaching or running.
func (a *app) failRun(err error) int {
	a.fail(err)
	var load *fst.LoadError
	if errors.As(err, &load) && load.Log != "" && a.inv.verbose {
		fmt.Fprintf(a.stderr, "The kernel's verifier said:\n%s\n", load.Log)
	}
	if errors.Is(err, fst.ErrPermission) {
		return exitUsage
	}
	a.instead()
	return exitAttach
}

// warn shows what the compiler found doubtful.
func (a *app) warn(prog *fst.Program) {
	if w := prog.Warnings(); w != nil && !a.inv.noWarnings {
		w.Render(a.stderr, a.color())
	}
}

// scriptHelp prints the options of a script. Tools and scripts with a header
// show it; for others the compiler knows what getopt() reads.
func (a *app) scriptHelp(name, text string) int {
	if h, ok := scripts.ParseHeader(text); ok {
		if h.Name == "" {
			h.Name = name
		}
		fmt.Fprint(a.stdout, h.Help(toolOptions))
		return exitOK
	}
	options, err := fst.ScriptOptions(text, a.compileOptions(name))
	if err != nil {
		return a.fail(err)
	}
	if len(options) == 0 {
		return a.fail(fmt.Errorf("%s has no options", name))
	}
	fmt.Fprintf(a.stderr, "Options of %s, behind --:\n", name)
	for _, o := range options {
		fmt.Fprintf(a.stderr, "  --%-20s %s\n", o.Name+"="+o.Default, o.Help)
	}
	return exitUsage // as bpftrace: nothing was traced
}

// Capabilities that tracing needs, by their bit.
const (
	capSysAdmin = 21
	capPerfmon  = 38
	capBPF      = 39
)

// missingRights says what this process lacks to trace, or nil. It asks the
// kernel only if the process is not root.
func (a *app) missingRights() error {
	if os.Geteuid() == 0 {
		return nil
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(status), "CapEff:")
	word, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	caps, err := strconv.ParseUint(word, 16, 64)
	if err != nil || caps&(1<<capSysAdmin) != 0 || caps&(1<<capBPF) != 0 && caps&(1<<capPerfmon) != 0 {
		return nil
	}
	return errors.New("tracing needs root, or the capabilities CAP_BPF and CAP_PERFMON: try sudo")
}
