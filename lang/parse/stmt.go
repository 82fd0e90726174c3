package parse

import (
	"github.com/alecthomas/participle/v2/lexer"

	"fst/lang/ast"
)

// stmt parses one statement into b, with its ';'.
func (t *tokens) stmt(b *ast.Block) {
	start := t.here()
	add := func(s ast.Stmt) { b.Stmts = append(b.Stmts, s) }
	tok := t.Peek()
	t.stmtStart = tok
	if tok.Type == tokIdent {
		switch tok.Value {
		case "if":
			add(t.ifStmt())
			t.accept(";")
			return
		case "while":
			t.next()
			cond := t.condition("while")
			body := t.body("while")
			add(&ast.While{At: ast.At{Span: t.from(start)}, Cond: cond, Body: body})
			return
		case "unroll":
			t.next()
			if t.is("{") {
				t.unexpected("a count after unroll", "write unroll (10) { ... }")
			}
			n := t.expr()
			body := t.body("unroll")
			add(&ast.Unroll{At: ast.At{Span: t.from(start)}, N: n, Body: body})
			return
		case "for":
			add(t.forStmt())
			return
		case "else":
			if t.open {
				t.cut = true // what has no end is the block of its if
				t.fail(start, "close the block of its if before it: } else { ... }", "this else is inside the block of its if")
			}
			t.fail(start, "an else comes directly after the '}' of its if", "this else has no if")
		case "let":
			add(t.let())
			t.endStmt()
			return
		case "fire":
			if t.peekN(1).Type == tokIdent {
				add(t.fire())
				t.endStmt()
				return
			}
		case "break":
			t.next()
			add(&ast.Break{At: ast.At{Span: start}})
			t.endStmt()
			return
		case "continue":
			t.next()
			add(&ast.Continue{At: ast.At{Span: start}})
			t.endStmt()
			return
		case "return":
			t.next()
			r := &ast.Return{}
			if !t.is(";") && !t.is("}") {
				r.Value = t.expr()
			}
			r.Span = t.from(start)
			add(r)
			t.endStmt()
			return
		}
	}
	if t.is("{") {
		body := t.block()
		add(&ast.BlockStmt{At: ast.At{Span: body.Span}, Body: body})
		t.accept(";")
		return
	}
	if t.isOneOf(")", "]") {
		t.strayBracket()
	}
	x := t.expr()
	if op := t.Peek(); op.Type == tokOp && assignOps[op.Value] {
		t.checkTarget(x, op.Value)
		t.next()
		v := t.expr()
		add(&ast.Assign{At: ast.At{Span: t.from(start)}, Target: x, Op: op.Value, Value: v})
		if t.Peek().Type == tokOp && assignOps[t.Peek().Value] {
			t.fail(t.here(), "write two statements", "an assignment has no value: it can't be assigned again")
		}
		t.endStmt()
		return
	}
	if t.is("}") || t.bare && t.Peek().EOF() {
		b.Value = x
		return
	}
	add(&ast.ExprStmt{At: ast.At{Span: t.from(start)}, X: x})
	t.endStmt()
}

var assignOps = map[string]bool{
	"=": true, "+=": true, "-=": true, "*=": true, "/=": true, "%=": true,
	"&=": true, "|=": true, "^=": true, "<<=": true, ">>=": true,
}

// checkTarget reports what can't be assigned to.
func (t *tokens) checkTarget(x ast.Expr, op string) {
	t.oneName(x)
	switch x := x.(type) {
	case *ast.Var, *ast.Map:
		return
	case *ast.Ident:
		if x.Name == "_" { // the checker says what it takes
			return
		}
		t.fail(x.Span, "a variable is written $"+x.Name+", a map @"+x.Name, "can't assign to the name %s", x.Name)
	case *ast.Param:
		t.fail(x.Span, "copy it to a $variable first", "can't assign to a parameter of the script")
	case *ast.Field, *ast.Index, *ast.TupleIndex:
		if hint := foreignTarget(x); hint != "" {
			t.fail(x.Pos(), hint, "can't assign to a part of a value")
		}
		t.fail(x.Pos(), "a script can only observe; copy the value to a $variable or @map", "can't assign to a part of a value")
	}
	t.fail(x.Pos(), "the left side of '"+op+"' is a $variable or @map", "can't assign to this expression")
}

// oneName reports @my-map and @my.map, which were meant for one name.
func (t *tokens) oneName(x ast.Expr) {
	sign, last := "-", ast.Expr(nil)
	name := ""
	switch x := x.(type) {
	case *ast.Binary:
		if id, ok := x.Y.(*ast.Ident); ok && x.Op == "-" {
			last, name = x.X, id.Name
		}
	case *ast.Field:
		if !x.Arrow {
			sign, last, name = ".", x.X, x.Name
		}
	}
	switch first := last.(type) {
	case *ast.Map:
		if first.Keys == nil {
			t.fail(x.Pos(), "write @"+first.Name+"_"+name, "the name of a map has no '%s'", sign)
		}
	case *ast.Var:
		if sign == "-" {
			t.fail(x.Pos(), "write $"+first.Name+"_"+name, "the name of a variable has no '%s'", sign)
		}
	}
}

// endStmt expects the end of a statement.
func (t *tokens) endStmt() {
	if t.accept(";") || t.is("}") || t.bare && t.Peek().EOF() {
		return
	}
	tok := t.Peek()
	if tok.EOF() && t.open {
		t.unclosed(t.inner)
		panic(bailout{})
	}
	if isWord(tok, ")") || isWord(tok, "]") {
		t.strayBracket()
	}
	if tok.Type == tokBad || tok.Type == tokBadString || tok.Type == tokBadComment || tok.EOF() {
		t.unexpected("';' or '}'", "")
	}
	// The place to mend is behind the statement, not the next line.
	sp := t.span(tok)
	if prev := t.p.f.Span(t.prevEnd, t.prevEnd+1); hasNewline(t.p.text[t.prevEnd : t.base+tok.Pos.Offset]) {
		sp = prev
	}
	hint := t.slip(tok)
	if first := t.stmtStart; hint != "" && isStatementOf(first, hint) {
		t.fail(t.span(first), hint, "there is no statement %s", first.Value)
	}
	if hint == "" {
		hint = "end each statement with ';'"
		first := t.stmtStart
		switch {
		case isWord(tok, ","):
			hint = "statements are separated by ';'"
		case isWord(tok, "{") && first != nil && (first.Type == tokIdent || first.Type == tokVar):
			hint = "a condition is written if (x == 1) { ... }"
		case tok.Type == tokIdent && isWord(t.peekN(1), "(") && first != nil && first.Type == tokMap && isWord(t.prev, "]"):
			hint = "a map is filled by an assignment: @[key] = " + tok.Value + "(...)"
		}
	}
	t.fail(sp, hint, "expected ';' or '}' after the statement, found %s", t.describe(tok))
}

// isStatementOf reports whether a hint is that for a word which begins a
// statement in other languages.
func isStatementOf(first *lexer.Token, hint string) bool {
	return first != nil && first.Type == tokIdent && wordStatements[first.Value] == hint && hint != removesEntry
}

// strayBracket reports the ')' or ']' that is the next token and that no '(' or
// '[' belongs to, and leaves the statement.
func (t *tokens) strayBracket() {
	tok := t.Peek()
	opening := map[string]string{")": "(", "]": "["}[tok.Value]
	switch next := t.peekN(1); {
	case t.open && (t.prev == nil || isWord(t.prev, ";") || isWord(t.prev, "{") || isWord(t.prev, "}")):
		t.cut = true
		t.fail(t.span(tok), "a block ends with '}'", "expected '}', found '%s'", tok.Value)
	case tok.Value == "]" && t.prev != nil && t.prev.Type == tokMap && isWord(next, "="):
		t.fail(t.span(tok), "write @["+t.prev.Value[1:]+"]", "this ']' has no '['")
	default:
		t.fail(t.span(tok), "remove it, or write the '"+opening+"' that is missing before it", "this '%s' has no '%s'", tok.Value, opening)
	}
}

// ifStmt parses an if with all its else branches; the blocks keep their
// values.
func (t *tokens) ifStmt() *ast.If {
	t.enter()
	defer t.leave()
	start := t.here()
	t.next()
	s := &ast.If{Cond: t.condition("if")}
	if !t.is("{") {
		t.unexpected("'{' to begin the branch of if", "braces are needed even for one statement")
	}
	s.Then = t.block()
	if t.accept("else") {
		if t.is("if") {
			inner := t.ifStmt()
			s.Else = &ast.Block{At: inner.At, Stmts: []ast.Stmt{inner}}
			promote(s.Else)
		} else {
			if !t.is("{") {
				hint := "braces are needed even for one statement"
				if t.is("(") {
					hint = "write else if (...) { ... }"
				}
				t.unexpected("'{' or 'if' after else", hint)
			}
			s.Else = t.block()
		}
	}
	s.Span = t.from(start)
	return s
}

// condition parses the condition of an if or a loop.
func (t *tokens) condition(of string) ast.Expr {
	if t.is("{") {
		t.unexpected("a condition after "+of, "write "+of+" (...) { ... }")
	}
	if t.is("(") {
		t.condStart = t.base + t.Peek().Pos.Offset
	}
	x := t.expr()
	if r, ok := x.(*ast.Record); ok && len(r.Names) == 1 {
		hint := "comparison is =="
		if op, ok := r.Values[0].(*ast.Unary); ok && op.Op == "~" {
			hint = holdsPart
		}
		t.fail(r.Span, hint, "an assignment is not a condition")
	}
	return x
}

const loopUsage = "write for ($i : 0..10) { ... } or for ($kv : @map) { ... }"

// counting is the head of a loop of C: for ($i = FROM; $i < TO; $i++).
var counting = lazy(`^=\s*([^;{}]+?)\s*;\s*(\$\w+)\s*(<=?)\s*([^;{}&|]+?)\s*;\s*(?:\+\+\$\w+|\$\w+\s*\+\+|\$\w+\s*\+=\s*1)\s*\)`)

// loopOf is the hint for a for that is written in another way than here: for
// one of C that counts, the same loop.
func (t *tokens) loopOf(v *ast.Var) string {
	m := counting().FindSubmatch(t.p.text[t.base+t.Peek().Pos.Offset:])
	if m == nil || string(m[2]) != "$"+v.Name {
		return loopUsage
	}
	to := string(m[4])
	if string(m[3]) == "<=" {
		to = "(" + to + " + 1)"
	}
	return "write for ($" + v.Name + " : " + string(m[1]) + ".." + to + ") { ... }"
}

// forStmt parses both kinds of for.
func (t *tokens) forStmt() ast.Stmt {
	start := t.here()
	t.next()
	paren := t.accept("(")
	if t.is("(") {
		t.fail(t.here(), "write for ($kv : @map) and use $kv.0 for the key and $kv.1 for the value",
			"a loop has one variable, not a tuple")
	}
	if t.Peek().Type != tokVar {
		t.unexpected("a $variable after for", loopUsage)
	}
	v := t.variable()
	if !t.accept(":") {
		t.unexpected("':' after the variable of for", t.loopOf(v))
	}
	x := t.expr()
	var s ast.Stmt
	switch {
	case t.accept(".."):
		to := t.expr()
		f := &ast.ForRange{Var: v, From: x, To: to}
		t.closeFor(paren)
		f.Body = t.body("for")
		f.Span = t.from(start)
		s = f
	default:
		m, ok := x.(*ast.Map)
		if !ok {
			t.unexpected("'..' and the end of the range", loopUsage)
		}
		if m.Keys != nil {
			t.fail(m.Span, "write for ($kv : @"+m.Name+")", "a loop iterates over a whole map, not over one entry")
		}
		f := &ast.ForMap{Var: v, Map: m}
		t.closeFor(paren)
		f.Body = t.body("for")
		f.Span = t.from(start)
		s = f
	}
	return s
}

func (t *tokens) closeFor(paren bool) {
	if paren {
		t.expect(")", "to end the head of for", "")
	}
}

// let parses "let $x[: type] [= e]".
func (t *tokens) let() *ast.Let {
	start := t.here()
	t.next()
	if t.Peek().Type == tokMap {
		t.fail(t.here(), "move the declaration out of the clause", "a map can't be declared inside a block")
	}
	if t.Peek().Type != tokVar {
		hint := "write let $x = 1; or let $x: int32"
		if tok := t.Peek(); tok.Type == tokIdent {
			hint = "a variable is written $" + tok.Value
		}
		t.unexpected("a $variable after let", hint)
	}
	s := &ast.Let{Var: t.variable()}
	if t.accept(":") {
		s.Type = t.typeExpr()
	}
	if t.accept("=") {
		s.Value = t.expr()
	}
	s.Span = t.from(start)
	return s
}

// fire parses "fire family:name(field = e, ...)".
func (t *tokens) fire() *ast.Fire {
	const usage = "write fire family:name(field = value, ...);"
	start := t.here()
	t.next()
	s := &ast.Fire{}
	at := t.here()
	s.Family, _ = t.ident("the family of a probe", "write fire family:name(field = value, ...);")
	if !t.accept(":") {
		t.unexpected("':' and the name of a probe", usage)
	}
	s.Name, _ = t.ident("the name of a probe", "write fire family:name(field = value, ...);")
	s.NameSpan = t.from(at)
	open := t.here()
	if !t.accept("(") {
		t.unexpected("'(' and the fields of the probe", usage)
	}
	s.Fields = t.record(open).(*ast.Record)
	s.Span = t.from(start)
	return s
}

// variable consumes a $variable.
func (t *tokens) variable() *ast.Var {
	tok := t.next()
	return &ast.Var{At: ast.At{Span: t.span(tok)}, Name: tok.Value[1:]}
}
