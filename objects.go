package fst

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fst/compiler"
	"fst/compiler/object"
	"fst/compiler/object/objfile"
	"fst/compiler/reloc"
	"fst/lang/diag"
	"fst/lang/load"
	"fst/lang/parse"
)

// IsObject reports whether the beginning of a file is that of a compiled script.
func IsObject(beginning string) bool { return objfile.Is(beginning) }

// MaxObject is the size of the largest compiled script that is read.
const MaxObject = objfile.MaxSize

// noChild stands for the process of -c in a file: each run has its own.
const noChild = 1<<22 + 1

// WriteObject compiles a script to a file that ReadObject reads: on this kernel or on another that has
// what the script needs. What follows from a number of the kernel, or of the options, is noted and
// changed then. The warnings of the compile are returned, nil if there are none.
func WriteObject(w io.Writer, text string, o Options) (warnings *ScriptError, err error) {
	if o.Interpret || o.Mode != Trace || o.Store != nil || o.Live || o.Replaces != nil {
		return nil, fmt.Errorf("only scripts that trace, by themselves, are written to files")
	}
	if o.Kernel == nil {
		o.Kernel = OpenKernel()
	}
	options, err := ScriptOptions(text, o)
	if err != nil {
		return nil, err
	}
	run := runFacts(&o, options)
	recorder := reloc.NewRecorder(o.Kernel.target)
	prog, err := compileObject(text, o, recorder, func(reloc.Kind, string) int64 { return 0 })
	if err != nil {
		return nil, err
	}
	trial := func(r *reloc.Recorder, moved func(kind reloc.Kind, arg string) int64) *object.Object {
		p, err := compileObject(text, o, r, moved)
		if err != nil {
			return nil
		}
		return p.object
	}
	h := objfile.Header{Version: Version, Release: o.Kernel.Release(), Arch: o.Kernel.target.Arch(), Stamps: o.stamps(),
		Facts: reloc.Find(prog.object, recorder, run, trial, objfile.Encode)}
	return prog.Warnings(), objfile.Write(w, h, prog.object)
}

// compileObject compiles a script with what r answers, and with the numbers of its options moved.
func compileObject(text string, o Options, r *reloc.Recorder, moved func(kind reloc.Kind, arg string) int64) (*Program, error) {
	o.Params.Words, o.Params.Named = slices.Clone(o.Params.Words), maps.Clone(o.Params.Named)
	for i, word := range o.Params.Words {
		if n, ok := number(word); ok {
			o.Params.Words[i] = strconv.FormatInt(n+moved(reloc.Param, strconv.Itoa(i+1)), 10)
		}
	}
	for name, word := range o.Params.Named {
		if n, ok := number(word); ok && !o.Params.Flags[name] {
			o.Params.Named[name] = strconv.FormatInt(n+moved(reloc.Option, name), 10)
		}
	}
	if o.PID += int(moved(reloc.PID, "")); o.PID < 0 {
		o.PID = 0
	}
	c := o.compile(text)
	c.check.Target, c.check.CPID = r, noChild+int(moved(reloc.CPID, ""))
	var diags diag.List
	tree := load.Program(&c.set, c.file, c.load, &diags)
	if diags.HasErrors() {
		return nil, newScriptError(&c.set, &diags)
	}
	obj, err := compiler.Compile(&c.set, tree, compiler.Options{Options: c.check}, &diags)
	if err != nil {
		return nil, err
	}
	if diags.HasErrors() {
		return nil, newScriptError(&c.set, &diags)
	}
	diags.Sort(&c.set)
	return &Program{object: obj, warnings: diags, options: c.options}, nil
}

func number(word string) (int64, bool) {
	n, _, ok := parse.Number(word)
	return n, ok
}

// runFacts are the facts of a run's options. Options that are numbers get their default, so that
// they are compiled as those are that are given.
func runFacts(o *Options, options []ScriptOption) []reloc.Fact {
	list := []reloc.Fact{{Kind: reloc.PID, Number: int64(o.PID), HasNumber: true}, {Kind: reloc.CPID, Number: noChild, HasNumber: true},
		{Kind: reloc.Params, Text: strconv.Itoa(len(o.Params.Words))}}
	o.Params.Named = maps.Clone(o.Params.Named)
	if o.Params.Named == nil {
		o.Params.Named = map[string]string{}
	}
	for _, opt := range options {
		word, given := o.Params.Named[opt.Name]
		if !given {
			word = opt.Default
			if text, err := strconv.Unquote(word); err == nil {
				word = text
			}
			if _, ok := number(word); ok {
				o.Params.Named[opt.Name] = word
			}
		}
		list = append(list, wordFact(reloc.Option, opt.Name, word, o.Params.Flags[opt.Name]))
	}
	for name, word := range o.Params.Named { // of reports
		if !slices.ContainsFunc(options, func(opt ScriptOption) bool { return opt.Name == name }) {
			list = append(list, wordFact(reloc.Option, name, word, o.Params.Flags[name]))
		}
	}
	for i, word := range o.Params.Words {
		list = append(list, wordFact(reloc.Param, strconv.Itoa(i+1), word, false))
	}
	return list
}

func wordFact(kind reloc.Kind, name, word string, flag bool) reloc.Fact {
	f := reloc.Fact{Kind: kind, Args: []string{name}}
	if n, ok := number(word); ok && !flag {
		f.Number, f.HasNumber = n, true
	} else {
		f.Text = word
	}
	return f
}

// ObjectScript is the text of the script that an object was compiled from.
func ObjectScript(r io.Reader) (string, error) {
	_, obj, err := objfile.Read(r)
	if err != nil {
		return "", err
	}
	if f := obj.Sources.File(1); f != nil {
		return f.Text, nil
	}
	return "", objfile.ErrDamaged
}

// ObjectError is an object that cannot run here.
type ObjectError struct {
	Name string // of the file
	Text string // why, and what to do
	// Options: it is for other options of the run, which its script (ObjectScript) can be
	// compiled with.
	Options bool
}

func (e *ObjectError) Error() string { return e.Name + " " + e.Text }

// ReadObject reads a script that WriteObject has compiled. Of the options, those that name the run are
// used, such as Params, PID, Child, Unsafe and Formats; Name is that of the file. The error is an *ObjectError if the
// object is not for this kernel or these options.
func ReadObject(r io.Reader, o Options) (*Program, error) {
	if o.Kernel == nil {
		o.Kernel = OpenKernel()
	}
	var misfit ObjectError
	fail := func(format string, args ...any) (*Program, error) {
		misfit.Name, misfit.Text = o.Name, fmt.Sprintf(format, args...)
		return nil, &misfit
	}
	h, obj, err := objfile.Read(r)
	if err != nil {
		return fail("cannot be read: %v", err)
	}
	if arch := o.Kernel.target.Arch(); h.Arch != arch {
		return fail("was compiled for %s, and this machine is %s", h.Arch, arch)
	}
	run, unknown := givenFacts(h.Facts, o)
	if unknown != "" {
		misfit.Options = true
		return fail("was compiled without the option --%s", unknown)
	}
	if i := slices.IndexFunc(o.Formats, tellsTime); i >= 0 && !h.Stamps {
		misfit.Options = true
		return fail("was compiled without the times that the format %s shows", o.Formats[i])
	}
	now, diff := reloc.Compare(h.Facts, o.Kernel.target, run)
	if diff != nil {
		misfit.Options = diff.Fact.IsOfRun()
		return fail("%s", differs(h, diff))
	}
	if err := reloc.Put(obj, h.Facts, now); err != nil {
		return fail("cannot run here: %v", err)
	}
	if acts := reloc.Acts(obj, o.Kernel.target); acts != nil && !o.Unsafe {
		return fail("acts on the system (%s): it needs --unsafe", strings.Join(acts, ", "))
	}
	if h.Stamps {
		o.Formats = nil
	}
	return &Program{object: obj, options: o}, nil
}

// givenFacts are the facts of the options of a run: of those that are not given, what the
// object was compiled with. unknown is an option that the script does not have.
func givenFacts(compiled []*reloc.Fact, o Options) (run []reloc.Fact, unknown string) {
	has := map[string]bool{}
	for _, f := range compiled {
		switch f.Kind {
		case reloc.Option:
			has[f.Args[0]] = true
			run = append(run, givenFact(f, o.Params.Named[f.Args[0]], o.Params.Flags[f.Args[0]]))
		case reloc.Param:
			word := ""
			if i, err := strconv.Atoi(f.Args[0]); err == nil && i > 0 && i <= len(o.Params.Words) {
				word = o.Params.Words[i-1]
			}
			run = append(run, givenFact(f, word, false))
		case reloc.Params:
			given := *f
			if n := len(o.Params.Words); n > 0 {
				given.Text = strconv.Itoa(n)
			}
			run = append(run, given)
		}
	}
	child := o.CPID
	if o.Child != nil {
		child = o.Child.PID
	}
	run = append(run, reloc.Fact{Kind: reloc.PID, Number: int64(o.PID), HasNumber: true}, reloc.Fact{Kind: reloc.CPID, Number: int64(child), HasNumber: true})
	for name := range o.Params.Named {
		if !has[name] {
			return nil, name
		}
	}
	return run, ""
}

func givenFact(f *reloc.Fact, word string, flag bool) reloc.Fact {
	if word == "" && !flag {
		return *f
	}
	return wordFact(f.Kind, f.Args[0], word, flag)
}

// differs says why an object cannot run here.
func differs(h objfile.Header, d *reloc.Difference) string {
	compiled, here := d.Values()
	switch {
	case d.Fact.IsOfRun():
		return fmt.Sprintf("was compiled with the value %q of %s, not %q", compiled, d.Fact.Name(), here)
	case compiled == "":
		return fmt.Sprintf("was compiled for Linux %s, where %s is not what it is here: compile it again on this kernel (fst compile)", h.Release, d.Fact.Name())
	}
	return fmt.Sprintf("was compiled for Linux %s, where %s is %s; here it is %s: compile it again on this kernel (fst compile)", h.Release, d.Fact.Name(), compiled, here)
}
