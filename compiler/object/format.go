package object

import "strings"

// Verb is a piece of a printf format: literal text (Conv 0) or a conversion.
type Verb struct {
	Literal string // text before the conversion, or alone if Conv is 0
	Conv    byte   // d i u x X o c s p r, or 0
	// Sub is the letter behind %r (x, h, w or b) or 'g' for %gr.
	Sub byte
	// Pointer are the letters behind %p that KernelPointers knows: S, s, B, I4, i4,
	// I6, i6, ks or us.
	Pointer string
	// Bits is the operand's width by the length modifier: 8, 16, 32 or 64.
	Bits                           int
	Minus, Zero, Plus, Space, Hash bool
	Width                          int
	Prec                           int // -1 if not given
	// Star is set if a '*' stands where the width or the precision would.
	Star bool
	// Start and End are the conversion's place within the format string.
	Start, End int
}

// IsSymbol reports whether a number is shown as a symbol of the kernel: %pS, %ps and %pB.
func (v *Verb) IsSymbol() bool {
	return v.Conv == 'p' && (v.Pointer == "S" || v.Pointer == "s" || v.Pointer == "B")
}

// SymbolAddress is the address whose symbol is shown for addr: a return address is in the
// function of the call before it.
func (v *Verb) SymbolAddress(addr uint64) uint64 {
	if v.Pointer == "B" {
		return addr - 1
	}
	return addr
}

// ParseFormat splits a printf format. Unknown conversions and a lone % stay
// literal text and take no argument, as in bpftrace; %f and its like and %n
// are returned in bad by their letter, and so is a '*' behind a width.
func ParseFormat(format string) (verbs []Verb, bad []Verb) {
	var lit strings.Builder
	for i := 0; i < len(format); {
		if format[i] != '%' {
			lit.WriteByte(format[i])
			i++
			continue
		}
		v, n := parseVerb(format[i:])
		v.Start, v.End = i, i+n
		switch {
		case strings.IndexByte("feEgGaAn*F", v.Conv) >= 0 && v.Sub == 0:
			bad = append(bad, v)
			i += n
		case v.Conv == 0 || v.Conv == '%':
			lit.WriteByte('%')
			i += n
		default:
			v.Literal = lit.String()
			lit.Reset()
			verbs = append(verbs, v)
			i += n
		}
	}
	if lit.Len() > 0 {
		verbs = append(verbs, Verb{Literal: lit.String()})
	}
	return verbs, bad
}

// KernelPointers makes conversions of what the kernel's printf for BPF programs knows
// behind %p: %pS, %ps and %pB are symbols, %pI4 and %pI6 addresses in memory, %pi4 and
// %pi6 the same with all digits, %pks and %pus texts, and %px is a number. Programs of
// iterators print by it elsewhere, so that their formats have them. As there, letters
// and digits behind these mean nothing.
func KernelPointers(verbs []Verb) []Verb {
	for i := range verbs[:max(0, len(verbs)-1)] {
		v, next := &verbs[i], &verbs[i+1]
		if v.Conv != 'p' {
			continue
		}
		n := 0
		for n < len(next.Literal) && isAlnum(next.Literal[n]) {
			n++
		}
		letters := next.Literal[:n]
		known := ""
		for _, form := range []string{"S", "s", "B", "I4", "i4", "I6", "i6", "ks", "us", "x"} {
			if strings.HasPrefix(letters, form) {
				known = form
			}
		}
		switch known {
		case "":
			continue
		case "x":
			v.Conv = 'x'
			if v.Width == 0 {
				v.Zero, v.Width = true, 16
			}
		case "ks", "us":
			v.Conv, v.Pointer = 's', known
		case "S", "s":
			v.Pointer = known
		default:
			v.Pointer, v.Width = known, 0 // the kernel pads none of these
		}
		v.End, next.Literal = v.End+n, next.Literal[n:]
	}
	if n := len(verbs); n > 0 && verbs[n-1].Conv == 0 && verbs[n-1].Literal == "" {
		verbs = verbs[:n-1]
	}
	return verbs
}

func isAlnum(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// PercentSign is how many bytes at the start of s, which begins with '%', stand
// for a percent sign: two of "%%", more if there are flags between; 0 if none.
func PercentSign(s string) int {
	if v, n := parseVerb(s); v.Conv == '%' {
		return n
	}
	return 0
}

// parseVerb reads one conversion at the start of s, which begins with '%'.
// Conv is '%' if it is a percent sign, whose flags and widths mean nothing, and
// 0 if it is none.
func parseVerb(s string) (Verb, int) {
	v := Verb{Bits: 32, Prec: -1}
	i := 1
flags:
	for ; i < len(s); i++ {
		switch s[i] {
		case '-':
			v.Minus = true
		case '0':
			v.Zero = true
		case '+':
			v.Plus = true
		case ' ':
			v.Space = true
		case '#':
			v.Hash = true
		default:
			break flags
		}
	}
	number := func() (n int) {
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			n = min(n*10+int(s[i]-'0'), 1<<16)
			i++
		}
		return n
	}
	star := func() bool {
		if i < len(s) && s[i] == '*' {
			v.Star = true
			i++
			return true
		}
		return false
	}
	if !star() {
		v.Width = number()
	}
	if i < len(s) && s[i] == '.' {
		i++
		if !star() {
			v.Prec = number()
		}
	}
	switch rest := s[i:]; {
	case strings.HasPrefix(rest, "hh"):
		v.Bits, i = 8, i+2
	case strings.HasPrefix(rest, "h"):
		v.Bits, i = 16, i+1
	case strings.HasPrefix(rest, "ll"):
		v.Bits, i = 64, i+2
	case strings.HasPrefix(rest, "l"), strings.HasPrefix(rest, "j"), strings.HasPrefix(rest, "z"), strings.HasPrefix(rest, "t"):
		v.Bits, i = 64, i+1
	case strings.HasPrefix(rest, "gr"):
		v.Conv, v.Sub, v.Bits = 'r', 'g', 64
		return v, i + 2
	}
	if i >= len(s) {
		return Verb{}, 1
	}
	switch c := s[i]; c {
	case 'd', 'i', 'u', 'x', 'X', 'o', 'c', 's', 'p', 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A', 'n', '*', '%':
		v.Conv = c
		if c == 'p' || c == 's' {
			v.Bits = 64
		}
		return v, i + 1
	case 'r':
		v.Conv = 'r'
		i++
		if i < len(s) && strings.IndexByte("xhwb", s[i]) >= 0 {
			v.Sub = s[i]
			i++
		}
		return v, i
	}
	return Verb{}, 1
}

// Column is a column of row() and table(): its heading and how its values are
// shown.
type Column struct {
	Name string
	Verb Verb
}

// Columns reads a format whose literal text names the conversion behind it:
// "PID %-7d COMM %-16s". bad is what is wrong with it, or empty. A column is at
// least as wide as its name.
func Columns(verbs []Verb) (cols []Column, bad string) {
	for i, v := range verbs {
		name := strings.Join(strings.Fields(v.Literal), " ")
		switch {
		case v.Conv == 0 && name == "":
			continue
		case v.Conv == 0:
			return nil, "the column " + name + " has no conversion"
		case name == "":
			return nil, "a conversion has no name"
		}
		v.Literal = ""
		if v.Bits == 32 {
			v.Bits = 64 // a column shows whole numbers
		}
		switch {
		case (v.Conv == 's' || v.Conv == 'r') && v.Width == 0 && i == len(verbs)-1:
			v.Minus = true // the last column ends where its value does
		case v.Conv == 's' && v.Prec == 0: // Hidden
		default:
			v.Width = max(v.Width, len(name))
		}
		cols = append(cols, Column{name, v})
	}
	if cols == nil {
		return nil, "the format has no columns"
	}
	return cols, ""
}

// Hidden reports whether the column takes no room in text, as "%.0s" takes none
// in C: it tells rows apart that look the same, and is in the output for
// programs.
func (c Column) Hidden() bool { return c.Verb.Conv == 's' && c.Verb.Prec == 0 }

// Key is the column's name as a key of JSON: LAT(us) is lat_us.
func (c Column) Key() string {
	var b strings.Builder
	for _, r := range strings.ToLower(c.Name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case r == '%':
			b.WriteString("pct")
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	return strings.TrimSuffix(b.String(), "_")
}
