package reloc_test

import (
	"bytes"
	"slices"
	"testing"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/object"
	"fst/compiler/object/objfile"
	"fst/compiler/reloc"
	"fst/compiler/target"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/scripts"
)

func compile(k target.Target, name, text string) *object.Object {
	var set source.Set
	var diags diag.List
	tree := parse.Parse(set.Add(name, text), &diags)
	obj, err := compiler.Compile(&set, tree, compiler.Options{Options: check.Options{Target: k, OpenParams: true}}, &diags)
	if err != nil {
		return nil
	}
	return obj
}

// relocatable compiles a script and finds its facts; nil if it does not compile for the kernel.
func relocatable(k target.Target, name, text string) (*object.Object, []*reloc.Fact) {
	r := reloc.NewRecorder(k)
	obj := compile(r, name, text)
	if obj == nil {
		return nil, nil
	}
	return obj, reloc.Find(obj, r, nil, func(r *reloc.Recorder, _ func(reloc.Kind, string) int64) *object.Object {
		return compile(r, name, text)
	}, objfile.Encode)
}

func load(t *testing.T, name string) *fixture.Kernel {
	k, err := fixture.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestOtherKernel: what is put into an object for another kernel makes it what the script
// is compiled to there.
func TestOtherKernel(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, which finds nothing here that it does not find in other tests")
	}
	accepted, tried := 0, 0
	why := map[string]int{}
	for i, name := range scripts.Names() {
		text, _ := scripts.Source(name)
		// One pair a script: each takes dozens of compiles.
		kernels := [][2]string{{"6.1", "6.12"}, {"6.12", "7.2"}}[i%2]
		obj, facts := relocatable(load(t, kernels[0]), name, text)
		there := load(t, kernels[1])
		want := compile(there, name, text)
		if obj == nil || want == nil {
			continue
		}
		tried++
		now, diff := reloc.Compare(facts, there, nil)
		if diff != nil {
			t.Logf("%s %v: %s %d %d", name, kernels, diff.Fact.Name(), diff.Fact.Number, diff.Here.Number)
			why[string(diff.Fact.Kind)]++
			continue
		}
		if err := reloc.Put(obj, facts, now); err != nil {
			t.Errorf("%s %v: %v", name, kernels, err)
			continue
		}
		accepted++
		if slices.ContainsFunc(facts, func(f *reloc.Fact) bool { return f.Uses != nil && now[slices.Index(facts, f)] == 0 && f.Number != 0 }) {
			continue // to add 0 is left out there
		}
		if !bytes.Equal(objfile.Encode(obj), objfile.Encode(want)) {
			t.Errorf("%s: relocated from %s to %s it is not what is compiled there", name, kernels[0], kernels[1])
		}
	}
	t.Log(accepted, tried, why)
	if accepted < tried/3 {
		t.Errorf("only %d of %d objects may be moved", accepted, tried)
	}
}
