package fst

import (
	"io"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/object"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/source"
)

// compileTree compiles a parsed script; nil if it has errors. A fault of the
// compiler itself becomes an error at no place in particular.
func compileTree(set *source.Set, tree *ast.Program, o check.Options, diags *diag.List) *object.Object {
	opts := compiler.Options{Options: o}
	obj, err := compiler.Compile(set, tree, opts, diags)
	if err != nil {
		diags.Errorf(tree.Span, "%v", err).Hintf("this is a fault of fst: please report it with the script")
		return nil
	}
	return obj
}

// dumpTree writes one stage of a compile.
func dumpTree(w io.Writer, stage string, set *source.Set, tree *ast.Program, o check.Options, diags *diag.List) {
	if stage == "ast" {
		format.Dump(w, tree)
		return
	}
	opts := compiler.Options{Options: o, Verify: true, Dump: compiler.DumpTo(w, compiler.Stage(stage))}
	if _, err := compiler.Compile(set, tree, opts, diags); err != nil {
		diags.Errorf(tree.Span, "%v", err)
	}
}
