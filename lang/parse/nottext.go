package parse

import (
	"strings"
	"unicode/utf8"
)

// byteOrderMark begins the files of some editors; it says nothing.
const byteOrderMark = "\ufeff"

// notText says what a file is that can't be a script, and what to do instead;
// empty for a text.
func notText(name, text string) (what, hint string) {
	switch {
	case strings.HasPrefix(text, "\x7fELF"):
		return name + " is a program, not a script", "fst -c " + name + " -e '...' runs it with a script; uprobe:" + name + ":FUNCTION is a probe in it"
	case strings.HasPrefix(text, "\xff\xfe"), strings.HasPrefix(text, "\xfe\xff"):
		return name + " is UTF-16 text", "save it as UTF-8: iconv -f UTF-16 -t UTF-8"
	}
	const looked = 1024
	bad, all := 0, 0
	for _, c := range text[:min(len(text), looked)] {
		all++
		if c < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", c) || c == utf8.RuneError {
			bad++
		}
	}
	if bad > all/8 {
		return name + " is not a text", "give the file with the script, or a text with -e"
	}
	return "", ""
}
