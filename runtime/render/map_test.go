package render

import (
	"math"
	"testing"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/value"
)

const (
	half = "@@@@@@@@@@@@@@@@@@@@@@@@@@                          "
	full = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
	none = "                                                    "
)

func showMap(b *both, top, div int64, name string, entries ...operand) {
	b.each(func(o form) {
		m, s := snapshot(name, entries...)
		o.Map(m, s, top, div)
	})
}

func TestMaps(t *testing.T) {
	tests := []struct {
		name       string
		top, div   int64
		entries    []operand
		text, json string // json is the data
	}{
		{"scalar", 0, 0, []operand{i64(-1)}, "@m: -1\n", `-1`},
		{"string", 0, 0, []operand{str("a b")}, "@m: a b\n", `"a b"`},
		{"keyed", 0, 0, []operand{str("z"), i64(2), str("k"), i64(1)}, "@m[k]: 1\n@m[z]: 2\n", `{"k": 1, "z": 2}`},
		{"top", 1, 0, []operand{str("a"), count(1), str("b"), count(2)}, "@m[b]: 2\n", `{"b": 2}`},
		{"top larger", 9, 0, []operand{str("a"), count(1), str("b"), count(2)}, "@m[a]: 1\n@m[b]: 2\n", `{"a": 1, "b": 2}`},
		{"div", 0, 10, []operand{i64(20), i64(-19), i64(3), i64(25)}, "@m[20]: -1\n@m[3]: 2\n", `{"20": -1, "3": 2}`},
		{"div in tuple", 0, 10, []operand{tuple(i64(20), str("25"))}, "@m: (2, 25)\n", `[2,"25"]`},
		{"div of stats", 0, 3, []operand{aggregate(types.Stats, false, 13, 2)}, "@m: { .count = 2, .average = 2, .total = 13 }\n", `{"count": 2, "average": 2, "total": 13}`},
		{"negative key", 0, 0, []operand{i64(-1), boolean(true)}, "@m[-1]: true\n", `{"-1": true}`},
		{"bool key", 0, 0, []operand{boolean(true), i64(1)}, "@m[true]: 1\n", `{"true": 1}`},
		{"empty string", 0, 0, []operand{str(""), i64(1)}, "@m[]: 1\n", `{"": 1}`},
		{"string in parentheses", 0, 0, []operand{str("(x)"), i64(1)}, "@m[(x)]: 1\n", `{"(x)": 1}`},
		{"tuple key", 0, 0, []operand{tuple(str(""), i64(0)), i64(1)}, "@m[, 0]: 1\n", `{",0": 1}`},
		{"nested tuple key", 0, 0, []operand{tuple(i64(1), tuple(i64(2), str("a b"))), i64(1)}, "@m[1, (2, a b)]: 1\n", `{"1,(2,a b)": 1}`},
		{"record key", 0, 0, []operand{record(i64(1).as("a"), str("x").as("b")), i64(1)}, "@m[{ .a = 1, .b = x }]: 1\n", `{"{.a=1,.b=x}": 1}`},
		{"array key", 0, 0, []operand{array(types.U8, 1, 2, 3), i64(1)}, "@m[[1,2,3]]: 1\n", `{"[1,2,3]": 1}`},
		{"pointer key", 0, 0, []operand{pointer(16), pointer(16)}, "@m[0x10]: 0x10\n", `{"0x10": 16}`},
		{"enum key", 0, 0, []operand{enum(1), enum(1)}, "@m[B]: B\n", `{"B": 1}`},
		{"symbol key", 0, 0, []operand{words(&types.Type{Kind: types.KSym, Size: 8}, 0x1010), i64(1)}, "@m[vfs_read]: 1\n", `{"vfs_read": 1}`},
		{"buffer key", 0, 0, []operand{buffer("ab\x01"), i64(1)}, `@m[ab\x01]: 1` + "\n", `{"ab\\x01": 1}`},
		{"user key", 0, 0, []operand{name(types.Username, 0), i64(1)}, "@m[root]: 1\n", `{"root": 1}`},
		{"quote in key", 0, 0, []operand{str(`a"b`), i64(1)}, "@m[a\"b]: 1\n", `{"a\"b": 1}`},
		{"avg", 0, 0, []operand{aggregate(types.Avg, true, -7, 2)}, "@m: -3\n", `-3`},
		{"sum", 0, 0, []operand{aggregate(types.Sum, true, -2, 2)}, "@m: -2\n", `-2`},
		{"max", 0, 0, []operand{aggregate(types.Max, false, -1, 1)}, "@m: 18446744073709551615\n", `"18446744073709551615"`},
		{"zeroed key", 0, 0, []operand{i64(1), count(0)}, "@m[1]: 0\n", `{"1": 0}`},
		{"zeroed hist of a key", 0, 0, []operand{i64(1), hist(0)}, "@m[1]:\n\n", `{"1": []}`},
		{"hist", 0, 0, []operand{hist(0, 0, 3, 3, 9)}, "@m:\n" +
			"[0]                    1 |" + half + "|\n" +
			"[1]                    0 |" + none + "|\n" +
			"[2, 4)                 2 |" + full + "|\n" +
			"[4, 8)                 0 |" + none + "|\n" +
			"[8, 16)                1 |" + half + "|\n\n",
			`[{"min": 0, "max": 0, "count": 1},{"min": 1, "max": 1, "count": 0},{"min": 2, "max": 3, "count": 2},{"min": 4, "max": 7, "count": 0},{"min": 8, "max": 15, "count": 1}]`},
		{"negative hist", 0, 0, []operand{hist(0, -5, math.MinInt64)}, "@m:\n(..., 0)               2 |" + full + "|\n\n", `[{"max": -1, "count": 2}]`},
		{"hist div", 0, 2, []operand{hist(0, 4, 4, 4, 5, 9)}, "@m:\n[4, 8)                 2 |" + full + "|\n[8, 16)                0 |" + none + "|\n\n",
			`[{"min": 4, "max": 7, "count": 2},{"min": 8, "max": 15, "count": 0}]`},
		{"hist of keys", 0, 0, []operand{str("read"), hist(0, 4, 4), str("write"), hist(0, 5)},
			"@m[write]:\n[4, 8)                 1 |" + full + "|\n\n@m[read]:\n[4, 8)                 2 |" + full + "|\n\n",
			`{"write": [{"min": 4, "max": 7, "count": 1}], "read": [{"min": 4, "max": 7, "count": 2}]}`},
		{"lhist", 0, 7, []operand{lhist(0, 30, 10, -1, 11, 30, 90)}, "@m:\n" +
			"(..., 0)               1 |" + half + "|\n" +
			"[0, 10)                0 |" + none + "|\n" +
			"[10, 20)               1 |" + half + "|\n" +
			"[20, 30)               0 |" + none + "|\n" +
			"[30, ...)              2 |" + full + "|\n\n",
			`[{"max": -1, "count": 1},{"min": 0, "max": 9, "count": 0},{"min": 10, "max": 19, "count": 1},{"min": 20, "max": 29, "count": 0},{"min": 30, "count": 2}]`},
		{"stack key", 0, 0, []operand{kstack(1, "", 127), count(41)}, "@m[\n        vfs_read+1\n        ksys_read+97\n]: 41\n", `{"\nvfs_read+1\nksys_read+97\n": 41}`},
		{"stack among keys", 0, 0, []operand{tuple(i64(7), kstack(1, "", 1), str("cat")), count(3)}, "@m[7, \n        vfs_read+1\n, cat]: 3\n", `{"7,\nvfs_read+1\n,cat": 3}`},
		{"perf stack key", 0, 0, []operand{kstack(1, "perf", 1), count(3)}, "@m[\n\t1001 vfs_read+1\n]: 3\n", `{"\n\t1001 vfs_read+1\n": 3}`},
		{"stack value", 0, 0, []operand{kstack(1, "", 1)}, "@m: \n        vfs_read+1\n\n", `"\n        vfs_read+1\n"`},
		{"stack value of a key", 0, 0, []operand{str("a"), kstack(1, "", 1)}, "@m[a]: \n        vfs_read+1\n\n", `{"a": "\n        vfs_read+1\n"}`},
		{"hist of a stack", 0, 0, []operand{kstack(1, "", 1), hist(0, 4)}, "@m[\n        vfs_read+1\n]:\n[4, 8)                 1 |" + full + "|\n\n", `{"\nvfs_read+1\n": [{"min": 4, "max": 7, "count": 1}]}`},
		{"quantile", 0, 0, []operand{quantile(1, 2, 3, 4)}, "@m: p50 2 p90 4 p99 4 p99.9 4 max 4\n", `{"count": 4, "p50": 2, "p90": 4, "p99": 4, "p99.9": 4, "max": 4}`},
		{"quantiles in columns", 0, 0, []operand{str("a"), quantile(31), str("long"), quantile(5, 5)},
			"@m[a]:    p50 31 p90 31 p99 31 p99.9 31 max 31\n@m[long]: p50  5 p90  5 p99  5 p99.9  5 max  5\n",
			`{"a": {"count": 1, "p50": 31, "p90": 31, "p99": 31, "p99.9": 31, "max": 31}, "long": {"count": 2, "p50": 5, "p90": 5, "p99": 5, "p99.9": 5, "max": 5}}`},
	}
	for _, c := range tests {
		b := newBoth()
		showMap(b, c.top, c.div, "@m", c.entries...)
		m, _ := snapshot("", c.entries...)
		b.expect(t, c.name, c.text, `{"type": "`+mapType(m.Value.Kind)+`", "data": {"@m": `+c.json+"}}\n")
	}
}

func TestMapTypesInJSON(t *testing.T) {
	want := map[types.Kind]string{types.Int: "map", types.Count: "map", types.Sum: "map", types.Min: "map", types.Max: "map",
		types.Avg: "stats", types.Stats: "stats", types.Hist: "hist", types.LHist: "hist", types.TSeries: "tseries"}
	for k, w := range want {
		if got := mapType(k); got != w {
			t.Errorf("%s: %s, want %s", k, got, w)
		}
	}
}

func TestAnonymousMap(t *testing.T) {
	b := newBoth()
	showMap(b, 0, 0, "@", i64(3))
	showMap(b, 0, 0, "@", str("cat"), i64(3))
	b.expect(t, "anonymous", "@: 3\n@[cat]: 3\n", `{"type": "map", "data": {"@": 3}}`+"\n"+`{"type": "map", "data": {"@": {"cat": 3}}}`+"\n")
}

// TestUnsetMaps shows maps that have no value, by print and at exit.
func TestUnsetMaps(t *testing.T) {
	tests := []struct {
		name string
		typ  *types.Type
		text string
	}{
		{"int", types.I64, "@m: 0\n"}, {"string", types.StringType(8), "@m: \n"},
		{"count", aggregate(types.Count, false, 0).typ, "@m: 0\n"}, {"sum", aggregate(types.Sum, true, 0, 0).typ, "@m: 0\n"}, {"avg", aggregate(types.Avg, true, 0, 0).typ, "@m: 0\n"},
		{"stats", aggregate(types.Stats, true, 0, 0).typ, "@m: { .count = 0, .average = 0, .total = 0 }\n"},
		{"hist", hist(0).typ, ""}, {"lhist", lhist(0, 4, 1).typ, ""}, {"quantile", quantile().typ, ""},
	}
	for _, c := range tests {
		b, none := newBoth(), &value.Snapshot{}
		m := &object.Map{Name: "@m", Value: c.typ, Present: -1}
		if !c.typ.Kind.IsAggregation() {
			m.Present = c.typ.Size
		}
		form{b.text, b.obj}.Map(m, none, 0, 0)
		b.text.flush()
		if got := b.out.String(); got != c.text {
			t.Errorf("%s: %q, want %q", c.name, got, c.text)
		}
		b.out.Reset()
		b.each(func(o form) { o.Exit(); o.Map(m, none, 0, 0) })
		b.text.flush()
		if got := b.out.String(); got != "\n\n" {
			t.Errorf("%s at exit: %q", c.name, got)
		}
		b.json.flush()
		if b.lines.Len() > 0 {
			t.Errorf("%s at exit: %s", c.name, &b.lines)
		}
	}
	// A value that was set to 0 is there.
	b := newBoth()
	m := &object.Map{Name: "@m", Value: types.I64, Present: 8}
	s := &value.Snapshot{Entries: []value.Entry{{Value: append(num(0), num(1)...)}}}
	b.each(func(o form) { o.Exit(); o.Map(m, s, 0, 0) })
	b.expect(t, "zero", "\n\n@m: 0\n", `{"type": "map", "data": {"@m": 0}}`+"\n")
}

func TestExitDump(t *testing.T) {
	b := newBoth()
	b.each(form.Exit)
	b.expect(t, "no maps", "\n\n", "")
}

func TestBars(t *testing.T) {
	if got := barLength(1, 3); got != 17 {
		t.Errorf("1 of 3: %d", got)
	}
	if got := barLength(0, 0); got != 0 {
		t.Errorf("0 of 0: %d", got)
	}
	if got := barLength(1<<63, 1<<63); got != 52 {
		t.Errorf("all: %d", got)
	}
	// Counts beyond 31 bits are shown.
	b := newBoth()
	h := hist(0)
	copy(h.data[8:], num(5<<31))
	showMap(b, 0, 0, "@", h)
	b.expect(t, "large", "@:\n[0]             10737418240 |"+full+"|\n\n", `{"type": "hist", "data": {"@": [{"min": 0, "max": 0, "count": 10737418240}]}}`+"\n")
}
