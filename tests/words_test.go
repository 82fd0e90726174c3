package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// refusedWords are phrases that the field has other words for: docs/architecture.md
// lists them.
var refusedWords = regexp.MustCompile(`(?i)\b(fault of fst|stands? behind|passed over|(is|are) told(?: of)?[.,;:]|(had|has) no memory at hand|after so many seconds|control groups?|throws? away|` +
	`contradict each other|wants the names?|hangs? on it|is wanted, not|put into their callers|(had|were) begun before|probes? (came|were there)|at (least|most) so many [a-z]*seconds)\b|\b(is|are) told$`)

// TestWords looks for refused words in messages, in the headers of the tools, in
// the comments of the standard library that are its documentation, and in the documents.
func TestWords(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "--full-name", "../scripts/*.fst", "../stdlib", "../docs/*.md", "../README.md",
		"../*.go", "../cmd", "../lang", "../compiler", "../runtime", "../scripts/*.go").Output()
	if err != nil {
		t.Skip(err) // not a checkout
	}
	n := 0
	for _, name := range strings.Fields(string(out)) {
		if strings.HasPrefix(name, "docs/architecture.md") || strings.HasPrefix(name, "tests/") || strings.Contains(name, "testdata/") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile("../" + name)
		if err != nil {
			continue // removed and not yet committed
		}
		var lines []string
		switch {
		case strings.HasSuffix(name, ".go"):
			lines = literals(t, name, text)
		case strings.HasSuffix(name, ".md"):
			lines = strings.Split(string(text), "\n")
		case strings.HasSuffix(name, ".fst"):
			for line := range strings.Lines(string(text)) {
				if strings.HasPrefix(line, "//") {
					lines = append(lines, line)
				}
			}
		}
		n += len(lines)
		for _, line := range lines {
			if word := refusedWords.FindString(line); word != "" {
				t.Errorf("%s: %q: docs/architecture.md has a better word: %s", name, word, strings.TrimSpace(line))
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d lines were looked at", n)
	}
}

// literals are the strings of a Go file.
func literals(t *testing.T, name string, text []byte) (list []string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			list = append(list, l.Value)
		}
		return true
	})
	return list
}
