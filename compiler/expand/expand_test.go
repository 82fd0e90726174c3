package expand_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"fst/compiler/expand"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/parse"
	"fst/lang/source"
)

// stdlib has the family disk.
type stdlib struct{ tree *ast.Program }

func (s stdlib) Family(name string) *ast.Program {
	if name == "disk" {
		return s.tree
	}
	return nil
}

// library has a probe with a field that needs a map, and one that needs nothing.
const library = `
let @start = hash(5);
let @other = hash(5);
probe disk:begin(sector: uint64);
probe disk:end(sector: uint64, took: uint64, pid: uint32);
macro sector_of(x) { x + 1 }
kprobe:begin { @start[arg0] = nsecs; @other[arg0] = pid; fire disk:begin(sector = sector_of(arg0)); }
kprobe:end /arg1/ {
	$s = arg0;
	fire disk:end(sector = sector_of($s), took = nsecs - @start[$s], pid = @other[$s]);
	delete(@start, $s);
	delete(@other, $s);
}
kprobe:unrelated { @third = 1; }
`

// files are what can be imported: as loading leaves them to expansion.
var files = map[string]string{
	"lib.fst":  "probe mine:x(a); macro two() { 2 }\nkprobe:f { fire mine:x(a = two()); }",
	"loop.fst": "probe l:a(); probe l:b();\nl:a { fire l:b(); }\nl:b { fire l:a(); }\nkprobe:f { fire l:a(); }",
}

// expanded is the tree of a text and what was said about it.
func expanded(text string, opts expand.Options) string {
	var set source.Set
	var diags diag.List
	opts.Families = stdlib{parse.Parse(set.Add("disk.fst", library), &diags)}
	tree := parse.Parse(set.Add("script", text), &diags)
	for _, i := range tree.Imports {
		tree.Libraries = append(tree.Libraries, parse.Parse(set.Add(i.Path, files[i.Path]), &diags))
	}
	if !diags.HasErrors() {
		tree = expand.Expand(tree, opts, &diags)
	}
	if diags.HasErrors() {
		var b strings.Builder
		for _, d := range diags.All {
			b.WriteString(d.Message + "; " + d.Hint + "\n")
		}
		return b.String()
	}
	var b bytes.Buffer
	format.Dump(&b, tree)
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestDeclaredProbes(t *testing.T) {
	for _, test := range []struct {
		name, text string
		opts       expand.Options
		want       string
	}{
		{"what is not needed is left out", `disk:end { print(args.sector); }`, expand.Options{},
			`(clause (probe kprobe "end") (filter arg1) (block (= $s arg0)
			(block (inline disk:end (block (let $args.sector#3 :uint64 (+ $s 1)) (call print $args.sector#3))))))`},
		{"a field brings the clauses that keep its map", `disk:end /took > 5/ { @ = count(); }`, expand.Options{},
			`(map @start#disk hash 5)
			(clause (probe kprobe "begin") (block (= (@start#disk arg0) nsecs)))
			(clause (probe kprobe "end") (filter arg1) (block (= $s arg0)
			(block (inline disk:end (block (let $args.took#3 :uint64 (- nsecs (@start#disk $s)))
			(if (> $args.took#3 5) (block (= @ (call count))))))) (call delete @start#disk $s)))`},
		{"clauses share what fires them, variables do not meet", `disk:begin { $x = args.sector; } disk:begin { $x = "a"; } kprobe:y { $x = 1; }`, expand.Options{},
			`(clause (probe kprobe "begin") (block (block
			(inline disk:begin (block (let $args.sector#3 :uint64 (+ arg0 1)) (= $x#3 $args.sector#3)))
			(inline disk:begin (block (= $x#4 "a"))))))
			(clause (probe kprobe "y") (block (= $x 1)))`},
		{"other attach points keep the clause", `disk:begin, kprobe:y { @ = 1; }`, expand.Options{},
			`(clause (probe kprobe "begin") (block (block (inline disk:begin (block (= @ 1))))))
			(clause (probe kprobe "y") (block (= @ 1)))`},
		{"without an action the fields are shown", `disk:begin`, expand.Options{},
			`(clause (probe kprobe "begin") (block (block (inline disk:begin (block
			(let $args.sector#3 :uint64 (+ arg0 1)) (event disk:begin (record sector=$args.sector#3)))))))`},
		{"-p means the process of the event", `disk:end { @ = 1; }`, expand.Options{PID: 7},
			`(map @other#disk hash 5)
			(clause (probe kprobe "begin") (block (= (@other#disk arg0) pid)))
			(clause (probe kprobe "end") (filter arg1) (block (= $s arg0) (block (inline disk:end (block
			(let $args.pid#3 :uint32 (@other#disk $s)) (if (== $args.pid#3 7) (block (= @ 1)))))) (call delete @other#disk $s)))`},
		{"a script's own, by import", `import "lib.fst"; mine:* { print((probe, args.a, two())); }`, expand.Options{},
			`(clause (probe kprobe "f") (block (block (inline mine:x (block (let $args.a#3 2) (call print (tuple probe $args.a#3 2)))))))`},
		{"exists", `begin { if (exists(disk:end)) { exit(); } }`, expand.Options{},
			`(clause (probe begin) (block (if (call exists (probe kprobe "end")) (block (call exit)))))`},
		{"a name that no release of the library has yet", `begin { if (exists(disk:nosuch)) { nosuch(); } }`, expand.Options{},
			`(clause (probe begin) (block (if (comptime false) (block (call nosuch)))))`},
		{"exists of a probe that depends on itself", `probe own:a(); probe own:b(); own:a { fire own:b(); } own:b { fire own:a(); } begin { if (exists(own:a)) { exit(); } }`, expand.Options{},
			`(clause (probe begin) (block (if false (block (call exit)))))`},
		{"exists of too much", `begin { if (exists(disk:end:x)) { exit(); } }`, expand.Options{},
			"this probe is not complete or has too many parts; it is written disk:NAME, where NAME is begin, end\n"},

		{"unknown name", `disk:ends { }`, expand.Options{}, "there is no probe disk:ends; did you mean disk:end?\n"},
		{"unknown field", `disk:begin { print(args.sectors); }`, expand.Options{},
			`(clause (probe kprobe "begin") (block (block (inline disk:begin (block (call print (refused "disk:begin has no field sectors")))))))`},
		{"of the place, not the probe", `disk:begin { print(arg0); }`, expand.Options{},
			`(clause (probe kprobe "begin") (block (block (inline disk:begin (block (call print (refused "arg0 can't be used in disk:begin")))))))`},
		{"of another thread", `disk:end { print(comm); }`, expand.Options{},
			`(clause (probe kprobe "end") (filter arg1) (block (= $s arg0) (block (inline disk:end (block
			(call print (refused "comm can't be used in disk:end, which may run in any thread")))))))`},
		{"depends on itself", `import "loop.fst"; l:a { @ = 1; }`, expand.Options{}, "firing l:a leads to firing it again; a probe can't depend on itself\n"},
		{"fields must agree", `probe m:x(a, b); kprobe:f { fire m:x(a = 1, c = 2); } m:x { @ = 1; }`, expand.Options{},
			"m:x is fired without b; add b = ...\nm:x has no field c; it has a, b\n"},
		{"nobody fires it", `probe m:x(a); m:x { @ = 1; }`, expand.Options{}, "no clause fires m:x; write fire m:x(...); in the clause that sees it happen\n"},
		{"not declared", `kprobe:f { fire m:x(a = 1); }`, expand.Options{}, "the probe m:x is not declared; declare it: probe m:x(...);\n"},
		{"alternatives", `disk:end | kprobe:f { @ = 1; }`, expand.Options{},
			`(clause (probe kprobe "end") (filter (&& (comptime (call exists (probe kprobe "end"))) arg1)) (block (= $s arg0)
			(block (if (comptime (call exists (probe kprobe "end"))) (block (inline disk:end (block (= @ 1))))))))
			(clause (probe kprobe "f") (filter (comptime (! (call exists (probe kprobe "end"))))) (block (= @ 1)))`},
		{"a declared probe behind others, which stay together", `probe my:x(); kprobe:z { fire my:x(); } x=kprobe:f | g | my:x | kprobe:h /arg0/ { @ = 1; }`, expand.Options{},
			`(clause (probe kprobe "z") (block (block (if (comptime (&& (! (call exists (probe label=x kprobe "f" or=(probe kprobe "g")))) (call exists (probe kprobe "z"))))
			(block (inline x (block (if (refused "arg0 can't be used in my:x") (block (= @ 1))))))))))
			(clause (probe label=x kprobe "f" or=(probe kprobe "g")) (filter (&& (comptime (call exists (probe label=x kprobe "f" or=(probe kprobe "g")))) arg0)) (block (= @ 1)))
			(clause (probe label=x kprobe "h") (filter (&& (comptime (&& (! (call exists (probe label=x kprobe "f" or=(probe kprobe "g")))) (! (call exists (probe kprobe "z"))))) arg0)) (block (= @ 1)))`},
		{"what others need is there in any case", `disk:begin | kprobe:f { @ = 1; } disk:begin { @ = 2; }`, expand.Options{},
			`(clause (probe kprobe "begin") (block (block (if (comptime (call exists (probe kprobe "begin"))) (block (inline disk:begin (block (= @ 1)))))
			(inline disk:begin (block (= @ 2))))))
			(clause (probe kprobe "f") (filter (comptime (! (call exists (probe kprobe "begin"))))) (block (= @ 1)))`},
		{"so is what keeps a map for it, for these alone", `disk:end | kprobe:f { @ = took; }`, expand.Options{},
			`(map @start#disk hash 5)
			(clause (probe kprobe "begin") (filter (comptime (call exists (probe kprobe "end")))) (block (= (@start#disk arg0) nsecs)))
			(clause (probe kprobe "end") (filter (&& (comptime (call exists (probe kprobe "end"))) arg1)) (block (= $s arg0)
			(block (if (comptime (call exists (probe kprobe "end"))) (block (inline disk:end (block (let $args.took#3 :uint64 (- nsecs (@start#disk $s))) (= @ $args.took#3))))))
			(call delete @start#disk $s)))
			(clause (probe kprobe "f") (filter (comptime (! (call exists (probe kprobe "end"))))) (block (= @ took)))`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, want := expanded(test.text, test.opts), test.want
			if !strings.HasSuffix(want, "\n") {
				want = strings.Join(strings.Fields(want), " ")
			}
			if got != want {
				t.Errorf("%s\n got %s\nwant %s", test.text, got, want)
			}
		})
	}
}

// TestGrowthEnds expands macros beyond every measure, within all that is copied as a part of something else.
func TestGrowthEnds(t *testing.T) {
	var text strings.Builder
	text.WriteString("probe my:x(a: int64); macro m0(x) { x + 1 }\n")
	for i := range 20 {
		fmt.Fprintf(&text, "macro m%d(x) { m%d(x) + m%d(x) }\n", i+1, i, i)
	}
	text.WriteString("begin { fire my:x(a = m20(1)); fire my:x(a = 2); for ($kv : @m) { let $y = $kv.0; @m[1, 2] = (uint8)$y; } }\nmy:x { print(args.a); }")
	if said := expanded(text.String(), expand.Options{}); !strings.Contains(said, "this script is too large") {
		t.Error(said)
	}
}
