package trace

import (
	"context"
	"errors"
	"time"

	"fst/compiler"
	"fst/compiler/check"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/runtime/event"
	"fst/runtime/kernel"
	"fst/runtime/naming"
	"fst/runtime/render"
	"fst/runtime/session"
)

// Record is what a script of fst's own says: an event of a probe, or a printed value.
type Record struct {
	Probe  string // of an event
	Fields render.Fields
}

// Own is a script of fst's own that runs.
type Own struct {
	stop    context.CancelFunc
	done    chan struct{}
	session *Trace
}

// StartOwn compiles a text and attaches it. What it says goes to say, from one
// goroutine; its warnings, losses and maps go nowhere. It runs until ctx is done, it
// ends itself, or Stop.
func StartOwn(ctx context.Context, k *kernel.System, text string, say func(Record)) (*Own, error) {
	var set source.Set
	var diags diag.List
	tree := parse.Parse(set.Add("fst", text), &diags)
	obj, err := compiler.Compile(&set, tree, compiler.Options{Options: check.Options{Target: k}}, &diags)
	if err != nil {
		return nil, err
	}
	if diags.HasErrors() {
		return nil, errors.New(diags.All[0].Message)
	}
	obj.Config.PrintMapsOnExit = false
	names := NewNames(k, obj, nil)
	attached := make(chan struct{})
	o := &Own{done: make(chan struct{})}
	namer := &naming.Namer{System: names, Object: obj, Plain: render.NewPlain}
	out := naming.NewStage(namer, &ownSink{say: say, values: render.NewDecoder(obj)})
	if o.session, err = New(obj, names, session.Options{Sink: out, OnAttached: func() { close(attached) }}); err != nil {
		return nil, err
	}
	ctx, o.stop = context.WithCancel(ctx)
	go func() {
		defer close(o.done)
		defer o.stop()
		_, err = o.session.Run(ctx)
	}()
	select {
	case <-attached:
	case <-o.done:
		if err != nil {
			return nil, err
		}
	}
	return o, nil
}

// Wait waits for the script's end.
func (o *Own) Wait() {
	<-o.done
	o.session.Session.Close()
}

// Stop ends the script; say has got all that it has said.
func (o *Own) Stop() {
	o.stop()
	o.Wait()
}

// ownSink hands on what is said.
type ownSink struct {
	say    func(Record)
	values *render.Decoder
}

// Event implements event.Sink.
func (s *ownSink) Event(e event.Event) {
	r, ok := e.(*event.Record)
	if !ok || !r.Message.Kind.HasValues() {
		return
	}
	s.say(Record{r.Message.Probe, s.values.Record(r)})
}

// Flush implements event.Sink.
func (s *ownSink) Flush() error { return nil }

// Number is a value of a Field that counts, else 0.
func Number(v any) uint64 {
	switch v := v.(type) {
	case uint64:
		return v
	case int64:
		return uint64(v)
	case time.Duration:
		return uint64(v)
	}
	return 0
}
