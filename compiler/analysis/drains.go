package analysis

import (
	"slices"

	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/object"
	"fst/lang/ast"
)

// ClearedBehind finds the statements of a list that print a map which a later one clears, if nothing between them has to do
// with it: behind is the later one of each. At the end of the session nothing comes between the two.
func ClearedBehind(u *check.Unit, list []ast.Stmt, canDrain func(name string) bool) (behind map[int]int) {
	shows := func(s ast.Stmt) bool { _, ok := WholeMap(s, builtin.ShowsMaps); return ok }
	if u.Hooks[0].Kind == object.HookEnd || !slices.ContainsFunc(list, shows) {
		return nil
	}
	behind = map[int]int{}
	clears := map[string]int{} // the next statement that names a map, if that clears it
	for i := len(list) - 1; i >= 0; i-- {
		if name, ok := WholeMap(list[i], builtin.ShowsMaps); ok {
			if at, ok := clears[name]; ok && canDrain(name) {
				behind[i] = at
			}
		}
		ast.Walk(list[i], func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Map:
				delete(clears, n.Name)
			case *ast.Return, *ast.Break, *ast.Continue:
				clear(clears) // perhaps they are not cleared at all
			case *ast.Call:
				if builtin.Does(n.Name, builtin.DoesExit) {
					clear(clears)
				}
			}
			return true
		})
		if name, ok := WholeMap(list[i], builtin.DoesClear); ok {
			clears[name] = i
		}
	}
	return behind
}

// WholeMap is the name of the map if a statement is a call with a whole map, of a function
// that does something.
func WholeMap(s ast.Stmt, does builtin.Effects) (name string, ok bool) {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return "", false
	}
	call, ok := x.X.(*ast.Call)
	if !ok || !builtin.Does(call.Name, does) || len(call.Args) == 0 {
		return "", false
	}
	m, ok := call.Args[0].(*ast.Map)
	if !ok || m.Keys != nil {
		return "", false
	}
	return m.Name, true
}

// IsReportOf reports whether a unit is of a report that begins a map anew.
func IsReportOf(u *check.Unit, name string) bool {
	return slices.Contains(u.Clause.Drains, name)
}
