package parse

import (
	"fst/lang/ast"
	"fst/lang/source"
)

// declare parses the declaration that begins with kind at i and returns the
// offset behind it.
func (p *parser) declare(kind string, i int) int {
	switch kind {
	case "import", "let":
		return p.line(kind, i)
	case "struct", "union", "enum", "typedef":
		return p.cDefinition(i)
	case "probe":
		return p.probe(i)
	}
	// config, macro, fn and its like: everything up to the '}'.
	t, end := p.region(i)
	before := p.errors
	defer func() {
		p.astray = p.astray || p.errors > before
		p.prog.Unsettled = p.prog.Unsettled || kind == "config" && p.errors > before
	}()
	p.try(func() {
		switch kind {
		case "config":
			t.config()
		case "macro":
			t.macro()
		case "fn":
			t.function()
		default:
			sp := t.here()
			t.next()
			name, _ := t.ident("a name", "")
			t.fail(sp, "write fn "+name+"($a: int64): int64 { return $a; }", "a function begins with fn, not %s", kind)
		}
		t.expectEnd("the end of the block")
	})
	if end < len(p.text) && p.text[end] == ';' {
		end++
	}
	return end
}

// line parses a declaration that ends where its grammar does: with the name of the file,
// or with the ')' of a map's kind. A ';' may follow. The region is no longer than that, so
// that declarations on one line are each looked at once.
func (p *parser) line(kind string, i int) int {
	end := i
	for depth, whole := 0, false; end < len(p.text) && !whole; {
		c := p.text[end]
		if depth <= 0 && (c == ';' || c == '{' || c == '}') {
			break
		}
		next := p.step(end)
		switch c {
		case '(':
			depth++
		case ')':
			depth--
			whole = depth == 0
		case '"':
			whole = kind == "import" && next > end+1 && p.text[next-1] == c
		}
		end = next
	}
	for end < len(p.text) && (p.text[end] == ' ' || p.text[end] == '\t') {
		end++
	}
	endName := "the end of the declaration"
	if end == len(p.text) {
		endName = ""
	}
	t := p.tokens(i, end, endName)
	ok := p.try(func() {
		start := t.here()
		t.next()
		if kind == "import" {
			tok := t.Peek()
			if tok.Type != tokString {
				t.unexpected("the name of a file in quotes after import", "write import \""+tok.Value+"\";")
			}
			t.next()
			p.prog.Imports = append(p.prog.Imports, &ast.Import{At: ast.At{Span: t.from(start)}, Path: t.unquote(tok)})
			return
		}
		t.mapDecl(start)
	})
	if ok {
		// Without a ';' another declaration may stand on the same line.
		end = t.base + t.Peek().Pos.Offset
		if t.Peek().EOF() {
			end = t.end
		}
	}
	if end < len(p.text) && p.text[end] == ';' {
		end++
	}
	return end
}

// config parses "config = { k = v; ... }".
func (t *tokens) config() {
	t.next()
	if !t.accept("=") {
		t.unexpected("'=' after config", "write config = { max_strlen = 200 }")
	}
	open := t.here()
	t.expect("{", "to begin the settings", "write config = { max_strlen = 200 }")
	for {
		for t.accept(";") || t.accept(",") {
		}
		if t.accept("}") {
			return
		}
		if t.Peek().EOF() {
			t.unclosed(open)
			panic(bailout{})
		}
		before := t.Cursor()
		if !t.p.try(t.setting) {
			if t.Cursor() == before {
				t.next()
			}
			for !t.Peek().EOF() && !t.isOneOf(";", ",", "}") {
				t.next()
			}
		}
	}
}

// setting parses "key = value".
func (t *tokens) setting() {
	key, start := t.ident("the name of a setting", "fst doc settings lists them")
	if t.is("-") && t.peekN(1).Type == tokIdent {
		t.fail(start.To(t.span(t.peekN(1))), "write "+key+"_"+t.peekN(1).Value, "the name of a setting has no '-'")
	}
	t.expect("=", "after the name of a setting", "write "+key+" = VALUE, such as max_strlen = 200")
	s := &ast.Setting{Key: key}
	tok := t.Peek()
	at := ast.At{Span: t.span(tok)}
	switch tok.Type {
	case tokInt:
		t.next()
		lit := t.intLit(tok)
		s.Value = lit
		// A share, as in max_overhead = 2%, is kept as its text.
		if t.accept("%") {
			s.Value = &ast.StringLit{At: ast.At{Span: t.from(at.Span)}, Value: tok.Value + "%"}
		}
	case tokString:
		t.next()
		s.Value = &ast.StringLit{At: at, Value: t.unquote(tok), Text: tok.Value}
	case tokIdent:
		t.next()
		if tok.Value == "true" || tok.Value == "false" {
			s.Value = &ast.BoolLit{At: at, Value: tok.Value == "true"}
		} else {
			s.Value = &ast.Ident{At: at, Name: tok.Value}
		}
	default:
		t.unexpected("a number, string, word, true or false", "a setting is not calculated: write max_strlen = 200")
	}
	s.Span = t.from(start)
	t.p.prog.Config = append(t.p.prog.Config, s)
}

// macro parses "macro name(params) { body }".
func (t *tokens) macro() {
	start := t.here()
	t.next()
	m := &ast.Macro{}
	defer func() { t.p.params = nil }()
	m.Name, _ = t.ident("the name of the macro", "write macro name(x, $variable, @map) { ... }")
	if t.accept("(") {
		for !t.accept(")") {
			tok := t.Peek()
			at := ast.At{Span: t.span(tok)}
			switch tok.Type {
			case tokVar:
				m.Params = append(m.Params, &ast.Var{At: at, Name: tok.Value[1:]})
			case tokMap:
				m.Params = append(m.Params, &ast.Map{At: at, Name: tok.Value[1:], NameSpan: at.Span})
			case tokIdent:
				m.Params = append(m.Params, &ast.Ident{At: at, Name: tok.Value})
				t.p.params = append(t.p.params, tok.Value)
			default:
				t.unexpected("a parameter ($variable, @map or a name) or ')'", "write macro name(x, $variable, @map) { ... }")
			}
			t.next()
			if !t.accept(",") && !t.is(")") {
				t.unexpected("',' or ')' after the parameter", "separate them with ','")
			}
		}
	}
	if !t.is("{") {
		t.unexpected("'{' to begin the macro's body", "write macro name(x) { x + 1 }: the last expression is its value")
	}
	m.Body = t.block()
	m.Span = t.from(start)
	t.p.prog.Macros = append(t.p.prog.Macros, m)
}

// function parses "fn name($a : type, ...) : type { body }". The types may be
// left out.
func (t *tokens) function() {
	const usage = "write fn name($a: int64, $b: string): int64 { ... }"
	start := t.here()
	t.next()
	m := &ast.Macro{Signature: &ast.Signature{}}
	m.Name, _ = t.ident("the name of the function", usage)
	t.expect("(", "to begin the parameters", usage)
	for !t.accept(")") {
		tok := t.Peek()
		if tok.Type != tokVar {
			t.unexpected("a parameter ($variable) or ')'", usage)
		}
		t.next()
		m.Params = append(m.Params, &ast.Var{At: ast.At{Span: t.span(tok)}, Name: tok.Value[1:]})
		var typ *ast.TypeExpr
		if t.accept(":") {
			typ = t.typeExpr()
		}
		m.Signature.Params = append(m.Signature.Params, typ)
		if !t.accept(",") && !t.is(")") {
			t.unexpected("',' or ')' after the parameter", "separate them with ','")
		}
	}
	if t.accept(":") {
		m.Signature.Result = t.typeExpr()
	}
	m.Signature.Span = t.from(start)
	if !t.is("{") {
		t.unexpected("'{' to begin the function's body", usage)
	}
	m.Body = t.block()
	m.Span = t.from(start)
	t.p.prog.Macros = append(t.p.prog.Macros, m)
}

// mapDecl parses "@name = kind(max)" of "let @name = kind(max);".
func (t *tokens) mapDecl(start source.Span) {
	const usage = "write let @name = hash(100);"
	tok := t.Peek()
	if tok.Type == tokVar {
		t.fail(t.span(tok), "move the declaration into a clause", "a $variable can't be declared outside a clause")
	}
	t.next()
	m := &ast.MapDecl{Name: tok.Value[1:]}
	if !t.accept("=") {
		t.unexpected("'=' after the map's name", usage)
	}
	m.Kind, _ = t.ident("the kind of the map", "write let @name = hash(100);")
	if !t.accept("(") {
		t.unexpected("'(' after the kind of the map", usage)
	}
	if t.is(")") {
		t.unexpected("the number of entries", usage)
	}
	m.Max = t.expr()
	t.expect(")", "after the number of entries", "write let @name = hash(100);")
	m.Span = t.from(start)
	t.p.prog.MapDecls = append(t.p.prog.MapDecls, m)
}
