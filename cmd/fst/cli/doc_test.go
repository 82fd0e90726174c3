package cli

import (
	goflag "flag"
	"os"
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
		"override": "in: kprobe",
	} {
		if code, out, stderr := run("doc", name); code != 0 || !strings.Contains(out, want) {
			t.Errorf("fst doc %s: code %d\n%s%s", name, code, out, stderr)
		}
	}
	for name, want := range map[string]string{"hsit": "did you mean hist?", "execname": "write comm"} {
		if code, _, stderr := run("doc", name); code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("fst doc %s: code %d\n%s", name, code, stderr)
		}
	}
}

func TestDocOfWords(t *testing.T) {
	for name, want := range map[string]string{
		"io:done": "io:done\n", "biolatency": "biolatency: ", "check": "fst check ", "syscall:openat": "syscall:NAME\n",
		"max_strlen": "max_strlen = ", "@nothing": "",
	} {
		code, out, _ := run("doc", name)
		if !strings.HasPrefix(out, want) || (code == 0) != (want != "") {
			t.Errorf("doc %s: code %d, %q", name, code, out)
		}
	}
}
