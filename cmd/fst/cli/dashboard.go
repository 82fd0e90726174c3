package cli

import (
	"errors"

	"fst"
)

// dashboard writes a dashboard of Grafana for what a program counts.
func (a *app) dashboard(words []string) int {
	if code, done := a.takesProgram("dashboard", "dashboard needs -e 'PROGRAM', a file or a tool", words); done {
		return code
	}
	if err := a.openKernel(); err != nil {
		return a.fail(err)
	}
	if err := a.forKernel("dashboard"); err != nil {
		return a.fail(err)
	}
	name, text, err := a.text()
	if err != nil {
		return a.fail(err)
	}
	if a.inv.scriptHelp {
		return a.scriptHelp(name, text)
	}
	prog, err := fst.Compile(text, a.compileOptions(name))
	if err != nil {
		return a.fail(err)
	}
	out, closeOutput, err := a.output()
	if err != nil {
		return a.fail(err)
	}
	if err := errors.Join(prog.Dashboard(out), closeOutput()); err != nil {
		return a.fail(err)
	}
	return exitOK
}
