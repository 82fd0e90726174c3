package repl

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// printMap shows @name or @name[key]. Of several maps with a name it is that
// of the latest entry.
func (l *loop) printMap(text string) {
	name, key, hasKey := strings.Cut(text, "[")
	name = strings.TrimSpace(name)
	if hasKey {
		end := strings.LastIndexByte(key, ']')
		if end < 0 || strings.TrimSpace(key[end+1:]) != "" {
			l.refuse("a map is shown by @name or @name[key]")
			return
		}
		key = keyText(key[:end])
	}
	l.showMap(name, key, 0)
}

// topForm is a map of which the largest elements are to be shown.
var topForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(@\w*)\s*\|?\s*top\s+(\d+)$`) })

// printTop shows the largest elements of a map.
func (l *loop) printTop(form []string) {
	n, err := strconv.Atoi(form[2])
	if err != nil || n == 0 {
		l.refuse("say %s top N, with N from 1", form[1])
		return
	}
	l.showMap(form[1], "", n)
}

// showMap shows a map, as readMap writes it.
func (l *loop) showMap(name, key string, top int) {
	var b strings.Builder
	if err := l.readMap(&b, name, key, top); err != nil {
		l.say(err)
		return
	}
	if b.Len() == 0 {
		b.WriteString(name + " is empty\n")
	}
	l.page(b.String())
}

// readMap writes a map, its largest elements if top is not 0, or the element with a key: of several maps with a name
// that of the latest entry, and those that are left of entries that have ended.
func (l *loop) readMap(w io.Writer, name, key string, top int) error {
	if slices.Contains(l.engine.Maps(), name) {
		return l.engine.PrintMap(w, name, key, top)
	}
	l.mu.Lock()
	var owner Running
	for _, e := range l.entries {
		if slices.Contains(e.running.Maps(), name) {
			owner = e.running
		}
	}
	l.mu.Unlock()
	if owner == nil {
		return noMap(name, l.allMaps())
	}
	return owner.PrintMap(w, name, key, top)
}

// allMaps are the maps that can be shown: those that entries share, and those that one has for itself, such as one of stacks.
func (l *loop) allMaps() []string {
	names := l.engine.Maps()
	l.mu.Lock()
	for _, e := range l.entries {
		names = append(names, e.running.Maps()...)
	}
	l.mu.Unlock()
	slices.Sort(names)
	return slices.Compact(names)
}

// noMap says that there is no map of a name, and which there are.
func noMap(name string, known []string) error {
	return fmt.Errorf("there is no map %s%s", name, listed(" (there are ", known, ")"))
}

// keyText turns a key as it is written into the form it is shown in: strings
// without quotes, a blank behind each comma.
func keyText(key string) string {
	var parts []string
	var part strings.Builder
	quoted := false
	end := func() {
		text := part.String()
		if !quoted { // blanks round a text in quotes are left out already
			text = strings.TrimSpace(text)
		}
		parts = append(parts, text)
		part.Reset()
		quoted = false
	}
	for i := 0; i < len(key); i++ {
		switch c := key[i]; {
		case c == ',':
			end()
		case c == '"' && strings.TrimSpace(part.String()) == "" && !quoted:
			part.Reset()
			quoted = true
			for i++; i < len(key) && key[i] != '"'; i++ {
				if key[i] == '\\' && i+1 < len(key) {
					i++
				}
				part.WriteByte(key[i])
			}
		case quoted && c == ' ':
		default:
			part.WriteByte(c)
		}
	}
	end()
	return strings.Join(parts, ", ")
}

func listed(before string, names []string, after string) string {
	if len(names) == 0 {
		return ""
	}
	return before + strings.Join(names, ", ") + after
}
