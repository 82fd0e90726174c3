package parse

import (
	"bytes"

	"github.com/alecthomas/participle/v2/lexer"

	"fst/lang/ast"
	"fst/lang/source"
)

// block parses "{ stmts }". Its last expression without a ';' is its Value;
// demote makes it a statement where no value is wanted.
func (t *tokens) block() *ast.Block {
	t.enter()
	defer t.leave()
	open, stmt, outer := t.here(), t.stmtStart, t.inner
	t.inner = open
	defer func() { t.stmtStart, t.inner = stmt, outer }()
	t.expect("{", "", "")
	b := &ast.Block{}
	for {
		for t.accept(";") {
		}
		if t.is("}") || t.Peek().EOF() {
			break
		}
		// A value that something follows was a statement after all.
		demote(b)
		depth, before, first := t.depth, t.Cursor(), t.Peek()
		if !t.p.try(func() { t.stmt(b) }) {
			t.depth = depth
			t.recover(before, first)
		}
	}
	if !t.is("}") {
		t.unclosed(open)
		panic(bailout{})
	}
	t.noteIndent(open)
	t.next()
	b.Span = t.from(open)
	promote(b)
	return b
}

// unclosed reports that the block that begins at open has no end.
func (t *tokens) unclosed(open source.Span) {
	if t.cut {
		return // reported, or not known: the blocks around it are not closed either
	}
	t.cut = true
	report := t.p.errorf
	if t.endName == "" {
		report = t.p.incomplete
	}
	d := report(open, "this '{' is not closed before %s", t.describe(t.Peek()))
	d.Hint = "close it with '}'"
	if t.stray.close.IsValid() {
		d.Notef(t.stray.open, "judging by the indentation, this '{' may not be closed")
		d.Notef(t.stray.close, "this '}' was taken as its end")
	}
}

// noteIndent remembers the first block whose '}', the next token, begins a line
// that is not indented like the line of its '{'.
func (t *tokens) noteIndent(open source.Span) {
	end := t.here()
	from, to := t.offset(open), t.offset(end)
	if !hasNewline(t.p.text[from:to]) || t.stray.close.IsValid() {
		return
	}
	fromIndent, _ := t.indent(from)
	toIndent, first := t.indent(to)
	if fromIndent != toIndent && first == to {
		t.stray.open, t.stray.close = open, end
	}
}

// offset is where a place begins in the text.
func (t *tokens) offset(sp source.Span) int { return int(sp.Start - t.p.f.Base) }

// indent returns how many blanks begin the line of an offset, and the offset
// behind them.
func (t *tokens) indent(at int) (n, first int) {
	line := bytes.LastIndexByte(t.p.text[:at], '\n') + 1
	first = line
	for first < at && isSpace(t.p.text[first]) {
		first++
	}
	return first - line, first
}

// recover skips to the end of the statement in which an error was found:
// behind the next ';' or block, or before the '}' of the enclosing block.
// before is the cursor at the statement's start, first its first token.
func (t *tokens) recover(before int, first *lexer.Token) {
	if t.Cursor() == before && !t.is("{") && !t.is("}") {
		t.next()
	}
	// A ';' in the head of a for of C's kind ends no statement, and an else
	// belongs to an if whose branch was wrong.
	inHead := isWord(first, "for")
	for depth := 0; !t.Peek().EOF(); {
		switch {
		case t.is("{"):
			depth++
		case t.is("}"):
			if depth == 0 {
				return
			}
			if depth--; depth == 0 {
				t.next()
				if t.isOneOf("else", ")", "]", ",", "=", "+=", "-=") || isWord(first, "do") && isWord(t.Peek(), "while") {
					continue
				}
				return
			}
		case t.is(";") && depth == 0 && !inHead:
			wrong := t.closesLater()
			t.next()
			if wrong {
				continue
			}
			if isWord(first, "if") && t.is("else") {
				continue
			}
			return
		}
		t.next()
	}
}

// closesLater reports whether the next token, a ';', stands within parentheses
// or brackets that are closed further on in the same statement: it was meant
// for a ','.
func (t *tokens) closesLater() bool {
	save := t.MakeCheckpoint()
	defer t.LoadCheckpoint(save)
	for depth := 0; ; {
		t.PeekingLexer.Next()
		switch {
		case t.Peek().EOF(), t.isOneOf(";", "{", "}"):
			return false
		case t.isOneOf("(", "["):
			depth++
		case t.isOneOf(")", "]"):
			if depth--; depth < 0 {
				return true
			}
		}
	}
}

// demote turns the value of a block into its last statement.
func demote(b *ast.Block) {
	if b == nil {
		return
	}
	switch v := b.Value.(type) {
	case nil:
		if n := len(b.Stmts); n > 0 {
			demoteStmt(b.Stmts[n-1])
		}
		return
	case *ast.IfExpr:
		s := &ast.If{At: v.At, Cond: v.Cond, Then: v.Then, Else: v.Else}
		demoteStmt(s)
		b.Stmts = append(b.Stmts, s)
	case *ast.BlockExpr:
		demote(v.Body)
		b.Stmts = append(b.Stmts, &ast.BlockStmt{At: v.At, Body: v.Body})
	default:
		b.Stmts = append(b.Stmts, &ast.ExprStmt{At: ast.At{Span: v.Pos()}, X: v})
	}
	b.Value = nil
}

func demoteStmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.If:
		demote(s.Then)
		demote(s.Else)
	case *ast.BlockStmt:
		demote(s.Body)
	}
}

// promote makes an if or a block at the end of a block its value if all its
// branches have one: "macro m(e) { if (e) { 1 } else { 2 } }".
func promote(b *ast.Block) {
	if b.Value != nil || len(b.Stmts) == 0 {
		return
	}
	last := len(b.Stmts) - 1
	switch s := b.Stmts[last].(type) {
	case *ast.If:
		if s.Then.Value == nil || s.Else == nil || s.Else.Value == nil {
			return
		}
		b.Value = &ast.IfExpr{At: s.At, Cond: s.Cond, Then: s.Then, Else: s.Else}
	case *ast.BlockStmt:
		if s.Body.Value == nil {
			return
		}
		b.Value = &ast.BlockExpr{At: s.At, Body: s.Body}
	default:
		return
	}
	b.Stmts = b.Stmts[:last]
}

// body parses the block of a loop, which has no value.
func (t *tokens) body(what string) *ast.Block {
	if !t.is("{") {
		t.unexpected("'{' to begin the body of "+what, "braces are needed even for one statement")
	}
	b := t.block()
	demote(b)
	return b
}

func hasNewline(b []byte) bool { return bytes.IndexByte(b, '\n') >= 0 }
