// Package hostile holds names that try to get more than a name into the output of a
// program that shows them, and judges output.
package hostile

import (
	"fmt"
	"math/rand/v2"
	"unicode/utf8"
)

// MaxName is how long the name of a file can be.
const MaxName = 255

// pieces of names: what steers terminals, what makes up lines and fields, what could be taken for an
// escape, and what is not UTF-8.
var pieces = []string{
	"\x1b[2J", "\x1b[31m", "\x1b]0;title\x07", "\x1bP+q\x1b\\", "\u009b31m", "\u0085", "\x7f", "\b\b\b", "\x0e", "\r",
	"\n12:00:00 root 1 openat forged", "\n@[forged]: 1", "\n{\"type\": \"value\", \"data\": 1}", "\nfst,forged=1 n=1i 1", "\nmain;forged 7",
	"\"", "', ", " \t", ", ", "=", ";", "\\", "\\\\", "\\n", "\\x1b", "\\x2d", "\\\n", "%s%n", "$(x)",
	"\xff", "\xc3", "\xe2\x80", "\xed\xa0\x80", "\xf0\x9f\x98", "\xc0\xaf", "\u2028", "\u2029", "\u202e", "\u2066", "\u200f", "\u061c",
	"\u00e9", "\u4e16\u754c", "\U0001f600", " ", "a", "name", "0",
}

// Names returns n different names, the same for the same n. They hold all bytes that a file's name can
// (n must be 400 or more), and each piece alone; some are as long as they can be.
func Names(n int) []string {
	var names []string
	seen := map[string]bool{}
	add := func(name string) {
		if len(name) > MaxName {
			name = name[:MaxName]
		}
		if !seen[name] && name != "." && name != ".." && len(names) < n {
			seen[name] = true
			names = append(names, name)
		}
	}
	for b := 1; b < 256; b++ {
		if b != '/' {
			add("b" + string([]byte{byte(b)}) + "e")
		}
	}
	for _, p := range pieces {
		add(p)
	}
	random := rand.New(rand.NewPCG(uint64(n), 1))
	for len(names) < n {
		name := ""
		most := 1 + random.IntN(MaxName)
		for len(name) < most {
			if random.IntN(4) > 0 {
				name += pieces[random.IntN(len(pieces))]
			} else if b := byte(1 + random.IntN(255)); b != '/' {
				name += string([]byte{b})
			}
		}
		add(name)
	}
	return names
}

// Fault says what is wrong with output that people look at on a terminal, or returns "".
func Fault(output string) string {
	for i, r := range output {
		_, size := utf8.DecodeRuneInString(output[i:])
		what := ""
		switch {
		case r == '\n':
		case r == utf8.RuneError && size == 1:
			what = "a byte that is not UTF-8"
		case r < ' ', r >= 0x7f && r < 0xa0:
			what = "a control character"
		case r == '\u2028', r == '\u2029', r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\u200e', r == '\u200f', r == '\u061c':
			what = "a character that breaks lines or turns their direction"
		}
		if what != "" {
			return fmt.Sprintf("%s: %q", what, output[max(0, i-60):min(len(output), i+20)])
		}
	}
	return ""
}
