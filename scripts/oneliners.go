package scripts

import (
	_ "embed"
	"strings"
)

//go:embed oneliners.txt
var oneLiners string

// OneLiner is a question and the command that answers it.
type OneLiner struct{ Question, Command string }

// OneLiners are commands to begin with, and to change.
func OneLiners() (list []OneLiner) {
	for block := range strings.SplitSeq(strings.TrimSpace(oneLiners), "\n\n") {
		question, command, _ := strings.Cut(block, "\n")
		list = append(list, OneLiner{strings.TrimPrefix(question, "# "), command})
	}
	return list
}

// Program is the text behind -e.
func (o OneLiner) Program() string {
	_, text, _ := strings.Cut(o.Command, "-e '")
	return strings.TrimSuffix(text, "'")
}
