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
	maps   map[string]string
	// busy are the #defines being replaced; variadic are the further arguments of
	// the innermost.
	busy     []string
	variadic variadic
	// loops counts the loops of the macro that what is copied stands in.
	loops int
}

// node copies a node that has no meaning of its own for macros and declared
// probes; child makes its children.
func (c *copier) node(x ast.Node, child func(ast.Node) ast.Node) ast.Node {
	n := ast.Copy(c.spread(x), child)
	n.(interface{ SetPos(source.Span) }).SetPos(c.use.Place(n.Pos()))
	switch n := n.(type) {
	case *ast.Binary:
		n.OpSpan = c.use.Place(n.OpSpan)
	case *ast.Call:
		n.NameSpan = c.use.Place(n.NameSpan)
	case *ast.Field:
		n.NameSpan = c.use.Place(n.NameSpan)
	case *ast.Map:
		n.NameSpan = c.use.Place(n.NameSpan)
	case *ast.Fire:
		n.NameSpan = c.use.Place(n.NameSpan)
	}
	return n
}

// dup copies a node without children, or one whose children are seen to.
func dup[T ast.Node](c *copier, x T) T { return c.node(x, func(n ast.Node) ast.Node { return n }).(T) }

// child copies a part of a node.
func (c *copier) child(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.Block:
		return c.block(n)
	case *ast.TypeExpr:
		return c.typeExpr(n)
	case *ast.Var:
		return c.variable(n)
	case *ast.Map:
		return c.mapExpr(n)
	case *ast.Record:
		return c.node(n, c.child)
	case ast.Expr:
		return c.expr(n)
	case ast.Stmt:
		return c.stmt(n)
	}
	return n // an attach point
}

// spread puts the arguments of a #define in for the name that they have together.
func (c *copier) spread(x ast.Node) ast.Node {
	if c.variadic.name == "" {
		return x
	}
	switch x := x.(type) {
	case *ast.Map:
		n := *x
		n.Keys = c.variadic.spread(x.Keys)
		return &n
	case *ast.Call:
		n := *x
		n.Args = c.variadic.spread(x.Args)
		return &n
	case *ast.Tuple:
		n := *x
		n.Elems = c.variadic.spread(x.Elems)
		return &n
	}
	return x
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
		n.Options = slices.Clone(ap.Options)
		for j, o := range n.Options {
			if o != nil {
				n.Options[j] = c.node(o, c.child).(*ast.Call)
			}
		}
		n.Or = c.points(ap.Or)
		out[i] = n
	}
	return out
}

// inFunction reports whether what is copied is the body of a function.
func (c *copier) inFunction() bool { return c.macro != nil && c.macro.Signature != nil }

// leaves reports a statement that would leave the code round a macro's call:
// a macro is an expression there.
func (c *copier) leaves(s ast.Stmt, word string) bool {
	if c.macro != nil {
		c.e.errorf(c.use.Place(s.Pos()), "%s can't leave the %s %s", word, c.macro.Word(), c.macro.Name).
			Hintf("give the %s a value, and let the caller decide", c.macro.Word())
	}
	return c.macro != nil
}

// declared copies the variable that a loop or let declares. It can't be one of
// the caller's.
func (c *copier) declared(x *ast.Var) *ast.Var {
	if x != nil && c.vars[x.Name] != "" {
		c.e.errorf(c.use.Place(x.Span), "$%s is a parameter of the %s %s, so it can't be declared here", x.Name, c.macro.Word(), c.macro.Name).
			Hintf("use another name")
		n := dup(c, x)
		n.Name += c.suffix
		return n
	}
	return c.variable(x)
}

func (c *copier) varName(name string) string {
	if outer, ok := c.vars[name]; ok {
		return outer
	}
	return name + c.suffix
}

// mapName is a map's name as the clause knows it.
func (c *copier) mapName(x *ast.Map) string {
	if c.mod == nil {
		return x.Name
	}
	if c.macro == nil || c.inFunction() {
		return c.mod.mapName(x.Name)
	}
	if outer, ok := c.maps[x.Name]; ok {
		return outer
	}
	c.e.errorf(c.use.Place(x.NameSpan), "the macro %s can't use @%s, which is not passed to it", c.macro.Name, x.Name).
		Hintf("add a parameter @%s to the macro", x.Name)
	return x.Name
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
		if r, ok := s.(*ast.Return); ok && r.Value != nil && c.inFunction() {
			n.Stmts = append(n.Stmts, c.keep(c.expr(r.Value)), &ast.Return{At: ast.At{Span: c.use.Place(r.Span)}})
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
	child := c.child
	switch s := s.(type) {
	case *ast.Let, *ast.ForRange, *ast.ForMap, *ast.While, *ast.Unroll:
		child = c.declaring(s)
	case *ast.Assign:
		if id, ok := s.Target.(*ast.Ident); ok && id.Name == "_" { // not a name
			n := dup(c, s)
			n.Target, n.Value = dup(c, id), c.expr(s.Value)
			return n
		}
	case *ast.Return:
		if !c.inFunction() && c.leaves(s, "return") {
			return &ast.ExprStmt{At: s.At, X: nothing(s)}
		}
	case *ast.Break:
		if c.loops == 0 && c.leaves(s, "break") {
			return &ast.ExprStmt{At: s.At, X: nothing(s)}
		}
	case *ast.Continue:
		if c.loops == 0 && c.leaves(s, "continue") {
			return &ast.ExprStmt{At: s.At, X: nothing(s)}
		}
	case *ast.Fire:
		if c.link != nil {
			return c.link.fire(c, s)
		}
	}
	return c.node(s, child).(ast.Stmt)
}

// declaring is child for let and the loops: what they declare comes first, and
// their blocks are loops' bodies.
func (c *copier) declaring(s ast.Stmt) func(ast.Node) ast.Node {
	declared := false
	switch s.(type) {
	case *ast.While, *ast.Unroll:
		declared = true // nothing is
	}
	return func(n ast.Node) ast.Node {
		switch n := n.(type) {
		case *ast.Var:
			if !declared {
				declared = true
				return c.declared(n)
			}
		case *ast.Block:
			c.loops++
			defer func() { c.loops-- }()
		}
		return c.child(n)
	}
}

func (c *copier) mapExpr(x *ast.Map) *ast.Map {
	if x == nil {
		return nil
	}
	n := c.node(x, c.child).(*ast.Map)
	n.Name = c.mapName(x)
	return n
}

func (c *copier) typeExpr(t *ast.TypeExpr) *ast.TypeExpr {
	if t == nil {
		return nil
	}
	n := dup(c, t)
	if param := c.idents[t.Name]; param != nil && t.Tag == "" {
		// (a *)x in a macro that was called with typeof(uint8) for a.
		switch arg := param(c.use.Place(t.Span)).(type) {
		case *ast.TypeArg:
			n.Tag, n.Name, n.TypeOf = arg.Type.Tag, arg.Type.Name, arg.Type.TypeOf
			n.Post = append(slices.Clone(arg.Type.Post), t.Post...)
		case *ast.Ident: // perhaps a type of the kernel
			n.Name = arg.Name
		case *ast.Refused:
			n.Tag, n.TypeOf = "typeof", arg
		default:
			at := ast.At{Span: arg.Pos()}
			n.Tag, n.TypeOf = "typeof", &ast.Refused{At: at, Message: "this stands for a type, and is a value",
				Hint: "write a type, as uint64 or struct NAME, or typeof(x) for that of a value"}
		}
		return n
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
			c.e.errorf(c.use.Place(x.Pos()), "with its macros expanded, this script is too large").Hintf("call fewer macros from macros, or split it into two scripts: %d expressions is the limit", maxNodes)
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
		return c.node(c.timeColumns(x), c.child).(ast.Expr)
	case *ast.Field:
		if c.on != nil {
			if v := c.on.field(x); v != nil {
				return v
			}
		}
	case *ast.SizeOf:
		n := c.node(x, c.child).(*ast.SizeOf)
		// sizeof(T) of a parameter that is a type.
		if t, ok := n.X.(*ast.TypeArg); ok {
			n.Type, n.X = t.Type, nil
		}
		return n
	}
	return c.node(x, c.child).(ast.Expr)
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
// probe's field stands for, exists() of a declared probe or its field.
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
		switch a := x.Args[0].(type) {
		case *ast.ProbeArg:
			return c.link.exists(x, a.Probe)
		case *ast.Field:
			if c.on != nil && isArgs(a.X) {
				at := ast.At{Span: x.Span}
				return &ast.Comptime{At: at, X: &ast.BoolLit{At: at, Value: fieldOf(c.on.probe, a.Name) != nil}}
			}
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
	own, prelude := c.mod.findMacros(x.Name)
	for _, m := range slices.Concat(own, prelude) {
		if len(m.Params) == 0 {
			return c.call(x, x.Name, nil)
		}
	}
	return n
}
