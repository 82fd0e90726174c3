package main

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// errCannot says that a tool has no way to do what is measured: no failure.
var errCannot = errors.New("this tool cannot do that")

// question is one thing to trace, in the languages of the tools.
type question struct {
	floor  string // the program of floor.go, or empty
	script string // as fst and bpftrace read it; PID is the traced process
	fst    string // as one writes it in fst alone; empty if that is script
	ply    string // or empty
	// options are fst's besides the program.
	options []string
}

// tool is a way to have a question answered.
type tool struct {
	name    string
	command func(q question) []string // nil if it cannot
	check   func(file string) []string
	dryRun  func(file string) []string
	// times writes how long each step of a compile takes, a line each.
	times func(file string) []string
}

// findTools returns fst (if it is there) and the same of before, if one is given, the floor,
// and the peers installed.
func findTools(fst, before string) ([]tool, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cannot := func(string) []string { return nil }
	var tools []tool
	for i, fst := range []string{fst, before} {
		if _, err := os.Stat(fst); err != nil {
			continue
		}
		tools = append(tools, tool{[]string{"fst", "before"}[i],
			func(q question) []string { return append([]string{fst, "-e", cmp.Or(q.fst, q.script)}, q.options...) },
			func(file string) []string { return []string{fst, "check", file} },
			func(file string) []string { return []string{fst, "--dry-run", file} },
			func(file string) []string { return []string{fst, "--dump", "time", file} }})
	}
	tools = append(tools, tool{"floor",
		func(q question) []string {
			if q.floor == "" {
				return nil
			}
			return append([]string{self, "floor"}, strings.Fields(q.floor)...)
		},
		func(file string) []string { return []string{self, "floor", "read", file} },
		cannot, cannot})
	if bpftrace, err := exec.LookPath("bpftrace"); err == nil {
		tools = append(tools, tool{"bpftrace",
			func(q question) []string {
				if q.script == "" {
					return nil
				}
				return []string{bpftrace, "-e", q.script}
			},
			cannot,
			func(file string) []string { return []string{bpftrace, "--dry-run", file} },
			cannot})
	}
	if ply, err := exec.LookPath("ply"); err == nil {
		tools = append(tools, tool{"ply",
			func(q question) []string {
				if q.ply == "" {
					return nil
				}
				return []string{ply, "-k", q.ply}
			}, cannot, cannot, cannot})
	}
	return tools, nil
}

// of puts the traced process's id into a question.
func (q question) of(pid int) question {
	put := func(s string) string { return strings.ReplaceAll(s, "PID", strconv.Itoa(pid)) }
	return question{put(q.floor), put(q.script), put(q.fst), put(q.ply), q.options}
}

// trace starts a tool on a question about a generator.
func (t tool) trace(q question, g *generator, o startOptions) (*process, error) {
	argv := t.command(q.of(g.pid))
	if argv == nil {
		return nil, errCannot
	}
	return start(argv, o)
}
