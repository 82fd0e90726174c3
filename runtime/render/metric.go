package render

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/object"
	"fst/compiler/types"
)

// Metric is what a map of a script is to a system of metrics, such as Prometheus.
type Metric struct {
	// Name is that of the series, in base units: fst_biolatency_latency_seconds. It differs from those of
	// all other metrics of the script.
	Name string
	// Kind is "counter", "gauge", "histogram" or "summary".
	Kind string
	// Unit is "seconds", "bytes" or empty.
	Unit string
	Help string
	// Labels are the names of the parts of the key, but those that are constant, and of what a table shows beside them.
	// They are those of the table's headings or, of a map that no table shows, those of the script.
	Labels []string

	title string // what of the script it is: @m, or @m, part
	of    *object.Map
	texts []*object.Map // with the same keys: what they hold are the last of Labels
	// value is how the map's values are read, and scale the unit that they then have: a total that is shown
	// divided, as of sum(took / 1ms), is not divided.
	value *types.Type
	scale types.Unit
	// at is where in the map's values the number is: of those that are tuples, each number is a metric.
	at int
}

// Metrics are those of a script: of each map that it shows, or leaves to be shown at its end, if it
// has numbers. If there are none, why tells the reason.
func Metrics(obj *object.Object) (list []Metric, why string) {
	script := measurement(obj)
	if script == "fst" || script == "script" { // a program of the command line
		script = ""
	}
	question := questionOf(obj)
	taken := map[string]bool{}
	for _, name := range ownMetrics {
		taken[name.name] = true
	}
	why = "the script keeps no numbers in maps; what it prints line by line is for the formats json, csv and influx"
	for _, m := range obj.ScriptMaps() {
		if !isResult(obj, m) {
			continue
		}
		if reason := unsuitable(m); reason != "" {
			why = m.Name + " " + reason
			continue
		}
		field := &m.Schema.Fields[m.Schema.Keys]
		if len(field.Parts) == 0 {
			list = append(list, newMetric(obj, m, field, strings.TrimPrefix(m.Name, "@"), script, question, taken))
			continue
		}
		for at, part := range numbersWithin(field, m.Value) {
			one := newMetric(obj, m, part, part.Name, script, question, taken)
			one.at = at
			list = append(list, one)
		}
	}
	if len(list) > 0 {
		why = ""
	}
	return list, why
}

// numbersWithin are the numbers in a tuple or record and in those within it, with where each is: fields that
// have its type, and names that lead to it (c_1_0).
func numbersWithin(f *object.Field, t *types.Type) iter.Seq2[int, *object.Field] {
	return func(yield func(int, *object.Field) bool) {
		for n, part := range t.Fields() {
			of := object.Field{Name: f.Name + "_" + cmp.Or(part.Name, strconv.Itoa(n))}
			if n < len(f.Parts) {
				of = f.Parts[n]
			}
			of.Type = part.Type
			if isStored(part.Type) && !yield(part.Offset, &of) {
				return
			}
			if !isParts(part.Type) {
				continue
			}
			for at, number := range numbersWithin(&of, part.Type) {
				if !yield(part.Offset+at, number) {
					return
				}
			}
		}
	}
}

// MetricMaps are what metrics are made of.
func MetricMaps(list []Metric) (maps []*object.Map) {
	for _, m := range list {
		for _, one := range append([]*object.Map{m.of}, m.texts...) {
			if !slices.Contains(maps, one) {
				maps = append(maps, one)
			}
		}
	}
	return maps
}

// isResult reports whether a map is something that the script shows, or that is shown at its end. What only options that are not given
// would fill is none.
func isResult(obj *object.Object, m *object.Map) bool {
	if m.Unused || m.Scratch || m.Value == nil || m.Initial == nil && !isFilled(obj, m) {
		return false
	}
	emptied := false
	for _, msg := range obj.Messages {
		switch msg.Kind {
		case object.MsgTable:
			if slices.Contains(msg.Table.Maps, m.ID) {
				return true
			}
		case object.MsgPrintMap, object.MsgPrintEntry, object.MsgHeat:
			if msg.Map == m.ID {
				return true
			}
		case object.MsgClear, object.MsgDrain:
			emptied = emptied || msg.Map == m.ID
		}
	}
	return obj.Config.PrintMapsOnExit && !emptied
}

// isFilled reports whether a program refers to a map.
func isFilled(obj *object.Object, m *object.Map) bool {
	return slices.ContainsFunc(obj.Programs, func(p *object.Program) bool { return p.Code.RefersTo(m.ID) })
}

// unsuitable tells why a map has no metric, or is empty.
func unsuitable(m *object.Map) string {
	kind := m.Value.Kind
	switch {
	case slices.ContainsFunc(m.Schema.Fields[:m.Schema.Keys], func(f object.Field) bool { return hasStacks(f.Type) }):
		return "has stacks in its keys, which are no labels: use -f pprof, html or folded"
	case kind.Has(types.Series):
		return "is a tseries(), which has times of its own: use -f influx"
	case !kind.IsAggregation() && !hasNumbers(m.Value):
		return "has no numbers"
	}
	return ""
}

// isStored reports whether a value of a type is a number that a script stores.
func isStored(t *types.Type) bool { return t.Kind == types.Int || t.Kind == types.Bool }

// hasNumbers reports whether a value of a type is a number, or has one within.
func hasNumbers(t *types.Type) bool {
	return isStored(t) || isParts(t) && slices.ContainsFunc(t.Fields(), func(f types.Field) bool { return hasNumbers(f.Type) })
}

func isParts(t *types.Type) bool { return t.Kind == types.Tuple || t.Kind == types.Record }

func hasStacks(t *types.Type) bool {
	return t.IsStack() || isParts(t) && slices.ContainsFunc(t.Fields(), func(f types.Field) bool { return hasStacks(f.Type) })
}

// newMetric is the metric of a map's values, or of a part of them, by its name.
func newMetric(obj *object.Object, m *object.Map, value *object.Field, name, script, question string, taken map[string]bool) Metric {
	one := Metric{of: m, Kind: metricKind(value.Type), value: value.Type, scale: value.Unit}
	switch {
	case m.Value.Kind.Has(types.Ranking): // its numbers are counts
		one.scale = types.Unit{}
	case value.Unit.Of == types.Time:
		one.Unit = "seconds"
	case value.Unit.Of == types.Bytes:
		one.Unit = "bytes"
	}
	if one.Unit == "" {
		one.scale = types.Unit{}
	} else if d := m.Value.Agg.Divisor; d > 1 && one.scale.Scale%d == 0 {
		one.value, one.scale.Scale = &types.Type{Kind: m.Value.Kind, Size: m.Value.Size, Agg: m.Value.Agg}, one.scale.Scale/d
		one.value.Agg.Divisor = 1
	}
	if name == "" && script == "" {
		name = m.Value.Kind.String()
	}
	one.Name = metricName(script, name, one.Unit, value.Unit.String(), one.Kind, taken)
	how := "values"
	if m.Value.Kind.IsAggregation() {
		how = m.Value.Kind.String() + "()"
	}
	one.title, one.Help = m.Name, m.Name+", "+how
	if value.Type != m.Value {
		one.title = m.Name + ", " + value.Name
		one.Help = one.title
	}
	if question != "" {
		one.Help = question + " (" + one.Help + ")"
	}
	labels := map[string]bool{"le": true, "quantile": true}
	add := func(name string) {
		name = sanitized(name)
		if strings.HasPrefix(name, "__") {
			name = "key" + name
		}
		unique := name
		for n := 2; labels[unique]; n++ {
			unique = name + "_" + strconv.Itoa(n)
		}
		labels[unique] = true
		one.Labels = append(one.Labels, unique)
	}
	named := m.Schema
	for _, msg := range obj.Messages {
		if msg.Kind == object.MsgTable && slices.Contains(msg.Table.Maps, m.ID) {
			named = msg.Schema
		}
	}
	for i, f := range m.Schema.Fields[:m.Schema.Keys] {
		if !f.Constant {
			for _, name := range shownNames(&named.Fields[i]) {
				add(name)
			}
		}
	}
	one.texts = textsBeside(obj, m)
	for _, t := range one.texts {
		add(strings.TrimPrefix(t.Name, "@"))
	}
	if m.Value.Kind.Has(types.Ranking) {
		add("key")
	}
	return one
}

// textsBeside are the maps of texts that a table shows beside m: they name what its keys are.
func textsBeside(obj *object.Object, m *object.Map) (texts []*object.Map) {
	for _, msg := range obj.Messages {
		if msg.Kind != object.MsgTable || !slices.Contains(msg.Table.Maps, m.ID) {
			continue
		}
		for _, id := range msg.Table.Maps {
			if t := obj.Maps[id]; t.Value != nil && t.Value.Kind == types.String && !slices.Contains(texts, t) {
				texts = append(texts, t)
			}
		}
	}
	return texts
}

// metricKind is that of the values of a type. A sum of signed numbers may decrease: it is a gauge.
func metricKind(t *types.Type) string {
	agg := t.Kind.Aggregation()
	switch {
	case agg == nil:
		return "gauge"
	case agg.Shape == types.Buckets:
		return "histogram"
	case agg.Shape == types.Totals, agg.Shape == types.Quantiles:
		return "summary"
	case agg.Grows != nil && agg.Grows(&t.Agg):
		return "counter"
	}
	return "gauge"
}

// metricName is fst_SCRIPT_MAP_UNIT, with _total behind that of a counter. own is the unit of the map, in which unit is counted: a
// name that ends with it says so, while @h of microseconds is no time in hours.
func metricName(script, name, unit, own, kind string, taken map[string]bool) string {
	parts := []string{"fst"}
	if script != "" {
		parts = append(parts, sanitized(script))
	}
	name = strings.TrimSuffix(sanitized(name), "_total")
	if name == "total" && kind == "counter" {
		name = ""
	}
	if unit != "" {
		last := name[strings.LastIndexByte(name, '_')+1:]
		if last == own || last == unit {
			name = strings.TrimSuffix(strings.TrimSuffix(name, last), "_")
		}
	}
	if name != "" {
		parts = append(parts, name)
	}
	if unit != "" {
		parts = append(parts, unit)
	}
	if kind == "counter" {
		parts = append(parts, "total")
	}
	base := strings.Join(parts, "_")
	unique := base
	for n := 2; taken[unique]; n++ {
		unique = strings.TrimSuffix(base, "_total") + "_" + strconv.Itoa(n)
		if kind == "counter" {
			unique += "_total"
		}
	}
	taken[unique] = true
	return unique
}

// sanitized is a name of letters, digits and _.
func sanitized(name string) string {
	b := []byte(name)
	for i, c := range b {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= '0' && c <= '9') {
			b[i] = '_'
		}
	}
	if len(b) > 0 && b[0] >= '0' && b[0] <= '9' {
		b = append([]byte{'_'}, b...)
	}
	return string(b)
}

// questionOf is what the first comment of a script says: "NAME: the question", as tools have it.
func questionOf(obj *object.Object) string {
	if obj.Sources == nil {
		return ""
	}
	f := obj.Sources.File(1)
	if f == nil {
		return ""
	}
	for line := range strings.Lines(f.Text) {
		if strings.HasPrefix(line, "#!") {
			continue
		}
		comment, ok := strings.CutPrefix(line, "// ")
		if !ok {
			return ""
		}
		_, question, _ := strings.Cut(comment, ": ")
		return strings.TrimSpace(cmp.Or(question, comment))
	}
	return ""
}
