package render

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// formatter appends values by the conversions of formats and of the columns of tables.
type formatter struct{ p *printer }

// printf appends a message's format with its fields, as C's printf does:
// numbers are 32 bits wide unless a length modifier says otherwise. %s takes
// every value.
func (f formatter) printf(b []byte, m *object.Message, record []byte) []byte {
	next := 0
	for i := range m.Format {
		verb := &m.Format[i]
		b = append(b, verb.Literal...)
		if verb.Conv == 0 || next >= len(m.Fields) {
			continue
		}
		b = f.field(b, verb, &m.Fields[next], record)
		next++
	}
	return b
}

// field appends a field of a message by its conversion. Texts of the script's own stay as they are:
// it may colour its output.
func (f formatter) field(b []byte, verb *object.Verb, of *object.MessageField, record []byte) []byte {
	v, before := event.Field(of, record), f.p.exact
	if verb.Conv == 'd' { // most are, and need nothing of this printer
		return appendSigned(b, verb, v.Int())
	}
	f.p.exact = before || of.Own
	b = f.conversion(b, verb, v)
	f.p.exact = before
	return b
}

// conversion appends one value by its conversion.
func (f formatter) conversion(b []byte, verb *object.Verb, v value.Value) []byte {
	start := len(b)
	switch verb.Conv {
	case 'd', 'i':
		return appendSigned(b, verb, v.Int())
	case 'u', 'x', 'X', 'o':
		return appendUnsigned(b, verb, v.Uint())
	case 's':
		if verb.Prec >= 0 {
			b = f.beginning(b, v, verb.Prec)
		} else {
			b = f.p.text(b, v)
		}
	case 'c':
		b = f.p.bytes(b, []byte{byte(v.Uint())})
	case 'p':
		switch verb.Pointer {
		case "":
		case "I4", "i4", "I6", "i6":
			return appendInet(b, verb.Pointer, v.IP().AsSlice())
		default:
			b = f.kernelPointer(b, verb, v.Uint())
			if verb.Width > 0 {
				b = pad(b, start, verb)
			}
			return b
		}
		b = appendHex(b, v.Uint())
		if missing := verb.Width - (len(b) - start); missing > 0 && verb.Zero && !verb.Minus {
			b = slices.Insert(b, start+len("0x"), bytes.Repeat([]byte{'0'}, missing)...)
		}
	case 'r':
		b = f.raw(b, verb, v)
	}
	if verb.Width > 0 {
		b = pad(b, start, verb)
	}
	return b
}

// beginning appends the first n bytes of a value's text, less those of a character that has more.
// The escapes of a text take as many more as they do.
func (f formatter) beginning(b []byte, v value.Value, n int) []byte {
	start, before := len(b), f.p.exact
	f.p.exact = before || v.IsText()
	b = f.p.text(b, v)
	f.p.exact = before
	if len(b)-start > n {
		b = b[:start+wholeChars(b[start:], n)]
	}
	if v.IsText() {
		b = f.p.shown(b, start)
	}
	return b
}

// wholeChars is how many bytes of a text its characters have that are within the first n.
func wholeChars(text []byte, n int) int {
	for start := n; start > 0 && start > n-utf8.UTFMax; {
		start--
		if utf8.RuneStart(text[start]) {
			if _, size := utf8.DecodeRune(text[start:]); start+size > n {
				return start
			}
			break
		}
	}
	return n
}

// kernelPointer is %pS, %ps and %pB as the kernel prints them.
func (f formatter) kernelPointer(b []byte, verb *object.Verb, addr uint64) []byte {
	at := verb.SymbolAddress(addr)
	p := f.p.names.Places[value.Address{Addr: at}]
	if p.Symbol == "" {
		return appendHex(b, addr)
	}
	b = f.p.name(b, p.Symbol)
	if verb.Pointer != "s" {
		b = fmt.Appendf(b, "+%#x/%#x", p.Offset+addr-at, p.Size)
	}
	if p.Module != "" {
		b = append(f.p.name(append(b, " ["...), p.Module), ']')
	}
	return b
}

// appendInet is %pI4 and its like: bytes in the kernel's full form, with all digits
// also of numbers below 100 (%pi4), without colons (%pi6).
func appendInet(b []byte, form string, bytes []byte) []byte {
	for i, x := range bytes {
		switch {
		case form == "I4" || form == "i4":
			if i > 0 {
				b = append(b, '.')
			}
			if form == "i4" {
				b = fmt.Appendf(b, "%03d", x)
			} else {
				b = strconv.AppendUint(b, uint64(x), 10)
			}
		default:
			if form == "I6" && i > 0 && i%2 == 0 {
				b = append(b, ':')
			}
			b = fmt.Appendf(b, "%02x", x)
		}
	}
	return b
}

// raw is %r, %rx, %rh, %rw, %rb and %gr.
func (f formatter) raw(b []byte, verb *object.Verb, v value.Value) []byte {
	if verb.Sub == 'g' {
		return appendGFP(b, v.Uint())
	}
	switch v.Type.Kind {
	case types.Buffer, types.String, types.Array, types.MAC:
	default:
		return f.p.text(b, v)
	}
	switch verb.Sub {
	case 'x':
		return appendAllEscaped(b, v.Bytes())
	case 'h':
		return appendSpaced(b, v.Bytes())
	case 'w':
		return appendWords(b, v.Bytes())
	case 'b':
		if f.p.terminal {
			return f.p.bytes(b, v.Bytes())
		}
		return append(b, v.Bytes()...)
	}
	return appendEscaped(b, v.Bytes())
}

// pad fills the field that starts at start up to the width.
func pad(b []byte, start int, verb *object.Verb) []byte {
	fill := verb.Width - (len(b) - start)
	if fill <= 0 {
		return b
	}
	n := len(b)
	for range fill {
		b = append(b, ' ')
	}
	if !verb.Minus {
		copy(b[start+fill:], b[start:n])
		for i := start; i < start+fill; i++ {
			b[i] = ' '
		}
	}
	return b
}

func appendSigned(b []byte, verb *object.Verb, n int64) []byte {
	unused := 64 - uint(verb.Bits)
	n = n << unused >> unused
	if verb.Width == 0 && verb.Prec < 0 && !verb.Plus && !verb.Space {
		return strconv.AppendInt(b, n, 10)
	}
	sign, u := "", uint64(n)
	switch {
	case n < 0:
		sign, u = "-", -u
	case verb.Plus:
		sign = "+"
	case verb.Space:
		sign = " "
	}
	return appendInteger(b, verb, sign, u, 10)
}

func appendUnsigned(b []byte, verb *object.Verb, n uint64) []byte {
	n &= 1<<(uint(verb.Bits)-1)<<1 - 1
	switch verb.Conv {
	case 'x', 'X':
		prefix := ""
		if verb.Hash && n != 0 {
			prefix = "0x"
		}
		start := len(b)
		b = appendInteger(b, verb, prefix, n, 16)
		if verb.Conv == 'X' {
			upper(b[start:])
		}
		return b
	case 'o':
		prefix := ""
		if verb.Hash && (n != 0 || verb.Prec == 0) && verb.Prec <= octalDigits(n) {
			prefix = "0" // unless the precision brings one
		}
		return appendInteger(b, verb, prefix, n, 8)
	}
	return appendInteger(b, verb, "", n, 10)
}

// appendInteger writes spaces, prefix, zeros, digits, spaces.
func appendInteger(b []byte, verb *object.Verb, prefix string, n uint64, base int) []byte {
	if verb.Width == 0 && verb.Prec < 0 {
		return strconv.AppendUint(append(b, prefix...), n, base)
	}
	start := len(b)
	b = append(b, prefix...)
	var digits [64]byte
	text := strconv.AppendUint(digits[:0], n, base)
	if verb.Prec == 0 && n == 0 {
		text = text[:0]
	}
	zeros := verb.Prec - len(text)
	if verb.Prec < 0 && verb.Zero && !verb.Minus {
		zeros = verb.Width - len(prefix) - len(text)
	}
	for range zeros {
		b = append(b, '0')
	}
	return pad(append(b, text...), start, verb)
}

func octalDigits(n uint64) (digits int) {
	for ; n > 0; n >>= 3 {
		digits++
	}
	return digits
}

func upper(b []byte) {
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
}
