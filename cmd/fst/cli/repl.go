package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"fst/compiler/reference"
	"fst/lang/parse"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"fst"
	"fst/cmd/fst/repl"
	"fst/lang/printable"
)

// repl starts the prompt. Without a terminal it obeys the lines of the standard
// input, as the prompt would.
func (a *app) repl() int {
	onTerminal := isTerminal(a.stdin) && isTerminal(a.stdout.Writer)
	lines := repl.Lines{Reader: bufio.NewReader(a.stdin)}
	if !onTerminal {
		if _, err := lines.Peek(1); err != nil {
			a.usage(a.stderr)
			return a.fail(errors.New("there is no program, and the standard input is empty"))
		}
	}
	if err := a.missingRights(); err != nil {
		return a.fail(err)
	}
	if a.inv == nil || a.inv.named == nil {
		a.inv = &invocation{named: map[string]string{}}
	}
	if !onTerminal {
		repl.Run(lines, &engine{a, a.ctx}, a.stdout.Writer)
		return exitOK
	}
	t, err := repl.NewTerminal(repl.HistoryFile(a.env))
	if err != nil {
		return a.fail(err)
	}
	defer t.Close()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		for s := range signals {
			if s == syscall.SIGTERM { // give the terminal back, then die of it
				t.Close()
				signal.Reset(syscall.SIGTERM)
				syscall.Kill(os.Getpid(), syscall.SIGTERM)
			} // Ctrl-C at the prompt is the line editor's; elsewhere it ends nothing
		}
	}()
	repl.Run(t, &engine{a, a.ctx}, a.stdout.Writer)
	return exitOK
}

// engine runs what is entered at the prompt.
type engine struct {
	app *app
	ctx context.Context
}

// running is an entry of the prompt that is attached.
type running struct {
	*fst.Session
	prog *fst.Program
}

func (r running) Probes() []string { return r.prog.Probes() }
func (r running) Maps() []string   { return r.prog.Maps() }

// PrintMap writes a map as the script's print(@name) would, or only the element with a key
// as text shows it.
func (r running) PrintMap(w io.Writer, name, key string) error {
	m, err := r.Session.Map(name)
	if err != nil {
		return err
	}
	all, err := m.Read()
	if err != nil {
		return err
	}
	if key == "" {
		_, err = io.WriteString(w, all.String())
		return err
	}
	for i := range all.Entries {
		if text := all.Entries[i].String(); strings.HasPrefix(text, all.Map+"["+key+"]:") {
			_, err = io.WriteString(w, text)
			return err
		}
	}
	return fmt.Errorf("%s has no key %s", all.Map, key)
}

// Start implements repl.Engine.
func (e *engine) Start(text, definitions string, out io.Writer) (repl.Running, error) {
	if words := strings.Fields(strings.TrimPrefix(text, "fst ")); len(words) > 0 && e.app.isTool(words[0]) && !strings.ContainsAny(text, "{}=(") {
		return nil, fmt.Errorf("%s is a tool, which is started from the shell: fst %s (fst show %s prints its script)", words[0], strings.Join(words, " "), words[0])
	}
	o := e.app.compileOptions("input")
	o.Include.Definitions = definitions
	if parse.IsStatements(text) {
		o.Form = fst.Statements
	}
	prog, err := fst.Compile(text, o)
	if o.Form == fst.Statements || err != nil && !strings.ContainsAny(text, " :{/") {
		// A value alone is shown; one word is taken for a probe at first.
		shown := o
		shown.Form = fst.Expression
		if p, valueErr := fst.Compile(text, shown); valueErr == nil {
			prog, err = p, nil
		}
	}
	if err != nil {
		return nil, e.shown(err)
	}
	if w := prog.Warnings(); w != nil && o.Form == fst.Script {
		w.Render(out, e.app.look())
	}
	s, err := prog.Start(e.ctx, fst.RunOptions{Outputs: []fst.Output{{Writer: out, LineBuffered: true, Width: anyWidth}},
		Log: fst.Log{Writer: out, Warnings: true}})
	if err != nil {
		return nil, e.shown(err)
	}
	return running{s, prog}, nil
}

// Definitions implements repl.Engine.
func (e *engine) Definitions(text string) ([]string, bool) { return parse.Definitions(text) }

// Check implements repl.Engine.
func (e *engine) Check(text string) error {
	if _, err := fst.Compile(text, e.app.compileOptions("input")); err != nil {
		return e.shown(err)
	}
	return nil
}

// Doc implements repl.Engine.
func (e *engine) Doc(w io.Writer, name string) {
	a := *e.app
	a.stdout, a.stderr = &written{Writer: w}, w
	a.doc([]string{name})
}

// shown is an error whose text has the place and the caret, in colour.
func (e *engine) shown(err error) error {
	var script *fst.ScriptError
	if !errors.As(err, &script) {
		return errors.New(printable.Lines(err.Error()))
	}
	var b strings.Builder
	script.Render(&b, e.app.look())
	return errors.New(b.String())
}

// IsIncomplete implements repl.Engine.
func (e *engine) IsIncomplete(text string) bool { return parse.Incomplete(text) }

// List implements repl.Engine.
func (e *engine) List(w io.Writer, pattern string) {
	if err := e.app.kernel.Catalog().List(w, pattern, false, 0); err != nil {
		fmt.Fprintln(w, err)
	}
}

// Names implements repl.Engine.
func (e *engine) Names() []string {
	var names []string
	for _, b := range slices.Concat(reference.Keywords(), reference.Builtins()) {
		names = append(names, b.Name)
	}
	return names
}

// Probes implements repl.Engine.
func (e *engine) Probes(prefix string, limit int) []string {
	return e.app.kernel.Catalog().Complete(prefix, limit)
}

// Fields implements repl.Engine.
func (e *engine) Fields(probe string) []string { return e.app.kernel.Catalog().Fields(probe) }
