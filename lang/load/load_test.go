package load

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/source"
)

// write makes files in a new directory and returns its path.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// program loads main.fst of a directory.
func program(t *testing.T, dir string, o Options) (*ast.Program, *diag.List, *source.Set) {
	t.Helper()
	path := filepath.Join(dir, "main.fst")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var set source.Set
	var diags diag.List
	return Program(&set, set.Add(path, string(text)), o, &diags), &diags, &set
}

func macros(p *ast.Program) (names []string) {
	for _, m := range p.Macros {
		names = append(names, m.Name)
	}
	return names
}

func TestImports(t *testing.T) {
	dir := write(t, map[string]string{
		"main.fst":      "import \"a.fst\";\nimport \"lib\";\nimport \"stdlib\";\nmacro own() { 1 }\nbegin { }\n",
		"a.fst":         "import \"b.fst\";\nmacro a() { b() }\n",
		"b.fst":         "import \"a.fst\";\nmacro b() { 2 }\n", // in a circle
		"lib/2.bt":      "macro second() { 2 }\n",
		"lib/1.fst":     "import \"../b.fst\";\nmacro first() { 1 }\n",
		"lib/notes.txt": "not a script",
	})
	p, diags, _ := program(t, dir, Options{})
	if diags.HasErrors() {
		t.Fatalf("%+v", diags.All)
	}
	// Each file once, what it imports before it, a directory's by name.
	if got, want := macros(p), []string{"b", "a", "first", "second", "own"}; !slices.Equal(got, want) {
		t.Errorf("macros %v, want %v", got, want)
	}
	if len(p.Clauses) != 1 {
		t.Errorf("%d clauses", len(p.Clauses))
	}
}

// TestOnly: a filter of all clauses that are on events, beside their own.
func TestOnly(t *testing.T) {
	const only = "pid > 1 && tid > 1"
	for text, want := range map[string]string{
		"kprobe:f { }":              only,
		"kprobe:f /1/ { }":          only + " && 1",
		"kprobe:f /1 && $x/ { }":    only + " && 1 && $x",
		"kprobe:f /1 || $x/ { }":    only + " && (1 || $x)",
		"interval:s:1, begin { }":   "",
		"end /1/ { }":               "1",
		"kprobe:f, interval:s:1 {}": "",
		// Whether a clause is there is decided before: where it is not, this kernel may lack its probe.
		"kprobe:f /comptime exists(kprobe:f)/ { }":             "comptime exists(kprobe:f) && (" + only + ")",
		"kprobe:f /comptime exists(kprobe:f) && $x && $y/ { }": "comptime exists(kprobe:f) && (" + only + ") && $x && $y",
	} {
		var set source.Set
		var diags diag.List
		prog := Program(&set, set.Add("x", text), Options{Only: only}, &diags)
		if diags.HasErrors() || len(prog.Clauses) != 1 {
			t.Fatalf("%q: %v", text, diags.All)
		}
		got := ""
		if f := prog.Clauses[0].Filter; f != nil {
			got = format.Expr(f)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	var set source.Set
	var diags diag.List
	Program(&set, set.Add("x", "kprobe:f { }"), Options{Only: "pid =="}, &diags)
	if !diags.HasErrors() {
		t.Error("a filter that is none is taken")
	}
}

// TestLibrary keeps a file that declares probes apart: its macros are its own.
func TestLibrary(t *testing.T) {
	dir := write(t, map[string]string{
		"main.fst": "import \"lib.fst\";\nbegin { }\n",
		"lib.fst":  "macro inner() { 1 }\nprobe my:event(n: uint64)\nbegin { fire my:event(n = inner()); }\n",
	})
	p, diags, _ := program(t, dir, Options{})
	if diags.HasErrors() {
		t.Fatalf("%+v", diags.All)
	}
	if len(p.Libraries) != 1 || len(p.Macros) != 0 || len(p.Clauses) != 1 {
		t.Errorf("%d libraries, macros %v, %d clauses", len(p.Libraries), macros(p), len(p.Clauses))
	}
}

func TestIncludes(t *testing.T) {
	dir := write(t, map[string]string{
		"main.fst":      "#include \"near.h\"\n#include <far.h>\n#include <linux/sched.h>\nbegin { print(NEAR + FAR + FIRST); }\n",
		"near.h":        "#define NEAR 1\n",
		"inc/far.h":     "#include \"deep.h\"\n#define FAR DEEP\n",
		"inc/deep.h":    "#define DEEP 2\n",
		"inc/before.h":  "#define FIRST 3\n",
		"else/before.h": "#error the first directory has it\n",
	})
	o := Options{IncludeDirs: []string{filepath.Join(dir, "inc"), filepath.Join(dir, "else")}, Headers: []string{"before.h"}}
	p, diags, set := program(t, dir, o)
	if diags.HasErrors() {
		t.Fatalf("%+v", diags.All)
	}
	var defined []string
	for _, d := range p.Defines {
		defined = append(defined, d.Name)
	}
	slices.Sort(defined)
	if want := []string{"DEEP", "FAR", "FIRST", "NEAR"}; !slices.Equal(defined, want) {
		t.Errorf("defined %v, want %v", defined, want)
	}
	if f := set.File(p.Clauses[0].At.Span.Start); f == nil || filepath.Base(f.Name) != "main.fst" {
		t.Errorf("the clause is in %v", f)
	}
}

// TestHeaderOfOnesOwn has a header of one's own that is nowhere told, once, and the
// kernel's and one that was read before not.
func TestHeaderOfOnesOwn(t *testing.T) {
	dir := write(t, map[string]string{
		"main.fst": "#include \"near.h\"\n#include \"near.h\"\n#include \"own.h\"\n#include \"vmlinux.h\"\n#include \"linux/fs.h\"\n#include <stdio.h>\nbegin { }\n",
		"near.h":   "#define NEAR 1\n",
	})
	_, diags, set := program(t, dir, Options{})
	if len(diags.All) != 1 || diags.HasErrors() || !strings.Contains(diags.All[0].Message, "no header own.h") {
		t.Fatalf("%+v", diags.All)
	}
	if line := set.Position(diags.All[0].Span.Start).Line; line != 3 {
		t.Errorf("it is told of line %d", line)
	}
}

func TestWrongImports(t *testing.T) {
	dir := write(t, map[string]string{
		"open.fst":        "macro m() { 1 }\n",
		"opendir/any.fst": "macro m() { 1 }\n",
		"empty/notes.txt": "",
		"prog.c":          "",
		"text.txt":        "",
		"settings.fst":    "config = { max_map_keys = 5 }\n",
		"wrong.fst":       "begin {\n",
	})
	for _, name := range []string{"open.fst", "opendir/any.fst"} {
		if err := os.Chmod(filepath.Join(dir, name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"none.fst":     "there is no such file",
		"open.fst":     "everybody may write to it",
		"opendir":      "any.fst: everybody may write to it",
		"empty":        "the directory has nothing to import",
		"prog.c":       "a C program needs a C compiler",
		"text.txt":     `only .bt, .fst and .h files can be imported, not ".txt"`,
		"settings.fst": "an imported file can't have settings",
		"wrong.fst":    "",
	} {
		if err := os.WriteFile(filepath.Join(dir, "main.fst"), []byte("import \""+name+"\";\nbegin { }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, diags, set := program(t, dir, Options{})
		if !diags.HasErrors() {
			t.Errorf("%s was imported", name)
			continue
		}
		d := diags.All[0]
		if !strings.Contains(d.Message, want) {
			t.Errorf("%s: %q, want %q", name, d.Message, want)
		}
		// An error names the import, or the place in the imported file.
		if f := set.File(d.Span.Start); f == nil {
			t.Errorf("%s: %q is nowhere", name, d.Message)
		}
	}
}

// Headers of the system need not be installed, however they are asked for.
func TestSystemHeader(t *testing.T) {
	for _, name := range []string{"fcntl.h", "errno.h", "linux/fs.h", "sys/socket.h", "vmlinux.h"} {
		dir := write(t, map[string]string{"main.fst": "#include \"" + name + "\"\n#include <" + name + ">\nbegin { }\n"})
		if _, diags, _ := program(t, dir, Options{Headers: []string{name}}); len(diags.All) > 0 {
			t.Errorf("%s: %+v", name, diags.All)
		}
	}
}

func TestMissingHeader(t *testing.T) {
	dir := write(t, map[string]string{"main.fst": "begin { }\n"})
	_, diags, _ := program(t, dir, Options{Headers: []string{"none.h"}})
	if !diags.HasErrors() || !strings.Contains(diags.All[0].Message, "there is no header none.h") {
		t.Errorf("%+v", diags.All)
	}
}

// TestNoFiles includes and imports what is no file, or is too large.
func TestNoFiles(t *testing.T) {
	dir := write(t, map[string]string{"large.h": "", "large.fst": "", "dir/a": ""})
	for _, name := range []string{"fifo.h", "fifo.fst"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"large.h", "large.fst"} {
		if err := os.Truncate(filepath.Join(dir, name), 1<<40); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		"#include \"fifo.h\"":    "fifo.h is a FIFO, not a file",
		"#include \"/dev/zero\"": "/dev/zero is a device, not a file",
		"#include \"large.h\"":   "large.h, this script's headers have more than 8388608 bytes together",
		"import \"fifo.fst\";":   "fifo.fst is a FIFO, not a file",
		"import \"large.fst\";":  "large.fst, this script's text and imports have more than 262144 bytes together",
	} {
		if err := os.WriteFile(filepath.Join(dir, "main.fst"), []byte(text+"\nbegin { }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, diags, set := program(t, dir, Options{})
		if len(diags.All) != 1 || !strings.Contains(diags.All[0].Message, want) || set.Position(diags.All[0].Span.Start).Line != 1 {
			t.Errorf("%s: %+v, want %q", text, diags.All, want)
		}
	}
	if _, err := Script(filepath.Join(dir, "fifo.fst"), nil, nil); err == nil || !strings.Contains(err.Error(), "is a FIFO") {
		t.Errorf("a script that is a FIFO: %v", err)
	}
	if _, err := Script(filepath.Join(dir, "large.fst"), nil, nil); err == nil || !strings.Contains(err.Error(), "at most 262144 bytes") {
		t.Errorf("a large script: %v", err)
	}
}

// TestOpenFiles reads a script from a pipe that the caller holds open.
func TestOpenFiles(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w.WriteString("begin { }")
	w.Close()
	if text, err := Script(fmt.Sprintf("/dev/fd/%d", r.Fd()), nil, nil); text != "begin { }" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := Script("-", strings.NewReader("end { }"), nil); text != "end { }" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}
