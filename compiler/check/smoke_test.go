package check_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"fst/compiler/check"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

func TestSmoke(t *testing.T) {
	b, err := os.ReadFile(os.Getenv("SMOKE"))
	if err != nil {
		t.Skip()
	}
	k, err := fixture.Load("6.12")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range strings.Split(string(b), "\n---\n") {
		set := &source.Set{}
		f := set.Add("x", text)
		diags := &diag.List{}
		prog := parse.Parse(f, diags)
		info := check.Check(prog, check.Options{Target: k}, diags)
		fmt.Println("=====", text)
		(&diag.Renderer{Set: set}).Render(os.Stdout, diags)
		for _, u := range info.Units {
			fmt.Printf("unit %s hooks=%d %+v took=%v entry=%v ret=%v args=%v\n", u.Provider, len(u.Hooks), u.Hooks[0].Name, u.Took, u.EntryArgs, u.Retval, u.Args)
		}
		for _, m := range info.Maps {
			fmt.Printf("map @%s[%s] = %s %+v tid=%v\n", m.Name, m.Key, m.Value, m.Value.Agg, m.KeyByTID)
		}
	}
}
