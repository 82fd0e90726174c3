package main

import (
	"fmt"
)

func (g *generator) branch(d int) {
	if g.Intn(8) == 0 {
		g.line("if %s {", []string{"true", "false"}[g.Intn(2)])
	} else {
		g.line("if (%s) {", g.condition(d))
	}
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

// turn writes the rest of a loop that counts in v.
func (g *generator) turn(v string) {
	g.vars = append(g.vars, variable{name: v, t: tInt64, fixed: true})
	g.leave()
	g.nested(1 + g.Intn(3))
	g.leave()
	g.line("}")
}

func (g *generator) loops(d int) {
	n := 1 + g.Intn(5)
	known, runs, leaves := len(g.vars), g.runs, g.leaves
	g.loop++
	g.runs *= n
	g.leaves = true
	defer func() { g.loop--; g.vars, g.runs, g.leaves = g.vars[:known], runs, leaves }()
	kinds := 7
	if g.noMapLoops {
		kinds = 3
	}
	switch g.Intn(kinds) {
	case 0:
		v := "$" + g.fresh("i")
		switch g.Intn(3) {
		case 0:
			g.line("%s = 0;", v)
			g.line("while (%s < %d) {", v, n)
			g.line("  %s++;", v)
		case 1:
			g.line("%s = %d;", v, n)
			g.line("while (%s-- > 0) {", v)
		case 2:
			g.line("let %s: int64 = -3;", v)
			g.line("while (1) {")
			g.line("  if (++%s > %d) { break; }", v, n-3)
		}
		g.turn(v)
	case 1:
		g.line("unroll (%d) {", n)
		if g.leaves = !g.common; g.leaves {
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
		g.turn(v)
	case 3:
		m := g.chooseMap(func(m *mapping) bool {
			return len(m.keys) > 0 && m.agg != "stats" && !m.chart()
		})
		if m == nil || g.few {
			return
		}
		v := "$" + g.fresh("kv")
		g.quiet, g.walked = true, m
		g.line("for (%s : %s) {", v, m.name)
		g.element(v, m)
		if g.Intn(3) == 0 {
			g.line("  if (%s) { continue; }", g.bool(1))
		}
		// Sums do not depend on the order.
		g.nested(2 + g.Intn(3))
		g.line("}")
		g.quiet, g.walked = false, nil
	case 4:
		g.elementwise()
	case 5:
		// What is the same for all elements, for some of them.
		m := g.chooseMap(func(m *mapping) bool { return len(m.keys) > 0 && m.agg != "stats" && !m.chart() })
		if m == nil || g.common { // bpftrace's may be too much for the verifier
			return
		}
		g.quiet, g.walked = true, m
		i := "$" + g.fresh("i")
		g.line("%s = 0;", i)
		g.line("for (%s : %s) {", "$"+g.fresh("kv"), m.name)
		g.line("  if (++%s > %d) { %s; }", i, n, []string{"break", "continue", "return"}[g.Intn(3-b2i(g.ends))])
		g.nested(1 + g.Intn(3))
		g.line("}")
		g.line("print(%s);", i)
		g.quiet, g.walked = false, nil
	case 6: // one in another
		a, b := "$"+g.fresh("i"), "$"+g.fresh("i")
		g.line("for (%s : 0..%d) { for (%s : %s..%d) {", a, 1+g.Intn(3), b, a, 1+g.Intn(4))
		g.runs *= 4
		g.vars = append(g.vars, variable{name: a, t: tInt64, fixed: true}, variable{name: b, t: tInt64, fixed: true})
		g.leave()
		g.nested(1 + g.Intn(2))
		g.leave()
		g.line("} }")
	}
}

// element declares what a loop over a map gives.
func (g *generator) element(v string, m *mapping) {
	key := m.keys[0]
	if len(m.keys) > 1 {
		key = &typ{kind: kTuple, elems: m.keys}
	}
	g.vars = append(g.vars, variable{name: v + ".0", t: key, fixed: true})
	switch {
	case m.t != nil:
		g.vars = append(g.vars, variable{name: v + ".1", t: m.t, fixed: true})
	case m.agg != "avg" || !g.common:
		g.vars = append(g.vars, variable{name: v + ".1", t: m.num, fixed: true, widens: true})
	}
}

// elementwise copies or deletes elements, each of which is one of its own.
func (g *generator) elementwise() {
	from := g.chooseMap(func(m *mapping) bool { return len(m.keys) > 0 && m.agg != "stats" && !m.chart() })
	if from == nil {
		return
	}
	v := "$" + g.fresh("kv")
	known := len(g.vars)
	g.quiet, g.walked = true, from
	g.line("for (%s : %s) {", v, from.name)
	g.element(v, from)
	if g.Intn(3) == 0 {
		g.line("  if (%s) { delete(%s, %s.0); }", g.bool(1), from.name, v)
	} else {
		fits := func(m *mapping) bool {
			return !g.few && m != from && m.t != nil && len(m.keys) == len(from.keys) &&
				same(&typ{kind: kTuple, elems: m.keys}, &typ{kind: kTuple, elems: from.keys})
		}
		if to := g.chooseMap(fits); to != nil {
			g.line("  %s[%s.0] = %s;", to.name, v, g.expr(to.t, 1))
		}
	}
	g.line("}")
	g.quiet, g.walked, g.vars = false, nil, g.vars[:known]
}
