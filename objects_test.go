package fst

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"fst/compiler/target/fixture"
)

func recordedKernel(t *testing.T, name string) *Kernel {
	root, err := fixture.SourceTree()
	if err != nil {
		t.Fatal(err)
	}
	k, err := OpenRecorded(root + "/compiler/target/fixture/testdata/" + name + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestObjects: what is compiled for one kernel is read on another, with other options, or refused
// with the reason.
func TestObjects(t *testing.T) {
	old, later := recordedKernel(t, "6.12"), recordedKernel(t, "7.2")
	for _, c := range []struct {
		name, script string
		compile, run Options
		want         string // part of the error; empty if it can run
		options      bool   // the options are to blame
	}{
		{"fields", `begin { printf("%d %s", curtask->real_parent->tgid, comm); }`, Options{}, Options{}, "", false},
		{"numbers", `begin { printf("%d %d", getopt("n", 3), $1); }`, Options{Params: Params{Words: []string{"4"}}},
			Options{Params: Params{Words: []string{"9"}, Named: map[string]string{"n": "77"}}}, "", false},
		{"text", `begin { printf("%s", getopt("name", "a")); }`, Options{}, Options{Params: Params{Named: map[string]string{"name": "b"}}},
			`compiled with the value "a" of the option --name, not "b"`, true},
		{"unknown option", `begin { exit(); }`, Options{}, Options{Params: Params{Named: map[string]string{"x": "1"}}}, "compiled without the option --x", true},
		{"process", `syscall:openat`, Options{PID: 7}, Options{PID: 8, Kernel: old}, "", false},
		{"no process", `syscall:openat`, Options{}, Options{PID: 8, Kernel: old}, "of the process of -p", true},
		{"list", `tracepoint:writeback:writeback_start`, Options{}, Options{}, "x.fsto was compiled for Linux 6.12", false},
		{"names", `tracepoint:skb:kfree_skb { print(args.reason); }`, Options{}, Options{}, "the list of names of enum skb_drop_reason is not what it is here", false},
		{"system", `begin { system("id"); }`, Options{Unsafe: true}, Options{}, "acts on the system (system)", false},
		{"allowed", `begin { system("id"); }`, Options{Unsafe: true}, Options{Unsafe: true}, "", false},
		{"signal", `kprobe:vfs_read { signal(9); }`, Options{Unsafe: true}, Options{}, "acts on the system (signal)", false},
		{"times", `syscall:openat`, Options{Formats: []string{"text"}}, Options{Formats: []string{"influx"}}, "without the times", true},
	} {
		c.compile.Kernel, c.run.Name = old, "x.fsto"
		if c.run.Kernel == nil {
			c.run.Kernel = later
		}
		var file bytes.Buffer
		if _, err := WriteObject(&file, c.script, c.compile); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if text, err := ObjectScript(bytes.NewReader(file.Bytes())); text != c.script || err != nil {
			t.Errorf("%s: the script is %q, %v", c.name, text, err)
		}
		_, err := ReadObject(&file, c.run)
		var misfit *ObjectError
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		case errors.As(err, &misfit) && misfit.Options != c.options:
			t.Errorf("%s: %v: options are to blame: %v", c.name, err, misfit.Options)
		}
	}
}
