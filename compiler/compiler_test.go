package compiler_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fst/compiler"
	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/target/facts"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

var update = flag.Bool("update", false, "write the testdata anew")

// TestGolden compiles testdata/*.fst for the kernel that the first line names
// and compares the optimised programs and the maps with what stands behind a line
// "---". The line is "// kernel 6.12", or "// kernel 6.12 thread_maps" for one that has
// a feature which the recorded one did not have.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.fst")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".fst"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			script, want, _ := strings.Cut(string(text), "---\n")
			first, _, _ := strings.Cut(script, "\n")
			name, ok := strings.CutPrefix(first, "// kernel ")
			if !ok {
				t.Fatal("the first line names no kernel")
			}
			got := programs(t, name, script)
			if *update {
				if err := os.WriteFile(file, []byte(script+"---\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// compiled compiles a script, which must be right, for a recorded kernel that is named
// as in TestGolden. dump may be nil.
func compiled(t *testing.T, kernel, script string, dump func(compiler.Stage, string, string)) *object.Object {
	t.Helper()
	name, more, _ := strings.Cut(kernel, " ")
	k, err := fixture.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	k.Features = map[target.Feature]bool{}
	for flag := range strings.FieldsSeq(more) {
		feature, ok := facts.FeatureByFlag(flag)
		if !ok {
			t.Fatalf("no kernel has %q", flag)
		}
		k.Features[feature] = true
	}
	var set source.Set
	var diags diag.List
	obj, err := compiler.Compile(&set, parse.Parse(set.Add("a.fst", script), &diags),
		compiler.Options{Options: check.Options{Target: k, Unsafe: true}, Verify: true, Dump: dump}, &diags)
	if err != nil || obj == nil || diags.HasErrors() {
		t.Fatalf("%s: %s: %v %v", kernel, script, err, diags.All)
	}
	return obj
}

func programs(t *testing.T, kernel, script string) string {
	t.Helper()
	var b strings.Builder
	obj := compiled(t, kernel, script, compiler.DumpTo(&b, compiler.StageOpt))
	for _, m := range obj.Maps {
		if m.Kind == object.MapRingBuf || m.Unused {
			continue
		}
		fmt.Fprintf(&b, "map %s: kind %d, key %d, value %d, entries %d\n", m.Name, m.Kind, m.KeySize, m.ValueSize, m.MaxEntries)
	}
	return b.String()
}

// TestAliases compiles a function that has two names by either.
func TestAliases(t *testing.T) {
	tested := 0
	for _, f := range builtin.Funcs {
		for _, alias := range f.Aliases {
			tested++
			kind := "begin"
			if len(f.In) > 0 {
				kind = f.In[0] + ":__x64_sys_getuid"
			}
			script := kind + " { " + f.Example + "; }"
			want := programs(t, "7.2", script)
			if got := programs(t, "7.2", strings.Replace(script, f.Name+"(", alias+"(", 1)); got != want {
				t.Errorf("%s is\n%s\n%s is\n%s", alias, got, f.Name, want)
			}
		}
	}
	if tested == 0 {
		t.Error("no function has an alias")
	}
}

// asked counts how often all names of types are asked for.
type asked struct {
	*fixture.Kernel
	names int
}

func (a *asked) TypeNames() []string {
	a.names++
	return a.Kernel.TypeNames()
}

// TestOnceForAllPlaces: what is wrong in a clause is looked into once, and not for each
// of the functions that it is attached to.
func TestOnceForAllPlaces(t *testing.T) {
	k, err := fixture.Load("6.12")
	if err != nil {
		t.Fatal(err)
	}
	target := &asked{Kernel: k}
	var set source.Set
	var diags diag.List
	tree := parse.Parse(set.Add("a.fst", "kprobe:xfs_* { $x = (struct nosuch)args.a; print(((strukt)arg0).b); }"), &diags)
	if _, err := compiler.Compile(&set, tree, compiler.Options{Options: check.Options{Target: target}}, &diags); err != nil {
		t.Fatal(err)
	}
	if !diags.HasErrors() || target.names == 0 || target.names > 4 {
		t.Errorf("the names of all types were asked for %d times for %d errors", target.names, diags.Errors())
	}
}
