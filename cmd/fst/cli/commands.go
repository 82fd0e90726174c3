package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"fst"
	"fst/compiler/reference"
	"fst/compiler/stages"
	"fst/docs"
	"fst/lang/diag"
	"fst/scripts"
)

// command is one row of the table of subcommands.
type command struct {
	name  string
	usage string
	help  string
	run   func(a *app, words []string) int
	// options is where its options may stand.
	options optionPlace
}

type optionPlace int

const (
	behind   optionPlace = iota // the command's name
	anywhere                    // before it, too, as fst's own
)

// commands is the table of subcommands, in the order of the help.
func commands() []command {
	return []command{
		{"tools", "tools [WORD...]", "list the bundled tools by the question they answer", (*app).tools, behind},
		{"help", "help [NAME]", "explain a tool, a command, a topic or a name of the language (fst help tutorial)", (*app).helpOn, behind},
		{"top", "top TOOL|FILE|-e PROGRAM [options]", "show the results in place, refreshed each second: sort, filter, freeze (? lists the keys)", (*app).top, behind},
		{"web", "web TOOL|FILE|-e PROGRAM [options]", "show the results on a page that browsers on this machine refresh each second, with the last ten minutes", (*app).web, behind},
		{"diff", diffUsage, "compare the stacks of two runs that -f folded, pprof or speedscope has written: a table, or a page with flame graphs",
			(*app).diff, behind},
		{"show", "show NAME", "print the script of a tool", (*app).show, behind},
		{"list", "list [-v] [PATTERN]", "list probes, as -l does", (*app).listWords, anywhere},
		{"graph", "graph [options] FUNCTION...", "show the calls inside a kernel function or a system call, as trees", (*app).graph, behind},
		{"type", "type [--depth N] [--kernel K] NAME", "show the layout of a struct, union or enum of the kernel", (*app).types, behind},
		{"check", "check [--kernel K]... [--json] FILE... [-- OPTION...]", "compile without running, for this kernel or for recorded ones",
			(*app).check, anywhere},
		{"explain", "explain [-e PROGRAM|FILE|TOOL...]", "say in words what a program is attached to, how often that fires now, what it costs and needs",
			(*app).explain, anywhere},
		{"compile", "compile [-o FILE] [--kernel K] SCRIPT [-- OPTION...]",
			"compile to FILE (default: SCRIPT's name with .fsto), which fst FILE runs, on other kernels, too", (*app).compile, anywhere},
		{"dashboard", "dashboard [-o FILE] [--kernel K] TOOL|FILE|-e PROGRAM [-- OPTION...]", "write a Grafana dashboard for the metrics of a program, which --listen serves",
			(*app).dashboard, anywhere},
		{"facts", "facts [record FILE]", "list the recorded kernels that check --kernel finds, or record the running one", (*app).facts, behind},
		{"fmt", "fmt [-w|-l] FILE...", "format scripts (-w: rewrite the files, -l: list those that differ); " +
			"a directory means its scripts, - standard input", (*app).format, behind},
		{"dump", "dump [--stage S] ...", "show the output of a stage of the compiler (" + strings.Join(stages.Names(), ", ") + ")",
			(*app).dumpWords, anywhere},
		{"doc", "doc [NAME]", "describe the probes, functions, variables and settings of the language", (*app).doc, behind},
		{"completion", "completion bash|zsh|fish", "print what the shell needs to complete fst's command lines", (*app).completion, behind},
		{"man", "man DIR", "write the manual pages to DIR", (*app).man, behind},
		{"version", "version", "show the version", (*app).version, behind},
		{"repl", "repl", "start the prompt", func(a *app, _ []string) int { return a.repl() }, behind},
	}
}

func findCommand(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return &c
		}
	}
	return nil
}

func (a *app) runCommand(inv *invocation) int {
	c := findCommand(inv.command)
	words := inv.words
	switch {
	case c.options == anywhere:
		words = slices.Concat(inv.before, words)
	case len(inv.before) > 0:
		return a.fail(fmt.Errorf("options of %s go after its name: fst %s", c.name, c.usage))
	}
	return c.run(a, words)
}

// tools lists the bundled tools by topic: all, behind where to begin, or those that the words fit.
func (a *app) tools(words []string) int {
	found := false
	if len(words) == 0 {
		fmt.Fprintln(a.stdout, "Where to begin")
		for _, s := range scripts.Starts {
			fmt.Fprintf(a.stdout, "  %-34s fst %s\n", s.Question, strings.ReplaceAll(s.Commands, "; ", ", "))
		}
	}
	names := append(scripts.Names(), "graph") // a command that is used as the tools are
	slices.Sort(names)
	for _, topic := range scripts.Topics {
		heading := strings.ToUpper(topic[:1]) + topic[1:] + "\n"
		for _, name := range names {
			h, _ := a.header(name)
			if h.Topic != topic || !fits(name, topic+" "+h.Question+" "+h.Reading+" "+h.Words+" "+strings.Join(h.Also, " "), words) {
				continue
			}
			fmt.Fprintf(a.stdout, "%s  %-19s %s\n", heading, name, h.Question)
			heading, found = "", true
		}
	}
	if found && len(words) == 0 {
		fmt.Fprintln(a.stdout, "fst help NAME explains a tool, fst tools WORD lists the tools about a subject.")
	}
	if !found {
		if near := diag.Nearest(words[0], slices.Concat(names, scripts.Topics)); near != "" {
			return a.fail(fmt.Errorf("no tool matches %s: did you mean %s?", strings.Join(words, " "), near))
		}
		return a.fail(fmt.Errorf("no tool matches %s (fst tools lists all)", strings.Join(words, " ")))
	}
	return exitOK
}

// fits reports whether each word, in any case, is in the name, or begins a word of the text.
func fits(name, text string, words []string) bool {
	text = " " + strings.ToLower(text)
	for _, w := range words {
		w = strings.ToLower(w)
		if !strings.Contains(name, w) && !strings.Contains(text, " "+w) && !strings.Contains(text, "("+w) {
			return false
		}
	}
	return true
}

// helpOn shows the help of a tool, a command, or a built-in.
func (a *app) helpOn(words []string) int {
	if len(words) == 0 {
		a.usage(a.stdout)
		return exitOK
	}
	name := words[0]
	if name == "graph" {
		return a.graph([]string{"-h"})
	}
	if name == "one-liners" {
		for _, o := range scripts.OneLiners() {
			fmt.Fprintf(a.stdout, "# %s\n%s\n\n", o.Question, o.Command)
		}
		return exitOK
	}
	if name == "columns" {
		for _, c := range scripts.Columns {
			scripts.Entry(a.stdout, c.Name, c.Meaning)
		}
		return exitOK
	}
	if name == "tutorial" {
		text, ok := docs.Tutorial(words[1:])
		if !ok {
			return a.fail(fmt.Errorf("no such lesson: fst help tutorial, or fst help tutorial 1 to 12"))
		}
		fmt.Fprint(a.stdout, text)
		return exitOK
	}
	if text, ok := docs.Topic(strings.Join(words, " ")); ok && len(words) > 1 { // lost events
		fmt.Fprintln(a.stdout, text)
		return exitOK
	}
	if a.helpOnOption(name) {
		return exitOK
	}
	if a.helpOnWord(name) {
		if len(reference.Find(name)) > 0 { // top, profile
			fmt.Fprintf(a.stdout, "\n%s is also a word of the language: fst doc %s\n", name, name)
		}
		return exitOK
	}
	return a.doc(words)
}

// helpOnOption shows what an option of fst does, if the word is one.
func (a *app) helpOnOption(word string) bool {
	for _, o := range options {
		if o.help != "" && (o.long != "" && word == "--"+o.long || o.short != 0 && word == "-"+string(o.short)) {
			scripts.Entry(a.stdout, strings.TrimSpace(o.names()), o.help)
			return true
		}
	}
	return false
}

// helpOnWord shows the help of a command or a tool, if the word is one.
func (a *app) helpOnWord(name string) bool {
	if c := findCommand(name); c != nil {
		fmt.Fprintf(a.stdout, "fst %s\n  %s\n", c.usage, c.help)
		return true
	}
	h, ok := a.header(name)
	if !ok {
		return false
	}
	fmt.Fprint(a.stdout, h.Help(toolOptions))
	if example, ok := scripts.Example(name); ok {
		fmt.Fprintf(a.stdout, "\nExample of its output:\n%s", indent(example))
	}
	return true
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight("  "+line, " \n") + "\n")
	}
	return b.String()
}

// show prints a tool's script.
func (a *app) show(words []string) int {
	if len(words) != 1 {
		return a.fail(fmt.Errorf("show needs the name of a tool (fst tools lists them)"))
	}
	text, ok := scripts.Source(words[0])
	if !ok {
		return a.fail(fmt.Errorf("no tool named %s%s (fst tools lists them)", words[0], toolMeant(words[0])))
	}
	fmt.Fprint(a.stdout, text)
	return exitOK
}

// listWords is the subcommand for -l.
func (a *app) listWords(words []string) int {
	inv, err := parseArgs(append([]string{"-l"}, words...), a)
	if err != nil {
		return a.fail(err)
	}
	a.inv = inv
	if err := a.openKernel(); err != nil {
		return a.fail(err)
	}
	return a.list()
}

// list shows the probes that match a pattern, or those of a program.
func (a *app) list() int {
	inv := a.inv
	if inv.kernels != nil || inv.json {
		return a.fail(errors.New("--kernel is an option of fst check, dump and type, --json of fst check; -l lists the probes of the running kernel"))
	}
	if err := inv.checkProcess(); err != nil {
		return a.fail(err)
	}
	between := "," // several patterns, as fst -l 'read*' 'write*'
	if len(inv.params) > 1 && slices.Contains([]string{"struct", "union", "enum"}, inv.params[0]) {
		between = " "
	}
	pattern := strings.Join(inv.params, between)
	if len(inv.params) > 0 && strings.Contains(inv.params[0], ".") && !inv.hasProgram {
		if _, err := os.Stat(inv.params[0]); err == nil {
			inv.script, inv.params = inv.params[0], inv.params[1:]
		}
	}
	if !inv.hasProgram && inv.script == "" {
		if err := a.kernel.Catalog().List(a.stdout, pattern, inv.verbose, inv.pid); err != nil {
			// Nothing found is an answer, as for bpftrace.
			fmt.Fprintf(a.stderr, "fst: %s\n", strings.ReplaceAll(err.Error(), "\n", "\nfst: "))
		}
		return exitOK
	}
	name, text, err := a.text()
	if err != nil {
		return a.fail(err)
	}
	prog, err := fst.Compile(text, a.compileOptions(name))
	if err != nil {
		return a.fail(err)
	}
	for _, p := range prog.Probes() {
		switch family, rest, _ := strings.Cut(p, ":"); family {
		case "begin", "end", "BEGIN", "END":
		case "interval", "profile", "software", "hardware":
			unit, _, _ := strings.Cut(rest, ":")
			fmt.Fprintf(a.stdout, "%s:%s:\n", family, unit)
		default:
			if inv.verbose {
				a.kernel.Catalog().List(a.stdout, p, true, inv.pid)
			} else {
				fmt.Fprintln(a.stdout, p)
			}
		}
	}
	return exitOK
}

// reformat is --fmt: the program in its canonical form.
func (a *app) reformat() int {
	name, text, err := a.text()
	if err == nil {
		text, err = fst.Format(name, text)
	}
	if err != nil {
		return a.fail(err)
	}
	fmt.Fprint(a.stdout, text)
	return exitOK
}

// dumpWords is the subcommand dump: --stage S and then a program as for a run.
func (a *app) dumpWords(words []string) int {
	stage := ""
	var rest []string
	for i := 0; i < len(words); i++ {
		if s, ok := strings.CutPrefix(words[i], "--stage="); ok {
			stage = s
		} else if words[i] == "--stage" && i+1 < len(words) {
			i++
			stage = words[i]
		} else {
			rest = append(rest, words[i])
		}
	}
	inv, err := parseArgs(rest, a)
	if err != nil {
		return a.fail(err)
	}
	if inv.script == "" && inv.tool == "" && !inv.hasProgram {
		return a.fail(fmt.Errorf("dump needs -e 'PROGRAM', a file or a tool"))
	}
	a.inv = inv
	if err := a.openKernel(); err != nil {
		return a.fail(err)
	}
	if stage == "" {
		stage = "ir"
	}
	return a.dump(stage)
}

// takesProgram reads the words behind a subcommand that takes one program, or shows its help: then it is done.
func (a *app) takesProgram(command, missing string, words []string) (code int, done bool) {
	inv, err := parseArgs(words, a)
	switch {
	case err != nil:
		return a.fail(err), true
	case inv.help:
		a.helpOnWord(command)
		return exitOK, true
	case inv.script == "" && inv.tool == "" && !inv.hasProgram:
		return a.fail(errors.New(missing)), true
	}
	a.inv = inv
	return 0, false
}

// readsProgram is takesProgram for what compiles the program without running it: it opens the kernel, and returns
// the program's text.
func (a *app) readsProgram(command, missing string, words []string) (name, text string, code int, done bool) {
	if code, done = a.takesProgram(command, missing, words); done {
		return
	}
	err := a.openKernel()
	if err == nil {
		err = a.forKernel(command)
	}
	if err == nil {
		name, text, err = a.text()
	}
	switch {
	case err != nil:
		return "", "", a.fail(err), true
	case a.inv.scriptHelp:
		return "", "", a.scriptHelp(name, text), true
	}
	return name, text, 0, false
}

// dump shows what a stage makes of the program.
func (a *app) dump(stage string) int {
	known := false
	for _, s := range stages.Names() {
		known = known || s == stage
	}
	if !known {
		return a.fail(fmt.Errorf("invalid value for --stage: %q (want %s)", stage, strings.Join(stages.Names(), ", ")))
	}
	if err := a.forKernel("dump"); err != nil {
		return a.fail(err)
	}
	name, text, err := a.text()
	if err == nil {
		defer a.compiling()()
		err = fst.Dump(a.stdout, stage, text, a.compileOptions(name))
	}
	if err != nil {
		return a.fail(err)
	}
	return exitOK
}
