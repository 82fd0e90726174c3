package errors_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// testCase is a wrong program and what is said about it.
type testCase struct {
	name    string
	head    string // the line that begins it
	program string
	log     string // of the verifier
	says    string

	kernel  string
	params  []string
	named   map[string]string
	flags   map[string]bool
	env     map[string]string
	unsafe  bool
	only    bool
	open    bool
	pid     int
	lacks   []string
	mode    string
	filter  *regexp.Regexp
	refused bool
	command bool
	// interpreted is for what the interpreter refuses.
	interpreted bool
}

// topic is a file of cases.
type topic struct {
	name    string
	comment string // what stands before the first case
	cases   []*testCase
}

var marker = regexp.MustCompile(`^-- (\S.*) --$`)

func parseTopic(name, text string) (*topic, error) {
	t := &topic{name: name}
	var c *testCase
	into := &t.comment
	for line := range strings.Lines(text) {
		m := marker.FindStringSubmatch(strings.TrimRight(line, "\n"))
		switch {
		case m == nil:
			*into += line
		case m[1] == "says" && c != nil:
			into = &c.says
		case m[1] == "log" && c != nil:
			into = &c.log
		default:
			c = &testCase{head: m[1], kernel: "6.12", named: map[string]string{}, env: map[string]string{}}
			if err := c.settings(); err != nil {
				return nil, fmt.Errorf("%s: %w", m[1], err)
			}
			if slices.ContainsFunc(t.cases, func(other *testCase) bool { return other.name == c.name }) {
				return nil, fmt.Errorf("two cases are called %s", c.name)
			}
			t.cases = append(t.cases, c)
			into = &c.program
		}
	}
	return t, nil
}

func (c *testCase) settings() (err error) {
	words := strings.Fields(c.head)
	c.name = words[0]
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "kernel":
			c.kernel = value
		case "params":
			c.params = strings.Split(value, ",")
		case "named":
			pairs(c.named, value)
		case "flag":
			c.named[value], c.flags = "true", map[string]bool{value: true}
		case "env":
			pairs(c.env, value)
		case "open":
			c.open = true
		case "unsafe":
			c.unsafe = true
		case "only":
			c.only = true
		case "pid":
			c.pid, err = strconv.Atoi(value)
		case "mode":
			c.mode = value
		case "filter":
			c.filter, err = regexp.Compile(value)
		case "lacks":
			c.lacks = strings.Split(value, ",")
		case "refused":
			c.refused = true
		case "command":
			c.command = true
		case "interpreted":
			c.interpreted = true
		default:
			err = fmt.Errorf("no setting is called %s", key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func pairs(m map[string]string, text string) {
	for _, p := range strings.Split(text, ",") {
		k, v, _ := strings.Cut(p, "=")
		m[k] = v
	}
}

func (t *topic) String() string {
	var b strings.Builder
	b.WriteString(t.comment)
	for _, c := range t.cases {
		fmt.Fprintf(&b, "-- %s --\n%s", c.head, c.program)
		if c.log != "" {
			fmt.Fprintf(&b, "-- log --\n%s", c.log)
		}
		fmt.Fprintf(&b, "-- says --\n%s", c.says)
	}
	return b.String()
}

// topics reads all files of cases.
func topics(t *testing.T) []*topic {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases:", err)
	}
	var all []*topic
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		topic, err := parseTopic(strings.TrimSuffix(filepath.Base(f), ".txt"), string(text))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		all = append(all, topic)
	}
	return all
}
