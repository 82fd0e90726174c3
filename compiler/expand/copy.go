package expand

import (
	"slices"

	"fst/compiler/builtin"
	"fst/lang/ast"
	"fst/lang/source"
)

// copier copies a tree, expanding on the way. One copier serves one expansion
// of a macro; the one of a clause has no macro.
type copier struct {
	e   *expander
	mod *module // whose macros and names it sees; nil: all that is done
	// link puts clauses in where their probes are fired; nil while macros are
	// expanded.
	link *linker
	// on is the clause on a declared probe that is being put in, or nil.
	on     *inlining
	macro  *ast.Macro
	suffix string // of the variables of this expansion
	stack  []*ast.Macro
	// use has the places of what is copied, where that is text of a macro or
	// library.
	use *source.Use

	// idents make the arguments for the parameters that stand at a place.
	idents map[string]func(at source.Span) ast.Expr
	vars   map[string]string
	maps   map[string]*ast.Map
	// busy are the #defines being replaced; variadic are the further arguments of
	// the innermost.
	busy     []string
	variadic variadic
	// loops counts the loops of the macro that what is copied stands in.
	loops int
}

// dup copies a node alone.
func dup[T any, P interface {
	*T
	ast.Node
	SetPos(source.Span)
}](c *copier, x *T) *T {
	n := *x
	P(&n).SetPos(c.use.Place(P(x).Pos()))
	return &n
}

// points copies attach points.
func (c *copier) points(list []*ast.AttachPoint) []*ast.AttachPoint {
	out := make([]*ast.AttachPoint, len(list))
	for i, ap := range list {
		n := dup(c, ap)
		n.PartSpans = slices.Clone(ap.PartSpans)
		for j, sp := range n.PartSpans {
			n.PartSpans[j] = c.use.Place(sp)
		}
		n.Or = c.points(ap.Or)
		out[i] = n
	}
	return out
}

// loop copies the body of a loop.
func (c *copier) loop(b *ast.Block) *ast.Block {
	c.loops++
	defer func() { c.loops-- }()
	return c.block(b)
}

// leaves reports a statement that would leave the code round a macro's call:
// a macro is an expression there.
func (c *copier) leaves(s ast.Stmt, word string) {
	if c.macro != nil {
		c.e.errorf(c.use.Place(s.Pos()), "%s can't leave the macro %s", word, c.macro.Name).
			Hintf("give the macro a value, and let the caller decide by it")
	}
}

// declared copies the variable that a loop or let declares. It can't be one of
// the caller's.
func (c *copier) declared(x *ast.Var) *ast.Var {
	if x != nil && c.vars[x.Name] != "" {
		c.e.errorf(c.use.Place(x.Span), "$%s is a parameter of the macro %s, so it can't be declared here", x.Name, c.macro.Name).
			Hintf("use another name")
	}
	return c.variable(x)
}

func (c *copier) varName(name string) string {
	if outer, ok := c.vars[name]; ok {
		return outer
	}
	return name + c.suffix
}

// mapRef is a map's name as the clause knows it.
func (c *copier) mapRef(x *ast.Map) *ast.Map {
	n := dup(c, x)
	n.NameSpan = c.use.Place(x.NameSpan)
	if c.mod == nil {
		return n
	}
	if c.macro == nil {
		n.Name = c.mod.mapName(x.Name)
		return n
	}
	if outer, ok := c.maps[x.Name]; ok {
		n.Name = outer.Name
		return n
	}
	c.e.errorf(n.NameSpan, "the macro %s can't use @%s, which is not passed to it", c.macro.Name, x.Name).
		Hintf("add a parameter @%s to the macro", x.Name)
	return n
}

func (c *copier) block(b *ast.Block) *ast.Block {
	if b == nil {
		return nil
	}
	n := &ast.Block{At: ast.At{Span: c.use.Place(b.Span)}}
	for _, s := range b.Stmts {
		if c.link != nil && c.link.dead(s) {
			continue
		}
		n.Stmts = append(n.Stmts, c.stmt(s))
	}
	n.Value = c.expr(b.Value)
	return n
}

func (c *copier) variable(x *ast.Var) *ast.Var {
	if x == nil {
		return nil
	}
	n := dup(c, x)
	n.Name = c.varName(x.Name)
	return n
}

func (c *copier) stmt(s ast.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *ast.ExprStmt:
		n := dup(c, s)
		n.X = c.expr(s.X)
		return n
	case *ast.Assign:
		n := dup(c, s)
		n.Target, n.Value = c.target(s.Target), c.expr(s.Value)
		return n
	case *ast.Let:
		n := dup(c, s)
		n.Value = c.expr(s.Value)
		n.Var, n.Type = c.declared(s.Var), c.typeExpr(s.Type)
		return n
	case *ast.If:
		n := dup(c, s)
		n.Cond, n.Then, n.Else = c.expr(s.Cond), c.block(s.Then), c.block(s.Else)
		return n
	case *ast.While:
		n := dup(c, s)
		n.Cond, n.Body = c.expr(s.Cond), c.loop(s.Body)
		return n
	case *ast.Unroll:
		n := dup(c, s)
		n.N, n.Body = c.expr(s.N), c.loop(s.Body)
		return n
	case *ast.ForRange:
		n := dup(c, s)
		n.Var, n.From, n.To, n.Body = c.declared(s.Var), c.expr(s.From), c.expr(s.To), c.loop(s.Body)
		return n
	case *ast.ForMap:
		n := dup(c, s)
		n.Var, n.Map, n.Body = c.declared(s.Var), c.mapExpr(s.Map), c.loop(s.Body)
		return n
	case *ast.Return:
		c.leaves(s, "return")
		n := dup(c, s)
		n.Value = c.expr(s.Value)
		return n
	case *ast.BlockStmt:
		n := dup(c, s)
		n.Body = c.block(s.Body)
		return n
	case *ast.Fire:
		if c.link != nil {
			return c.link.fire(c, s)
		}
		n := dup(c, s)
		n.NameSpan, n.Fields = c.use.Place(s.NameSpan), c.expr(s.Fields).(*ast.Record)
		return n
	}
	return c.jump(s)
}

// jump copies break and continue.
func (c *copier) jump(s ast.Stmt) ast.Stmt {
	leave := func(word string) {
		if c.loops == 0 {
			c.leaves(s, word)
		}
	}
	switch s := s.(type) {
	case *ast.Break:
		leave("break")
		return dup(c, s)
	case *ast.Continue:
		leave("continue")
		return dup(c, s)
	}
	return s
}

// target copies what is assigned to: the word _ is not a name.
func (c *copier) target(x ast.Expr) ast.Expr {
	if id, ok := x.(*ast.Ident); ok && id.Name == "_" {
		n := dup(c, id)
		return n
	}
	return c.expr(x)
}

func (c *copier) exprs(xs []ast.Expr) []ast.Expr {
	if xs == nil {
		return nil
	}
	xs = c.variadic.spread(xs)
	out := make([]ast.Expr, len(xs))
	for i, x := range xs {
		out[i] = c.expr(x)
	}
	return out
}

func (c *copier) mapExpr(x *ast.Map) *ast.Map {
	if x == nil {
		return nil
	}
	n := c.mapRef(x)
	n.Keys = c.exprs(x.Keys)
	return n
}

func (c *copier) typeExpr(t *ast.TypeExpr) *ast.TypeExpr {
	if t == nil {
		return nil
	}
	n := dup(c, t)
	if param := c.idents[t.Name]; param != nil && t.Tag == "" {
		// (a *)x in a macro that was called with typeof(uint8) for a.
		if arg, ok := param(c.use.Place(t.Span)).(*ast.TypeArg); ok {
			n.Tag, n.Name, n.TypeOf = arg.Type.Tag, arg.Type.Name, arg.Type.TypeOf
			n.Post = append(slices.Clone(arg.Type.Post), t.Post...)
			return n
		}
	}
	n.TypeOf = c.expr(t.TypeOf)
	return n
}

// expr copies an expression.
func (c *copier) expr(x ast.Expr) ast.Expr {
	if x == nil {
		return nil
	}
	if c.e.nodes++; c.e.nodes > maxNodes {
		if !c.e.full {
			c.e.full = true
			c.e.errorf(c.use.Place(x.Pos()), "the macros of this script grow beyond every measure").Hintf("call fewer macros from macros")
		}
		return nothing(x)
	}
	switch x := x.(type) {
	case *ast.Ident:
		if c.on != nil {
			return c.on.ident(x)
		}
		return c.ident(x)
	case *ast.Var:
		return c.variable(x)
	case *ast.Map:
		return c.mapExpr(x)
	case *ast.Call:
		// A #define of the script's hides a macro of the standard library.
		if d := c.define(x.Name); d != nil && d.HasParams && !slices.Contains(c.busy, x.Name) {
			return c.defined(x, d)
		}
		if m := c.declaredCall(x); m != nil {
			return m
		}
		x = c.timeColumns(x)
		n := dup(c, x)
		n.NameSpan, n.Args = c.use.Place(x.NameSpan), c.exprs(x.Args)
		return n
	case *ast.TypeArg:
		n := dup(c, x)
		n.Type = c.typeExpr(x.Type)
		return n
	case *ast.Unary:
		n := dup(c, x)
		n.X = c.expr(x.X)
		return n
	case *ast.IncDec:
		n := dup(c, x)
		n.X = c.expr(x.X)
		return n
	case *ast.Binary:
		n := dup(c, x)
		n.OpSpan, n.X, n.Y = c.use.Place(x.OpSpan), c.expr(x.X), c.expr(x.Y)
		return n
	case *ast.Cond:
		n := dup(c, x)
		n.C, n.A, n.B = c.expr(x.C), c.expr(x.A), c.expr(x.B)
		return n
	case *ast.Field:
		if c.on != nil {
			if v := c.on.field(x); v != nil {
				return v
			}
		}
		n := dup(c, x)
		n.NameSpan, n.X = c.use.Place(x.NameSpan), c.expr(x.X)
		return n
	case *ast.TupleIndex:
		n := dup(c, x)
		n.X = c.expr(x.X)
		return n
	case *ast.Index:
		n := dup(c, x)
		n.X, n.I = c.expr(x.X), c.expr(x.I)
		return n
	case *ast.Cast:
		n := dup(c, x)
		n.Type, n.X = c.typeExpr(x.Type), c.expr(x.X)
		return n
	case *ast.Tuple:
		n := dup(c, x)
		n.Elems = c.exprs(x.Elems)
		return n
	case *ast.Record:
		n := dup(c, x)
		n.Values = c.exprs(x.Values)
		return n
	}
	return c.rest(x)
}

// rest copies the rarer expressions.
func (c *copier) rest(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.SizeOf:
		n := dup(c, x)
		n.Type, n.X = c.typeExpr(x.Type), c.expr(x.X)
		// sizeof(T) of a parameter that is a type.
		if t, ok := n.X.(*ast.TypeArg); ok {
			n.Type, n.X = t.Type, nil
		}
		return n
	case *ast.OffsetOf:
		n := dup(c, x)
		n.Type, n.X = c.typeExpr(x.Type), c.expr(x.X)
		return n
	case *ast.IfExpr:
		n := dup(c, x)
		n.Cond, n.Then, n.Else = c.expr(x.Cond), c.block(x.Then), c.block(x.Else)
		return n
	case *ast.BlockExpr:
		n := dup(c, x)
		n.Body = c.block(x.Body)
		return n
	case *ast.Comptime:
		n := dup(c, x)
		n.X = c.expr(x.X)
		return n
	case *ast.IntLit:
		return dup(c, x)
	case *ast.StringLit:
		return dup(c, x)
	case *ast.BoolLit:
		return dup(c, x)
	case *ast.Param:
		return dup(c, x)
	case *ast.ProbeArg:
		return dup(c, x)
	}
	return x
}

// argument returns what copies an argument to each place where its parameter,
// called what, stands.
func (c *copier) argument(x ast.Expr, what string) func(at source.Span) ast.Expr {
	return func(at source.Span) ast.Expr {
		here := *c
		here.use = c.e.argument(x.Pos(), what, at)
		return here.expr(x)
	}
}

// declaredCall replaces a call of what is declared: a macro, a built-in that a
// probe's field stands for, exists() of a declared probe.
func (c *copier) declaredCall(x *ast.Call) ast.Expr {
	if c.mod != nil {
		return c.call(x, x.Name, c.variadic.spread(x.Args))
	}
	if c.on != nil && len(x.Args) == 0 {
		if v := c.on.word(x, x.Name); v != nil {
			return v
		}
	}
	if c.on != nil && !ofTask(x) {
		if r := c.on.refuse(x, x.Name); r != nil {
			return r
		}
	}
	if len(x.Args) == 1 && x.Name == "exists" {
		if p, ok := x.Args[0].(*ast.ProbeArg); ok {
			return c.link.exists(x, p.Probe)
		}
	}
	return nil
}

// ofTask reports whether a call tells of the task that it is given.
func ofTask(x *ast.Call) bool {
	v, ok := builtin.VarByName(x.Name)
	return ok && len(x.Args) > 0 && v.Arg(0) == builtin.Task
}

// ident replaces a bare word: a macro's parameter, a #define, or a macro
// without parameters. Built-in names can't be taken.
func (c *copier) ident(x *ast.Ident) ast.Expr {
	if arg, ok := c.idents[x.Name]; ok {
		return arg(c.use.Place(x.Span))
	}
	if x.Name == c.variadic.name && c.variadic.name != "" {
		return c.variadic.alone(c, x)
	}
	n := dup(c, x)
	if _, ok := builtin.VarByName(x.Name); ok || c.mod == nil {
		return n
	}
	if d := c.define(x.Name); d != nil && d.Value != nil && !d.HasParams && !slices.Contains(c.busy, x.Name) {
		return c.replaced(d, n.Span).expr(d.Value)
	}
	for _, m := range c.mod.findMacros(x.Name) {
		if len(m.Params) == 0 {
			return c.call(x, x.Name, nil)
		}
	}
	return n
}
