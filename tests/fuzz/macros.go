package main

import (
	"fmt"
	"slices"
	"strings"
)

// macro is a macro without side effects on what it is not given.
type macro struct {
	name   string
	params []*typ
	byRef  []bool
	maps   []bool // parameters that are maps without keys
	result *typ
	uses   []*macro // that it calls, directly or not
}

// Macros of every program that are not of one type.
const (
	// bumpMacro counts in a map of numbers: its key is evaluated more than once.
	bumpMacro = "macro bump(@p, k) { @p[k]++; @p[k] }\n"
	// loopMacro changes a number in loops, which have a way out.
	loopMacro = "macro around($p, n) { for ($i : 0..5) { if ($i == n) { break; } $p += $i; } " +
		"$k = 0; while ($k < 4) { $k++; if ($k == n) { continue; } $p++; } }\n"
)

// macro writes a macro that computes a value from its parameters.
func (g *generator) macro() {
	m := &macro{name: g.fresh("mac"), result: g.typeOf(0)}
	var params, set []string
	saved := g.maps
	g.maps, g.vars = nil, nil
	g.within = m
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
		switch {
		case ref:
			name = "$" + name
			g.vars = append(g.vars, variable{name: name, t: t})
		case !g.common && g.Intn(3) == 0:
			// The expression is substituted as often as it is named.
			g.vars = append(g.vars, variable{name: name, t: t, fixed: true})
		default: // read it once
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
	g.maps, g.vars, g.within = saved, nil, nil
	g.macros = append(g.macros, m)
}

// function writes a function of numbers, texts and bools, which may return from
// within a loop and changes its own parameters. bpftrace can't call any.
func (g *generator) function() {
	simple := func() *typ {
		for {
			if t := g.typeOf(0); t.kind == kInt || t.kind == kString || t.kind == kBool {
				return t
			}
		}
	}
	m := &macro{name: g.fresh("fn"), result: simple()}
	var params []string
	saved := g.maps
	g.maps, g.vars = nil, nil
	g.within = m
	for range 1 + g.Intn(3) {
		t, name := simple(), "$"+g.fresh("p")
		m.params, m.byRef, m.maps = append(m.params, t), append(m.byRef, false), append(m.maps, false)
		g.vars = append(g.vars, variable{name: name, t: t, declared: true})
		params = append(params, fmt.Sprintf("%s: %s", name, t))
	}
	g.pf("fn %s(%s): %s { ", m.name, strings.Join(params, ", "), m.result)
	if v := g.assignable(nil); v != nil && g.Intn(2) == 0 {
		g.pf("%s = %s; ", v.name, g.expr(v.t, 1))
	}
	switch g.Intn(3) {
	case 0:
		g.pf("if (%s) { return %s; } ", g.expr(tBool, 1), g.expr(m.result, 1))
	case 1:
		i := "$" + g.fresh("i")
		g.pf("for (%s : 0..%d) { if (%s == %s) { return %s; } } ", i, 1+g.Intn(40), i, g.expr(tInt64, 1), g.expr(m.result, 1))
	}
	g.pf("return %s; }\n", g.expr(m.result, 2))
	g.maps, g.vars, g.within = saved, nil, nil
	g.macros = append(g.macros, m)
}

// macroCall calls a macro with a result of a type, or is "".
func (g *generator) macroCall(t *typ, depth int) string {
	for _, i := range g.Perm(len(g.macros)) {
		m := g.macros[i]
		if !same(m.result, t) {
			continue
		}
		all := append([]*macro{m}, m.uses...)
		if g.common && slices.ContainsFunc(all, func(m *macro) bool { return slices.Contains(g.calling, m) }) {
			continue // to bpftrace the variables of both calls are the same
		}
		g.calling = append(g.calling, m)
		var args []string
		for i, p := range m.params {
			if m.maps[i] {
				if to := g.chooseMap(func(m *mapping) bool { return len(m.keys) == 0 && m.t != nil && same(m.t, p) }); to != nil && !g.quiet {
					args = append(args, to.name)
				}
			} else if !m.byRef[i] {
				args = append(args, g.expr(p, depth))
			} else if v := g.assignable(p); v != nil && !v.widens {
				args = append(args, v.name)
			}
		}
		g.calling = g.calling[:len(g.calling)-1]
		if len(args) == len(m.params) {
			if g.within != nil {
				g.within.uses = append(g.within.uses, all...)
			}
			return m.name + "(" + strings.Join(args, ", ") + ")"
		}
	}
	return ""
}

// stockMacro calls one of the macros that every program has.
func (g *generator) stockMacro(d int) {
	if g.Intn(2) == 0 {
		m := g.chooseMap(func(m *mapping) bool {
			return m.t != nil && m.t.kind == kInt && m.t.size == 8 && len(m.keys) == 1
		})
		if m == nil {
			return
		}
		quiet := g.quiet
		g.quiet = quiet || g.common
		key := g.keyList(m, 1)[0]
		g.quiet = quiet
		g.line("print(bump(%s, %s));", m.name, key)
		return
	}
	for _, i := range g.Perm(len(g.vars)) {
		if v := &g.vars[i]; v.counts() && v.t.size == 8 && v.name[0] == '$' && g.runs <= 8 {
			g.line("around(%s, %d);", v.name, g.Intn(6))
			return
		}
	}
}
