package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"fst/tests/conformance"
)

// Case is one comparison: the same work, seen by several tools, and what an
// independent witness says about it. README.md describes the file.
type Case struct {
	Name     string // of the tool
	Text     string // the question, for the page
	Compares string // the columns, or other parts of the output, that answer it
	Setup    string
	Workload string
	Witness  string
	Cleanup  string
	Rivals   []Rival
}

// Rival is one of the tools that are compared.
type Rival struct {
	Who     string // fst, bpftrace, bcc
	Command string
	Value   string // sh script that prints what the tool reported
	Why     string // the reason, if it is wrong somewhere
}

// whose are the rivals that there can be, in the page's order.
var whose = []string{"fst", "bpftrace", "bcc"}

func parseCase(name, text string) (c Case, err error) {
	c.Name = name
	var sections []conformance.Section
	if c.Text, sections, err = conformance.Sections(text); err != nil {
		return c, err
	}
	why := map[string]string{}
	for _, s := range sections {
		body := strings.Join(s.Body, "\n")
		switch who, command, _ := strings.Cut(s.Name, " "); {
		case s.Name == "compares":
			c.Compares = body
		case s.Name == "setup":
			c.Setup = body
		case s.Name == "workload":
			c.Workload = body
		case s.Name == "witness":
			c.Witness = body
		case s.Name == "cleanup":
			c.Cleanup = body
		case who == "why" && slices.Contains(whose, command):
			why[command] = body
		case slices.Contains(whose, who) && command != "":
			c.Rivals = append(c.Rivals, Rival{Who: who, Command: command, Value: body})
		default:
			return c, fmt.Errorf("no section is named %q; there are compares, setup, workload, witness, cleanup, WHO COMMAND and why WHO, with WHO one of %q", s.Name, whose)
		}
	}
	if c.Text == "" || c.Compares == "" || c.Workload == "" || c.Witness == "" || !slices.ContainsFunc(c.Rivals, func(r Rival) bool { return r.Who == "fst" }) {
		return c, fmt.Errorf("it must have a question, and the sections compares, workload, witness and fst ARGS")
	}
	for i, r := range c.Rivals {
		c.Rivals[i].Why = why[r.Who]
		delete(why, r.Who)
	}
	for who := range why {
		return c, fmt.Errorf("it says why %s is wrong, and has no section %s COMMAND", who, who)
	}
	slices.SortStableFunc(c.Rivals, func(a, b Rival) int { return cmp.Compare(slices.Index(whose, a.Who), slices.Index(whose, b.Who)) })
	return c, nil
}

// digest changes when what a result of the rival depends on changes.
func (c Case) digest(r Rival) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{c.Setup, c.Workload, c.Witness, r.Command, r.Value}, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// loadCases reads all case files of a directory, by name.
func loadCases(dir string) ([]Case, error) {
	files, err := fs.Glob(os.DirFS(dir), "*.txt")
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, file := range files {
		text, err := os.ReadFile(path.Join(dir, file))
		if err != nil {
			return nil, err
		}
		c, err := parseCase(strings.TrimSuffix(file, ".txt"), string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		cases = append(cases, c)
	}
	slices.SortFunc(cases, func(a, b Case) int { return cmp.Compare(a.Name, b.Name) })
	return cases, nil
}
