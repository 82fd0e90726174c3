package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"fst"
)

// notify is the variable of the environment, and the line that is printed
// once everything is attached if it is set: test harnesses wait for it.
const notify = "__BPFTRACE_NOTIFY_PROBES_ATTACHED"

// bounds are whom and how long the command line lets something trace: the
// command of -c, or the process of -p, until a signal or the end of -d's time.
type bounds struct {
	app   *app
	ctx   context.Context
	end   context.CancelFunc
	stop  context.CancelFunc // lets go of the signals
	child *fst.Child         // nil without -c
}

// bounds checks -p, makes -c's process and begins to listen to signals.
func (a *app) bounds() (*bounds, error) {
	inv := a.inv
	if inv.hasChild && inv.pid != 0 {
		return nil, errors.New("-c and -p do not go together")
	}
	if err := inv.checkProcess(); err != nil {
		return nil, err
	}
	b := &bounds{app: a}
	if inv.hasChild {
		child, err := fst.NewChild(inv.child)
		if err != nil {
			return nil, err
		}
		b.child = child
	}
	b.ctx, b.stop = endOnSignals(a.ctx)
	b.ctx, b.end = context.WithCancel(b.ctx)
	return b, nil
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
		b.child.Close()
	}
}

// endOnSignals returns a context that SIGINT and SIGTERM end, so that what runs
// ends gracefully; a second one has no effect.
func endOnSignals(parent context.Context) (ctx context.Context, stop context.CancelFunc) {
	// The Go runtime would show the stacks of fst's own goroutines.
	quit, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(quit, syscall.SIGQUIT)
	go func() {
		select {
		case <-quit:
			os.Exit(128 + int(syscall.SIGQUIT))
		case <-over:
		}
	}()
	ctx, letGo := signal.NotifyContext(parent, syscall.SIGINT, syscall.SIGTERM)
	return ctx, sync.OnceFunc(func() {
		letGo()
		signal.Stop(quit)
		close(over)
	})
}
