package main

import (
	"fmt"
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
	switch g.Intn(27) {
	case 25:
		g.fire(d)
	case 26:
		if !g.common && !g.quiet {
			g.named(d)
		}
	case 23:
		if !g.quiet {
			g.stockMacro(d)
		}
	case 24:
		if g.leaves && !g.quiet {
			g.line("if (%s) { %s; }", g.condition(1), []string{"break", "continue"}[g.Intn(2)])
		}
	case 22:
		if !g.quiet {
			g.pointer()
		}
	case 0, 1, 2, 3:
		v := variable{name: "$" + g.fresh("v"), t: g.variableType()}
		text := fmt.Sprintf("%s = %s;", v.name, g.expr(v.t, d))
		switch g.Intn(7) {
		case 0:
			text = "let " + text
		case 3:
			text = fmt.Sprintf("let %s; %s", v.name, text)
		case 4:
			if v.t.kind == kInt || v.t.kind == kBool {
				text, v.declared = fmt.Sprintf("let %s: %s;", v.name, v.t), true
			}
		case 5:
			if v.t.kind == kInt || v.t.kind == kString {
				v.t, v.plain = tInt64, true
				text = fmt.Sprintf("%s = %s;", v.name, g.number())
			}
		case 1:
			if v.t.kind == kInt || v.t.kind == kString || v.t.kind == kBool {
				text = fmt.Sprintf("let %s: %s = %s;", v.name, v.t, g.expr(v.t, d))
				v.declared = true
			} else if like := g.readable(v.t); like != "" && like[0] == '$' && v.t.kind != kTuple {
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
			if v.declared || v.widens {
				g.line("%s = %s;", v.name, g.expr(v.t, d))
			} else {
				g.line("%s = %s;", v.name, g.value(v.t, d))
			}
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
			if g.common && len(m.keys) == 1 { // it finds no variable that is shorter than other keys
				switch m.keys[0].kind {
				case kString:
					keys = g.smallKey(tString)
				case kInt:
					keys = g.cast(m.keys[0], keys)
				}
			}
			if len(m.keys) > 1 {
				keys = "(" + keys + ")"
			}
			switch g.Intn(5) {
			case 0, 1:
				g.line("delete(%s, %s);", m.name, keys)
			case 2:
				g.line("delete(%s[%s]);", m.name, keys)
			default:
				g.line("print(delete(%s, %s));", m.name, keys)
			}
		}
	case 21:
		switch g.Intn(5) {
		case 0:
			g.line("_ = %s;", g.operand(d))
		case 1:
			if !g.quiet && g.depth > 1 && g.Intn(3) == 0 && (g.loop == 0 || g.leaves) && !g.ends {
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
	g.line("%s = %s;", at, g.value(m.t, d))
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
		arg = g.expr(m.arg, d)
		if n := g.Intn(6); n < 3 {
			arg = g.cast(m.arg, g.literal(&typ{kind: kInt, size: 1, signed: m.arg.size == 1 && m.arg.signed}))
		} else if n == 3 {
			arg = g.cast(m.arg, g.extreme(m.arg))
		} else if g.common && m.agg == "stats" {
			// A uint64 variable that is counted down is an int64; to bpftrace the
			// first number decides how all are shown.
			arg = g.cast(m.arg, arg)
		}
	}
	key := g.key(m, d-1)
	g.quiet = quiet
	g.line("%s%s = %s(%s%s);", m.name, key, m.agg, arg, m.args)
}
