package fst

import (
	"fmt"
	"io"
	"strings"

	"fst/compiler/object"
	"fst/runtime/event"
	"fst/runtime/render"
)

// outputForm is a form that output can have.
type outputForm struct {
	name string
	// plain: what commands write is output as it is, and needs no form.
	plain bool
	// timed: each event is shown with its time.
	timed bool
	// frames: frames of stacks are shown by name, whichever form the script wants them in.
	frames bool
	// document: it is written as a whole at the end, for a program that reads files. A
	// terminal does not get it.
	document bool
	// metrics: it shows what maps have counted since the script began; hidden: that, and whatever else there is,
	// goes to a program rather than to a file, so that it is no form for -f.
	metrics, hidden bool
	// unsuited tells why nothing of a script can be shown in it, or is empty; nil: it shows any script.
	unsuited func(*object.Object) (why string)
	// open returns the output of a session in this form; errs gets what is said
	// about the script.
	open func(out, errs io.Writer, obj *object.Object, o render.Options) event.Sink
}

// outputForms are the forms, the first of which is the usual one.
var outputForms = []outputForm{
	{name: "text", plain: true, open: opens(render.NewText)},
	{name: "json", open: opens(render.NewJSON)},
	{name: "json2", timed: true, open: opens(render.NewJSON2)},
	{name: "influx", timed: true, unsuited: render.WithoutRows, open: opens(render.NewInflux)},
	{name: "folded", frames: true, unsuited: render.WithoutStacks, open: opens(render.NewFolded)},
	{name: "csv", unsuited: render.WithoutRows, open: opens(render.NewCSV)},
	{name: "pprof", frames: true, document: true, unsuited: render.WithoutStackMaps, open: opens(render.NewPprof)},
	{name: "prometheus", document: true, metrics: true, open: opens(render.NewPrometheus)},
	{name: "html", frames: true, document: true, open: opens(render.NewPage)},
	{name: "svg", frames: true, document: true, unsuited: render.WithoutStackMaps, open: opens(render.NewFlameSVG)},
	{name: "speedscope", frames: true, document: true, unsuited: render.WithoutStackMaps, open: opens(render.NewSpeedscope)},
	{name: "perfetto", timed: true, document: true, unsuited: render.WithoutTimeline, open: opens(render.NewPerfetto)},
	{name: "otlp", timed: true, metrics: true, hidden: true, unsuited: render.WithoutTelemetry, open: opens(render.NewOTLP)},
}

// Stacks are those of a run that was recorded, and what each weighs.
type Stacks struct{ of render.Stacks }

// MaxStacks is how large a file of stacks may be, also when it is unpacked.
const MaxStacks = render.MaxStacks

// ReadStacks reads a file that the formats folded, pprof or speedscope have written.
func ReadStacks(file []byte) (Stacks, error) {
	s, err := render.ReadStacks(file)
	return Stacks{s}, err
}

// DiffPage writes a page with differential flame graphs of two runs, old and new.
func DiffPage(out io.Writer, oldName, newName string, before, after Stacks) error {
	return render.DiffPage(out, oldName, newName, before.of, after.of)
}

// DiffTable writes the functions whose own share of a run has changed most, at most top of them.
func DiffTable(out io.Writer, before, after Stacks, top int) error {
	return render.DiffTable(out, before.of, after.of, top)
}

// opens makes outputForm.open of a function that returns one kind of sink.
func opens[S event.Sink](open func(out, errs io.Writer, obj *object.Object, o render.Options) S) func(out, errs io.Writer, obj *object.Object, o render.Options) event.Sink {
	return func(out, errs io.Writer, obj *object.Object, o render.Options) event.Sink {
		return open(out, errs, obj, o)
	}
}

// Formats lists the forms that output can have: text as a terminal shows it,
// JSON with one object a line, the same with times, places and names throughout, InfluxDB's line protocol, folded stacks for flame
// graphs, comma-separated values, a profile for go tool pprof, the text format of Prometheus, a page with histograms, heat maps, tables
// and flame graphs, an image of a flame graph, a profile for speedscope.app, a timeline for Perfetto.
func Formats() []string {
	var names []string
	for _, f := range outputForms {
		if !f.hidden {
			names = append(names, f.name)
		}
	}
	return names
}

// Unsuited tells why nothing of a program can be shown in a form, in one line; it is empty for one that suits.
func (p *Program) Unsuited(format string) (why string) {
	switch form, err := formNamed(format); {
	case err != nil:
		return err.Error()
	case form.metrics && !form.hidden:
		_, why = p.Metrics()
	case form.unsuited != nil:
		why = form.unsuited(p.object)
	}
	return why
}

// IsDocument reports whether a form is one document, which is written when the program ends.
func IsDocument(name string) bool {
	form, err := formNamed(name)
	return err == nil && form.document
}

// tellsTime reports whether a form shows each event with its time.
func tellsTime(name string) bool {
	form, err := formNamed(name)
	return err == nil && form.timed
}

// formNamed finds a form by its name; the empty name is that of the first.
func formNamed(name string) (outputForm, error) {
	for _, f := range outputForms {
		if f.name == name || name == "" {
			return f, nil
		}
	}
	return outputForm{}, fmt.Errorf("unknown format %q (want %s)", name, strings.Join(Formats(), ", "))
}
