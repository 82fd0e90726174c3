package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"fst"
	"fst/lang/load"
	"fst/lang/printable"
	"fst/scripts"
)

// run compiles the program, attaches it and shows what it says until it ends.
func (a *app) run() int {
	inv := a.inv
	name, text, err := a.text()
	if err != nil {
		return a.fail(err)
	}
	if inv.scriptHelp {
		return a.scriptHelp(name, text)
	}
	header, _ := scripts.ParseHeader(text)
	if inv.ownsWords {
		err := header.CheckParams(inv.params)
		if err == nil {
			err = header.CheckValues(inv.named)
		}
		if err != nil {
			return a.fail(err)
		}
	}
	if err := inv.checkOnly(header); err != nil {
		return a.fail(err)
	}
	if len(inv.also) > 0 && inv.mode != "" {
		return a.fail(errors.New("--also cannot be used with --test or --bench"))
	}
	server, err := a.server()
	if err != nil {
		return a.fail(err)
	}
	if server != nil {
		defer server.Close()
	}
	collector, err := a.collector()
	if err != nil {
		return a.fail(err)
	}
	if collector != nil {
		defer a.leaveCollector(collector)
	}
	interpret, err := a.interprets()
	if err != nil {
		return a.fail(err)
	}
	var live *screen
	if inv.live {
		if live, err = a.liveTerminal(); err != nil {
			return a.fail(err)
		}
	}
	if live != nil {
		defer live.end()
	}
	b, err := a.bounds()
	if err != nil {
		return a.fail(err)
	}
	defer b.close()
	opts := a.compileOptions(name)
	opts.Child, opts.Interpret = b.child, interpret
	prog, err := a.program(b.ctx, text, opts)
	if prog == nil && err == nil {
		return exitSignal
	}
	if err != nil {
		code := a.fail(err)
		a.instead(err)
		return code
	}
	a.warn(prog)

	out, file, err := a.output()
	if err != nil {
		return a.fail(err)
	}
	defer file.Drop()
	others, files, err := a.others(file)
	if err != nil {
		return a.fail(err)
	}
	defer files.Drop()
	outputs, attached := others, b.attached
	var view *fst.View
	var page *fst.Page
	switch {
	case inv.web:
		page = prog.Page("fst "+a.title(), a.stderr)
	case live == nil:
		outputs = append([]fst.Output{{Writer: out, Name: "standard output", Format: inv.format, Width: widthOf(out)}}, others...)
	default:
		view = prog.View("fst " + a.title())
		attached = func() {
			live.show(view, b.end)
			b.attached()
		}
	}
	for i := range outputs {
		outputs[i].LineBuffered, outputs[i].Apart = inv.buffering == "none", !inv.ownsWords
	}
	if collector != nil {
		outputs = append(outputs, fst.Output{Writer: collector, Name: "--otlp", Format: "otlp"})
	}
	until := 0
	if inv.ownsWords {
		until, _ = strconv.Atoi(inv.named["pid"]) // the tool's own -p, which was checked
	}
	session, err := prog.Start(b.ctx, fst.RunOptions{
		UntilPID: until,
		Outputs:  outputs, View: view, Page: page, Metrics: server != nil && page == nil, Log: fst.Log{Writer: a.stderr, Warnings: !inv.noWarnings, Progress: !inv.quiet, Details: inv.verbose},
		DryRun: inv.dryRun, MaxOverhead: inv.maxOverhead, DropCapabilities: true, OnAttached: attached, Interrupts: b.signals,
	})
	if err == nil {
		if server != nil {
			if page != nil {
				server.ServeSite(page.HTML, page.Data)
			} else {
				server.Serve(session.WriteMetrics)
			}
			a.tellServer(server)
		}
		var code int
		code, err = session.Wait()
		if live != nil {
			live.end()
		}
		if page != nil {
			b.endSite(server)
		}
		a.tellSystemd("STOPPING=1")
		session.Close()
		if err == nil {
			err = errors.Join(file.Close(), files.Close()) // some file systems tell of a full disk only now
		}
		if err == nil {
			return code
		}
	}
	if errors.Is(err, context.Canceled) { // before anything was attached
		return exitSignal
	}
	return a.failRun(err)
}

// title is what is run, as it was asked for.
func (a *app) title() string {
	switch inv := a.inv; {
	case inv.hasProgram:
		return "-e '" + printable.String(strings.Join(strings.Fields(inv.program), " ")) + "'"
	default:
		return printable.String(cmp.Or(inv.tool, inv.script))
	}
}

// program compiles the text, or takes what it was compiled to before.
func (a *app) program(ctx context.Context, text string, o fst.Options) (*fst.Program, error) {
	if compiled, ok := a.objects[a.inv.script]; ok {
		prog, err := a.compiled(compiled, o)
		var misfit *fst.ObjectError
		if !errors.As(err, &misfit) || !misfit.Options {
			return prog, err
		}
		if a.inv.verbose {
			fmt.Fprintf(a.stderr, "%v: its script is compiled again\n", err)
		}
	}
	defer a.compiling()()
	return compileUntil(ctx, text, o)
}

// compileUntil compiles a program, and gives up, with neither a program nor an
// error, when the context ends: a huge one may take long.
func compileUntil(ctx context.Context, text string, o fst.Options) (*fst.Program, error) {
	type result struct {
		prog  *fst.Program
		err   error
		fault any // what the compiler panicked with
		stack []byte
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if r.fault = recover(); r.fault != nil {
				r.stack = debug.Stack()
			}
			done <- r
		}()
		r.prog, r.err = fst.Compile(text, o)
	}()
	select {
	case r := <-done:
		if r.fault != nil {
			panic(fmt.Sprintf("%v\n%s", r.fault, r.stack)) // as if it had been called here
		}
		return r.prog, r.err
	case <-ctx.Done():
		return nil, nil
	}
}

// files are those that a run writes.
type files []*load.Output

// Close ends the files of a run that has its result.
func (f files) Close() error {
	var errs []error
	for _, o := range f {
		errs = append(errs, o.Close())
	}
	return errors.Join(errs...)
}

// Drop ends the files of a run that failed: what they held is kept, as long as there was nothing else to write.
func (f files) Drop() {
	for _, o := range f {
		o.Drop()
	}
}

// output is where the output goes: stdout, which is no file, or the file of -o.
func (a *app) output() (io.Writer, files, error) {
	if a.inv.output == "" {
		return a.stdout.Writer, nil, nil
	}
	f, err := load.Create(a.inv.output)
	if err != nil {
		return nil, nil, fmt.Errorf("-o: %w", err)
	}
	return f, files{f}, nil
}

// others are the outputs of --also, which have files of their own, besides that of -o.
func (a *app) others(first files) (list []fst.Output, all files, err error) {
	for _, also := range a.inv.also {
		f, err := load.Create(also.path)
		if err != nil {
			all.Drop()
			return nil, nil, fmt.Errorf("--also: %w", err)
		}
		taken := slices.ContainsFunc(append(first, all...), f.IsSame)
		if all = append(all, f); taken {
			all.Drop()
			return nil, nil, fmt.Errorf("--also: %s is written by another output already: name another file", also.path)
		}
		list = append(list, fst.Output{Name: also.path, Writer: f, Format: also.format})
	}
	return list, all, nil
}

// failRun reports an error of loading, attaching or running.
func (a *app) failRun(err error) int {
	a.fail(err)
	var load *fst.LoadError
	if errors.As(err, &load) && load.Log != "" && a.inv.verbose {
		fmt.Fprintf(a.stderr, "Output of the kernel's verifier:\n%s\n", load.Log)
	}
	var file *fs.PathError
	if errors.Is(err, fst.ErrPermission) || errors.Is(err, fst.ErrNoMetrics) || errors.Is(err, fst.ErrUnsuited) || errors.As(err, &file) && (file.Op == "write" || file.Op == "close") {
		return exitUsage // nothing is wrong with the probes
	}
	a.instead(err)
	return exitAttach
}

// warn shows what the compiler found doubtful.
func (a *app) warn(prog *fst.Program) {
	if w := prog.Warnings(); w != nil && !a.inv.noWarnings {
		w.Render(a.stderr, a.look())
	}
}

// scriptHelp prints the options of a script. Tools and scripts with a header
// show it; for others the compiler knows what getopt() reads.
func (a *app) scriptHelp(name, text string) int {
	if h, ok := scripts.ParseHeader(text); ok {
		if h.Name == "" {
			h.Name = name
		}
		fmt.Fprint(a.stdout, h.Help(toolOptions))
		return exitOK
	}
	options, err := fst.ScriptOptions(text, a.compileOptions(name))
	if err != nil {
		return a.fail(err)
	}
	if len(options) == 0 {
		return a.fail(fmt.Errorf("%s has no options", name))
	}
	fmt.Fprintf(a.stderr, "Options of %s, after --:\n", name)
	for _, o := range options {
		help := o.Help
		if help != "" {
			help = ": " + help
		}
		fmt.Fprintf(a.stderr, "--%s%s\n    default: %s\n", o.Name, help, o.Default)
	}
	return exitUsage // as bpftrace: nothing was traced
}
