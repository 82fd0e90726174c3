package fst

import (
	"errors"
	"io"

	"fst/compiler/check"
	"fst/compiler/object"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

var errNotYet = errors.New("this build has no compiler yet")

func compileTree(set *source.Set, tree *ast.Program, o check.Options, diags *diag.List) *object.Object {
	diags.Errorf(source.Span{}, "%v", errNotYet)
	return nil
}

func dumpTree(w io.Writer, stage string, set *source.Set, tree *ast.Program, o check.Options, diags *diag.List) {
	diags.Errorf(source.Span{}, "%v", errNotYet)
}

func stages() []string { return []string{"ast", "types", "ir", "asm"} }
