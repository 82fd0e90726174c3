// Package conformance runs fst on small programs and compares what it does
// with what a case file says it should. The same files run on the machine at
// hand and inside every virtual machine of the kernel matrix.
//
// A case is a text file; README.md describes its sections. The package starts
// fst as a process and must not import any other package of the project.
package conformance

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Case is one case file.
type Case struct {
	Name string // path without suffix, relative to the directory of the suite

	Prog    string // the program; run as fst -e PROG ARGS
	HasProg bool
	Args    []string // more arguments, one per line of the section
	Env     []string // NAME=VALUE
	Stdin   string
	Files   map[string]string // written to $DIR before anything runs

	Build    string // sh script that makes programs of Files, here or on another machine
	Setup    string // sh script before fst starts
	Workload string // sh script when all probes are attached
	Check    string // sh script after fst has ended
	Cleanup  string // sh script at the very end, whatever happened

	Expect []*Expectation // of what is printed, by what the workload counted

	Stdout    []string // expected lines, see matchLines
	HasStdout bool
	Stderr    []*Pattern
	Printed   []string // what a page of documentation shows, see ParsePage
	Exit      int

	Needs   []string
	Timeout time.Duration // 0 means the runner's default
	Serial  bool          // must not run beside other cases
	Spread  bool          // depends little on the kernel and takes long: see IsFor
	EndSelf bool          // no SIGINT after the workload

	// Open names the kernels on which the case is known to fail, with the
	// reason: "all", "here" (this machine's own), or a kernel of the matrix.
	// A failure there is counted as skipped, with the reason; it is work to do.
	Open map[string]string
}

// Pattern is a line of the stderr section.
type Pattern struct {
	*regexp.Regexp
	Absent bool // must not match
}

var marker = regexp.MustCompile(`^-- ([^ ].*) --$`)

// Section is a part of a case file: what stands behind a line "-- NAME --".
type Section struct {
	Name string
	Body []string
}

// Sections splits a case file into the text atop and its sections.
func Sections(text string) (comment string, list []Section, err error) {
	seen := map[string]bool{}
	var atop []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := marker.FindStringSubmatch(line); m != nil {
			if seen[m[1]] {
				return "", nil, fmt.Errorf("section %q comes twice", m[1])
			}
			seen[m[1]] = true
			list = append(list, Section{Name: m[1]})
		} else if len(list) == 0 {
			atop = append(atop, line)
		} else {
			last := &list[len(list)-1]
			last.Body = append(last.Body, line)
		}
	}
	return strings.TrimSpace(strings.Join(atop, "\n")), list, nil
}

// Parse reads a case file.
func Parse(name, text string) (*Case, error) {
	c := &Case{Name: name, Files: map[string]string{}}
	_, sections, err := Sections(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, s := range sections {
		if err := c.set(s.Name, s.Body); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if !c.HasProg && len(c.Args) == 0 {
		return nil, fmt.Errorf("%s: neither a prog nor an args section", name)
	}
	return c, nil
}

// set stores one section.
func (c *Case) set(section string, body []string) (err error) {
	text := strings.Join(body, "\n")
	switch section {
	case "prog":
		c.Prog, c.HasProg = strings.TrimSpace(text), true
	case "args":
		c.Args = words(body)
	case "env":
		c.Env = words(body)
	case "stdin":
		c.Stdin = text + "\n"
	case "build":
		c.Build = text
	case "setup":
		c.Setup = text
	case "workload":
		c.Workload = text
	case "check":
		c.Check = text
	case "cleanup":
		c.Cleanup = text
	case "stdout":
		c.Stdout, c.HasStdout = body, true
		for _, line := range body {
			if pattern, ok := strings.CutPrefix(line, "re:"); ok {
				if _, err := regexp.Compile(pattern); err != nil {
					return err
				}
			}
		}
	case "stderr":
		for _, line := range words(body) {
			pattern, absent := strings.CutPrefix(line, "!")
			re, err := regexp.Compile(pattern)
			if err != nil {
				return err
			}
			c.Stderr = append(c.Stderr, &Pattern{re, absent})
		}
	case "expect":
		for _, line := range words(body) {
			x, err := parseExpectation(line)
			if err != nil {
				return err
			}
			c.Expect = append(c.Expect, x)
		}
	case "exit":
		c.Exit, err = strconv.Atoi(strings.TrimSpace(text))
	case "needs":
		for _, line := range body {
			for _, need := range strings.Fields(line) {
				if err := checkNeed(need); err != nil {
					return err
				}
				c.Needs = append(c.Needs, need)
			}
		}
	case "open":
		c.Open = map[string]string{}
		for _, line := range words(body) {
			where, reason, ok := strings.Cut(line, ": ")
			if !ok {
				return fmt.Errorf("an open line is KERNEL: REASON, not %q", line)
			}
			for _, w := range strings.Fields(where) {
				c.Open[w] = reason
			}
		}
	case "options":
		return c.setOptions(words(body))
	default:
		file, ok := strings.CutPrefix(section, "file ")
		if !ok {
			return fmt.Errorf("no section is named %q", section)
		}
		c.Files[file] = text + "\n"
	}
	return err
}

func (c *Case) setOptions(lines []string) error {
	for _, line := range lines {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "timeout":
			seconds, err := strconv.Atoi(rest)
			if err != nil {
				return err
			}
			c.Timeout = time.Duration(seconds) * time.Second
		case line == "serial":
			c.Serial = true
		case line == "spread":
			c.Spread = true
		case line == "end self":
			c.EndSelf = true
		default:
			return fmt.Errorf("no option is named %q", line)
		}
	}
	return nil
}

// words drops empty lines and comments.
func words(body []string) []string {
	return slices.DeleteFunc(slices.Clone(body), func(line string) bool {
		return strings.TrimSpace(line) == "" || strings.HasPrefix(line, "# ")
	})
}

// Load reads all case files below the directories, and pages of documentation, sorted by name.
func Load(dirs ...string) ([]*Case, error) {
	var cases []*Case
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			ext := filepath.Ext(path)
			if err != nil || d.IsDir() || ext != ".txt" && ext != ".md" || filepath.Base(path) == "README.md" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if ext == ".md" {
				page, err := ParsePage(strings.TrimSuffix(filepath.Base(path), ext), string(text))
				cases = append(cases, page...)
				return err
			}
			name, err := filepath.Rel(filepath.Dir(filepath.Clean(dir)), path)
			if err != nil {
				return err
			}
			c, err := Parse(strings.TrimSuffix(name, ".txt"), string(text))
			if err == nil {
				cases = append(cases, c)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(cases, func(a, b *Case) int { return strings.Compare(a.Name, b.Name) })
	return cases, nil
}
