package cli

import (
	"context"
	"errors"
	"fmt"
	"fst/runtime/child"
	"fst/scripts"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"
)

// notify is the variable of the environment, and the line that is printed
// once everything is attached if it is set: test harnesses wait for it.
const notify = "__BPFTRACE_NOTIFY_PROBES_ATTACHED"

// bounds are whom and how long the command line lets something trace: the
// command of -c, or the process of -p, until a signal or the end of -d's time.
type bounds struct {
	app     *app
	ctx     context.Context
	asked   context.Context // is done when a signal has come
	end     context.CancelFunc
	stop    context.CancelFunc // lets go of the signals
	signals <-chan struct{}    // gets word of each signal
	child   *child.Child       // nil without -c
}

var errTwoProcesses = errors.New("-c and -p do not go together")

// bounds checks -p, makes -c's process and begins to listen to signals.
func (a *app) bounds() (*bounds, error) {
	inv := a.inv
	if inv.hasChild && inv.pid != 0 {
		return nil, errTwoProcesses
	}
	if err := inv.checkProcess(); err != nil {
		return nil, err
	}
	b := &bounds{app: a}
	if inv.hasChild {
		c, err := child.New(inv.child)
		if err != nil {
			return nil, err
		}
		b.child = c
		if word := child.OfShell(inv.child); word != "" {
			fmt.Fprintf(a.stderr, "fst: -c runs a program without a shell: it gets %s as an argument; with a shell, write -c \"sh -c '...'\"\n", word)
		}
	}
	b.asked, b.signals, b.stop = endOnSignals(a.ctx)
	b.ctx, b.end = context.WithCancel(b.asked)
	return b, nil
}

// checkOnly is an error if --only has no process, or a tool that shows the whole system.
func (inv *invocation) checkOnly(h scripts.Header) error {
	switch {
	case !inv.only:
		return nil
	case !inv.hasChild && inv.pid == 0:
		return errors.New("--only needs a process: -c COMMAND or -p PID")
	case inv.tool != "" && !slices.Contains(h.Common, "task"):
		return fmt.Errorf("%s shows the whole system and cannot be limited to a process by --only", inv.tool)
	}
	return nil
}

// checkProcess is an error if the process of -p is not there.
func (inv *invocation) checkProcess() error {
	if inv.pid != 0 && errors.Is(syscall.Kill(inv.pid, 0), syscall.ESRCH) {
		return fmt.Errorf("there is no process %d", inv.pid)
	}
	return nil
}

// attached is called once everything is in place. The time that was asked for
// is that of tracing.
func (b *bounds) attached() {
	if d := b.app.inv.duration; d > 0 {
		time.AfterFunc(time.Duration(d*float64(time.Second)), b.end)
	}
	b.app.tellSystemd("READY=1")
	if _, ok := b.app.env[notify]; ok {
		fmt.Fprintln(b.app.stdout, notify)
	}
}

func (b *bounds) close() {
	b.end()
	b.stop()
	if b.child != nil {
		b.child.Stop()
	}
}

// endOnSignals returns a context that SIGINT and SIGTERM end, so that what runs
// ends gracefully, and a channel that gets word of each.
func endOnSignals(parent context.Context) (ctx context.Context, again <-chan struct{}, stop context.CancelFunc) {
	ctx, end := context.WithCancel(parent)
	// SIGQUIT: the Go runtime would show the stacks of fst's own goroutines.
	signals, more, over := make(chan os.Signal, 4), make(chan struct{}, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	go func() {
		for {
			select {
			case sig := <-signals:
				if sig == syscall.SIGQUIT {
					os.Exit(128 + int(syscall.SIGQUIT))
				}
				end()
				select {
				case more <- struct{}{}:
				default:
				}
			case <-over:
				return
			}
		}
	}()
	return ctx, more, sync.OnceFunc(func() {
		end()
		signal.Stop(signals)
		close(over)
	})
}
