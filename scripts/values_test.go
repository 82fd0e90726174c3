package scripts

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestCheckValues(t *testing.T) {
	h := Header{Name: "x", Common: []string{"task", "disk", "top"}, Options: []Option{{Long: "min", Value: "US"}, {Long: "name", Value: "WORD"}, {Long: "signal", Value: "SIGNAL"}, {Long: "errno", Value: "ERRNO"}, {Long: "frequency", Value: "HZ"},
		{Long: "state", Value: "R|S|D"}, {Long: "part", Value: "NAME"}, {Long: "flag"}}}
	pid := strconv.Itoa(os.Getpid())
	for _, test := range []struct{ name, value, want, err string }{
		{"pid", pid, pid, ""},
		{"pid", "abc", "", `invalid value for --pid: "abc" (want the number of a process; -c takes names)`},
		{"pid", "0", "", "want the number of a process"},
		{"pid", "-1", "", "want the number of a process"},
		{"pid", "2147483647", "", "there is no process 2147483647"},
		{"tid", pid, pid, ""},
		{"tid", "2147483646", "", "there is no thread 2147483646"},
		{"comm", "fifteen-letters", "fifteen-letters", ""},
		{"comm", "sixteen--letters", "", "at most 15 characters"},
		{"comm", "sh -c true", "", `no thread is named "sh -c true"; to run a command`},
		{"comm", "No Program", "No Program", ""},
		{"uid", "0", "0", ""},
		{"uid", "root", "0", ""},
		{"uid", "nobody-at-all", "", `no user "nobody-at-all"`},
		{"cgroup", t.TempDir() + "/x", "", "there is no cgroup"},
		{"cgroup", t.TempDir(), "", "is not a cgroup of version 2"},
		{"disk", "nosuch", "", `there is no disk "nosuch"`},
		{"top", "0", "0", ""},
		{"top", "-1", "", `"-1" (want a number)`},
		{"top", "", "", `"" (want a number)`},
		{"comm", "", "", `invalid value for --comm: "" (want the name of a thread`},
		{"disk", "", "", `--disk: there is no disk ""`},
		{"signal", "9", "9", ""},
		{"signal", "0", "0", ""},
		{"signal", "SIGKILL", "9", ""},
		{"signal", "term", "15", ""},
		{"signal", "-1", "", `invalid value for --signal: "-1" (want a number from 0 to 64`},
		{"signal", "65", "", "a number from 0 to 64"},
		{"signal", "", "", "a name such as SIGTERM"},
		{"errno", "ENOENT", "2", ""},
		{"errno", "eagain", "11", ""},
		{"errno", "110", "110", ""},
		{"errno", "0", "", `"0" (want a number from 1 on`},
		{"errno", "EFOO", "", `"EFOO" (want`},
		{"errno", "", "", "a name such as ENOENT"},
		{"frequency", "99", "99", ""},
		{"frequency", "0", "", "of at least 1"},
		{"frequency", "many", "", `"many" (want a number of samples a second)`},
		{"state", "D", "D", ""},
		{"state", "d", "D", ""},
		{"state", "X", "", `invalid value for --state: "X" (want R, S, D)`},
		{"state", "", "", "want R, S, D"},
		{"part", "sql", "sql", ""},
		{"part", "", "", "not empty"},
		{"min", "1_000", "1_000", ""},
		{"min", "5ms", "", `invalid value for --min: "5ms" (want a number of microseconds)`},
		{"name", "5ms", "5ms", ""},
		{"flag", "true", "true", ""},
	} {
		named := map[string]string{test.name: test.value}
		err := h.CheckValues(named)
		switch {
		case test.err == "" && (err != nil || named[test.name] != test.want):
			t.Errorf("%s=%s: %q %v", test.name, test.value, named[test.name], err)
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%s=%s: error %v, want %q", test.name, test.value, err, test.err)
		}
	}
}

// TestEveryValueIsChecked makes sure that no option takes a value which nothing
// looks at: what the help calls it says what it must be.
func TestEveryValueIsChecked(t *testing.T) {
	byCompiler := map[string]bool{"COLUMN": true}
	for _, name := range Names() {
		text, _ := Source(name)
		h, _ := ParseHeader(text)
		for _, o := range append(h.groups(), h.Options...) {
			if o.Value != "" && valueCheck(o.Value) == nil && !byCompiler[o.Value] {
				t.Errorf("%s: nothing checks the %s of --%s", name, o.Value, o.Long)
			}
		}
	}
}
