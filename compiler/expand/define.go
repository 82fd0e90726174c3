package expand

import (
	"fmt"

	"fst/lang/ast"
	"fst/lang/source"
)

// define is a #define and where it is at home.
type define struct {
	*ast.Define
	mod *module
}

func (c *copier) define(name string) *define {
	if c.mod == nil {
		return nil
	}
	return c.mod.findDefine(name)
}

// replaced is the copier of what a #define that is used at a place stands for.
// Parameters of a macro do not reach into it.
func (c *copier) replaced(d *define, place source.Span) *copier {
	return &copier{e: c.e, mod: d.mod, stack: c.stack, use: c.e.use(d.Span, "the #define "+d.Name, place),
		busy: append(c.busy[:len(c.busy):len(c.busy)], d.Name)}
}

// defined replaces a call of a #define with parameters. As in C, the variables
// and maps of its text are those of the place where it is used.
func (c *copier) defined(x *ast.Call, d *define) ast.Expr {
	args := c.variadic.spread(x.Args)
	if d.Value == nil {
		write := "write macro " + d.Usage() + " { ... }"
		if d.Rest != "" {
			write = "write it where it is used, or as several macros: # and ## have no meaning here"
		}
		c.e.errorf(c.use.Place(x.Span), "what %s stands for is neither an expression nor a statement", x.Name).Hintf("%s", write).
			Notef(d.Span, "it is defined here")
		return c.uncall(x, args)
	}
	if len(args) < len(d.Params) || len(args) > len(d.Params) && d.Rest == "" {
		c.e.errorf(c.use.Place(x.Span), "these arguments do not fit the #define %s", x.Name).
			Hintf("it is used as %s", d.Usage()).Notef(d.Span, "it is defined here")
		return c.uncall(x, args)
	}
	inner := c.replaced(d, c.use.Place(x.Span))
	inner.idents = map[string]func(source.Span) ast.Expr{}
	for i, name := range d.Params {
		inner.idents[name] = c.argument(args[i], name+" of the #define "+d.Name)
	}
	inner.variadic = variadic{d.Rest, len(args) - len(d.Params)}
	for i, x := range args[len(d.Params):] {
		inner.idents[inner.variadic.nth(i)] = c.argument(x, d.Rest+" of the #define "+d.Name)
	}
	return inner.expr(d.Value)
}

// variadic are the arguments of a #define that have a name together.
type variadic struct {
	name  string // empty: there are none
	count int
}

// nth is the name of one of them, as a parameter.
func (v variadic) nth(i int) string { return fmt.Sprintf("%s#%d", v.name, i) }

// spread puts the arguments in for their name.
func (v variadic) spread(xs []ast.Expr) []ast.Expr {
	if v.name == "" {
		return xs
	}
	var out []ast.Expr
	for _, x := range xs {
		id, ok := x.(*ast.Ident)
		if !ok || id.Name != v.name {
			out = append(out, x)
			continue
		}
		for i := range v.count {
			out = append(out, &ast.Ident{At: id.At, Name: v.nth(i)})
		}
	}
	return out
}

// alone is what their name stands for outside of a list.
func (v variadic) alone(c *copier, x *ast.Ident) ast.Expr {
	if v.count == 1 {
		return c.idents[v.nth(0)](c.use.Place(x.Span))
	}
	c.e.errorf(c.use.Place(x.Span), "%s stands for %d arguments here", x.Name, v.count).Hintf("it can be used where several values can: f(%s)", x.Name)
	return nothing(x)
}
