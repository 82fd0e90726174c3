package render

import (
	"fmt"
	"io"
	"strings"

	"fst/compiler/object"
	"fst/lang/printable"
	"fst/runtime/event"
)

// Text shows a session as people read it, in bpftrace's form.
type Text struct {
	stream
	p      printer
	notes  notes
	exited bool
	// heading is that of the last row() that was shown; headings are those of
	// messages that were.
	heading  string
	headings map[*object.Message]string
	// tabled is true once a table was shown: a blank line separates the next one from it.
	tabled bool
	// hot are the maps that heat() has shown something of.
	hot map[*object.Map]bool
}

// NewText returns a sink that writes what the script says to out, and what
// is said about the script to errs.
func NewText(out, errs io.Writer, obj *object.Object, opts Options) *Text {
	return &Text{
		stream: stream{out: out, errs: errs, opts: opts, buf: make([]byte, 0, keep+4096)},
		p:      newPrinter(obj, opts), notes: notes{obj: obj}, headings: map[*object.Message]string{},
	}
}

// Event implements event.Sink.
func (t *Text) Event(e event.Event) {
	t.p.show(e)
	switch e := e.(type) {
	case *event.Record:
		t.record(e)
	case *event.Map:
		t.elements(e)
	case *event.Heat:
		t.heat(e)
	case *event.Table:
		t.table(e)
	case *event.Output:
		if e.Message.Kind == object.MsgCat && !t.p.exact {
			t.buf = printable.AppendLines(t.buf, e.Text)
		} else {
			t.buf = append(t.buf, e.Text...)
		}
	case *event.Attached:
		t.attached(e.Probes)
		t.firstHeading()
	case *event.Exit:
		t.exited = true
		if !t.opts.NoExitLines {
			t.buf = append(t.buf, "\n\n"...)
		}
	case *event.Lost:
		t.lost(e)
	default:
		t.say(e)
	}
	t.done()
}

// Command is the text of a record's format with its values as they are: what
// system() runs, and the path of cat().
func (t *Text) Command(r *event.Record) string {
	t.p.show(r)
	return formatter{&t.p}.command(r.Message, r.Data)
}

func (t *Text) attached(n int) {
	switch {
	case t.opts.Quiet:
	case n == 1:
		t.complain("Attached 1 probe")
	default:
		t.complain(fmt.Sprintf("Attached %d probes", n))
	}
}

// record shows a record.
func (t *Text) record(r *event.Record) {
	m, record := r.Message, r.Data
	switch m.Kind {
	case object.MsgPrintf:
		t.buf = formatter{&t.p}.printf(t.buf, m, record)
	case object.MsgPrintValue:
		t.buf = formatter{&t.p}.printed(t.buf, m, record)
	case object.MsgRow:
		t.row(r)
	case object.MsgEvent:
		t.buf = liner{&t.p}.eventLine(t.buf, r)
	case object.MsgTime:
		t.buf = appendTime(t.buf, formatText(m), t.p.now().In(t.p.loc), false)
	case object.MsgJoin:
		t.buf = formatter{&t.p}.join(t.buf, m, record)
	case object.MsgErrorf:
		t.complain(t.notes.prefix(m.Span) + "ERROR: " + formatter{&t.p}.message(m, record))
	case object.MsgWarnf:
		if !t.opts.NoWarnings {
			t.complain(t.notes.prefix(m.Span) + "WARNING: " + formatter{&t.p}.message(m, record))
		}
	case object.MsgRuntimeError:
		if !t.opts.NoWarnings && t.notes.isNews(m, record) {
			text, _ := t.notes.runtimeError(m, record)
			t.complain(t.notes.prefix(m.Span) + "WARNING: " + text + "\n" + t.notes.quote(m.Span))
		}
	}
}

// message is the text of errorf() and warnf(), for a stream that people read.
func (f formatter) message(m *object.Message, record []byte) string {
	before := f.p.terminal
	f.p.terminal = true
	defer func() { f.p.terminal = before }()
	return string(f.printf(nil, m, record))
}

// printed is print(x): a value and a newline, which charts end with already.
func (f formatter) printed(b []byte, m *object.Message, record []byte) []byte {
	if len(m.Fields) == 0 {
		return b
	}
	return append(f.field(b, &asText, &m.Fields[0], record), '\n')
}

// formatText is a format without conversions.
func formatText(m *object.Message) string {
	var s strings.Builder
	for _, v := range m.Format {
		s.WriteString(v.Literal)
	}
	return s.String()
}

// lost says what was lost, unless that was told before.
func (t *Text) lost(e *event.Lost) {
	switch {
	case e.Count == 0, t.exited && t.notes.isTold(e.What, e.Count):
	case e.What.Kind == object.LossRingFull && !t.exited:
		t.complain(fmt.Sprintf("Lost %d events", e.Count))
	default:
		t.complain(t.notes.lossLine(e.What, e.Count))
	}
}

// Flush implements event.Sink.
func (t *Text) Flush() error {
	t.flush()
	return t.err
}
