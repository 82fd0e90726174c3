package cli

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"fst"
	"fst/lang/load"
	"fst/scripts"
)

// compile writes a script as it is loaded into the kernel to a file.
func (a *app) compile(words []string) int {
	name, text, code, done := a.readsProgram("compile", "compile needs a script: fst compile [-o FILE] SCRIPT", words)
	if done {
		return code
	}
	inv := a.inv
	switch {
	case inv.hasChild:
		return a.fail(errors.New("-c is given when the compiled script runs: fst -c COMMAND FILE"))
	case inv.mode != "" || inv.json:
		return a.fail(errors.New("compile takes no --test, --bench and --json"))
	}
	if inv.ownsWords {
		h, _ := scripts.ParseHeader(text)
		if err := h.CheckParams(inv.params); err != nil {
			return a.fail(err)
		}
	}
	out := inv.output
	if out == "" && (inv.hasProgram || inv.script == "-") {
		return a.fail(errors.New("compile needs -o FILE for a script that has no file of its own"))
	}
	if out == "" {
		out = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)) + ".fsto"
	}
	if out == "-" && isTerminal(a.stdout.Writer) {
		return a.fail(errors.New("a terminal does not show compiled scripts: write it to a file, as with -o FILE"))
	}
	// What is no file, as /dev/null, holds nothing; of a longer one the beginning is enough.
	if old, _ := load.ReadFile(out, fst.MaxObject); out != "-" && len(old) > 0 && !fst.IsObject(old) {
		return a.fail(fmt.Errorf("%s is there already and is no compiled script: choose another name with -o FILE", out))
	}
	over := a.compiling()
	var file bytes.Buffer
	warnings, err := fst.WriteObject(&file, text, a.compileOptions(name))
	over()
	if err != nil {
		return a.fail(err)
	}
	if warnings != nil && !inv.noWarnings {
		warnings.Render(a.stderr, a.look())
	}
	if out == "-" {
		a.stdout.Write(file.Bytes())
	} else if err := writeFile(out, file.Bytes()); err != nil {
		return a.fail(err)
	}
	return exitOK
}

// writeFile writes a whole file.
func writeFile(name string, content []byte) error {
	f, err := load.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// compiled takes a script that was compiled before.
func (a *app) compiled(object string, o fst.Options) (*fst.Program, error) {
	if a.inv.mode != "" || a.inv.filter != nil || a.inv.headers != nil {
		return nil, fmt.Errorf("%s is compiled: it takes no --test, --bench, --probe-filter and --include", o.Name)
	}
	return fst.ReadObject(strings.NewReader(object), o)
}
