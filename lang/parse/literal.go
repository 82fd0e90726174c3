package parse

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"fst/lang/ast"
	"fst/lang/source"
)

// intLit gives the value of a number.
func (t *tokens) intLit(tok *lexer.Token) *ast.IntLit {
	sp := t.span(tok)
	v, unsigned, bad := readNumber(tok.Value)
	if bad != nil {
		at := sp
		at.Start += source.Pos(bad.at)
		t.fail(at, bad.hint, "%s", bad.message)
	}
	return &ast.IntLit{At: ast.At{Span: sp}, Text: tok.Value, Value: v, Unsigned: unsigned, HasUnit: hasUnit(tok.Value)}
}

// escapes are the one-letter escapes of strings.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '"': '"', '\\': '\\', 'a': '\a', 'b': '\b', 'e': 0x1b}

// unquote gives the text of a string token.
func (t *tokens) unquote(tok *lexer.Token) string {
	s := tok.Value[1 : len(tok.Value)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	start := t.base + tok.Pos.Offset + 1
	bad := func(from, to int, hint, msg string) {
		to = min(to, len(s))
		t.fail(t.p.f.Span(start+from, start+to), hint, "%s", msg)
	}
	const known = `the escapes are \n \t \r \a \b \e \" \\ \ooo (octal) and \xHH`
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		esc := i
		i++
		c := s[i] // the token's pattern has a character behind each '\'
		switch e, ok := escapes[c]; {
		case ok:
			b.WriteByte(e)
		case c >= '0' && c <= '7':
			v, j := 0, i
			for ; j < len(s) && j < i+3 && s[j] >= '0' && s[j] <= '7'; j++ {
				v = v*8 + int(s[j]-'0')
			}
			if v > 255 {
				bad(esc, j, "the largest is \\377", "this octal escape is larger than a byte")
			}
			b.WriteByte(byte(v))
			i = j - 1
		case c == 'x':
			v, j := uint64(0), i+1
			for ; j < len(s) && j < i+3; j++ {
				d, ok := digitValue(s[j])
				if !ok {
					break
				}
				v = v*16 + d
			}
			if j == i+1 {
				bad(esc, esc+2, `write \x and two hexadecimal digits, such as \x1b`, `\x needs hexadecimal digits`)
			}
			b.WriteByte(byte(v))
			i = j - 1
		default:
			size := 1
			for esc+1+size < len(s) && s[esc+1+size]&0xc0 == 0x80 { // rest of a rune
				size++
			}
			hint := known
			if strings.IndexByte("/'$%.*+?()[]{}|^-", c) >= 0 {
				hint = "it means itself without the backslash"
			}
			bad(esc, esc+1+size, hint, "unknown escape "+shorten(s[esc:esc+1+size]))
		}
	}
	return b.String()
}
