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

// DocOneLiners is the page docs/one-liners.md.
func DocOneLiners() string {
	var b strings.Builder
	b.WriteString("# One-liners\n\n<!-- Made from scripts/oneliners.txt by: go test ./scripts -update -->\n\n" +
		"Each compiles for Linux 5.10, 6.1, 6.12 and 7.2, which a test makes sure of. The tools that answer more are in\n" +
		"[tools/](tools/README.md).\n")
	for _, o := range OneLiners() {
		b.WriteString("\n" + o.Question + "\n\n    " + o.Command + "\n")
	}
	return b.String()
}
