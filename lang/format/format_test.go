package format_test

import (
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/parse"
	"fst/lang/source"
)

func dump(t *testing.T, text string) (dumped, formatted string, comments []string) {
	t.Helper()
	var set source.Set
	set.Add("before", "x")
	var d diag.List
	p := parse.Parse(set.Add("f", text), &d)
	if d.HasErrors() {
		t.Fatalf("%s in:\n%s", d.Error(), text)
	}
	var b strings.Builder
	format.Dump(&b, p)
	for _, c := range p.Comments {
		lines := strings.Split(c.Text, "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " \t\r")
		}
		comments = append(comments, strings.Join(lines, "\n"))
	}
	return b.String(), format.Source(p, &set), comments
}

// roundTrip checks that formatting changes neither the meaning nor, done
// again, the text.
func roundTrip(t *testing.T, text string) string {
	t.Helper()
	before, once, comments := dump(t, text)
	after, twice, kept := dump(t, once)
	if before != after {
		t.Errorf("formatting changes the tree of\n%s\nto\n%s\nfrom\n%s\ntext\n%s", before, after, text, once)
	}
	if once != twice {
		t.Errorf("formatting twice gives\n%s\nnot\n%s", twice, once)
	}
	if !slices.Equal(comments, kept) {
		t.Errorf("the comments %q become %q in\n%s", comments, kept, once)
	}
	return once
}

func TestSource(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"BEGIN{exit()}", "BEGIN { exit(); }\n"},
		{"BEGIN{\n#define X 2 \n  #ifdef Y\n f();\n#endif\nprint(X)  }\nEND{}", "BEGIN{\n#define X 2\n  #ifdef Y\n f();\n#endif\nprint(X)  }\n\nEND { }\n"},
		{"BEGIN { (if (0) { 1 } else { 2 }); ({ (1, 2) }).0; $x = { ({ 3 }) + 1 } }",
			"BEGIN { (if (0) { 1 } else { 2 }); ({ (1, 2) }.0); $x = { ({ 3 } + 1) }; }\n"},
		{"probe a:b // c\n(x: int8);a:b{}", "probe a:b // c\n(x: int8);\n\na:b { }\n"},
		{"uprobe:a:f / *(int8*)arg0 == 1 /{}", "uprobe:a:f / *(int8 *)arg0 == 1/ { }\n"},
		{"kprobe:f,kprobe:g  /pid==1/{@[comm]=count()}\n", "kprobe:f, kprobe:g /pid == 1/ { @[comm] = count(); }\n"},
		{"call:f /took>10ms/\ncall:g\n", "call:f /took > 10ms/\ncall:g\n"},
		{"BEGIN {\n  $x=(1+2)*3; // why\n\n\n  // own\n  if $x {f()} else if(1){g()}else{ h() }\n}\nEND{}",
			"BEGIN {\n\t$x = (1 + 2) * 3; // why\n\n\t// own\n\tif ($x) { f(); } else if (1) { g(); } else { h(); }\n}\n\nEND { }\n"},
		{"#!/bin/x\n/* top */\n#include <a.h>\nstruct x { int a; };\n\n\n\nBEGIN { $a = - -1; } // end\n",
			"#!/bin/x\n/* top */\n#include <a.h>\nstruct x { int a; };\n\nBEGIN { $a = -(-1); } // end\n"},
		{"config={max_strlen=64}", "config = { max_strlen = 64 }\n"},
		{"config={max_strlen=64,max_overhead=2% ;;str_trunc_trailer = \"x\"};", "config = { max_strlen = 64; max_overhead = 2%; str_trunc_trailer = \"x\" }\n"},
		{"config =\n{\n\n  max_strlen=1 ; max_overhead=2%; // two\n\n\n // own\n missing_probes=ignore /* three */}\nBEGIN{}",
			"config = {\n\tmax_strlen = 1;\n\tmax_overhead = 2%; // two\n\n\t// own\n\tmissing_probes = ignore; /* three */\n}\n\nBEGIN { }\n"},
		{"config={a=1 b=2}", "config = { a = 1; b = 2 }\n"},
		{"macro a(x){x}\nmacro b(){ (uint64*)1 }\n\nmacro c() { 1 }\nmacro d() { let $x=1;\n if (1) { $x++; } $x }\nmacro e() { 2 }\n",
			"macro a(x) { x }\nmacro b() { (uint64 *)1 }\n\nmacro c() { 1 }\n\nmacro d() {\n\tlet $x = 1;\n\tif (1) { $x++; }\n\t$x\n}\n\nmacro e() { 2 }\n"},
		{"begin {\n\tif ($a_rather_long_name == 1 && $a_really_long_name_of_it == 7 && $another_name == 2 && $still_another_one ==  3 &&\n\t\t$x) { f(); }\n\twhile (1\n\t\t&& 2) { f(); }\n}\n",
			"begin {\n\tif ($a_rather_long_name == 1 && $a_really_long_name_of_it == 7 && $another_name == 2 && $still_another_one ==  3 &&\n\t\t$x) { f(); }\n\twhile (1 && 2) { f(); }\n}\n"},
		{"let  @q=lruhash(10);let @r = hash( 2*(3+-4) )\n", "let @q = lruhash(10);\nlet @r = hash(2 * (3 + -4));\n"},
		{"let @q /* a */ = // b\nlruhash(10) // c\n", "let @q /* a */ = // b\n\tlruhash(10); // c\n"},
		{"import   \"x.fst\"\nimport\"y.fst\" ; // y\n", "import \"x.fst\";\nimport \"y.fst\"; // y\n"},
		{"struct x{int a;char*b , c [4+1];struct y  *p;void(*f)( int,char * );u32 d:3,:5 ; }",
			"struct x { int a; char *b, c[4 + 1]; struct y *p; void (*f)(int, char *); u32 d:3, :5; };\n"},
		{"struct x{int a; // the first\nunsigned long b; // the second\n\n\n /* own */ int c;int:4;struct{int d; union{int e;\nint f;};}g;enum{A,\nB=1<<2,C}h}__attribute__(( packed,aligned( 8 ) ));",
			"struct x {\n\tint a;           // the first\n\tunsigned long b; // the second\n\n\t/* own */\n\tint c;\n\tint :4;\n\tstruct {\n\t\tint d;\n\t\tunion {\n\t\t\tint e;\n\t\t\tint f;\n\t\t};\n\t} g;\n\tenum {\n\t\tA,\n\t\tB = 1 << 2, C,\n\t} h;\n} __attribute__((packed, aligned(8)));\n"},
		{"struct  x ;typedef unsigned   int*u;typedef struct{int a;}  t;\nunion u{};enum e{A,B= -1,}", "struct x;\ntypedef unsigned int *u;\ntypedef struct { int a; } t;\nunion u { };\nenum e { A, B = -1 };\n"},
		{"struct x {\n#ifdef A\n  int a;\n#endif\n  int  b;\n};\n", "struct x {\n#ifdef A\n  int a;\n#endif\n  int  b;\n};\n"},
		{"enum e {\n  A,B, // two\n  C=3\n};\n", "enum e {\n\tA, B, // two\n\tC = 3,\n};\n"},
		{"probe  a : b( x:int8 [4],y: struct f* , z )witness( \"a\",\"b\" )\n", "probe a:b(x: int8[4], y: struct f *, z) witness(\"a\", \"b\");\n"},
		{"// doc\nprobe a:b(\n x:int, // x\n  long_one:string[16] // y\n);a:b{}", "// doc\nprobe a:b(\n\tx: int,               // x\n\tlong_one: string[16], // y\n);\n\na:b { }\n"},
		{"fn  f( $a:int64,$b ):int64{return 1}", "fn f($a: int64, $b): int64 { return 1; }\n"},
		{"#define  A   1  \n\n\n#include   <x.h>\n", "#define  A   1\n\n#include   <x.h>\n"},
		{"macro m($a,b){$a+b}\nBEGIN{print((a&&b)||c);f(1,/* x */2)}", "macro m($a, b) { $a + b }\n\nBEGIN {\n\tprint((a && b) || c);\n\tf(1,/* x */2);\n}\n"},
	} {
		if got := roundTrip(t, c.in); got != c.want {
			t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
		}
	}
}

// TestScripts formats the scripts of the directory in FST_SCRIPTS, for trying
// the formatter on other people's.
func TestScripts(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(os.Getenv("FST_SCRIPTS"), "*.bt"))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !parses(string(b)) {
			t.Log(f, "has errors")
			continue
		}
		out := roundTrip(t, string(b))
		if os.Getenv("FST_SHOW") != "" {
			t.Log("\n" + out)
		}
	}
}

// TestCanonical checks that the library and the tools are formatted.
func TestCanonical(t *testing.T) {
	var files []string
	for _, pattern := range []string{"stdlib/*.fst", "stdlib/prelude/*.fst", "scripts/*.fst"} {
		found, err := filepath.Glob("../../" + pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, found...)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if out := roundTrip(t, string(b)); out != string(b) {
			t.Errorf("%s is not in canonical form: run fst fmt -w", f)
		}
	}
}

// FuzzSource checks that formatting keeps the tree and is idempotent for every
// script without errors.
func FuzzSource(f *testing.F) {
	for _, s := range []string{
		"kprobe:f /* a */ , // b\n k:g /a/ /* c */ { // d\n $x = 1 /* e */ + 2; /* f */ if (1) /* g */ { h(); } // i\n}",
		"BEGIN { if (1) { 1 } else if (2) { 3 } else { { 4 } } $x = if 1 { 2 } else { 3 }; { f() } }",
		"call:f\ncall:g /x/; k:a | b {}\n// c\nmacro f { 1 } macro g(a, $b) {\n a\n}",
		"BEGIN { $a = (x & 1) == (1 ? 2 : 3) ? -(-1) : !(a + b) * (u32)(c.d); for ($i : (a ? b : c)..d) { } }",
		"BEGIN { print((int32) / 2); f((string) == 1); f((int8)); $x = sizeof((int)) + (bool); print(offsetof((foo), x)); }",
		"BEGIN { print(((string)) & $x); print(((int8)) - 1 * 2); print(((int32)) * ((int8)) / 2); print(((in*)(int)) & 0, (1 / (int8)) - 2, (-(int8)) * 3); }",
		"BEGIN { if (comptime (-1)) { print(comptime (&$x), comptime (++$x), comptime (!x)); } }",
		"config={max_strlen=64,a=2%/* x */;b /* y */=c // z\n}let @q=lruhash(2*(3+-4))\nimport\"x\" struct x{int a:3,*b/* c */;struct{int d;}e[A];void(*f)(int);enum{A,B=1<<2}g;}__attribute__((packed));",
		"typedef struct{int a;/* c */int b; // d\n}t;typedef int*u;enum{A,B=-1 // x\n,C};probe a:b(x:int8[4], // c\ny)witness(\"a\",\"b\");struct x;union u{int :3;}",
		"struct x{union{" + strings.Repeat("union{", 200) + "int a;" + strings.Repeat("};", 202),
		"# \nA {\n#\n x; }\n#\n",
		"config,{0}",
		"union,{0}",
	} {
		f.Add(s)
	}
	for _, text := range scripts(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var set source.Set
		var d diag.List
		parse.Parse(set.Add("f", text), &d)
		if len(text) < 1<<14 && !d.HasErrors() {
			roundTrip(t, text)
		}
	})
}

// scripts are the project's own scripts, and the programs of the conformance
// cases.
func scripts(t testing.TB) (texts []string) {
	t.Helper()
	for _, pattern := range []string{"../../scripts/*.fst", "../../stdlib/*/*.fst", "../../tests/conformance/*/*.txt"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text := string(b)
			if _, prog, ok := strings.Cut(text, "-- prog --\n"); ok {
				text, _, _ = strings.Cut(prog, "\n-- ")
			}
			texts = append(texts, text)
		}
	}
	return texts
}

// TestDisturbed formats the project's scripts with comments and line breaks
// where nobody would write them.
func TestDisturbed(t *testing.T) {
	seed := int64(1)
	if s, err := strconv.ParseInt(os.Getenv("FST_SEED"), 10, 64); err == nil {
		seed = s
	}
	r := rand.New(rand.NewSource(seed))
	additions := []string{"/* c */", "// c\n", "\n", " ", "\n\n\n", "/* c\n   d */", ";", "/* a */ /* b */", "\t// e\n\t"}
	tried := 0
	for _, text := range scripts(t) {
		if len(text) == 0 || !parses(text) {
			continue
		}
		for range 12 {
			changed := text
			for range 1 + r.Intn(3) {
				at := r.Intn(len(changed) + 1)
				changed = changed[:at] + additions[r.Intn(len(additions))] + changed[at:]
			}
			if !parses(changed) {
				continue
			}
			tried++
			if roundTrip(t, changed); t.Failed() {
				t.Fatalf("seed %d, text:\n%s", seed, changed)
			}
		}
	}
	if tried < 500 {
		t.Errorf("only %d texts were tried", tried)
	}
}

func parses(text string) bool {
	var set source.Set
	var d diag.List
	parse.Parse(set.Add("f", text), &d)
	return !d.HasErrors()
}

// TestExprOfBlocks: an expression is printed for a message without its source, also where a line of it is too long.
func TestExprOfBlocks(t *testing.T) {
	var set source.Set
	var diags diag.List
	long := strings.Repeat("a long text ", 12)
	tree := parse.Parse(set.Add("x", "begin { print(1 & { $s = \""+long+"\"; \n$s }); }"), &diags)
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	found := 0
	ast.Walk(tree, func(n ast.Node) bool {
		if x, ok := n.(*ast.Binary); ok {
			found++
			if got := format.Expr(x); !strings.Contains(got, long) {
				t.Errorf("%s", got)
			}
		}
		return true
	})
	if found != 1 {
		t.Errorf("%d expressions", found)
	}
}
