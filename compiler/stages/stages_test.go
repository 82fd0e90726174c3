package stages_test

import (
	"bytes"
	"strings"
	"testing"

	"fst/compiler/check"
	"fst/compiler/stages"
	"fst/compiler/target"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/source"
)

// machine is a running system: a recording that knows one cgroup and its PID namespace.
type machine struct {
	*fixture.Kernel
	target.Code
	target.DebugInfo
	target.Files
}

func (machine) CgroupID(string) (uint64, bool, error)     { return 4711, true, nil }
func (machine) PIDNamespace() (dev, inode uint64, n bool) { return 0, 0, false }
func (machine) BPFFunctions() []target.BPFFunction        { return nil }

// TestLive: what is shown of a running system is compiled from all that it knows, also where the questions are timed.
func TestLive(t *testing.T) {
	k, err := fixture.Load("6.12")
	if err != nil {
		t.Fatal(err)
	}
	for stage, want := range map[string]string{"ir": "4711", "time": "compile"} {
		var out bytes.Buffer
		var diags diag.List
		set := new(source.Set)
		stages.Write(&out, stage, stages.Input{Set: set, File: set.Add("script", `BEGIN { print(cgroupid("/a")); }`),
			Check: check.Options{Target: machine{Kernel: k}}}, &diags)
		if diags.HasErrors() || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v, and no %s in\n%s", stage, diags.All, want, out.String())
		}
	}
}
