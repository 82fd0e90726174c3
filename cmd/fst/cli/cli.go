// Package cli is fst's command line: flags, subcommands, exit codes. It ends the
// process for SIGQUIT only, which is not to be waited for: all else is main's.
//
// Of the compiler and the runtime it imports public packages only: tests/imports_test.go
// lists them.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"fst"
	"fst/lang/load"
	"fst/lang/parse"
	"fst/lang/printable"
	"fst/scripts"
)

// Exit codes.
const (
	exitOK       = 0
	exitUsage    = 1 // a wrong command line, script or file
	exitEnv      = 2 // a wrong value in the environment
	exitInternal = 70
	exitSignal   = 130 // interrupted before anything was traced
	exitAttach   = 255 // loading or attaching failed
)

// app is one run of the command line.
type app struct {
	ctx     context.Context
	stdin   io.Reader
	stdout  *written
	stderr  io.Writer
	env     map[string]string
	kernel  *fst.Kernel
	inv     *invocation
	scripts map[string]string // that were read
	objects map[string]string // those of them that are compiled
}

// Run does what a command line asks for and returns the exit code. env holds
// KEY=value pairs.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) (code int) {
	a := &app{ctx: ctx, stdin: stdin, stdout: &written{Writer: stdout}, stderr: stderr, env: environment(env), kernel: fst.OpenKernel(), scripts: map[string]string{}, objects: map[string]string{}}
	defer func() {
		if r := recover(); r != nil {
			code = a.internalError(r, debug.Stack())
		}
	}()
	inv, err := parseArgs(args, a)
	if err != nil {
		return a.fail(err)
	}
	a.inv = inv
	if err := a.openKernel(); err != nil {
		return a.fail(err)
	}
	code = a.dispatch()
	if err := a.stdout.err; err != nil && code == exitOK {
		return a.fail(fmt.Errorf("cannot write the output: %w", err))
	}
	return code
}

// written is a stream that keeps the first error of writing to it.
type written struct {
	io.Writer
	err error
}

func (w *written) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// openKernel looks at the running kernel as the command line and the
// environment want it.
func (a *app) openKernel() error {
	o := fst.KernelOptions{Without: a.inv.without, Functions: a.inv.functions, DebugDirs: a.inv.debugDirs}
	if o.Functions != "" {
		switch info, err := os.Stat(o.Functions); {
		case err != nil:
			return fmt.Errorf("--traceable-functions: %w", err)
		case info.IsDir():
			return fmt.Errorf("--traceable-functions: %s is a directory; name a file with a function on each line, such as /sys/kernel/tracing/available_filter_functions", o.Functions)
		}
	}
	a.missingDirs("--debuginfo", o.DebugDirs)
	a.missingDirs("-I", a.inv.includeDirs)
	if path := a.env["BPFTRACE_BTF"]; path != "" {
		if err := holdsBTF(path); err != nil {
			fmt.Fprintf(a.stderr, "fst: BPFTRACE_BTF: %v: the kernel's own types are used\n", err)
		} else {
			o.BTF = path
		}
	}
	if o.BTF == "" && o.Without == nil && o.Functions == "" && o.DebugDirs == nil {
		return nil
	}
	k, err := fst.OpenKernelWith(o)
	if err != nil {
		return fmt.Errorf("--no-feature: %w", err)
	}
	a.kernel = k
	return nil
}

// holdsBTF looks whether a file begins as type information does.
func holdsBTF(path string) error {
	f, err := load.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var magic [2]byte
	if _, err := io.ReadFull(load.Patient{File: f}, magic[:]); err != nil || magic != [2]byte{0x9f, 0xeb} {
		return fmt.Errorf("%s holds no type information (BTF)", path)
	}
	return nil
}

// dispatch chooses what to do.
func (a *app) dispatch() int {
	inv := a.inv
	switch {
	case inv.command != "":
		return a.runCommand(inv)
	case inv.help:
		a.usage(a.stdout)
		return exitOK
	case inv.version:
		return a.version(nil)
	case inv.info:
		a.kernel.Info(a.stdout)
		return exitOK
	case inv.list:
		return a.list()
	case inv.script == "" && inv.tool == "" && !inv.hasProgram:
		return a.repl()
	case inv.reformat:
		return a.reformat()
	case inv.stage != "":
		return a.dump(inv.stage)
	case inv.json, inv.kernels != nil:
		return a.fail(errors.New("--kernel is an option of fst check, dump and type, --json of fst check; -f json writes a program's output as JSON"))
	}
	return a.run()
}

func (a *app) version([]string) int {
	fmt.Fprintf(a.stdout, "fst v%s\n", fst.Version)
	return exitOK
}

// fail reports an error and returns the exit code that belongs to it.
func (a *app) fail(err error) int {
	var script *fst.ScriptError
	if errors.As(err, &script) {
		script.Render(a.stderr, a.look())
		return exitUsage
	}
	fmt.Fprintf(a.stderr, "fst: %s\n", cutLines(printable.Lines(err.Error())))
	var env *fst.EnvError
	if errors.As(err, &env) {
		return exitEnv
	}
	return exitUsage
}

// maxErrorLine is how many bytes of a line of an error are shown: a word of the command line may be much longer.
const maxErrorLine = 1000

// cutLines leaves out the middle of lines that are too long.
func cutLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if len(line) > maxErrorLine {
			line = strings.ToValidUTF8(line[:maxErrorLine/2], "") + "…" + strings.ToValidUTF8(line[len(line)-maxErrorLine/2:], "")
		}
		b.WriteString(line)
	}
	return b.String()
}

// internalError reports a fault of fst itself. Nothing stays attached: the
// kernel detaches what a process that ends has open.
func (a *app) internalError(r any, stack []byte) int {
	fmt.Fprintf(a.stderr, "fst: internal error: %v\n", r)
	fmt.Fprintf(a.stderr, "This is a bug in fst, not in your program. Please report it with the program, the kernel's "+
		"release (%s) and what follows.\n", a.kernel.Release())
	a.stderr.Write(stack)
	return exitInternal
}

// text returns the program's text and the name that messages give it.
func (a *app) text() (name, text string, err error) {
	inv := a.inv
	switch {
	case inv.hasProgram:
		return "stdin", inv.program, nil
	case inv.tool != "":
		text, _ = scripts.Source(inv.tool)
		return inv.tool + ".fst", text, nil
	}
	name = inv.script
	if name == "-" {
		name = "stdin"
	}
	text, err = a.readScript(inv.script)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", "", noScript(inv.script)
	case errors.Is(err, syscall.EISDIR):
		return "", "", fmt.Errorf("%s is a directory; fst check and fst fmt accept directories", inv.script)
	}
	return name, text, err
}

// readScript reads a file, or the standard input for "-". It may be a pipe, and
// is wanted twice, for its header and to be compiled: it is read once.
func (a *app) readScript(name string) (string, error) {
	if text, ok := a.scripts[name]; ok {
		return text, nil
	}
	text, err := load.Script(name, a.stdin, func(beginning string) int {
		if fst.IsObject(beginning) {
			return fst.MaxObject
		}
		return 0
	})
	if err == nil && fst.IsObject(text) {
		a.objects[name] = text
		if text, err = fst.ObjectScript(strings.NewReader(text)); err != nil {
			err = fmt.Errorf("%s cannot be read: %w", name, err)
		}
	}
	if err == nil {
		a.scripts[name] = text
	}
	return text, err
}

// noScript is the error of a first word that is neither a script nor a tool.
func noScript(word string) error {
	kind, _, hasKind := strings.Cut(word, ":")
	switch _, known := parse.Provider(kind); {
	case strings.ContainsAny(word, "{}\n"):
		return errors.New("no such file; to run a program given as text, write fst -e 'PROGRAM'")
	case word == "run" || word == "start" || word == "exec":
		return fmt.Errorf("there is no command %s: write fst TOOL, fst FILE or fst -e 'PROGRAM'", word)
	case hasKind && known:
		return fmt.Errorf("no such file; to trace a probe, write fst -e '%s'", word)
	}
	meant := map[string]string{
		"strace": "fst -c COMMAND -e 'syscall:*' shows the system calls of a command",
		"record": "fst profile samples what the CPUs do",
		"stat":   "fst -c COMMAND -e 'software:page-faults:1 { @ = count(); }' counts an event of a command",
	}[word]
	if meant != "" {
		return fmt.Errorf("there is no command %s: %s", word, meant)
	}
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	if meant = toolMeant(word, names...); meant == "" {
		if _, err := exec.LookPath(word); err == nil && !strings.Contains(word, "/") {
			return fmt.Errorf("no script or tool named %s: fst -c '%[1]s' TOOL runs that command and a tool, fst -c '%[1]s' -e 'PROGRAM' a program of your own", word)
		}
	}
	return fmt.Errorf("no script or tool named %s%s (fst tools lists the tools; -e runs a program)", word, meant)
}

// missingDirs tells which directories of an option are not there.
func (a *app) missingDirs(option string, dirs []string) {
	const most = 3 // that are told one by one
	missing := 0
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			continue
		}
		if missing++; missing <= most {
			fmt.Fprintf(a.stderr, "fst: %s: no such directory: %s (ignored)\n", option, cutLines(printable.String(dir)))
		}
	}
	if missing > most {
		fmt.Fprintf(a.stderr, "fst: %s: %d more directories do not exist (ignored)\n", option, missing-most)
	}
}

// toolMeant is ": fst X does that" if a tool is called by the word elsewhere, a
// question if one of the tools' names, or others, is near it, or "".
func toolMeant(word string, others ...string) string {
	word = filepath.Base(word)
	for _, suffix := range []string{".bt", ".py", ".fst", "-bpfcc"} {
		word = strings.TrimSuffix(word, suffix)
	}
	for _, name := range scripts.Names() {
		text, _ := scripts.Source(name)
		if h, _ := scripts.ParseHeader(text); slices.Contains(h.Also, word) || name == word {
			return ": fst " + name + " does that"
		}
	}
	return nearest("", word, append(others, scripts.Names()...))
}

// compileOptions are the facts of this run that a compile needs.
func (a *app) compileOptions(name string) fst.Options {
	o := fst.Options{Name: name, Params: fst.Params{Words: a.inv.params, Named: a.inv.named, Flags: a.inv.flags}, Unsafe: a.inv.unsafe, PID: a.inv.pid, Follow: a.inv.only,
		Include: fst.Include{Dirs: a.inv.includeDirs, Headers: a.inv.headers}, Filter: a.inv.filter, Kernel: a.kernel, Env: map[string]string{}, Formats: []string{a.inv.format}}
	for _, also := range a.inv.also {
		o.Formats = append(o.Formats, also.format)
	}
	if a.inv.otlp != "" {
		o.Formats = append(o.Formats, "otlp")
	}
	if a.inv.live || a.inv.web {
		o.ReportEvery = 1
	}
	switch a.inv.mode {
	case "test":
		o.Mode = fst.Test
	case "bench":
		o.Mode = fst.Bench
	}
	for k, v := range a.env {
		if strings.HasPrefix(k, "BPFTRACE_") {
			o.Env[k] = v
		}
	}
	return o
}

// look is how messages are shown.
func (a *app) look() fst.Look {
	l := fst.Look{Color: a.color()}
	if width := widthOf(a.stderr); width != nil {
		l.Width = width()
	}
	return l
}

// color reports whether messages use the terminal's colours.
func (a *app) color() bool {
	switch a.env["BPFTRACE_COLOR"] {
	case "always":
		return true
	case "never":
		return false
	}
	return a.env["NO_COLOR"] == "" && a.env["TERM"] != "dumb" && isTerminal(a.stderr)
}

func (a *app) isCommand(word string) bool { return findCommand(word) != nil }

func (a *app) isTool(word string) bool {
	_, ok := scripts.Source(word)
	return ok && filepath.Base(word) == word
}

// header implements resolver: the header of a bundled tool, of graph, or of a file.
func (a *app) header(name string) (scripts.Header, bool) {
	text, ok := "", false
	switch {
	case a.isTool(name):
		text, ok = scripts.Source(name)
	case name == "graph":
		text, ok = graphHeader, true
	}
	if !ok {
		var err error
		if text, err = a.readScript(name); err != nil {
			return scripts.Header{}, false
		}
	}
	h, ok := scripts.ParseHeader(text)
	if h.Name == "" {
		h.Name = name
	}
	return h, ok
}

// getopts implements resolver.
func (a *app) getopts(path string) map[string]bool {
	text, err := a.readScript(path)
	if err != nil {
		return nil // it is told when the script is to run
	}
	return parse.Getopts(text)
}

func environment(env []string) map[string]string {
	m := make(map[string]string, len(env))
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		m[k] = v
	}
	return m
}
