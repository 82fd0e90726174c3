package expand

import (
	"slices"
	"strings"

	"fst/compiler/builtin"
	"fst/lang/ast"
)

// writes reports whether a clause writes a map of those that are asked for.
func (c *clause) writes(asked func(string) bool) bool {
	found := false
	if c.Body != nil {
		ast.Walk(c.Body, func(n ast.Node) bool {
			if m := written(n); m != nil && asked(m.Name) {
				found = true
			}
			return !found
		})
	}
	return found
}

// written is the map that a statement or expression writes, or nil.
func written(n ast.Node) *ast.Map {
	switch n := n.(type) {
	case *ast.Assign:
		m, _ := n.Target.(*ast.Map)
		return m
	case *ast.IncDec:
		m, _ := n.X.(*ast.Map)
		return m
	case *ast.Call:
		if builtin.Does(n.Name, builtin.Empties) && len(n.Args) > 0 {
			m, _ := n.Args[0].(*ast.Map)
			return m
		}
	}
	return nil
}

// dead reports whether a statement has no use.
func (l *linker) dead(s ast.Stmt) bool {
	n := ast.Node(s)
	switch s := s.(type) {
	case *ast.Fire:
		return !l.heard[s.Family+":"+s.Name]
	case *ast.If:
		// Each of those that it is in asks anew; what is for somebody stays so.
		if !l.useful[s] && !((l.hasDead(s.Then) || l.hasDead(s.Else)) && l.idle(s.Cond) && l.deadBlock(s.Then) && l.deadBlock(s.Else)) {
			l.useful[s] = true
		}
		return !l.useful[s]
	case *ast.ExprStmt:
		n = s.X
	}
	m := written(n)
	return m != nil && strings.Contains(m.Name, "#") && !l.live[m.Name]
}

// hasDead reports whether a statement of a block, if there is one, has no use.
func (l *linker) hasDead(b *ast.Block) bool { return b != nil && slices.ContainsFunc(b.Stmts, l.dead) }

// idle reports whether evaluating an expression, if there is one, writes
// nothing that anybody reads.
func (l *linker) idle(x ast.Expr) bool {
	writes := false
	if x != nil {
		ast.Walk(x, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockExpr:
				writes = true
			case *ast.IncDec, *ast.Call:
				m := written(n)
				_, variable := n.(*ast.IncDec)
				writes = writes || m == nil && variable || m != nil && (l.live[m.Name] || !strings.Contains(m.Name, "#"))
			}
			return !writes
		})
	}
	return !writes
}

// deadBlock reports whether all of a block, if there is one, has no use.
func (l *linker) deadBlock(b *ast.Block) bool {
	if b == nil {
		return true
	}
	for _, s := range b.Stmts {
		let, ok := s.(*ast.Let)
		if ok && !l.idle(let.Value) || !ok && !l.dead(s) {
			return false
		}
	}
	return b.Value == nil
}

// scan notes what a clause that is needed reads: maps of libraries, and fields
// of the probes that it is on.
func (l *linker) scan(c *clause) {
	if c.Body == nil {
		for _, p := range l.points[c] {
			for _, f := range p.probe.Fields {
				l.use(p.probe, f.Name)
			}
		}
	}
	for _, p := range l.points[c] {
		if l.opts.PID != 0 && fieldOf(p.probe, "pid") != nil {
			l.use(p.probe, "pid")
		}
	}
	for _, root := range []ast.Node{c.Filter, c.Body} {
		if root != nil {
			l.reads(c, root)
		}
	}
}

func (l *linker) use(p *ast.Probe, field string) {
	if l.fields[p] == nil {
		l.fields[p] = map[string]bool{}
	}
	if !l.fields[p][field] {
		l.fields[p][field], l.grew = true, true
	}
}

func (l *linker) reads(c *clause, root ast.Node) {
	for _, name := range argsRead(root, l.dead) {
		for _, p := range l.points[c] {
			for _, f := range p.probe.Fields {
				if name == "" || name == f.Name {
					l.use(p.probe, f.Name)
				}
			}
		}
	}
	ast.Walk(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case ast.Stmt:
			if l.dead(n) {
				return false
			}
			switch n := n.(type) {
			case *ast.Fire:
				p := c.mod.family(n.Family)[n.Name]
				for i, name := range n.Fields.Names {
					if l.fields[p][name] {
						l.reads(c, n.Fields.Values[i])
					}
				}
				return false
			case *ast.Assign:
				if m, ok := n.Target.(*ast.Map); ok {
					l.keysRead(c, m)
					l.reads(c, n.Value)
					return false
				}
			case *ast.ExprStmt:
				if m := written(n.X); m != nil {
					l.keysRead(c, m)
					for _, a := range restOf(n.X) {
						l.reads(c, a)
					}
					return false
				}
			}
		case *ast.Map:
			if strings.Contains(n.Name, "#") {
				if !l.live[n.Name] {
					l.live[n.Name], l.readers[n.Name], l.grew = true, map[*clause]bool{}, true
				}
				l.readers[n.Name][c] = true
			}
		}
		return true
	})
}

// restOf are the arguments of a call behind the map that it writes.
func restOf(x ast.Expr) []ast.Expr {
	if call, ok := x.(*ast.Call); ok {
		return call.Args[1:]
	}
	return nil
}

func (l *linker) keysRead(c *clause, m *ast.Map) {
	for _, k := range m.Keys {
		l.reads(c, k)
	}
}

// argsRead lists the fields that a tree reads, as args.NAME or as built-ins
// that they stand for; "" is args as a whole. Statements that skip tells are
// passed over.
func argsRead(root ast.Node, skip func(ast.Stmt) bool) []string {
	var names []string
	ast.Walk(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case ast.Stmt:
			return !skip(n)
		case *ast.Field:
			if isArgs(n.X) {
				names = append(names, n.Name)
				return false
			}
		case *ast.Ident:
			if n.Name == "args" {
				names = append(names, "")
			} else if _, ok := builtin.VarByName(n.Name); ok {
				names = append(names, n.Name, behind(n.Name))
			}
		case *ast.Call:
			if _, ok := builtin.VarByName(n.Name); ok && len(n.Args) == 0 {
				if n.Name == "args" {
					names = append(names, "")
				} else {
					names = append(names, n.Name, behind(n.Name))
				}
			}
		}
		return true
	})
	return names
}

// behind is the field from which a built-in variable follows in stable probes: whose event it is says its cgroup.
func behind(name string) string {
	if name == builtin.VarContainer.Name || name == builtin.VarPod.Name {
		return builtin.VarCgroup.Name
	}
	return name
}

func isArgs(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name == "args"
	case *ast.Call:
		return x.Name == "args" && len(x.Args) == 0
	}
	return false
}
