package parse

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"fst/lang/ast"
	"fst/lang/source"
)

// units are the suffixes that scale a number: durations to nanoseconds, sizes
// to bytes.
var units = map[string]uint64{
	"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86400e9,
	"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
}

// intLit gives the value of a number.
func (t *tokens) intLit(tok *lexer.Token) *ast.IntLit {
	text := tok.Value
	sp := t.span(tok)
	lit := &ast.IntLit{At: ast.At{Span: sp}, Text: text}
	base, digits := uint64(10), text
	switch {
	case strings.HasPrefix(text, "0x"), strings.HasPrefix(text, "0X"):
		base, digits = 16, text[2:]
	case len(text) > 1 && text[0] == '0' && isDigitOrUnderscore(text[1]):
		base, digits = 8, text[1:]
	}
	tooLarge := func() {
		t.fail(sp, "the largest number is 18446744073709551615 (0xffffffffffffffff)", "%s does not fit in 64 bits", shorten(text))
	}
	times := func(v, by uint64) uint64 {
		hi, lo := bits.Mul64(v, by)
		if hi != 0 {
			tooLarge()
		}
		return lo
	}
	var v uint64
	i, count := 0, 0
	for ; i < len(digits); i++ {
		c := digits[i]
		if c == '_' {
			continue
		}
		d, ok := digitValue(c)
		if !ok || d >= base {
			if base == 8 && ok && d < 10 {
				t.fail(sp, "a number with a leading 0 is octal; leave the 0 out", "%s has the digit %c, which is not octal", shorten(text), c)
			}
			break
		}
		count++
		sum, carry := bits.Add64(times(v, base), d, 0)
		if carry != 0 {
			tooLarge()
		}
		v = sum
	}
	rest := digits[i:]
	if count == 0 && base == 16 {
		t.fail(sp, "hexadecimal digits are 0-9 and a-f", "%s is not a number", shorten(text))
	}
	if base == 10 && len(rest) > 1 && (rest[0] == 'e' || rest[0] == 'E') && rest[1] >= '0' && rest[1] <= '9' {
		if count != 1 || v == 0 {
			t.fail(sp, "only one digit from 1 to 9 may stand before the e: 12e3 is written 12000", "%s is not a number", shorten(text))
		}
		j := 1
		for j < len(rest) && rest[j] >= '0' && rest[j] <= '9' {
			j++
		}
		exp, err := strconv.Atoi(rest[1:j])
		if err != nil || exp > 19 {
			tooLarge()
		}
		for ; exp > 0; exp-- {
			v = times(v, 10)
		}
		rest = rest[j:]
	}
	switch unit, scaled := units[rest]; {
	case rest == "":
	case scaled:
		v = times(v, unit)
	default:
		switch strings.ToLower(rest) {
		case "u", "ul", "ull":
			lit.Unsigned = true
		case "l", "ll":
		default:
			number := text[:len(text)-len(rest)]
			hint := "units are ns us ms s m h d, KB MB GB"
			switch unit := unitOf(rest); {
			case base == 16:
				t.fail(sp, "hexadecimal digits are 0-9 and a-f", "%s has the character %c, which is not hexadecimal", shorten(text), rest[0])
			case unit != "":
				hint = "did you mean " + number + unit + "?"
			case (rest[0] == 'b' || rest[0] == 'B') && v == 0:
				hint = "write binary numbers in hexadecimal (0x...)"
			}
			sp.Start += source.Pos(len(number))
			t.fail(sp, hint, "'%s' is not a unit or suffix of a number", shorten(rest))
		}
	}
	lit.Value = v
	return lit
}

func isDigitOrUnderscore(c byte) bool { return c == '_' || c >= '0' && c <= '9' }

func digitValue(c byte) (uint64, bool) {
	switch {
	case c >= '0' && c <= '9':
		return uint64(c - '0'), true
	case c >= 'a' && c <= 'f':
		return uint64(c-'a') + 10, true
	case c >= 'A' && c <= 'F':
		return uint64(c-'A') + 10, true
	}
	return 0, false
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
			bad(esc, esc+1+size, known, "unknown escape "+shorten(s[esc:esc+1+size]))
		}
	}
	return b.String()
}
