package format_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/parse"
	"fst/lang/source"
)

func dump(t *testing.T, text string) (dumped, formatted string) {
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
	return b.String(), format.Source(p, &set)
}

// roundTrip checks that formatting changes neither the meaning nor, done
// again, the text.
func roundTrip(t *testing.T, text string) string {
	t.Helper()
	before, once := dump(t, text)
	after, twice := dump(t, once)
	if before != after {
		t.Errorf("formatting changes the tree of\n%s\nto\n%s\nfrom\n%s\ntext\n%s", before, after, text, once)
	}
	if once != twice {
		t.Errorf("formatting twice gives\n%s\nnot\n%s", twice, once)
	}
	for _, c := range []string{"//", "/*"} {
		if strings.Contains(text, c) && !strings.Contains(once, "//") && !strings.Contains(once, "/*") {
			t.Errorf("a comment is lost in\n%s", once)
		}
	}
	return once
}

func TestSource(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"BEGIN{exit()}", "BEGIN { exit(); }\n"},
		{"kprobe:f,kprobe:g  /pid==1/{@[comm]=count()}\n", "kprobe:f, kprobe:g /pid == 1/ { @[comm] = count(); }\n"},
		{"call:f /took>10ms/\ncall:g\n", "call:f /took > 10ms/\ncall:g\n"},
		{"BEGIN {\n  $x=(1+2)*3; // why\n\n\n  // own\n  if $x {f()} else if(1){g()}else{ h() }\n}\nEND{}",
			"BEGIN {\n\t$x = (1 + 2) * 3; // why\n\n\t// own\n\tif ($x) { f(); } else if (1) { g(); } else { h(); }\n}\n\nEND { }\n"},
		{"#!/bin/x\n/* top */\n#include <a.h>\nstruct x { int a; };\n\n\n\nBEGIN { $a = - -1; } // end\n",
			"#!/bin/x\n/* top */\n#include <a.h>\nstruct x { int a; };\n\nBEGIN { $a = -(-1); } // end\n"},
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
		out := roundTrip(t, string(b))
		if os.Getenv("FST_SHOW") != "" {
			t.Log("\n" + out)
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
	} {
		f.Add(s)
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
