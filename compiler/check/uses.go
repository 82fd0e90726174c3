package check

import (
	"fst/compiler/builtin"
	"fst/lang/ast"
)

// uses is what a clause's text mentions, found before it is checked: it
// decides which attach points can share a unit.
type uses struct {
	args, argN, retval, probe, stack, fn, uaddr bool
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
	// reads args as a whole.
	argsRead  map[string]bool
	wholeArgs bool
}

func scanUses(cl *ast.Clause) uses {
	var u uses
	u.argsRead, u.wholeArgs = argsRead(cl)
	name := func(n string) {
		switch n {
		case "args":
			u.args = true
		case "retval", "ret", "errno":
			u.retval = true
		case "probe":
			u.probe = true
		case "func":
			u.fn = true
		case "uaddr", "elf_is_exe", "elf_info":
			u.uaddr = true
		case "kstack", "ustack", "dw_ustack":
			u.stack = true
		default:
			if _, ok := builtin.ArgNumber(n); ok {
				u.argN = true
			}
		}
	}
	shown := map[ast.Expr]bool{}
	show := func(xs []ast.Expr) {
		for _, x := range xs {
			shown[x] = true
		}
	}
	ast.Walk(cl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			name(n.Name)
		case *ast.Call:
			name(n.Name)
			switch n.Name {
			case "print", "printf", "errorf", "warnf", "row":
				show(n.Args)
			case "path", "socket_cookie", "skboutput":
				u.typed = true
			}
		case *ast.Map:
			show(n.Keys)
		case *ast.Tuple:
			if shown[n] {
				show(n.Elems)
			}
		}
		if x, ok := n.(ast.Expr); ok && !shown[x] {
			if id, ok := bareName(x); ok && id == "probe" {
				u.probeText = true
			}
		}
		return true
	})
	if cl.Body == nil {
		u.args, u.retval, u.probe, u.probeText = true, true, true, true
	}
	return u
}

// argsRead lists the members of args that a clause names; all tells that it reads
// args as a whole.
func argsRead(cl *ast.Clause) (reads map[string]bool, all bool) {
	reads, all = map[string]bool{}, cl.Body == nil
	ast.Walk(cl, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			if name, ok := bareName(f.X); ok && name == "args" {
				reads[f.Name] = true
				return false
			}
		}
		if x, ok := n.(ast.Expr); ok {
			if name, ok := bareName(x); ok && name == "args" {
				all = true
			}
		}
		return true
	})
	return reads, all
}

func mentionsArgs(x ast.Expr) bool {
	found := false
	if x != nil {
		ast.Walk(x, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == "args" {
				found = true
			}
			return !found
		})
	}
	return found
}
