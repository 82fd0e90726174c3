package render

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// OTLP writes what a session says as requests of OpenTelemetry's protocol (https://github.com/open-telemetry/opentelemetry-proto): events of
// clauses without an action that tell how long they took as spans, all else that is shown, but maps and tables, as logs, and
// what maps count (Metrics) as metrics, each the difference to those before.
//
// Each Write is one request: a line with the kind, "logs", "traces" or "metrics", and how many items it has, and then its message in
// Protocol Buffers. It is code of fst's own, as the SDK needs net/http and gRPC; the tests read it with the official module.
type OTLP struct {
	mu      sync.Mutex // of all that follows
	to      otlpWriter
	p       printer
	text    *Text // of what has no values
	said    []byte
	metrics *Exposition
	totals  func() (Totals, error)
	before  map[string]value.Value // by the name of a metric and labels
	since   time.Time              // of the last metrics

	logs, spans otlpItems
	run         uint64 // tells sessions apart
	spanCount   uint64
	stop        chan struct{} // nil until the session is attached
}

// otlpWriter writes requests.
type otlpWriter struct {
	out             io.Writer
	resource, scope protobuf
	err             error // the first
}

// otlpItems are the items of a request that is being made.
type otlpItems struct {
	items protobuf
	n     int
}

const (
	otlpEvery   = time.Second      // logs and spans wait so long,
	otlpMetrics = 10 * time.Second // and metrics tell what was counted within this time
	otlpBytes   = 256 << 10        // a request becomes no larger than that by much
)

// NewOTLP returns a sink that writes requests to out.
func NewOTLP(out, _ io.Writer, obj *object.Object, opts Options) *OTLP {
	o := &OTLP{to: otlpWriter{out: out}, p: newPrinter(obj, opts), before: map[string]value.Value{}, totals: opts.Totals, run: rand.Uint64() | 1}
	if list, _ := Metrics(obj); len(list) > 0 {
		o.metrics = NewExposition(obj, list, opts.Version, opts)
	}
	opts.NoExitLines = true
	o.text = NewText((*otlpText)(o), (*otlpText)(o), obj, opts)
	o.text.opts.LineBuffered = true
	host, _ := os.Hostname()
	for _, a := range [][2]string{{"service.name", "fst"}, {"service.version", opts.Version}, {"host.name", host}, {"fst.script", measurement(obj)}} {
		otlpAttribute(&o.to.resource, 1, a[0], a[1])
	}
	o.to.scope.text(1, "fst")
	o.to.scope.text(2, opts.Version)
	return o
}

// otlpText takes the lines that Text writes.
type otlpText OTLP

func (o *otlpText) Write(text []byte) (int, error) {
	o.said = append(o.said, text...)
	return len(text), nil
}

// Event implements event.Sink.
func (o *OTLP) Event(e event.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.p.show(e)
	at := time.Time{}
	switch e := e.(type) {
	case *event.Attached:
		if o.stop == nil {
			o.since, o.stop = o.p.now(), make(chan struct{})
			go o.tick()
		}
		return
	case *event.Map, *event.Heat, *event.Table:
		return
	case *event.Record:
		if e.Message.Kind.HasValues() {
			o.values(e)
			return
		}
		at = e.Time
	case *event.Output:
		at = e.Time
	}
	o.text.Event(e)
	o.text.flush()
	o.lines(at, false)
}

// lines makes logs of what was said as text. Without all, a line that has no end yet waits.
func (o *OTLP) lines(at time.Time, all bool) {
	for len(o.said) > 0 {
		line, rest, whole := strings.Cut(string(o.said), "\n")
		if !whole && !all {
			return
		}
		o.said = []byte(rest)
		if line = strings.TrimSpace(line); line != "" {
			o.log(at, "", line, nil)
		}
	}
}

// log adds one.
func (o *OTLP) log(at time.Time, name, body string, attributes protobuf) {
	now := o.p.now()
	if at.IsZero() {
		at = now
	}
	severity, word := uint64(9), "INFO"
	if strings.Contains(body, "WARNING: ") || strings.Contains(body, "ERROR: ") {
		severity, word = 13, "WARN"
	}
	o.add(&o.logs, "logs", func(m *protobuf) {
		m.fixed(1, uint64(at.UnixNano()))
		m.number(2, severity)
		m.text(3, word)
		m.message(5, func(m *protobuf) { m.text(1, strings.ToValidUTF8(body, "\uFFFD")) })
		*m = append(*m, attributes...)
		m.fixed(11, uint64(now.UnixNano()))
		if name != "" {
			m.text(12, name)
		}
	})
}

// values adds a record that has names for its values: a span, if it tells how long it took.
func (o *OTLP) values(r *event.Record) {
	m, s := r.Message, o.p.shapes.of(r.Message)
	probe, isEvent := "", s.nsecs != nil && len(m.Columns) == 0
	if isEvent {
		probe = string(o.p.eventProbe(nil, m, s, r.Data))
	}
	span := isEvent && s.took != nil
	attribute := 6 // of a log
	if span {
		attribute = 9
	}
	var attributes protobuf
	var body []string
	tid := uint64(0)
	for i := range m.Fields {
		f, v := &m.Schema.Fields[i], event.Field(&m.Fields[i], r.Data)
		name := "" // that OpenTelemetry has for it
		switch f.Role {
		case object.RoleTime, object.RoleProbe, object.RoleTook:
			continue
		case object.RoleTID:
			tid, name = v.Uint(), "thread.id"
		case object.RoleComm:
			name = "thread.name"
		case object.RolePID:
			name = "process.pid"
			if tid == 0 {
				tid = v.Uint()
			}
		}
		for part, v := range shownParts(f, v) {
			own := withUnit(unitBehind, part.Name, part.Unit)
			o.attribute(&attributes, attribute, cmp.Or(name, own), v)
			if !span {
				body = append(body, own+"="+string(o.p.text(nil, v)))
			}
		}
	}
	if !span {
		o.log(r.Time, probe, strings.TrimSpace(probe+" "+strings.Join(body, " ")), attributes)
		return
	}
	end := r.Time.UnixNano()
	o.spanCount++
	o.add(&o.spans, "traces", func(m *protobuf) {
		// A thread is a trace, whose spans are beside or within each other as they are in time.
		m.bytes(1, binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, o.run), tid))
		m.bytes(2, binary.BigEndian.AppendUint64(nil, o.spanCount))
		m.text(5, probe)
		m.number(6, 1)
		m.fixed(7, uint64(end-event.Field(s.took, r.Data).Int()))
		m.fixed(8, uint64(end))
		*m = append(*m, attributes...)
	})
}

// attribute adds a value under a name, to what has attributes in field.
func (o *OTLP) attribute(to *protobuf, field int, name string, v value.Value) {
	switch {
	case v.Type.Kind == types.Int && (v.Signed() || v.Uint() <= math.MaxInt64):
		to.message(field, func(m *protobuf) {
			m.text(1, name)
			m.message(2, func(m *protobuf) { m.signed(3, v.Int()) })
		})
	case v.Type.Kind == types.Bool:
		to.message(field, func(m *protobuf) {
			m.text(1, name)
			m.message(2, func(m *protobuf) { m.number(2, uint64(v.Int()&1)) })
		})
	default:
		otlpAttribute(to, field, name, strings.TrimSpace(string(o.p.text(nil, v))))
	}
}

func otlpAttribute(to *protobuf, field int, name, text string) {
	to.message(field, func(m *protobuf) {
		m.text(1, name)
		m.message(2, func(m *protobuf) { m.text(1, strings.ToValidUTF8(text, "\uFFFD")) })
	})
}

func (o *OTLP) add(to *otlpItems, kind string, fill func(*protobuf)) {
	to.items.message(2, fill)
	if to.n++; len(to.items) >= otlpBytes {
		o.to.send(to, kind)
	}
}

// send writes a request, if there is something in it.
func (o *otlpWriter) send(all *otlpItems, kind string) {
	if all.n == 0 {
		return
	}
	request := protobuf(fmt.Sprintf("%s %d\n", kind, all.n))
	request.message(1, func(m *protobuf) {
		m.bytes(1, o.resource)
		m.message(2, func(m *protobuf) {
			m.bytes(1, o.scope)
			*m = append(*m, all.items...)
		})
	})
	if _, err := o.out.Write(request); o.err == nil {
		o.err = err
	}
	*all = otlpItems{}
}

// tick sends what waits.
func (o *OTLP) tick() {
	t := time.NewTicker(otlpEvery)
	defer t.Stop()
	for {
		select {
		case <-o.stop:
			return
		case now := <-t.C:
			o.mu.Lock()
			o.sendAll()
			if now.Sub(o.since) >= otlpMetrics {
				o.measure()
			}
			o.mu.Unlock()
		}
	}
}

func (o *OTLP) sendAll() {
	o.to.send(&o.logs, "logs")
	o.to.send(&o.spans, "traces")
}

// Flush implements event.Sink.
func (o *OTLP) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.to.err
}

// End implements event.Ender.
func (o *OTLP) End() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stop != nil {
		close(o.stop)
	}
	o.lines(time.Time{}, true)
	o.sendAll()
	o.measure()
	return o.to.err
}

// measure sends metrics: what was counted since the last time, and numbers that are none as they are.
func (o *OTLP) measure() {
	if o.metrics == nil || o.stop == nil {
		return
	}
	t, err := o.totals()
	if err != nil {
		return // the session has ended: what was counted last comes at its end
	}
	var all otlpItems
	now, room := o.p.now(), MostSeries
	after := make(map[string]value.Value, len(o.before))
	for i := range o.metrics.metrics {
		m := &o.metrics.metrics[i]
		e := t.Maps[m.of.ID]
		if e == nil {
			continue
		}
		o.metrics.p.show(e)
		series, _ := o.metrics.series(m, e, t)
		texts := o.metrics.textsOf(m, t)
		series = series[:min(len(series), room)]
		room -= len(series)
		shown := o.metrics.shown[m.Name]
		shown.labels = make(map[string]bool, len(series))
		var points protobuf
		n := 0
		for _, one := range series {
			shown.labels[one.labels] = true
			key := m.Name + "{" + one.labels
			after[key] = one.value
			n += o.points(&points, m, one, o.before[key], texts, now)
		}
		if n > 0 {
			all.n += n
			all.items.message(2, func(p *protobuf) { otlpMetric(p, m, points) })
		}
		if len(all.items) >= otlpBytes {
			o.to.send(&all, "metrics")
		}
	}
	o.to.send(&all, "metrics")
	o.before, o.since = after, now
}

// otlpMetric adds a metric with its points.
func otlpMetric(p *protobuf, m *Metric, points protobuf) {
	p.text(1, strings.TrimSuffix(m.Name, "_total"))
	p.text(2, m.Help)
	p.text(3, map[string]string{"seconds": "s", "bytes": "By"}[m.Unit])
	const delta = 1
	switch shape := shapeOfValue(m.of.Value); {
	case shape == types.Buckets, shape == types.Totals:
		p.message(9, func(h *protobuf) {
			*h = append(*h, points...)
			h.number(2, delta)
		})
	case m.Kind == "counter":
		p.message(7, func(s *protobuf) {
			*s = append(*s, points...)
			s.number(2, delta)
			s.number(3, 1)
		})
	default:
		p.message(5, func(g *protobuf) { *g = append(*g, points...) })
	}
}

// points adds those of an element, if there is something new to tell; before is its last value.
func (o *OTLP) points(to *protobuf, m *Metric, one series, before value.Value, texts []map[string]value.Value, now time.Time) (n int) {
	point := func(attributes int, extra [2]string, fill func(*protobuf)) {
		n++
		to.message(1, func(p *protobuf) {
			p.fixed(2, uint64(o.since.UnixNano()))
			p.fixed(3, uint64(now.UnixNano()))
			fill(p)
			for i, v := range m.parts(one.key, texts) {
				otlpAttribute(p, attributes, m.Labels[i], string(o.metrics.p.text(nil, v)))
			}
			if extra[0] != "" {
				otlpAttribute(p, attributes, extra[0], extra[1])
			}
		})
	}
	number := func(extra [2]string, n uint64, signed bool, scale types.Unit) {
		point(7, extra, func(p *protobuf) {
			if scale.Of == types.Time || !signed && n > math.MaxInt64 {
				p.double(4, inBase(n, signed, scale))
			} else {
				p.fixed(6, n*uint64(max(scale.Scale, 1)))
			}
		})
	}
	none, v := [2]string{}, one.value
	fresh := before.Type == nil
	switch shape := shapeOfValue(m.of.Value); {
	case shape == types.Buckets:
		h := v.Histogram()
		first, end := h.Range()
		counts, sum := make([]uint64, len(h.Counts)), uint64(0)
		copy(counts, h.Counts)
		if !fresh && before.Histogram().Total() <= h.Total() {
			for i, n := range before.Histogram().Counts {
				counts[i] -= n
			}
		}
		for _, n := range counts {
			sum += n
		}
		if sum == 0 {
			return 0
		}
		point(9, none, func(p *protobuf) {
			p.fixed(4, sum)
			var numbers, bounds []byte
			for i := first; i < end; i++ { // below the first one there are none
				numbers = binary.LittleEndian.AppendUint64(numbers, counts[i])
				if hi := h.Bounds(i).Hi; hi != math.MaxInt64 {
					bounds = binary.LittleEndian.AppendUint64(bounds, math.Float64bits(inBase(uint64(hi), true, m.scale)))
				}
			}
			if len(bounds) == len(numbers) { // above the last one neither
				numbers = binary.LittleEndian.AppendUint64(numbers, 0)
			}
			p.bytes(6, numbers)
			p.bytes(7, bounds)
		})
	case shape == types.Totals:
		t := v.Totals()
		if !fresh && before.Totals().Count <= t.Count {
			t.Count, t.Total = t.Count-before.Totals().Count, t.Total-before.Totals().Total
		}
		if t.Count > 0 {
			point(9, none, func(p *protobuf) {
				p.fixed(4, t.Count)
				p.double(5, inBase(t.Total, t.Signed, m.scale))
			})
		}
	case shape == types.Quantiles:
		for i, n := range divisor(0).quantileValues(v.Histogram()) {
			number([2]string{"quantile", quantileShares[i].name}, uint64(n), true, m.scale)
		}
	case shape == types.Ranking:
		for _, r := range rankingOf(v) {
			number([2]string{m.Labels[len(m.Labels)-1], string(o.metrics.p.text(nil, r.key))}, r.Count, false, types.Unit{})
		}
	case m.Kind == "counter":
		n := v.Uint()
		if !fresh && before.Uint() <= n {
			n -= before.Uint()
		}
		if n > 0 {
			number(none, n, v.Signed(), m.scale)
		}
	default:
		number(none, v.Uint(), v.Signed(), m.scale)
	}
	return n
}

// inBase is a number in seconds or bytes.
func inBase(n uint64, signed bool, unit types.Unit) float64 {
	f := float64(n)
	if signed {
		f = float64(int64(n))
	}
	f *= float64(max(unit.Scale, 1))
	if unit.Of == types.Time {
		f /= 1e9
	}
	return f
}
