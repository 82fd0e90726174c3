package corpus

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"fst/compiler/object"
	"fst/compiler/target/fixture"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/scripts"
)

// variant is a way to run a tool.
type variant struct {
	params []string
	named  map[string]string
}

// variants are the options with which a tool does each of the things that it can do: those of its examples, and each of
// its flags alone. All ask for milliseconds, where there is a choice, and for a report each second.
func variants(t *testing.T, h scripts.Header) (list []variant) {
	t.Helper()
	add := func(params []string, named map[string]string, flag string) {
		v := variant{params, maps.Clone(named)}
		if v.named == nil {
			v.named = map[string]string{}
		}
		for _, o := range scripts.Groups["unit"] {
			delete(v.named, o.Long)
		}
		if slices.Contains(h.Common, "unit") {
			v.named["ms"] = "true"
		}
		if flag != "" {
			v.named[flag] = "true"
		}
		if strings.Contains(h.Usage, "[interval [count]]") {
			v.named["interval"] = "1"
		}
		if !slices.ContainsFunc(list, func(w variant) bool { return slices.Equal(v.params, w.params) && maps.Equal(v.named, w.named) }) {
			list = append(list, v)
		}
	}
	for _, example := range h.Examples {
		command, _, _ := strings.Cut(example, " | ")
		params, named, _, err := h.Args(strings.Fields(strings.ReplaceAll(command, "'", ""))[2:], shared)
		if err != nil {
			t.Fatal(err)
		}
		add(params, named, "")
	}
	for _, o := range h.Options {
		if o.Value == "" {
			add(list[0].params, list[0].named, o.Long)
		}
	}
	return list
}

// stays are the maps of reports that show how things stand, and not what was in the interval.
var stays = map[string]string{"readaheadstat": "@unused"}

// TestTotals makes sure that the figures of each tool add up: -m, -u and -n show the same times, as these are added in nanoseconds
// and divided when they are shown; and what reports at intervals show is what the one at the end would have shown, as each begins anew.
func TestTotals(t *testing.T) {
	k := kernel(t, fixture.Names[len(fixture.Names)-1])
	for _, name := range scripts.Names() {
		text, _ := scripts.Source(name)
		h, _ := scripts.ParseHeader(text)
		for _, v := range variants(t, h) {
			obj, err := compileWith(k, name+".fst", text, v.params, v.named)
			if err != nil {
				t.Errorf("%s %v: %v", name, v, err)
				continue
			}
			for _, fault := range slices.Concat(unitFaults(obj, v.named["ms"] != ""), intervalFaults(text, obj, stays[name])) {
				t.Errorf("%s %v: %s", name, v, fault)
			}
		}
	}
}

// TestTotalsFaults makes sure that TestTotals finds what it looks for.
func TestTotalsFaults(t *testing.T) {
	k := kernel(t, fixture.Names[len(fixture.Names)-1])
	const call = "call:vfs_read "
	for _, test := range []struct{ text, want string }{
		{call + `{ @ns = sum(took); @h = hist(took / unit()); @s = stats(took / unit()); @n[comm] = count(); @l[comm] = max(took); @t[comm] = sum(took); }
report { print(@h); print(@s); print(@ns); table("COMM %-16s N %d TIME %T MAX %T AVG %T", @n, @t, @l, @t / @n); }`, ""},
		{call + `{ @t[comm] = sum(took / 1000); } report { table("COMM %s TIME %T", @t); }`, "@t adds times in us; time_ms is in s; @t of time_ms is in us"},
		{call + `{ $d = nsecs - nsecs % 7; @t[comm] = avg(($d / 2) / 1000000); } report { print(@t); }`, "@t adds times in ms"},
		{call + `{ @t[comm] = took / 1ms; } report { print(@t); }`, "@t keeps times in ms; @t goes on from one report to the next"},
		{call + `{ @h = hist(took / 1us); @s = hist(took); } report { print(@h); print(@s); }`, "the buckets of @h are of us; the buckets of @s are of ns"},
		{call + `{ @t[comm] = sum(pid); } report { table("COMM %s TIME %T", @t); }`, "@t of time_ms is in "},
		{call + `{ row("LAT(us) %d", took / 1us); @n = count(); } report { print(@n); }`, "lat_us is in us"},
		{call + `{ @n[comm]++; @seen[comm] = comm; } report { print(@n); print(@seen); }`, "@n goes on from one report to the next"},
	} {
		obj, err := compileWith(k, "tool.fst", test.text+`begin { printf("in %s\n", unit_name()); }`, nil, map[string]string{"ms": "true", "interval": "1"})
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got := strings.Join(slices.Concat(unitFaults(obj, true), intervalFaults(test.text, obj, "")), "; "); got != test.want {
			t.Errorf("%s\n\thas %s\n\tnot %s", test.text, got, test.want)
		}
	}
}

// unitFaults looks at the times that are kept and shown, in milliseconds if that was asked for.
func unitFaults(obj *object.Object, ms bool) (faults []string) {
	fault := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(faults, text) {
			faults = append(faults, text)
		}
	}
	milliseconds, _ := types.UnitNamed("ms")
	for _, m := range obj.ScriptMaps() {
		f := m.Schema.Fields[m.Schema.Keys]
		r := f.Type.Kind.Aggregation()
		switch {
		case r == nil && f.Unit.Of == types.Time && f.Unit.Scale != 1:
			fault("%s keeps times in %v", m.Name, f.Unit)
		case r != nil && r.Adds != nil && r.Adds(&f.Type.Agg) && f.Unit.Of == types.Time && max(f.Type.Agg.Divisor, 1) != f.Unit.Scale:
			fault("%s adds times in %v", m.Name, f.Unit)
		case ms && r != nil && r.Shape == types.Buckets && f.Unit != milliseconds:
			fault("the buckets of %s are of %v", m.Name, f.Unit)
		}
	}
	for _, m := range obj.Messages {
		if m.Schema == nil || m.Kind != object.MsgRow && m.Kind != object.MsgTable && m.Kind != object.MsgPrintValue && m.Kind != object.MsgPrintf {
			continue
		}
		for i, f := range m.Schema.Fields {
			if ms && f.Unit.Of == types.Time && f.Role == object.RoleArg && f.Unit != milliseconds {
				fault("%s is in %v", f.Name, f.Unit)
			}
			if m.Kind == object.MsgTable && f.Unit.Of == types.Time {
				eachMap(m.Table.Terms[i-m.Schema.Keys], func(n int) {
					m := obj.Maps[m.Table.Maps[n]]
					if v := m.Schema.Fields[m.Schema.Keys]; v.Type.Kind != types.Count && v.Unit != types.Nanoseconds {
						fault("%s of %s is in %v", m.Name, f.Name, v.Unit)
					}
				})
			}
		}
	}
	return faults
}

func eachMap(t object.Term, do func(n int)) {
	switch {
	case t.Op == 0:
		do(t.Map)
	case t.X != nil:
		eachMap(*t.X, do)
		eachMap(*t.Y, do)
	}
}

// intervalFaults looks at the maps that reports at intervals show: those that count must begin anew with each.
func intervalFaults(text string, obj *object.Object, stays string) (faults []string) {
	var set source.Set
	var diags diag.List
	begins := map[string]bool{}
	for _, m := range obj.Messages {
		if m.Kind == object.MsgDrain {
			begins[obj.Maps[m.Map].Name] = true
		}
	}
	kept := map[string]*object.Map{}
	for _, m := range obj.ScriptMaps() {
		kept[m.Name] = m
	}
	for _, c := range parse.Parse(set.Add("tool.fst", text), &diags).Clauses {
		if len(c.Probes) == 0 || c.Probes[0].Provider != "report" {
			continue
		}
		ast.Walk(c.Body, func(n ast.Node) bool {
			if n, ok := n.(*ast.Map); ok {
				m := kept["@"+n.Name]
				if m != nil && (m.Value.Kind.IsNumber() || m.Value.Kind.IsChart()) && !begins[m.Name] && m.Name != stays {
					faults = append(faults, m.Name+" goes on from one report to the next")
				}
			}
			return true
		})
	}
	return faults
}
