// Package trace runs a compiled script on the running kernel with all that a session
// does not have by itself: names for the addresses that it shows, and the unwind tables
// of the programs that it meets. It also runs the scripts of fst's own parts.
package trace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"fst/compiler/object"
	"fst/runtime/container"
	"fst/runtime/event"
	"fst/runtime/kernel"
	"fst/runtime/session"
	"fst/runtime/symbol"
)

// Trace is a script in the kernel.
type Trace struct {
	Session    *session.Session // Trace runs it
	watcher    *symbol.Watcher
	tables     *tables
	clock      func() // stops following it
	containers *container.Watcher
}

// New loads a script, as session.New does, and begins to follow the processes whose
// addresses it shows, for names.
func New(obj *object.Object, names *Names, o session.Options) (*Trace, error) {
	t := &Trace{tables: newTables(obj, names)}
	if obj.Debugs {
		showDebug(names.system)
	}
	var err error
	t.watcher, err = names.watch(obj, o.PID, t.tables)
	if err != nil && t.tables != nil { // else only what ends early loses its names
		o.Sink.Event(&event.Warning{Text: fmt.Sprintf("dw_ustack can't follow programs that start from now on: %v", err)})
	}
	o.Clock = names.Clock
	t.Session, err = session.New(obj, o)
	if err != nil {
		t.end()
		return nil, err
	}
	names.maps = t.Session.Maps
	t.clock = names.Follow()
	t.tables.start(t.Session, o)
	t.containers = watchContainers(obj, t.Session, o)
	return t, nil
}

// Run runs the script to its end, as session.Run does. It must be called.
func (t *Trace) Run(ctx context.Context) (exitCode int, err error) {
	defer t.end()
	return t.Session.Run(ctx)
}

func (t *Trace) end() {
	t.watcher.Close()
	t.tables.close()
	t.containers.Close()
	if t.clock != nil {
		t.clock()
	}
}

// showDebug lets what programs write by debugf() into the kernel's trace. The
// kernel does so itself when it loads one, but newer ones some time later, when
// a BEGIN clause may have ended. What fails here the kernel then does.
func showDebug(k *kernel.System) {
	if tracefs, _, err := k.TraceFS(); err == nil {
		os.WriteFile(filepath.Join(tracefs, "events/bpf_trace/bpf_trace_printk/enable"), []byte("1"), 0)
	}
}
