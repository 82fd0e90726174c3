package render

import (
	"slices"

	"fst/compiler/object"
	"fst/compiler/types"
)

// WithoutStackMaps tells why there is no flame graph of a script; it is empty for one that shows a map with stacks in its keys.
func WithoutStackMaps(obj *object.Object) (why string) {
	if slices.ContainsFunc(obj.ScriptMaps(), func(m *object.Map) bool { return isResult(obj, m) && byStack(m) }) {
		return ""
	}
	return "the script shows no map with stacks in its keys, as @[ustack] = count() is"
}

// WithoutStacks is the same of stacks that are printed, too.
func WithoutStacks(obj *object.Object) (why string) {
	for _, m := range obj.Messages {
		if m.Kind.HasValues() && slices.ContainsFunc(m.Fields, func(f object.MessageField) bool { return hasStacks(f.Type) }) {
			return ""
		}
	}
	return WithoutStackMaps(obj)
}

// WithoutTimeline tells why there is nothing of a script on a timeline: neither events, rows, tables and printed values, nor numbers in maps.
func WithoutTimeline(obj *object.Object) (why string) {
	if showsRows(obj) || slices.ContainsFunc(obj.ScriptMaps(), func(m *object.Map) bool { return isResult(obj, m) && isCounter(m) }) {
		return ""
	}
	return "the script shows neither events, rows, tables and printed values, nor numbers in maps; histograms and stacks are for the format html"
}

func showsRows(obj *object.Object) bool {
	return slices.ContainsFunc(obj.Messages, func(m *object.Message) bool { return m.Kind == object.MsgTable || m.Kind.HasValues() })
}

// WithoutRows tells why nothing of a script is in lines of values: it shows neither events, rows, printed values and tables, nor maps.
func WithoutRows(obj *object.Object) (why string) {
	if showsRows(obj) || slices.ContainsFunc(obj.ScriptMaps(), func(m *object.Map) bool { return isResult(obj, m) }) {
		return ""
	}
	return "the script shows neither events, rows, tables and printed values, nor maps"
}

// WithoutTelemetry tells why nothing of a script goes to a collector: it says nothing, and its maps are no metrics.
func WithoutTelemetry(obj *object.Object) (why string) {
	list, why := Metrics(obj)
	if len(list) > 0 || slices.ContainsFunc(obj.Messages, func(m *object.Message) bool {
		return m.Kind.IsShown() && m.Kind != object.MsgTable && !m.Kind.NeedsMap()
	}) {
		return ""
	}
	return why
}

// isCounter reports whether the values of a map are numbers that a timeline can show.
func isCounter(m *object.Map) bool {
	if m.Value == nil || byStack(m) {
		return false
	}
	agg := m.Value.Kind.Aggregation()
	isInt := func(f types.Field) bool { return f.Type.Kind == types.Int }
	return m.Value.Kind == types.Int || (m.Value.Kind == types.Tuple || m.Value.Kind == types.Record) && slices.ContainsFunc(m.Value.Fields(), isInt) || agg != nil && slices.Contains([]types.Shape{types.Single, types.Totals, types.Quantiles}, agg.Shape)
}
