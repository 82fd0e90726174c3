package repl

import "strings"

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
