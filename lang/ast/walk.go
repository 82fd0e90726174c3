package ast

import "slices"

// Walk calls visit for n and, if visit returned true, for each node below it
// in source order. Nil children are skipped.
func Walk(n Node, visit func(Node) bool) {
	if n == nil || isNil(n) {
		return
	}
	var each func(Node) Node
	each = func(n Node) Node {
		if visit(n) {
			children(n, false, each)
		}
		return n
	}
	each(n)
}

// Any reports whether n or a node below it is something. Nil has none.
func Any(n Node, is func(Node) bool) bool {
	found := false
	Walk(n, func(n Node) bool {
		found = found || is(n)
		return !found
	})
	return found
}

// Copy returns a copy of n alone, with what child makes of its children, in
// source order, in their place: of an expression an expression, of a statement a
// statement, of any other node one of its type. Nil children stay nil.
func Copy(n Node, child func(Node) Node) Node { return children(n, true, child) }

// children gives each child of n to f, in source order; this is the one place
// that knows which parts a node has. With fresh it returns a copy of n in which
// the results stand; otherwise it returns n, and f its argument.
func children(n Node, fresh bool, f func(Node) Node) Node {
	switch n := n.(type) {
	case *Program:
		n = own(n, fresh)
		list(&n.Macros, fresh, f)
		list(&n.Clauses, fresh, f)
		return n
	case *Macro:
		n = own(n, fresh)
		list(&n.Params, fresh, f)
		one(&n.Signature, fresh, f)
		one(&n.Body, fresh, f)
		return n
	case *Signature:
		n = own(n, fresh)
		list(&n.Params, fresh, f)
		one(&n.Result, fresh, f)
		return n
	case *Clause:
		n = own(n, fresh)
		list(&n.Probes, fresh, f)
		one(&n.Filter, fresh, f)
		one(&n.Body, fresh, f)
		return n
	case *AttachPoint:
		n = own(n, fresh)
		list(&n.Options, fresh, f)
		return n
	case *Block:
		n = own(n, fresh)
		list(&n.Stmts, fresh, f)
		one(&n.Value, fresh, f)
		return n
	case *TypeExpr:
		n = own(n, fresh)
		one(&n.TypeOf, fresh, f)
		return n
	case Stmt:
		return ofStmt(n, fresh, f)
	case Expr:
		return ofExpr(n, fresh, f)
	}
	return n
}

func ofStmt(n Stmt, fresh bool, f func(Node) Node) Node {
	switch n := n.(type) {
	case *ExprStmt:
		n = own(n, fresh)
		one(&n.X, fresh, f)
		return n
	case *Assign:
		n = own(n, fresh)
		one(&n.Target, fresh, f)
		one(&n.Value, fresh, f)
		return n
	case *Let:
		n = own(n, fresh)
		one(&n.Var, fresh, f)
		one(&n.Type, fresh, f)
		one(&n.Value, fresh, f)
		return n
	case *If:
		n = own(n, fresh)
		one(&n.Cond, fresh, f)
		one(&n.Then, fresh, f)
		one(&n.Else, fresh, f)
		return n
	case *While:
		n = own(n, fresh)
		one(&n.Cond, fresh, f)
		one(&n.Body, fresh, f)
		return n
	case *Unroll:
		n = own(n, fresh)
		one(&n.N, fresh, f)
		one(&n.Body, fresh, f)
		return n
	case *ForRange:
		n = own(n, fresh)
		one(&n.Var, fresh, f)
		one(&n.From, fresh, f)
		one(&n.To, fresh, f)
		one(&n.Body, fresh, f)
		return n
	case *ForMap:
		n = own(n, fresh)
		one(&n.Var, fresh, f)
		one(&n.Map, fresh, f)
		one(&n.Body, fresh, f)
		return n
	case *Break:
		return own(n, fresh)
	case *Continue:
		return own(n, fresh)
	case *Return:
		n = own(n, fresh)
		one(&n.Value, fresh, f)
		return n
	case *BlockStmt:
		n = own(n, fresh)
		one(&n.Body, fresh, f)
		return n
	case *Fire:
		n = own(n, fresh)
		one(&n.Fields, fresh, f)
		return n
	case *Inline:
		n = own(n, fresh)
		one(&n.Body, fresh, f)
		return n
	case *FuncBody:
		n = own(n, fresh)
		one(&n.Body, fresh, f)
		return n
	case *Event:
		n = own(n, fresh)
		one(&n.Fields, fresh, f)
		return n
	}
	return n
}

func ofExpr(n Expr, fresh bool, f func(Node) Node) Node {
	switch n := n.(type) {
	case *IntLit:
		return own(n, fresh)
	case *StringLit:
		return own(n, fresh)
	case *BoolLit:
		return own(n, fresh)
	case *Ident:
		return own(n, fresh)
	case *Var:
		return own(n, fresh)
	case *Param:
		return own(n, fresh)
	case *Refused:
		n = own(n, fresh)
		list(&n.Args, fresh, f)
		return n
	case *Map:
		n = own(n, fresh)
		list(&n.Keys, fresh, f)
		return n
	case *Call:
		n = own(n, fresh)
		list(&n.Args, fresh, f)
		return n
	case *TypeArg:
		n = own(n, fresh)
		one(&n.Type, fresh, f)
		return n
	case *ProbeArg:
		n = own(n, fresh)
		one(&n.Probe, fresh, f)
		return n
	case *Unary:
		n = own(n, fresh)
		one(&n.X, fresh, f)
		return n
	case *IncDec:
		n = own(n, fresh)
		one(&n.X, fresh, f)
		return n
	case *Binary:
		n = own(n, fresh)
		one(&n.X, fresh, f)
		one(&n.Y, fresh, f)
		return n
	case *Cond:
		n = own(n, fresh)
		one(&n.C, fresh, f)
		one(&n.A, fresh, f)
		one(&n.B, fresh, f)
		return n
	case *Field:
		n = own(n, fresh)
		one(&n.X, fresh, f)
		return n
	case *TupleIndex:
		n = own(n, fresh)
		one(&n.X, fresh, f)
		return n
	case *Index:
		n = own(n, fresh)
		one(&n.X, fresh, f)
		one(&n.I, fresh, f)
		return n
	case *Cast:
		n = own(n, fresh)
		one(&n.Type, fresh, f)
		one(&n.X, fresh, f)
		return n
	case *Tuple:
		n = own(n, fresh)
		list(&n.Elems, fresh, f)
		return n
	case *Record:
		n = own(n, fresh)
		list(&n.Values, fresh, f)
		return n
	case *SizeOf:
		n = own(n, fresh)
		one(&n.Type, fresh, f)
		one(&n.X, fresh, f)
		return n
	case *OffsetOf:
		n = own(n, fresh)
		one(&n.Type, fresh, f)
		one(&n.X, fresh, f)
		return n
	case *IfExpr:
		n = own(n, fresh)
		one(&n.Cond, fresh, f)
		one(&n.Then, fresh, f)
		one(&n.Else, fresh, f)
		return n
	case *BlockExpr:
		n = own(n, fresh)
		one(&n.Body, fresh, f)
		return n
	case *Comptime:
		n = own(n, fresh)
		one(&n.X, fresh, f)
		return n
	}
	return n
}

// own is n or, with fresh, a copy of it.
func own[T any](n *T, fresh bool) *T {
	if !fresh {
		return n
	}
	c := *n
	return &c
}

// part is a child's type: an interface or a pointer, which may be nil.
type part interface {
	comparable
	Node
}

func one[T part](child *T, fresh bool, f func(Node) Node) {
	var none T
	if *child == none {
		return
	}
	if c := f(*child); fresh {
		*child = c.(T)
	}
}

func list[T part](children *[]T, fresh bool, f func(Node) Node) {
	if fresh {
		*children = slices.Clone(*children)
	}
	for i := range *children {
		one(&(*children)[i], fresh, f)
	}
}

// isNil catches typed nil pointers, as of a clause without a body.
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
