// Package repl is fst's prompt: clauses are attached as they are entered and
// run on until they are dropped; maps are looked at while they fill.
//
// It must not import the compiler, the runtime or package fst: what it needs
// of them is the interface Engine.
package repl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Prompter reads lines from a person. Its errors are io.EOF at the end of the
// input and ErrAborted when a line was given up with Ctrl-C.
type Prompter interface {
	Prompt(prompt string) (string, error)
	// Remember adds an entry to the history.
	Remember(entry string)
	Close() error
}

// ErrAborted is returned by a Prompter for Ctrl-C.
var ErrAborted = errors.New("aborted")

// Engine compiles and runs what is entered.
type Engine interface {
	// Start compiles a text and attaches it. What it says goes to out. The
	// error is ready to be shown.
	Start(text string, out io.Writer) (Running, error)
	// IsIncomplete reports whether a text needs more lines.
	IsIncomplete(text string) bool
	// List writes the probes that match a pattern.
	List(w io.Writer, pattern string)
	// Names lists built-in functions and variables, for completion.
	Names() []string
	// Probes lists at most limit probes that begin with a text.
	Probes(prefix string, limit int) []string
	// Fields lists the fields of args in a probe.
	Fields(probe string) []string
}

// Running is an entry that is attached.
type Running interface {
	Probes() []string
	Maps() []string
	PrintMap(w io.Writer, name, key string) error
	// Done is closed when it ends by itself (exit()).
	Done() <-chan struct{}
	// Close detaches it; its END clauses run.
	Close() error
}

// entry is one text that was entered and runs.
type entry struct {
	number  int
	text    string
	running Running
}

// loop is the state of a prompt.
type loop struct {
	prompter Prompter
	engine   Engine
	out      *printer

	mu      sync.Mutex // guards entries: one that ends by itself leaves
	entries []*entry
	next    int
}

// atOnce is how soon an entry must end not to be announced as running.
const atOnce = 40 * time.Millisecond

const (
	firstPrompt = "fst> "
	morePrompt  = "...> "
)

// Run reads entries until the input ends or :quit, and then detaches
// everything. out gets what the clauses say; it is written from several
// goroutines, one Write at a time.
func Run(p Prompter, e Engine, out io.Writer) {
	l := &loop{prompter: p, engine: e, out: &printer{w: out}, next: 1}
	if r, ok := p.(Redrawer); ok {
		l.out.redraw = r
	}
	if c, ok := p.(interface{ SetCompleter(Completer) }); ok {
		c.SetCompleter(l.complete)
	}
	defer l.closeAll()
	for {
		text, err := l.read()
		switch {
		case errors.Is(err, ErrAborted):
			continue
		case err != nil:
			return
		case text == "":
			continue
		}
		p.Remember(text)
		if l.do(text) {
			return
		}
	}
}

// read reads one entry, which may take several lines.
func (l *loop) read() (string, error) {
	text, err := l.prompt(firstPrompt)
	if err != nil {
		return "", err
	}
	for isProgram(text) && l.engine.IsIncomplete(text) {
		more, err := l.prompt(morePrompt)
		if err != nil {
			return "", err
		}
		if strings.TrimSpace(more) == "" { // an empty line ends it: show the error
			break
		}
		text += "\n" + more
	}
	return strings.TrimSpace(text), nil
}

func (l *loop) prompt(s string) (string, error) {
	l.out.prompting(true)
	defer l.out.prompting(false)
	return l.prompter.Prompt(s)
}

// isProgram reports whether a text is a clause and not a command or a map.
func isProgram(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && text[0] != ':' && text[0] != '@'
}

// do obeys one entry and reports whether it was :quit.
func (l *loop) do(text string) (quit bool) {
	switch text[0] {
	case ':':
		name, rest, _ := strings.Cut(text[1:], " ")
		c := findCommand(name)
		if c == nil {
			l.out.printf("no command :%s (:help lists them)\n", name)
			return false
		}
		return c.run(l, strings.TrimSpace(rest))
	case '@':
		l.printMap(text)
	default:
		for _, c := range commands() {
			if text == c.name { // no clause is one word
				return c.run(l, "")
			}
		}
		l.start(text)
	}
	return false
}

// start compiles and attaches a clause. What runs already is left alone if it fails.
func (l *loop) start(text string) {
	running, err := l.engine.Start(text, l.out)
	if err != nil {
		l.out.printf("%s\n", strings.TrimRight(err.Error(), "\n"))
		return
	}
	e := &entry{number: l.next, text: text, running: running}
	l.next++
	l.mu.Lock()
	taken := l.owners(running.Maps())
	l.entries = append(l.entries, e)
	l.mu.Unlock()
	select {
	case <-running.Done():
		l.ended(e)
		return
	case <-time.After(atOnce):
	}
	l.out.printf("[%d] %s\n", e.number, summary(running.Probes()))
	if len(taken) > 0 {
		l.out.printf("(each entry has maps of its own: %s shows that of [%d] now)\n", strings.Join(taken, ", "), e.number)
	}
	go func() {
		<-running.Done()
		l.ended(e)
	}()
}

// owners returns those names that maps of running entries have already. The
// caller holds mu.
func (l *loop) owners(names []string) []string {
	var taken []string
	for _, n := range names {
		for _, e := range l.entries {
			if slices.Contains(e.running.Maps(), n) {
				taken = append(taken, n)
				break
			}
		}
	}
	return taken
}

// ended takes an entry that ended off the list.
func (l *loop) ended(e *entry) {
	l.mu.Lock()
	i := slices.Index(l.entries, e)
	if i >= 0 {
		l.entries = slices.Delete(l.entries, i, i+1)
	}
	l.mu.Unlock()
	if i >= 0 {
		e.running.Close()
	}
}

// summary names the probes of an entry in a line.
func summary(probes []string) string {
	switch len(probes) {
	case 0:
		return "no probes"
	case 1, 2, 3:
		return strings.Join(probes, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(probes[:2], ", "), len(probes)-2)
}

// printMap shows @name or @name[key]. Of several maps with a name it is that
// of the latest entry.
func (l *loop) printMap(text string) {
	name, key, hasKey := strings.Cut(text, "[")
	name = strings.TrimSpace(name)
	if hasKey {
		end := strings.LastIndexByte(key, ']')
		if end < 0 || strings.TrimSpace(key[end+1:]) != "" {
			l.out.printf("a map is shown by @name or @name[key]\n")
			return
		}
		key = keyText(key[:end])
	}
	l.mu.Lock()
	var owner Running
	known := []string{}
	for _, e := range l.entries {
		for _, n := range e.running.Maps() {
			known = append(known, n)
			if n == name {
				owner = e.running
			}
		}
	}
	l.mu.Unlock()
	if owner == nil {
		slices.Sort(known)
		l.out.printf("no running entry has a map %s%s\n", name, listed(" (there are ", slices.Compact(known), ")"))
		return
	}
	var b strings.Builder
	if err := owner.PrintMap(&b, name, key); err != nil {
		l.out.printf("%v\n", err)
		return
	}
	if b.Len() == 0 {
		b.WriteString(name + " is empty\n")
	}
	l.out.printf("%s", b.String())
}

// keyText turns a key as it is written into the form it is shown in: strings
// without quotes, a blank behind each comma.
func keyText(key string) string {
	parts := strings.Split(key, ",")
	for i, p := range parts {
		p = strings.TrimSpace(p)
		if len(p) > 1 && p[0] == '"' && p[len(p)-1] == '"' {
			p = p[1 : len(p)-1]
		}
		parts[i] = p
	}
	return strings.Join(parts, ", ")
}

func listed(before string, names []string, after string) string {
	if len(names) == 0 {
		return ""
	}
	return before + strings.Join(names, ", ") + after
}

// closeAll detaches everything, the latest first.
func (l *loop) closeAll() {
	l.mu.Lock()
	entries := l.entries
	l.entries = nil
	l.mu.Unlock()
	for _, e := range slices.Backward(entries) {
		e.running.Close()
	}
}

// save writes the running entries to a file as one script.
func (l *loop) save(file string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	b.WriteString("#!/usr/bin/env fst\n")
	for _, e := range l.entries {
		b.WriteString("\n" + e.text + "\n")
	}
	return os.WriteFile(file, []byte(b.String()), 0o777)
}
