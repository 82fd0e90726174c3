package compiler_test

import (
	"strings"
	"testing"
	"time"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/tests/conformance"
)

// FuzzCompile checks what holds for every text that parses: the checker and all
// that is behind it end, and do not panic; what is refused is refused with a
// text at a place in a file; what is not makes an object.
func FuzzCompile(f *testing.F) {
	k, err := fixture.Load("7.2")
	if err != nil {
		f.Fatal(err)
	}
	cases, err := conformance.Load("../tests/conformance")
	if err != nil {
		f.Fatal(err)
	}
	for i, c := range cases {
		if c.Prog != "" && (!testing.Short() || i%8 == 0) { // under the race detector each takes long
			f.Add(c.Prog)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		var set source.Set
		var diags diag.List
		file := set.Add("fuzz", text)
		tree := parse.Parse(file, &diags)
		if len(text) > 1<<12 || diags.HasErrors() {
			return
		}
		late := time.AfterFunc(20*time.Second, func() { panic("compiling hangs: " + text) })
		defer late.Stop()
		obj, err := compiler.Compile(&set, tree, compiler.Options{Options: check.Options{Target: k, Unsafe: true}}, &diags)
		switch {
		case err != nil:
			t.Fatal(err)
		case !diags.HasErrors() && obj == nil:
			t.Fatal("neither an object nor an error")
		}
		for _, d := range diags.All {
			if strings.TrimSpace(d.Message) == "" {
				t.Error("an error without a text")
			}
			whole := d.Message == "the script has no probe"
			if set.Position(d.Span.Start).Line < 1 && !whole || d.Span.End < d.Span.Start {
				t.Errorf("%q has the span %v", d.Message, d.Span)
			}
		}
	})
}
