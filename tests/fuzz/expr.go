package main

import (
	"fmt"
	"strconv"
	"strings"
)

// expr is an expression of a type.
func (g *generator) expr(t *typ, depth int) string {
	depth = max(depth, 0)
	if depth > 0 && g.Intn(3) == 0 {
		if s := g.general(t, depth-1); s != "" {
			return s
		}
	}
	if depth <= 0 || g.Intn(3) == 0 {
		if s := g.place(t, depth-1); s != "" {
			return s
		}
	}
	switch t.kind {
	case kInt:
		if depth <= 0 {
			return g.cast(t, g.literal(t))
		}
		return g.cast(t, g.operand(depth))
	case kBool:
		return g.bool(depth)
	case kString:
		return g.string(depth)
	case kEnum:
		if g.Intn(4) == 0 {
			return g.cast(tEnum, []string{"0", "5", "77"}[g.Intn(3)])
		}
		return enumerators[g.Intn(3)]
	case kTuple:
		elems := make([]string, len(t.elems))
		for i, e := range t.elems {
			if g.plain {
				elems[i] = g.value(e, depth-1)
			} else {
				elems[i] = g.expr(e, depth-1)
			}
		}
		if len(elems) == 1 {
			return "(" + elems[0] + ",)"
		}
		return "(" + strings.Join(elems, ", ") + ")"
	case kRecord:
		elems := make([]string, len(t.elems))
		for i, e := range t.elems {
			elems[i] = t.names[i] + " = " + g.expr(e, depth-1)
		}
		return "(" + strings.Join(elems, ", ") + ")"
	case kArray:
		return g.cast(t, g.cast(&typ{kind: kInt, size: t.elems[0].size * t.n}, g.operand(depth-1)))
	case kInet:
		if g.Intn(3) == 0 {
			return fmt.Sprintf("ntop(pton(%q))", []string{"127.0.0.1", "::1", "fe80::1:2", "255.255.255.255", "::"}[g.Intn(5)])
		}
		return fmt.Sprintf("ntop(%s)", g.expr(&typ{kind: kInt, size: 4}, depth-1))
	case kBuf:
		if v := g.readable(&typ{kind: kArray, elems: []*typ{{kind: kInt, size: 1}}, n: 8}); v != "" && g.Intn(2) == 0 {
			return fmt.Sprintf("buf(%s, %d)", v, t.n)
		}
		return fmt.Sprintf("buf(%s, %d)", g.text(t.n+g.Intn(3)), t.n)
	}
	panic("a type of no kind")
}

// value is an expression of a type, or a number as people write them, whose type
// is that of the place.
func (g *generator) value(t *typ, depth int) string {
	if t.kind == kInt && t.size == 8 && t.signed && g.Intn(4) == 0 {
		return g.number()
	}
	return g.expr(t, depth)
}

// general is an expression of a form that every type has, or "".
func (g *generator) general(t *typ, depth int) string {
	switch g.Intn(6) {
	case 0:
		return fmt.Sprintf("(%s ? %s : %s)", g.bool(depth), g.expr(t, depth), g.expr(t, depth))
	case 1:
		v := variable{name: "$" + g.fresh("v"), t: g.typeOf(1)}
		init := g.expr(v.t, depth)
		g.vars = append(g.vars, v)
		s := fmt.Sprintf("{ let %s = %s; %s }", v.name, init, g.expr(t, depth))
		g.vars = g.vars[:len(g.vars)-1]
		if g.common {
			s = "(" + s + ")"
		}
		return s
	case 2:
		return fmt.Sprintf("(if (%s) { %s } else { %s })", g.bool(depth), g.expr(t, depth), g.expr(t, depth))
	case 3:
		return g.macroCall(t, depth)
	case 4:
		// A part of a tuple that is written out.
		other := g.typeOf(0)
		if g.common && t.kind == kEnum {
			return "" // it forgets that
		}
		quiet := g.quiet
		defer func() { g.quiet = quiet }()
		// Where the part is widened, bpftrace evaluates the whole once more.
		g.quiet = quiet || g.common
		if g.Intn(2) == 0 {
			return fmt.Sprintf("(%s, %s).0", g.expr(t, depth), g.expr(other, depth))
		}
		return fmt.Sprintf("(a = %s, b = %s).b", g.expr(other, depth), g.expr(t, depth))
	}
	return ""
}

// place reads a variable, a part of one, or a map; "" if there is none of the
// type.
func (g *generator) place(t *typ, depth int) string {
	var fit []string
	for _, v := range g.vars {
		g.parts(v.text(), v.t, t, &fit)
	}
	if m := g.chooseMap(func(m *mapping) bool { return m.t != nil && (depth > 0 || len(m.keys) == 0) }); m != nil && !g.quiet {
		g.parts(m.name+g.key(m, depth), m.t, t, &fit)
	}
	if len(fit) == 0 {
		return ""
	}
	return fit[g.Intn(len(fit))]
}

// parts lists the ways to a value of type want in a value of type t.
func (g *generator) parts(text string, t, want *typ, fit *[]string) {
	if same(t, want) {
		*fit = append(*fit, text)
	}
	switch t.kind {
	case kTuple:
		for i, e := range t.elems {
			g.parts(fmt.Sprintf("%s.%d", text, i), e, want, fit)
		}
	case kRecord:
		for i, e := range t.elems {
			g.parts(text+"."+t.names[i], e, want, fit)
		}
	case kStruct:
		for i, e := range t.elems {
			g.parts(g.member(text, t, i), e, want, fit)
		}
	case kArray:
		if same(t.elems[0], want) && !(text[0] == '@' && !strings.Contains(text, "]")) { // @m[0] is a key
			at := strconv.Itoa(g.Intn(t.n))
			if text[0] == '$' && g.Intn(3) == 0 {
				if i := g.readable(tUint64); i != "" {
					at = fmt.Sprintf("%s & %d", i, t.n-1)
				}
			}
			*fit = append(*fit, fmt.Sprintf("%s[%s]", text, at))
		}
	}
}

// bool is a condition.
func (g *generator) bool(depth int) string {
	if depth <= 0 {
		if s := g.place(tBool, 0); s != "" {
			return s
		}
		if g.Intn(40) == 0 {
			return fmt.Sprintf("getopt(%q%s)", g.fresh("opt"), []string{"", ", true", ", false"}[g.Intn(3)])
		}
		if g.Intn(2) == 0 {
			return []string{"true", "false"}[g.Intn(2)]
		}
		return fmt.Sprintf("(%s %s %s)", g.operand(0), g.comparison(), g.operand(0))
	}
	depth--
	switch g.Intn(14) {
	case 11:
		return "(!" + g.cast(g.intType(), g.operand(depth)) + ")"
	case 12:
		// An aggregation is a number by itself, too.
		m := g.chooseMap(func(m *mapping) bool { return m.agg == "count" || m.agg == "sum" && m.num.signed })
		if m != nil && !g.quiet {
			return fmt.Sprintf("(%s%s %s %d)", m.name, g.key(m, 0), g.comparison(), g.Intn(20))
		}
	case 0, 1, 2:
		if g.common {
			t := g.intType()
			return fmt.Sprintf("(%s %s %s)", g.expr(t, depth), g.comparison(), g.expr(t, depth))
		}
		return fmt.Sprintf("(%s %s %s)", g.operand(depth), g.comparison(), g.operand(depth))
	case 3:
		return fmt.Sprintf("(%s && %s)", g.bool(depth), g.bool(depth))
	case 4:
		return fmt.Sprintf("(%s || %s)", g.bool(depth), g.bool(depth))
	case 5:
		return "(!" + g.bool(depth) + ")"
	case 6:
		return fmt.Sprintf("(%s %s %s)", g.string(depth), []string{"==", "!="}[g.Intn(2)], g.string(depth))
	case 7:
		t := g.typeOf(1)
		if t.kind != kTuple && t.kind != kArray && t.kind != kRecord || g.common && hasArray(t) {
			break // in tuples of bpftrace, arrays that differ are the same
		}
		return fmt.Sprintf("(%s %s %s)", g.expr(t, depth), []string{"==", "!="}[g.Intn(2)], g.expr(t, depth))
	case 8:
		if m := g.chooseMap(func(m *mapping) bool { return len(m.keys) > 0 && !m.chart() }); m != nil && !g.quiet {
			keys := g.keyList(m, depth)
			if len(keys) > 1 {
				return fmt.Sprintf("has_key(%s, (%s))", m.name, strings.Join(keys, ", "))
			}
			return fmt.Sprintf("has_key(%s, %s)", m.name, keys[0])
		}
	case 9:
		if g.Intn(3) == 0 && !g.common { // bpftrace refuses more than one in a clause
			return fmt.Sprintf("(strstr(%s, %s) >= 0)", g.string(depth), g.needle())
		}
		return fmt.Sprintf("strcontains(%s, %s)", g.string(depth), g.needle())
	case 10:
		return g.cast(tBool, g.operand(depth))
	}
	return g.bool(0)
}

func (g *generator) comparison() string { return []string{"==", "!=", "<", "<=", ">", ">="}[g.Intn(6)] }
