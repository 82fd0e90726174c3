package repl

import (
	"slices"
	"strings"
)

// Completer completes the word before pos in a line: it returns the line's
// head, what the word may become, and the tail.
type Completer func(line string, pos int) (head string, words []string, tail string)

// maxProbes is how many probes a completion offers.
const maxProbes = 200

// complete is the prompt's Completer: commands behind ':', maps behind '@',
// fields behind "args.", probes where a clause begins, else built-ins.
func (l *loop) complete(line string, pos int) (string, []string, string) {
	start := pos
	for start > 0 && !strings.ContainsRune(" \t,;{}()/&|!=<>+-", rune(line[start-1])) {
		start--
	}
	head, word, tail := line[:start], line[start:pos], line[pos:]
	context := l.pending + head
	var words []string
	switch {
	case strings.HasPrefix(word, ":") && strings.TrimSpace(head) == "":
		for _, c := range commands() {
			words = append(words, ":"+c.name)
		}
	case strings.HasPrefix(word, "@"):
		l.mu.Lock()
		for _, e := range l.entries {
			words = append(words, e.running.Maps()...)
		}
		l.mu.Unlock()
		words = append(words, namesOf(context, '@')...)
	case strings.HasPrefix(word, "$"):
		words = namesOf(context, '$')
	case strings.HasPrefix(word, "args.") && strings.LastIndexByte(word, '.') == len("args"):
		for _, f := range l.engine.Fields(probeBefore(context)) {
			words = append(words, "args."+f)
		}
	case atProbe(context):
		if strings.HasPrefix(head, ":probes ") {
			word = strings.TrimSpace(word)
		}
		words = l.engine.Probes(word, maxProbes)
	default:
		words = l.engine.Names()
		for _, d := range l.definitions {
			for _, n := range d.names {
				words = append(words, n[strings.LastIndexByte(n, ' ')+1:])
			}
		}
	}
	kept := words[:0:0]
	for _, w := range words {
		if strings.HasPrefix(w, word) {
			kept = append(kept, w)
		}
	}
	slices.Sort(kept)
	return head, slices.Compact(kept), tail
}

// namesOf lists the maps or variables that a text names.
func namesOf(text string, sign byte) []string {
	var list []string
	for _, w := range nameWords().FindAllString(text, -1) {
		if w[0] == sign {
			list = append(list, w)
		}
	}
	return list
}

// atProbe reports whether the text before a word is where a probe stands: at
// the start of a clause or behind a comma of its list.
func atProbe(head string) bool {
	if strings.HasPrefix(head, ":probes") {
		return true
	}
	if i := strings.LastIndexByte(head, '}'); i >= 0 && !strings.Contains(head[i:], "{") {
		head = head[i+1:]
	}
	head = strings.TrimSpace(head)
	return !strings.ContainsAny(head, "{/") && (head == "" || head[len(head)-1] == ',' || head[len(head)-1] == '|')
}

// probeBefore returns the probe of the clause that a place is in: the last
// text of the form a:b before a '{' or '/'.
func probeBefore(head string) string {
	if i := strings.LastIndexByte(head, '}'); i >= 0 {
		head = head[i+1:]
	}
	head = strings.TrimSpace(head)
	if i := strings.IndexAny(head, " \t/{"); i >= 0 {
		head = head[:i]
	}
	head, _, _ = strings.Cut(head, ",")
	return head
}
