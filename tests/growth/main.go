// Command growth compiles and formats one large script of a kind, and shows what is
// wrong with it. The test of this folder builds it with counters of how often each
// piece of the code runs, and sees from them where the work grows faster than
// the script.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/target/fixture"
	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/parse"
	"fst/lang/source"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: growth KIND SIZE")
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	for _, k := range kinds {
		if k.name == args[0] {
			return process(k.text(n))
		}
	}
	return fmt.Errorf("no kind %s", args[0])
}

// process does with a script all that fst does before it asks the kernel.
func process(text string) error {
	k, err := fixture.Load("6.12")
	if err != nil {
		return err
	}
	var set source.Set
	var diags diag.List
	tree := parse.Parse(set.Add("script", text), &diags)
	if !diags.HasErrors() {
		format.Source(tree, &set)
		if _, err := compiler.Compile(&set, tree, compiler.Options{Options: check.Options{Target: k}}, &diags); err != nil {
			return err
		}
	}
	diags.Sort(&set)
	(&diag.Renderer{Set: &set}).Render(io.Discard, &diags)
	return nil
}
