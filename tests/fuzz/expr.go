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
			elems[i] = g.expr(e, depth-1)
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
		return g.cast(t, g.cast(tUint64, g.operand(depth-1)))
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

// macroCall calls a macro with a result of a type, or is "".
func (g *generator) macroCall(t *typ, depth int) string {
	for _, i := range g.Perm(len(g.macros)) {
		m := g.macros[i]
		if !same(m.result, t) {
			continue
		}
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
		if len(args) == len(m.params) {
			return m.name + "(" + strings.Join(args, ", ") + ")"
		}
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

// literal is a number that fits a type.
func (g *generator) literal(t *typ) string {
	bits := 8 * t.size
	if t.signed {
		bits--
	}
	var n uint64
	switch g.Intn(6) {
	case 0:
		n = 1<<bits - 1 // 1<<64 is 0
		if g.Intn(3) == 0 {
			for n = 1; n < 1<<(bits-1)/10 && g.Intn(6) > 0; {
				n *= 10
			}
		}
	case 1:
		n = 1 << g.Intn(bits)
	case 2:
		n = g.Uint64() & (1<<bits - 1)
	default:
		n = uint64(g.Intn(12))
	}
	if t.signed && n > 0 && g.Intn(3) == 0 {
		return "(-" + strconv.FormatUint(n, 10) + ")"
	}
	return g.spelled(n)
}

// spelled is a number in one of the ways to write it.
func (g *generator) spelled(n uint64) string {
	text := strconv.FormatUint(n, 10)
	switch g.Intn(16) {
	case 0, 1:
		return fmt.Sprintf("%#x", n)
	case 2:
		if n > 0 {
			return fmt.Sprintf("0%o", n)
		}
	case 3:
		if len(text) > 3 {
			return text[:len(text)-3] + "_" + text[len(text)-3:]
		}
	case 4:
		if zeros := len(text) - len(strings.TrimRight(text, "0")); zeros > 0 && zeros == len(text)-1 {
			return fmt.Sprintf("%ce%d", text[0], zeros)
		}
	case 5:
		if n > 0 && n < 1<<31 {
			return text + []string{"u", "l", "ul", "ll", "ull"}[g.Intn(5)]
		}
	case 6:
		if n%1000 == 0 && n > 0 {
			return strconv.FormatUint(n/1000, 10) + "us"
		}
	}
	return text
}

// operand is a number of any type.
func (g *generator) operand(depth int) string {
	if depth <= 0 {
		t := g.intType()
		if g.Intn(40) == 0 {
			return g.cast(t, fmt.Sprintf("getopt(%q, %d)", g.fresh("opt"), g.Intn(100)))
		}
		if s := g.place(t, 0); s != "" && g.Intn(2) == 0 {
			return s
		}
		// What literals alone make must not overflow; bpftrace counts casts
		// of them, too.
		if g.common {
			if n := strconv.Itoa(g.Intn(100)); g.Intn(3) == 0 {
				return n
			} else {
				return g.cast(t, n)
			}
		}
		if g.Intn(2) == 0 {
			return strconv.Itoa(g.Intn(12))
		}
		return g.cast(t, g.literal(t))
	}
	depth--
	switch g.Intn(16) {
	case 0, 1, 2, 3, 4:
		op := []string{"+", "-", "*", "&", "|", "^"}[g.Intn(6)]
		return fmt.Sprintf("(%s %s %s)", g.operand(depth), op, g.operand(depth))
	case 5:
		if g.common || g.Intn(2) == 0 {
			return fmt.Sprintf("(%s %s (uint64)(%s | 1))", g.cast(tUint64, g.operand(depth)), []string{"/", "%"}[g.Intn(2)], g.operand(depth))
		}
		return fmt.Sprintf("(%s %s %s)", g.operand(depth), []string{"/", "%"}[g.Intn(2)], g.divisor(depth))
	case 6:
		amount := strconv.Itoa(g.Intn(64))
		if g.Intn(3) == 0 {
			amount = fmt.Sprintf("(%s & 63)", g.operand(depth))
		}
		if !g.common && g.Intn(6) == 0 {
			amount = g.cast(tInt64, g.operand(depth))
		}
		if g.common {
			return fmt.Sprintf("(%s %s %s)", g.cast(tUint64, g.operand(depth)), []string{"<<", ">>"}[g.Intn(2)], amount)
		}
		// Of literals alone it may not fit in 64 bits, which is refused.
		return fmt.Sprintf("(%s %s %s)", g.cast(g.intType(), g.operand(depth)), []string{"<<", ">>"}[g.Intn(2)], amount)
	case 7:
		op := []string{"-", "~"}[g.Intn(2)]
		if g.common {
			return fmt.Sprintf("(%s%s)", op, g.cast(map[string]*typ{"-": tInt64, "~": tUint64}[op], g.operand(depth)))
		}
		return fmt.Sprintf("(%s%s)", op, g.cast(g.intType(), g.operand(depth)))
	case 8:
		return fmt.Sprintf("(%s ? %s : %s)", g.bool(depth), g.operand(depth), g.operand(depth))
	case 9:
		return g.expr(g.intType(), depth)
	case 10:
		return g.cast(tUint64, g.bool(depth))
	case 11:
		return g.measure(depth)
	case 12:
		if s := g.aggregate(depth); s != "" {
			return s
		}
	case 13:
		if g.quiet {
			break
		}
		var places []string
		for i := range g.vars {
			if g.vars[i].counts() {
				places = append(places, g.vars[i].name)
			}
		}
		for _, m := range g.maps {
			if m.t != nil && m.t.kind == kInt && m.t.size == 8 && m != g.walked {
				places = append(places, m.name+g.key(m, 0))
			}
		}
		if len(places) > 0 {
			v := places[g.Intn(len(places))]
			return []string{"(" + v + "++)", "(++" + v + ")", "(" + v + "--)", "(--" + v + ")"}[g.Intn(4)]
		}
	case 14:
		t := &typ{kind: kInt, size: []int{1, 2, 4, 8}[g.Intn(4)]}
		return fmt.Sprintf("bswap(%s)", g.cast(t, g.operand(depth)))
	case 15:
		// Without parentheses: what binds closer is the parser's business.
		ops := []string{"+", "-", "*", "&", "|", "^"}
		text := g.operand(0)
		for range 2 + g.Intn(3) {
			text += " " + ops[g.Intn(len(ops))] + " " + g.operand(0)
		}
		return "(" + text + ")"
	}
	return g.operand(0)
}

// divisor is a number, mostly not 0. A constant 0 is refused.
func (g *generator) divisor(depth int) string {
	if v := g.readable(tInt64); v != "" && g.Intn(3) == 0 {
		return v
	}
	return "(" + g.operand(depth) + " | 1)"
}

// measure is a number that a function gives.
func (g *generator) measure(depth int) string {
	switch g.Intn(9) {
	case 6:
		n := 1 + g.Intn(7)
		return fmt.Sprintf("(uint64)(memcmp(%s, %s, %d) == 0)", g.text(n), g.text(n), n)
	case 7:
		if !g.common {
			return fmt.Sprintf("(int64)strstr(%s, %s)", g.string(depth), g.string(0))
		}
	case 8:
		for _, i := range g.Perm(len(g.vars)) {
			if v := &g.vars[i]; (v.declared || v.t == tInt64) && (v.t.kind == kInt || !g.common) {
				return fmt.Sprintf("sizeof(%s)", v.name)
			}
		}
	case 0:
		return fmt.Sprintf("(uint64)(strncmp(%s, %s, %d) == 0)", g.string(depth), g.string(depth), []int{1 + g.Intn(5), 1 + g.Intn(5), 0, 63, 200}[g.Intn(5)])
	case 1:
		return fmt.Sprintf("sizeof(%s)", g.intType())
	case 2:
		if m := g.chooseMap(func(m *mapping) bool { return len(m.keys) > 0 && (m.agg == "" || m.agg == "count" || m.agg == "sum") }); m != nil && !g.quiet && !g.noMapLoops {
			return fmt.Sprintf("(uint64)len(%s)", m.name)
		}
	case 3:
		s := g.string(depth)
		if strings.HasPrefix(s, `"`) || strings.HasPrefix(s, "$") {
			return fmt.Sprintf("(int64)strlen(%s)", s)
		}
	case 4:
		if v := g.readable(tString); v != "" {
			return fmt.Sprintf("(int64)%s[0]", v)
		}
	}
	return fmt.Sprintf("(int64)strlen(%s)", g.string(depth))
}

func (g *generator) readable(t *typ) string {
	for _, i := range g.Perm(len(g.vars)) {
		if same(g.vars[i].t, t) {
			return g.vars[i].text()
		}
	}
	return ""
}

// aggregate reads an aggregation as a number.
func (g *generator) aggregate(depth int) string {
	m := g.chooseMap(func(m *mapping) bool {
		switch m.agg {
		case "avg":
			if g.common { // bpftrace divides by zero when the key is missing
				return false
			}
			fallthrough
		case "count", "sum", "min", "max":
			return !g.quiet && (depth > 0 || len(m.keys) == 0)
		}
		return false
	})
	if m == nil {
		return ""
	}
	return fmt.Sprintf("(%s)%s%s", m.num, m.name, g.key(m, depth-1))
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
		if t.kind != kTuple && t.kind != kArray && t.kind != kRecord {
			break
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
		return fmt.Sprintf("strcontains(%s, %s)", g.string(depth), g.needle())
	case 10:
		return g.cast(tBool, g.operand(depth))
	}
	return g.bool(0)
}

func (g *generator) comparison() string { return []string{"==", "!=", "<", "<=", ">", ">="}[g.Intn(6)] }

// string is a text.
func (g *generator) string(depth int) string {
	if depth <= 0 || g.Intn(3) == 0 {
		if s := g.place(tString, depth-1); s != "" && g.Intn(2) == 0 {
			return s
		}
		return g.stringLiteral()
	}
	depth--
	switch g.Intn(8) {
	case 3:
		if g.inClause {
			return "probe"
		}
	case 4:
		return fmt.Sprintf("getopt(%q, %s)", g.fresh("opt"), g.stringLiteral())
	case 2:
		if s := g.readable(tString); s != "" {
			if g.Intn(2) == 0 {
				return fmt.Sprintf("str(%s)", s)
			}
			if !g.common && g.Intn(3) == 0 {
				return fmt.Sprintf("str(%s, %s)", s, g.cast(&typ{kind: kInt, size: 1}, g.operand(depth)))
			}
			if g.Intn(4) == 0 {
				return fmt.Sprintf("str(%s, 1 + (%s & 15))", s, g.operand(depth))
			}
			// bpftrace shows none of no characters as what it has cut off.
			return fmt.Sprintf("str(%s, %d)", s, g.Intn(8)+b2i(g.common))
		}
	case 0:
		return fmt.Sprintf("(%s ? %s : %s)", g.bool(depth), g.string(depth), g.string(depth))
	case 1:
		if !g.common {
			return fmt.Sprintf("str_concat(%s, %s)", g.string(depth-1), g.string(depth-1))
		}
	}
	return g.string(0)
}

const letters = "abcdefghij ABC.,:;-+*/%{}[]()|~^'0123456789"

// text is a literal of n letters, few of them.
func (g *generator) text(n int) string {
	b := []byte{'"'}
	for range n {
		b = append(b, letters[g.Intn(2)])
	}
	return string(append(b, '"'))
}

// needle is what is looked for in a text.
func (g *generator) needle() string {
	if s := g.readable(tString); s != "" && g.Intn(4) == 0 {
		return s
	}
	return g.stringLiteral()
}

func (g *generator) stringLiteral() string {
	n := g.Intn(6)
	if g.Intn(6) == 0 {
		n = g.Intn(g.longest) // an escape may stand behind
	}
	var b strings.Builder
	b.WriteByte('"')
	for range n {
		b.WriteByte(letters[g.Intn(len(letters))])
	}
	if g.Intn(12) == 0 && !g.common { // a line of its own would be sorted alone
		b.WriteString([]string{`\n`, `\t`, `\"`, `\\`, `\x41`, `\101`}[g.Intn(6)])
	}
	b.WriteByte('"')
	return b.String()
}
