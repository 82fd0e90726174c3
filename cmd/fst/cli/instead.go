package cli

import (
	"fmt"
	"strings"

	"fst"
	"fst/scripts"
)

// instead names, below the error of a tool that lacks a hook of the kernel,
// the nearest tool that works here. Of a tool that was told where to look, the
// error must speak of the kernel: a name that is not there may be mistyped.
func (a *app) instead(err error) {
	if a.inv.tool == "" {
		return
	}
	h, _ := a.header(a.inv.tool)
	if h.CheckParams(nil) != nil && !strings.Contains(err.Error(), "this kernel") {
		return
	}
	for _, name := range h.Instead {
		if !a.worksHere(name) {
			continue
		}
		other, _ := a.header(name)
		fmt.Fprintf(a.stderr, "On this kernel, try fst %s: %s\n", name, other.Question)
		return
	}
}

// worksHere tries a tool: it is attached and detached again.
func (a *app) worksHere(tool string) bool {
	text, ok := scripts.Source(tool)
	if !ok {
		return false
	}
	prog, err := fst.Compile(text, fst.Options{Name: tool + ".fst", Kernel: a.kernel})
	if err != nil {
		return false
	}
	session, err := prog.Start(a.ctx, fst.RunOptions{DryRun: true})
	if err != nil {
		return false
	}
	defer session.Close()
	_, err = session.Wait()
	return err == nil
}
