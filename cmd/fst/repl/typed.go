package repl

import (
	"regexp"
	"strings"
	"sync"
)

// typed is a text that may end anywhere within a script, as a person types it.
type typed struct {
	// quote is where the text of the string begins that the text ends in, or 0.
	quote int
	// comment is true if it ends in a comment.
	comment bool
	// clause is where the clause, the declaration or the statement outside of clauses begins that it ends in.
	clause int
	open   []int // the brackets that are not closed
}

// readTyped reads a text.
func readTyped(text string) (t typed) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			t.quote = i + 1
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i < len(text) {
				t.quote = 0
			}
		case strings.HasPrefix(text[i:], "//"):
			i = endOf(text, i, "\n")
			t.comment = i >= len(text)
		case strings.HasPrefix(text[i:], "/*"):
			i = endOf(text, i, "*/")
			t.comment = i >= len(text)
		case c == '(', c == '[', c == '{':
			t.open = append(t.open, i)
		case c == ')', c == ']', c == '}':
			t.open = t.open[:max(0, len(t.open)-1)]
			if c == '}' && len(t.open) == 0 {
				t.clause = i + 1
			}
		case c == ';' && len(t.open) == 0:
			t.clause = i + 1
		}
	}
	return t
}

// bracket is where the innermost open bracket is, or -1.
func (t typed) bracket() int {
	if len(t.open) == 0 {
		return -1
	}
	return t.open[len(t.open)-1]
}

// isProgram reports whether a text is a clause or statement, and not a command
// or a map.
func isProgram(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && text[0] != ':' && !isMap(text)
}

// isMap reports whether a text is a map that is to be shown: @name or @name[key],
// and not a statement or a value in which one stands.
func isMap(text string) bool {
	if !mapForm().MatchString(text) {
		return false
	}
	depth, quoted := 0, false
	for i, c := range text {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth <= 0 && strings.TrimSpace(text[i+1:]) != "" {
				return false
			}
		}
	}
	return true
}

var mapForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^@\w*\s*(\[([^="]|"([^"\\]|\\.)*")*("[^="]*)?)?$`) })

// isOpen reports whether brackets of a text are not closed, and lines to come
// can still close them: not where one is closed by another kind's.
func isOpen(text string) bool {
	var closers []byte
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.HasPrefix(text[i:], "//"):
			i = endOf(text, i, "\n")
		case strings.HasPrefix(text[i:], "/*"):
			i = endOf(text, i, "*/")
		case c == '(':
			closers = append(closers, ')')
		case c == '[', c == '{':
			closers = append(closers, c+2) // as ASCII has them
		case c == ')', c == ']', c == '}':
			if n := len(closers) - 1; n < 0 || closers[n] != c {
				return false
			}
			closers = closers[:len(closers)-1]
		}
	}
	return len(closers) > 0 && !quoted
}

// endOf returns where the next end behind place i of a text has its last byte.
func endOf(text string, i int, end string) int {
	n := strings.Index(text[i+2:], end)
	if n < 0 {
		return len(text)
	}
	return i + 2 + n + len(end) - 1
}
