package repl

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Completer completes the word before rune pos of a line: it returns the line's
// head, what the word may become, and the tail.
type Completer func(line string, pos int) (head string, words []string, tail string)

// maxProbes is how many probes a completion offers.
const maxProbes = 200

// complete is the prompt's Completer: commands behind ':', files behind the
// commands that take one and in quotes behind import and #include, maps behind
// '@', fields behind "args.", probes where a clause begins, else built-ins. pos
// counts runes.
func (l *loop) complete(line string, pos int) (string, []string, string) {
	runes := []rune(line)
	before, tail := string(runes[:pos]), string(runes[pos:])
	context := fromMarks.Replace(l.pending + before)
	if word, ok := fileWord(before); ok {
		head := strings.TrimSuffix(before, word)
		return head, files(word), tail
	}
	separators := " \t,;{}()[]/&|!=<>+-*%?^~\"␤␉"
	if atProbe(context) {
		separators = " \t,|{}␤␉"
	}
	start := strings.LastIndexAny(before, separators)
	if start >= 0 {
		_, size := utf8.DecodeRuneInString(before[start:])
		start += size
	}
	start = max(start, 0)
	head, word := before[:start], before[start:]
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
		words = append(words, l.engine.Maps()...)
		words = append(words, namesOf(context[:len(context)-len(word)], '@')...)
	case strings.HasPrefix(word, "$"):
		words = namesOf(context[:len(context)-len(word)], '$')
	case strings.HasPrefix(word, "args.") && strings.LastIndexByte(word, '.') == len("args"):
		for _, f := range l.engine.Fields(probeBefore(context)) {
			words = append(words, "args."+f)
		}
	case atProbe(context):
		if kind, path, ok := strings.Cut(word, ":"); ok && slices.Contains(userProbes, kind) && !strings.Contains(path, ":") {
			for _, f := range files(path) {
				if !strings.HasSuffix(f, "/") {
					f += ":"
				}
				words = append(words, kind+":"+f)
			}
			break
		}
		words = l.engine.Probes(word, maxProbes)
		if !strings.Contains(word, ":") { // a statement may begin here, too
			words = append(words, l.engine.Names()...)
		}
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

// userProbes are the kinds of probes that name a file first.
var userProbes = []string{"uprobe", "u", "uretprobe", "ur", "ucall", "usdt", "U"}

// fileWord returns the end of a line that is the beginning of a file's name.
func fileWord(line string) (word string, ok bool) {
	for _, command := range []string{":save ", ":load ", `import "`, `#include "`} {
		if i := strings.LastIndex(line, command); i >= 0 && !strings.ContainsAny(line[i+len(command):], `"`) {
			return line[i+len(command):], true
		}
	}
	return "", false
}

// files lists the files that begin with a path, directories with a '/'.
func files(prefix string) []string {
	dir, base := filepath.Split(prefix)
	entries, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || base == "" && name[0] == '.' || strings.ContainsFunc(name, unicode.IsControl) {
			continue
		}
		if s, err := os.Stat(filepath.Join(dir, name)); err == nil && s.IsDir() {
			name += "/"
		}
		names = append(names, dir+name)
	}
	return names
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

// atProbe reports whether a text ends in a word that is a probe: at the start
// of a clause or behind a comma of its list.
func atProbe(head string) bool {
	if strings.HasPrefix(head, ":") {
		return strings.HasPrefix(head, ":probes ")
	}
	if i := strings.LastIndexByte(head, '}'); i >= 0 && !strings.Contains(head[i:], "{") {
		head = head[i+1:]
	}
	// What stands before the last word: nothing, or the list's probes so far.
	if i := strings.LastIndexAny(head, " \t\n,|"); i >= 0 {
		head = strings.TrimSpace(head[:i+1])
	} else {
		head = ""
	}
	return !strings.Contains(head, "{") && !strings.Contains(head, " /") && (head == "" || head[len(head)-1] == ',' || head[len(head)-1] == '|')
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
