package render

import (
	"fmt"
	"io"
	"strings"

	"fst/compiler/object"
	"fst/lang/printable"
)

// Text shows a session as people read it, in bpftrace's form.
type Text struct {
	stream
	p      printer
	exited bool
	// heading is that of the last row() that was shown; headings are those of
	// messages that were.
	heading  string
	headings map[*object.Message]string
	// hot are the maps that heat() has shown something of.
	hot map[*object.Map]bool
}

// NewText returns a sink that writes what the script says to out, and what
// is said about the script to errs.
func NewText(out, errs io.Writer, obj *object.Object, res Resolver, opts Options) *Text {
	return &Text{
		stream: stream{out: out, errs: errs, opts: opts, buf: make([]byte, 0, keep+4096)},
		p:      newPrinter(obj, res, opts), headings: map[*object.Message]string{},
	}
}

// Attached implements form.
func (t *Text) Attached(n int) {
	t.attached(n)
	t.firstHeading()
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

// Message implements form.
func (t *Text) Message(m *object.Message, record []byte) {
	switch m.Kind {
	case object.MsgPrintf:
		t.buf = t.p.printf(t.buf, m, record)
	case object.MsgPrintValue:
		t.buf = t.p.printed(t.buf, m, record)
	case object.MsgRow:
		t.row(m, record)
	case object.MsgEvent:
		t.buf = t.p.eventLine(t.buf, m, record)
	case object.MsgTime:
		t.buf = appendTime(t.buf, formatText(m), t.p.now().In(t.p.loc), false)
	case object.MsgJoin:
		t.buf = t.p.join(t.buf, m, record)
	case object.MsgErrorf:
		t.complain(t.p.prefix(m.Span) + "ERROR: " + t.p.message(m, record))
	case object.MsgWarnf:
		if !t.opts.NoWarnings {
			t.complain(t.p.prefix(m.Span) + "WARNING: " + t.p.message(m, record))
		}
	case object.MsgRuntimeError:
		if !t.opts.NoWarnings && t.p.isNews(m, record) {
			text, _ := t.p.runtimeError(m, record)
			t.complain(t.p.prefix(m.Span) + "WARNING: " + text + "\n" + t.p.quote(m.Span))
		}
	}
	t.done()
}

// message is the text of errorf() and warnf(), for a stream that people read.
func (p *printer) message(m *object.Message, record []byte) string {
	before := p.terminal
	p.terminal = true
	defer func() { p.terminal = before }()
	return string(p.printf(nil, m, record))
}

// Output implements form.
func (t *Text) Output(m *object.Message, text []byte) {
	if m.Kind == object.MsgCat && !t.p.exact {
		t.buf = printable.AppendLines(t.buf, text)
	} else {
		t.buf = append(t.buf, text...)
	}
	t.done()
}

// Failure implements form.
func (t *Text) Failure(text string) { t.complain("ERROR: " + text) }

// printed is print(x): a value and a newline, which charts end with already.
func (p *printer) printed(b []byte, m *object.Message, record []byte) []byte {
	if len(m.Fields) == 0 {
		return b
	}
	return append(p.field(b, &asText, &m.Fields[0], record), '\n')
}

// formatText is a format without conversions.
func formatText(m *object.Message) string {
	var s strings.Builder
	for _, v := range m.Format {
		s.WriteString(v.Literal)
	}
	return s.String()
}

// Exit implements form.
func (t *Text) Exit() {
	t.exited = true
	if !t.opts.NoExitLines {
		t.buf = append(t.buf, "\n\n"...)
		t.done()
	}
}

// Lost implements form.
func (t *Text) Lost(what object.Loss, n uint64) {
	switch {
	case n == 0, t.exited && t.p.isTold(what, n):
	case what.Kind == object.LossRingFull && !t.exited:
		t.complain(fmt.Sprintf("Lost %d events", n))
	default:
		t.complain(t.p.lossLine(what, n))
	}
}

// Warn implements form.
func (t *Text) Warn(text string) {
	if !t.opts.NoWarnings {
		t.complain("WARNING: " + printable.Lines(text))
	}
}

// Remark implements form.
func (t *Text) Remark(text string) {
	if !t.opts.Quiet {
		t.complain(printable.Lines(text))
	}
}

// Flush implements form.
func (t *Text) Flush() error {
	t.flush()
	return t.err
}
