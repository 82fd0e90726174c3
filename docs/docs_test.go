package docs

import (
	"strings"
	"testing"
)

func TestTutorial(t *testing.T) {
	page, ok := Tutorial(nil)
	if !ok || strings.Contains(page, "<!--") || strings.Count(page, "\n## Investigation: ") != 3 {
		t.Errorf("the page is not what a terminal is to show:\n%s", page)
	}
	for _, n := range strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12") {
		text, ok := Tutorial([]string{n})
		if !ok || !strings.HasPrefix(text, "## "+n+". ") || strings.Count(text, "\n    # fst ") < 2 || !strings.Contains(text, "ERROR: ") && !strings.Contains(text, "\n    fst: ") {
			t.Errorf("lesson %s must have a program, what it printed, a mistake and its message:\n%s", n, text)
		}
	}
	if _, ok := Tutorial([]string{"13"}); ok {
		t.Error("there is a lesson 13")
	}
}
