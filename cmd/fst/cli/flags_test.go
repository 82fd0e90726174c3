package cli

import (
	"reflect"
	"strings"
	"testing"

	"fst"
	"fst/scripts"
)

// words is a resolver with one subcommand, one tool and one script with a header.
type words struct{}

func (words) isCommand(w string) bool { return w == "tools" }
func (words) isTool(w string) bool    { return w == "lat" }
func (words) header(path string) (scripts.Header, bool) {
	h := scripts.Header{Name: path, Usage: path + " [interval]", Options: []scripts.Option{{Short: "D", Long: "disk"},
		{Short: "p", Long: "pid", Value: "PID"}}}
	return h, path == "lat" || path == "own.fst"
}

func (words) getopts(path string) map[string]bool {
	if path == "s.bt" {
		return map[string]bool{"ms": true, "all": false, "verbose": true}
	}
	return nil
}

func TestParseArgs(t *testing.T) {
	type m = map[string]string
	for _, test := range []struct {
		args []string
		want invocation
		err  string
	}{
		{args: nil},
		{args: []string{"-e", "BEGIN{}"}, want: invocation{program: "BEGIN{}", hasProgram: true}},
		{args: []string{"-eBEGIN{}"}, want: invocation{program: "BEGIN{}", hasProgram: true}},
		{args: []string{"-e", "a", "-e", "b"}, want: invocation{program: "b", hasProgram: true}},
		{args: []string{"-e", "a", "x", "-q", "y"}, want: invocation{program: "a", hasProgram: true, quiet: true, params: []string{"x", "y"}}},
		{args: []string{"s.bt", "-v", "abc"}, want: invocation{script: "s.bt", verbose: true, params: []string{"abc"}}},
		{args: []string{"s.bt", "x", "--", "-v", "--n=3", "--flag"},
			want: invocation{script: "s.bt", params: []string{"x", "-v"}, named: m{"n": "3", "flag": "true"}, flags: map[string]bool{"flag": true}}},
		{args: []string{"s.bt", "--ms", "3", "--all", "x"},
			want: invocation{script: "s.bt", params: []string{"x"}, named: m{"ms": "3", "all": "true"}, flags: map[string]bool{"all": true}}},
		{args: []string{"s.bt", "--ms=3", "--verbose"}, want: invocation{script: "s.bt", verbose: true, named: m{"ms": "3"}}},
		{args: []string{"s.bt", "--ms"}, err: "option --ms needs a value: --ms=VALUE"},
		{args: []string{"-e", `begin { print(getopt("ms", 1)); }`, "--ms", "3"},
			want: invocation{program: `begin { print(getopt("ms", 1)); }`, hasProgram: true, named: m{"ms": "3"}}},
		{args: []string{"-e", "syscall:read { @ = count(); } report { print(@); }", "--interval", "1", "x"},
			want: invocation{program: "syscall:read { @ = count(); } report { print(@); }", hasProgram: true, named: m{"interval": "1"}, params: []string{"x"}}},
		{args: []string{"-e", "begin { print($1); }", "-c", "sleep", "1"},
			want: invocation{program: "begin { print($1); }", hasProgram: true, child: "sleep", hasChild: true, params: []string{"1"}}},
		{args: []string{"--format", "json", "-o=-q", "s.bt"}, want: invocation{script: "s.bt", format: "json", output: "=-q"}},
		{args: []string{"--output=-q", "s.bt"}, want: invocation{script: "s.bt", output: "-q"}},
		{args: []string{"--ms", "3", "s.bt"}, err: "unknown option --ms"},
		{args: []string{"--", "s.bt", "-1"}, want: invocation{script: "s.bt", params: []string{"-1"}}},
		{args: []string{"s.bt", "--", "--help"}, want: invocation{script: "s.bt", named: m{"help": "true"}, flags: map[string]bool{"help": true}, scriptHelp: true}},
		{args: []string{"-"}, want: invocation{script: "-"}},
		{args: []string{"-c", "sleep 1", "-e", "a"}, want: invocation{program: "a", hasProgram: true, child: "sleep 1", hasChild: true}},
		{args: []string{"-p", "12", "s.bt"}, want: invocation{script: "s.bt", pid: 12}},
		{args: []string{"-p", "x", "s.bt"}, err: "process ID"},
		{args: []string{"-lv", "t:*"}, want: invocation{list: true, verbose: true, params: []string{"t:*"}}},
		{args: []string{"-l", "-e", "a"}, want: invocation{list: true, program: "a", hasProgram: true}},
		{args: []string{"-l"}, want: invocation{list: true}},
		{args: []string{"-fjson", "-B", "none", "-o", "out", "s.bt"},
			want: invocation{script: "s.bt", format: "json", buffering: "none", output: "out"}},
		{args: []string{"-f", "yaml"}, err: "invalid value for -f: \"yaml\" (want " + strings.Join(fst.Formats(), ", ") + ")"},
		{args: []string{"-B", "some"}, err: "invalid value for -B: \"some\" (want line, full, none)"},
		{args: []string{"-d", "ir", "-e", "a"}, want: invocation{program: "a", hasProgram: true, stage: "ir"}},
		{args: []string{"--unsafe", "--dry-run", "--no-warnings", "-k", "-b", "--btf", "-I", "dir", "--include=x.h", "s.bt"},
			want: invocation{script: "s.bt", unsafe: true, dryRun: true, noWarnings: true, includeDirs: []string{"dir"}, headers: []string{"x.h"}}},
		{args: []string{"--emit-elf", "x"}, err: "no LLVM"},
		{args: []string{"--unsafe=1"}, err: "takes no value"},
		{args: []string{"--unsa", "--out=x", "s.bt"}, want: invocation{script: "s.bt", unsafe: true, output: "x"}},
		{args: []string{"--no"}, err: "unknown option --no"},
		{args: []string{"--=x"}, err: "unknown option --"},
		{args: []string{"--zoo"}, err: "unknown option --zoo"},
		{args: []string{"-Z"}, err: "option -Z"},
		{args: []string{"-e"}, err: "needs a value"},
		{args: []string{"-e", "a", "--duration", "0.5"}, want: invocation{program: "a", hasProgram: true, duration: 0.5}},
		{args: []string{"-e", "a", "--duration", "1m30s"}, want: invocation{program: "a", hasProgram: true, duration: 90}},
		{args: []string{"-e", "a", "--duration", "2min"}, want: invocation{program: "a", hasProgram: true, duration: 120}},
		{args: []string{"-e", "a", "--duration", "5sin"}, err: "number of seconds"},
		{args: []string{"-e", "a", "-d", "5"}, err: "to stop after that time, use --duration 5"},
		{args: []string{"-V"}, want: invocation{version: true}},
		{args: []string{"tools", "-x"}, want: invocation{command: "tools", words: []string{"-x"}}},
		{args: []string{"-q", "lat", "-D", "5", "-d", "2.5"},
			want: invocation{tool: "lat", ownsWords: true, quiet: true, named: m{"disk": "true", "interval": "5"}, duration: 2.5}},
		{args: []string{"lat", "-p", "7", "-j"}, want: invocation{tool: "lat", ownsWords: true, named: m{"pid": "7"}, format: "json"}},
		{args: []string{"lat", "-f", "json"}, want: invocation{tool: "lat", ownsWords: true, format: "json"}},
		{args: []string{"lat", "-h"}, want: invocation{tool: "lat", ownsWords: true, scriptHelp: true}},
		{args: []string{"lat", "-d", "x"}, err: "number of seconds"},
		{args: []string{"lat", "-d", "soon"}, err: "invalid value for -d: \"soon\""},
		{args: []string{"lat", "--duration=soon"}, err: "invalid value for --duration: \"soon\""},
		{args: []string{"lat", "-Z"}, err: "option -Z"},
		{args: []string{"-unsafe", "a.fst"}, err: "did you mean --unsafe?"},
		{args: []string{"-q", "tools", "-x"}, want: invocation{quiet: true, command: "tools", words: []string{"-x"}, before: []string{"-q"}}},
		{args: []string{"own.fst", "-D", "1"}, want: invocation{script: "own.fst", ownsWords: true, named: m{"disk": "true", "interval": "1"}}},
		{args: []string{"-e", "a", "lat", "tools"}, want: invocation{program: "a", hasProgram: true, params: []string{"lat", "tools"}}},
	} {
		name := strings.Join(test.args, " ")
		got, err := parseArgs(test.args, words{})
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: error %v, want %q", name, err, test.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if test.want.format == "" {
			test.want.format = "text"
		}
		if test.want.buffering == "" {
			test.want.buffering = "line"
		}
		if len(got.params) == 0 {
			got.params = nil
		}
		if len(got.named) == 0 {
			got.named = nil
		}
		if !reflect.DeepEqual(*got, test.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, *got, test.want)
		}
	}
}

// TestOptionsTable makes sure that no option is there twice and each has a name.
func TestOptionsTable(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range options {
		if o.short == 0 && o.long == "" {
			t.Errorf("an option without a name: %+v", o)
		}
		for _, n := range []string{string(o.short), "--" + o.long} {
			if n != "\x00" && n != "--" && seen[n] {
				t.Errorf("option %s is there twice", n)
			}
			seen[n] = true
		}
	}
}
