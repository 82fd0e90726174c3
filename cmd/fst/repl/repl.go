// Package repl is fst's prompt: clauses are attached as they are entered and
// run on until they are dropped; maps are looked at while they fill.
//
// It must not import the compiler, the runtime or package fst: what it needs
// of them is the interface Engine.
package repl

import (
	"errors"
	"io"
	"regexp"
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
	// Attend begins what goes on beside the entries, such as a command that they trace. What is said of it goes to sources,
	// each line of one behind its label.
	Attend(source func(label string) io.Writer)
	// Start compiles a text, which may use what definitions define and the maps
	// of the texts before, and attaches it. name stands for it in messages. What
	// it says goes to out. It sees events in place of old from one event to the next; old, which may be nil, is to be
	// closed then, and shows no maps. The error is ready to be shown.
	Start(name, text, definitions string, old Running, out io.Writer) (Running, error)
	// Fits compiles a text as Start does, without attaching it.
	Fits(name, text, definitions string, old Running) error
	// Account has the kernel account what entries cost until stop is called.
	Account() (stop func(), err error)
	// Explain says in words what an entry does, or a text with definitions if there is no entry, and what it costs: it
	// is measured for about a second. Lines have less than so many columns if that is not 0. The error is ready to be shown.
	Explain(w io.Writer, columns int, text, definitions string, of Running) error
	// Source writes the text of a tool, or reports that there is none of that name.
	Source(w io.Writer, tool string) error
	// Maps are those that all texts share, also when those have ended.
	Maps() []string
	// PrintMap shows one of them: the element with a key if that is not empty, otherwise all, or the top largest.
	PrintMap(w io.Writer, name, key string, top int) error
	// Forget removes a map that nothing uses, or all of these.
	Forget(name string) error
	// Definitions names what a text defines besides clauses: macros, types,
	// settings. alone is true if it parses and has no clauses.
	Definitions(text string) (names []string, alone bool)
	// Runs reports whether what a text without clauses imports has some.
	Runs(text, definitions string) bool
	// Fault is the first error of a text that is to be started, with its line and column in bytes, from 1; it is empty if there
	// is none.
	Fault(text, definitions string) (line, column int, message string)
	// Check compiles a text without attaching it. The error is ready to be shown.
	Check(text string) error
	// Defines compiles a text that only defines something, for what is started later, with other definitions. The error is
	// ready to be shown.
	Defines(text, definitions string) error
	// IsTool reports whether a text starts a tool: its name, and its options.
	IsTool(text string) bool
	// TraceSelf says whether what the prompt's own process does is traced, too;
	// at first it is not. It holds for what is started later.
	TraceSelf(on bool)
	// TracePID limits what is started later to a process; 0 does not.
	TracePID(pid int)
	// Only gives the clauses of what is started later a filter besides their own; empty takes it away.
	Only(filter string) error
	// Doc describes a name of the language. It is false if there is none.
	Doc(w io.Writer, name string) bool
	// IsIncomplete reports whether a text needs more lines.
	IsIncomplete(text string) bool
	// List writes the probes that match a pattern, with their arguments if they
	// are wanted.
	List(w io.Writer, pattern string, arguments bool) error
	// Names are the words of the language, for completion as all that follow.
	Names() []Candidate
	// Probes are those that begin with a text, sorted, and how many there are: at most limit, the last of all among them.
	Probes(prefix string, limit int) (list []Candidate, all int)
	// Types are the structs, unions or enums of the kernel, as tag says, whose names begin with a text, in the same way.
	Types(tag, prefix string, limit int) (list []Candidate, all int)
	// TypeOf tells the type of the expression that a text ends in, which may be half a program; its members with their
	// types. It is empty if the text ends in none.
	TypeOf(text, definitions string) (name string, members []Candidate)
	// Variables are those that a program names, whose text may end anywhere, with their types.
	Variables(text, definitions string) []Candidate
	// MapTypes are the maps that all texts share, with their types.
	MapTypes() []Candidate
	// Keys are those of a map, as a program writes them, with what follows them, and their values.
	Keys(name string) []Candidate
	// Settings are those of config, SettingValues what one can be.
	Settings() []Candidate
	SettingValues(name string) []Candidate
	// Tools are the tools by name, ToolOptions the options of one.
	Tools() []Candidate
	ToolOptions(tool string) []Candidate
}

// Running is an entry that is attached.
type Running interface {
	Probes() []string
	Maps() []string
	PrintMap(w io.Writer, name, key string, top int) error
	// Cost tells how often its programs have run, and how long, while that was accounted.
	Cost() (runs uint64, took time.Duration)
	// Pause has it see no events until Resume.
	Pause() error
	Resume() error
	// Done is closed when it ends by itself (exit()).
	Done() <-chan struct{}
	// Close detaches it; its END clauses run.
	Close() error
}

// loop is the state of a prompt.
type loop struct {
	prompter Prompter
	engine   Engine
	screen   *screen
	out      *source // what the prompt itself says

	// state is held by who reads or changes what follows, or asks the engine: the prompt itself while no line is edited.
	state sync.Mutex

	mu      sync.Mutex // guards entries: one that ends by itself leaves
	entries []*entry
	ending  sync.WaitGroup // those that were taken off entries, until they have shown their maps
	next    int
	written []*entry // the latest, whose output can be shown again

	// definitions are what later entries may use.
	definitions []definition
	// latest is what was entered last and is no command.
	latest string
	failed bool // an entry had an error
	// pending are the lines before the one that is being edited.
	pending string
	// asked is what Tab was pressed for, if that is not shown yet, and patience how long it waits.
	asked    *asked
	patience time.Duration
	// saved are the files that :save has written.
	saved   map[string]bool
	watches watches
	changes changes
	// only is the filter of all entries.
	only string
	// warned is true behind a Ctrl-C that told what another one does.
	warned bool
}

// definition is a text that defines something.
type definition struct {
	text  string
	names []string
}

const (
	firstPrompt = "fst> "
	morePrompt  = "...> "
)

// Screener is a Prompter whose lines are edited on a screen that others write
// on, too.
type Screener interface {
	Screen(*screen)
}

// Recaller is a Prompter that knows what was entered before.
type Recaller interface {
	// Recall returns the latest entry that is longer than its beginning, or nothing. Both have marks for line breaks and tabs.
	Recall(beginning string) string
}

// Interrupter is a Prompter that knows when Ctrl-C is pressed while a command runs, from the end of its line on.
type Interrupter interface {
	Interrupted() <-chan struct{}
}

// Editor is a Prompter that can offer a text to be changed.
type Editor interface {
	Edit(prompt, text string) (string, error)
}

// Run reads entries until the input ends or :quit, and then detaches
// everything. out gets what the clauses say; it is written from several
// goroutines, one Write at a time. ok is false if an entry had an error.
func Run(p Prompter, e Engine, out io.Writer) (ok bool) {
	l := newLoop(p, e, out)
	if s, ok := p.(Screener); ok {
		s.Screen(l.screen)
	}
	if c, ok := p.(interface{ SetCompleter(Completer) }); ok {
		c.SetCompleter(l.complete)
	}
	l.state.Lock()
	advice := &adviser{loop: l, woken: make(chan struct{}, 1)}
	if r, ok := p.(Recaller); ok {
		advice.recall = r.Recall
		l.screen.changed, l.screen.isKeyword = advice.ask, l.keywords()
		go advice.run()
	}
	e.Attend(func(label string) io.Writer { return &source{screen: l.screen, label: label} })
	defer l.closeAll()
	for {
		text, err := l.read()
		switch {
		case errors.Is(err, ErrAborted):
			l.interrupted()
			continue
		case err != nil:
			return !l.failed
		case text == "":
			continue
		}
		l.warned = false
		p.Remember(text)
		if l.do(text) {
			return !l.failed
		}
	}
}

func newLoop(p Prompter, e Engine, out io.Writer) *loop {
	s := &screen{w: out}
	return &loop{prompter: p, engine: e, screen: s, out: &source{screen: s}, next: 1, patience: patience}
}

// ask has a line be edited, which is text at first. What the loop knows may be read meanwhile.
func (l *loop) ask(prompt, text string) (string, error) {
	l.screen.editing(prompt, l.pending)
	l.state.Unlock()
	defer l.state.Lock()
	if editor, ok := l.prompter.(Editor); ok {
		return editor.Edit(prompt, text)
	}
	return l.prompter.Prompt(prompt)
}

// askChanged has a text be changed. Where no line can be edited it is shown, to be entered anew.
func (l *loop) askChanged(prompt, text string) (string, error) {
	if !l.screen.edits() {
		l.out.printf("%s\n", text)
	}
	return l.ask(prompt, text)
}

// keywords tells the words of the language from others.
func (l *loop) keywords() func(word string) bool {
	words := sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for _, c := range l.engine.Names() {
			set[c.Text] = true
		}
		return set
	})
	return func(word string) bool { return words()[word] }
}

// read reads one entry, which may take several lines. Ctrl-D gives up an entry that has begun; without a terminal,
// the end of the input is its end, too.
func (l *loop) read() (string, error) {
	text, err := l.ask(firstPrompt, "")
	if err != nil {
		return "", err
	}
	defer func() { l.pending = "" }()
	for isProgram(text) && (isOpen(text) || l.engine.IsIncomplete(text)) {
		l.pending = text + "\n"
		more, err := l.ask(morePrompt, "")
		if errors.Is(err, io.EOF) {
			if _, onTerminal := l.prompter.(Screener); onTerminal {
				return "", nil
			}
			break
		} else if err != nil {
			return "", err
		}
		if strings.TrimSpace(more) == "" { // an empty line ends it: show the error
			break
		}
		text += "\n" + more
	}
	return strings.TrimSpace(text), nil
}

// interrupted answers Ctrl-C: the first tells what the next one does, so that
// giving up a line ends nothing.
func (l *loop) interrupted() {
	l.mu.Lock()
	var last *entry
	if n := len(l.entries); n > 0 {
		last = l.entries[n-1]
	}
	l.mu.Unlock()
	switch {
	case last == nil:
		l.out.printf("(:quit or Ctrl-D leaves)\n")
	case !l.warned:
		l.warned = true
		l.out.printf("(Ctrl-C again detaches [%d] %s)\n", last.number, summary(last.running.Probes()))
	default:
		l.warned = false
		l.detach(last)
	}
}

// do obeys one entry and reports whether it was :quit.
func (l *loop) do(text string) (quit bool) {
	if text[0] != ':' {
		l.latest = text
	}
	switch {
	case text[0] == ':':
		name, rest, _ := strings.Cut(text[1:], " ")
		c, err := findCommand(name)
		if err != nil {
			l.say(err)
			return false
		}
		if rest = strings.TrimSpace(rest); rest != "" && c.usage == "" {
			l.refuse(":%s takes no argument", c.name)
			return false
		}
		return c.run(l, rest)
	case isMap(text):
		l.printMap(text)
	case topForm().MatchString(text):
		l.printTop(topForm().FindStringSubmatch(text))
	case slices.Contains([]string{"exit", "exit()", "exit();", "quit()", "q"}, text):
		return true
	default:
		// No clause is one word, or a word and a name.
		if word, arg, _ := strings.Cut(text, " "); word == "help" && isName().MatchString(arg) {
			return l.help(strings.TrimSpace(arg))
		}
		for _, c := range commands() {
			if text == c.name {
				return c.run(l, "")
			}
		}
		if names, ok := l.engine.Definitions(text); ok {
			l.define(text, names)
			return false
		}
		l.start(text)
	}
	return false
}

var isName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*[\w:@.]*\s*$`) })

// define keeps a text for later entries, in place of what defined the same, if
// it compiles with the others.
func (l *loop) define(text string, names []string) {
	before := l.definitions
	others := textOf(l.others(names))
	if err := l.engine.Defines(text, others); err != nil {
		l.say(err)
		return
	}
	// The clauses of what is imported are an entry: later texts know its definitions only.
	number, started := l.next, false
	if l.engine.Runs(text, others) {
		if l.changes.without(func() { started = l.startAs(number, text, nil) }); !started {
			return
		}
	}
	l.definitions = append(l.others(names), definition{text, names})
	l.changes.add(func() {
		if e := l.current(number); started && e != nil && e.text == text {
			l.ended(e, "detached")
		}
		l.definitions = before
		l.out.printf("%s: as before\n", strings.Join(names, ", "))
	})
	l.out.printf("%s: known from now on\n", strings.Join(names, ", "))
}

// refuse says why what was entered is not done.
func (l *loop) refuse(format string, args ...any) {
	l.failed = true
	l.out.printf(format+"\n", args...)
}

// say shows an error, or a text that came as one.
func (l *loop) say(err error) {
	l.failed = true
	l.page(strings.TrimRight(err.Error(), "\n") + "\n")
}

// others are the definitions of other things than those named.
func (l *loop) others(names []string) []definition {
	return slices.DeleteFunc(slices.Clone(l.definitions), func(d definition) bool {
		return slices.ContainsFunc(d.names, func(n string) bool { return slices.Contains(names, n) })
	})
}

// textOf is the text of definitions.
func textOf(definitions []definition) string {
	var b strings.Builder
	for _, d := range definitions {
		b.WriteString(d.text + "\n")
	}
	return b.String()
}
