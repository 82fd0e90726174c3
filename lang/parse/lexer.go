package parse

import (
	"strconv"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"fst/lang/source"
)

// rules are the tokens of clause bodies, filters and C definitions. Attach
// points have no tokens: attach.go reads them as raw text. Every byte matches
// some rule (BadX at the last), so that lexing never fails and the parser
// words all errors. Rules in lower case are dropped by participle.
var rules = lexer.MustStateful(lexer.Rules{"Root": {
	{Name: "whitespace", Pattern: `[\s\v]+`},
	{Name: "Comment", Pattern: `//[^\n]*|/\*(?s:.*?)\*/`},
	{Name: "BadComment", Pattern: `/\*(?s:.*)`},
	{Name: "Ident", Pattern: `[A-Za-z_]\w*`},
	{Name: "Op", Pattern: `<<=|>>=|\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]]`},
	{Name: "String", Pattern: `"(?:\\[^\n]|[^"\\\n])*"`},
	{Name: "BadString", Pattern: `"(?:\\[^\n]|[^"\\\n])*`},
	{Name: "Param", Pattern: `\$[0-9]+|\$#`},
	{Name: "Var", Pattern: `\$[A-Za-z_]\w*`},
	{Name: "Map", Pattern: `@\w*`},
	// No '.' in numbers: "a.0.1" are two tuple indices, "0..5" a range.
	{Name: "Int", Pattern: `[0-9]\w*`},
	{Name: "Bad", Pattern: `(?s:.)`},
}})

var (
	symbols       = rules.Symbols()
	tokComment    = symbols["Comment"]
	tokBadComment = symbols["BadComment"]
	tokIdent      = symbols["Ident"]
	tokOp         = symbols["Op"]
	tokString     = symbols["String"]
	tokBadString  = symbols["BadString"]
	tokParam      = symbols["Param"]
	tokVar        = symbols["Var"]
	tokMap        = symbols["Map"]
	tokInt        = symbols["Int"]
	tokBad        = symbols["Bad"]
)

// maxDepth bounds the nesting of expressions, types and blocks.
const maxDepth = 200

// tokens parses one region of the file: a body, a filter, a definition.
type tokens struct {
	p *parser
	*lexer.PeekingLexer
	base, end int          // region in the file's text
	prevEnd   int          // where the last consumed token ended
	prev      *lexer.Token // the last consumed token, or nil
	stmtStart *lexer.Token // the first token of the statement, or nil
	depth     int
	cut       bool // a block that the region's end cuts has been reported
	// stray is a block whose ends are not indented alike, if there is one.
	stray struct{ open, close source.Span }
	// endName is what follows the region, for messages: empty if the
	// region ends where the text ends.
	endName string
}

// tokens lexes the region [start, end) of the text and notes its comments.
func (p *parser) tokens(start, end int, endName string) *tokens {
	l, err := rules.LexString("", string(p.text[start:end]))
	if err != nil {
		panic(err) // participle has no way to fail here
	}
	pl, err := lexer.Upgrade(l, tokComment)
	if err != nil {
		panic(err) // every byte matches some rule
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

func isWord(tok *lexer.Token, s string) bool {
	return tok.Value == s && (tok.Type == tokOp || tok.Type == tokIdent)
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
