// Package fst compiles small tracing programs to eBPF and runs them on the
// live kernel.
//
//	prog, err := fst.Compile(`syscall:openat /comm == "ps"/`, fst.Options{})
//	if err != nil { ... }          // a *ScriptError shows the place
//	session, err := prog.Start(ctx, fst.RunOptions{})
//	if err != nil { ... }
//	defer session.Close()
//	for event, err := range session.Events() {
//		if err != nil { ... }
//		if hit, ok := event.(*fst.Hit); ok {
//			fmt.Println(hit.Time, hit.Get("pid"), hit.Get("filename"))
//		}
//	}
//
// The types of the eBPF library and of the compiler's insides are not part of
// its interface.
package fst

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/explain"
	"fst/compiler/inspect"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/stages"
	"fst/compiler/target"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/load"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/runtime/child"
	"fst/runtime/interpreter"
)

// Version is the version of fst.
const Version = "0.1.0"

// Options are what a compile depends on besides the script's text.
type Options struct {
	// Name is what messages call the text; "script" if empty. If it is a path,
	// files that the script imports are looked for beside it.
	Name string
	// Form is what the text is.
	Form    Form
	Params  Params
	Include Include
	// Mode is Test or Bench to run the script's test: or bench: probes instead of waiting
	// for events. Filter, if not nil, chooses among all probes but begin and end by their
	// full names.
	Mode   Mode
	Filter *regexp.Regexp
	// Interpret has tests and benchmarks run in this process, by an interpreter, which needs
	// no rights: what only the kernel knows, such as stacks, is refused. Times are then those
	// of the interpreter.
	Interpret bool
	// Store has the maps that the script shares with others, beyond its sessions. nil: each
	// session has its own.
	Store *Store
	// Live has sessions of the program be paused, resumed (Session.Pause) and replaced.
	Live bool
	// Replaces is a session of a Live program. When the program is started, its clauses act from then on in place of
	// those of that session, which is to be closed then: each event is seen by the one or the other. What
	// the kernel does not show on one CPU without interruption, such as fentry probes where threads
	// preempt each other in the kernel, may be seen by both or neither at that moment.
	Replaces *Session
	// Formats are the forms of the outputs that the program is to have (Formats): what none of them
	// tells is left out of the records. That is the time and the CPU of events (Stamp), of which
	// most forms show only what the script asks for, and which cost some 50 ns an event. nil
	// leaves out nothing: Events tell both.
	Formats []string
	// ReportEvery is how many seconds lie between the reports of a script with a report clause, if Params do not
	// tell (--interval); 0: it reports at its end.
	ReportEvery int
	// PID limits the probes to a process, or is 0. Child is the command that cpid names and
	// that Start sets going. CPID is what cpid names if there is no Child: a command that others set going.
	PID   int
	Child *child.Child
	CPID  int
	// Follow limits the events to those of PID, Child or CPID and of the processes that they have started and start: every clause has
	// the filter followed(pid), or, if the script calls mine(), that does.
	Follow bool
	// ExceptPID is a process whose kernel events are left out, or 0: fst itself, say, whose
	// output would otherwise cause what it shows. Events of user space, timers and samples stay.
	ExceptPID int
	// Unsafe allows programs that change the system (system, signal, override).
	Unsafe bool
	// Thorough warns of what does no harm, too: variables that nothing reads.
	Thorough bool
	// Env holds BPFTRACE_... settings, by full name.
	Env map[string]string
	// Kernel is where types and probes are looked up; nil is the running one.
	Kernel *Kernel
}

// Form is what a text is.
type Form int

const (
	Script     Form = iota // clauses
	Statements             // statements, which run once
	Expression             // statements that end with a value, which is printed
)

// Mode is what a script is run for.
type Mode int

const (
	Trace Mode = iota
	Test
	Bench
)

// Params are the words that a script is run with. They are constants of the compile, which
// decide about probes, sizes, and what is left out: they can't be changed while the script
// runs. What is to be changed is a map without keys that begins with a parameter,
//
//	begin { @least = getopt("least", 10); }
//	syscall:read /took / 1ms >= @least/
//
// and is written by Map.Set.
type Params struct {
	Words []string          // $1, $2, ...
	Named map[string]string // what getopt() reads
	Flags map[string]bool   // those of Named that were given without a value
	// Open compiles a script without the words it is to run with: those that are missing
	// count as 1.
	Open bool
}

// Include is what a script may take in besides its own text.
type Include struct {
	Dirs    []string // are searched for the files of #include lines
	Headers []string // are included before the script
	// Definitions is a text whose macros, types and settings the script knows. DefinitionsName is what
	// messages call it; "definitions" if it is empty.
	Definitions, DefinitionsName string
	// Only is a filter, as between slashes, that all clauses have besides their own, but those on begin, end,
	// self, interval, tests and benchmarks.
	Only string
}

// Program is a compiled script. It may be started more than once.
type Program struct {
	object   *object.Object
	code     []*ir.Program // for the interpreter
	stored   map[string]*object.Map
	warnings diag.List
	options  Options
}

// Compile compiles the text of a script. The error is a *ScriptError if the
// script is at fault.
func Compile(text string, o Options) (*Program, error) {
	if err := check.CheckEnv(o.Env); err != nil {
		return nil, &EnvError{err}
	}
	if o.Interpret && (o.Mode == Trace || o.Store != nil) {
		return nil, errors.New("only tests and benchmarks can be interpreted, and without a store")
	}
	c := o.compile(text)
	if o.Store != nil {
		o.Store.mu.Lock()
		defer o.Store.mu.Unlock()
		c.check.Stored, c.check.ProbeNames = o.Store.known(&c.set), o.Store.probeNames()
	}
	var diags diag.List
	tree := load.Program(&c.set, c.file, c.load, &diags)
	if diags.HasErrors() {
		check.Settled(tree, c.check, &diags)
		return nil, newScriptError(&c.set, &diags)
	}
	if o.ReportEvery > 0 && c.check.Named["interval"] == "" && hasReport(tree) {
		c.check.Named = maps.Clone(c.check.Named)
		if c.check.Named == nil {
			c.check.Named = map[string]string{}
		}
		c.check.Named["interval"] = strconv.Itoa(o.ReportEvery)
	}
	var code []*ir.Program
	opts := compiler.Options{Options: c.check}
	if o.Interpret {
		opts.IR = &code
	}
	obj, err := compiler.Compile(&c.set, tree, opts, &diags)
	if err != nil {
		diags.Errorf(tree.Span, "%v", err).Hintf("this is a bug in fst: please report it with the script")
	}
	if o.Store != nil && obj != nil {
		o.Store.probes.Store(&obj.ProbeNames)
	}
	if o.Interpret && !diags.HasErrors() {
		interpreter.Check(obj, code, &diags)
	}
	if diags.HasErrors() {
		return nil, newScriptError(&c.set, &diags)
	}
	diags.Sort(&c.set)
	return &Program{object: obj, code: code, stored: c.check.Stored, warnings: diags, options: c.options}, nil
}

// hasReport reports whether a program has a report clause.
func hasReport(tree *ast.Program) bool {
	return slices.ContainsFunc(tree.Clauses, func(c *ast.Clause) bool {
		return len(c.Probes) > 0 && c.Probes[0].Provider == "report"
	})
}

// compilation is what the passes of one compile share.
type compilation struct {
	options Options
	set     source.Set
	file    *source.File
	check   check.Options
	load    load.Options
}

// stamps reports whether records carry time and CPU.
func (o Options) stamps() bool { return o.Formats == nil || slices.ContainsFunc(o.Formats, tellsTime) }

// generation numbers the programs that take each other's place.
func (o Options) generation() uint8 {
	switch {
	case o.Replaces != nil:
		return o.Replaces.generation%255 + 1
	case o.Live:
		return 1
	}
	return 0
}

func (o Options) compile(text string) *compilation {
	if o.Kernel == nil {
		o.Kernel = OpenKernel()
	}
	if o.Name == "" {
		o.Name = "script"
	}
	c := &compilation{options: o, load: load.Options{IncludeDirs: o.Include.Dirs, Headers: o.Include.Headers, Definitions: o.Include.Definitions, DefinitionsName: o.Include.DefinitionsName, Only: o.Include.Only,
		Library: compiler.LibraryParts(), Statements: o.Form != Script, Show: o.Form == Expression}}
	c.file = c.set.Add(o.Name, text)
	c.check = check.Options{Target: o.Kernel.target, Unsafe: o.Unsafe, Params: o.Params.Words, OpenParams: o.Params.Open, Named: o.Params.Named, Flags: o.Params.Flags,
		Mode: []string{Trace: "", Test: "test", Bench: "bench"}[o.Mode], Filter: o.Filter,
		PID: o.PID, NotPID: o.ExceptPID, Env: o.Env, Thorough: o.Thorough, Stamps: o.stamps()}
	if o.Interpret {
		c.check.Target = interpreter.Target(c.check.Target)
	}
	c.check.Generation, c.check.Follow, c.check.CPID = o.generation(), o.Follow, o.CPID
	if o.Child != nil {
		c.check.CPID = o.Child.PID
	}
	return c
}

// Dump writes what a stage of the compile makes of a script: one of stages.Names.
func Dump(w io.Writer, stage, text string, o Options) error {
	c := o.compile(text)
	in := stages.Input{Set: &c.set, File: c.file, Load: c.load, Check: c.check}
	var diags diag.List
	stages.Write(w, stage, in, &diags)
	if diags.HasErrors() {
		return newScriptError(&c.set, &diags)
	}
	return nil
}

// ScriptOption is an option that a script reads by getopt().
type ScriptOption struct {
	Name    string
	Default string // as a script writes it
	Help    string
}

// ScriptOptions lists the options of a script, in its order.
func ScriptOptions(text string, o Options) ([]ScriptOption, error) {
	c := o.compile(text)
	var diags diag.List
	tree := load.Program(&c.set, c.file, c.load, &diags)
	var info *check.Info
	if !diags.HasErrors() {
		_, info = compiler.Check(&c.set, tree, c.check, &diags)
	}
	if diags.HasErrors() {
		return nil, newScriptError(&c.set, &diags)
	}
	var list []ScriptOption
	for _, g := range info.Getopts {
		list = append(list, ScriptOption(g))
	}
	return list, nil
}

// Cursor is what is known of a place in a script, and NamedType a name that can stand there.
type (
	Cursor    = inspect.Cursor
	NamedType = inspect.NamedType
)

// Inspect describes the place at an offset of a script, be it whole or half typed. ok is false outside of
// filters and bodies.
func Inspect(text string, offset int, o Options) (p Cursor, ok bool) {
	c := o.compile("")
	if o.Store != nil {
		o.Store.mu.Lock()
		defer o.Store.mu.Unlock()
		c.check.Stored, c.check.ProbeNames = o.Store.known(&c.set), o.Store.probeNames()
	}
	return inspect.At(&c.set, text, offset, c.load, c.check)
}

// Format returns a script in its canonical form.
func Format(name, text string) (string, error) {
	var set source.Set
	var diags diag.List
	tree := parse.Parse(set.Add(name, text), &diags)
	if diags.HasErrors() {
		return "", newScriptError(&set, &diags)
	}
	return format.Source(tree, &set), nil
}

// Warnings returns what the compiler found doubtful, or nil.
func (p *Program) Warnings() *ScriptError {
	if len(p.warnings.All) == 0 {
		return nil
	}
	return newScriptError(p.object.Sources, &p.warnings)
}

// Probes lists what the clauses of the program are on, in the order of the
// script, each once: places in the kernel and in programs, and declared probes
// under their own names.
func (p *Program) Probes() []string {
	type named struct {
		name string
		at   source.Pos
	}
	var all []named
	for _, d := range p.object.Declared {
		all = append(all, named{d.Name, d.Span.Start})
	}
	for _, prog := range p.object.Programs {
		for _, h := range prog.Places() {
			if !prog.Entry && !prog.Library {
				all = append(all, named{cmp.Or(h.Place, h.Name), h.Span.Start})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b named) int { return cmp.Compare(a.at, b.at) })
	var names []string
	seen := map[string]bool{}
	for _, n := range all {
		if !seen[n.name] {
			seen[n.name] = true
			names = append(names, n.name)
		}
	}
	return names
}

// Maps lists the names of the script's maps with their @, sorted.
func (p *Program) Maps() []string {
	var names []string
	for _, m := range p.object.ScriptMaps() {
		names = append(names, m.Name)
	}
	return names
}

// Explanation says what a program is attached to, what it keeps and shows, and what it needs.
type Explanation = explain.Explanation

// ProbeUse is a probe of an Explanation, and MapUse a map.
type (
	ProbeUse = explain.ProbeUse
	MapUse   = explain.MapUse
)

// Explain says what the program does, without running it.
func (p *Program) Explain() Explanation {
	if k := p.options.Kernel; k.target == target.Target(k.system) {
		return explain.Of(p.object, k.system.Static)
	}
	return explain.Of(p.object, nil)
}
