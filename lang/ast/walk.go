package ast

// Walk calls visit for n and, if visit returned true, for each node below it
// in source order. Nil children are skipped.
func Walk(n Node, visit func(Node) bool) {
	if n == nil || isNil(n) || !visit(n) {
		return
	}
	walkExprs := func(xs []Expr) {
		for _, x := range xs {
			Walk(x, visit)
		}
	}
	switch n := n.(type) {
	case *Program:
		for _, m := range n.Macros {
			Walk(m, visit)
		}
		for _, c := range n.Clauses {
			Walk(c, visit)
		}
	case *Macro:
		walkExprs(n.Params)
		Walk(n.Body, visit)
	case *Clause:
		for _, p := range n.Probes {
			Walk(p, visit)
		}
		walkExpr(n.Filter, visit)
		Walk(n.Body, visit)
	case *Block:
		for _, s := range n.Stmts {
			Walk(s, visit)
		}
		walkExpr(n.Value, visit)
	case *ExprStmt:
		Walk(n.X, visit)
	case *Assign:
		Walk(n.Target, visit)
		Walk(n.Value, visit)
	case *Let:
		Walk(n.Var, visit)
		Walk(n.Type, visit)
		walkExpr(n.Value, visit)
	case *If:
		Walk(n.Cond, visit)
		Walk(n.Then, visit)
		Walk(n.Else, visit)
	case *While:
		Walk(n.Cond, visit)
		Walk(n.Body, visit)
	case *Unroll:
		Walk(n.N, visit)
		Walk(n.Body, visit)
	case *ForRange:
		Walk(n.Var, visit)
		Walk(n.From, visit)
		Walk(n.To, visit)
		Walk(n.Body, visit)
	case *ForMap:
		Walk(n.Var, visit)
		Walk(n.Map, visit)
		Walk(n.Body, visit)
	case *Return:
		walkExpr(n.Value, visit)
	case *BlockStmt:
		Walk(n.Body, visit)
	case *Fire:
		Walk(n.Fields, visit)
	case *Inline:
		Walk(n.Body, visit)
	case *Event:
		Walk(n.Fields, visit)
	case *Map:
		walkExprs(n.Keys)
	case *Call:
		walkExprs(n.Args)
	case *TypeArg:
		Walk(n.Type, visit)
	case *TypeExpr:
		walkExpr(n.TypeOf, visit)
	case *ProbeArg:
		Walk(n.Probe, visit)
	case *Unary:
		Walk(n.X, visit)
	case *IncDec:
		Walk(n.X, visit)
	case *Binary:
		Walk(n.X, visit)
		Walk(n.Y, visit)
	case *Cond:
		Walk(n.C, visit)
		walkExpr(n.A, visit)
		Walk(n.B, visit)
	case *Field:
		Walk(n.X, visit)
	case *TupleIndex:
		Walk(n.X, visit)
	case *Index:
		Walk(n.X, visit)
		Walk(n.I, visit)
	case *Cast:
		Walk(n.Type, visit)
		Walk(n.X, visit)
	case *Tuple:
		walkExprs(n.Elems)
	case *Record:
		walkExprs(n.Values)
	case *SizeOf:
		Walk(n.Type, visit)
		walkExpr(n.X, visit)
	case *OffsetOf:
		Walk(n.Type, visit)
		walkExpr(n.X, visit)
	case *IfExpr:
		Walk(n.Cond, visit)
		Walk(n.Then, visit)
		Walk(n.Else, visit)
	case *BlockExpr:
		Walk(n.Body, visit)
	case *Comptime:
		Walk(n.X, visit)
	}
}

func walkExpr(x Expr, visit func(Node) bool) {
	if x != nil {
		Walk(x, visit)
	}
}

// isNil catches typed nil pointers of the optional children.
func isNil(n Node) bool {
	switch n := n.(type) {
	case *Block:
		return n == nil
	case *TypeExpr:
		return n == nil
	case *Map:
		return n == nil
	case *Var:
		return n == nil
	}
	return false
}
