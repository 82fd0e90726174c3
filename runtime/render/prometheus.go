package render

import (
	"bytes"
	"cmp"
	"io"
	"iter"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// Totals are what the maps of a script have counted since it began, whatever it took out of them.
type Totals struct {
	Maps   map[int]*event.Map // by Map.ID
	Losses map[object.Loss]uint64
	// Dropped is how many elements were not kept as there were too many.
	Dropped uint64
}

// Exposition writes the metrics of a script in the text format of Prometheus, again and again. Series
// keep their places: what was written first stays when there are more than MostSeries.
//
// It is code of fst's own, as client_golang makes the binary 4.4 MB larger and has every start
// initialise it for milliseconds. The tests read what it writes with the parser of Prometheus.
type Exposition struct {
	metrics []Metric
	script  string
	p       printer
	shown   map[string]*shownSeries // by the names of metrics
	version string
}

// shownSeries is what was written of a metric the last time.
type shownSeries struct {
	labels     map[string]bool
	first, end int // of the buckets that any of the histograms had
}

// MostSeries is how many series of a script are written.
const MostSeries = 10_000

// ownMetrics are those of fst itself.
var ownMetrics = []struct{ name, kind, help string }{
	{"fst_exporter_info", "gauge", "The script that runs, and the version of fst."},
	{"fst_exporter_lost_total", "counter", "How much the script could not record, by kind. What the kernel left out is known at the end only."},
	{"fst_exporter_dropped_elements", "gauge", "How many elements of maps are not among the series, as there are too many or they have the labels of others."},
}

// NewExposition returns one for a script that has metrics. version is that of fst.
func NewExposition(obj *object.Object, metrics []Metric, version string, opts Options) *Exposition {
	x := &Exposition{metrics: metrics, script: measurement(obj), p: newPrinter(obj, opts), shown: map[string]*shownSeries{}, version: version}
	for _, m := range metrics {
		x.shown[m.Name] = &shownSeries{}
	}
	x.p.tight = true
	return x
}

// series is an element with its labels: k="v",l="w".
type series struct {
	labels string
	value  value.Value
	old    bool // it was written the last time
	key    []byte
}

// Append appends all metrics.
func (x *Exposition) Append(b []byte, t Totals) []byte {
	room, dropped := MostSeries, t.Dropped
	for i := range x.metrics {
		m := &x.metrics[i]
		e := t.Maps[m.of.ID]
		if e == nil {
			continue
		}
		x.p.show(e)
		all, same := x.series(m, e, t)
		dropped += same
		s := x.shown[m.Name]
		size := s.size(m, all)
		fit := len(all)
		if size > 0 {
			fit = min(fit, room/size)
		}
		room, dropped = room-fit*size, dropped+uint64(len(all)-fit)
		all = all[:fit]
		slices.SortFunc(all, func(a, b series) int { return cmp.Compare(a.labels, b.labels) })
		s.labels = make(map[string]bool, fit)
		b = appendHead(b, m.Name, m.Kind, m.Help)
		for _, one := range all {
			s.labels[one.labels] = true
			b = x.element(b, m, s, one)
		}
	}
	return x.own(b, t.Losses, dropped)
}

// series are the elements of a map, first those that were written the last time. Elements whose labels are the
// same, as of addresses in one function, are one if they can be merged; same is how many others there are.
func (x *Exposition) series(m *Metric, e *event.Map, t Totals) (all []series, same uint64) {
	agg := m.of.Value.Kind.Aggregation()
	texts := x.textsOf(m, t)
	at := map[string]int{}
	before := x.shown[m.Name].labels
	for _, entry := range e.Snapshot.Entries {
		if agg != nil && agg.Shape != types.Single && agg.IsEmpty(entry.Value) {
			continue
		}
		labels := string(x.labels(nil, m, entry.Key, texts))
		i, known := at[labels]
		switch {
		case !known:
			at[labels] = len(all)
			all = append(all, series{labels, value.Of(m.value, entry.Value[m.at:]), before[labels], entry.Key})
		case agg != nil:
			sum := bytes.Clone(all[i].value.Data)
			agg.Merge(sum, entry.Value, &m.of.Value.Agg)
			all[i].value = value.Of(m.value, sum)
		default:
			same++
		}
	}
	slices.SortStableFunc(all, func(a, b series) int {
		switch {
		case a.old == b.old:
			return 0
		case a.old:
			return -1
		}
		return 1
	})
	return all, same
}

// textsOf are the texts beside the elements of a metric, by their keys.
func (x *Exposition) textsOf(m *Metric, t Totals) (list []map[string]value.Value) {
	for _, of := range m.texts {
		texts := map[string]value.Value{}
		if e := t.Maps[of.ID]; e != nil {
			for _, entry := range e.Snapshot.Entries {
				texts[string(entry.Key)] = value.Of(of.Value, entry.Value)
			}
		}
		list = append(list, texts)
	}
	return list
}

// labels appends those of an element.
func (x *Exposition) labels(b []byte, m *Metric, key []byte, texts []map[string]value.Value) []byte {
	for n, v := range m.parts(key, texts) {
		b = x.label(b, m.Labels[n], v)
	}
	return b
}

// parts are the values of the labels of an element, with their places in Labels.
func (m *Metric) parts(key []byte, texts []map[string]value.Value) iter.Seq2[int, value.Value] {
	return func(yield func(int, value.Value) bool) {
		n := 0
		if m.of.Key != nil {
			for i, part := range event.KeyParts(value.Of(m.of.Key, key)) {
				if m.of.Schema.Fields[i].Constant {
					continue
				}
				for _, v := range shownParts(&m.of.Schema.Fields[i], part) {
					if !yield(n, v) {
						return
					}
					n++
				}
			}
		}
		for _, of := range texts {
			if v, ok := of[string(key)]; ok && !yield(n, v) {
				return
			}
			n++
		}
	}
}

// label appends a label. Its text is as fst shows it, so that all of it is UTF-8.
func (x *Exposition) label(b []byte, name string, v value.Value) []byte {
	return appendLabel(b, name, string(x.p.text(nil, v)))
}

func appendLabel(b []byte, name, text string) []byte {
	if len(b) > 0 {
		b = append(b, ',')
	}
	b = append(append(b, name...), `="`...)
	return append(appendProse(b, text, true), '"')
}

// appendProse appends a text with the escapes of the format.
func appendProse(b []byte, text string, quotes bool) []byte {
	for _, c := range []byte(text) {
		switch {
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\\', c == '"' && quotes:
			b = append(b, '\\', c)
		default:
			b = append(b, c)
		}
	}
	return b
}

func appendHead(b []byte, name, kind, help string) []byte {
	b = append(append(append(b, "# HELP "...), name...), ' ')
	b = append(appendProse(b, help, false), '\n')
	return append(append(append(append(append(b, "# TYPE "...), name...), ' '), kind...), '\n')
}

// shapeOfValue is that of an aggregation; any other value is a single number.
func shapeOfValue(t *types.Type) types.Shape {
	if agg := t.Kind.Aggregation(); agg != nil {
		return agg.Shape
	}
	return types.Single
}

// size is how many series an element is, at most.
func (s *shownSeries) size(m *Metric, all []series) int {
	switch shapeOfValue(m.of.Value) {
	case types.Buckets:
		for _, one := range all {
			first, end := one.value.Histogram().Range()
			if s.end == 0 || first < s.first {
				s.first = first
			}
			s.end = max(s.end, end)
		}
		return s.end - s.first + 2
	case types.Quantiles:
		return len(quantileShares) + 1
	case types.Totals:
		return 2
	case types.Ranking:
		return m.of.Value.Agg.N
	}
	return 1
}

// sample appends one line.
func sample(b []byte, name, suffix, labels, extra string) []byte {
	b = append(append(b, name...), suffix...)
	if labels == "" && extra == "" {
		return append(b, ' ')
	}
	b = append(append(b, '{'), labels...)
	if labels != "" && extra != "" {
		b = append(b, ',')
	}
	return append(append(b, extra...), "} "...)
}

// element appends the lines of an element.
func (x *Exposition) element(b []byte, m *Metric, s *shownSeries, one series) []byte {
	v := one.value
	line := func(suffix, extra string, n uint64, signed bool, unit types.Unit) {
		b = append(appendBase(sample(b, m.Name, suffix, one.labels, extra), n, signed, unit), '\n')
	}
	count := types.Unit{}
	switch shapeOfValue(m.of.Value) {
	case types.Buckets:
		h := v.Histogram()
		sum := uint64(0)
		for i := s.first; i < s.end; i++ {
			sum += h.Counts[i]
			if bound := h.Bounds(i); bound.Hi != math.MaxInt64 {
				line("_bucket", `le="`+string(appendBase(nil, uint64(bound.Hi), true, m.scale))+`"`, sum, false, count)
			}
		}
		line("_bucket", `le="+Inf"`, sum, false, count)
		line("_count", "", sum, false, count)
	case types.Quantiles:
		h := v.Histogram()
		for i, n := range divisor(0).quantileValues(h) {
			share := strconv.FormatFloat(float64(quantileShares[i].share)/1000, 'g', -1, 64)
			line("", `quantile="`+share+`"`, uint64(n), true, m.scale)
		}
		line("_count", "", h.Total(), false, count)
	case types.Totals:
		t := v.Totals()
		line("_sum", "", t.Total, t.Signed, m.scale)
		line("_count", "", t.Count, false, count)
	case types.Ranking:
		key := m.Labels[len(m.Labels)-1]
		seen := map[string]bool{}
		for _, r := range rankingOf(v) {
			label := string(x.label(nil, key, r.key))
			if !seen[label] {
				line("", label, r.Count, false, count)
			}
			seen[label] = true
		}
	default:
		line("", "", v.Uint(), v.Signed(), m.scale)
	}
	return b
}

// own appends fst's own metrics.
func (x *Exposition) own(b []byte, lost map[object.Loss]uint64, dropped uint64) []byte {
	byKind := map[string]uint64{LossName(object.LossRingFull): 0, LossName(object.LossMapFull): 0}
	for what, n := range lost {
		byKind[LossName(what.Kind)] += n
	}
	for i, m := range ownMetrics {
		b = appendHead(b, m.name, m.kind, m.help)
		switch i {
		case 0:
			labels := appendLabel(appendLabel(nil, "script", string(x.p.name(nil, x.script))), "version", x.version)
			b = append(sample(b, m.name, "", string(labels), ""), "1\n"...)
		case 1:
			kinds := make([]string, 0, len(byKind))
			for kind := range byKind {
				kinds = append(kinds, kind)
			}
			slices.Sort(kinds)
			for _, kind := range kinds {
				b = sample(b, m.name, "", string(appendLabel(nil, "kind", kind)), "")
				b = append(strconv.AppendUint(b, byKind[kind], 10), '\n')
			}
		case 2:
			b = append(strconv.AppendUint(sample(b, m.name, "", "", ""), dropped, 10), '\n')
		}
	}
	return b
}

// appendBase appends a number in seconds or bytes, exactly, except for numbers of bytes, or of nanoseconds in larger
// units, beyond 2^64.
func appendBase(b []byte, n uint64, signed bool, unit types.Unit) []byte {
	if signed && int64(n) < 0 {
		b, n = append(b, '-'), -n
	}
	hi, lo := bits.Mul64(n, uint64(max(unit.Scale, 1)))
	const second = 1_000_000_000
	switch {
	case hi > 0:
		f := float64(n) * float64(unit.Scale)
		if unit.Of == types.Time {
			f /= second
		}
		return strconv.AppendFloat(b, f, 'g', -1, 64)
	case unit.Of != types.Time:
		return strconv.AppendUint(b, lo, 10)
	}
	b = strconv.AppendUint(b, lo/second, 10)
	if rest := lo % second; rest > 0 {
		b = bytes.TrimRight(appendZeros(append(b, '.'), rest, 9), "0")
	}
	return b
}

// Prometheus shows at the end, in the text format of Prometheus, what the maps of a script have counted.
// All else that it prints is left out, but what concerns fst and losses, which go to the error stream.
type Prometheus struct {
	stream
	x      *Exposition
	totals func() (Totals, error)
	notes  notes
	exited bool
	told   map[object.Loss]uint64
}

// NewPrometheus returns a sink that writes to out when it ends.
func NewPrometheus(out, errs io.Writer, obj *object.Object, opts Options) *Prometheus {
	metrics, _ := Metrics(obj)
	return &Prometheus{stream: stream{out: out, errs: errs, opts: opts}, x: NewExposition(obj, metrics, opts.Version, opts), totals: opts.Totals,
		notes: notes{obj: obj}, told: map[object.Loss]uint64{}}
}

// Event implements event.Sink.
func (p *Prometheus) Event(e event.Event) {
	switch e := e.(type) {
	case *event.Exit:
		p.exited = true
	case *event.Lost:
		if p.exited && e.Count > 0 {
			p.told[e.What] = e.Count
			p.complain(p.notes.lossLine(e.What, e.Count))
		}
	default:
		p.say(e)
	}
}

// Flush implements event.Sink.
func (p *Prometheus) Flush() error { return p.err }

// End implements event.Ender.
func (p *Prometheus) End() error {
	t, err := p.totals()
	if err != nil {
		return err
	}
	for what, n := range p.told {
		t.Losses[what] = n
	}
	p.buf = p.x.Append(p.buf, t)
	p.flush()
	return p.err
}
