package fst

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/naming"
	"fst/runtime/render"
	"fst/runtime/value"
	"fst/tests/examples"
)

// TestFormatsOfTools: what the bundled tools show is in all formats, with the same names, units and numbers, or the format is refused.
func TestFormatsOfTools(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, which finds nothing here that it does not find in other tests")
	}
	kernel, err := OpenRecorded("compiler/target/fixture/testdata/6.12.zip")
	if err != nil {
		t.Fatal(err)
	}
	list, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]int{}
	for _, e := range list {
		prog, err := Compile(e.Text, Options{Name: e.Tool, Kernel: kernel, Params: Params{Words: e.Words, Named: e.Named}})
		if err != nil {
			continue // what the recording has not: others test that
		}
		for _, m := range prog.object.ScriptMaps() {
			if f := m.Schema.Fields[m.Schema.Keys]; f.Name == "bytes" && f.Unit != types.OneByte {
				t.Errorf("%s: the unit of %s is %q", e.Command, m.Name, f.Unit)
			}
		}
		for _, form := range outputForms {
			if prog.Unsuited(form.name) != "" {
				continue
			}
			if err := newTrial(prog, form).run(); err != nil {
				t.Errorf("%s: %s: %v", e.Command, form.name, err)
			}
			written[form.name]++
		}
	}
	for _, form := range outputForms {
		if written[form.name] < 10 {
			t.Errorf("%s is written of %d examples only", form.name, written[form.name])
		}
	}
}

// trial is a form with what was written in it.
type trial struct {
	prog   *Program
	form   outputForm
	events []event.Event
	out    bytes.Buffer
	whole  [][]byte // of each Write
}

func newTrial(prog *Program, form outputForm) *trial {
	in := &inventor{obj: prog.object, last: 7_000_000}
	return &trial{prog: prog, form: form, events: in.events()}
}

func (x *trial) Write(b []byte) (int, error) {
	x.whole = append(x.whole, bytes.Clone(b))
	return x.out.Write(b)
}

// totals are what the maps have counted: what is shown of them.
func (x *trial) totals() (render.Totals, error) {
	t := render.Totals{Maps: map[int]*event.Map{}, Losses: map[object.Loss]uint64{}}
	add := func(m *object.Map, s *value.Snapshot, names *event.Names) {
		if t.Maps[m.ID] == nil {
			t.Maps[m.ID] = &event.Map{Map: m, Snapshot: s, Names: names}
		}
	}
	for _, e := range x.events {
		switch e := e.(type) {
		case *event.Map:
			add(e.Map, e.Snapshot, e.Names)
		case *event.Heat:
			add(e.Map, e.Snapshot, e.Names)
		case *event.Table:
			for i := range e.Maps {
				add(e.Maps[i], e.Snapshots[i], e.Names)
			}
		}
	}
	return t, nil
}

func (x *trial) run() error {
	opts := render.Options{Location: time.UTC, Now: func() time.Time { return inventedStart }, Totals: x.totals, Version: "1"}
	sink := x.form.open(x, io.Discard, x.prog.object, opts)
	namer := naming.Namer{System: inventedSystem{}, Object: x.prog.object, Frames: x.form.frames, Plain: render.NewPlain}
	exited, seen := false, 0
	var heading []string
	for _, e := range x.events {
		if _, ok := e.(*event.Exit); ok {
			exited = true
		}
		namer.Name(e, exited)
		sink.Event(e)
		if err := sink.Flush(); err != nil {
			return err
		}
		text := string(x.out.Bytes()[seen:])
		seen += len(text)
		if read := readers[x.form.name]; read != nil {
			got, err := read(text, &heading)
			if err != nil {
				return err
			}
			for _, want := range numbers(e) {
				if !slices.ContainsFunc(got, want.is) {
					return fmt.Errorf("no %v of a %T in %s", want, e, text)
				}
			}
		}
	}
	if e, ok := sink.(event.Ender); ok {
		if err := e.End(); err != nil {
			return err
		}
	}
	if x.out.Len() == 0 {
		return errors.New("it is empty")
	}
	if check := documents[x.form.name]; check != nil {
		return check(x)
	}
	return nil
}
