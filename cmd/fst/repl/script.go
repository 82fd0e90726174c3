package repl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// script is what is defined and runs, as one script that compiles.
func (l *loop) script() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.definitions)+len(l.entries) == 0 {
		return "", errors.New("nothing runs, and nothing is defined")
	}
	parts := []string{}
	if len(l.definitions) > 0 {
		parts = append(parts, textOf(l.definitions))
	}
	for _, e := range l.entries {
		if l.engine.IsTool(e.text) {
			return "", fmt.Errorf("[%d] is a tool, which a script does not start: drop it first (fst show prints its text)", e.number)
		}
		parts = append(parts, e.text+"\n")
	}
	text := strings.Join(parts, "\n")
	if err := l.engine.Check(text); err != nil {
		return "", fmt.Errorf("as one script, what runs does not compile:\n%w", err)
	}
	if l.only != "" {
		l.out.printf("(the filter of :only is not part of it)\n")
	}
	return text, nil
}

// save writes the running entries to a file as one script. It writes over no
// file but those that it has written itself.
func (l *loop) save(file string) error {
	text, err := l.script()
	if err != nil {
		return err
	}
	mode := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if !l.saved[file] {
		mode |= os.O_EXCL
	}
	f, err := os.OpenFile(file, mode, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: save to another name, or remove it first", file)
	} else if err != nil {
		return err
	}
	if l.saved == nil {
		l.saved = map[string]bool{}
	}
	l.saved[file] = true
	_, err = f.WriteString(l.header(file) + text)
	return errors.Join(err, f.Close())
}

// header is what stands above a script that is saved, as fst help shows it.
func (l *loop) header(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".fst")
	l.mu.Lock()
	var probes, maps []string
	for _, e := range l.entries {
		probes, maps = append(probes, e.running.Probes()...), append(maps, e.running.Maps()...)
	}
	l.mu.Unlock()
	slices.Sort(maps)
	var b strings.Builder
	fmt.Fprintf(&b, "#!/usr/bin/env fst\n// %s: What happens at %s?\n//\n", name, summary(slices.Compact(probes)))
	b.WriteString("// Usage: " + name + "\n")
	if maps = slices.Compact(maps); len(maps) > 0 {
		fmt.Fprintf(&b, "// Reading: At the end these maps are shown: %s.\n", strings.Join(maps, ", "))
	}
	fmt.Fprintf(&b, "// Example: fst %s\n\n", file)
	return b.String()
}

// oneLine is a script in one line, without its remarks.
func oneLine(text string) string {
	var b strings.Builder
	apart := false // a blank, a line's end or a remark stands before what comes
	for i := 0; i < len(text); i++ {
		from := i
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], "//"):
			i, apart = endOf(text, i, "\n"), true
			continue
		case strings.HasPrefix(text[i:], "/*"):
			i, apart = endOf(text, i, "*/"), true
			continue
		case strings.IndexByte(" \t\r\n", c) >= 0:
			apart = true
			continue
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
		if apart && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(text[from:min(i+1, len(text))])
		apart = false
	}
	return b.String()
}
