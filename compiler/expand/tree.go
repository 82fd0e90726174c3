package expand

import "fst/lang/ast"

// The functions here rebuild the tree below a node, with names replaced by e.

func (x *expander) block(b *ast.Block, e *env) *ast.Block {
	if b == nil {
		return nil
	}
	n := &ast.Block{At: b.At, Value: x.expr(b.Value, e)}
	for _, s := range b.Stmts {
		n.Stmts = append(n.Stmts, x.stmt(s, e))
	}
	return n
}

func (x *expander) stmt(s ast.Stmt, e *env) ast.Stmt {
	switch s := s.(type) {
	case *ast.ExprStmt:
		v := x.expr(s.X, e)
		if b, ok := v.(*ast.BlockExpr); ok && b.Body.Value == nil {
			return &ast.BlockStmt{At: s.At, Body: b.Body}
		}
		return &ast.ExprStmt{At: s.At, X: v}
	case *ast.Assign:
		return &ast.Assign{At: s.At, Target: x.expr(s.Target, e), Op: s.Op, Value: x.expr(s.Value, e)}
	case *ast.Let:
		return &ast.Let{At: s.At, Var: x.variable(s.Var, e), Type: x.typeExpr(s.Type, e), Value: x.expr(s.Value, e)}
	case *ast.If:
		return &ast.If{At: s.At, Cond: x.expr(s.Cond, e), Then: x.block(s.Then, e), Else: x.block(s.Else, e)}
	case *ast.While:
		return &ast.While{At: s.At, Cond: x.expr(s.Cond, e), Body: x.block(s.Body, e)}
	case *ast.Unroll:
		return &ast.Unroll{At: s.At, N: x.expr(s.N, e), Body: x.block(s.Body, e)}
	case *ast.ForRange:
		return &ast.ForRange{At: s.At, Var: x.variable(s.Var, e), From: x.expr(s.From, e), To: x.expr(s.To, e), Body: x.block(s.Body, e)}
	case *ast.ForMap:
		return &ast.ForMap{At: s.At, Var: x.variable(s.Var, e), Map: x.mapExpr(s.Map, e), Body: x.block(s.Body, e)}
	case *ast.Return:
		return &ast.Return{At: s.At, Value: x.expr(s.Value, e)}
	case *ast.BlockStmt:
		return &ast.BlockStmt{At: s.At, Body: x.block(s.Body, e)}
	}
	return s
}

func (x *expander) exprs(list []ast.Expr, e *env) []ast.Expr {
	if list == nil {
		return nil
	}
	out := make([]ast.Expr, len(list))
	for i, v := range list {
		out[i] = x.expr(v, e)
	}
	return out
}

func (x *expander) expr(v ast.Expr, e *env) ast.Expr {
	switch v := v.(type) {
	case nil:
		return nil
	case *ast.Ident:
		return x.ident(v, e)
	case *ast.Var:
		return x.variable(v, e)
	case *ast.Map:
		return x.mapExpr(v, e)
	case *ast.Call:
		if b := x.call(v.Span, v.NameSpan, v.Name, v.Args, e); b != nil {
			return b
		}
		return &ast.Call{At: v.At, Name: v.Name, NameSpan: v.NameSpan, Args: x.exprs(v.Args, e)}
	case *ast.TypeArg:
		return &ast.TypeArg{At: v.At, Type: x.typeExpr(v.Type, e)}
	case *ast.Unary:
		return &ast.Unary{At: v.At, Op: v.Op, X: x.expr(v.X, e)}
	case *ast.IncDec:
		return &ast.IncDec{At: v.At, Op: v.Op, Prefix: v.Prefix, X: x.expr(v.X, e)}
	case *ast.Binary:
		return &ast.Binary{At: v.At, Op: v.Op, OpSpan: v.OpSpan, X: x.expr(v.X, e), Y: x.expr(v.Y, e)}
	case *ast.Cond:
		return &ast.Cond{At: v.At, C: x.expr(v.C, e), A: x.expr(v.A, e), B: x.expr(v.B, e)}
	case *ast.Field:
		n := *v
		n.X = x.expr(v.X, e)
		return &n
	case *ast.TupleIndex:
		return &ast.TupleIndex{At: v.At, X: x.expr(v.X, e), N: v.N}
	case *ast.Index:
		return &ast.Index{At: v.At, X: x.expr(v.X, e), I: x.expr(v.I, e)}
	case *ast.Cast:
		return &ast.Cast{At: v.At, Type: x.typeExpr(v.Type, e), X: x.expr(v.X, e)}
	case *ast.Tuple:
		return &ast.Tuple{At: v.At, Elems: x.exprs(v.Elems, e)}
	case *ast.Record:
		return &ast.Record{At: v.At, Names: v.Names, Values: x.exprs(v.Values, e)}
	case *ast.SizeOf:
		return &ast.SizeOf{At: v.At, Type: x.typeExpr(v.Type, e), X: x.expr(v.X, e)}
	case *ast.OffsetOf:
		return &ast.OffsetOf{At: v.At, Type: x.typeExpr(v.Type, e), X: x.expr(v.X, e), Path: v.Path}
	case *ast.IfExpr:
		return &ast.IfExpr{At: v.At, Cond: x.expr(v.Cond, e), Then: x.block(v.Then, e), Else: x.block(v.Else, e)}
	case *ast.BlockExpr:
		return &ast.BlockExpr{At: v.At, Body: x.block(v.Body, e)}
	case *ast.Comptime:
		return &ast.Comptime{At: v.At, X: x.expr(v.X, e)}
	}
	return v // literals and parameters
}

func (x *expander) typeExpr(t *ast.TypeExpr, e *env) *ast.TypeExpr {
	if t == nil || t.TypeOf == nil {
		return t
	}
	n := *t
	n.TypeOf = x.expr(t.TypeOf, e)
	return &n
}
