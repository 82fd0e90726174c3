package main

import (
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"fst/compiler/target"
	"fst/compiler/target/fixture"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/tests/conformance"
)

// readScripts reads the scripts of the source tree and of more directories.
func readScripts(more string) ([]string, error) {
	root, err := fixture.SourceTree()
	if err != nil {
		return nil, err
	}
	var texts []string
	cases, err := conformance.Load(filepath.Join(root, "tests", "conformance"))
	if err != nil {
		return nil, err
	}
	for _, c := range cases {
		if c.Prog != "" {
			texts = append(texts, c.Prog)
		}
	}
	dirs := append([]string{filepath.Join(root, "scripts")}, filepath.SplitList(more)...)
	for _, dir := range dirs {
		for _, pattern := range []string{"*.fst", "*.bt"} {
			files, _ := filepath.Glob(filepath.Join(dir, pattern))
			for _, name := range files {
				text, err := os.ReadFile(name)
				if err != nil {
					return nil, err
				}
				texts = append(texts, string(text))
			}
		}
	}
	return texts, nil
}

// mutate changes one of the scripts here and there.
func mutate(scripts []string, seed int64) string {
	r := rand.New(rand.NewSource(seed))
	text := scripts[r.Intn(len(scripts))]
	other := scripts[r.Intn(len(scripts))]
	for range 1 + r.Intn(4) {
		switch r.Intn(5) {
		case 0:
			text = mutateBytes(r, text)
		case 1:
			text = mutateTokens(r, text, other)
		default:
			text = mutateTree(r, text, other)
		}
	}
	return text
}

var odd = []string{"{", "}", "(", ")", "[", "]", "/", ";", ",", "\"", "'", "\\", "@", "$", "0", "18446744073709551615", "-1", "~", "!",
	"*", "&", "->", ".", "..", "?", ":", "=", "+=", "++", "--", "<<", ">>", "\x00", "\xff", "#", "//", "/*", "*/", "\n", "if", "else",
	"while", "for", "unroll", "let", "macro", "sizeof", "offsetof", "struct", "args", "retval", "count()", "hist(1)", "print", "str",
	"1e9", "0x", "_", "comptime", "typeof", "$1", "$#", "(1,2)", "kstack", "nsecs"}

// mutateBytes changes the text without regard to its form.
func mutateBytes(r *rand.Rand, text string) string {
	if text == "" {
		return odd[r.Intn(len(odd))]
	}
	i := r.Intn(len(text))
	j := min(len(text), i+1+r.Intn(8))
	switch r.Intn(5) {
	case 0:
		return text[:i] + text[j:]
	case 1:
		return text[:i] + text[i:j] + text[i:]
	case 2:
		return text[:i]
	case 3:
		return text[:i] + string(rune(r.Intn(256))) + text[j:]
	}
	return text[:i] + odd[r.Intn(len(odd))] + text[i:]
}

// tokenRE finds words, numbers, texts, line breaks and single characters.
var tokenRE = regexp.MustCompile(`[@$#]?\w+|"[^"\n]*"|\s+|.`)

// mutateTokens removes, repeats, exchanges or inserts a few tokens.
func mutateTokens(r *rand.Rand, text, other string) string {
	list, from := tokenRE.FindAllString(text, -1), tokenRE.FindAllString(other, -1)
	if len(list) == 0 || len(from) == 0 {
		return mutateBytes(r, text)
	}
	some := func(list []string) []string {
		i := r.Intn(len(list))
		return list[i:min(len(list), i+1+r.Intn(6))]
	}
	i, n := r.Intn(len(list)), 0
	if r.Intn(2) == 0 {
		n = min(1+r.Intn(3), len(list)-i)
	}
	by := [][]string{nil, some(list), some(from), {odd[r.Intn(len(odd))]}}[r.Intn(4)]
	return strings.Join(slices.Concat(list[:i], by, list[i+n:]), "")
}

// mutateTree puts a part of one script in the place of a part of another.
func mutateTree(r *rand.Rand, text, other string) string {
	a, b := places(text), places(other)
	if r.Intn(2) == 0 {
		b = a
	}
	kind := r.Intn(3)
	if len(a[kind]) == 0 {
		return mutateBytes(r, text)
	}
	at := a[kind][r.Intn(len(a[kind]))]
	by := ""
	switch {
	case kind == 2 && r.Intn(3) == 0:
		by = simple[r.Intn(len(simple))]
	case len(b[kind]) > 0 && r.Intn(6) > 0:
		by = b[kind][r.Intn(len(b[kind]))].text
	case kind == 2:
		by = simple[r.Intn(len(simple))]
	}
	if kind < 2 && r.Intn(2) == 0 { // beside, not instead of
		return text[:at.start] + by + " " + text[at.start:]
	}
	return edit{at.start, at.end, by}.apply(text)
}

// simple are expressions of many types.
var simple = []string{"0", "1", "-1", "18446744073709551615", "0x7fffffffffffffff", `""`, `"abc"`, "(1, 2)", `(1, "a")`, "(a = 1, b = 2)",
	"true", "pid", "comm", "nsecs", "curtask", "@", "@a", "@a[1]", "$x", "arg0", "args", "retval", "probe", "func", "kstack", "ustack",
	"str(arg0)", "buf(arg0, 4)", "ntop(0)", "(uint8)1", "(uint8[4])1", "(string[8])\"a\"", "*curtask", "curtask.pid", "(struct file *)0",
	"((struct file *)0).f_flags", "username", "strftime(\"%H\", nsecs)", "ksym(0)", "usym(0)", "cgroup", "count()", "hist(1)", "_", "&$x", "$x++",
	"macaddr(0)", "(1 ? 2 : 3)", "if (1) { 2 } else { 3 }", "{ 1 }", "()", "sizeof(1)", "offsetof(struct file, f_flags)", "1 / 0", "args.x", "$1"}

type place struct {
	start, end int
	text       string
}

// places lists the clauses, statements and expressions of a script.
func places(text string) (found [3][]place) {
	var set source.Set
	var diags diag.List
	file := set.Add("", text)
	tree := parse.Parse(file, &diags)
	ast.Walk(tree, func(n ast.Node) bool {
		kind := -1
		switch n.(type) {
		case *ast.Clause:
			kind = 0
		case ast.Stmt:
			kind = 1
		case ast.Expr:
			kind = 2
		}
		start, end := int(n.Pos().Start-file.Base), int(n.Pos().End-file.Base)
		if kind >= 0 && start >= 0 && start < end && end <= len(text) {
			t := text[start:end]
			if kind == 1 && !strings.HasSuffix(t, "}") {
				t += ";"
			}
			found[kind] = append(found[kind], place{start, end, t})
		}
		return true
	})
	return found
}

// mutant checks that a text, whatever it is, makes no pass fail. What parses is
// formatted, too: the form must parse as well, to the same tree, and stay as it is
// when it is formatted again.
func (f *fuzzer) mutant(t target.Target, text string) *failure {
	_, found := compile(t, text, false)
	if found != nil && found.kind != "refused" {
		return found
	}
	f.counts["mutants that compile"] += b2i(found == nil)
	return guard("formatting", func() *failure {
		once, tree, ok := formatted(text)
		if !ok {
			if found == nil {
				return fail("format", "a program that compiles is not formatted")
			}
			return nil
		}
		f.counts["mutants that are formatted"]++
		twice, again, ok := formatted(once)
		if !ok {
			return fail("format", "what was formatted does not parse:\n"+once)
		}
		if tree != again {
			return fail("format", "formatting changes the tree\n"+difference("before", tree, "after", again))
		}
		if once != twice {
			return fail("format", "formatting again changes it\n"+difference("once", once, "twice", twice))
		}
		return nil
	})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// formatted returns the canonical form of a text, and its tree as a text.
func formatted(text string) (form, tree string, ok bool) {
	var set source.Set
	var diags diag.List
	p := parse.Parse(set.Add("f", text), &diags)
	if diags.HasErrors() {
		return "", "", false
	}
	var b strings.Builder
	format.Dump(&b, p)
	return format.Source(p, &set), b.String(), true
}
