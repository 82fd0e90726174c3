package parse

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// units are the suffixes that scale a number: durations to nanoseconds, sizes
// to bytes.
var units = map[string]uint64{
	"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86400e9,
	"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
}

// Number reads a word of the command line as the language reads a number, with a
// sign before it: any base, 1e3, durations and sizes. As in bpftrace a word may be
// binary, too: 0b11. signed is false for what only an unsigned number holds; n has
// its bits.
func Number(word string) (n int64, signed, ok bool) {
	text, negative := strings.CutPrefix(word, "-")
	v, unsigned, bad := readNumber(text)
	if len(text) > 2 && (text[:2] == "0b" || text[:2] == "0B") {
		var err error
		if v, err = strconv.ParseUint(text[2:], 2, 64); err == nil {
			bad = nil
		}
	}
	switch {
	case bad != nil:
		return 0, false, false
	case negative:
		return -int64(v), true, v <= 1<<63
	}
	return int64(v), !unsigned && v <= math.MaxInt64, true
}

// badNumber says why a text is no number, and from which byte on.
type badNumber struct {
	at            int
	message, hint string
}

// readNumber gives the value of a number, and whether its suffix says that it is
// unsigned.
func readNumber(text string) (v uint64, unsigned bool, bad *badNumber) {
	wrong := func(hint, format string, args ...any) (uint64, bool, *badNumber) {
		return 0, false, &badNumber{message: shorten(text) + fmt.Sprintf(format, args...), hint: hint}
	}
	tooLarge := func() (uint64, bool, *badNumber) {
		return wrong("the largest number is 18446744073709551615 (0xffffffffffffffff)", " does not fit in 64 bits")
	}
	base, digits := splitBase(text)
	v, count, rest, fits := readDigits(digits, base)
	switch {
	case !fits:
		return tooLarge()
	case base == 8 && rest != "" && isDigit(rest[0]):
		return wrong("a number with a leading 0 is octal; leave the 0 out", " has the digit %c, which is not octal", rest[0])
	case count == 0 && base == 16:
		return wrong("hexadecimal digits are 0-9 and a-f", " is not a number")
	case text == "" || !isDigit(text[0]):
		return wrong("numbers begin with a digit", " is not a number")
	}
	if base == 10 && len(rest) > 1 && (rest[0] == 'e' || rest[0] == 'E') && isDigit(rest[1]) {
		if count != 1 || v == 0 {
			return wrong("only one digit, from 1 to 9, may precede the e: 12e3 is written 12000", " is not a number")
		}
		j := 1
		for j < len(rest) && isDigit(rest[j]) {
			j++
		}
		exp, err := strconv.Atoi(rest[1:j])
		if err != nil || exp > 19 {
			return tooLarge()
		}
		for ; exp > 0 && fits; exp-- {
			v, fits = times(v, 10)
		}
		rest = rest[j:]
	}
	if unit, ok := units[rest]; ok && fits {
		v, fits = times(v, unit)
		rest = ""
	}
	if !fits {
		return tooLarge()
	}
	switch strings.ToLower(rest) {
	case "", "l", "ll":
		return v, false, nil
	case "u", "ul", "ull":
		return v, true, nil
	}
	number := text[:len(text)-len(rest)]
	hint := "units are ns us ms s m h d, B KB MB GB"
	switch unit := unitOf(rest); {
	case base == 16:
		return wrong("hexadecimal digits are 0-9 and a-f", " has the character %c, which is not hexadecimal", rest[0])
	case unit != "":
		hint = "did you mean " + number + unit + "?"
	case (rest[0] == 'b' || rest[0] == 'B') && v == 0:
		hint = "write binary numbers in hexadecimal (0x...)"
	case (rest[0] == 'o' || rest[0] == 'O') && v == 0:
		hint = "an octal number begins with 0: 0" + rest[1:]
	}
	return 0, false, &badNumber{at: len(number), message: "'" + shorten(rest) + "' is not a unit or suffix of a number", hint: hint}
}

// hasUnit reports whether a number that readNumber takes has a unit.
func hasUnit(text string) bool {
	base, digits := splitBase(text)
	end := strings.LastIndexAny(digits, "0123456789_") + 1
	return base != 16 && units[digits[end:]] != 0
}

// splitBase tells the base of a number by its prefix.
func splitBase(text string) (base uint64, digits string) {
	switch {
	case strings.HasPrefix(text, "0x"), strings.HasPrefix(text, "0X"):
		return 16, text[2:]
	case len(text) > 1 && text[0] == '0' && (text[1] == '_' || isDigit(text[1])):
		return 8, text[1:]
	}
	return 10, text
}

// readDigits reads digits of a base and the _ between them, up to what is neither.
// fits is false if their value has more than 64 bits.
func readDigits(text string, base uint64) (v uint64, count int, rest string, fits bool) {
	for i := range len(text) {
		if text[i] == '_' {
			continue
		}
		d, ok := digitValue(text[i])
		if !ok || d >= base {
			return v, count, text[i:], true
		}
		scaled, fits := times(v, base)
		sum, carry := bits.Add64(scaled, d, 0)
		if !fits || carry != 0 {
			return 0, count, text[i:], false
		}
		v = sum
		count++
	}
	return v, count, "", true
}

// times multiplies; ok is false if the result has more than 64 bits.
func times(v, by uint64) (product uint64, ok bool) {
	hi, lo := bits.Mul64(v, by)
	return lo, hi == 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func digitValue(c byte) (uint64, bool) {
	switch {
	case isDigit(c):
		return uint64(c - '0'), true
	case c >= 'a' && c <= 'f':
		return uint64(c-'a') + 10, true
	case c >= 'A' && c <= 'F':
		return uint64(c-'A') + 10, true
	}
	return 0, false
}
