package cli

import (
	goflag "flag"
	"fst/compiler/reference"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = goflag.Bool("update", false, "write the generated part of docs/language.md")

// generatedMark stands before the part of the page that fst doc --markdown
// writes.
const generatedMark = "<!-- From here on: fst doc --markdown (go test ./cmd/fst/cli -update writes it) -->\n"

// TestLanguagePage makes sure that the page of the language has the names that
// the checker knows.
func TestLanguagePage(t *testing.T) {
	const page = "../../../docs/language.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	prose, have, ok := strings.Cut(string(text), generatedMark)
	if !ok {
		t.Fatalf("%s has no line %q", page, generatedMark)
	}
	code, want, stderr := run("doc", "--markdown")
	if code != 0 || !strings.Contains(want, "printf(") {
		t.Fatalf("code %d, %s", code, stderr)
	}
	if have == want {
		return
	}
	if !*update {
		t.Fatalf("%s is not what fst doc --markdown writes: go test ./cmd/fst/cli -update", page)
	}
	if err := os.WriteFile(page, []byte(prose+generatedMark+want), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestDoc looks at names of all kinds.
func TestDoc(t *testing.T) {
	for name, want := range map[string]string{
		"hist": "hist(n", "arg3": "argN", "kprobe": "kprobe:FUNCTION", "k": "kprobe:FUNCTION", "max_strlen": "max_strlen = NUMBER",
		"probes": "tracepoint:CATEGORY:EVENT", "settings": "max_map_keys", "aggregations": "count()", "signal": "needs --unsafe",
		"override": "in: kprobe", "fn": "fn NAME(", "else": "else if", "false": "true or false", "keywords": "comptime CONSTANT",
		"config": "config = {", "probe": "probe KIND:NAME(", "BEGIN": "begin\n", "kfunc": "fentry:FUNCTION", "typeof": "typeof(VALUE)", "uint8": "unsigned (uint8",
		"$3": "$1, $2", "map_keys_max": "max_map_keys = ", "BPFTRACE_MAX_STRLEN": "max_strlen = ", "mine": "mine(task)", "sarg3": "argument N on the stack",
		"__builtin_cpu": "the same as NAME", "remote_port": "their ports", "macros": "tcp_state(n)",
		"operators": "subtract", "variables": "first assignment", "maps": "has_key(@m, k)` is true", "@": "has_key(@m, k)` is true", "$": "first assignment",
		"statements": "leave the loop", "types": "no floating-point", "filters": "between two slashes", "parameters": "getopt", "programs": "list of clauses",
		"functions": "macro kilobytes", "precedence": "lowest precedence", "Tables": "row(",
	} {
		if code, out, stderr := run("doc", name); code != 0 || !strings.Contains(out, want) {
			t.Errorf("fst doc %s: code %d\n%s%s", name, code, out, stderr)
		}
	}
	for name, want := range map[string]string{"hsit": "did you mean hist?", "operatrs": "did you mean operators?", "execname": "write comm"} {
		if code, _, stderr := run("doc", name); code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("fst doc %s: code %d\n%s", name, code, stderr)
		}
	}
}

// TestDocOfBoth looks at words that mean one thing between clauses and another
// within them.
func TestDocOfBoth(t *testing.T) {
	for name, want := range map[string]string{"config": "the settings in force", "probe": "probetype"} {
		if _, out, _ := run("doc", name); !strings.Contains(out, want) {
			t.Errorf("fst doc %s lacks %q:\n%s", name, want, out)
		}
	}
}

// TestExamplesOfKeywords compiles the scripts that show what a keyword is for.
func TestExamplesOfKeywords(t *testing.T) {
	dir := t.TempDir()
	library := filepath.Join(dir, "slow.fst")
	if err := os.WriteFile(library, []byte("probe slow:read(took: uint64);\nsyscall:read { fire slow:read(took = took); }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, w := range reference.Keywords() {
		script := filepath.Join(dir, w.Name+".fst")
		if err := os.WriteFile(script, []byte(w.Example), 0o666); err != nil {
			t.Fatal(err)
		}
		args := []string{"check", "--kernel", "../../../compiler/target/fixture/testdata/6.1.zip", script}
		if w.Name == "struct" {
			args = []string{"fmt", script} // a recorded kernel has no programs to probe
		}
		if code, out, stderr := run(args...); code != 0 || strings.Contains(stderr, "WARNING") {
			t.Errorf("%s: code %d\n%s%s", w.Name, code, out, stderr)
		}
	}
}

func TestDocOfWords(t *testing.T) {
	for name, want := range map[string]string{
		"io:done": "io:done\n", "biolatency": "biolatency: ", "check": "fst check ", "syscall:openat": "syscall:NAME\n",
		"max_strlen": "max_strlen = ", "nothing": "", "@reads": "## Maps\n", "$start": "## Variables\n", "$1": "$1, $2",
		"prometheus": "## Prometheus\n", "rights": "## Rights\n", "json": "## Output for programs\n", "reliability": "# Reliability\n", "max-overhead": "  --max-overhead",
	} {
		code, out, _ := run("doc", name)
		if !strings.HasPrefix(out, want) || (code == 0) != (want != "") {
			t.Errorf("doc %s: code %d, %q", name, code, out)
		}
	}
}

// TestHelpOfBoth looks at words that are a command or a tool, and a name of the language.
func TestHelpOfBoth(t *testing.T) {
	for _, name := range []string{"top", "profile"} {
		if code, out, _ := run("help", name); code != 0 || !strings.Contains(out, "fst doc "+name+"\n") {
			t.Errorf("fst help %s: code %d\n%s", name, code, out)
		}
	}
	if code, out, _ := run("help", "lost", "events"); code != 0 || !strings.HasPrefix(out, "## Lost events\n") {
		t.Errorf("fst help lost events: code %d\n%s", code, out)
	}
}
