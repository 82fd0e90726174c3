package conformance

import (
	"fmt"
	"regexp"
	"strings"
)

// noNewline as the last expected line says that the output does not end with
// a newline.
const noNewline = `\ no newline at end`

// matchOutput compares an output with expected lines: a line is itself, or
// "re:" and a regular expression for the whole line; "..." stands for any
// number of lines. It returns "" or what differs.
func matchOutput(want []string, output string) string {
	got := strings.Split(output, "\n")
	if n := len(got); got[n-1] == "" {
		got = got[:n-1]
	} else {
		got = append(got, noNewline)
	}
	at, ok := matchLines(want, got, 0)
	if ok {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "stdout differs at line %d\nexpected:\n", at+1)
	for _, line := range want {
		fmt.Fprintf(&b, "  |%s\n", line)
	}
	b.WriteString("got:\n")
	for i, line := range got {
		if i > 60 {
			fmt.Fprintf(&b, "  (%d lines more)\n", len(got)-i)
			break
		}
		fmt.Fprintf(&b, "  |%s\n", line)
	}
	return strings.TrimRight(b.String(), "\n")
}

// matchLines also returns how far the output was understood.
func matchLines(want, got []string, from int) (reached int, ok bool) {
	at := from
	for i, w := range want {
		if w == "..." {
			best := at
			for next := at; next <= len(got); next++ {
				reached, ok := matchLines(want[i+1:], got, next)
				if ok {
					return reached, true
				}
				best = max(best, reached)
			}
			return best, false
		}
		if at == len(got) || !matchLine(w, got[at]) {
			return at, false
		}
		at++
	}
	return at, at == len(got)
}

func matchLine(want, got string) bool {
	if pattern, ok := strings.CutPrefix(want, "re:"); ok {
		return regexp.MustCompile(`^(?:` + pattern + `)$`).MatchString(got)
	}
	return want == got
}
