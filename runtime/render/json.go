package render

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/source"
	"fst/runtime/event"
)

// JSON shows a session as one object a line.
type JSON struct {
	stream
	p      printer
	notes  notes
	exited bool
	text   []byte // room for a text that goes into a string
	head   []byte // of JSON2: what stands behind the type of a line
}

// NewJSON returns a sink that writes JSON lines to out. What concerns fst
// itself rather than the script goes to errs as text.
func NewJSON(out, errs io.Writer, obj *object.Object, opts Options) *JSON {
	j := &JSON{
		stream: stream{out: out, errs: errs, opts: opts, buf: make([]byte, 0, keep+4096)},
		p:      newPrinter(obj, opts),
		notes:  notes{obj: obj},
	}
	j.p.exact = true // strings have escapes of their own
	return j
}

// open starts {"type": "kind", "data": ...; close ends it.
func (j *JSON) open(kind string) {
	j.begin(kind)
	j.buf = append(j.buf, `, "data": `...)
}

func (j *JSON) begin(kind string) {
	j.buf = append(append(j.buf, `{"type": "`...), kind...)
	j.buf = append(append(j.buf, '"'), j.head...)
}

// openAt is open for what belongs to a time.
func (j *JSON) openAt(kind string, at time.Time) {
	j.begin(kind)
	j.buf = append(j.buf, `, "time": "`...)
	j.buf = append(at.AppendFormat(j.buf, time.RFC3339Nano), `", "data": `...)
}

func (j *JSON) close() {
	j.buf = append(j.buf, "}\n"...)
	j.done()
}

// string writes a line whose data is a string.
func (j *JSON) string(kind string, text []byte) {
	j.open(kind)
	j.buf = appendString(j.buf, text)
	j.close()
	j.text = text[:0]
}

// Event implements event.Sink.
func (j *JSON) Event(e event.Event) {
	j.p.show(e)
	switch e := e.(type) {
	case *event.Record:
		j.record(e)
	case *event.Map:
		j.elements(e)
	case *event.Heat:
		j.heat(e)
	case *event.Table:
		j.table(e)
	case *event.Output:
		kind := "cat"
		if e.Message.Kind == object.MsgSystem {
			kind = "syscall"
		}
		j.string(kind, e.Text)
	case *event.Attached:
		if !j.opts.Quiet {
			j.count("attached_probes", "probes", uint64(e.Probes))
		}
	case *event.Exit:
		j.exited = true
	case *event.Lost:
		j.lost(e.What, e.Count)
	default:
		j.say(e)
	}
}

func (j *JSON) count(kind, what string, n uint64) {
	j.begin(kind)
	j.buf = append(j.buf, fmt.Sprintf(`, "count": %d, "data": {%q: %d}`, n, what, n)...)
	j.close()
}

// record writes a record.
func (j *JSON) record(r *event.Record) {
	m, record := r.Message, r.Data
	switch m.Kind {
	case object.MsgPrintf:
		j.string("printf", formatter{&j.p}.printf(j.text[:0], m, record))
	case object.MsgPrintValue:
		if len(m.Fields) > 0 {
			j.open("value")
			j.buf = jsonWriter{&j.p}.value(j.buf, event.Field(&m.Fields[0], record))
			j.close()
		}
	case object.MsgRow:
		j.open("row")
		j.buf = jsonWriter{&j.p}.row(j.buf, r)
		j.close()
	case object.MsgEvent:
		j.open("event")
		j.buf = jsonWriter{&j.p}.event(j.buf, r)
		j.close()
	case object.MsgTime:
		j.string("time", appendTime(j.text[:0], formatText(m), j.p.now().In(j.p.loc), false))
	case object.MsgJoin:
		j.string("join", bytes.TrimSuffix(formatter{&j.p}.join(j.text[:0], m, record), []byte("\n")))
	case object.MsgErrorf:
		j.located("errorf", formatter{&j.p}.message(m, record), m.Span, "")
	case object.MsgWarnf:
		if !j.opts.NoWarnings {
			j.located("warnf", formatter{&j.p}.message(m, record), m.Span, "")
		}
	case object.MsgRuntimeError:
		if j.opts.NoWarnings || !j.notes.isNews(m, record) {
			break
		}
		text, code := j.notes.runtimeError(m, record)
		if code != 0 {
			// All that can fail and tells of it is storing in a map.
			j.located("helper_error", types.ErrnoText(code), m.Span, `"helper": "map_update_elem", "retcode": `+strconv.FormatInt(code, 10))
		} else {
			j.located("runtime_error", text, m.Span, "")
		}
	}
}

// located writes a line with a message and its place in the script.
func (j *JSON) located(kind, msg string, sp source.Span, extra string) {
	j.begin(kind)
	j.buf = append(j.buf, `, "msg": `...)
	j.buf = appendString(j.buf, []byte(msg))
	if extra != "" {
		j.buf = append(append(j.buf, ", "...), extra...)
	}
	if pl, ok := j.notes.spot(sp); ok {
		j.buf = appendString(append(j.buf, `, "filename": `...), []byte(pl.file))
		j.buf = append(j.buf, fmt.Sprintf(`, "line": %d, "col": %d`, pl.line, pl.col)...)
	}
	j.close()
}

// lost says what was lost. A failed read, or an index outside of its array,
// gave 0, as documented, which is no line of the script's output: it is said on the other stream. The other totals at the end are lines {"type": "loss",
// "msg": ..., "kind": "map_full", "count": 3, "clause": 1, "filename": ...,
// "line": ..., "col": ...}.
func (j *JSON) lost(what object.Loss, n uint64) {
	switch {
	case n == 0, j.exited && j.notes.isTold(what, n):
	case what.Kind == object.LossRingFull && !j.exited:
		j.count("lost_events", "events", n)
	case what.Kind == object.LossReadFailed, what.Kind == object.LossOutside:
		j.complain(j.notes.lossLine(what, n))
	default:
		extra := fmt.Sprintf(`"kind": %q, "count": %d, "clause": %d`, LossName(what.Kind), n, what.Clause)
		j.located("loss", j.notes.lossText(what, n), j.notes.lossSpan(what), extra)
	}
}

// Flush implements event.Sink.
func (j *JSON) Flush() error {
	j.flush()
	return j.err
}
