package session

import (
	"fst/runtime/child"

	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"

	"fst/compiler/object"
	"fst/runtime/attach"
	"fst/runtime/cpus"

	"golang.org/x/sys/unix"
)

// wakers are the goroutines that wake the loop. They are stopped before the
// reader is closed.
type wakers struct {
	session *Session
	done    chan struct{}
	stopped chan struct{} // closed when the programs know of the end of the context
	ending  atomic.Bool   // set while END speaks: an interrupt ends its loops
	wg      sync.WaitGroup
	signals chan os.Signal
	watcher *cpus.Watcher // nil if nothing happens on each processor
	joined  chan int
}

func (w *wakers) start(ctx context.Context) {
	w.done, w.stopped = make(chan struct{}), make(chan struct{})
	w.wg.Go(func() {
		stopped := ctx.Done()
		for {
			select {
			case <-stopped:
				stopped = nil
				atomic.StoreUint64(w.session.stop, 1)
				close(w.stopped)
				w.session.reader.Wake()
			case <-w.session.opts.Interrupts:
				if w.ending.Load() {
					atomic.StoreUint64(w.session.stop, 1)
				}
			case <-w.done:
				return
			}
		}
	})
	if w.session.obj.Has(object.HookSelf) {
		w.signals = make(chan os.Signal, 1)
		usr1 := make(chan os.Signal, 1)
		signal.Notify(usr1, unix.SIGUSR1)
		w.wg.Go(func() {
			defer signal.Stop(usr1)
			for {
				select {
				case sig := <-usr1:
					select {
					case w.signals <- sig:
					default:
					}
					w.session.reader.Wake()
				case <-w.done:
					return
				}
			}
		})
	}
}

// cpus wakes the loop when a processor comes online. Where the kernel does not tell
// this process of that, nothing happens there.
func (w *wakers) cpus() {
	if !attach.HasPerCPU(w.session.obj) {
		return
	}
	var err error
	if w.watcher, err = cpus.Watch(); err != nil {
		return
	}
	w.joined = make(chan int, 16)
	w.wg.Go(func() {
		for {
			cpu, err := w.watcher.Next()
			if err != nil {
				return
			}
			select {
			case w.joined <- cpu:
			case <-w.done:
				return
			}
			w.session.reader.Wake()
		}
	})
}

// join makes what happens on each processor happen on those that came online.
func (w *wakers) join() {
	for {
		select {
		case cpu := <-w.joined:
			if err := w.session.attached.Join(cpu); err != nil {
				warn(w.session.opts.Sink, "%v", err)
			}
		default:
			return
		}
	}
}

// every wakes the loop again and again.
func (w *wakers) every(d time.Duration) {
	w.wg.Go(func() {
		tick := time.NewTicker(d)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				w.session.reader.Wake()
			case <-w.done:
				return
			}
		}
	})
}

// child wakes the loop when the child ends.
func (w *wakers) child(c *child.Child) {
	w.wg.Go(func() {
		select {
		case <-c.Done():
			w.session.reader.Wake()
		case <-w.done:
		}
	})
}

func (w *wakers) signalled() bool {
	select {
	case <-w.signals:
		return true
	default:
		return false
	}
}

func (w *wakers) stop() {
	close(w.done)
	if w.watcher != nil {
		w.watcher.Close()
	}
	w.wg.Wait()
}
