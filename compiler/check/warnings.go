package check

import (
	"maps"
	"slices"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/format"
	"fst/lang/source"
)

// warnings are about statements, variables and addresses of texts; compare_warnings.go has those about comparisons.
type warnings struct{ *unitChecker }

// Warnings are about programs that can run but hardly mean what they say: a
// condition that can't come true, a statement that does nothing or is never
// reached, a variable that nobody reads. They are few: each is
// to be a mistake more often than not. They are kept back while the script has
// errors; what the standard library's own texts give rise to is not shown.

// warnf warns of a place of the script.
func (u *unitChecker) warnf(sp source.Span, format string, args ...any) *diag.Diagnostic {
	if u.quiet {
		return &diag.Diagnostic{}
	}
	return u.warned.Warnf(sp, format, args...)
}

// addressOfText warns of a char pointer that is shown, or is a key, as it is.
func (u warnings) addressOfText(x ast.Expr, t *types.Type) {
	if t.Kind == types.Pointer && t.Elem != nil && t.Elem.Char {
		text := format.Expr(x)
		u.warnf(x.Pos(), "this is the address of a string, not its text").Hintf("write str(%s); (uint64)%s is the address as a number", text, text)
	}
}

// idle warns of a statement that is nothing but a value.
func (u warnings) idle(x ast.Expr) {
	for inner := x; ; {
		switch e := inner.(type) {
		case *ast.Binary:
			if e.Op == "&&" || e.Op == "||" {
				return // the right side may be meant to be done or not
			}
			if e.Op == "==" && hasNoEffect(e) {
				u.warnf(x.Pos(), "this compares and does nothing with the result").Hintf("an assignment has one =")
				return
			}
		case *ast.IntLit, *ast.StringLit, *ast.BoolLit:
			return // what a macro's value or an option has become
		}
		break
	}
	if hasNoEffect(x) {
		u.warnf(x.Pos(), "this has no effect").Hintf("print(x) shows a value, $x = ... keeps it")
	}
}

// hasNoEffect reports whether evaluating an expression can change nothing.
func hasNoEffect(x ast.Expr) bool {
	return !ast.Any(x, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.Call, *ast.IncDec, *ast.BlockExpr, *ast.IfExpr, *ast.Comptime, *ast.Refused, *ast.Cond:
			return true
		}
		return false
	})
}

// unreached warns of the statement behind one that ends the block.
func (u warnings) unreached(list []ast.Stmt) {
	for i, s := range list[:max(len(list)-1, 0)] {
		word := ""
		switch s := s.(type) {
		case *ast.Return:
			word = "return"
		case *ast.Break:
			word = "break"
		case *ast.Continue:
			word = "continue"
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.Call); ok {
				if f, ok := builtin.FuncByName(call.Name); ok && f.Does(builtin.DoesExit) && f.Form != builtin.Assertion {
					word = "exit()"
				}
			}
		}
		if word != "" {
			next := list[i+1]
			u.warnf(next.Pos(), "this is never reached").Hintf("%s ends the statements before it", word).Notef(s.Pos(), "%s is here", word)
			return
		}
	}
}

// unread warns of variables that are given values which nothing reads. When a
// script is run, only of those that look misspelt: the others do no harm.
func (u warnings) unread() {
	read := map[string]bool{}
	var given []*ast.Var
	note := func(n ast.Node) bool {
		if v, ok := n.(*ast.Var); ok {
			read[v.Name] = true
		}
		return true
	}
	u.Walk(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Assign:
			if v, ok := n.Target.(*ast.Var); ok && n.Op == "=" {
				given = append(given, v)
				ast.Walk(n.Value, note)
				return false
			}
		case *ast.Let:
			if n.Value != nil {
				given = append(given, n.Var)
				ast.Walk(n.Value, note)
			}
			return false
		}
		return note(n)
	})
	names := slices.Collect(maps.Keys(read))
	told := map[string]bool{}
	for _, v := range given {
		if read[v.Name] || told[v.Name] || strings.ContainsAny(v.Name, "#.") || strings.HasPrefix(v.Name, "_") {
			continue
		}
		told[v.Name] = true
		near := diag.Nearest(v.Name, slices.DeleteFunc(slices.Clone(names), func(n string) bool { return isCounterpart(n, v.Name) }))
		if near == "" && !u.opts.Thorough {
			continue
		}
		d := u.warnf(v.Span, "$%s is assigned a value that is never read", v.Name).Hintf("use it, or leave it out; _ = ... throws a value away")
		if near != "" {
			d.Hintf("did you mean $%s?", near)
		}
	}
}

// isCounterpart reports whether two names are of a pair, such as saddr and daddr, or old and new,
// and not one the misspelling of the other: other letters stand in the same places.
func isCounterpart(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return len(a) == len(b) && !slices.Equal(x, y)
}
