package parse

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/keyword"
	"fst/lang/source"
)

// precedence of the binary operators; a higher number binds tighter.
var precedence = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5,
	"==": 6, "!=": 6,
	"<": 7, "<=": 7, ">": 7, ">=": 7,
	"<<": 8, ">>": 8,
	"+": 9, "-": 9,
	"*": 10, "/": 10, "%": 10,
}

// relational is the precedence of < and its like.
const relational = 7

// expr parses an expression.
func (t *tokens) expr() ast.Expr {
	t.enter()
	defer t.leave()
	start := t.here()
	c := t.binary(1)
	if !t.is("?") {
		return c
	}
	t.next()
	x := &ast.Cond{C: c}
	if !t.is(":") {
		x.A = t.expr()
	}
	if !t.accept(":") {
		t.unexpected("':' of the conditional expression", "write condition ? a : b")
	}
	x.B = t.expr()
	x.Span = t.from(start)
	return x
}

// binary parses operators of at least a precedence by climbing.
func (t *tokens) binary(least int) ast.Expr {
	start := t.here() // of x with its parentheses
	x := t.unary()
	var before *ast.Binary // what of x is not in parentheses
	warned := false        // of 1 < $x < 3: once, however long it is
	for {
		op := t.Peek()
		prec := precedence[op.Value]
		if op.Type != tokOp || prec < least {
			return x
		}
		t.noEntity()
		t.next()
		y := t.binary(prec + 1)
		whole := &ast.Binary{At: ast.At{Span: t.from(start)}, Op: op.Value, OpSpan: t.span(op), X: x, Y: y}
		if before != nil && prec == relational && precedence[before.Op] == relational && !warned {
			t.chained(before, whole)
			warned = true
		}
		x, before = whole, whole
	}
}

// chained warns of 1 < $x < 3, which compares 3 with true or false.
func (t *tokens) chained(first, whole *ast.Binary) {
	middle := t.p.f.Text[first.OpSpan.End-t.p.f.Base : first.Span.End-t.p.f.Base]
	t.p.diags.Warnf(whole.Span, "this compares the result of %s, true or false, with what follows", first.Op).
		Hintf("write %s && %s%s", t.p.f.Text[first.Span.Start-t.p.f.Base:first.Span.End-t.p.f.Base], strings.TrimSpace(middle),
			t.p.f.Text[first.Span.End-t.p.f.Base:whole.Span.End-t.p.f.Base])
}

func (t *tokens) unary() ast.Expr {
	t.enter()
	defer t.leave()
	tok := t.Peek()
	start := t.span(tok)
	if tok.Type == tokOp {
		switch tok.Value {
		case "!", "~", "-", "*", "&", "+":
			t.noEntity()
			t.next()
			x := t.unary()
			return &ast.Unary{At: ast.At{Span: t.from(start)}, Op: tok.Value, X: x}
		case "++", "--":
			t.next()
			x := t.unary()
			t.checkIncDec(x, tok.Value)
			return &ast.IncDec{At: ast.At{Span: t.from(start)}, Op: tok.Value, Prefix: true, X: x}
		case "(":
			if t.isCast() {
				t.next()
				typ := t.typeExpr()
				t.expect(")", "to end the cast", "a cast is written (uint64)x")
				x := t.unary()
				return &ast.Cast{At: ast.At{Span: t.from(start)}, Type: typ, X: x}
			}
		}
	}
	if isWord(tok, "comptime") && !t.followsName(1) {
		t.next()
		x := t.unary()
		return &ast.Comptime{At: ast.At{Span: t.from(start)}, X: x}
	}
	return t.postfix(start, t.primary())
}

// followsName reports whether the n-th token ahead could not begin an operand:
// the word before it is then a name and not a keyword.
func (t *tokens) followsName(n int) bool {
	tok := t.peekN(n)
	return tok.EOF() || tok.Type == tokOp && tok.Value != "(" && tok.Value != "!" && tok.Value != "{"
}

func (t *tokens) checkIncDec(x ast.Expr, op string) {
	switch x.(type) {
	case *ast.Var, *ast.Map:
		return
	}
	hint := "'" + op + "' needs a $variable or @map"
	named := x
	if i, ok := x.(*ast.Index); ok {
		named = i.X
	}
	if id, ok := named.(*ast.Ident); ok {
		hint = "what is counted is kept in a map: @" + id.Name + t.p.f.Text[id.Span.End-t.p.f.Base:x.Pos().End-t.p.f.Base] + op
		if op == "--" && named == x {
			hint = "a comment begins with //"
		}
	}
	t.fail(x.Pos(), hint, "can't apply '%s' to this expression", op)
}

// noEntity reports an operator as HTML has it: &lt; for <.
func (t *tokens) noEntity() {
	at := t.base + t.Peek().Pos.Offset
	if t.p.text[at] != '&' {
		return
	}
	if m := entity().FindSubmatch(t.p.text[at:]); m != nil {
		t.fail(t.p.f.Span(at, at+len(m[0])), "write "+operators[string(m[1])], "%s is HTML", m[0])
	}
}

// postfix parses what may follow the operand x that began at start: .name
// ->name .0 [i] ++ --.
func (t *tokens) postfix(start source.Span, x ast.Expr) ast.Expr {
	for {
		tok := t.Peek()
		if tok.Type != tokOp {
			return x
		}
		switch tok.Value {
		case ".", "->":
			t.next()
			name := t.Peek()
			switch {
			case name.Type == tokIdent:
				t.next()
				if t.is("(") {
					t.fail(t.span(name), t.methodHint(), "there is no method %s", name.Value)
				}
				x = &ast.Field{At: ast.At{Span: t.from(start)}, X: x, Name: name.Value, NameSpan: t.span(name), Arrow: tok.Value == "->"}
			case name.Type == tokInt && tok.Value == ".":
				if lit, ok := x.(*ast.IntLit); ok {
					t.fail(lit.Span.To(t.span(name)), "use a smaller unit, such as 1500us for 1.5ms", "a number must be an integer, without a fraction")
				}
				n, err := strconv.Atoi(name.Value)
				if err != nil {
					t.fail(t.span(name), "write x.0 for the first part of a tuple", "expected the number of a tuple's part, found '%s'", shorten(name.Value))
				}
				t.next()
				x = &ast.TupleIndex{At: ast.At{Span: t.from(start)}, X: x, N: n}
			default:
				hint := "print(*x) or print(args) shows the fields with their names"
				if name.Type == tokString {
					hint = "str_concat(a, b) joins strings"
				}
				t.unexpected("the name of a field after '"+tok.Value+"'", hint)
			}
		case "[":
			t.next()
			i := t.expr()
			if t.is(",") {
				t.fail(t.here(), "only a @map has several keys", "expected one index in '[ ]'")
			}
			if t.is(":") || t.is("..") {
				t.fail(t.here(), "values can't be cut; str(address, length) and buf(address, length) read a part", "expected ']' to end the index, found %s", t.describe(t.Peek()))
			}
			t.expect("]", "to end the index", "")
			x = &ast.Index{At: ast.At{Span: t.from(start)}, X: x, I: i}
		case "++", "--":
			t.checkIncDec(x, tok.Value)
			t.next()
			x = &ast.IncDec{At: ast.At{Span: t.from(start)}, Op: tok.Value, X: x}
		default:
			return x
		}
	}
}

// primary parses an operand.
func (t *tokens) primary() ast.Expr {
	tok := t.Peek()
	start := t.span(tok)
	at := ast.At{Span: start}
	switch tok.Type {
	case tokInt:
		t.next()
		return t.intLit(tok)
	case tokString:
		t.next()
		return &ast.StringLit{At: at, Value: t.unquote(tok), Text: tok.Value}
	case tokVar:
		return t.variable()
	case tokParam:
		t.next()
		if tok.Value == "$#" {
			return &ast.Param{At: at, Count: true}
		}
		n, err := strconv.Atoi(tok.Value[1:])
		if err != nil || n > 1<<16 {
			t.fail(start, "the first parameter is $1", "this parameter's number is too large")
		}
		return &ast.Param{At: at, N: n}
	case tokMap:
		return t.mapRef()
	case tokIdent:
		return t.word(tok)
	case tokOp:
		switch tok.Value {
		case "(":
			return t.paren()
		case "{":
			if n := t.peekN(1); startsOperand(n) && isWord(t.peekN(2), ",") {
				t.unexpected("an expression", "a list is written as a tuple, (1, 2); what grows is a map: @x[key] = value")
			}
			errors := t.p.errors
			b := t.block()
			if t.p.errors == errors { // else its value may be what is wrong
				t.wantValue(b, "block")
			}
			return &ast.BlockExpr{At: ast.At{Span: b.Span}, Body: b}
		}
	}
	t.unexpected("an expression", t.missingOperand())
	return nil
}

// missingOperand is the hint where an operand should stand and nothing does.
func (t *tokens) missingOperand() string {
	if t.prev == nil || t.prev.Type != tokOp || !t.Peek().EOF() && !t.isOneOf(";", ")", "]", "}", ",", "=") {
		return ""
	}
	switch op := t.prev.Value; {
	case assignOps[op]:
		return "a value is missing after '" + op + "'"
	case op == "(", op == "[", op == ",":
		return "a value is missing after '" + op + "'"
	case t.is("="):
	case op == ")":
		return "a cast needs a value: (struct NAME *)x"
	case precedence[op] > 0, op == "?", op == ":", op == "!", op == "~":
		return "the right side of '" + op + "' is missing"
	}
	return ""
}

// mapRef parses "@name" with its keys, if any.
func (t *tokens) mapRef() *ast.Map {
	tok := t.next()
	m := &ast.Map{Name: tok.Value[1:], NameSpan: t.span(tok)}
	if t.accept("[") {
		if t.is("]") {
			t.fail(t.here(), "without keys, leave the brackets out", "expected a key in '[ ]'")
		}
		m.Keys = t.list("]", "keys")
	}
	m.Span = t.from(m.NameSpan)
	return m
}

// list parses expressions separated by ',' up to and with the closing
// bracket.
func (t *tokens) list(close, what string) []ast.Expr {
	var xs []ast.Expr
	for !t.accept(close) {
		xs = append(xs, t.expr())
		if !t.accept(",") && !t.is(close) {
			t.unexpected("',' or '"+close+"' after the "+what, t.notClosed(close))
		}
	}
	return xs
}

// word parses an operand that begins with a bare word.
func (t *tokens) word(tok *lexer.Token) ast.Expr {
	start := t.span(tok)
	at := ast.At{Span: start}
	switch tok.Value {
	case "true", "false":
		t.next()
		return &ast.BoolLit{At: at, Value: tok.Value == "true"}
	case "if":
		s := t.ifStmt()
		t.wantValue(s.Then, "if")
		if s.Else == nil {
			t.fail(s.Span, "add else { ... } with a value of the same type", "an if that is used as a value needs an else")
		}
		t.wantValue(s.Else, "else")
		return &ast.IfExpr{At: s.At, Cond: s.Cond, Then: s.Then, Else: s.Else}
	case "sizeof":
		if !t.followsName(1) {
			return t.sizeOf()
		}
	case "offsetof":
		if isWord(t.peekN(1), "(") {
			return t.offsetOf()
		}
	case "struct", "union", "enum":
		t.fail(start, "a cast is written (struct NAME *)x", "expected an expression, found a type")
	}
	if w, ok := keyword.Lookup(tok.Value); ok && w.Reserved {
		t.fail(start, "it is a keyword and can't be a name", "expected an expression, found '%s'", tok.Value)
	}
	t.next()
	switch {
	case t.is("!") && isWord(t.peekN(1), "("):
		t.next()
		return t.call(tok, start)
	case t.is("("):
		return t.call(tok, start)
	}
	return &ast.Ident{At: at, Name: tok.Value}
}

// wantValue reports a block without a value where one is needed.
func (t *tokens) wantValue(b *ast.Block, what string) {
	if b.Value == nil {
		end := b.Span
		end.Start = end.End - 1
		hint := "leave out the ';' after the last expression"
		if what == "block" && len(b.Stmts) == 0 {
			hint = "a map is there with its first entry: @a[key] = value"
		}
		t.fail(end, hint, "this %s is used as a value, so it must end with an expression", what)
	}
}

// notClosed is the hint if a list ends where the statement does.
func (t *tokens) notClosed(close string) string {
	if startsOperand(t.Peek()) || t.is(";") && t.closesLater() {
		return "separate them with ','"
	}
	if t.isOneOf(";", "{", "}", ")", "]") || close == "]" && t.is("=") {
		return "a '" + close + "' is missing"
	}
	return ""
}

// call parses the arguments of name.
func (t *tokens) call(name *lexer.Token, start source.Span) ast.Expr {
	if name.Value == "typeof" {
		t.fail(start, "it stands where a type does: let $x: typeof($y) = 5, (typeof($y))5", "typeof() is a type, not a value")
	}
	c := &ast.Call{Name: name.Value, NameSpan: start}
	t.expect("(", "", "")
	for !t.accept(")") {
		c.Args = append(c.Args, t.arg(name.Value))
		if !t.accept(",") && !t.is(")") {
			t.unexpected("',' or ')' after the argument of "+name.Value, t.notClosed(")"))
		}
	}
	c.Span = t.from(start)
	return c
}

// arg parses one argument: an expression, a type, or the probe of exists.
func (t *tokens) arg(fn string) ast.Expr {
	tok := t.Peek()
	if fn == "exists" && tok.Type == tokIdent && isWord(t.peekN(1), ":") {
		return t.probeArg()
	}
	if t.startsTypeArg() {
		typ := t.typeExpr()
		return &ast.TypeArg{At: ast.At{Span: typ.Span}, Type: typ}
	}
	return t.expr()
}

// paren parses what a '(' that is not a cast begins: an expression in
// parentheses, a tuple or a record.
func (t *tokens) paren() ast.Expr {
	start := t.here()
	t.next()
	if t.accept(")") {
		return &ast.Tuple{At: ast.At{Span: t.from(start)}}
	}
	if t.Peek().Type == tokIdent && isWord(t.peekN(1), "=") {
		return t.record(start)
	}
	x := t.expr()
	if t.accept(")") {
		if id, ok := x.(*ast.Ident); ok && t.offset(start) != t.condStart && startsOperand(t.Peek()) && !isWord(t.Peek(), "in") && wordOperators[t.Peek().Value] == "" {
			t.noType(id)
		} else if ok {
			id.Parens = t.p.isType(id.Name)
		}
		return x
	}
	if tok := t.Peek(); tok.Type == tokOp && assignOps[tok.Value] {
		t.fail(t.span(tok), "assign in a statement of its own; comparison is '=='", "an assignment is not an expression")
	}
	if !t.is(",") {
		t.unexpected("')' or an operator", t.notClosed(")"))
	}
	t.next()
	elems := append([]ast.Expr{x}, t.list(")", "part of the tuple")...)
	return &ast.Tuple{At: ast.At{Span: t.from(start)}, Elems: elems}
}

// noType reports a cast to something that is no type.
func (t *tokens) noType(x *ast.Ident) {
	hint := "types are int8 to int64, uint8 to uint64, string, struct NAME *"
	if n := diag.Nearest(x.Name, slices.Sorted(maps.Keys(typeNames))); n != "" {
		hint = "did you mean " + n + "?"
	}
	t.fail(x.Span, hint, "there is no type called %s", x.Name)
}

// record parses "name = e, ...)".
func (t *tokens) record(start source.Span) ast.Expr {
	r := &ast.Record{}
	seen := map[string]bool{}
	for !t.accept(")") {
		name, sp := t.ident("the name of a field", "write (a = 1, b = 2)")
		if seen[name] {
			t.fail(sp, "use each name only once", "this record has two fields named %s", name)
		}
		seen[name] = true
		t.expect("=", "after the name of a field", "write (a = 1, b = 2)")
		r.Names = append(r.Names, name)
		r.Values = append(r.Values, t.expr())
		if !t.accept(",") && !t.is(")") {
			t.unexpected("',' or ')' after the field "+name, "separate them with ','")
		}
	}
	r.Span = t.from(start)
	return r
}

// sizeOf parses "sizeof(type)" and "sizeof(e)".
func (t *tokens) sizeOf() ast.Expr {
	start := t.here()
	t.next()
	s := &ast.SizeOf{}
	if t.is("(") {
		t.next()
		if t.startsType() {
			s.Type = t.typeExpr()
		} else {
			s.X = t.expr()
		}
		t.expect(")", "to end sizeof", "write sizeof(struct NAME) or sizeof(x); a member's is sizeof(((struct NAME *)0)->member)")
	} else {
		s.X = t.unary()
	}
	s.Span = t.from(start)
	return s
}

// hasFields reports whether a bare word is one of the built-ins whose fields
// offsetof knows; any other that stands there is a type.
func hasFields(word string) bool { return word == "args" || word == "ctx" || word == "curtask" }

// offsetOf parses "offsetof(type or e, path)".
func (t *tokens) offsetOf() ast.Expr {
	start := t.here()
	t.next()
	t.next()
	o := &ast.OffsetOf{}
	name := t.Peek()
	switch {
	case t.startsType(),
		// A bare word is a typedef, but for the built-ins with fields.
		name.Type == tokIdent && isWord(t.peekN(1), ",") && !hasFields(name.Value):
		o.Type = t.typeExpr()
	default:
		o.X = t.expr()
		if id, ok := o.X.(*ast.Ident); ok {
			id.Parens = !hasFields(id.Name)
		}
	}
	t.expect(",", "before the field of offsetof", "write offsetof(struct NAME, member)")
	field, _ := t.ident("the name of a field", "write offsetof(struct NAME, member)")
	o.Path = append(o.Path, field)
	for !t.is(")") {
		switch {
		case t.accept("."), t.accept("->"):
			field, _ := t.ident("the name of a field", "write offsetof(struct NAME, member)")
			o.Path = append(o.Path, field)
		case t.accept("["):
			n := t.Peek()
			if n.Type != tokInt {
				t.unexpected("a number", "the place of a member is constant: write offsetof(struct NAME, member[0])")
			}
			t.next()
			o.Path = append(o.Path, "["+strconv.FormatUint(t.intLit(n).Value, 10)+"]")
			t.expect("]", "", "")
		default:
			t.unexpected("'.', '[' or ')' in the path of offsetof", "write offsetof(struct NAME, a.b[2].c)")
		}
	}
	t.next()
	o.Span = t.from(start)
	return o
}
