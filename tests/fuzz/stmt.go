package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// block writes statements; what it declares ends with it.
func (g *generator) block(n int) {
	known := len(g.vars)
	for range n {
		if g.work--; g.work < 0 {
			break
		}
		g.statement()
	}
	g.vars = g.vars[:known]
}

// depthOf is how deep expressions are here: loops multiply what the verifier
// must follow.
func (g *generator) depthOf() int { return max(1, 4-g.loop-g.depth/3) }

func (g *generator) statement() {
	d := g.depthOf()
	switch g.Intn(23) {
	case 22:
		if !g.quiet {
			g.pointer()
		}
	case 0, 1, 2, 3:
		v := variable{name: "$" + g.fresh("v"), t: g.typeOf(2)}
		text := fmt.Sprintf("%s = %s;", v.name, g.expr(v.t, d))
		switch g.Intn(4) {
		case 0:
			text = "let " + text
		case 1:
			if v.t.kind == kInt || v.t.kind == kString || v.t.kind == kBool {
				text = fmt.Sprintf("let %s: %s = %s;", v.name, v.t, g.expr(v.t, d))
				v.declared = true
			} else if like := g.readable(v.t); like != "" {
				text = fmt.Sprintf("let %s: typeof(%s) = %s;", v.name, like, g.expr(v.t, d))
			}
		case 2:
			v.widens = v.t.kind == kInt && v.t.size < 8 && g.Intn(2) == 0
		}
		g.line("%s", text)
		g.vars = append(g.vars, v)
	case 4, 5:
		if g.quiet {
			return
		}
		if v := g.assignable(nil); v != nil {
			if v.counts() && g.Intn(2) == 0 {
				g.compound(v.name, v.t, d, v.declared)
				return
			}
			g.line("%s = %s;", v.name, g.expr(v.t, d))
		}
	case 6, 7, 8:
		g.store(d)
	case 9, 10:
		g.aggregation(d)
	case 11:
		g.branch(d)
	case 12, 13:
		if g.loop < 2 && g.runs <= 16 && !g.quiet {
			g.loops(d)
		}
	case 14, 15, 16:
		if !g.quiet {
			t := g.typeOf(2)
			text := g.expr(t, d)
			if g.timer && text[0] == '@' && !strings.Contains(text, "[") {
				text = "(" + text + ", 0)" // a whole map is shown as it is when the message is read
			}
			g.line("print(%s);", text)
		}
	case 17, 18:
		if !g.quiet {
			g.printf(d)
		}
	case 19:
		g.whole(d)
	case 20:
		if m := g.chooseMap(func(m *mapping) bool { return len(m.keys) > 0 && !m.chart() }); m != nil && !g.quiet {
			g.quiet = g.common // there a part of a record is evaluated twice as a key
			keys := strings.Join(g.keyList(m, d-1), ", ")
			g.quiet = false
			if g.common && len(m.keys) == 1 && m.keys[0].kind == kString {
				keys = g.smallKey(tString) // it finds no variable that is shorter than other keys
			}
			if len(m.keys) > 1 {
				keys = "(" + keys + ")"
			}
			if g.Intn(2) == 0 {
				g.line("delete(%s, %s);", m.name, keys)
			} else {
				g.line("print(delete(%s, %s));", m.name, keys)
			}
		}
	case 21:
		switch g.Intn(5) {
		case 0:
			g.line("_ = %s;", g.operand(d))
		case 1:
			if !g.quiet && g.loop == 0 && g.depth > 1 && g.Intn(3) == 0 {
				g.line("return;")
			}
		case 2:
			g.line("{")
			g.nested(1 + g.Intn(3))
			g.line("}")
		case 3:
			// bpftrace has none in loops.
			if g.exits && !g.quiet && g.depth > 1 && (g.loop == 0 || !g.common) && g.Intn(2) == 0 {
				g.line("exit();")
			}
		case 4:
			g.find(d)
		}
	}
}

func (g *generator) nested(n int) {
	g.depth++
	g.block(n)
	g.depth--
}

// store writes a plain map.
func (g *generator) store(d int) {
	m := g.chooseMap(func(m *mapping) bool { return m.t != nil })
	if m == nil || g.quiet {
		return
	}
	at := m.name + g.key(m, d-1)
	if m.t.kind == kInt && g.Intn(2) == 0 && m.t.size == 8 {
		at = m.name + g.key(m, 0) // bpftrace evaluates it twice
		if g.Intn(2) == 0 {
			g.line("%s;", []string{at + "++", at + "--", "++" + at, "--" + at}[g.Intn(2+2*b2i(!g.common))])
			return
		}
		g.compound(at, m.t, d, false)
		return
	}
	g.line("%s = %s;", at, g.expr(m.t, d))
}

// compound changes a number by += and the like. A uint64 that is not kept to its
// type may be an int64 in the end, which bpftrace divides as if it were not.
func (g *generator) compound(at string, t *typ, d int, kept bool) {
	quiet := g.quiet
	// bpftrace reads the map before it evaluates what is added.
	g.quiet = quiet || g.common && at[0] == '@'
	value := g.expr(t, d)
	g.quiet = quiet
	switch n := g.Intn(10); {
	case n == 0 && (!g.common || t.size == 8 && !t.signed && kept):
		g.line("%s %s (%s | 1);", at, []string{"/=", "%="}[g.Intn(2)], value)
	case n == 1 && (!g.common || t.size == 8 && !t.signed && kept):
		g.line("%s >>= (%s & 7);", at, value)
	case n == 2:
		g.line("%s <<= (%s & 7);", at, value)
	default:
		g.line("%s %s %s;", at, []string{"+=", "-=", "*=", "&=", "|=", "^="}[g.Intn(6)], value)
	}
}

// members are those of structText; bits are not of a type.
var members = []variable{
	{name: "a", t: &typ{kind: kInt, size: 1, signed: true}},
	{name: "b", t: &typ{kind: kInt, size: 2}},
	{name: "c", t: &typ{kind: kArray, elems: []*typ{{kind: kInt, size: 1}}, n: 3}},
	{name: "d", t: tUint64, widens: true},
	{name: "e", t: tInt64, widens: true},
}

// find looks up and branches.
func (g *generator) find(d int) {
	m := g.chooseMap(func(m *mapping) bool { return m.t != nil && len(m.keys) > 0 })
	if m == nil || g.common || g.quiet {
		return
	}
	keys := strings.Join(g.keyList(m, d-1), ", ")
	if len(m.keys) > 1 {
		keys = "(" + keys + ")"
	}
	v := variable{name: "$" + g.fresh("v"), t: m.t}
	g.line("if (find(%s, %s, %s)) {", m.name, keys, v.name)
	known := len(g.vars)
	g.vars = append(g.vars, v)
	g.nested(1 + g.Intn(3))
	g.vars = g.vars[:known]
	g.line("}")
}

// pointer points to a number and reads it so.
func (g *generator) pointer() {
	for _, i := range g.Perm(len(g.vars)) {
		if v := g.vars[i]; v.t.kind == kInt && v.name[0] == '$' && !strings.ContainsAny(v.name, ".>") && (v.t.size == 8 && !v.fixed || v.declared) {
			p := "$" + g.fresh("p")
			if v.t.size == 8 && g.Intn(2) == 0 {
				g.line("%s = (struct fuzz_parts *)&%s;", p, v.name)
				for _, m := range members {
					m.name, m.fixed = p+"->"+m.name, true
					g.vars = append(g.vars, m)
				}
				return
			}
			g.line("%s = &%s;", p, v.name)
			g.vars = append(g.vars, variable{name: "(*" + p + ")", t: v.t, fixed: true})
			return
		}
	}
}

// aggregation adds to an aggregation.
func (g *generator) aggregation(d int) {
	m := g.chooseMap(func(m *mapping) bool { return m.agg != "" && m != g.walked })
	if m != nil {
		g.add(m, d)
	}
}

func (g *generator) add(m *mapping, d int) {
	quiet := g.quiet
	// bpftrace evaluates the key of a histogram after its number.
	g.quiet = g.quiet || g.common && m.chart()
	arg := ""
	if m.agg != "count" {
		arg = g.expr(m.num, d)
		if g.Intn(2) == 0 {
			arg = g.cast(m.num, g.literal(&typ{kind: kInt, size: 1}))
		} else if g.common && m.agg == "stats" {
			// A uint64 variable that is counted down is an int64; to bpftrace the
			// first number decides how all are shown.
			arg = g.cast(m.num, arg)
		}
	}
	key := g.key(m, d-1)
	g.quiet = quiet
	g.line("%s%s = %s(%s%s);", m.name, key, m.agg, arg, m.args)
}

func (g *generator) branch(d int) {
	g.line("if (%s) {", g.condition(d))
	g.nested(1 + g.Intn(4))
	for g.Intn(3) == 0 {
		g.line("} else if (%s) {", g.bool(d))
		g.nested(1 + g.Intn(3))
	}
	if g.Intn(2) == 0 {
		g.line("} else {")
		g.nested(1 + g.Intn(3))
	}
	g.line("}")
}

// condition is a bool, or a number that stands for one.
func (g *generator) condition(d int) string {
	if g.Intn(5) == 0 {
		return g.operand(d)
	}
	return g.bool(d)
}

// leave writes a break or continue, if the loop allows it.
func (g *generator) leave() {
	if g.Intn(3) == 0 {
		g.line("  if (%s) { %s; }", g.bool(1), []string{"break", "continue"}[g.Intn(2)])
	}
}

func (g *generator) loops(d int) {
	n := 1 + g.Intn(5)
	known, runs := len(g.vars), g.runs
	g.loop++
	g.runs *= n
	defer func() { g.loop--; g.vars, g.runs = g.vars[:known], runs }()
	kinds := 4
	if g.noMapLoops {
		kinds = 3
	}
	switch g.Intn(kinds) {
	case 0:
		v := "$" + g.fresh("i")
		g.line("%s = 0;", v)
		g.line("while (%s < %d) {", v, n)
		g.line("  %s++;", v)
		g.vars = append(g.vars, variable{name: v, t: tInt64, fixed: true})
		g.leave()
		g.nested(1 + g.Intn(3))
		g.leave()
		g.line("}")
	case 1:
		g.line("unroll (%d) {", n)
		if !g.common {
			g.leave()
		}
		g.nested(1 + g.Intn(3))
		g.line("}")
	case 2:
		v := "$" + g.fresh("i")
		from := g.Intn(9) - 4
		if g.Intn(3) == 0 {
			x := "$" + g.fresh("v")
			g.line("%s = %s;", x, g.cast(tInt64, fmt.Sprint(from+n)))
			g.line("for (%s : (%d)..%s) {", v, from, x)
		} else {
			g.line("for (%s : %d..%d) {", v, max(from, 0), max(from, 0)+n)
		}
		g.vars = append(g.vars, variable{name: v, t: tInt64, fixed: true})
		g.leave()
		g.nested(1 + g.Intn(3))
		g.leave()
		g.line("}")
	case 3:
		m := g.chooseMap(func(m *mapping) bool {
			return len(m.keys) > 0 && m.agg != "stats" && !m.chart()
		})
		if m == nil {
			return
		}
		v := "$" + g.fresh("kv")
		key := m.keys[0]
		if len(m.keys) > 1 {
			key = &typ{kind: kTuple, elems: m.keys}
		}
		g.quiet, g.walked = true, m
		g.line("for (%s : %s) {", v, m.name)
		g.vars = append(g.vars, variable{name: v + ".0", t: key, fixed: true})
		if m.t != nil {
			g.vars = append(g.vars, variable{name: v + ".1", t: m.t, fixed: true})
		}
		if g.Intn(3) == 0 {
			g.line("  if (%s) { continue; }", g.bool(1))
		}
		// Sums do not depend on the order.
		g.nested(2 + g.Intn(3))
		g.line("}")
		g.quiet, g.walked = false, nil
	}
}

// whole writes a statement about a whole map.
func (g *generator) whole(d int) {
	if g.quiet || !g.async {
		return
	}
	m := g.chooseMap(func(m *mapping) bool { return true })
	n := g.Intn(9)
	if m.agg == "tseries" {
		n = g.Intn(2)
	}
	switch n {
	case 0:
		if g.common && slices.Contains(g.shown, m) {
			return // to bpftrace the clause empties it when all of it has run
		}
		if len(m.keys) > 0 || m.agg != "" {
			g.line("clear(%s);", m.name)
		} else if g.Intn(2) == 0 {
			g.line("delete(%s);", m.name)
		}
	case 1:
		if m.agg != "" || len(m.keys) > 0 && m.t.kind == kInt {
			g.line("zero(%s);", m.name)
		}
	case 2:
		// The order of equal values is not defined.
		if !g.common && len(m.keys) > 0 {
			g.line("print(%s, %d%s);", m.name, g.Intn(6), []string{"", ", 2", ", 0", ", 7"}[g.Intn(4)])
			return
		}
		if len(m.keys) > 0 && m.agg == "" {
			return
		}
		if m.agg != "" && g.Intn(2) == 0 && len(m.keys) > 0 && !m.chart() {
			g.line("print(%s, %d, %d);", m.name, 50, 1+g.Intn(5))
			g.shown = append(g.shown, m)
			return
		}
		g.line("print(%s);", m.name)
		g.shown = append(g.shown, m)
	case 3:
		if m.t != nil || m.agg != "stats" && !m.chart() {
			g.line("print(%s%s);", m.name, g.key(m, d))
		}
	default:
		g.line("print(%s);", m.name)
		g.shown = append(g.shown, m)
	}
}

// printf writes a printf of a few values.
func (g *generator) printf(d int) {
	var format strings.Builder
	var args []string
	for range 1 + g.Intn(4) {
		format.WriteString([]string{"", " ", "x=", "100%% ", ", "}[g.Intn(5)])
		t := g.typeOf(1)
		args = append(args, g.expr(t, d))
		if t.kind == kInt && g.Intn(8) == 0 {
			args[len(args)-1] = fmt.Sprint(33 + g.Intn(90))
			format.WriteString("%" + g.width() + "c")
			continue
		}
		format.WriteString(g.conversion(t))
	}
	g.line(`printf("%s\n", %s);`, format.String(), strings.Join(args, ", "))
}

// width is a width of a field, or nothing.
func (g *generator) width() string {
	if g.Intn(3) > 0 {
		return ""
	}
	return []string{"", "-"}[g.Intn(2)] + strconv.Itoa(1+g.Intn(12))
}

// conversion is one of printf's, for a value of a type.
func (g *generator) conversion(t *typ) string {
	if t.kind == kBool || t.kind == kEnum {
		return "%" + g.width() + []string{"s", "d", "u", "x"}[g.Intn(4)]
	}
	if t.kind == kBuf {
		return "%" + []string{"r", "rx", "rh", "s"}[g.Intn(4)]
	}
	if t.kind != kInt {
		if t.kind != kString { // bpftrace pads only its first bracket
			return "%s"
		}
		precision := ""
		if !g.common && g.Intn(4) == 0 { // bpftrace ignores it
			precision = "." + strconv.Itoa(g.Intn(6))
		}
		return "%" + g.width() + precision + "s"
	}
	length := []string{"", "", "h", "hh", "l", "ll", "z", "j", "t"}[g.Intn(9)]
	if g.Intn(2) == 0 {
		if !g.common && g.Intn(3) == 0 {
			return "%" + []string{"+", " ", "0", "-", "+0", "+-"}[g.Intn(6)] + strconv.Itoa(1+g.Intn(12)) + []string{"", ".3", ".0"}[g.Intn(3)] + length + "d"
		}
		flag := ""
		if width := g.width(); width == "" || width[0] != '-' { // bpftrace does not read "%+-5d"
			flag = []string{"", "", "+"}[g.Intn(3)] + width
		}
		return "%" + flag + length + []string{"d", "i"}[g.Intn(2)]
	}
	flag := ""
	if g.Intn(4) == 0 {
		flag = []string{"0", "#", "#0"}[g.Intn(2+b2i(!g.common))] // bpftrace puts the zeros before 0x
	}
	width := ""
	if g.Intn(3) == 0 {
		width = strconv.Itoa(1 + g.Intn(12))
	}
	form := []string{"u", "x", "X", "o", "p"}[g.Intn(5)]
	if form == "u" {
		flag = strings.TrimPrefix(flag, "#")
	}
	if form == "p" {
		if g.common { // bpftrace prints p of 0 its own way
			form = "x"
		} else {
			return "%p"
		}
	}
	return "%" + flag + width + length + form
}
