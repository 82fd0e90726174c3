package conformance

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCases checks that all case files can be read.
func TestCases(t *testing.T) {
	cases, err := Load(".", "../tools")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 100 {
		t.Errorf("only %d cases", len(cases))
	}
	for _, c := range cases {
		if !c.HasStdout && c.Check == "" && len(c.Stderr) == 0 && len(c.Expect) == 0 {
			t.Errorf("%s checks nothing", c.Name)
		}
	}
}

func TestMatchOutput(t *testing.T) {
	for _, test := range []struct {
		want, got string
		match     bool
	}{
		{"a\nb", "a\nb\n", true},
		{"a\nb", "a\nb", false},
		{"a\n\\ no newline at end", "a", true},
		{"a\nre:b+", "a\nbbb\n", true},
		{"a\nre:b", "a\nbb\n", false},
		{"...\nb\n...", "a\na\nb\nc\n", true},
		{"...\nb", "b\nc\n", false},
		{"a\n\n", "a\n\n\n", true},
	} {
		if got := matchOutput(strings.Split(test.want, "\n"), test.got) == ""; got != test.match {
			t.Errorf("%q against %q: %v", test.want, test.got, got)
		}
	}
}

// stub behaves like fst as far as the runner can see.
const stub = `#!/bin/sh
echo "Attached 1 probe" >&2
[ "$__BPFTRACE_NOTIFY_PROBES_ATTACHED" ] && echo __BPFTRACE_NOTIFY_PROBES_ATTACHED
case $2 in
wait) trap 'echo interrupted; cat "$3"; exit 0' INT; while :; do sleep 0.05; done ;;
hang) trap '' INT; while :; do sleep 0.05; done ;;
*) echo "prog $2"; exit 3 ;;
esac
`

func TestRunner(t *testing.T) {
	fst := filepath.Join(t.TempDir(), "fst")
	if err := os.WriteFile(fst, []byte(stub), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, text string
		want       Status
		reason     string
	}{
		{"exact", "-- prog --\nx $DIR\n-- stdout --\nre:prog x /.*\n-- exit --\n3\n-- stderr --\nAttached\n!panic\n", Passed, ""},
		{"wrong text", "-- prog --\nx\n-- stdout --\nprog y\n-- exit --\n3\n", Failed, "stdout differs at line 1"},
		{"wrong status", "-- prog --\nx\n", Failed, "exit status 3, expected 0"},
		{"workload", "-- prog --\nwait\n-- args --\n$DIR/f\n-- workload --\necho $PID >f\n" +
			"-- stdout --\ninterrupted\nre:[0-9]+\n-- check --\ngrep -qx $PID $OUT\n", Passed, ""},
		{"check", "-- prog --\nx\n-- exit --\n3\n-- check --\necho because; false\n", Failed, "because"},
		{"time limit", "-- prog --\nhang\n-- options --\ntimeout 1\n-- workload --\n:\n", Failed, "time limit"},
		{"skip", "-- prog --\nx\n-- needs --\nfile:/no/such/file\n", Skipped, "needs file:/no/such/file"},
		{"setup", "-- prog --\nx\n-- setup --\necho broken; exit 1\n", Failed, "broken"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, err := Parse(test.name, test.text)
			if err != nil {
				t.Fatal(err)
			}
			r := &Runner{FST: fst, Machine: &Machine{Release: "6.1.0"}, Timeout: 10 * time.Second}
			got := r.Run(context.Background(), c)
			if got.Status != test.want || !strings.Contains(got.Reason, test.reason) {
				t.Errorf("%s: %s", got.Status, got.Reason)
			}
		})
	}
}

func TestNeeds(t *testing.T) {
	m := &Machine{Release: "5.10.0-32-cloud-amd64"}
	if reason, _ := m.Missing([]string{"kernel>=5.8", "kernel<5.11"}); reason != "" {
		t.Error(reason)
	}
	if reason, fatal := m.Missing([]string{"kernel>=6.1"}); reason == "" || fatal {
		t.Error("6.1 is not there, and that is no failure:", reason, fatal)
	}
	m.Matrix = "6.12"
	if _, fatal := m.Missing([]string{"program:no-such-program"}); !fatal {
		t.Error("a kernel of the matrix was promised its programs")
	}
}

// TestSecondRun checks that a failed case is judged by a second run, but not
// when more fail than accidents explain.
func TestSecondRun(t *testing.T) {
	fst := filepath.Join(t.TempDir(), "fst")
	if err := os.WriteFile(fst, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	once := func(name string) *Case { // fails when it is run the first time
		mark := filepath.Join(t.TempDir(), "mark")
		return &Case{Name: name, Check: "[ -e " + mark + " ] || { touch " + mark + "; exit 1; }"}
	}
	bad := func(name string) *Case { return &Case{Name: name, Check: "exit 1"} }
	for _, test := range []struct {
		name  string
		cases []*Case
		want  string
	}{
		{"passes then", []*Case{once("a"), {Name: "b", Check: "true"}}, "a again; b pass; a pass"},
		{"fails twice", []*Case{bad("a")}, "a again; a fail"},
		{"too many", []*Case{once("a"), bad("b"), bad("c"), bad("d")}, "a again; b again; c again; d again; a fail; b fail; c fail; d fail"},
	} {
		var got []string
		runner := &Runner{FST: fst, Machine: ThisMachine(), Timeout: 20 * time.Second, Report: func(r Result) {
			if r.Status == Started {
				return
			}
			got = append(got, r.Name+" "+string(r.Status))
			if r.Status == Passed && (len(r.Earlier) == 1) != (r.Name == "a") {
				t.Errorf("%s: %s passed after %q", test.name, r.Name, r.Earlier)
			}
		}}
		runner.RunAll(context.Background(), test.cases)
		if got := strings.Join(got, "; "); got != test.want {
			t.Errorf("%s: %s, expected %s", test.name, got, test.want)
		}
	}
}
