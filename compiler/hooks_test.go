package compiler_test

import (
	"slices"
	"strings"
	"testing"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/object"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

// TestScalarPointers compiles for Linux 5.10, where a program on a trampoline may
// read no argument that points to anything but a struct: pointers to functions, to
// constant memory and to text among them.
func TestScalarPointers(t *testing.T) {
	k, err := fixture.Load("5.10")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		script string
		kind   object.HookKind
		fields []string // of the event that the default action sends
	}{
		{"call:vfs_fsync", object.HookFexit, []string{"file", "datasync", "retval", "took"}},
		{"call:vfs_mkobj", object.HookKretprobe, []string{"dentry", "mode", "f", "arg", "retval", "took"}},
		{"call:vfs_setxattr", object.HookKretprobe, []string{"dentry", "name", "value", "size", "flags", "retval", "took"}},
		{"fexit:vfs_read", object.HookFexit, []string{"file", "count", "retval"}},
		{"kretprobe:vfs_read", object.HookKretprobe, []string{"retval"}},
	} {
		var set source.Set
		var diags diag.List
		obj, err := compiler.Compile(&set, parse.Parse(set.Add("a.fst", test.script), &diags),
			compiler.Options{Options: check.Options{Target: k}, Verify: true}, &diags)
		if err != nil || obj == nil {
			t.Errorf("%s: %v %v", test.script, err, diags.All)
			continue
		}
		i := slices.IndexFunc(obj.Programs, func(p *object.Program) bool { return !p.Entry })
		if got := obj.Programs[i].Hooks[0].Kind; got != test.kind {
			t.Errorf("%s is attached as %v, want %v", test.script, got, test.kind)
		}
		for _, m := range obj.Messages {
			if m.Kind != object.MsgEvent {
				continue
			}
			var names []string
			for _, f := range m.Fields {
				if !slices.Contains([]string{"nsecs", "comm", "pid", "tid"}, f.Name) {
					names = append(names, f.Name)
				}
			}
			if !slices.Equal(names, test.fields) {
				t.Errorf("%s shows %s, want %s", test.script, strings.Join(names, " "), strings.Join(test.fields, " "))
			}
		}
	}
}
