package parse

import (
	"io"
	"strings"
	"testing"
	"time"

	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/source"
)

// FuzzParse checks what holds for every text: no panic, no hang, spans inside
// the text, and a tree that can be walked, dumped and rendered.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		done := make(chan struct{})
		go func() {
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				panic("parsing hangs: " + text)
			}
		}()
		defer close(done)
		check(t, text)
	})
}

func check(t *testing.T, text string) {
	var set source.Set
	set.Add("first", "x")
	file := set.Add("f", text)
	var d diag.List
	p := Parse(file, &d)
	inside := func(what string, sp source.Span) {
		if sp.Start < file.Base || sp.End < sp.Start || int(sp.End-file.Base) > len(text)+1 {
			t.Fatalf("%s has the span %v, outside [%d, %d] of %q", what, sp, file.Base, int(file.Base)+len(text), text)
		}
	}
	ast.Walk(p, func(n ast.Node) bool {
		inside("a node", n.Pos())
		return true
	})
	for _, x := range d.All {
		if what, _ := notText("f", text); what == "" { // which is said of the file as a whole
			inside(x.Message, x.Span)
		}
	}
	format.Dump(io.Discard, p)
	(&diag.Renderer{Set: &set}).Render(io.Discard, &d)
	var e diag.List
	if x := parseExpr(set.Add("e", text), &e); x == nil && !e.HasErrors() {
		t.Fatalf("no expression and no error for %q", text)
	}
}

func TestDeep(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, which finds nothing here that it does not find in other tests")
	}
	for _, s := range []string{"(", "{", "[", "-", "!", "if (", "{ if 1 ", "(struct x *)", "a ? ", "a.", "@[", "f(", "(a=", "typeof(", "sizeof(", "1+", "/*", "else if 1 {} "} {
		check(t, "BEGIN { "+strings.Repeat(s, 3000))
		check(t, "BEGIN /"+strings.Repeat(s, 3000))
		check(t, strings.Repeat(s, 3000))
	}
	check(t, strings.Repeat("struct x { ", 3000))
	check(t, strings.Repeat("#if 0\n", 3000))
	check(t, strings.Repeat("BEGIN /x {\n", 3000))
	check(t, "struct x { int "+strings.Repeat("*", 3000)+"a; }")
	check(t, "BEGIN { $x = (X "+strings.Repeat("*", 3000)+")1 }")
}

var seeds = []string{
	"#define A]", "#define A)\nBEGIN { A; }",
	"", "#", "BEGIN { }\n#", "#!/usr/bin/env bpftrace\nBEGIN { exit() }",
	"kprobe:vfs_read /pid == 1/ { @[comm] = count(); }",
	"k:a | b, t:sched:* /a / b/ { $x = (struct x *)arg0; print($x->a.0.1[2]); }",
	"syscall:openat /comm == \"ps\"/\ncall:vfs_read /took > 10ms/\n",
	"#include <x.h>\n#define A 5\n#ifndef BPFTRACE_HAVE_BTF\nstruct x { int a[A]; };\n#else\n#endif\nstruct y { struct { int b:3, c; }; void (*f)(int); } __attribute__((packed));\nenum e { P, Q = 3 };\n",
	"config = { max_strlen = 5; a = 2%, b = \"c\" }\nimport \"x\";\nlet @m = hash(100);\nmacro f($a, @b, c) { $a + c }\n",
	"BEGIN { for ($i : 0..5) { continue; } for ($kv : @m) { break } while (1) { return 1; } unroll 3 { } let $x: uint8[4] = 1; _ = f(); if 1 { } else if 2 { } else { } }",
	"BEGIN { $x = if (1) { 2 } else { 3 }; $y = { 1; 2 }; print((1, 2, \"a\\n\\x41\")); print((a = 1, b = ())); }",
	"BEGIN { printf(\"a", "BEGIN { /* ", "kprobe:f /a", "uprobe:/bin/sh:\"a b\" { }",
	"BEGIN { $a = exists(kprobe:x) ? sizeof(struct x) : offsetof(struct x, a.b[2]); comptime 1; $#; $1; 1_000u; 5ms; 4KB; 0x1f; 017; 1e6; x++; --@y[1,2] }",
	"\xff\xfe", "BEGIN { ' }", "typedef struct { int a; } x_t;", "fn f() { }", "a:b:c:", "l=k:f{}",
}
