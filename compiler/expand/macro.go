package expand

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/lang/ast"
	"fst/lang/format"
	"fst/lang/source"
)

// addMacro makes a macro or function known.
func (e *expander) addMacro(mod *module, m *ast.Macro) {
	kind := m.Word()
	seen := map[string]bool{}
	for _, p := range m.Params {
		if n := paramName(p); seen[n] {
			e.errorf(p.Pos(), "the %s %s has two parameters called %s", kind, m.Name, n).Hintf("give each a name of its own")
		} else {
			seen[n] = true
		}
	}
	e.checkReturns(m)
	for _, other := range mod.macros[m.Name] {
		if sameKinds(m, other.Macro) {
			e.errorf(m.Span, "the %s %s is defined twice for the same arguments", kind, m.Name).
				Hintf("definitions of one name must differ in the number of parameters or, for macros, in their kinds: $variable, @map, expression").
				Notef(other.Span, "the first definition is here")
			return
		}
	}
	mod.macros[m.Name] = append(mod.macros[m.Name], &macro{m, mod})
}

// macro is a macro and where it is at home: its body sees the names there.
type macro struct {
	*ast.Macro
	mod *module
}

func paramName(p ast.Expr) string {
	switch p := p.(type) {
	case *ast.Var:
		return "$" + p.Name
	case *ast.Map:
		return "@" + p.Name
	case *ast.Ident:
		return p.Name
	}
	return ""
}

// sameKinds reports whether two macros take the same kinds of arguments.
func sameKinds(a, b *ast.Macro) bool {
	if len(a.Params) != len(b.Params) {
		return false
	}
	for i := range a.Params {
		if kindOf(a, i) != kindOf(b, i) {
			return false
		}
	}
	return true
}

// kindOf is what a parameter takes: '$', '@' or 'e' (an expression). A
// function's takes any value.
func kindOf(m *ast.Macro, i int) byte {
	switch m.Params[i].(type) {
	case *ast.Var:
		if m.Signature == nil {
			return '$'
		}
	case *ast.Map:
		return '@'
	}
	return 'e'
}

// choose finds the macro that takes the arguments: the one with the most
// parameters that are more than expressions.
func choose(all []*macro, args []ast.Expr) *macro {
	var best *macro
	bestScore := -1
	for _, m := range all {
		if len(m.Params) != len(args) {
			continue
		}
		score := 0
		for i := range m.Params {
			switch kindOf(m.Macro, i) {
			case '$':
				if _, ok := args[i].(*ast.Var); !ok {
					score = -1
				} else if score >= 0 {
					score++
				}
			case '@':
				if a, ok := args[i].(*ast.Map); !ok || a.Keys != nil {
					score = -1
				} else if score >= 0 {
					score++
				}
			}
		}
		if score > bestScore {
			best, bestScore = m, score
		}
	}
	return best
}

// usage spells how a macro or function is called.
func usage(m *ast.Macro) string {
	var names []string
	for i, p := range m.Params {
		name := paramName(p)
		if m.Signature != nil && m.Signature.Params[i] != nil {
			name += ": " + format.TypeString(m.Signature.Params[i])
		}
		names = append(names, name)
	}
	return m.Name + "(" + strings.Join(names, ", ") + ")"
}

// call expands a call of a macro or function, or returns nil if name is none.
func (c *copier) call(at ast.Node, name string, args []ast.Expr) ast.Expr {
	own, prelude := c.mod.findMacros(name)
	all := slices.Concat(own, prelude)
	if len(all) == 0 {
		return nil
	}
	m := choose(own, args)
	if m == nil {
		m = choose(prelude, args)
	}
	if m == nil {
		if _, ok := builtin.FuncByName(name); ok {
			return nil
		}
		var sigs []string
		for _, m := range all {
			sigs = append(sigs, usage(m.Macro))
		}
		d := c.e.errorf(c.use.Place(at.Pos()), "these arguments do not fit the %s %s", all[0].Word(), name).Hintf("it is called %s", strings.Join(sigs, " or "))
		if meant := builtin.Foreign()[name]; meant != "" && len(own) == 0 {
			d.Hintf("%s; the %s is called %s", meant, all[0].Word(), strings.Join(sigs, " or "))
		}
		d.Notef(all[0].Span, "it is defined here")
		if len(own) > 0 && len(prelude) > 0 {
			d.Notef(prelude[0].Span, "and here in the standard library")
		}
		if i, wants := misfit(all, args); wants != "" {
			d.Span, d.Message = c.use.Place(args[i].Pos()), fmt.Sprintf("argument %d of the macro %s must be %s", i+1, name, wants)
		}
		return c.uncall(at, args)
	}
	if len(c.stack) >= maxCalls {
		c.e.errorf(c.use.Place(at.Pos()), "functions and macros call each other here %d levels deep; at most %d are allowed", maxCalls+1, maxCalls).
			Hintf("they are inlined where they are called; use a loop")
		return c.uncall(at, args)
	}
	for _, busy := range c.stack {
		if busy == m.Macro {
			c.e.errorf(c.use.Place(at.Pos()), "the %s %s calls itself", m.Word(), name).Hintf("%ss are inlined where they are called; use a loop", m.Word()).
				Notef(m.Span, "it is defined here")
			return c.uncall(at, args)
		}
	}
	place := c.use.Place(at.Pos())
	inner := c.of(m, place)
	if m.Signature != nil {
		return c.function(inner, place, args)
	}
	for i, p := range m.Params {
		switch p := p.(type) {
		case *ast.Var:
			inner.vars[p.Name] = c.varName(args[i].(*ast.Var).Name)
		case *ast.Map:
			inner.maps[p.Name] = c.mapName(args[i].(*ast.Map))
		case *ast.Ident:
			inner.idents[p.Name] = c.argument(args[i], p.Name+" of the macro "+m.Name)
		}
	}
	body := inner.block(m.Body)
	if body == nil {
		return nothing(at)
	}
	if len(body.Stmts) == 0 && body.Value != nil {
		return body.Value
	}
	return &ast.BlockExpr{At: ast.At{Span: place}, Body: body}
}

// of is the copier of a macro's body for a call at a place.
func (c *copier) of(m *macro, place source.Span) *copier {
	c.e.copies++
	c.e.called[m.Macro] = true
	return &copier{
		e: c.e, mod: m.mod, macro: m.Macro,
		use:    c.e.use(m.Span, "the "+m.Word()+" "+m.Name, place),
		suffix: "#" + strconv.Itoa(c.e.copies),
		stack:  append(c.stack[:len(c.stack):len(c.stack)], m.Macro),
		idents: map[string]func(source.Span) ast.Expr{}, vars: map[string]string{}, maps: map[string]string{},
	}
}

// misfit finds the argument that a macro's only form does not take as it is.
func misfit(all []*macro, args []ast.Expr) (at int, wants string) {
	if len(all) != 1 || len(all[0].Params) != len(args) {
		return 0, ""
	}
	for i := range all[0].Params {
		switch kindOf(all[0].Macro, i) {
		case '$':
			if _, ok := args[i].(*ast.Var); !ok {
				return i, "a $variable"
			}
		case '@':
			if _, ok := args[i].(*ast.Map); !ok {
				return i, "a @map"
			}
		}
	}
	return 0, ""
}
