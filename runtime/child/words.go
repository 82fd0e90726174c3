package child

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"
)

// New makes a process that waits for Release to run a command. The words are split
// at blanks; quotes and backslashes hold words together as in sh(1), but there is no
// shell.
func New(command string) (*Child, error) { return NewApart(command, nil) }

// NewApart makes one that leaves the terminal to this process: its standard input is empty, what it says goes to out, and the
// terminal's keys, such as Ctrl-C, do not reach it. It is as New if out is nil.
func NewApart(command string, out *os.File) (*Child, error) {
	words, err := splitWords(command)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, errors.New("the command to run is empty")
	}
	return start(words, out)
}

// OfShell returns the first word of a command that means something to a shell (|, >, ;) and stands before any quote, or "".
func OfShell(command string) string {
	if quote := strings.IndexAny(command, `'"\`); quote >= 0 {
		command = command[:quote]
	}
	for word := range strings.FieldsSeq(command) {
		switch strings.TrimLeft(word, "012") {
		case "|", "||", "&", "&&", ";", "<", ">", ">>", ">&1", ">/dev/null":
			return word
		}
	}
	return ""
}

// splitWords splits a command as sh does ("Token Recognition" and "Quoting" of
// POSIX), without any expansion.
func splitWords(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quote, escaped := false, rune(0), false
	for _, c := range command {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", c) {
				word.WriteRune('\\')
			}
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, inWord = true, true
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, inWord = c, true
		case quote == 0 && unicode.IsSpace(c):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("the command to run has no closing %c: %s", quote, command)
	case escaped:
		return nil, fmt.Errorf("the command to run ends with a backslash: %s", command)
	case inWord:
		words = append(words, word.String())
	}
	return words, nil
}
