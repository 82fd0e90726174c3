package main

import (
	"fmt"
	"strings"
)

// structText defines structs of eight bytes with what structs have.
const structText = "struct fuzz_parts { char a; unsigned short b; unsigned char c[3]; unsigned char d:3; unsigned char e:5; };\n" +
	"struct fuzz_inner { unsigned char lo:4; signed char hi; };\n" +
	"struct fuzz_nest { struct fuzz_inner in; union { unsigned short w; unsigned char b[2]; } u; int i; };\n"

var (
	tInt8   = &typ{kind: kInt, size: 1, signed: true}
	tUint8  = &typ{kind: kInt, size: 1}
	tUint16 = &typ{kind: kInt, size: 2}
	tInt32  = &typ{kind: kInt, size: 4, signed: true}

	tParts = &typ{kind: kStruct, names: []string{"a", "b", "c", "d", "e"}, bits: "de",
		elems: []*typ{tInt8, tUint16, {kind: kArray, elems: []*typ{tUint8}, n: 3}, tUint64, tUint64}}
	tInner = &typ{kind: kStruct, names: []string{"lo", "hi"}, bits: "lo", elems: []*typ{tUint64, tInt8}}
	tUnion = &typ{kind: kStruct, names: []string{"w", "b"}, elems: []*typ{tUint16, {kind: kArray, elems: []*typ{tUint8}, n: 2}}}
	tNest  = &typ{kind: kStruct, names: []string{"in", "u", "i"}, elems: []*typ{tInner, tUnion, tInt32}}
)

// member reads a member of a struct. What the width of a field of bits is, as a
// number, is nowhere said, so it is cast.
func (g *generator) member(text string, t *typ, i int) string {
	name := t.names[i]
	if p, ok := strings.CutSuffix(text, ")"); ok && strings.HasPrefix(p, "(*$") && g.Intn(4) > 0 {
		text = p[len("(*"):] + []string{"->", "."}[g.Intn(2)] + name
	} else {
		text += "." + name
	}
	if t.bits != "" && strings.Contains(t.bits, name) {
		return g.cast(t.elems[i], text)
	}
	return text
}

// pointer points to a number and reads what is there: as it is, as a struct, or
// as smaller numbers. The number's type is declared: how much there is of others,
// is bpftrace's to choose.
func (g *generator) pointer() {
	for _, i := range g.Perm(len(g.vars)) {
		v := g.vars[i]
		if v.t.kind != kInt || v.name[0] != '$' || strings.ContainsAny(v.name, ".>[") || !v.declared {
			continue
		}
		p := "$" + g.fresh("p")
		n := g.Intn(4)
		if v.t.size < 8 {
			n = 3
		}
		switch n {
		case 0, 1:
			name, t := "fuzz_parts", tParts
			if g.Intn(2) == 0 {
				name, t = "fuzz_nest", tNest
			}
			g.line("%s = (struct %s *)&%s;", p, name, v.name)
			whole := variable{name: "(*" + p + ")", t: t, fixed: true}
			g.vars = append(g.vars, whole)
			g.copied(whole)
		case 2:
			t := g.intType()
			g.line("%s = (%s *)&%s;", p, t, v.name)
			for range 2 {
				at := fmt.Sprintf("%s[%d]", p, g.Intn(8/t.size))
				if g.Intn(3) == 0 {
					at = fmt.Sprintf("(*(%s + %d))", p, g.Intn(8/t.size))
				}
				g.vars = append(g.vars, variable{name: at, t: t, fixed: true})
			}
		case 3:
			g.line("%s = &%s;", p, v.name)
			g.vars = append(g.vars, variable{name: "(*" + p + ")", t: v.t, fixed: true})
		}
		return
	}
}

// copied shows a struct as a whole, or keeps it.
func (g *generator) copied(v variable) {
	switch g.Intn(4) {
	case 0:
		g.line("print(%s);", v.name)
	case 1:
		c := variable{name: "$" + g.fresh("s"), t: v.t, fixed: true}
		g.line("%s = %s;", c.name, v.name)
		g.line("print(%s);", c.name)
		g.vars = append(g.vars, c)
	case 2:
		m := &mapping{name: g.fresh("@s"), t: v.t}
		for range g.Intn(3) {
			m.keys = append(m.keys, g.intType())
		}
		at := m.name + g.key(m, 0)
		g.line("%s = %s;", at, v.name)
		g.vars = append(g.vars, variable{name: at, t: v.t, fixed: true})
	case 3:
		g.line("%s[%s] = count();", g.fresh("@s"), v.name)
	}
}
