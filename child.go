package fst

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"fst/runtime/session"
)

// Child is a command that waits, before its exec, until a session's probes are
// in place. It has the standard streams of this process.
type Child struct {
	child *session.Child
}

// NewChild makes a process that will run a command. The words are split at
// blanks; quotes and backslashes hold words together as in sh(1), but there is
// no shell.
func NewChild(command string) (*Child, error) {
	words, err := splitWords(command)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, errors.New("the command to run is empty")
	}
	c, err := session.StartChild(words)
	if err != nil {
		return nil, err
	}
	return &Child{c}, nil
}

// PID is the process id of the command.
func (c *Child) PID() int { return c.child.PID }

// Close ends the process with SIGTERM if it still runs.
func (c *Child) Close() { c.child.Stop() }

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
