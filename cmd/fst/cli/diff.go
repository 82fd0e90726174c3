package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"fst"
	"fst/lang/load"
	"fst/lang/printable"
	"fst/scripts"
)

const diffUsage = "diff [-f text|html] [-o FILE] [-n LINES] OLD NEW"

// diff is the subcommand: what has changed between the stacks of two runs.
func (a *app) diff(words []string) int {
	a.inv.format = "text"
	top := 30
	var names []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		if len(w) < 2 || w[0] != '-' {
			names = append(names, w)
			continue
		}
		if w != "-f" && w != "-o" && w != "-n" {
			return a.fail(fmt.Errorf("unknown option %s for diff; usage: fst %s", w, diffUsage))
		}
		if i++; i == len(words) {
			return a.fail(fmt.Errorf("option %s needs a value; usage: fst %s", w, diffUsage))
		}
		var err error
		switch v := words[i]; w {
		case "-f":
			err = oneOf(func(inv *invocation) *string { return &inv.format }, "text", "html")(a.inv, v)
		case "-o":
			a.inv.output = v
		case "-n":
			if top, err = strconv.Atoi(v); err != nil || top < 1 {
				err = scripts.Invalid(v, "a number of lines")
			}
		}
		if err != nil {
			return a.fail(scripts.OfOption(w, err))
		}
	}
	if len(names) != 2 {
		return a.fail(fmt.Errorf("diff needs two files that -f folded, pprof or speedscope has written; usage: fst %s", diffUsage))
	}
	if a.inv.format == "html" && a.inv.output == "" && isTerminal(a.stdout.Writer) {
		return a.fail(errors.New("a terminal does not show the format html: write it to a file, as with -o FILE or > FILE"))
	}
	var runs [2]fst.Stacks
	profiles := 0
	for i, name := range names {
		file, err := load.Named(name, fst.MaxStacks)
		if strings.HasPrefix(file, "\x1f\x8b") { // compressed, as profiles are
			profiles++
		}
		if err == nil {
			if runs[i], err = fst.ReadStacks([]byte(file)); err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
		}
		if err != nil {
			return a.fail(err)
		}
	}
	if profiles == 1 {
		return a.fail(errors.New("a profile of -f pprof is compared with another one only: in other formats functions have other names"))
	}
	out, file, err := a.output()
	if err != nil {
		return a.fail(err)
	}
	defer file.Drop()
	if a.inv.format == "html" {
		err = fst.DiffPage(out, printable.String(names[0]), printable.String(names[1]), runs[0], runs[1])
	} else {
		err = fst.DiffTable(out, runs[0], runs[1], top)
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return a.fail(err)
	}
	return exitOK
}
