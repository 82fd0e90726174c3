package main

import (
	"fmt"
	"math/rand"
	"strconv"
	"strings"
)

// generator writes random programs that are well typed and end, and whose
// output does not depend on the machine or on the order of hash maps.
type generator struct {
	*rand.Rand
	// common keeps to what this language and bpftrace define alike.
	common bool
	// noMapLoops leaves out what needs bpf_for_each_map_elem (5.13).
	noMapLoops bool

	out    strings.Builder
	depth  int // of the block
	vars   []variable
	maps   []*mapping
	macros []*macro
	names  int
	loop   int // loops round this statement
	work   int // what is left to write in this clause, in statements
	runs   int // how often this statement may run at most

	// quiet: the statement runs in an order that is not known, so it may
	// change only what does not depend on the order.
	quiet    bool
	shown    []*mapping // by print(@m) in this clause
	walked   *mapping   // what a loop over a map goes through
	silent   bool       // maps are not shown at the end
	longest  int        // literal
	inClause bool       // not in a macro
	exits    bool       // exit() may stand here and there

	timer bool // there is one: what BEGIN says may be read while it runs
	async bool // print(@m), clear() and zero() are allowed
}

// variable is a $variable that may be read here.
type variable struct {
	name  string
	t     *typ
	fixed bool // must not be assigned (loop counters)
	// width: ++ and the like may be used though it is narrow: its type is
	// declared, and stays.
	declared bool
	// It is wider than t in the end, so each time it is read it is cast.
	widens bool
}

// counts tells whether ++ and compound assignments leave a variable's type as
// the generator knows it.
func (v *variable) counts() bool {
	return v.t.kind == kInt && !v.fixed && (v.t.size == 8 || v.declared || v.widens)
}

// text reads the variable.
func (v *variable) text() string {
	if v.widens {
		return fmt.Sprintf("(%s)%s", v.t, v.name)
	}
	return v.name
}

// mapping is a @map.
type mapping struct {
	name string
	keys []*typ
	t    *typ   // of plain values
	agg  string // or an aggregation: count, sum, ...
	args string // of hist and lhist, behind the number
	num  *typ   // of what an aggregation is given
}

// macro is a macro without side effects on what it is not given.
type macro struct {
	name   string
	params []*typ
	byRef  []bool
	maps   []bool // parameters that are maps without keys
	result *typ
}

const (
	enumName = "colour"
	enumText = "enum colour { RED, GREEN = 5, BLUE = 77 };\n"
)

// structText defines a struct of eight bytes with what structs have.
const structText = "struct fuzz_parts { char a; unsigned short b; unsigned char c[3]; unsigned char d:3; unsigned char e:5; };\n"

var enumerators = []string{"RED", "GREEN", "BLUE"}

// aggregations that maps are made of.
var aggregations = []string{"count", "sum", "min", "max", "avg", "stats", "hist", "lhist", "quantile", "tseries"}

// chart tells whether an aggregation is no number, and not read as one.
func (m *mapping) chart() bool {
	return m.agg == "hist" || m.agg == "lhist" || m.agg == "quantile" || m.agg == "tseries"
}

// generate writes the program of a seed, for any kernel or for one as old as
// 5.10.
func generate(seed int64, old bool) string {
	g := &generator{Rand: rand.New(rand.NewSource(seed)), common: isCommon(seed), noMapLoops: old}
	return g.program()
}

// isCommon tells whether the program of a seed keeps to what is common with
// bpftrace.
func isCommon(seed int64) bool { return seed%2 == 0 }

func (g *generator) pf(format string, args ...any) { fmt.Fprintf(&g.out, format, args...) }

func (g *generator) fresh(prefix string) string {
	g.names++
	return prefix + strconv.Itoa(g.names)
}

func (g *generator) line(format string, args ...any) {
	g.out.WriteString(strings.Repeat("  ", g.depth))
	g.pf(format, args...)
	g.out.WriteByte('\n')
}

func (g *generator) program() string {
	g.out.WriteString(enumText + structText)
	g.config()
	for range 3 + g.Intn(8) {
		g.maps = append(g.maps, g.mapping())
	}
	for _, m := range g.maps {
		if m.t != nil && len(m.keys) > 0 && g.Intn(10) == 0 {
			g.line("let %s = %s(%d);", m.name, []string{"hash", "lruhash"}[g.Intn(2)], 1000+g.Intn(1000))
		}
	}
	for range g.Intn(4) {
		g.macro()
	}
	g.timer = g.Intn(6) == 0
	g.exits = !g.timer && g.Intn(8) == 0
	g.inClause = true
	g.first()
	clauses := 2 + g.Intn(6)
	for range clauses {
		if g.Intn(12) == 0 { // before the timer, and after it
			g.clause("begin,end", "")
			continue
		}
		g.clause("begin", "")
	}
	if g.timer {
		// A timer with exit(): what it does, it does three times.
		m := g.fresh("@ticks")
		g.vars = nil
		g.depth, g.work, g.runs, g.async = 0, 6, 3, false
		g.line("interval:ms:1 /%s < 3/ {", m)
		g.depth++
		g.line("%s++;", m)
		g.block(3)
		g.line("if (%s == 3) { exit(); }", m)
		g.depth--
		g.line("}")
	}
	for range g.Intn(3) {
		g.clause("end", "")
	}
	return g.out.String()
}

// config writes settings.
func (g *generator) config() {
	var set []string
	if g.silent = g.Intn(10) == 0; g.silent {
		set = append(set, "print_maps_on_exit = false")
	}
	g.longest = 69
	switch g.Intn(10) {
	case 0:
		set = append(set, fmt.Sprintf("max_strlen = %d", 80+8*g.Intn(30)))
	case 1: // the first statements have texts of three characters
		g.longest = 16 + g.Intn(40)
		set = append(set, fmt.Sprintf("max_strlen = %d", g.longest+1))
	}
	if g.Intn(10) == 0 && !g.common {
		set = append(set, `str_trunc_trailer = "~"`)
	}
	if len(set) > 0 {
		g.line("config = { %s }", strings.Join(set, "; "))
	}
}

// first gives every map something: one that nothing is stored in has no type.
func (g *generator) first() {
	g.vars, g.work, g.depth = nil, 0, 0
	g.line("begin {")
	g.depth++
	all := g.maps
	defer func() { g.maps = all }()
	for i, m := range all {
		g.maps = all[:i] // each from those that have a type
		if m.agg != "" {
			g.add(m, 1)
		} else {
			g.line("%s%s = %s;", m.name, g.key(m, 1), g.expr(m.t, 1))
		}
	}
	g.depth--
	g.line("}")
}

func (g *generator) clause(probe, filter string) {
	g.vars, g.work, g.runs, g.depth = nil, 8+g.Intn(25), 1, 0
	g.async, g.shown = !g.timer || probe == "end", nil
	if filter == "" && g.Intn(5) == 0 {
		filter = " /" + g.bool(2) + "/"
	}
	g.line("%s%s {", probe, filter)
	g.depth++
	g.block(4 + g.Intn(12))
	g.depth--
	g.line("}")
}

// mapping makes a map.
func (g *generator) mapping() *mapping {
	m := &mapping{name: g.fresh("@m")}
	for range []int{0, 0, 1, 1, 1, 2, 3}[g.Intn(7)] {
		m.keys = append(m.keys, g.typeOf(1))
	}
	if g.Intn(2) == 0 {
		m.t = g.typeOf(1)
		return m
	}
	m.agg = aggregations[g.Intn(len(aggregations)-b2i(g.common)-b2i(g.common || !g.silent))]
	m.num = []*typ{tInt64, tUint64}[g.Intn(2)]
	switch m.agg {
	case "tseries": // its times are those of the run: it is never shown
		m.args = fmt.Sprintf(", %dms, %d%s", 1+g.Intn(100), 2+g.Intn(6), []string{"", `, "sum"`, `, "avg"`, `, "min"`, `, "max"`}[g.Intn(5)])
	case "hist":
		if g.Intn(3) == 0 {
			m.args = fmt.Sprintf(", %d", g.Intn(6))
		}
	case "lhist":
		lo := g.Intn(10)
		step := 1 + g.Intn(7)
		m.args = fmt.Sprintf(", %d, %d, %d", lo, lo+step*(1+g.Intn(12)), step)
	}
	return m
}

// macro writes a macro that computes a value from its parameters.
func (g *generator) macro() {
	m := &macro{name: g.fresh("mac"), result: g.typeOf(0)}
	var params, set []string
	saved := g.maps
	g.maps, g.vars = nil, nil
	for range 1 + g.Intn(3) {
		t := g.typeOf(0)
		ref := g.Intn(2) == 0
		byMap := g.Intn(6) == 0
		m.params, m.byRef, m.maps = append(m.params, t), append(m.byRef, ref), append(m.maps, byMap)
		if byMap {
			name := "@" + g.fresh("p")
			g.maps = append(g.maps, &mapping{name: name, t: t})
			params = append(params, name)
			continue
		}
		name := g.fresh("p")
		if ref {
			name = "$" + name
			g.vars = append(g.vars, variable{name: name, t: t})
		} else {
			// The expression is substituted as often as it is named: read it once.
			v := "$" + g.fresh("v")
			let := "let "
			if g.common { // there a macro is expanded once in each scope then
				let = ""
			}
			set = append(set, fmt.Sprintf("%s%s = %s;", let, v, name))
			g.vars = append(g.vars, variable{name: v, t: t})
		}
		params = append(params, name)
	}
	g.pf("macro %s(%s) { %s ", m.name, strings.Join(params, ", "), strings.Join(set, " "))
	if v := g.assignable(nil); v != nil && g.Intn(2) == 0 {
		g.pf("%s = %s; ", v.name, g.expr(v.t, 1))
	}
	if len(g.maps) > 0 && g.Intn(2) == 0 {
		g.pf("%s = %s; ", g.maps[0].name, g.expr(g.maps[0].t, 1))
	}
	g.pf("%s }\n", g.expr(m.result, 2))
	g.maps, g.vars = saved, nil
	g.macros = append(g.macros, m)
}

// assignable is a variable of a type (of any, if t is nil) that may be
// changed, or nil.
func (g *generator) assignable(t *typ) *variable {
	var fit []*variable
	if g.quiet {
		return nil
	}
	for i := range g.vars {
		if v := &g.vars[i]; !v.fixed && (t == nil || same(v.t, t)) {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return fit[g.Intn(len(fit))]
}

// key is the text between the brackets of a map's key, or nothing.
func (g *generator) key(m *mapping, depth int) string {
	if len(m.keys) == 0 {
		return ""
	}
	if len(m.keys) > 1 { // a tuple stands for its parts
		whole := &typ{kind: kTuple, elems: m.keys}
		switch g.Intn(8) {
		case 0, 1:
			if v := g.readable(whole); v != "" {
				return "[" + v + "]"
			}
		case 2:
			return "[(" + strings.Join(g.keyList(m, depth), ", ") + ")]"
		}
	}
	return "[" + strings.Join(g.keyList(m, depth), ", ") + "]"
}

func (g *generator) keyList(m *mapping, depth int) []string {
	var keys []string
	for _, t := range m.keys {
		if g.Intn(3) > 0 {
			keys = append(keys, g.smallKey(t)) // so that keys meet
		} else {
			keys = append(keys, g.expr(t, depth))
		}
	}
	return keys
}

// smallKey is one of few values of a type.
func (g *generator) smallKey(t *typ) string {
	switch t.kind {
	case kInt:
		return g.cast(t, strconv.Itoa(g.Intn(4)))
	case kString:
		return []string{`"a"`, `"bc"`, `""`, `"def"`}[g.Intn(4)]
	}
	return g.expr(t, 0)
}

func (g *generator) cast(t *typ, text string) string {
	if text[0] == '{' { // a block expression stands on its own in bpftrace
		text = "(" + text + ")"
	}
	return fmt.Sprintf("(%s)%s", t, text)
}

// chooseMap returns a map that fits, or nil.
func (g *generator) chooseMap(fits func(*mapping) bool) *mapping {
	var fit []*mapping
	for _, m := range g.maps {
		if fits(m) {
			fit = append(fit, m)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return fit[g.Intn(len(fit))]
}
