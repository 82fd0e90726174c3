package cli

import (
	"fst"
)

// dashboard writes a dashboard of Grafana for what a program counts.
func (a *app) dashboard(words []string) int {
	name, text, code, done := a.readsProgram("dashboard", "dashboard needs -e 'PROGRAM', a file or a tool", words)
	if done {
		return code
	}
	prog, err := fst.Compile(text, a.compileOptions(name))
	if err != nil {
		return a.fail(err)
	}
	out, file, err := a.output()
	if err != nil {
		return a.fail(err)
	}
	defer file.Drop()
	if err = prog.Dashboard(out); err == nil {
		err = file.Close()
	}
	if err != nil {
		return a.fail(err)
	}
	return exitOK
}
