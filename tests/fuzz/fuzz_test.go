package main

import (
	"strings"
	"testing"
	"time"

	"fst/compiler/target/fixture"
)

// TestPrograms judges a few generated programs, always the same ones. The long
// run is go run ./tests/fuzz.
func TestPrograms(t *testing.T) {
	f, err := newFuzzer()
	if err != nil {
		t.Fatal(err)
	}
	if !f.root {
		// What another kernel would get, judged by the interpreters alone.
		f.live = f.recorded[len(f.recorded)-1]
	}
	deadline := time.Now().Add(4 * time.Second)
	for seed := int64(1); seed <= 25 && time.Now().Before(deadline); seed++ {
		text := generate(seed, false)
		if found := f.program(seed, text); found != nil {
			t.Errorf("seed %d: %v\n%s", seed, found, text)
		}
	}
}

// TestMutants compiles changed scripts for the newest recorded kernel.
func TestMutants(t *testing.T) {
	f := &fuzzer{counts: map[string]int{}}
	k, err := fixture.Load(fixture.Names[len(fixture.Names)-1])
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := readScripts("")
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(4 * time.Second)
	for seed := int64(1); seed <= 300 && time.Now().Before(deadline); seed++ {
		text := mutate(scripts, seed)
		if found := f.mutant(k, text); found != nil {
			t.Errorf("seed %d: %v\n%s", seed, found, text)
		}
	}
	if f.counts["mutants that compile"] == 0 {
		t.Error("no mutant compiles")
	}
}

// TestGenerate checks that a seed gives its program again, and that what is
// generated is worth judging: nearly all is accepted.
func TestGenerate(t *testing.T) {
	k, err := fixture.Load("7.2")
	if err != nil {
		t.Fatal(err)
	}
	for seed := int64(1); seed <= 10; seed++ {
		text := generate(seed, false)
		if text != generate(seed, false) {
			t.Fatalf("seed %d gives two programs", seed)
		}
		if _, found := compile(k, text, false); found != nil {
			t.Errorf("seed %d: %v\n%s", seed, found, text)
		}
	}
}

// TestReduce makes a program smaller and keeps what matters.
func TestReduce(t *testing.T) {
	text := "macro m(x) { x + 1 }\nbegin /1 == 1/ { $a = 5; if ($a) { print(m($a) / 7); } @x[1, \"a\"] = count(); }\nend { print(2); }\n"
	stays := func(s string) bool {
		_, found := compile(fixtureOf(t), s, false)
		return found == nil && strings.Contains(s, "count()")
	}
	small := reduce(text, stays, time.Minute)
	if want := "begin {\n@x[1] = count();\n}"; strings.Join(strings.Fields(small), "") != strings.Join(strings.Fields(want), "") {
		t.Errorf("reduced to %q", small)
	}
}

func fixtureOf(t *testing.T) *fixture.Kernel {
	t.Helper()
	k, err := fixture.Load("7.2")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestJudges makes each judge find something: a judge that never does is none.
func TestJudges(t *testing.T) {
	k := fixtureOf(t)
	for _, test := range []struct{ text, kind string }{
		{"begin { $x = ; }", "refused"},
		{"begin { print($x); }", "refused"},
	} {
		if _, found := compile(k, test.text, true); found == nil || found.kind != test.kind {
			t.Errorf("%s: %v", test.text, found)
		}
	}
	if found := guard("it", func() *failure { panic("x") }); found == nil || found.kind != "panic" {
		t.Errorf("a panic: %v", found)
	}
	a, found := compile(k, "begin { print(5); }", true)
	if found != nil {
		t.Fatal(found)
	}
	b, found := compile(k, "begin { print(6); }", true)
	if found != nil {
		t.Fatal(found)
	}
	if _, found := interpreters(&compiled{a.object, a.ir, b.optIR}); found == nil || found.kind != "optimiser" {
		t.Errorf("an optimiser that changes the result: %v", found)
	}
	if found := inKernel(&output{Out: "7\n"}, &output{Out: "8\n"}); found == nil || found.kind != "kernel" {
		t.Errorf("a kernel that says something else: %v", found)
	}
}

// TestOrdered compares maps without their order and the parentheses that
// bpftrace drops.
func TestOrdered(t *testing.T) {
	a, b := "x\n@m[1]: 2\n@m[2]: 1\n@n[0]: 1\n", "x\n@m[2]: 1\n@m[1]: 2\n@n[0]: 1\n"
	if ordered(a) != ordered(b) || ordered(a) == ordered("x\n") {
		t.Errorf("%q and %q", ordered(a), ordered(b))
	}
	a, b = "@m[0]: ]:\n@n[2]:\n[1]  1 |@|\n\n@n[1]:\n[2, 4)  1 |@|\n\n", "@m[0]: ]:\n@n[1]:\n[2, 4)  1 |@|\n\n@n[2]:\n[1]  1 |@|\n\n"
	if ordered(a) != ordered(b) {
		t.Errorf("%q and %q", ordered(a), ordered(b))
	}
	a, b = "@n[1]:\n\n@n[2]:\n\n7\n", "@n[2]:\n\n@n[1]:\n\n7\n"
	if ordered(a) != ordered(b) {
		t.Errorf("%q and %q", ordered(a), ordered(b))
	}
	a, b = "@m[((x))]: 1\n@n[(1, 2), (3, 4)]: 2\n", "@m[(x)]: 1\n@n[(1, 2), (3, 4)]: 2\n"
	if ordered(a) != ordered(b) || ordered(a) == ordered("@m[y]: 1\n@n[(1, 2), (3, 4)]: 2\n") {
		t.Errorf("%q and %q", ordered(a), ordered(b))
	}
}
