package scripts

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestHeaders makes sure that no tool lacks a part of its header and that the
// options it declares are the ones it reads.
func TestHeaders(t *testing.T) {
	getopt := regexp.MustCompile(`getopt\("([^"]+)"`)
	for _, name := range Names() {
		text, _ := Source(name)
		h, ok := ParseHeader(text)
		if !ok {
			t.Errorf("%s: no Usage line", name)
		}
		if h.Name != name || !strings.HasSuffix(h.Question, "?") {
			t.Errorf("%s: the first line must be \"%s: question?\", got %q: %q", name, name, h.Name, h.Question)
		}
		if !slices.Contains(Topics, h.Topic) {
			t.Errorf("%s: its topic is %q, not one of %q", name, h.Topic, Topics)
		}
		if !strings.HasPrefix(h.Usage, name) || len(h.Examples) == 0 || h.Reading == "" || h.Misses == "" || h.Cost == "" {
			t.Errorf("%s: header not complete: %+v", name, h)
		}
		for _, e := range h.Examples {
			if !strings.HasPrefix(e, "fst "+name) {
				t.Errorf("%s: example %q does not run it", name, e)
			}
		}
		declared, used := map[string]bool{}, map[string]bool{}
		for _, o := range h.Options {
			if o.Long == "" || o.Help == "" || len(o.Short) > 1 {
				t.Errorf("%s: option %+v not complete", name, o)
			}
			declared[o.Long] = true
		}
		for _, m := range getopt.FindAllStringSubmatch(text, -1) {
			used[m[1]] = true
		}
		for _, o := range h.groups() {
			delete(used, o.Long)
		}
		if !maps.Equal(declared, used) {
			t.Errorf("%s: declares %v, reads %v", name, slices.Sorted(maps.Keys(declared)), slices.Sorted(maps.Keys(used)))
		}
		if want := commonOf(text); !slices.Equal(want, slices.Sorted(slices.Values(h.Common))) {
			t.Errorf("%s: its Common line names %v, and it uses %v", name, h.Common, want)
		}
		if hasReport := regexp.MustCompile(`(?m)^report\b`).MatchString(text); hasReport != strings.Contains(h.Usage, "[interval [count]]") {
			t.Errorf("%s: a report clause and [interval [count]] in the usage belong together: %s", name, h.Usage)
		}
		code := regexp.MustCompile(`(?m)^//.*$`).ReplaceAllString(text, "")
		if strings.Contains(code, "@") && !regexp.MustCompile(`(?m)^report\b|print_maps_on_exit`).MatchString(code) {
			t.Errorf("%s: what its maps hold at the end would be printed: give it a report, or print_maps_on_exit = false", name)
		}
		for _, other := range h.Instead {
			if _, ok := Source(other); !ok {
				t.Errorf("%s: there is no tool %s to use instead", name, other)
			}
		}
	}
}

// TestColumns makes sure that every heading of a table is explained: by the tool, or with those that all tools share.
func TestColumns(t *testing.T) {
	table := regexp.MustCompile(`\b(?:row|table)\("([^"]*)"`)
	heading := regexp.MustCompile(`(\b[A-Z][A-Z0-9_-]*)\b\S* %(-?\.?[0-9.]*)[a-zA-Z]`)
	shared := map[string]bool{}
	for _, c := range Columns {
		for _, name := range words(c.Name) {
			shared[name] = true
		}
	}
	n := 0
	for _, name := range Names() {
		text, _ := Source(name)
		for _, m := range table.FindAllStringSubmatch(text, -1) {
			for _, column := range heading.FindAllStringSubmatch(m[1], -1) {
				n++
				if column[2] == ".0" || shared[column[1]] || regexp.MustCompile(`\b`+column[1]+`\b`).MatchString(headerOf(name).Reading) {
					continue // not shown, or explained
				}
				t.Errorf("%s: nothing says what its column %s means", name, column[1])
			}
		}
	}
	if n < 300 {
		t.Errorf("only %d columns: they are not read as they are written", n)
	}
}

// commonOf lists the groups of options that the macros and functions of a
// script read.
func commonOf(text string) []string {
	var groups []string
	for group, uses := range map[string]string{
		"task": `\bmine\(`, "time": `\brow\(|(?m)^report\b`, "unit": `\bunit\(|%-?[0-9]*T\b`, "disk": `\bon_disk\(`, "heat": `\bhistogram\(`, "top": `\btable\(`, "stack": `\bstacks\(\)`,
		"where": `\bwhere\(\)`, "rate": `getopt\("frequency"`,
	} {
		if regexp.MustCompile(uses).MatchString(text) {
			groups = append(groups, group)
		}
	}
	slices.Sort(groups)
	return groups
}

// TestStarts makes sure that what newcomers are told to type can be typed.
func TestStarts(t *testing.T) {
	for _, s := range Starts {
		for _, command := range strings.Split(s.Commands, "; ") {
			words := strings.Fields(strings.ReplaceAll(command, "PID", "1234"))
			if words[0] == "graph" {
				continue // not a script
			}
			text, ok := Source(words[0])
			h, _ := ParseHeader(text)
			if _, _, _, err := h.Args(words[1:], nil); !ok || err != nil {
				t.Errorf("%s: %v", command, err)
			}
		}
	}
}

func TestArgs(t *testing.T) {
	h := Header{Name: "x", Common: []string{"task", "time", "unit"}, Options: []Option{{Short: "D", Long: "disk"}, {Short: "p", Long: "pid", Value: "PID"}}}
	common := []Option{{Short: "h", Long: "help"}, {Short: "d", Long: "duration", Value: "SEC"}}
	for _, test := range []struct {
		words         string
		params        []string
		named, shared map[string]string
		err           string
	}{
		{"", nil, nil, nil, ""},
		{"-D 5 10", []string{"5", "10"}, map[string]string{"disk": "true"}, nil, ""},
		{"1 -Dp7", []string{"1"}, map[string]string{"disk": "true", "pid": "7"}, nil, ""},
		{"--pid=7 --disk", nil, map[string]string{"disk": "true", "pid": "7"}, nil, ""},
		{"--pid 7 -d 3", nil, map[string]string{"pid": "7"}, map[string]string{"duration": "3"}, ""},
		{"-T -c cat", nil, map[string]string{"time": "true", "comm": "cat"}, nil, ""},
		{"-5 -h", []string{"-5"}, nil, map[string]string{"help": "true"}, ""},
		{"-- -D", []string{"-D"}, nil, nil, ""},
		{"-p", nil, nil, nil, "needs a value"},
		{"-Z", nil, nil, nil, "no option -Z"},
		{"--zoo", nil, nil, nil, "no option --zoo"},
		{"-m --ms", nil, map[string]string{"ms": "true"}, nil, ""},
		{"--us=false -m", nil, map[string]string{"us": "false", "ms": "true"}, nil, ""},
		{"-Tmu", nil, nil, nil, "--ms and --us cannot be used together"},
	} {
		params, named, shared, err := h.Args(strings.Fields(test.words), common)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%q: error %v, want %q", test.words, err, test.err)
			}
			continue
		}
		given := map[string]string{}
		for _, g := range shared {
			given[g.Long] = g.Value
		}
		if err != nil || !slices.Equal(params, test.params) || !sameMap(named, test.named) || !sameMap(given, test.shared) {
			t.Errorf("%q: %v %v %v %v", test.words, params, named, shared, err)
		}
	}
}

func TestParams(t *testing.T) {
	for _, test := range []struct{ usage, words, err string }{
		{"x [-p PID] [interval [count]]", "1 10", ""},
		{"x [-p PID] [interval [count]]", "1 10 3", "unexpected argument \"3\""},
		{"x [-p PID] [interval [count]]", "5s", "invalid interval: \"5s\" (want a number of seconds from 1 on, without a unit)"},
		{"x [-p PID] [interval [count]]", "1 0", "invalid count: \"0\" (want a number from 1 on)"},
		{"x [-p PID]", "7", "unexpected argument"},
		{"x [-D] FUNCTION", "vfs_read write", "unexpected argument \"write\""},
		{"x [-D] FUNCTION [WORD...]", "a b c", ""},
		{"x [-p PID] FUNCTION", "vfs_read", ""},
		{"x [-p PID] FUNCTION", "", "x needs FUNCTION"},
		{"x FUNCTION [WORD...]", "", "x needs FUNCTION"},
		{"x FUNCTION [interval [count]]", "vfs_read 1 10", ""},
		{"x FROM TO", "'' b", "x needs FROM and TO"},
		{"", "a b c", ""},
	} {
		h := Header{Name: "x", Usage: test.usage}
		words := strings.Fields(test.words)
		for i, w := range words {
			words[i] = strings.Trim(w, "'")
		}
		params, _, _, err := h.Args(words, nil)
		if err == nil {
			err = h.CheckParams(params)
		}
		if (test.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%q: %q: error %v, want %q", test.usage, test.words, err, test.err)
		}
	}
}

var update = flag.Bool("update", false, "write docs/tools")

// TestDocs makes sure that docs/tools is what the headers say, and that each
// tool has an example of what it printed.
func TestDocs(t *testing.T) {
	const dir, oneLiners = "../docs/tools", "../docs/one-liners.md"
	want := map[string]string{"README.md": docIndex()}
	for _, name := range Names() {
		want[name+".md"] = doc(name)
		example, ok := Example(name)
		if !ok || !strings.HasPrefix(example, "# fst "+name) || strings.Count(example, "\n") < 3 {
			t.Errorf("%s: scripts/examples/%s.txt must begin with \"# fst %s\" and show what it printed", name, name, name)
		}
		for line := range strings.Lines(example) {
			if len(line) > 160 {
				t.Errorf("%s: a line of its example is longer than 160 bytes", name)
			}
		}
	}
	if *update {
		os.RemoveAll(dir)
		os.MkdirAll(dir, 0o777)
		if err := os.WriteFile(oneLiners, []byte(docOneLiners()), 0o666); err != nil {
			t.Fatal(err)
		}
		for name, text := range want {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	for name, text := range want {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != text {
			t.Errorf("%s is not what the headers say: run go test ./scripts -update", filepath.Join(dir, name))
		}
	}
	if b, err := os.ReadFile(oneLiners); err != nil || string(b) != docOneLiners() {
		t.Errorf("%s is not what scripts/oneliners.txt says: run go test ./scripts -update", oneLiners)
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if _, ok := want[e.Name()]; !ok {
			t.Errorf("%s belongs to no tool", filepath.Join(dir, e.Name()))
		}
	}
}

// TestOracles makes sure that each tool is compared with a witness.
func TestOracles(t *testing.T) {
	cases, err := filepath.Glob("../tests/tools/*.txt")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	tested := map[string]bool{}
	for _, c := range cases {
		b, err := os.ReadFile(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, args, ok := strings.Cut(string(b), "-- args --\n"); ok {
			tool, _, _ := strings.Cut(args, "\n")
			tested[tool] = true
		}
	}
	for _, name := range Names() {
		if !tested[name] {
			t.Errorf("no case in tests/tools runs %s", name)
		}
	}
}

func sameMap(a, b map[string]string) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}
