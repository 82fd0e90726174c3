package fst

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"iter"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"google.golang.org/protobuf/encoding/protowire"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// documents check forms that are written at the end.
var documents = map[string]func(x *trial) error{"prometheus": checkPrometheus, "perfetto": checkPerfetto, "otlp": checkOTLP,
	"pprof": checkPprof, "speedscope": checkSpeedscope, "svg": checkSVG, "html": checkHTML, "folded": checkFolded}

// weighed is a map by stack, as a format of stacks has it.
type weighed struct {
	name, unit string
	sum        int64
}

// longUnits are the names that formats of stacks have for units.
var longUnits = map[string]string{"ns": "nanoseconds", "us": "microseconds", "ms": "milliseconds", "s": "seconds", "": "count"}

func hasStack(t *types.Type) bool {
	return t.IsStack() || (t.Kind == types.Tuple || t.Kind == types.Record) && slices.ContainsFunc(t.Fields(), func(f types.Field) bool { return hasStack(f.Type) })
}

// weights are the maps by stack, in the order in which they were shown.
func (x *trial) weights() (list []weighed) {
	for _, e := range x.events {
		m, ok := e.(*event.Map)
		if !ok || !slices.ContainsFunc(m.Map.Schema.Fields[:m.Map.Schema.Keys], func(f object.Field) bool { return hasStack(f.Type) }) {
			continue
		}
		field := &m.Map.Schema.Fields[m.Map.Schema.Keys]
		w := weighed{strings.TrimPrefix(m.Map.Name, "@"), cmp.Or(longUnits[field.Unit.String()], field.Unit.String()), 0}
		w.name = cmp.Or(w.name, field.Name)
		r := m.Elements(true)
		for i := range r.Entries {
			if v := r.Value(i); v.Type.Kind.IsNumber() {
				w.sum += v.Int()
			} else {
				w.sum, w.unit = w.sum+int64(v.Histogram().Total()), "count"
			}
		}
		list = append(list, w)
	}
	return list
}

// equal compares what the maps weigh.
func (x *trial) equal(got []weighed) error {
	if want := x.weights(); !slices.Equal(got, want) {
		return fmt.Errorf("%v, not %v", got, want)
	}
	return nil
}

func checkPprof(x *trial) error {
	p, err := profile.ParseData(x.out.Bytes())
	if err != nil {
		return err
	}
	var got []weighed
	for i, t := range p.SampleType {
		w := weighed{t.Type, t.Unit, 0}
		for _, s := range p.Sample {
			w.sum += s.Value[i]
		}
		got = append(got, w)
	}
	return x.equal(got)
}

func checkSpeedscope(x *trial) error {
	var file struct {
		Profiles []struct {
			Name, Unit string
			Weights    []int64
		}
	}
	if err := json.Unmarshal(x.out.Bytes(), &file); err != nil {
		return err
	}
	var got []weighed
	for _, p := range file.Profiles {
		w := weighed{p.Name, p.Unit, 0}
		if w.unit == "none" {
			w.unit = "count"
		}
		for _, n := range p.Weights {
			w.sum += n
		}
		got = append(got, w)
	}
	return x.equal(got)
}

func checkSVG(x *trial) error {
	if err := xml.Unmarshal(x.out.Bytes(), new(struct{})); err != nil {
		return err
	}
	var got []weighed
	for _, m := range regexp.MustCompile(`class="title">(.*): (\d+) ?(\w*)</text>`).FindAllStringSubmatch(x.out.String(), -1) {
		n, _ := strconv.ParseInt(m[2], 10, 64)
		got = append(got, weighed{m[1], cmp.Or(m[3], "count"), n})
	}
	return x.equal(got)
}

func checkFolded(x *trial) error {
	var got, want int64
	for _, m := range regexp.MustCompile(`(?m) (\d+)$`).FindAllStringSubmatch(x.out.String(), -1) {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		got += n
	}
	for _, w := range x.weights() {
		want += w.sum
	}
	for _, e := range x.events { // a stack that is printed counts once
		if r, ok := e.(*event.Record); ok && r.Message.Kind == object.MsgPrintValue && r.Message.Fields[0].Type.IsStack() {
			want++
		}
	}
	if got != want {
		return fmt.Errorf("%d, not %d: %s", got, want, &x.out)
	}
	return nil
}

// checkHTML: stacks weigh what they do, and all other numbers are in the page.
func checkHTML(x *trial) error {
	_, data, _ := strings.Cut(x.out.String(), `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	var page struct {
		Blocks []struct {
			Kind, Name, Unit string
			Rows             []struct{ Counts []int64 }
		}
	}
	if err := json.Unmarshal([]byte(data), &page); err != nil {
		return err
	}
	var got []weighed
	for _, b := range page.Blocks {
		if b.Kind != "stacks" {
			continue
		}
		w := weighed{cmp.Or(strings.TrimPrefix(b.Name, "@"), "count"), b.Unit, 0}
		for _, row := range b.Rows {
			for i := 1; i < len(row.Counts); i += 2 {
				w.sum += row.Counts[i]
			}
		}
		got = append(got, w)
	}
	return x.equal(got)
}

func checkPrometheus(x *trial) error {
	p := expfmt.NewTextParser(model.LegacyValidation)
	families, err := p.TextToMetricFamilies(bytes.NewReader(x.out.Bytes()))
	if err != nil {
		return err
	}
	kinds := map[string]string{"COUNTER": "counter", "GAUGE": "gauge", "HISTOGRAM": "histogram", "SUMMARY": "summary"}
	list, _ := x.prog.Metrics()
	totals, _ := x.totals()
	for _, m := range list {
		family := families[m.Name]
		if family == nil {
			return fmt.Errorf("no %s", m.Name)
		}
		if kinds[family.GetType().String()] != m.Kind {
			return fmt.Errorf("%s is a %s, not a %s", m.Name, family.GetType(), m.Kind)
		}
		sum := 0.0
		for _, one := range family.Metric {
			sum += one.GetCounter().GetValue() + one.GetGauge().GetValue()
			for _, label := range one.Label {
				if !slices.Contains(m.Labels, label.GetName()) && label.GetName() != "quantile" {
					return fmt.Errorf("%s has a label %s, which is not among %v", m.Name, label.GetName(), m.Labels)
				}
			}
		}
		of := regexp.MustCompile(`(@\w*), (\w+\(\)|values)\)`).FindStringSubmatch(m.Help)
		for _, e := range totals.Maps {
			if of == nil || e.Map.Name != of[1] || !e.Map.Value.Kind.IsNumber() || len(family.Metric) < len(e.Snapshot.Entries) {
				continue
			}
			unit := e.Map.Schema.Fields[e.Map.Schema.Keys].Unit
			scale := 1.0
			switch {
			case unit.Of == types.Time && m.Unit == "seconds":
				scale = 1e9 / float64(unit.Scale)
			case unit.Of == types.Bytes && m.Unit == "bytes":
				scale = 1 / float64(unit.Scale)
			case m.Unit != "":
				return fmt.Errorf("%s has the unit %s, and the map %s", m.Name, m.Unit, unit)
			}
			want := 0.0
			for _, entry := range e.Snapshot.Entries {
				want += float64(value.Of(e.Map.Value, entry.Value).Int())
			}
			if math.Abs(sum*scale-want) > float64(len(e.Snapshot.Entries)) { // what is divided is not rounded there
				return fmt.Errorf("%s: %v, not %v", m.Name, sum*scale, want)
			}
		}
	}
	return nil
}

// fieldsOf are all numbers and texts of a message in Protocol Buffers, as text.
func fieldsOf(b []byte, into *strings.Builder) {
	for len(b) > 0 {
		_, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return
		}
		b = b[n:]
		switch kind {
		case protowire.VarintType:
			var v uint64
			v, n = protowire.ConsumeVarint(b)
			fmt.Fprintf(into, "%d ", int64(v))
		case protowire.Fixed64Type:
			var v uint64
			v, n = protowire.ConsumeFixed64(b)
			fmt.Fprintf(into, "%d %s ", int64(v), strconv.FormatFloat(math.Float64frombits(v), 'f', -1, 64))
		case protowire.BytesType:
			var v []byte
			v, n = protowire.ConsumeBytes(b)
			fmt.Fprintf(into, "%s ", v)
			fieldsOf(v, into)
		default:
			n = protowire.ConsumeFieldValue(0, kind, b)
		}
		if n < 0 {
			return
		}
		b = b[n:]
	}
}

// contains looks for the numbers of some events in messages.
func contains(messages [][]byte, events iter.Seq[event.Event], skip func(told) bool) error {
	var all strings.Builder
	for _, m := range messages {
		fieldsOf(m, &all)
	}
	for e := range events {
		for _, n := range numbers(e) {
			if !strings.Contains(all.String(), n.digits) && !skip(n) {
				return fmt.Errorf("no %v of a %T", n, e)
			}
		}
	}
	return nil
}

// checkPerfetto: the numbers of events, rows and tables are in the trace.
func checkPerfetto(x *trial) error {
	return contains([][]byte{x.out.Bytes()}, func(yield func(event.Event) bool) {
		for _, e := range x.events {
			switch e.(type) {
			case *event.Record, *event.Table:
				if !yield(e) {
					return
				}
			}
		}
	}, func(n told) bool { return n.name == "took" }) // which is how long the span is
}

// checkOTLP: the numbers of events and rows are in the requests.
func checkOTLP(x *trial) error {
	var messages [][]byte
	for _, request := range x.whole {
		_, message, _ := bytes.Cut(request, []byte("\n"))
		messages = append(messages, message)
	}
	return contains(messages, func(yield func(event.Event) bool) {
		for _, e := range x.events {
			if _, ok := e.(*event.Record); ok && !yield(e) {
				return
			}
		}
	}, func(n told) bool { return n.name == "took" })
}
