package main

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"fst/lang/parse"
)

// input is a command line, and the files that it is about.
type input struct {
	name string
	// text is a script, header a header that it includes: # is the number of the repetition.
	text, header repeated
	// prepare makes other files.
	prepare func(dir string) error
	// args are fst's; "check s.fst" without them.
	args string
	// says is what the answer must have; empty for what may be right or wrong.
	says string
}

// repeated is a text of a wanted length.
type repeated struct{ before, piece, after string }

// fill repeats the piece until the text has so many bytes, or up to most times.
func (r repeated) fill(size int) string {
	var b strings.Builder
	b.WriteString(r.before)
	for i := 0; r.piece != "" && b.Len()+len(r.after)+len(r.piece)+8 < size; i++ {
		b.WriteString(strings.ReplaceAll(r.piece, "#", fmt.Sprint(i)))
	}
	b.WriteString(r.after)
	return b.String()
}

// script and header are how long the longest texts are that fst reads.
const (
	scriptSize = parse.MaxScript
	headerSize = 8 << 20
)

const ok = "BEGIN { print(1); }\n"

func clause(piece string) repeated { return repeated{"BEGIN {\n", piece, "\n}\n"} }

func atTop(piece string) repeated { return repeated{"", piece, ok} }

// nested is what opens over and over.
func nested(before, open string) repeated { return repeated{before, open, ""} }

var texts = []input{
	// Words, lines and bytes.
	{name: "empty lines", text: atTop("\n")},
	{name: "blanks", text: atTop(" ")},
	{name: "comments", text: atTop("// hello, world #\n")},
	{name: "one comment", text: repeated{"/*", "a\n", "*/" + ok}},
	{name: "open comment", text: repeated{ok + "/*", "a\n", ""}},
	{name: "words", text: repeated{"", "a ", ""}},
	{name: "one word", text: repeated{"", "a", ""}},
	{name: "zeros", text: repeated{"", "\x00", ""}},
	{name: "not UTF-8", text: repeated{ok, "\xff\xfe", ""}},
	{name: "semicolons", text: repeated{"", ";", ""}},
	{name: "colons", text: repeated{"", ":", ""}},
	{name: "commas", text: repeated{"", "a,", ""}},
	{name: "slashes", text: repeated{"BEGIN ", "/a", ""}},
	{name: "quotes", text: repeated{"", "BEGIN { print(\"a); }\n", ""}},
	{name: "quotes on a line", text: clause("print(\"a); ")},
	{name: "backslashes", text: repeated{"BEGIN { print(\"", "\\", ""}},
	{name: "stars", text: repeated{"BEGIN { print(", "*", "); }"}},
	{name: "numbers", text: repeated{"BEGIN { print(", "9", "); }"}},
	{name: "one long string", text: repeated{"BEGIN { print(\"", "x", "\"); }"}},
	{name: "one long name", text: repeated{"BEGIN { $", "x", " = 1; }"}},
	{name: "one long probe", text: repeated{"kprobe:", "x", " { }"}},
	{name: "one long wildcard", text: repeated{"kprobe:", "*a", " { }"}},
	{name: "one long brace pattern", text: repeated{"kprobe:", "{a,b}", " { }"}},
	{name: "one long format", text: repeated{"BEGIN { printf(\"", "%d", "\", 1); }"}},
	{name: "one long setting", text: repeated{"config = { max_strlen = ", "9", " }\n" + ok}},
	// Nesting.
	{name: "braces", text: nested("", "{")},
	{name: "closing braces", text: nested("BEGIN { ", "}")},
	{name: "braces of a clause", text: nested("BEGIN ", "{")},
	{name: "parentheses", text: nested("BEGIN { print(", "(")},
	{name: "brackets", text: nested("BEGIN { @", "[@")},
	{name: "minus", text: nested("BEGIN { print(", "-")},
	{name: "ternaries", text: nested("BEGIN { print(", "a?")},
	{name: "sum", text: repeated{"BEGIN { print(1", "+1", "); }"}},
	{name: "sum of variables", text: repeated{"BEGIN { $a = rand; print(1", "+$a", "); }"}},
	{name: "members", text: repeated{"BEGIN { print(curtask", "->parent", "); }"}},
	{name: "calls", text: nested("BEGIN { ", "f(")},
	{name: "casts", text: nested("BEGIN { print(", "(uint8)")},
	{name: "comparisons", text: repeated{"BEGIN { print(1", "<1", "); }"}},
	{name: "shifts", text: repeated{"BEGIN { print(1", "<<1", "); }"}},
	{name: "assignments", text: repeated{"BEGIN { ", "$a = ", "1; }"}},
	{name: "not", text: repeated{"BEGIN { print(", "!", "1); }"}},
	{name: "indexes", text: repeated{"BEGIN { print($1", "[0]", "); }"}},
	{name: "parts of tuples", text: repeated{"BEGIN { $a = (1, 2); print($a", ".0", "); }"}},
	{name: "arrays of arrays", text: repeated{"BEGIN { let $x: uint8", "[2]", "; }"}},
	{name: "pointers to pointers", text: repeated{"BEGIN { print((uint8", "*", ")0); }"}},
	{name: "tuples in tuples", text: nested("BEGIN { $a = ", "(1, ")},
	{name: "sizes of sizes", text: nested("BEGIN { print(", "sizeof(")},
	{name: "unrolls within unrolls", text: nested("BEGIN { ", "unroll (2) { ")},
	{name: "offsets of members", text: repeated{"BEGIN { print(offsetof(struct task_struct, ", "a.", "a)); }"}},
	{name: "else if", text: repeated{"BEGIN { $x = rand; if ($x == 7) { print(1); }", " else if ($x == 1#) { print(#); }\n", "}"}},
	{name: "ifs within ifs", text: nested("BEGIN { ", "if (rand) { ")},
	{name: "loops within loops", text: nested("BEGIN { ", "for ($i# : 0..5) { ")},
	// Much of one thing.
	{name: "statements", text: clause("$a=1; ")},
	{name: "strings", text: clause("print(\"abcdefghijklmnopqrstuvwxyz#\");\n")},
	{name: "printf", text: clause("printf(\"abcdefghijklmnopqrstuvwxyz# %d\\n\", 1);\n")},
	{name: "variables", text: clause("$v# = #; print($v#);\n")},
	{name: "variables in scopes", text: clause("if (rand) { let $v = #; print($v); }\n")},
	{name: "variables that live", text: repeated{"BEGIN {\n$s = (uint64)0;\n", "$v# = rand;\n", "print($v1);\n}\n"}},
	{name: "maps", text: clause("@m# = #;\n")},
	{name: "maps of many clauses", text: atTop("BEGIN { @m#[pid] = #; }\n")},
	{name: "heat maps", text: repeated{"BEGIN { @h = hist(1); }\ninterval:1s {\n", "heat(@h, \"unit#\");\n", "}\n"}},
	{name: "heat maps of many maps", text: clause("@h# = hist(#); heat(@h#);\n")},
	{name: "declared maps", text: atTop("let @m# = hash(10);\n")},
	{name: "keys", text: repeated{"BEGIN { @[1", ",1", "] = 1; }"}},
	{name: "arguments", text: repeated{"BEGIN { print((1", ",1", ")); }"}},
	{name: "errors", text: clause("nosuch#();\n")},
	{name: "same errors", text: clause("nosuch();\n")},
	{name: "type errors", text: clause("$x# = 1; $x# = \"a\";\n")},
	{name: "syntax errors", text: clause("print(;\n")},
	{name: "doubts", text: clause("if (1 == 2) { }\n")},
	{name: "clauses", text: atTop("interval:s:1 { @x = count(); }\n")},
	{name: "clauses of names that are not", text: atTop("kprobe:nosuch# { print(#); }\n")},
	{name: "clauses of types that are not", text: atTop("BEGIN { print(((struct nosuch#*)0)->a); }\n")},
	{name: "probes of a clause", text: repeated{"", "kprobe:f#,\n", ok}},
	{name: "same probe", text: repeated{"", "tracepoint:sched:sched_switch,\n", ok}},
	{name: "uprobes", text: repeated{"", "uprobe:/bin/sh:f#,\n", ok}},
	{name: "alternatives", text: repeated{"", "kprobe:f# |\n", ok}},
	{name: "wildcards", text: repeated{"", "kprobe:*f#*,\n", ok}},
	{name: "the same wildcard", text: repeated{"", "tracepoint:syscalls:sys_enter_*,\n", "BEGIN { }\n"}},
	{name: "a wildcard of stars", text: repeated{"tracepoint:sched:", "*", " { }"}},
	{name: "a wildcard of question marks", text: repeated{"kprobe:", "?", " { }"}},
	{name: "filter", text: repeated{"tracepoint:sched:sched_switch /pid == 1", " || pid == #", "/ { print(1); }"}},
	{name: "settings", text: repeated{"config = {\n", "max_strlen = 5;\n", "}\n" + ok}},
	{name: "imports of nothing", text: atTop("import \"x#.fst\";\n")},
	{name: "imports on a line", text: repeated{"", "import \"", ""}},
	{name: "declared maps on a line", text: repeated{"", "let @m# = hash(1) ", ""}},
	{name: "includes of nothing", text: atTop("#include \"x#.h\"\n")},
	{name: "lines of #!", text: repeated{before: strings.Repeat("#!/x\n", 40_000) + ok}},
	{name: "preprocessor lines", text: atTop("#nosuch #\n")},
	{name: "functions", text: atTop("fn f#($a: uint64): uint64 { return $a + #; }\n")},
	{name: "macros", text: atTop("macro m#() { # }\n")},
	{name: "calls of a macro", text: repeated{"macro m(a) { a + 1 }\nBEGIN {\n", "print(m(#));\n", "}\n"}},
	{name: "declared probes", text: atTop("probe p#:q(a: uint64);\n")},
	{name: "labels", text: atTop("l#=interval:s:1 { }\n")},
	{name: "positional parameters", text: clause("print($#);\n")},
	{name: "getopt", text: clause("print(getopt(\"a#\", 1));\n")},
	// Little that stands for much.
	{name: "macros of macros", text: repeated{"macro m() { 1 }\n", "macro m#() { m#m() + m#m() }\n", ok}},
	{name: "a macro in itself", text: repeated{"macro m() { m() + m() }\n", "", "BEGIN { print(m()); }\n"}, says: "m"},
	{name: "doubling macros", text: doubling("macro m%d() { m%[2]d() + m%[2]d() }\n", "macro m0() { 1 }\nBEGIN { print(m60()); }\n"), says: "too large"},
	{name: "doubling defines", text: doubling("#define D%d D%[2]d+D%[2]d\n", "#define D0 1\nBEGIN { print(D60); }\n"), says: "too large"},
	{name: "a long define", text: repeated{"#define D 1" + strings.Repeat("+1", 40_000) + "\n" + ok, "// #\n", ""}, says: "#define has 80002 bytes"},
	{name: "doubling arguments", text: doubling("macro m%d(a) { m%[2]d(a + a) }\n", "macro m0(a) { a }\nBEGIN { print(m60(1)); }\n"), says: "too large"},
	{name: "doubling functions", text: doubling("fn f%d(): uint64 { return f%[2]d() + f%[2]d(); }\n", "fn f0(): uint64 { return 1; }\nBEGIN { print(f60()); }\n")},
	{name: "doubling conditions", text: doubling("#define D%d (D%[2]d+D%[2]d)\n", "#define D0 1\n#if D60\n#endif\n"+ok)},
	{name: "functions of functions", text: repeated{before: chain(2000, "fn f%d($a: uint64): uint64 { return f%[2]d($a); }\n") + "fn f0($a: uint64): uint64 { return $a; }\nBEGIN { print(f2000(1)); }\n"}, says: "levels deep"},
	{name: "macros of macros of macros", text: repeated{before: chain(2000, "macro m%d(a) { m%[2]d(a) }\n") + "macro m0(a) { a }\nBEGIN { print(m2000(1)); }\n"}, says: "levels deep"},
	{name: "typedefs of typedefs", text: repeated{before: "typedef int t0;\n" + reversed(2000, "typedef t%[2]d t%[1]d;\n") + "BEGIN { print(sizeof(t2000)); }\n"}},
	{name: "tuples of tuples", text: repeated{before: "BEGIN { $a0 = (1, 2);\n" + reversed(60, "$a%d = ($a%[2]d, $a%[2]d);\n") + "print($a60); }\n"}, says: "a tuple or a record has at most"},
	{name: "thousandfold types", text: doubling("struct s%d { struct s%[2]d x[1000]; };\n", "struct s0 { int a; };\nBEGIN { print(sizeof(struct s60)); }\n"), says: "large"},
	{name: "unroll in unroll", text: repeated{before: "BEGIN { unroll 100 { unroll 100 { unroll 100 { unroll 100 { print(1); } } } } }"}},
	{name: "a large array", text: repeated{before: "BEGIN { let $x: uint8[2000000000]; print($x[1]); }"}, says: "length of an array"},
	{name: "a large map", text: repeated{before: "let @m = hash(4000000000);\nBEGIN { @m[1] = 1; }"}, says: "entries"},
	{name: "a large range", text: repeated{before: "BEGIN { for ($i : 0..9223372036854775807) { @ = count(); } }"}},
	{name: "a large string", text: repeated{before: "config = { max_strlen = 1000000000 }\nBEGIN { print(str(kaddr(\"jiffies\"))); }"}, says: "max_strlen"},
	{name: "a large buffer", text: repeated{before: "config = { perf_rb_pages = 1000000000 }\n" + ok}, says: "from 0 to 131072"},
	{name: "a brace pattern of many", text: repeated{before: "kprobe:" + strings.Repeat("{a,b,c,d,e,f,g,h}", 40) + " { }"}},
	{name: "a wildcard that tries all", text: repeated{before: "kprobe:" + strings.Repeat("*a", 200) + "*b { }"}},
	{name: "a filter's regular expression", text: repeated{before: ok}, args: "--probe-filter ((((a*)*)*)*)*b check s.fst"},

	// Headers.
	{name: "header of comments", header: repeated{piece: "// hello, world #\n"}},
	{name: "header of defines", header: repeated{piece: "#define D# #\n"}},
	{name: "header of defines of unknown words", header: repeated{piece: "#define D# unknown#\n"}},
	{name: "header of the same defines", header: repeated{piece: "#define D 1\n"}},
	{name: "header of one long define", header: repeated{before: "#define D 1", piece: "+1"}},
	{name: "header of a define of many lines", header: repeated{before: "#define D 1", piece: "\\\n+1"}},
	{name: "header of #if pairs", header: repeated{piece: "#if #\n#endif\n"}},
	{name: "header of #if 0 pairs", header: repeated{piece: "#if 0\n#endif\n"}},
	{name: "header of open #ifs", header: repeated{piece: "#if 1\n"}},
	{name: "header of open #if 0", header: repeated{piece: "#if 0\n"}},
	{name: "header of an #if of !", header: repeated{"#if ", "!", "1\n#endif\n"}},
	{name: "header of an #if of ?", header: repeated{"#if ", "1?", "1:1\n#endif\n"}},
	{name: "header of an #if of +", header: repeated{"#if 1", "+1", "\n#endif\n"}},
	{name: "header of #elif", header: repeated{before: "#if 0\n", piece: "#elif 0\n"}},
	{name: "header of structs", header: repeated{piece: "struct s# { int a; struct s# *b; };\n"}},
	{name: "header of one struct", header: repeated{"struct s {\n", "int a#;\n", "};\n"}}, // 1/16 of it is read
	{name: "header of structs in structs", header: repeated{piece: "struct {"}},
	{name: "header of typedefs", header: repeated{piece: "typedef int t#;\n"}},
	{name: "header of enums", header: repeated{"enum e {", "E#,\n", "};\n"}},
	{name: "header of functions", header: repeated{piece: "static inline int f#(int a) { return a + #; }\n"}},
	{name: "header of braces", header: repeated{piece: "{"}},
	{name: "header of words", header: repeated{piece: "a "}},
	{name: "header of semicolons", header: repeated{piece: ";"}},
	{name: "header of zeros", header: repeated{piece: "\x00"}},
	{name: "header of quotes", header: repeated{piece: "\"a\n"}},
	{name: "header of pragmas", header: repeated{piece: "#pragma pack(push, 1)\n"}},

	// Binaries and recorded kernels that are damaged.
	{name: "binary of many sections", text: repeated{before: "uprobe:b:* { }"}, prepare: sections(2_000_000), says: "sections"},
	{name: "binary that claims all sections", text: repeated{before: "uprobe:b:* { }"}, prepare: sections(1<<32 - 1), says: "sections"},
	{name: "recorded kernel of zeros", text: repeated{before: "kprobe:vfs_* { }"}, prepare: archive("functions", "\x00", 400<<20), args: "check --kernel k.zip s.fst"},
	{name: "recorded kernel of many functions", text: repeated{before: "kprobe:vfs_* { }"}, prepare: archive("functions", "a\n", 30<<20), args: "check --kernel k.zip s.fst"},
	{name: "recorded kernel of no types", text: repeated{before: "kprobe:vfs_* { }"}, prepare: archive("btf/vmlinux", "\xff", 30<<20), args: "check --kernel k.zip s.fst"},

	// What is no file, or too large.
	{name: "files that are not", args: "check" + repeated{piece: " nosuch#.fst"}.fill(256<<10), says: "more files do not exist"},
	{name: "files that are not, formatted", args: "fmt" + repeated{piece: " nosuch#.fst"}.fill(256<<10), says: "more files do not exist"},
	{name: "script of 10 MB", prepare: large("s.fst", 10<<20), says: "at most"},
	{name: "script of 10 GB", prepare: large("s.fst", 10<<30), says: "at most"},
	{name: "formatted script of 10 MB", prepare: large("s.fst", 10<<20), args: "fmt s.fst", says: "at most"},
	{name: "header of 10 GB", text: repeated{before: "#include \"h.h\"\n" + ok}, prepare: large("h.h", 10<<30), says: "bytes together"},
	{name: "import of 10 GB", text: repeated{before: "import \"h.fst\";\n" + ok}, prepare: large("h.fst", 10<<30), says: "bytes together"},
	{name: "script that is a FIFO", prepare: fifo("s.fst"), says: "is a FIFO, not a file"},
	{name: "header that is a FIFO", text: repeated{before: "#include \"h.h\"\n" + ok}, prepare: fifo("h.h"), says: "is a FIFO, not a file"},
	{name: "import that is a FIFO", text: repeated{before: "import \"h.fst\";\n" + ok}, prepare: fifo("h.fst"), says: "is a FIFO, not a file"},
	{name: "import of a directory with a FIFO", text: repeated{before: "import \"d\";\n" + ok}, prepare: fifo("d/h.fst"), says: "is a FIFO, not a file"},
	{name: "script that has never anything to read", args: "check /proc/kmsg", says: "timeout"},
	{name: "script that is a device", args: "check /dev/zero", says: "is a device, not a file"},
	{name: "header that is a device", text: repeated{before: "#include \"/dev/zero\"\n" + ok}, says: "is a device, not a file"},
	{name: "import that is a device", text: repeated{before: "import \"z.fst\";\n" + ok}, prepare: link("z.fst", "/dev/zero"), says: "everybody may write"},
	{name: "header in a circle", text: repeated{before: "#include \"s.fst\"\n" + ok}},
	{name: "link in a circle", prepare: link("s.fst", "s.fst"), says: "symbolic links"},
	{name: "recorded kernel that is a device", text: repeated{before: ok}, args: "check --kernel /dev/zero s.fst", says: "/dev/zero"},
	{name: "recorded kernel that is a FIFO", text: repeated{before: ok}, prepare: fifo("k.zip"), args: "check --kernel k.zip s.fst", says: "k.zip"},
	{name: "functions from a FIFO", text: repeated{before: "kprobe:vfs_* { }"}, prepare: fifo("f"), args: "check --traceable-functions f s.fst"},
	{name: "functions from a device", text: repeated{before: "kprobe:vfs_* { }"}, args: "check --traceable-functions /dev/zero s.fst"},
	{name: "header that has never anything to read", text: repeated{before: ok}, args: "check --include /proc/kmsg s.fst", says: "timeout"},
	{name: "compiled to a FIFO", text: repeated{before: ok}, prepare: fifo("o"), args: "compile -o o s.fst", says: "nobody reads"},
	{name: "compiled to a full device", text: repeated{before: ok}, args: "compile -o /dev/full s.fst", says: "no space left"},
	{name: "stacks from a FIFO", prepare: fifo("f"), args: "diff f f", says: "is a FIFO, not a file"},
	{name: "stacks from a device", args: "diff /dev/zero /dev/zero", says: "is a device, not a file"},
	{name: "stacks of 10 GB", prepare: large("f", 10<<30), args: "diff f f", says: "at most"},
	{name: "binary that is a FIFO", text: repeated{before: "uprobe:b:* { }"}, prepare: fifo("b"), says: "b"},
	{name: "binary that is a device", text: repeated{before: "uprobe:/dev/zero:* { }"}, says: "/dev/zero"},
	{name: "binary of 10 GB of nothing", text: repeated{before: "uprobe:b:* { }"}, prepare: large("b", 10<<30), says: "b"},
	{name: "all functions of a large binary", text: repeated{before: "uprobe:FST:* { }"}},
	{name: "all functions of a binary, again and again", text: repeated{"", "uprobe:/bin/sh:*,\n", ok}},
	{name: "all files of the system", text: repeated{before: "uprobe:/*/*/*/*/*/*/*:f { }"}, says: "name their directories"},
	{name: "all functions of all binaries", text: repeated{before: "uprobe:/usr/bin/*:* { }"}},
}

// doubling is a chain of definitions, each of two of the one before.
func doubling(step, end string) repeated { return repeated{before: chain(60, step) + end} }

// chain is what stands for n definitions, the last first, of the one before.
func chain(n int, step string) string {
	var b strings.Builder
	for i := n; i > 0; i-- {
		fmt.Fprintf(&b, step, i, i-1)
	}
	return b.String()
}

// reversed is a chain that begins with the first.
func reversed(n int, step string) string {
	lines := strings.SplitAfter(chain(n, step), "\n")
	slices.Reverse(lines)
	return strings.Join(lines, "")
}

func fifo(name string) func(string) error {
	return func(dir string) error {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return syscall.Mkfifo(path, 0o600)
	}
}

func link(name, to string) func(string) error {
	return func(dir string) error { return os.Symlink(to, filepath.Join(dir, name)) }
}

// large makes a file of zeros that takes no place.
func large(name string, size int64) func(string) error {
	return func(dir string) error {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			return err
		}
		return os.Truncate(path, size)
	}
}

// sections makes a binary that says it has n sections, and has up to two million, of nothing.
func sections(n uint64) func(string) error {
	return func(dir string) error {
		head := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Shoff: 64, Ehsize: 64, Shentsize: 64, Shstrndx: 1}
		copy(head.Ident[:], "\x7fELF\x02\x01\x01")
		var b bytes.Buffer
		// With the number 0, the first section has the true one. The second has the names.
		err := errors.Join(binary.Write(&b, binary.LittleEndian, head), binary.Write(&b, binary.LittleEndian, elf.Section64{Size: n}),
			binary.Write(&b, binary.LittleEndian, elf.Section64{Type: uint32(elf.SHT_STRTAB), Size: 1}))
		path := filepath.Join(dir, "b")
		return errors.Join(err, os.WriteFile(path, b.Bytes(), 0o644), os.Truncate(path, 64+64*int64(min(n, 2_000_000))))
	}
}

// archive makes a recorded kernel with one entry, of a piece over and over.
func archive(entry, piece string, size int) func(string) error {
	return func(dir string) error {
		f, err := os.Create(filepath.Join(dir, "k.zip"))
		if err != nil {
			return err
		}
		defer f.Close()
		z := zip.NewWriter(f)
		w, err := z.Create("info")
		if err == nil {
			_, err = io.WriteString(w, "release: 6.1.0\narch: amd64\n")
		}
		if err != nil {
			return err
		}
		if w, err = z.Create(entry); err != nil {
			return err
		}
		// In parts: what this process has in memory counts as memory of those that it starts.
		for part := strings.Repeat(piece, 1<<20/len(piece)); size > 0; size -= len(part) {
			if _, err := io.WriteString(w, part); err != nil {
				return err
			}
		}
		return z.Close()
	}
}
