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
	asJSON bool // bpftrace's output is compared as JSON
	// noMapLoops leaves out what needs bpf_for_each_map_elem (5.13).
	noMapLoops bool

	out     strings.Builder
	depth   int // of the block
	vars    []variable
	maps    []*mapping
	macros  []*macro
	within  *macro   // whose body is written
	calling []*macro // whose arguments are written
	names   int
	loop    int  // loops round this statement
	leaves  bool // break and continue may stand here
	work    int  // what is left to write in this clause, in statements
	runs    int  // how often this statement may run at most

	// quiet: the statement runs in an order that is not known, so it may
	// change only what does not depend on the order.
	quiet    bool
	shown    []*mapping // by print(@m) in this clause
	few      bool       // a map may be full: what it still takes depends on the order
	walked   *mapping   // what a loop over a map goes through
	silent   bool       // maps are not shown at the end
	longest  int        // literal
	inClause bool       // not in a macro
	exits    bool       // exit() may stand here and there
	plain    bool       // numbers in tuples may be without a type

	ends  bool // what follows must be reached
	timer bool // there is one: what BEGIN says may be read while it runs
	async bool // print(@m), clear() and zero() are allowed

	events  []*event // probes that the program declares
	handles bool     // the clause is on one of them
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
	plain  bool // how wide it is, is not said
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
	num  *typ   // what an aggregation is read as
	arg  *typ   // what it is given
}

const (
	enumName = "colour"
	enumText = "enum colour { RED, GREEN = 5, BLUE = 77 };\n"
)

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
	g := &generator{Rand: rand.New(rand.NewSource(seed)), common: isCommon(seed), asJSON: isJSON(seed), noMapLoops: old}
	return g.program()
}

// isCommon tells whether the program of a seed keeps to what is common with
// bpftrace.
func isCommon(seed int64) bool { return seed%2 == 0 }

// isJSON tells whether the output of the program of a seed is compared as JSON.
func isJSON(seed int64) bool { return seed%6 == 0 }

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
		if len(m.keys) == 0 || g.Intn(10) > 0 {
			continue
		}
		kinds := []string{"hash", "lruhash", "percpuhash", "percpulruhash"}
		switch {
		case m.t != nil:
			g.line("let %s = %s(%d);", m.name, kinds[g.Intn(2)], 1000+g.Intn(1000))
		case !m.chart():
			g.line("let %s = %s(%d);", m.name, kinds[2+g.Intn(2)], 1000+g.Intn(1000))
		}
	}
	for range g.Intn(4) {
		if !g.common && g.Intn(2) == 0 {
			g.function()
		} else {
			g.macro()
		}
	}
	g.out.WriteString(bumpMacro + loopMacro)
	if !g.common && g.Intn(3) == 0 {
		g.declare()
	}
	g.timer = g.Intn(6) == 0
	g.exits = !g.timer && g.Intn(8) == 0
	g.inClause = true
	g.first()
	g.handlers()
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
		g.ends = true
		g.block(3)
		g.ends = false
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
	g.plain = !g.common || g.Intn(4) == 0 // bpftrace often aborts
	switch g.Intn(10) {
	case 0:
		set = append(set, fmt.Sprintf("max_strlen = %d", 80+8*g.Intn(30)))
	case 1: // the first statements have texts of three characters
		if g.common { // bpftrace's library has longer ones
			break
		}
		g.longest = 16 + g.Intn(40)
		set = append(set, fmt.Sprintf("max_strlen = %d", g.longest+1))
	}
	if g.Intn(10) == 0 && !g.common {
		set = append(set, `str_trunc_trailer = "~"`)
	}
	if g.Intn(8) == 0 && !g.common { // whose reads of a map that is full are others
		g.few = true
		set = append(set, fmt.Sprintf("max_map_keys = %d", 2+g.Intn(6)))
	}
	if g.Intn(8) == 0 {
		set = append(set, fmt.Sprintf("on_stack_limit = %d", []int{0, 8, 33, 512}[g.Intn(4)]))
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
			g.line("%s%s = %s;", m.name, g.key(m, 1), g.value(m.t, 1))
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
		m.keys = append(m.keys, g.keyType())
	}
	if len(g.maps) > 0 && g.Intn(4) == 0 { // so that a loop can fill one from another
		m.keys = g.maps[g.Intn(len(g.maps))].keys
	}
	if g.Intn(2) == 0 {
		m.t = g.keyType()
		if len(m.keys) < 2 && g.Intn(10) == 0 {
			m.t = tEnum
		}
		return m
	}
	m.agg = aggregations[g.Intn(len(aggregations)-b2i(g.common)-b2i(g.common || !g.silent))]
	m.num = []*typ{tInt64, tUint64}[g.Intn(2)]
	m.arg = &typ{kind: kInt, size: []int{8, 8, 4, 2, 1}[g.Intn(5)], signed: m.num.signed}
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
		if t.size == 8 && t.signed && g.Intn(2) == 0 {
			return strconv.Itoa(g.Intn(4))
		}
		return g.cast(t, strconv.Itoa(g.Intn(4)))
	case kString:
		return []string{`"a"`, `"bc"`, `""`, `"def"`, `"\x41"`, `"a\tb"`}[g.Intn(6)]
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
