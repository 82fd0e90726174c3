// Package printable writes text that is not the program's own (names of files, threads
// and symbols, arguments, whatever a traced process has in its memory) so that it can
// neither steer a terminal nor make up a line of the output.
//
// What does more than to show a character is written as an escape:
//
//	\n \r \t    these three characters
//	\xHH        one byte: of any other control character (U+0000 to U+001F, U+007F to U+009F), of one
//	            that separates lines or turns the direction of writing (U+2028, U+2029, and those
//	            with the property Bidi_Control), and each byte that is no part of valid UTF-8
//
// All else stays as it is, backslashes too, unless the last of a row of them would be taken
// for the beginning of an escape: then each of the row is doubled. So escapes can be
// told from the same characters in the text, and names like disk-by\x2dlabel stay as they are.
package printable

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

const hex = "0123456789abcdef"

// Append appends text with escapes.
func Append[T ~string | ~[]byte](b []byte, text T) []byte {
	return From(append(b, text...), len(b))
}

// From replaces what stands in b from start on by the same with escapes.
func From(b []byte, start int) []byte {
	if isClean(b[start:]) {
		return b
	}
	return appendEscaped(b[:start], bytes.Clone(b[start:]), false)
}

// String is text with escapes.
func String(text string) string { return string(Append(nil, text)) }

// Lines is a text of several lines, such as a file, or a message in which names have their
// escapes already: ends of lines and tabs stay, and so does every backslash.
func Lines(text string) string { return string(AppendLines(nil, text)) }

// AppendLines appends what Lines returns.
func AppendLines[T ~string | ~[]byte](b []byte, text T) []byte {
	return appendEscaped(b, []byte(text), true)
}

// Is reports whether text has no escapes.
func Is(text string) bool { return String(text) == text }

// AppendQuoted appends text with escapes between double quotes. Each quote and each
// backslash in it has a backslash before it.
func AppendQuoted[T ~string | ~[]byte](b []byte, text T) []byte {
	b = append(b, '"')
	from := 0
	for i := range len(text) {
		if c := text[i]; c == '"' || c == '\\' {
			b = append(Append(b, text[from:i]), '\\', c)
			from = i + 1
		}
	}
	return append(Append(b, text[from:]), '"')
}

// AppendJSON appends text as a string of JSON. A parser makes the same text of it again, except
// for bytes that are no part of valid UTF-8, which JSON cannot have: in the text that the
// parser gives they are \xHH, HH from 80 to ff, and a row of backslashes before what reads like that
// is doubled.
func AppendJSON[T ~string | ~[]byte](b []byte, text T) []byte {
	b = append(b, '"')
	start := len(b)
	b = append(b, text...)
	if !isClean(b[start:]) || bytes.IndexByte(b[start:], '"') >= 0 {
		b = appendJSON(b[:start], bytes.Clone(b[start:]))
	}
	return append(b, '"')
}

// isClean reports whether there surely is nothing to escape: all is ASCII, without control
// characters and backslashes.
func isClean(text []byte) bool {
	if len(text) < 8 {
		for _, c := range text {
			if c < ' ' || c > '~' || c == '\\' {
				return false
			}
		}
		return true
	}
	last := text[len(text)-8:] // which looks at some a second time
	for len(text) > 8 {
		if dirty(binary.LittleEndian.Uint64(text)) {
			return false
		}
		text = text[8:]
	}
	return !dirty(binary.LittleEndian.Uint64(last))
}

// dirty looks at eight bytes at once.
func dirty(x uint64) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	backslash := x ^ '\\'*ones
	// A byte's top bit is set if it is not ASCII, below a blank, DEL, a backslash; and a
	// byte that is one of these may set that of the next.
	return (x|(x-' '*ones)|(x+ones)|(backslash-ones))&tops != 0
}

// appendEscaped appends text with escapes, or that of Lines.
func appendEscaped(b, text []byte, lines bool) []byte {
	for i := 0; i < len(text); {
		if text[i] == '\\' && !lines {
			n := backslashes(text[i:])
			rest := text[i+n:]
			b = append(b, text[i:i+n]...)
			if c, size := next(rest); size > 0 && c.steers || readsAsEscape(rest) {
				b = append(b, text[i:i+n]...)
			}
			i += n
			continue
		}
		c, size := next(text[i:])
		char := text[i : i+size]
		i += size
		switch {
		case !c.steers, lines && (char[0] == '\n' || char[0] == '\t'):
			b = append(b, char...)
		case char[0] == '\n':
			b = append(b, '\\', 'n')
		case char[0] == '\r':
			b = append(b, '\\', 'r')
		case char[0] == '\t':
			b = append(b, '\\', 't')
		default:
			for _, x := range char {
				b = append(b, '\\', 'x', hex[x>>4], hex[x&15])
			}
		}
	}
	return b
}

func appendJSON(b, text []byte) []byte {
	for i := 0; i < len(text); {
		if text[i] == '\\' {
			n := backslashes(text[i:])
			rest := text[i+n:]
			c, size := next(rest)
			x, isByte := hexByte(rest)
			twice := size > 0 && c.invalid || isByte && x >= utf8.RuneSelf
			for range n {
				b = append(b, '\\', '\\')
				if twice {
					b = append(b, '\\', '\\')
				}
			}
			i += n
			continue
		}
		c, size := next(text[i:])
		char := text[i : i+size]
		i += size
		switch {
		case c.invalid:
			b = append(b, '\\', '\\', 'x', hex[char[0]>>4], hex[char[0]&15])
		case c.r == '"':
			b = append(b, '\\', '"')
		case c.r == '\n':
			b = append(b, '\\', 'n')
		case c.r == '\r':
			b = append(b, '\\', 'r')
		case c.r == '\t':
			b = append(b, '\\', 't')
		case c.steers:
			b = append(b, '\\', 'u', hex[c.r>>12&15], hex[c.r>>8&15], hex[c.r>>4&15], hex[c.r&15])
		default:
			b = append(b, char...)
		}
	}
	return b
}

// char is a character of a text, or a byte that is none.
type char struct {
	r rune
	// invalid tells that it is a byte that is no part of valid UTF-8, steers that it
	// must not reach a terminal as it is.
	invalid, steers bool
}

// next is the first character of a text and its size, which is 0 at the end.
func next(text []byte) (char, int) {
	r, size := utf8.DecodeRune(text)
	c := char{r: r, invalid: r == utf8.RuneError && size == 1}
	switch {
	case c.invalid, r < ' ', r >= 0x7f && r <= 0x9f,
		r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
		c.steers = true
	}
	return c, size
}

// readsAsEscape reports whether a text would be taken for the rest of an escape if it stood
// behind a backslash.
func readsAsEscape(text []byte) bool {
	if len(text) > 0 && (text[0] == 'n' || text[0] == 'r' || text[0] == 't') {
		return true
	}
	x, ok := hexByte(text)
	return ok && (x < ' ' || x >= 0x7f)
}

// hexByte reads xHH at the start of a text.
func hexByte(text []byte) (byte, bool) {
	if len(text) < 3 || text[0] != 'x' {
		return 0, false
	}
	high, low := bytes.IndexByte([]byte(hex), text[1]), bytes.IndexByte([]byte(hex), text[2])
	return byte(high<<4 | low), high >= 0 && low >= 0
}

// backslashes counts those that a text begins with.
func backslashes(text []byte) int { return len(text) - len(bytes.TrimLeft(text, `\`)) }
