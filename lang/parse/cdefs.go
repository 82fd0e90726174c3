package parse

import (
	"fmt"

	"fst/lang/ast"
	"fst/lang/source"
)

// mostDefinition is how many bytes a definition of C may have: the kernel's largest has some tens of thousands.
const mostDefinition = 1 << 20

// cDefinition parses a struct, union or enum definition (or a typedef of one,
// or a forward declaration) at i and returns the offset behind its ';'.
func (p *parser) cDefinition(i int) int {
	// It reaches to the '}' of its body, or to a ';' before any '{'; a
	// typedef has its name behind the '}'.
	typedef := p.wordAt(i) == "typedef"
	j := i
	for j < len(p.text) && p.text[j] != '{' && p.text[j] != ';' {
		j = p.step(j)
	}
	end := j
	endName := "the end of the definition"
	switch {
	case j >= len(p.text):
		endName = ""
	case p.text[j] == '{':
		if end = p.closeBrace(j); end < 0 {
			end = p.unclosedEnd(j)
			if end == len(p.text) {
				endName = ""
			}
		} else {
			end = p.behindDefinition(end, typedef)
		}
	}
	if size := end - i; size > mostDefinition {
		p.errorf(p.f.Span(i, j), "this definition has %d bytes: at most %d are read", size, mostDefinition).Hint = "leave out what the script does not use"
		return end
	}
	t := p.tokens(i, end, endName)
	p.try(func() {
		t.accept("typedef")
		if typedef && !(isTag(t.Peek().Value) && (isWord(t.peekN(1), "{") || isWord(t.peekN(2), "{"))) {
			start := t.here()
			for t.Peek().Type == tokIdent && qualifiers[t.Peek().Value] {
				t.next()
			}
			m := t.declarator(start, t.baseType())
			p.prog.Typedefs = append(p.prog.Typedefs, m)
			p.typedefs[m.Name] = true
			t.expectEnd("';' after the typedef")
			return
		}
		kind, tag := t.Peek(), t.peekN(1)
		if !isWord(tag, "{") && !isWord(t.peekN(2), "{") && t.peekN(2).EOF() && tag.Type == tokIdent && endName != "" {
			t.next() // a forward declaration says nothing
			t.next()
			return
		}
		if isTag(kind.Value) && isWord(tag, "{") && !typedef && kind.Value != "enum" {
			t.fail(t.span(kind), "name it: "+kind.Value+" NAME { ... }", "a %s that is not a member needs a name", kind.Value)
		}
		c := t.cType()
		t.attributesOf(&c.Placement)
		if typedef {
			c.Name, _ = t.ident("the name of the typedef", "write typedef TYPE NAME;")
			p.typedefs[c.Name] = true
		}
		p.prog.CTypes = append(p.prog.CTypes, c)
		t.expectEnd("';' after the definition")
	})
	if end < len(p.text) && p.text[end] == ';' {
		end++
	}
	return end
}

// behindDefinition returns where a definition ends whose '}' is before end:
// behind its attributes and, for a typedef, its name.
func (p *parser) behindDefinition(end int, typedef bool) int {
	for {
		j, _ := p.skip(end, false)
		w := p.wordAt(j)
		switch {
		case w == "__packed":
			end = j + len(w)
		case w == "__attribute__" || w == "__aligned":
			for depth := 0; j < len(p.text); j = p.step(j) {
				if p.text[j] == '(' {
					depth++
				} else if p.text[j] == ')' {
					if depth--; depth == 0 {
						break
					}
				}
				if p.text[j] == ';' || p.text[j] == '{' {
					return j
				}
			}
			end = min(j+1, len(p.text))
		case typedef && w != "":
			typedef = false
			end = j + len(w)
		default:
			if j < len(p.text) && p.text[j] == ';' {
				return j
			}
			return end
		}
	}
}

// cType parses "struct NAME { ... }".
func (t *tokens) cType() *ast.CType {
	t.enter()
	defer t.leave()
	start := t.here()
	c := &ast.CType{Pack: t.p.pack}
	c.Kind, _ = t.ident("struct, union or enum", "")
	t.attributesOf(&c.Placement)
	if t.Peek().Type == tokIdent {
		c.Name = t.next().Value
	}
	t.attributesOf(&c.Placement)
	t.expect("{", "to begin the "+c.Kind, "write "+c.Kind+" NAME { ... }")
	for !t.accept("}") {
		switch {
		case t.Peek().EOF():
			t.unexpected("'}' to end the "+c.Kind, "close it with '};'")
		case c.Kind == "enum":
			t.enumerator(c)
		case t.accept(";"):
		default:
			t.members(c)
		}
	}
	c.Span = t.from(start)
	return c
}

// enumerator parses "NAME [= value]" with the ',' behind it.
func (t *tokens) enumerator(c *ast.CType) {
	name, start := t.ident("the name of an enumerator", "write enum NAME { ONE, TWO = 5 }")
	e := &ast.CEnumerator{Name: name}
	value := int64(0)
	known := true
	if n := len(c.Enums); n > 0 {
		value, known = t.p.consts[c.Enums[n-1].Name]
		value++
	}
	if t.accept("=") {
		e.Value = t.expr()
		value, known = t.p.constant(e.Value)
	}
	if known {
		t.p.consts[name] = value
	}
	e.Span = t.from(start)
	c.Enums = append(c.Enums, e)
	if !t.accept(",") && !t.is("}") {
		t.unexpected("',' or '}' after the enumerator", "separate enumerators with ','")
	}
}

// members parses one member declaration, which may declare several names.
func (t *tokens) members(c *ast.CType) {
	start := t.here()
	for t.Peek().Type == tokIdent && qualifiers[t.Peek().Value] {
		t.next()
	}
	var all ast.Placement // of all names that are declared here
	t.attributesOf(&all)
	var inline *ast.CType
	var base *ast.TypeExpr
	if isTag(t.Peek().Value) && (isWord(t.peekN(1), "{") || isWord(t.peekN(2), "{")) {
		inline = t.cType()
		t.attributesOf(&inline.Placement)
		if inline.Name != "" {
			// Its name is known everywhere, as in C.
			t.p.prog.CTypes = append(t.p.prog.CTypes, inline)
		}
		if t.is(";") || t.is("}") {
			if inline.Name == "" && inline.Kind != "enum" {
				c.Members = append(c.Members, &ast.CMember{At: ast.At{Span: t.from(start)}, Inline: inline})
			}
			t.endMember()
			return
		}
		base = &ast.TypeExpr{At: inline.At, Tag: inline.Kind, Name: inline.Name}
	} else {
		base = t.baseType()
	}
	t.attributesOf(&all)
	for {
		m := t.declarator(start, base)
		m.Inline = inline
		m.Packed = m.Packed || all.Packed
		m.Aligned = max(m.Aligned, all.Aligned)
		c.Members = append(c.Members, m)
		if !t.accept(",") {
			break
		}
		start = t.here()
	}
	t.endMember()
}

func (t *tokens) endMember() {
	t.attributes()
	if !t.accept(";") && !t.is("}") {
		t.unexpected("';' after the member", "end each member with ';'")
	}
}

// declarator parses the pointers, name, lengths and width of one member.
func (t *tokens) declarator(start source.Span, base *ast.TypeExpr) *ast.CMember {
	typ := *base
	typ.Post = append([]ast.TypePost(nil), base.Post...)
	m := &ast.CMember{Type: &typ}
	for {
		if t.accept("*") {
			typ.Post = append(typ.Post, ast.TypePost{Pointer: true})
			if len(typ.Post) > maxSuffixes {
				t.fail(t.here(), fmt.Sprintf("at most %d are allowed", maxSuffixes), "this type has too many pointers")
			}
		} else if t.Peek().Type == tokIdent && qualifiers[t.Peek().Value] {
			t.next()
		} else {
			break
		}
	}
	switch {
	case t.is("("):
		// "(*name)(args)" is a pointer to a function, "(*name)[4]" one to
		// an array: both are read as plain pointers.
		t.next()
		t.expect("*", "of a pointer to a function", "write int (*name)(int)")
		for t.accept("*") {
		}
		for t.Peek().Type == tokIdent && qualifiers[t.Peek().Value] {
			t.next()
		}
		m.Name, _ = t.ident("the name of the member", "a member is written TYPE NAME;")
		t.dims(m)
		t.expect(")", "after the name of the member", "write int (*name)(int)")
		if t.is("(") {
			t.skipParens()
			typ.Tag, typ.Name, typ.Post = "", "void", nil
		} else if t.is("[") {
			var array ast.CMember
			t.dims(&array)
			for _, n := range array.Dims {
				typ.Post = append(typ.Post, ast.TypePost{Len: n})
			}
		}
		typ.Post = append(typ.Post, ast.TypePost{Pointer: true})
	case t.is(":"): // unnamed padding
	default:
		m.Name, _ = t.ident("the name of the member", "a member is written TYPE NAME;")
		t.dims(m)
	}
	if t.accept(":") {
		m.Bits = t.length()
		if m.Bits == 0 && m.Name != "" || m.Bits > 64 {
			t.fail(t.from(start), "a bitfield has from 1 to 64 bits", "a bitfield can't have %d bits", m.Bits)
		}
	}
	t.attributesOf(&m.Placement)
	m.Span = t.from(start)
	return m
}

// dims parses the lengths of an array member.
func (t *tokens) dims(m *ast.CMember) {
	t.attributesOf(&m.Placement)
	for t.accept("[") {
		n := -1
		if !t.is("]") {
			n = t.length()
		}
		t.expect("]", "to end the length of an array", "write its length as a number: [16]")
		m.Dims = append(m.Dims, n)
		if len(m.Dims) > maxSuffixes {
			t.fail(t.here(), fmt.Sprintf("at most %d are allowed", maxSuffixes), "this array has too many dimensions")
		}
	}
}

// constant folds what array lengths, enumerators and #if use.
func (p *parser) constant(x ast.Expr) (int64, bool) {
	switch x := x.(type) {
	case *ast.IntLit:
		return int64(x.Value), true
	case *ast.BoolLit:
		if x.Value {
			return 1, true
		}
		return 0, true
	case *ast.Ident:
		v, ok := p.consts[x.Name]
		return v, ok
	case *ast.Unary:
		v, ok := p.constant(x.X)
		switch x.Op {
		case "-":
			return -v, ok
		case "+":
			return v, ok
		case "~":
			return ^v, ok
		case "!":
			return truth(v == 0), ok
		}
	case *ast.Cast:
		return p.constant(x.X)
	case *ast.SizeOf:
		if x.Type == nil || x.Type.Tag != "" {
			return 0, false
		}
		if len(x.Type.Post) > 0 {
			return 8, len(x.Type.Post) == 1 && x.Type.Post[0].Pointer
		}
		n, ok := cSizes[x.Type.Name]
		return n, ok
	case *ast.Cond:
		c, ok := p.constant(x.C)
		if !ok {
			return 0, false
		}
		if c != 0 {
			if x.A == nil {
				return c, true
			}
			return p.constant(x.A)
		}
		return p.constant(x.B)
	case *ast.Binary:
		a, ok := p.constant(x.X)
		b, ok2 := p.constant(x.Y)
		if ok && ok2 {
			return foldBinary(x.Op, a, b)
		}
	}
	return 0, false
}

// cSizes are the sizes of C's types on 64-bit machines.
var cSizes = map[string]int64{
	"char": 1, "unsigned char": 1, "signed char": 1, "bool": 1, "short": 2, "unsigned short": 2,
	"int": 4, "unsigned int": 4, "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8,
	"int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
	"int8_t": 1, "uint8_t": 1, "int16_t": 2, "uint16_t": 2, "int32_t": 4, "uint32_t": 4, "int64_t": 8, "uint64_t": 8,
	"u8": 1, "s8": 1, "u16": 2, "s16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8, "size_t": 8,
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func foldBinary(op string, a, b int64) (int64, bool) {
	switch op {
	case "||":
		return truth(a != 0 || b != 0), true
	case "&&":
		return truth(a != 0 && b != 0), true
	case "|":
		return a | b, true
	case "^":
		return a ^ b, true
	case "&":
		return a & b, true
	case "==":
		return truth(a == b), true
	case "!=":
		return truth(a != b), true
	case "<":
		return truth(a < b), true
	case "<=":
		return truth(a <= b), true
	case ">":
		return truth(a > b), true
	case ">=":
		return truth(a >= b), true
	case "<<":
		return a << (uint64(b) & 63), true
	case ">>":
		return a >> (uint64(b) & 63), true
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	case "/":
		if b == 0 {
			return 0, false
		}
		return a / b, true
	case "%":
		if b == 0 {
			return 0, false
		}
		return a % b, true
	}
	return 0, false
}
