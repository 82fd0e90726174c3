package analysis

import (
	"slices"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/lang/ast"
)

// Live is what of a program has an effect. Much of the standard library's
// texts has none for a given script: maps that nothing reads, variables, fields
// of probes, whole clauses. Which options the script was given decides that, so
// it shows only here. None of it is compiled.
//
// A variable or map is read if its value reaches something that has an effect.
// Nothing is, to begin with; what is found to be read can only become more.
type Live struct {
	maps map[string]bool // of libraries
	vars map[*check.Unit]map[*check.Var]bool
	grew bool
	// busy are the statements that were found to have an effect: they keep it. The
	// same is asked of each statement that they are in.
	busy map[asked]bool
}

// asked is what is asked of a statement of a unit: without is that of idle.
type asked struct {
	unit    *check.Unit
	stmt    ast.Stmt
	without leaves
}

// leaves are the ways to leave a statement that are no effect, as what they
// leave has none either.
type leaves uint8

const (
	returns leaves = 1 << iota // from a clause or function
	breaks                     // from a loop, or a turn of it
)

// FindLive finds what is live in the units of a script.
func FindLive(units []*check.Unit) *Live {
	l := &Live{maps: map[string]bool{}, vars: map[*check.Unit]map[*check.Var]bool{}, busy: map[asked]bool{}}
	for _, u := range units {
		l.vars[u] = map[*check.Var]bool{}
	}
	for l.grew = true; l.grew; {
		l.grew = false
		for _, u := range units {
			if l.IsIdle(u) {
				continue
			}
			r := reader{l, u}
			u.Walk(r.note)
		}
	}
	return l
}

// IsIdle reports whether a unit need not run: its filter is never true, or it is
// a library's and does nothing.
func (r *Live) IsIdle(u *check.Unit) bool {
	if u.Filter != nil && r.never(u, u.Filter) {
		return true
	}
	return u.Clause.For != nil && u.Body != nil && r.idleBlock(u, u.Body, returns)
}

// isUnread reports whether a map is one that nothing reads. Those of the script
// itself are shown at its end.
func (r *Live) isUnread(m *ast.Map) bool {
	return m != nil && strings.Contains(m.Name, "#") && !r.maps[m.Name]
}

// isDead reports whether a variable is one that nothing reads. Those of the
// script's own clauses count as read: it is told of them while checking.
func (r *Live) isDead(u *check.Unit, x *ast.Var) bool {
	own := u.Clause.For == nil && !strings.Contains(x.Name, "#")
	return x != nil && !own && !r.vars[u][u.Vars[x]]
}

// never reports whether a condition is known to be false, and to do nothing
// else.
func (r *Live) never(u *check.Unit, x ast.Expr) bool {
	if c, known := u.Consts[x]; known {
		return c == 0
	}
	if x, ok := x.(*ast.Binary); ok {
		switch x.Op {
		case "&&":
			return r.never(u, x.X) || r.never(u, x.Y) && r.isPure(u, x.X)
		case "||":
			return r.never(u, x.X) && r.never(u, x.Y)
		}
	}
	return false
}

// isPure reports whether computing a value that nobody needs does nothing else.
func (r *Live) isPure(u *check.Unit, x ast.Expr) bool {
	pure := true
	ast.Walk(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case ast.Stmt:
			pure = pure && r.idle(u, n, 0)
			return false
		case *ast.IncDec:
			pure = false
		case *ast.Call:
			pure = pure && (!builtin.Does(n.Name, builtin.Changes) || r.isUnread(deletedFrom(n)))
		}
		return pure
	})
	return pure
}

// idleBlock reports whether a block has no effect.
func (r *Live) idleBlock(u *check.Unit, b *ast.Block, without leaves) bool {
	busy := func(s ast.Stmt) bool { return !r.idle(u, s, without) }
	return b == nil || !slices.ContainsFunc(b.Stmts, busy) && r.isPure(u, b.Value)
}

// Idle reports whether a statement has no effect: it need not be compiled.
func (r *Live) Idle(u *check.Unit, s ast.Stmt) bool { return r.idle(u, s, 0) }

// ReadsMap reports whether the map of a library is read.
func (r *Live) ReadsMap(name string) bool { return r.maps[name] }

// idle reports whether a statement has no effect but those ways to leave it.
func (r *Live) idle(u *check.Unit, s ast.Stmt, without leaves) bool {
	a := asked{u, s, without}
	r.busy[a] = r.busy[a] || !r.findIdle(u, s, without)
	return !r.busy[a]
}

func (r *Live) findIdle(u *check.Unit, s ast.Stmt, without leaves) bool {
	switch s := s.(type) {
	case *ast.Let:
		return r.isDead(u, s.Var) && r.isPure(u, s.Value)
	case *ast.Assign:
		if x, ok := s.Target.(*ast.Var); ok {
			return r.isDead(u, x) && r.isPure(u, s.Value)
		}
		return r.isUnread(writtenMap(s)) && r.isPure(u, s.Value)
	case *ast.ExprStmt:
		if x, ok := s.X.(*ast.IncDec); ok {
			if v, ok := x.X.(*ast.Var); ok {
				return r.isDead(u, v)
			}
		}
		return r.isUnread(writtenMap(s)) || r.isPure(u, s.X)
	case *ast.If:
		if c, known := u.Consts[s.Cond]; known && c != 0 {
			return r.idleBlock(u, s.Then, without)
		}
		if r.never(u, s.Cond) {
			return r.idleBlock(u, s.Else, without)
		}
		return r.isPure(u, s.Cond) && r.idleBlock(u, s.Then, without) && r.idleBlock(u, s.Else, without)
	case *ast.BlockStmt:
		return r.idleBlock(u, s.Body, without)
	case *ast.Inline:
		return r.idleBlock(u, s.Body, returns)
	case *ast.FuncBody:
		return r.idleBlock(u, s.Body, returns)
	case *ast.ForRange:
		return r.isPure(u, s.From) && r.isPure(u, s.To) && r.idleBlock(u, s.Body, without|breaks)
	case *ast.Break, *ast.Continue:
		return without&breaks != 0
	case *ast.Return:
		return without&returns != 0
	}
	return false
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
			return deletedFrom(e)
		}
	}
	m, _ := x.(*ast.Map)
	return m
}

// deletedFrom is the map that a call deletes from, or nil.
func deletedFrom(call *ast.Call) *ast.Map {
	if !builtin.Does(call.Name, builtin.DoesDelete) {
		return nil
	}
	m, _ := call.Args[0].(*ast.Map)
	return m
}

// reader notes the variables and maps that a unit reads, leaving out what has
// no effect and branches that a constant rules out.
type reader struct {
	*Live
	u *check.Unit
}

// walk notes what a tree reads.
func (r *reader) walk(root ast.Node) { ast.Walk(root, r.note) }

// note notes what a node reads. It is for ast.Walk.
func (r *reader) note(n ast.Node) bool {
	switch n := n.(type) {
	case ast.Expr:
		if _, known := r.u.Consts[n]; known {
			return false
		}
	case ast.Stmt:
		if r.idle(r.u, n, 0) {
			return false
		}
	}
	switch n := n.(type) {
	case *ast.Var:
		if v := r.u.Vars[n]; !r.vars[r.u][v] {
			r.vars[r.u][v], r.grew = true, true
		}
	case *ast.Map:
		r.use(n)
	case *ast.Let:
		r.walk(n.Value)
		return false
	case *ast.If:
		if c, known := r.u.Consts[n.Cond]; known && c != 0 {
			r.walk(n.Then)
			return false
		}
		if r.never(r.u, n.Cond) {
			r.walk(n.Else)
			return false
		}
	case *ast.Cond:
		if c, known := r.u.Consts[n.C]; known {
			if c != 0 {
				r.walk(n.A)
			} else {
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
}

func (r *reader) use(m *ast.Map) {
	if !r.maps[m.Name] {
		r.maps[m.Name], r.grew = true, true
	}
}

// statement walks an assignment or expression for its effect, if the general
// rule does not do: what is written is not read.
func (r *reader) statement(s ast.Stmt) bool {
	if a, ok := s.(*ast.Assign); ok {
		if _, local := a.Target.(*ast.Var); local {
			r.walk(a.Value)
			return false
		}
	}
	m := writtenMap(s)
	if m == nil {
		return true
	}
	r.use(m) // or the statement were idle
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
