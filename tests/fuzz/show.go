package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
		t := g.variableType()
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
