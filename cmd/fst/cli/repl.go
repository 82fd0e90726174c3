package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"fst"
	"fst/cmd/fst/repl"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/printable"
	"fst/runtime/catalog"
	"fst/scripts"

	"golang.org/x/sys/unix"
)

// repl starts the prompt. Without a terminal it obeys the lines of the standard
// input, as the prompt would, and its exit status tells whether one had an error.
func (a *app) repl() int {
	if a.inv == nil || a.inv.named == nil {
		a.inv = &invocation{named: map[string]string{}}
	}
	if err := a.checkPrompt(); err != nil {
		return a.fail(err)
	}
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
	if err := a.inv.checkProcess(); err != nil {
		return a.fail(err)
	}
	ctx, end := context.WithCancel(a.ctx)
	defer end()
	e := &engine{app: a, ctx: ctx, store: fst.NewStore(), there: a.kernel.Catalog()}
	defer e.store.Close()
	if a.inv.hasChild {
		var err error
		if e.command, err = newTraced(a.inv.child); err != nil {
			return a.fail(err)
		}
		defer e.command.close()
	}
	if a.inv.output != "" {
		out, file, err := a.output()
		if err != nil {
			return a.fail(err)
		}
		defer file.Close()
		e.file = out
	}
	if !onTerminal {
		if !repl.Run(untilEnd{lines, e.command}, e, a.stdout.Writer) {
			return exitUsage
		}
		return exitOK
	}
	// They are caught before the terminal's mode is changed for the first time.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	t, err := repl.NewTerminal(repl.HistoryFile(a.env), a.color())
	if err != nil {
		return a.fail(err)
	}
	var deadly atomic.Pointer[os.Signal]
	go func() {
		for s := range signals {
			switch {
			case s == syscall.SIGINT: // Ctrl-C at the prompt is the line editor's, if it edits lines; elsewhere it ends nothing
				t.Interrupt()
			case deadly.CompareAndSwap(nil, &s):
				end()
				t.End() // the prompt then ends as with Ctrl-D
			default:
				t.Close()
				dieOf(s)
			}
		}
	}()
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + keyThreads)
	repl.Run(t, e, a.stdout.Writer)
	t.Close()
	if s := deadly.Load(); s != nil {
		dieOf(*s)
	}
	return exitOK
}

// keyThreads are the threads of Go code besides one for each CPU: a key that is typed waits for none of those that print, which
// Go interrupts only every 10 ms.
const keyThreads = 2

// checkPrompt refuses options that only a program has a use for.
func (a *app) checkPrompt() error {
	inv := a.inv
	for _, o := range []struct {
		name  string
		given bool
		hint  string
	}{
		{"--only", inv.only && !inv.hasChild && inv.pid == 0, "at the prompt, :only FILTER filters the events of all entries"},
		{"--also", len(inv.also) > 0, "the prompt writes to one file, that of -o"},
		{"--otlp", inv.otlp != "", "give the program: fst --otlp URL -e 'PROGRAM'"},
		{"--listen", inv.listen != "", "give the program: fst --listen ADDRESS -e 'PROGRAM'"},
		{"--web", inv.web, "give the program: fst web -e 'PROGRAM'"},
		{"--live", inv.live, "at the prompt, :watch @map shows a map in place"},
		{"--dry-run", inv.dryRun, "at the prompt, :explain PROGRAM says what a program would do"},
		{"--" + inv.mode, inv.mode != "", "give the script: fst --" + inv.mode + " FILE"},
		{"--duration", inv.duration > 0, "at the prompt, :drop N ends an entry"},
	} {
		if o.given {
			return fmt.Errorf("%s needs a program; %s", o.name, o.hint)
		}
	}
	if inv.hasChild && inv.pid != 0 {
		return errTwoProcesses
	}
	if fst.IsDocument(inv.format) {
		return fmt.Errorf("-f %s writes one document for one program: give the program, as with -e or a script's name", inv.format)
	}
	return nil
}

// dieOf ends the process as a signal does that nobody catches.
func dieOf(s os.Signal) {
	signal.Reset(s)
	syscall.Kill(os.Getpid(), s.(syscall.Signal))
	select {}
}

// engine runs what is entered at the prompt.
type engine struct {
	app   *app
	ctx   context.Context
	store *fst.Store // the maps of all entries but tools
	self  bool       // what fst does is traced, too
	only  string     // a filter of all clauses
	file  io.Writer  // of -o: what entries write goes there, or nil
	there *catalog.Catalog
	keys  keys
	// command is that of -c, or nil.
	command *traced
}

// running is an entry of the prompt that is attached.
type running struct {
	*fst.Session
	prog *fst.Program
}

func (r running) Probes() []string { return r.prog.Probes() }
func (r running) Maps() []string   { return r.prog.Maps() }

// PrintMap writes a map as the script's print(@name) would, its top elements as
// print(@name, top), or only the element with a key as text shows it.
func (r running) PrintMap(w io.Writer, name, key string, top int) error {
	m, err := r.Session.Map(name)
	return printMap(w, m, err, key, top)
}

func printMap(w io.Writer, m *fst.Map, err error, key string, top int) error {
	if err != nil {
		return err
	}
	all, err := m.Top(top)
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
func (e *engine) Start(name, text, definitions string, old repl.Running, out io.Writer) (repl.Running, error) {
	if e.IsTool(text) {
		return e.startTool(text, old, out)
	}
	prog, o, err := e.entry(name, text, definitions, old)
	if err != nil {
		if word, _, _ := strings.Cut(text, " "); !strings.ContainsAny(text, ":{}()@$/=\n") {
			if near := diag.Nearest(word, scripts.Names()); near != "" {
				return nil, fmt.Errorf("no tool named %s: did you mean %s?", printable.String(word), near)
			}
		}
		return nil, e.shown(err)
	}
	run := fst.RunOptions{}
	if o.Form == fst.Statements {
		run.Maps = fst.MapsNever // they stay
	}
	if w := prog.Warnings(); w != nil && o.Form == fst.Script {
		w.Render(out, e.app.look())
	}
	if o.Form == fst.Script {
		return e.startBound(e.ctx, prog, run, out)
	}
	return e.start(e.ctx, prog, run, out)
}

// Fits implements repl.Engine.
func (e *engine) Fits(name, text, definitions string, old repl.Running) (err error) {
	if e.IsTool(text) {
		_, _, err = e.compileTool(text, old)
	} else {
		_, _, err = e.entry(name, text, definitions, old)
	}
	if err != nil {
		return e.shown(err)
	}
	return nil
}

// sessionOf is that of an entry which another replaces, or nil.
func sessionOf(old repl.Running) *fst.Session {
	if old == nil {
		return nil
	}
	return old.(running).Session
}

// entry compiles what is entered and starts no tool.
func (e *engine) entry(name, text, definitions string, old repl.Running) (*fst.Program, fst.Options, error) {
	o := e.options(name)
	o.Replaces = sessionOf(old)
	return e.compile(text, definitions, o)
}

// compile compiles clauses, statements, or a value, which is shown.
func (e *engine) compile(text, definitions string, o fst.Options) (*fst.Program, fst.Options, error) {
	o.Store = e.store
	o.Include.Definitions = definitions
	if parse.IsStatements(text) {
		o.Form, o.Name = fst.Statements, "input"
	}
	prog, err := fst.Compile(text, o)
	if o.Form == fst.Statements || err != nil && !strings.ContainsAny(text, " :{/") {
		// A value alone is shown; one word is taken for a probe at first.
		shown := o
		shown.Form, shown.Name = fst.Expression, "input"
		if p, valueErr := fst.Compile(text, shown); valueErr == nil {
			prog, err = p, nil
			if o.Form == fst.Script {
				o.Form = fst.Expression
			}
		}
	}
	return prog, o, err
}

// Fault implements repl.Engine.
func (e *engine) Fault(text, definitions string) (line, column int, message string) {
	if e.IsTool(text) {
		return 0, 0, ""
	}
	_, _, err := e.compile(text, definitions, e.options("input"))
	var script *fst.ScriptError
	if errors.As(err, &script) {
		for _, p := range script.Problems() {
			if !p.Warning {
				return p.Line, p.Col, p.Message
			}
		}
	}
	return 0, 0, ""
}

// Runs implements repl.Engine.
func (e *engine) Runs(text, definitions string) bool {
	o := e.options("input")
	o.Include.Definitions = definitions
	prog, err := fst.Compile(text+"\nBEGIN { }", o)
	return err != nil || len(prog.Probes()) > 1 // starting it shows the error
}

// startBound attaches a program that ends with the command of -c, which it sets going if that waits.
func (e *engine) startBound(ctx context.Context, prog *fst.Program, o fst.RunOptions, out io.Writer) (repl.Running, error) {
	return e.command.start(o, func(o fst.RunOptions) (repl.Running, error) { return e.start(ctx, prog, o, out) })
}

// Attend implements repl.Engine.
func (e *engine) Attend(source func(label string) io.Writer) {
	if e.command != nil {
		e.command.attend(source)
	}
	if pid := e.app.inv.pid; pid != 0 {
		go func() {
			if awaitEnd(pid) {
				fmt.Fprintf(source(""), "(process %d, that of -p, has ended: :trace chooses what later entries trace)\n", pid)
			}
		}()
	}
}

// awaitEnd waits for the end of a process. It is false if there is no telling.
func awaitEnd(pid int) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
		if !errors.Is(err, unix.EINTR) {
			return n > 0
		}
	}
}

// IsTool implements repl.Engine.
func (e *engine) IsTool(text string) bool {
	words := strings.Fields(strings.TrimPrefix(text, "fst "))
	return len(words) > 0 && e.app.isTool(words[0]) && !strings.ContainsAny(text, "{}=(\n")
}

// tool reads the words that start a tool: its text, how it is compiled, and its options.
func (e *engine) tool(words string) (text string, o fst.Options, inv *invocation, err error) {
	a := *e.app
	inv, err = parseArgs(strings.Fields(strings.TrimPrefix(words, "fst ")), &a)
	if err != nil {
		return "", o, nil, err
	}
	if inv.pid == 0 {
		inv.pid = e.app.inv.pid // of :trace
	}
	a.inv = inv
	name, text, err := a.text()
	if err != nil {
		return "", o, nil, err
	}
	h, _ := scripts.ParseHeader(text)
	if inv.scriptHelp {
		return "", o, nil, errors.New(h.Help(toolOptions))
	}
	o = (&engine{app: &a, self: e.self, only: e.only, command: e.command}).options(name)
	return text, o, inv, cmp.Or(h.CheckParams(inv.params), h.CheckValues(inv.named), inv.checkProcess())
}

// compileTool compiles the tool that words start.
func (e *engine) compileTool(words string, old repl.Running) (*fst.Program, *invocation, error) {
	text, o, inv, err := e.tool(words)
	if err != nil {
		return nil, nil, err
	}
	o.Replaces = sessionOf(old)
	prog, err := fst.Compile(text, o)
	return prog, inv, err
}

// startTool starts a tool with its options.
func (e *engine) startTool(words string, old repl.Running, out io.Writer) (repl.Running, error) {
	prog, inv, err := e.compileTool(words, old)
	if err != nil {
		return nil, e.shown(err)
	}
	ctx, end := context.WithCancel(e.ctx)
	return e.startBound(ctx, prog, fst.RunOptions{OnAttached: func() {
		if inv.duration > 0 {
			time.AfterFunc(time.Duration(inv.duration*float64(time.Second)), end)
		}
	}}, out)
}

// options are those of everything that is entered. What fst does itself is left out,
// since showing a line causes events, too.
func (e *engine) options(name string) fst.Options {
	o := e.compileOptions(name)
	o.Live = true
	o.Include.Only = e.only
	if !e.self {
		o.ExceptPID = os.Getpid()
	}
	return o
}

// compileOptions are those of the command line, with the command of -c.
func (e *engine) compileOptions(name string) fst.Options {
	o := e.app.compileOptions(name)
	if e.command != nil {
		o.CPID = e.command.child.PID
	}
	return o
}

// start attaches a program, whose output and messages go to out.
func (e *engine) start(ctx context.Context, prog *fst.Program, o fst.RunOptions, out io.Writer) (repl.Running, error) {
	o.Outputs = []fst.Output{{Writer: out, Format: e.app.inv.format, Width: anyWidth}}
	if e.file != nil {
		o.Outputs[0].Writer, o.Outputs[0].Width = e.file, nil
	}
	o.Log = fst.Log{Writer: out, Warnings: !e.app.inv.noWarnings, Details: e.app.inv.verbose}
	s, err := prog.Start(ctx, o)
	if err != nil {
		return nil, e.shown(err)
	}
	return running{s, prog}, nil
}

// Explain implements repl.Engine.
func (e *engine) Explain(w io.Writer, columns int, text, definitions string, of repl.Running) error {
	if of != nil {
		r := of.(running)
		x := &explained{prog: r.prog, Explanation: r.prog.Explain()}
		stop, err := fst.AccountCosts()
		if err == nil {
			x.sample(e.ctx, r.Session, 0, x.count(e.ctx, e.options("input")))
			stop()
		} else {
			x.unmeasured = err.Error()
		}
		x.write(w, columns)
		return nil
	}
	o, err := e.options("input"), error(nil)
	if e.IsTool(text) {
		text, o, _, err = e.tool(text)
	} else {
		o.Include.Definitions = definitions
	}
	if err != nil {
		return err
	}
	x, err := compileExplained(text, o)
	if err != nil { // it may go on with the maps of others, which it is not to fill here
		o.Store = e.store
		var shared error
		if x, shared = compileExplained(text, o); shared != nil {
			return e.shown(err)
		}
		x.unmeasured = cmp.Or(x.unmeasured, "it uses maps of other entries")
	}
	x.measure(e.ctx, 0, o)
	x.write(w, columns)
	return nil
}

// Account implements repl.Engine.
func (e *engine) Account() (stop func(), err error) { return fst.AccountCosts() }

// Source implements repl.Engine.
func (e *engine) Source(w io.Writer, tool string) error {
	text, ok := scripts.Source(tool)
	if !ok {
		return fmt.Errorf("there is no tool %s", printable.String(tool))
	}
	_, err := io.WriteString(w, text)
	return err
}

// Maps implements repl.Engine.
func (e *engine) Maps() []string {
	var names []string
	for _, m := range e.store.Maps() {
		names = append(names, m.Name())
	}
	return names
}

// PrintMap implements repl.Engine.
func (e *engine) PrintMap(w io.Writer, name, key string, top int) error {
	m, err := e.store.Map(name)
	return printMap(w, m, err, key, top)
}

// Forget implements repl.Engine.
func (e *engine) Forget(name string) error {
	if name != "" {
		return e.store.Forget(name)
	}
	for _, m := range e.store.Maps() {
		e.store.Forget(m.Name()) // those in use stay
	}
	return nil
}

// TracePID implements repl.Engine.
func (e *engine) TracePID(pid int) { e.app.inv.pid = pid }

// Only implements repl.Engine.
func (e *engine) Only(filter string) error {
	if filter != "" {
		if _, err := fst.Format("only", "begin /"+filter+"/ { }"); err != nil {
			return e.shown(err)
		}
	}
	e.only = filter
	return nil
}

// TraceSelf implements repl.Engine.
func (e *engine) TraceSelf(on bool) { e.self = on }

// Definitions implements repl.Engine.
func (e *engine) Definitions(text string) ([]string, bool) { return parse.Definitions(text) }

// Check implements repl.Engine.
func (e *engine) Check(text string) error {
	if _, err := fst.Compile(text, e.compileOptions("input")); err != nil {
		return e.shown(err)
	}
	return nil
}

// Defines implements repl.Engine.
func (e *engine) Defines(text, definitions string) error {
	o := e.options("input")
	o.Store, o.Include.Definitions, o.Thorough = e.store, definitions, true
	if _, err := fst.Compile(text+"\nBEGIN { }", o); err != nil {
		return e.shown(err)
	}
	return nil
}

// Doc implements repl.Engine.
func (e *engine) Doc(w io.Writer, name string) bool {
	a := *e.app
	a.stdout, a.stderr = &written{Writer: w}, w
	return a.doc([]string{name}) == exitOK
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
func (e *engine) List(w io.Writer, pattern string, arguments bool) error {
	return e.there.List(w, pattern, arguments, 0)
}
