package main

import (
	"fmt"
	"strings"
)

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
	case 5:
		if s := g.stringLiteral(); len(s) < 80 {
			return fmt.Sprintf("(string[%d])%s", 80+g.Intn(3), s)
		}
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
		n = g.Intn(g.longest - 6) // an escape may stand behind
	}
	var b strings.Builder
	b.WriteByte('"')
	for range n {
		b.WriteByte(letters[g.Intn(len(letters))])
	}
	if g.Intn(8) == 0 {
		escapes := []string{`\t`, `\"`, `\\`, `\x41`, `\101`, "é", `\xc3\xa9`, `\n`, `\xff`, `\x00`, `\0001`, "\u6f22"}
		if g.common {
			// A line of its own would be sorted alone, strlen() of a literal counts what
			// follows its end, and JSON is no UTF-8 there.
			escapes = escapes[:7-2*b2i(g.asJSON)]
		}
		b.WriteString(escapes[g.Intn(len(escapes))])
		for range g.Intn(3) {
			b.WriteByte(letters[g.Intn(10)])
		}
	}
	b.WriteByte('"')
	return b.String()
}
