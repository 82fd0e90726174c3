package main

import (
	"fmt"
	"strings"
)

// kind is a family of scripts that grow with a number.
type kind struct {
	name string
	text func(n int) string
}

// times repeats a text, # standing for the number of the repetition.
func times(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "#", fmt.Sprint(i)))
	}
	return b.String()
}

func join(n int, text, sep string) string {
	return strings.TrimSuffix(times(n, text+sep), sep)
}

func begin(body string) string { return "BEGIN {\n" + body + "\n}\n" }

func nested(n int, open, in, close string) string {
	return strings.Repeat(open, n) + in + strings.Repeat(close, n)
}

const tp = "tracepoint:raw_syscalls:sys_enter "

var kinds = []kind{
	{"literals", func(n int) string { return begin("$x = " + join(n, "1", "+") + "; print($x);") }},
	{"sum-of-vars", func(n int) string { return begin("$y = rand; $x = " + join(n, "$y", "+") + "; print($x);") }},
	{"live", func(n int) string {
		return begin(times(n, "$v# = rand;\n") + "$s = (uint64)0;\n" + times(n, "$s += $v#;\n") + "print($s);")
	}},
	{"vars", func(n int) string { return begin(times(n, "$v# = #; print($v#);\n")) }},
	{"scopes", func(n int) string { return begin(times(n, "if (rand) { let $v = #; print($v); }\n")) }},
	{"clauses", func(n int) string { return times(n, "interval:s:1 { @x = count(); print(#); }\n") }},
	{"tracepoints", func(n int) string { return times(n, tp+"/pid == #/ { @a[comm] = count(); }\n") }},
	{"signals", func(n int) string { return join(n, "uprobe:/bin/bash:f#", ",\n") + "{ print(1); }" }},
	{"kprobe-alternatives", func(n int) string {
		return times(n/50, join(50, "kprobe:nosuch#", " | ")+" | kprobe:vfs_read { print(1); }\n")
	}},
	{"else-if", func(n int) string {
		return begin("$x = rand; if ($x == 7) { print(1); }" + times(n, " else if ($x == 1#) { print(#); }\n"))
	}},
	{"parens", func(n int) string { return begin("print(" + nested(n, "(", "1", ")") + ");") }},
	{"ternary-right", func(n int) string { return begin("print(" + nested(n, "rand ? 1 : ", "1", "") + ");") }},
	{"fors", func(n int) string { return begin(times(n, "for ($i : 0..5) { print($i); }\n")) }},
	{"ifs", func(n int) string { return begin(times(n, "if (rand == #) { print(#); }\n")) }},
	{"maps", func(n int) string { return begin(times(n, "@m# = 1;\n")) }},
	{"printf-args", func(n int) string {
		return begin("printf(\"" + times(n, "%d ") + "\", " + join(n, "rand", ",") + ");")
	}},
	{"or", func(n int) string { return tp + "/" + join(n, "pid == #", " || ") + "/ { print(1); }" }},
	{"and-or", func(n int) string {
		return tp + "/" + join(n, "(pid != # && tid != #)", " || ") + "/ { print(1); }"
	}},
	{"members", func(n int) string { return begin(times(n, "print(curtask->pid);\n")) }},
	{"macro-args", func(n int) string {
		return "macro m(" + join(n, "a#", ",") + ") { " + join(n, "a#", "+") + " }\n" + begin("print(m("+join(n, "#", ",")+"));")
	}},
	{"functions", func(n int) string {
		return times(n, "fn f#($a: uint64): uint64 { return $a + #; }\n") + begin(times(n, "print(f#(1));\n"))
	}},
	{"function-calls", func(n int) string {
		return "fn f($a: uint64): uint64 { if ($a > 3) { return 1; } return $a + 1; }\n" + begin(times(n, "print(f(#));\n"))
	}},
	{"defines-used", func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "#define D%d %d\n", i, i)
		}
		return b.String() + begin(times(n, "print(D#);\n"))
	}},
	{"comments-clauses", func(n int) string { return times(n, "// comment #\nBEGIN { print(#); /* c */ }\n") }},
	{"comments-block", func(n int) string { return begin(times(n, "print(/* c */ 1); /* comment # */\n")) }},
	{"undefined-functions", func(n int) string { return begin(times(n, "nosuch#();\n")) }},
	{"syntax-errors-one-line", func(n int) string { return begin(times(n, "print(; ")) }},
	{"type-errors", func(n int) string { return begin(times(n, "$x# = 1; $x# = \"a\";\n")) }},
	{"declared-probes", func(n int) string {
		return times(n, "probe p#:q(a: uint64);\n") + begin(times(n, "fire p#:q(a = 1);\n")) + times(n, "p#:q { print(args.a); }\n")
	}},
	{"while-body", func(n int) string {
		return begin("$i = 0; while ($i < 10) { $i++;\n" + times(n, "if ($i == #) { continue; } print(#);\n") + "}")
	}},
	{"while-breaks", func(n int) string {
		return begin("$i = 0; while ($i < 10) { $i++;\n" + times(n, "if ($i == #) { break; }\n") + "}")
	}},
	{"conditions", func(n int) string { return times(n, "#if #\n#endif\n") + begin("print(1);") }},
	{"defines-unknown", func(n int) string { return times(n, "#define D# unknown#\n") + begin("print(1);") }},
	{"macros", func(n int) string { return times(n, "macro m#() { # }\n") + begin(times(n, "print(m#());\n")) }},
	{"probes-of-a-clause", func(n int) string { return join(n, "kprobe:f#", ",\n") + "{ print(1); }" }},
	{"unknown-probes", func(n int) string { return times(n, "kprobe:nosuch# { print(#); }\n") }},
	{"unknown-types", func(n int) string { return times(n, "BEGIN { print(((struct nosuch#*)0)->a); }\n") }},
	{"strings", func(n int) string { return begin(times(n, "print(\"a string of some length, number #\");\n")) }},
	{"maps-of-clauses", func(n int) string { return times(n, "interval:s:1 { @m#[pid] = #; }\n") }},
	{"declared-maps", func(n int) string { return times(n, "let @m# = hash(10);\n") + begin("print(1);") }},
	{"structs", func(n int) string { return times(n, "struct s# { int a; struct s# *b; };\n") + begin("print(1);") }},
	{"structs-used", func(n int) string {
		return times(n, "struct s# { int a; struct s# *b; };\n") + begin(times(n, "print(((struct s#*)0)->a);\n"))
	}},
	{"enumerators", func(n int) string { return "enum e {" + join(n, "E#", ", ") + "};\n" + begin(times(n, "print(E#);\n")) }},
	{"open-quotes", func(n int) string { return strings.Repeat("BEGIN { print(\"a); }\n", n) }},
	{"unknown-imports", func(n int) string { return times(n, "import \"x#.fst\";\n") + begin("print(1);") }},
	{"member-chain", func(n int) string { return begin("print(curtask" + strings.Repeat("->parent", n) + "->pid);") }},
}
