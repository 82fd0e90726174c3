package lower

import (
	"fst/compiler/check"
	"fst/lang/ast"
)

// isRead reports whether the value of a variable is read anywhere in the unit
// that is not ruled out while compiling.
func (f *fn) isRead(x *ast.Var) bool {
	read := f.read[f.u]
	if read == nil {
		read = map[*check.Var]bool{}
		f.read[f.u] = read
		w := reader{u: f.u, read: read}
		if f.u.Filter != nil {
			w.walk(f.u.Filter)
		}
		if f.u.Body != nil {
			w.walk(f.u.Body)
		}
	}
	return read[f.u.Vars[x]]
}

// reader notes the variables that a tree reads, leaving out branches that a
// constant rules out.
type reader struct {
	u    *check.Unit
	read map[*check.Var]bool
}

func (r *reader) walk(root ast.Node) {
	ast.Walk(root, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			if _, known := r.u.Consts[x]; known {
				return false
			}
		}
		switch n := n.(type) {
		case *ast.Var:
			r.read[r.u.Vars[n]] = true
		case *ast.Let:
			if n.Value != nil {
				r.walk(n.Value)
			}
			return false
		case *ast.Assign:
			if _, ok := n.Target.(*ast.Var); ok && n.Op == "=" {
				r.walk(n.Value)
				return false
			}
		case *ast.If:
			if c, known := r.u.Consts[n.Cond]; known {
				if c != 0 {
					r.walk(n.Then)
				} else if n.Else != nil {
					r.walk(n.Else)
				}
				return false
			}
		case *ast.Cond:
			if c, known := r.u.Consts[n.C]; known {
				if c != 0 && n.A != nil {
					r.walk(n.A)
				} else if c == 0 {
					r.walk(n.B)
				}
				return false
			}
		case *ast.Binary:
			if c, known := r.u.Consts[n.X]; known && (n.Op == "||" && c != 0 || n.Op == "&&" && c == 0) {
				return false
			}
		}
		return true
	})
}
