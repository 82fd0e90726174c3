package parse

import (
	"fmt"
	"strings"
	"testing"

	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/source"
)

// parseText returns the dump of a text and its rendered errors.
func parseText(text string) (dump, errors string, incomplete bool) {
	var set source.Set
	var d diag.List
	p := Parse(set.Add("-e", text), &d)
	var b, e strings.Builder
	format.Dump(&b, p)
	(&diag.Renderer{Set: &set}).Render(&e, &d)
	return b.String(), e.String(), IsIncomplete(&d)
}

// parseExpr parses a text that is one expression. It returns nil if there are
// errors.
func parseExpr(f *source.File, diags *diag.List) ast.Expr {
	p := newParser(f, diags)
	var x ast.Expr
	p.guard(func() {
		p.try(func() {
			t := p.tokens(0, len(p.text), "")
			e := t.expr()
			t.expectEnd("an operator or the end of the expression")
			x = e
		})
	})
	return x
}

func TestExpr(t *testing.T) {
	for in, want := range map[string]string{
		"1 + 2 * 3":                    "(+ 1 (* 2 3))",
		"1 - 2 - 3":                    "(- (- 1 2) 3)",
		"a || b && c | d ^ e & f":      "(|| a (&& b (| c (^ d (& e f)))))",
		"a == b < c << d + e":          "(== a (< b (<< c (+ d e))))",
		"a ? b : c ? d : e":            "(? a b (? c d e))",
		"a ?: b":                       "(?: a b)",
		"-x.y":                         "(- (. x y))",
		"!*$p":                         "(! (* $p))",
		"&@m[1]":                       "(& (@m 1))",
		"$x++ + --@y":                  "(+ (post++ $x) (pre-- @y))",
		"args->x.y[1].0.2":             "(.2 (.0 (index (. (-> args x) y) 1)))",
		"@":                            "@",
		"@[k]":                         "(@ k)",
		"@m[a, b][1]":                  "(index (@m a b) 1)",
		"$1 + $#":                      "(+ $1 $#)",
		"()":                           "(tuple)",
		"(1,)":                         "(tuple 1)",
		"(1, \"a\")":                   `(tuple 1 "a")`,
		"(a = 1, b = (c = 2))":         "(record a=1 b=(record c=2))",
		"(uint32)x":                    "(cast uint32 x)",
		"(uint32)-1":                   "(cast uint32 (- 1))",
		"(int64)(a)":                   "(cast int64 a)",
		"(a) - 1":                      "(- a 1)",
		"(a) * b":                      "(* a b)",
		"(struct X *)x":                "(cast struct X* x)",
		"(X **)x":                      "(cast X** x)",
		"(sector_t)$x":                 "(cast sector_t $x)",
		"(uint8[4])x":                  "(cast uint8[4] x)",
		"(int8[])x":                    "(cast int8[] x)",
		"(x[4])":                       "(index x 4)",
		"(struct foo*[4])x":            "(cast struct foo*[4] x)",
		"(typeof($x))y":                "(cast typeof($x) y)",
		"(unsigned long int)x":         "(cast unsigned long x)",
		"(const char *)x":              "(cast char* x)",
		"(enum E)3":                    "(cast enum E 3)",
		"sizeof(struct x)":             "(sizeof (type struct x))",
		"sizeof(comm)":                 "(sizeof comm)",
		"sizeof($x + 1)":               "(sizeof (+ $x 1))",
		"sizeof(uint64)":               "(sizeof (type uint64))",
		"offsetof(struct x, a.b)":      "(offsetof (type struct x) a b)",
		"offsetof(*$x, a[2].b)":        "(offsetof (* $x) a [2] b)",
		"exists(struct r, f)":          "(call exists (type struct r) f)",
		"exists(kprobe:a)":             `(call exists (probe kprobe "a"))`,
		"exists(k:m:a)":                `(call exists (probe kprobe "m" "a"))`,
		"m!(1)":                        "(call m 1)",
		"comm()":                       "(call comm)",
		"kstack(perf, 5)":              "(call kstack perf 5)",
		"comptime 1 + 2":               "(+ (comptime 1) 2)",
		"if (c) { 1 } else { f(); 2 }": "(if-expr c (block (value 1)) (block (call f) (value 2)))",
		"{ $x = 1; $x }":               "(block-expr (block (= $x 1) (value $x)))",
		"a /* c */ + // d\n b":         "(+ a b)",
		// literals
		"0x1F":                  "31",
		"010":                   "8",
		"1_000_000":             "1000000",
		"1e6":                   "1000000",
		"5us":                   "5000",
		"10ms":                  "10000000",
		"1m + 1h + 1d":          "(+ (+ 60000000000 3600000000000) 86400000000000)",
		"4KB + 1MiB":            "(+ 4096 1048576)",
		"5u + 5LL + 5ull":       "(+ (+ 5u 5) 5u)",
		"18446744073709551615":  "18446744073709551615",
		`"a\n\t\x41\101\e\\\""`: `"a\n\tAA\x1b\\\""`,
	} {
		var set source.Set
		var d diag.List
		got := format.DumpExpr(parseExpr(set.Add("-e", in), &d))
		if d.HasErrors() {
			got = d.Error()
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestScript(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"BEGIN/pid/{ }", "(clause (probe begin)\n  (filter pid)\n  (block))\n"},
		{"uprobe:/bin/sh:f /a / b/ { }", "(clause (probe uprobe \"/bin/sh\" \"f\")\n  (filter (/ a b))\n  (block))\n"},
		{`u:"/a b":cpp:"f(int, x)",U:$1:p{}`, `(clause (probe uprobe "/a b" "cpp" "f(int, x)") (probe usdt "$1" "p")` + "\n  (block))\n"},
		{"syscall:openat /comm == \"ps\"/\ncall:f\ncall:g /took > 1ms/ // c",
			"(clause (probe syscall \"openat\")\n  (filter (== comm \"ps\")))\n(clause (probe call \"f\"))\n(clause (probe call \"g\")\n  (filter (> took 1000000)))\n"},
		{"l=K:a, // x\n kfunc:b,\n{ }", "(clause (probe label=l k \"a\") (probe fentry \"b\")\n  (block))\n"},
		{"kprobe:m:a | b | kretprobe:c {}", "(clause (probe kprobe \"m\" \"a\" or=(probe kprobe \"m\" \"b\") or=(probe kretprobe \"c\"))\n  (block))\n"},
		{"BEGIN { ;; if 1 { f() } else if (2) { g(); } else { } $x += 1 }",
			"(clause (probe begin)\n  (block\n    (if 1\n      (block\n        (call f))\n      (block\n        (if 2\n          (block\n            (call g))\n          (block))))\n    (+= $x 1)))\n"},
		{"END { for $i : 0..5 { break } for ($kv : @m) { continue; } while 1 { return } unroll(2) { } let $a: string[5] = \"x\"; let $b; _ = f(); }",
			"(clause (probe end)\n  (block\n    (for $i 0 5\n      (block\n        (break)))\n    (for $kv @m\n      (block\n        (continue)))\n    (while 1\n      (block\n        (return)))\n    (unroll 2\n      (block))\n    (let $a :string[5] \"x\")\n    (let $b)\n    (= _ (call f))))\n"},
		{"config = { a = 1; b = \"x\", c = 2%\n d = word }\nimport \"y\"\nlet @m = hash(10) macro f(a, $b, @c) { a }",
			"(config a 1)\n(config b \"x\")\n(config c \"2%\")\n(config d word)\n(import \"y\")\n(map @m hash 10)\n(macro f a $b @c\n  (block\n    (value a)))\n"},
		{"#!x\n#include <a/b.h>\n#define A 2\n#define B (A \\\n + 1)\n#ifndef BPFTRACE_HAVE_BTF\nrubbish {\n#else\n#if A == 2\nenum e { P = B, Q };\n#endif\n#endif\nstruct s { unsigned long long int a, *b; char c[A][4]; int d:3; union { int u; }; void (*f)(int); struct in { int i; } in; } __attribute__((packed))\n",
			"(include \"a/b.h\")\n(define A 2)\n(define B (+ A 1))\n(enum e (P B) Q)\n(struct in (member i int))\n" +
				"(struct s (member a unsigned long long) (member b unsigned long long*) (member c char [2] [4]) (member d int :3) (member (union (member u int))) (member f void*) (member in (struct in (member i int))))\n"},
		{"typedef struct { int a; } x_t;\nstruct fwd;\n", "(struct x_t (member a int))\n"},
	} {
		got, errors, _ := parseText(c.in)
		if got != c.want || errors != "" {
			t.Errorf("%s\ngot:\n%s%swant:\n%s", c.in, got, errors, c.want)
		}
	}
}

// TestErrors has, for each script, the whole text that its reader sees.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"BEGIN { $x = ; $y = 'a' }", `-e:1:14-15: ERROR: expected an expression, found ';'
    1 | BEGIN { $x = ; $y = 'a' }
      |              ^
  hint: a value is missing after '='
-e:1:21-22: ERROR: expected an expression, found a single quote
    1 | BEGIN { $x = ; $y = 'a' }
      |                     ^
  hint: a character is written as its number, 97 for 'a'; a string in double quotes
`},
		{"BEGIN {\n\tf(\"a\\q\")\n\tg(12e3);\n}", `-e:2:6-8: ERROR: unknown escape \q
    2 |     f("a\q")
      |         ^~
  hint: the escapes are \n \t \r \a \b \e \" \\ \ooo (octal) and \xHH
`},
		{"BEGIN {\n\tf()\n\tg();\n}\nkprobe: { }", `-e:2:5-6: ERROR: expected ';' or '}' after the statement, found 'g'
    2 |     f()
      |        ^
  hint: end each statement with ';'
-e:5:7-8: ERROR: expected a name after 'kprobe:'
    5 | kprobe: { }
      |       ^
  hint: fst -l 'kprobe:*' lists what can be used there
`},
		{"kprobe:a /pid in 5/ { }", `-e:1:15-17: ERROR: expected an operator or the '/' that ends the filter, found 'in'
    1 | kprobe:a /pid in 5/ { }
      |               ^~
  hint: has_key(@map, key) is true if a map has the key; for ($kv : @map) { ... } visits all keys
`},
		{"kprobe:a /pid == 1 { }\nkprobe:b/pid/ == 2 { }", `-e:1:20-21: ERROR: expected an operator or the '/' that ends the filter, found '{'
    1 | kprobe:a /pid == 1 { }
      |                    ^
  hint: write probe /filter/ { action }
-e:2:9-14: ERROR: this filter belongs to the name of the probe
    2 | kprobe:b/pid/ == 2 { }
      |         ^~~~~
  hint: put a space before it: kprobe:b /pid/
`},
		{"kprobe:a {\n  if (1) {\nkprobe:b { }", `-e:2:10-11: ERROR: this '{' is not closed before the next clause
    2 |   if (1) {
      |          ^
  hint: close it with '}'
`},
		{"BEGIN { for (($k, $v) : @m) { } pid = 1; $x = 1 = 2 }", `-e:1:14-15: ERROR: a loop has one variable, not a tuple
    1 | BEGIN { for (($k, $v) : @m) { } pid = 1; $x = 1 = 2 }
      |              ^
  hint: write for ($kv : @map) and use $kv.0 for the key and $kv.1 for the value
-e:1:33-36: ERROR: can't assign to the name pid
    1 | BEGIN { for (($k, $v) : @m) { } pid = 1; $x = 1 = 2 }
      |                                 ^~~
  hint: a variable is written $pid, a map @pid
-e:1:49-50: ERROR: an assignment has no value: it can't be assigned again
    1 | BEGIN { for (($k, $v) : @m) { } pid = 1; $x = 1 = 2 }
      |                                                 ^
  hint: write two statements
`},
		{"BEGIN { print(99999999999999999999); print(1.5); print(08) }", `-e:1:15-35: ERROR: 99999999999999999999 does not fit in 64 bits
    1 | BEGIN { print(99999999999999999999); print(1.5); print(08) }
      |               ^~~~~~~~~~~~~~~~~~~~
  hint: the largest number is 18446744073709551615 (0xffffffffffffffff)
-e:1:44-47: ERROR: a number must be an integer, without a fraction
    1 | BEGIN { print(99999999999999999999); print(1.5); print(08) }
      |                                            ^~~
  hint: use a smaller unit, such as 1500us for 1.5ms
-e:1:56-58: ERROR: 08 has the digit 8, which is not octal
    1 | BEGIN { print(99999999999999999999); print(1.5); print(08) }
      |                                                        ^~
  hint: a number with a leading 0 is octal; leave the 0 out
`},
		{"struct s { int a b; };\n#define F(x) x\n}", `-e:1:18-19: ERROR: expected ';' after the member, found 'b'
    1 | struct s { int a b; };
      |                  ^
  hint: end each member with ';'
-e:3:1-2: ERROR: this '}' closes nothing
    3 | }
      | ^
  hint: remove it, or look for an extra '}' above
`},
	} {
		if _, got, _ := parseText(c.in); got != c.want {
			t.Errorf("%s\ngot:\n%swant:\n%s", c.in, got, c.want)
		}
	}
}

func TestIncomplete(t *testing.T) {
	for in, want := range map[string]bool{
		"BEGIN {":               true,
		"BEGIN { if (1) {":      true,
		"BEGIN { f(1,":          true,
		"BEGIN { $x =":          true,
		"BEGIN { /* c":          true,
		"/* c":                  true,
		"BEGIN { \"abc":         false, // it ends in its line
		"BEGIN {\n\tf(\"a\");":  true,
		"kprobe:":               true,
		"kprobe:a,":             true,
		"kprobe:a |":            true,
		"kprobe:a /pid":         true,
		"kprobe:a /pid ==":      true,
		"struct x {":            true,
		"struct x { int a;":     true,
		"config = {":            true,
		"macro f(a":             true,
		"let @m = hash(":        true,
		"#if 0\n":               true,
		"":                      false,
		"kprobe:a":              false,
		"kprobe:a /pid/":        false,
		"BEGIN { } }":           false,
		"BEGIN { $x = ; if 1 {": false,
		"BEGIN { f(; }":         false,
	} {
		if _, errors, got := parseText(in); got != want {
			t.Errorf("%q: incomplete is %v, want %v\n%s", in, got, want, errors)
		}
	}
}

// TestManyErrors checks that the errors of a hopeless text end.
func TestManyErrors(t *testing.T) {
	_, errors, _ := parseText("BEGIN { " + strings.Repeat("f(; ", 2*maxErrors) + "}")
	if want := fmt.Sprintf("\nand %d more errors\n", maxErrors-strings.Count(errors, "ERROR:")); !strings.HasSuffix(errors, want) {
		t.Errorf("%s\nshould end with %q", errors, want)
	}
}
