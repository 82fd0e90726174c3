package probe

import (
	_ "embed"
	"strings"
)

// events.txt has the tracepoints that not all of the recorded kernels have
// (history_test.go writes it): a line of kernels, then for each category a line
// with whether each kernel has the events behind it: + yes, - no, . it has no
// such category, so that it may have been left out of its configuration.
//
//go:embed events.txt
var eventHistory string

// eventKernels says which of the recorded kernels have a tracepoint, and which
// have others of its category and lack it; both empty if nothing is known of it.
func eventKernels(category, event string) (has, lacks []string) {
	first, rest, _ := strings.Cut(eventHistory, "\n")
	kernels := strings.Fields(first)
	for line := range strings.Lines(rest) {
		words := strings.Fields(line)
		if len(words) < 3 || words[1] != category {
			continue
		}
		for _, e := range words[2:] {
			if e != event {
				continue
			}
			for i, k := range kernels {
				switch words[0][i] {
				case '+':
					has = append(has, k)
				case '-':
					lacks = append(lacks, k)
				}
			}
		}
	}
	return has, lacks
}

// whichKernels says in words which of the recorded kernels have a tracepoint, or
// is empty.
func whichKernels(category, event string) string {
	has, lacks := eventKernels(category, event)
	if len(has) == 0 {
		return ""
	}
	verb := func(list []string, one, more string) string {
		if len(list) == 1 {
			return one
		}
		return more
	}
	text := "Linux " + listed(has, "and") + " " + verb(has, "has", "have") + " it"
	if len(lacks) > 0 {
		text += ", " + listed(lacks, "and") + " " + verb(lacks, "does", "do") + " not"
	}
	return text
}
