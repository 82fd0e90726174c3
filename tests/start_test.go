package tests

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestNoPatternAtStart finds regular expressions that are compiled whenever fst starts: about
// twenty page faults each, most of what a start costs.
func TestNoPatternAtStart(t *testing.T) {
	list, err := exec.Command("git", "ls-files", "../*.go").Output()
	if err != nil {
		t.Skip("the files of the repository are not known: ", err)
	}
	atStart := regexp.MustCompile(`(?m)^(var |\t)\w+ += regexp\.MustCompile`)
	for _, file := range strings.Fields(string(list)) {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "../tests/") || !strings.HasPrefix(file, "../") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if at := atStart.FindString(string(text)); at != "" {
			t.Errorf("%s: %q is compiled at each start: sync.OnceValue compiles it when it is used", file, strings.TrimSpace(at))
		}
	}
}
