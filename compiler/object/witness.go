package object

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fst/lang/source"
)

// Witness counts the same events as a probe, without it.
type Witness struct {
	Probe string // what should have seen them
	Count Count
	// Advice is what to do when it has not. Without, nothing is said of this
	// probe, but it does as well as others that have the same count.
	Advice string
	// Noted are the indexes in Object.Noted of what tells that it has.
	Noted []int
	Span  source.Span
}

// Count is something of the kernel's own that counts: numbers in a file, or how
// often a tracepoint is reached.
type Count struct {
	Text string // as it is written

	Path string
	// Words is what a line of the file must begin with to count: "*" is any
	// word, "%d" a number of it, "%s" a word that names the line.
	Words []string

	Category, Event string // of a tracepoint
}

// ParseCount reads "/path: word * %s %d" or "tracepoint:category:event".
func ParseCount(text string) (Count, error) {
	c := Count{Text: text}
	if point, ok := strings.CutPrefix(text, "tracepoint:"); ok {
		c.Category, c.Event, ok = strings.Cut(point, ":")
		if !ok || c.Category == "" || c.Event == "" || strings.ContainsAny(point, " */") {
			return c, fmt.Errorf("%q names no tracepoint", text)
		}
		return c, nil
	}
	path, words, ok := strings.Cut(text, ": ")
	if !ok || !filepath.IsAbs(path) {
		return c, fmt.Errorf("%q is neither a file with the words of its lines nor a tracepoint", text)
	}
	c.Path, c.Words = path, strings.Fields(words)
	if !slices.Contains(c.Words, "%d") {
		return c, fmt.Errorf("%q has no %%d, so it counts nothing", text)
	}
	return c, nil
}

// Line is the sum of a line's numbers, and what names it. ok is false for lines
// that do not count.
func (c *Count) Line(line string) (name string, n uint64, ok bool) {
	words := strings.Fields(line)
	if len(words) < len(c.Words) {
		return "", 0, false
	}
	for i, want := range c.Words {
		switch want {
		case "*":
		case "%s":
			name = words[i]
		case "%d":
			v, err := strconv.ParseUint(words[i], 10, 64)
			if err != nil {
				return "", 0, false
			}
			n += v
		default:
			if words[i] != want {
				return "", 0, false
			}
		}
	}
	return name, n, true
}
