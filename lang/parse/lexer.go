package parse

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"fst/lang/source"
)

// The tokens of clause bodies, filters and C definitions. Attach points have no
// tokens: attach.go reads them as raw text.
const (
	tokComment lexer.TokenType = iota + 1
	tokBadComment
	tokIdent
	tokOp
	tokString
	tokBadString
	tokParam
	tokVar
	tokMap
	tokInt
	tokBad
)

// scanner finds the tokens of a text for participle. Every byte is part of some
// token (BadX at the last) or white space, so that lexing never fails and the
// parser words all errors. A token's place is its offset. (The rules are those of
// TestScanner; participle's stateful lexer tries each as a regular expression at
// every token, which took a third of the time of a compile.)
type scanner struct {
	text string
	at   int
}

// Next implements lexer.Lexer.
func (s *scanner) Next() (lexer.Token, error) {
	for s.at < len(s.text) && isSpace(s.text[s.at]) {
		s.at++
	}
	pos := lexer.Position{Offset: s.at}
	if s.at == len(s.text) {
		return lexer.EOFToken(pos), nil
	}
	kind, n := scan(s.text[s.at:])
	s.at += n
	return lexer.Token{Type: kind, Value: s.text[pos.Offset:s.at], Pos: pos}, nil
}

// scan returns the kind and the length of the token that a text, which is not
// empty, begins with.
func scan(s string) (lexer.TokenType, int) {
	switch c := s[0]; {
	case c >= '0' && c <= '9':
		// No '.' in numbers: "a.0.1" are two tuple indices, "0..5" a range.
		return tokInt, wordEnd(s, 1)
	case isWordByte(c):
		return tokIdent, wordEnd(s, 1)
	case c == '@':
		return tokMap, wordEnd(s, 1)
	case c == '$':
		return scanDollar(s)
	case c == '"':
		return scanString(s)
	case strings.HasPrefix(s, "//"):
		if n := strings.IndexByte(s, '\n'); n >= 0 {
			return tokComment, n
		}
		return tokComment, len(s)
	case strings.HasPrefix(s, "/*"):
		if n := strings.Index(s[2:], "*/"); n >= 0 {
			return tokComment, n + 4
		}
		return tokBadComment, len(s)
	case strings.IndexByte("-+*/%&|^~!<>=?:;,.(){}[]", c) >= 0:
		return tokOp, operatorEnd(s)
	}
	_, n := utf8.DecodeRuneInString(s)
	return tokBad, n
}

// wordEnd returns where the word that has begun before i ends.
func wordEnd(s string, i int) int {
	for i < len(s) && isWordByte(s[i]) {
		i++
	}
	return i
}

// scanDollar scans $1, $# or $name.
func scanDollar(s string) (lexer.TokenType, int) {
	switch i := 1; {
	case i == len(s):
	case s[i] == '#':
		return tokParam, 2
	case s[i] >= '0' && s[i] <= '9':
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return tokParam, i
	case isWordByte(s[i]):
		return tokVar, wordEnd(s, i)
	}
	return tokBad, 1
}

// scanString scans to the closing quote, or to the end of the line without one.
func scanString(s string) (lexer.TokenType, int) {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return tokString, i + 1
		case '\n':
			return tokBadString, i
		case '\\':
			if i+1 == len(s) || s[i+1] == '\n' {
				return tokBadString, i
			}
			i++
		}
	}
	return tokBadString, len(s)
}

// operatorEnd returns the length of the longest operator that a text begins with.
func operatorEnd(s string) int {
	if len(s) >= 3 {
		switch s[:3] {
		case "<<=", ">>=":
			return 3
		}
	}
	if len(s) >= 2 {
		switch s[:2] {
		case "..", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "-=", "+=", "*=", "/=", "%=", "&=", "|=", "^=":
			return 2
		}
	}
	return 1
}

// maxDepth bounds the nesting of expressions, types and blocks, so that no pass, each
// of which calls itself for what is nested, needs more than some megabytes of
// stack. maxSuffixes bounds the pointers and the dimensions of a type.
const (
	maxDepth    = 4000
	maxSuffixes = 200
)

// tokens parses one region of the file: a body, a filter, a definition.
type tokens struct {
	p *parser
	*lexer.PeekingLexer
	base, end int          // region in the file's text
	prevEnd   int          // where the last consumed token ended
	prev      *lexer.Token // the last consumed token, or nil
	stmtStart *lexer.Token // the first token of the statement, or nil
	depth     int
	condStart int         // where the '(' round the present condition is, or 0
	cut       bool        // a block that the region's end cuts has been reported
	inner     source.Span // the '{' of the innermost block
	open      bool        // the block that is the region has no end
	bare      bool        // the region is statements without braces round them: its end is theirs
	// stray is a block whose ends are not indented alike, if there is one.
	stray struct{ open, close source.Span }
	// endName is what follows the region, for messages: empty if the
	// region ends where the text ends.
	endName string
}

// tokens lexes the region [start, end) of the text and notes its comments.
func (p *parser) tokens(start, end int, endName string) *tokens {
	pl, err := lexer.Upgrade(&scanner{text: string(p.text[start:end])}, tokComment)
	if err != nil {
		panic(err) // scanner has none
	}
	t := &tokens{p: p, PeekingLexer: pl, base: start, end: end, prevEnd: start, endName: endName}
	for _, tok := range pl.Range(0, lexer.RawCursor(countTokens(pl))) {
		if tok.Type == tokComment {
			p.addComment(start+tok.Pos.Offset, start+tok.Pos.Offset+len(tok.Value))
		}
	}
	return t
}

// countTokens walks a copy of the raw cursor to the end of the token stream.
func countTokens(pl *lexer.PeekingLexer) int {
	save := pl.MakeCheckpoint()
	defer pl.LoadCheckpoint(save)
	for !pl.Peek().EOF() {
		pl.Next()
	}
	_, end := pl.PeekAny(func(lexer.Token) bool { return false })
	return int(end)
}

// next consumes a token.
func (t *tokens) next() *lexer.Token {
	tok := t.PeekingLexer.Next()
	if !tok.EOF() {
		t.prevEnd = t.base + tok.Pos.Offset + len(tok.Value)
		t.prev = tok
	}
	return tok
}

// is reports whether the next token is the operator or bare word s.
func (t *tokens) is(s string) bool { return isWord(t.Peek(), s) }

// isWord reports whether tok is the operator or bare word s; there may be none.
func isWord(tok *lexer.Token, s string) bool {
	return tok != nil && tok.Value == s && (tok.Type == tokOp || tok.Type == tokIdent)
}

// isOneOf reports whether the next token is one of the words.
func (t *tokens) isOneOf(words ...string) bool {
	for _, w := range words {
		if t.is(w) {
			return true
		}
	}
	return false
}

// accept consumes the next token if it is s.
func (t *tokens) accept(s string) bool {
	if t.is(s) {
		t.next()
		return true
	}
	return false
}

// peekN returns the token n places ahead (0: the next).
func (t *tokens) peekN(n int) *lexer.Token {
	save := t.MakeCheckpoint()
	defer t.LoadCheckpoint(save)
	for ; n > 0; n-- {
		t.PeekingLexer.Next()
	}
	return t.Peek()
}

// span is the place of a token.
func (t *tokens) span(tok *lexer.Token) source.Span {
	start := t.base + tok.Pos.Offset
	return t.p.f.Span(start, start+len(tok.Value))
}

// here is the place of the next token.
func (t *tokens) here() source.Span { return t.span(t.Peek()) }

// from is the span from start to the last consumed token.
func (t *tokens) from(start source.Span) source.Span {
	end := t.p.f.Base + source.Pos(t.prevEnd)
	return source.Span{Start: start.Start, End: max(end, start.Start)}
}

// describe names a token for a message.
func (t *tokens) describe(tok *lexer.Token) string {
	switch {
	case tok.EOF() && t.endName != "":
		return t.endName
	case tok.EOF():
		return "the end of the script"
	case tok.Type == tokBad && blank(tok.Value) != "":
		return blank(tok.Value)
	case tok.Type == tokBad && tok.Value[0] >= utf8.RuneSelf:
		return "the character " + strconv.Quote(tok.Value)
	case tok.Type == tokBad && tok.Value == "'":
		return `a single quote`
	case tok.Type == tokBad && tok.Value[0] < ' ':
		return "the character " + strconv.QuoteToASCII(tok.Value)
	case tok.Type == tokString:
		return "the string " + shorten(tok.Value)
	}
	return "'" + shorten(tok.Value) + "'"
}

// shorten keeps messages on one line.
func shorten(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	s = s[:most]
	for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s + "..."
}
