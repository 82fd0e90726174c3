package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fst"
	"fst/lang/parse"
	"fst/scripts"
)

// check compiles scripts and tools and says what is wrong with them. Words
// behind "--" are those of the scripts, as when they run.
func (a *app) check(words []string) int {
	flags, files, scriptWords, err := splitOptions(words)
	if err != nil {
		return a.fail(err)
	}
	inv, err := parseArgs(append(slices.Clone(flags), scriptWords...), a)
	if err != nil {
		return a.fail(err)
	}
	if len(files) == 0 && !inv.hasProgram {
		return a.fail(errors.New("check needs the names of scripts"))
	}
	files, more, err := a.scriptFiles(files)
	if err != nil {
		return a.fail(err)
	}
	defer a.failMissing(more)
	a.inv = inv
	if err := a.openKernel(); err != nil {
		return a.fail(err)
	}
	kernels := []checkedKernel{{"", a.kernel}}
	if inv.kernels != nil {
		kernels = nil
		for _, k := range inv.kernels {
			found, err := a.recordings(k)
			if err != nil {
				return a.fail(err)
			}
			kernels = append(kernels, found...)
		}
	}
	defer a.compiling()()
	code := exitOK
	if inv.hasProgram {
		code = a.checkOne(inv, kernels)
	}
	for _, f := range files {
		own := scriptWords
		if _, ok := a.header(f); ok && own != nil {
			own = own[1:] // what stands behind its name is its own anyway
		}
		one, err := parseArgs(slices.Concat(flags, []string{f}, own), a)
		if err != nil {
			code = max(code, a.fail(err))
			continue
		}
		code = max(code, a.checkOne(one, kernels))
	}
	return code
}

// splitOptions tells fst's options, with their values, from the names of files.
// Behind "--" are words for the scripts, which begin with it, or, without a
// script before it, files.
func splitOptions(words []string) (flags, files, scriptWords []string, err error) {
	program := false
	for i := 0; i < len(words); i++ {
		w := words[i]
		var o *option
		hasValue := false
		switch {
		case w == "--" && (len(files) > 0 || program):
			return flags, files, words[i:], nil
		case w == "--":
			return flags, words[i+1:], nil, nil
		case strings.HasPrefix(w, "--"):
			name, _, found := strings.Cut(w[2:], "=")
			o, hasValue = longOption(name), found
		case len(w) > 1 && w[0] == '-':
			o, hasValue = shortOption(w[1]), len(w) > 2
		default:
			files = append(files, w)
			continue
		}
		program = program || o != nil && o.short == 'e'
		flags = append(flags, w)
		if o != nil && o.value != "" && !hasValue {
			if i++; i == len(words) {
				return nil, nil, nil, fmt.Errorf("option %s needs a value: %s", w, o.value)
			}
			flags = append(flags, words[i])
		}
	}
	return flags, files, nil, nil
}

// checkedKernel is a kernel to compile for. The running one has no name.
type checkedKernel struct {
	name   string
	kernel *fst.Kernel
}

// checkOne compiles one script for each kernel.
func (a *app) checkOne(inv *invocation, kernels []checkedKernel) int {
	json := a.inv.json
	a.inv = inv
	name, text, err := a.text()
	if err != nil {
		return a.fail(err)
	}
	definitions := ""
	if _, ok := parse.Definitions(text); ok { // a file for others to import
		text, definitions = "begin { }", text
	}
	if inv.ownsWords && inv.kernels == nil { // other kernels may have other disks
		h, _ := scripts.ParseHeader(text)
		if err := h.CheckValues(inv.named); err != nil {
			return a.fail(err)
		}
	}
	code := exitOK
	for _, k := range kernels {
		o := a.compileOptions(name)
		o.Include.Definitions, o.Include.DefinitionsName, o.Thorough = definitions, name, true
		o.Kernel, o.Params.Open = k.kernel, true
		prog, err := fst.Compile(text, o)
		var problems *fst.ScriptError
		switch {
		case err == nil:
			problems = prog.Warnings()
		case !errors.As(err, &problems):
			return a.fail(err)
		default:
			code = exitUsage
		}
		switch {
		case problems == nil || err == nil && inv.noWarnings:
		case json:
			a.problemsJSON(problems, name, k.name)
		default:
			if k.name != "" {
				fmt.Fprintf(a.stderr, "%s, for Linux %s:\n", name, k.name)
			}
			problems.Render(a.stderr, a.look())
		}
	}
	return code
}

// problem is a line of check --json. Lines and columns count from 1, and the
// end is behind the last character; a problem of no place in particular has
// neither.
type problem struct {
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"`
	Col      int    `json:"col,omitempty"`
	EndLine  int    `json:"end_line,omitempty"`
	EndCol   int    `json:"end_col,omitempty"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Notes    []note `json:"notes,omitempty"`
	Kernel   string `json:"kernel,omitempty"`
}

type note struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	EndLine int    `json:"end_line"`
	EndCol  int    `json:"end_col"`
	Message string `json:"message"`
}

func (a *app) problemsJSON(e *fst.ScriptError, name, kernel string) {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	for _, p := range e.Problems() {
		out := problem{p.File, p.Line, p.Col, p.EndLine, p.EndCol, "error", p.Message, p.Hint, nil, kernel}
		if out.File == "" {
			out.File = name
		}
		if p.Warning {
			out.Severity = "warning"
		}
		for _, n := range p.Notes {
			out.Notes = append(out.Notes, note{n.File, n.Line, n.Col, n.EndLine, n.EndCol, n.Message})
		}
		enc.Encode(out)
	}
}

// forKernel takes the recorded kernel of --kernel for the running one.
func (a *app) forKernel(command string) error {
	if a.inv.json {
		return fmt.Errorf("--json is an option of fst check, not of fst %s", command)
	}
	var found []checkedKernel
	for _, k := range a.inv.kernels {
		more, err := a.recordings(k)
		if err != nil {
			return err
		}
		found = append(found, more...)
	}
	if len(found) > 1 {
		return fmt.Errorf("%s compiles for one kernel; --kernel names %d", command, len(found))
	}
	if len(found) == 1 {
		a.kernel = found[0].kernel
	}
	return nil
}

// recordings finds the recorded kernels that a word of --kernel stands for: a
// file, all files of a directory, or the name of one in a known place.
func (a *app) recordings(word string) ([]checkedKernel, error) {
	var files []string
	info, err := os.Stat(word)
	switch {
	case err == nil && info.IsDir():
		files, _ = filepath.Glob(filepath.Join(word, "*.zip"))
		if len(files) == 0 {
			return nil, fmt.Errorf("--kernel: %s has no recorded kernels (*.zip); fst facts record FILE makes one", word)
		}
	case err == nil:
		files = []string{word}
	default:
		dirs := a.recordingDirs()
		for _, dir := range dirs {
			path := filepath.Join(dir, word+".zip")
			if _, err := os.Stat(path); err == nil {
				files = []string{path}
				break
			}
		}
		if files == nil {
			return nil, fmt.Errorf("--kernel: no recorded kernel %s (looked in %s).\nIt may be a file as well: "+
				"fst facts record FILE makes one on the kernel that it is to describe", word, strings.Join(dirs, ", "))
		}
	}
	var list []checkedKernel
	for _, path := range files {
		k, err := fst.OpenRecorded(path)
		if err != nil {
			return nil, err
		}
		list = append(list, checkedKernel{strings.TrimSuffix(filepath.Base(path), ".zip"), k})
	}
	return list, nil
}

// recordingDirs are the places where recorded kernels are looked for: those of
// FST_KERNELS, beside the program in its source tree, and where a package puts them.
func (a *app) recordingDirs() []string {
	dirs := filepath.SplitList(a.env["FST_KERNELS"])
	if exe, err := os.Executable(); err == nil {
		if exe, err = filepath.EvalSymlinks(exe); err == nil {
			dirs = append(dirs, filepath.Join(filepath.Dir(exe), "../compiler/target/fixture/testdata"),
				filepath.Join(filepath.Dir(exe), "../share/fst/kernels"))
		}
	}
	return append(dirs, "/usr/share/fst/kernels")
}

// facts lists the recorded kernels, or records the running one.
func (a *app) facts(words []string) int {
	switch {
	case len(words) == 0:
		for _, dir := range a.recordingDirs() {
			files, _ := filepath.Glob(filepath.Join(dir, "*.zip"))
			for _, f := range files {
				k, err := fst.OpenRecorded(f)
				if err != nil {
					fmt.Fprintf(a.stderr, "fst: %v\n", err)
					continue
				}
				fmt.Fprintf(a.stdout, "%-8s %-32s %s\n", strings.TrimSuffix(filepath.Base(f), ".zip"), k.Release(), f)
			}
		}
		return exitOK
	case len(words) == 2 && words[0] == "record":
		return a.recordFacts(words[1])
	}
	return a.fail(errors.New("usage: fst facts, or fst facts record FILE.zip"))
}

// recordFacts writes the file when all that belongs into it is known: one that is
// there already stays if that fails.
func (a *app) recordFacts(path string) int {
	if err := a.missingRights(); err != nil {
		return a.fail(err)
	}
	var recorded bytes.Buffer
	if err := a.kernel.Record(&recorded); err != nil {
		return a.fail(fmt.Errorf("recording this kernel: %w", err))
	}
	if err := writeFile(path, recorded.Bytes()); err != nil {
		return a.fail(fmt.Errorf("the recording is not complete: %w", err))
	}
	fmt.Fprintf(a.stdout, "%s describes Linux %s with the modules that are loaded.\n", path, a.kernel.Release())
	return exitOK
}
