package compiler_test

import (
	"fmt"
	"strings"
	"testing"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/target/fixture"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

// longScript makes a script of so many lines, six a probe.
func longScript(lines int) string {
	var s strings.Builder
	for i := range lines / 6 {
		if i%2 == 0 {
			fmt.Fprintf(&s, "tracepoint:raw_syscalls:sys_enter\n/pid == 77 && args->id == %d/\n{\n"+
				"\t@start%d[tid] = nsecs;\n\t@calls[comm, args->id] = count();\n}\n", i, i)
		} else {
			fmt.Fprintf(&s, "tracepoint:raw_syscalls:sys_exit\n/pid == 77 && @start%d[tid]/\n{\n"+
				"\t@time%d[comm] = hist((nsecs - @start%d[tid]) / 1000);\n\tdelete(@start%d[tid]);\n}\n",
				i-1, i, i-1, i-1)
		}
	}
	return s.String()
}

// BenchmarkCompile compiles scripts of several lengths and kinds, step by step.
func BenchmarkCompile(b *testing.B) {
	k, err := fixture.Load("6.12")
	if err != nil {
		b.Fatal(err)
	}
	o := compiler.Options{Options: check.Options{Target: k}}
	for _, script := range []struct{ name, text string }{
		{"one-line", `tracepoint:raw_syscalls:sys_enter { @[comm] = count(); }`},
		{"300-lines", longScript(300)},
		{"3000-lines", longScript(3000)},
	} {
		parsed := func(b *testing.B) (*source.Set, *ast.Program, *diag.List) {
			set, diags := new(source.Set), new(diag.List)
			tree := parse.Parse(set.Add("bench", script.text), diags)
			if diags.HasErrors() {
				b.Fatal(diags.All[0])
			}
			return set, tree, diags
		}
		for _, step := range []struct {
			name string
			run  func(b *testing.B)
		}{
			{"parse", func(b *testing.B) { parsed(b) }},
			{"check", func(b *testing.B) {
				set, tree, diags := parsed(b)
				compiler.Check(set, tree, o.Options, diags)
			}},
			{"all", func(b *testing.B) {
				set, tree, diags := parsed(b)
				if obj, err := compiler.Compile(set, tree, o, diags); obj == nil {
					b.Fatal(err, diags.All)
				}
			}},
		} {
			b.Run(script.name+"/"+step.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					step.run(b)
				}
			})
		}
	}
}
