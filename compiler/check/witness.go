package check

import (
	"fst/compiler/builtin"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
	"slices"
)

// witness says what counts the same as the clause's probe.
func witness(u *unitChecker, x *ast.Call, f *builtin.Func) *types.Type {
	for i, a := range x.Args {
		if u.calls.arg(x, f, i, a).Kind == types.Invalid {
			return types.NoneType
		}
	}
	if _, err := object.ParseCount(u.Strings[x.Args[0]]); err != nil {
		u.errorf(x.Args[0].Pos(), "%v", err).Hintf(`"/proc/vmstat: pswpin %%d" adds up the numbers on lines that begin with these words, "tracepoint:CATEGORY:EVENT" counts an event`)
	}
	body := u.Body
	if u.inline != nil {
		body = u.inline.Body
	}
	if slices.Contains(Witnesses(body), x) {
		return types.NoneType
	}
	u.errorf(x.Span, "witness() must be the first statement of its clause").Hintf("it describes the probe, not the clause: for a declared probe, write it after the fields, probe family:name(...) witness(...);")
	return types.NoneType
}

// Witnesses are the calls of witness() that a block begins with.
func Witnesses(b *ast.Block) []*ast.Call {
	var list []*ast.Call
	if b == nil {
		return nil
	}
	for _, s := range b.Stmts {
		e, ok := s.(*ast.ExprStmt)
		if !ok {
			break
		}
		call, ok := e.X.(*ast.Call)
		if !ok || !calls(call, builtin.FuncWitness) {
			break
		}
		list = append(list, call)
	}
	return list
}
