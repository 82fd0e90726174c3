package main

import (
	"fmt"
	"strconv"
	"strings"
)

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

// number is a small number as people write it.
func (g *generator) number() string {
	n := g.Intn(1 << g.Intn(12))
	if g.Intn(4) == 0 && n > 0 {
		return strconv.Itoa(-n)
	}
	return strconv.Itoa(n)
}

// extreme is a number at an end of a type, or at a power of two.
func (g *generator) extreme(t *typ) string {
	bits := 8*t.size - b2i(t.signed)
	switch n := uint64(1)<<bits - 1; g.Intn(5) {
	case 0:
		return strconv.FormatUint(n, 10)
	case 1:
		return strconv.FormatUint(n-uint64(g.Intn(3)), 10)
	case 2:
		if t.signed {
			return fmt.Sprintf("(-%d)", n+uint64(g.Intn(2)))
		}
		return "0"
	case 3:
		if t.signed {
			return fmt.Sprintf("(-%d)", uint64(1)<<g.Intn(bits))
		}
	}
	return strconv.FormatUint(1<<g.Intn(bits), 10)
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

// wide is a type of integers that a number of 31 bits fits in.
func (g *generator) wide() *typ {
	return []*typ{tInt64, tUint64, tInt32, {kind: kInt, size: 4}}[g.Intn(4)]
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
	switch g.Intn(18) {
	case 16:
		// With a sign, where it does not matter.
		a, b := g.cast(g.wide(), fmt.Sprintf("(%s & %d)", g.operand(depth), 1<<(7+g.Intn(24))-1)), fmt.Sprintf("(%s & 63)", g.operand(depth))
		if g.Intn(3) == 0 {
			return fmt.Sprintf("(%s >> %s)", a, b)
		}
		return fmt.Sprintf("(%s %s (%s | 1))", a, []string{"/", "%"}[g.Intn(2)], g.cast(g.intType(), b))
	case 17:
		first := g.operand
		if g.common { // bpftrace writes it down twice
			first = func(int) string { return g.cast(g.intType(), g.number()) }
			if v := g.readable(tInt64); v != "" {
				first = func(int) string { return v }
			}
		}
		return fmt.Sprintf("(%s ?: %s)", first(depth), g.operand(depth))
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
			if v := &g.vars[i]; v.declared && (v.t.kind == kInt || !g.common) {
				return fmt.Sprintf("sizeof(%s)", v.name)
			}
		}
	case 0:
		return fmt.Sprintf("(uint64)(strncmp(%s, %s, %d) == 0)", g.string(depth), g.string(depth), []int{1 + g.Intn(5), 1 + g.Intn(5), 0, 63, 200}[g.Intn(5)])
	case 1:
		return []string{fmt.Sprintf("sizeof(%s)", g.intType()), "sizeof(struct fuzz_nest)", "offsetof(struct fuzz_parts, c)",
			"offsetof(struct fuzz_nest, u.b)"}[g.Intn(4)]
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
	at := m.name + g.key(m, depth-1)
	if g.Intn(3) == 0 { // an operator reads it by itself
		return fmt.Sprintf("(%s %s %s)", at, []string{"+", "-", "*"}[g.Intn(3)], g.operand(depth-1))
	}
	return fmt.Sprintf("(%s)%s", m.num, at)
}
