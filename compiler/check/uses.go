package check

import (
	"fst/compiler/builtin"
	"fst/lang/ast"
)

// uses is what a clause's text mentions, found before it is checked: it
// decides which attach points can share a unit.
type uses struct {
	args, argN, retval, probe, stack, fn, program bool
	// probeText: the name of the probe is more than a key or something to print,
	// so that it must be known while compiling.
	probeText bool
	// typed: it calls what takes pointers by their type, which only trampolines
	// tell.
	typed bool
	// fnEach: func is read of so few functions of programs that each has a unit, which
	// knows its name.
	fnEach bool
	// unnamed: the default action shows the arguments of so many system calls that it
	// goes without their names.
	unnamed bool
	// argsRead are the members of args that it names; wholeArgs tells that it
	// reads args as a whole, namesArgs that its text has either.
	argsRead             map[string]bool
	wholeArgs, namesArgs bool
}

func scanUses(cl *ast.Clause) uses {
	u := uses{argsRead: map[string]bool{}, wholeArgs: cl.Body == nil}
	var all builtin.Effects
	shown := map[ast.Expr]bool{}
	show := func(xs []ast.Expr) {
		for _, x := range xs {
			shown[x] = true
		}
	}
	ast.Walk(cl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if Names(n.X, builtin.VarArgs) {
				u.argsRead[n.Name], u.namesArgs = true, true
				all |= builtin.EffectsOf(Word(n.X))
				return false
			}
		case *ast.Ident:
			all |= builtin.EffectsOf(n.Name)
		case *ast.Call:
			all |= builtin.EffectsOf(n.Name)
			if builtin.Does(n.Name, builtin.ShowsArgs) {
				show(n.Args)
			}
		case *ast.Map:
			show(n.Keys)
		case *ast.Tuple:
			if shown[n] {
				show(n.Elems)
			}
		}
		if x, ok := n.(ast.Expr); ok {
			u.probeText = u.probeText || !shown[x] && Names(x, builtin.VarProbe)
			u.wholeArgs = u.wholeArgs || Names(x, builtin.VarArgs)
			u.namesArgs = u.namesArgs || Names(x, builtin.VarArgs)
		}
		return true
	})
	u.args, u.argN, u.retval = all&builtin.ReadsArgs != 0, all&builtin.ReadsArgN != 0, all&builtin.ReadsResult != 0
	u.probe, u.fn, u.stack = all&builtin.ReadsProbe != 0, all&builtin.ReadsFunc != 0, all&builtin.ReadsStack != 0
	u.program, u.typed = all&builtin.ReadsProgram != 0, all&builtin.ReadsTyped != 0
	if cl.Body == nil {
		u.args, u.retval, u.probe, u.probeText = true, true, true, true
	}
	return u
}
