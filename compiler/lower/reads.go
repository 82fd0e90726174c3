package lower

import (
	"strings"

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
		w.unit()
	}
	return read[f.u.Vars[x]]
}

// unread finds the maps of libraries that nothing reads, and the units that do
// nothing but write them: which options a script was given decides that, so it
// shows only here. Neither is compiled.
func (l *lowerer) unread() {
	l.unreadMaps, l.idle = map[string]bool{}, map[*check.Unit]bool{}
	for changed := true; changed; {
		changed = false
		maps := map[string]bool{}
		for _, u := range l.info.Units {
			if l.idle[u] {
				continue
			}
			w := reader{u: u, read: map[*check.Var]bool{}, maps: maps, unread: l.unreadMaps}
			for range 2 { // which fields are read is known after the first walk
				w.unit()
			}
		}
		for _, m := range l.info.Maps {
			if strings.Contains(m.Name, "#") && !maps[m.Name] && !l.unreadMaps[m.Name] {
				l.unreadMaps[m.Name], changed = true, true
			}
		}
		for _, u := range l.info.Units {
			if u.Clause.For != nil && u.Body != nil && !l.idle[u] && l.idleBlock(u.Body) {
				l.idle[u], changed = true, true
			}
		}
	}
}

// writesUnread reports whether a statement only writes a map nobody reads.
func (l *lowerer) writesUnread(s ast.Stmt) bool {
	m := writtenMap(s)
	return m != nil && l.unreadMaps[m.Name]
}

// writtenMap is the map that a statement writes, or nil.
func writtenMap(s ast.Stmt) *ast.Map {
	var x ast.Expr
	switch s := s.(type) {
	case *ast.Assign:
		x = s.Target
	case *ast.ExprStmt:
		switch e := s.X.(type) {
		case *ast.IncDec:
			x = e.X
		case *ast.Call:
			if e.Name == "delete" && len(e.Args) > 0 {
				x = e.Args[0]
			}
		}
	}
	m, _ := x.(*ast.Map)
	return m
}

// idleBlock reports whether a block has no effect.
func (l *lowerer) idleBlock(b *ast.Block) bool {
	if b == nil {
		return true
	}
	for _, s := range b.Stmts {
		idle := l.writesUnread(s)
		switch s := s.(type) {
		case *ast.Let, *ast.Return:
			idle = true
		case *ast.Assign:
			_, local := s.Target.(*ast.Var)
			idle = idle || local
		case *ast.If:
			idle = l.idleBlock(s.Then) && l.idleBlock(s.Else)
		case *ast.BlockStmt:
			idle = l.idleBlock(s.Body)
		}
		if !idle {
			return false
		}
	}
	return b.Value == nil
}

// reader notes the variables and maps that a unit reads, leaving out branches
// that a constant rules out.
type reader struct {
	u    *check.Unit
	read map[*check.Var]bool
	// maps, if not nil, gets the maps that are read; statements that write an
	// unread one do not count.
	maps   map[string]bool
	unread map[string]bool
	walked bool // read is complete
}

func (r *reader) unit() {
	if r.u.Filter != nil {
		r.walk(r.u.Filter)
	}
	if r.u.Body != nil {
		r.walk(r.u.Body)
	}
	r.walked = true
}

// walk notes what a tree reads. Fields of declared probes that nothing reads
// are not computed.
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
		case *ast.Map:
			if r.maps != nil && r.walked {
				r.maps[n.Name] = true
			}
		case *ast.Let:
			unread := r.walked && strings.HasPrefix(n.Var.Name, "args.") && !r.read[r.u.Vars[n.Var]]
			if n.Value != nil && !unread {
				r.walk(n.Value)
			}
			return false
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
		case *ast.Assign, *ast.ExprStmt:
			return r.statement(n.(ast.Stmt))
		}
		return true
	})
}

// statement walks an assignment or expression for its effect, if the general
// rule does not do: what is written is not read.
func (r *reader) statement(s ast.Stmt) bool {
	if a, ok := s.(*ast.Assign); ok {
		if _, local := a.Target.(*ast.Var); local && a.Op == "=" {
			r.walk(a.Value)
			return false
		}
	}
	m := writtenMap(s)
	switch {
	case m == nil:
		return true
	case r.unread[m.Name]:
		return false
	}
	for _, k := range m.Keys {
		r.walk(k)
	}
	switch s := s.(type) {
	case *ast.Assign:
		r.walk(s.Value)
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.Call); ok {
			for _, a := range call.Args[1:] {
				r.walk(a)
			}
		}
	}
	return false
}
