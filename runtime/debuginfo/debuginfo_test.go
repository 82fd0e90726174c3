package debuginfo

import (
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fst/compiler/types"
	"fst/runtime/elffile"
)

const program = `
#include <stdint.h>
enum color { RED, GREEN = 5 };
typedef struct { int x, y; } point;
struct big { uint64_t words[4]; };
struct node { struct node *next; const char *name; enum color color; unsigned flag : 3; union { int i; char c; }; point at[2]; };
volatile int sink;
int plain(int a, unsigned char b, const char *s) { sink = a + b + s[0]; return sink; }
struct big large(struct node *n, long after) { struct big r = {{after, n->flag}}; sink = n->i; return r; }
void pair(point p, enum color c, int last) { sink = p.x + c + last; }
int callback(int (*f)(int, char *), void *data) { return f(1, data); }
__attribute__((noipa)) int leaf(int a) { return a + 1; }
static inline __attribute__((always_inline)) int inner(int a) {
	return leaf(a) + 2;
}
static inline __attribute__((always_inline)) int middle(int a) {
	return inner(a) * 2;
}
__attribute__((noipa)) int outer(int a) {
	return middle(a) + 3;
}
static int id(int n, char *s) { (void)s; return n; }
int main(void) {
	struct node n = {0};
	point p = {1, 2};
	pair(p, GREEN, 3);
	callback(id, 0);
	return plain(1, 2, "x") + (int)large(&n, 4).words[0];
}
`

// build compiles the program with gcc's flags and returns its path.
func build(t *testing.T, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("there is no C compiler: ", err)
	}
	dir := t.TempDir()
	source, out := filepath.Join(dir, "prog.c"), filepath.Join(dir, "prog")
	if err := os.WriteFile(source, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gcc", append(flags, "-o", out, source)...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

func address(t *testing.T, path, name string) uint64 {
	t.Helper()
	e, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	symbols, err := e.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no symbol %s", name)
	}
	return symbols[i].Value
}

// TestFunctions reads signatures from both versions of DWARF in use.
func TestFunctions(t *testing.T) {
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		path := build(t, version, "-O0")
		f, err := Open(path, elffile.Places{})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"plain": "int(int a@0, unsigned char b@1, const char* s@2)",
			// The first word is where the result goes.
			"large":    "struct big(struct node* n@1, long int after@2)",
			"pair":     "void(point p@0, enum color c@1, int last@2)",
			"callback": "int(int (*)(int, char*) f@0, void* data@1)",
			"main":     "int()",
		} {
			fn, ok := f.Function(address(t, path, name), name)
			if !ok {
				t.Errorf("%s: no function %s", version, name)
				continue
			}
			got := "void"
			if fn.ResultDecl != nil {
				got = fn.ResultDecl()
			}
			var params []string
			for i, p := range fn.Params {
				params = append(params, p.Decl()+" "+p.Name+"@"+string(rune('0'+fn.Slots[i])))
			}
			got += "(" + strings.Join(params, ", ") + ")"
			if fn.Name != name || got != want {
				t.Errorf("%s: %s is %s, want %s", version, fn.Name, got, want)
			}
		}
		if _, ok := f.Function(1, ""); ok {
			t.Error("there is a function at 1")
		}
	}
}

func TestTypes(t *testing.T) {
	f, err := Open(build(t, "-g"), elffile.Places{})
	if err != nil {
		t.Fatal(err)
	}
	node, _, ok := f.Types.Find("struct", "node", nil)
	if !ok || node.Size != 48 {
		t.Fatalf("%v %v", node, ok)
	}
	var shape []string
	for _, m := range node.Fields() {
		shape = append(shape, m.Name+" "+m.Type.String())
	}
	t.Log(shape)
	fields := map[string]types.Field{}
	for _, m := range node.Fields() {
		fields[m.Name] = m
	}
	switch next, name, color, flag, at := fields["next"], fields["name"], fields["color"], fields["flag"], fields["at"]; {
	case next.Type.Kind != types.Pointer || next.Type.Elem.Name != "node":
		t.Errorf("next: %v", next.Type)
	case name.Offset != 8 || name.Type.Kind != types.Pointer || name.Type.Elem != types.CharType && name.Type.Elem.Size != 1:
		t.Errorf("name: %+v", name)
	case color.Offset != 16 || color.Type.Kind != types.Enum || len(color.Type.Enumerators()) != 2:
		t.Errorf("color: %+v", color)
	case flag.BitSize != 3 || flag.Type.Signed:
		t.Errorf("flag: %+v", flag)
	case at.Offset != 28 || at.Type.Len != 2 || at.Type.Elem.Size != 8:
		t.Errorf("at: %+v", at)
	}
	if n, enum, ok := f.Types.Enumerator("GREEN"); !ok || n != 5 || enum.Name != "color" {
		t.Errorf("GREEN is %d of %v", n, enum)
	}
	if _, _, ok := f.Types.Find("struct", "none", nil); ok {
		t.Error("there is a struct none")
	}
	if _, _, ok := f.Types.Enumerator("BLUE"); ok {
		t.Error("there is an enumerator BLUE")
	}
}

func TestLines(t *testing.T) {
	path := build(t, "-g", "-O0")
	f, err := Open(path, elffile.Places{})
	if err != nil {
		t.Fatal(err)
	}
	line := 1 + strings.Count(program[:strings.Index(program, "int plain")], "\n")
	start := address(t, path, "plain")
	for _, file := range []string{"prog.c", path + ".c"} {
		if addr, err := f.Line(file, line, 0); err != nil || !slices.Equal(addr, []uint64{start}) {
			t.Errorf("%s:%d is at %#x, %v; the function at %#x", file, line, addr, err, start)
		}
	}
	for _, wrong := range []struct {
		file         string
		line, column int
		want         string
	}{
		{"other.c", line, 0, "no source file is called other.c"},
		{"rog.c", line, 0, "no source file is called rog.c"},
		{"prog.c", 1, 0, "line 1 of prog.c has no code of its own"},
		{"prog.c", line, 999, "no statement begins at line"},
	} {
		if _, err := f.Line(wrong.file, wrong.line, wrong.column); err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%s:%d:%d: %v, want %q", wrong.file, wrong.line, wrong.column, err, wrong.want)
		}
	}
}

// TestPlaces reads which functions were inlined at an address, and the lines of
// their calls.
func TestPlaces(t *testing.T) {
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		path := build(t, version, "-O1")
		f, err := Open(path, elffile.Places{})
		if err != nil {
			t.Fatal(err)
		}
		lineOf := func(text string) int { return 1 + strings.Count(program[:strings.Index(program, text)], "\n") }
		leaf := address(t, path, "leaf")
		if got, want := f.Places(leaf), []Place{{"leaf", path + ".c", lineOf("leaf(int a)")}}; !slices.Equal(got, want) {
			t.Errorf("%s: at leaf %v, want %v", version, got, want)
		}
		want := []Place{
			{"inner", path + ".c", lineOf("return leaf(a) + 2")},
			{"middle", path + ".c", lineOf("return inner(a) * 2")},
			{"outer", path + ".c", lineOf("return middle(a) + 3")},
		}
		var found bool
		for at := address(t, path, "outer"); at < leaf+512 && !found; at++ {
			found = slices.Equal(f.Places(at), want)
		}
		if !found {
			t.Errorf("%s: no place in outer is %v", version, want)
		}
		if got := f.Places(1); got != nil {
			t.Errorf("%s: at 1 is %v", version, got)
		}
	}
}

// TestSeparate finds debug information that was split off, by build id and by
// the link in the binary, and refuses that of another build.
func TestSeparate(t *testing.T) {
	if _, err := exec.LookPath("objcopy"); err != nil {
		t.Skip("there are no binutils: ", err)
	}
	path := build(t, "-g", "-Wl,--build-id=sha1")
	run := func(args ...string) {
		t.Helper()
		if text, err := exec.Command("objcopy", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	dir := filepath.Dir(path)
	debug, stripped := filepath.Join(dir, "prog.debug"), filepath.Join(dir, "stripped")
	run("--only-keep-debug", path, debug)
	run("--strip-debug", path, stripped)
	if _, err := Open(stripped, elffile.Places{}); !errors.Is(err, ErrNone) {
		t.Errorf("without its debug file: %v", err)
	}
	run("--add-gnu-debuglink="+debug, stripped)
	f, err := Open(stripped, elffile.Places{})
	if err != nil {
		t.Fatal(err)
	}
	if fn, ok := f.Function(address(t, stripped, "plain"), "plain"); !ok || len(fn.Params) != 3 {
		t.Errorf("%+v %v", fn, ok)
	}
	// A debug file of another build must not be believed.
	other := build(t, "-g", "-O2", "-Wl,--build-id=0x1234567890")
	run("--only-keep-debug", other, debug)
	if _, err := Open(stripped, elffile.Places{}); !errors.Is(err, ErrNone) {
		t.Errorf("with the debug file of another build: %v", err)
	}
}

// TestLinkedSum refuses what a binary without a build id links to if it was
// exchanged.
func TestLinkedSum(t *testing.T) {
	if _, err := exec.LookPath("objcopy"); err != nil {
		t.Skip("there are no binutils: ", err)
	}
	path := build(t, "-g", "-Wl,--build-id=none")
	debug, stripped := path+".debug", path+".stripped"
	for _, args := range [][]string{{"--only-keep-debug", path, debug}, {"--strip-debug", "--add-gnu-debuglink=" + debug, path, stripped}} {
		if text, err := exec.Command("objcopy", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	if _, err := Open(stripped, elffile.Places{}); err != nil {
		t.Error(err)
	}
	other := build(t, "-g", "-O2", "-Wl,--build-id=none")
	if text, err := exec.Command("objcopy", "--only-keep-debug", other, debug).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if _, err := Open(stripped, elffile.Places{}); !errors.Is(err, ErrNone) {
		t.Errorf("with the debug file of another build: %v", err)
	}
}

// TestGo places the arguments of Go's functions in the words of Go's registers.
func TestGo(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	source, out := filepath.Join(dir, "main.go"), filepath.Join(dir, "prog")
	text := "package main\n//go:noinline\nfunc add(a int, f float64, s string, b [2]int) (sum int) { return a + b[0] + len(s) + int(f) }\nfunc main() { println(add(1, 2, \"\", [2]int{})) }\n"
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command("go", "build", "-o", out, source).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, text)
	}
	f, err := Open(out, elffile.Places{})
	if err != nil {
		t.Fatal(err)
	}
	fn, ok := f.Function(address(t, out, "main.add"), "main.add")
	if !ok || !slices.Equal(fn.Slots, []int{0, -1, 1, 9}) || fn.Params[1].Unread != inFloatRegisters {
		t.Errorf("%+v", fn)
	}
}

// TestOpaque reads what a struct that is only declared holds in the unit that
// defines it, unless several do so in different ways.
func TestOpaque(t *testing.T) {
	dir := t.TempDir()
	var sources []string
	for i, text := range []string{
		"struct one; struct two; int use(struct one *a, struct two *b) { return a != (void *)b; }",
		"struct one { int x, y; } one; struct two { char c; } two; struct one *p = &one; struct two *q = &two;",
		"struct two { long l; } other; int use(void *, void *); int main(void) { return use(0, &other); }",
	} {
		sources = append(sources, filepath.Join(dir, string(rune('a'+i))+".c"))
		if err := os.WriteFile(sources[i], []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "prog")
	if text, err := exec.Command("gcc", append(sources, "-g", "-o", out)...).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, text)
	}
	f, err := Open(out, elffile.Places{})
	if err != nil {
		t.Fatal(err)
	}
	fn, ok := f.Function(address(t, out, "use"), "use")
	if !ok || len(fn.Params) != 2 {
		t.Fatalf("%+v", fn)
	}
	one, two := fn.Params[0].Type.Elem, fn.Params[1].Type.Elem
	if len(one.Fields()) != 2 || len(two.Fields()) != 0 {
		t.Errorf("%v has %v, %v has %v", one, one.FieldNames(), two, two.FieldNames())
	}
	if own, doubt, ok := f.Types.Find("struct", "two", []uint64{address(t, out, "main")}); !ok || doubt || len(own.FieldNames()) != 1 || own.FieldNames()[0] != "l" {
		t.Errorf("in main: %v %v %v", own, doubt, ok)
	}
	for _, code := range [][]uint64{nil, {address(t, out, "use")}, {address(t, out, "main"), address(t, out, "use")}} {
		if _, doubt, ok := f.Types.Find("struct", "two", code); !ok || !doubt {
			t.Errorf("at %x: %v %v", code, doubt, ok)
		}
	}
}

func TestNoBinary(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no program"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, text + ".none", filepath.Dir(text)} {
		if _, err := Open(path, elffile.Places{}); err == nil {
			t.Errorf("%s was opened", path)
		}
	}
}

// TestInlined looks for the copies of functions that were inlined into outer, and of one that was not.
func TestInlined(t *testing.T) {
	for _, flags := range [][]string{{"-gdwarf-4"}, {"-gdwarf-5"}, {"-gdwarf-5", "-gsplit-dwarf"}} {
		path := build(t, append(flags, "-O2")...)
		f, err := Open(path, elffile.Places{})
		if err != nil {
			t.Fatal(err)
		}
		outer := address(t, path, "outer")
		for name, want := range map[string]int{"inner": 1, "middle": 1, "outer": 0, "nothing": 0} {
			copies := f.Inlined(func(n string) bool { return n == name })
			if len(copies) != want {
				t.Errorf("%v: %s has copies %v, want %d", flags, name, copies, want)
			}
			for _, c := range copies {
				if c.Name != name || c.Addr < outer || c.Addr > outer+64 {
					t.Errorf("%v: %v is not within outer, at %#x", flags, c, outer)
				}
			}
		}
		if f.IsInlined(outer, "outer") {
			t.Errorf("%v: outer was not inlined", flags)
		}
	}
}
