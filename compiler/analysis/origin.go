package analysis

import (
	"slices"

	"fst/compiler/check"
	"fst/lang/ast"
)

// Origins knows what holds nothing but what the script itself has written, as opposed to what it
// reads from the system: texts and characters that it may use to steer the terminal, with
// colours and tabs.
type Origins struct {
	// stored are the variables (*check.Var) and maps (by name) that something is stored in,
	// foreign those of them where it comes from elsewhere.
	stored, foreign map[any]bool
	// readers has, for each of them, those that its value is stored in.
	readers map[any][]any
}

// FindOrigins looks at all that is stored, once.
func FindOrigins(units []*check.Unit) *Origins {
	o := &Origins{stored: map[any]bool{}, foreign: map[any]bool{}, readers: map[any][]any{}}
	for _, u := range units {
		ast.Walk(u.Clause, func(n ast.Node) bool {
			_, declared := n.(*ast.Let)
			switch target, value := stored(n); {
			case value != nil:
				o.store(u, target, value)
			case target != nil && !declared:
				o.isForeign(u.Place(target))
			}
			return true
		})
	}
	for place := range o.readers {
		if !o.stored[place] { // a loop's, say
			o.isForeign(place)
		}
	}
	return o
}

func (o *Origins) store(u *check.Unit, target, value ast.Expr) {
	to := u.Place(target)
	if to == nil {
		return
	}
	o.stored[to] = true
	from, literal := sources(u, value, nil)
	if !literal {
		o.isForeign(to)
	}
	for _, place := range from {
		o.readers[place] = append(o.readers[place], to)
		if o.foreign[place] {
			o.isForeign(to)
		}
	}
}

// isForeign takes note that a place, and all that its value is stored in, may have been read
// from the system.
func (o *Origins) isForeign(place any) {
	for open := []any{place}; len(open) > 0; {
		place, open = open[len(open)-1], open[:len(open)-1]
		if place != nil && !o.foreign[place] {
			o.foreign[place] = true
			open = append(open, o.readers[place]...)
		}
	}
}

// sources adds the variables and maps that an expression may have its value from, and reports
// whether all else it may be are texts and characters that are literals of the script.
func sources(u *check.Unit, x ast.Expr, from []any) ([]any, bool) {
	var parts []ast.Expr
	switch x := x.(type) {
	case *ast.StringLit, *ast.IntLit:
		return from, true
	case *ast.Cond:
		parts = []ast.Expr{x.A, x.B}
	case *ast.IfExpr:
		parts = []ast.Expr{x.Then.Value, x.Else.Value}
	case *ast.BlockExpr:
		parts = []ast.Expr{x.Body.Value}
	default:
		place := u.Place(x)
		return append(from, place), place != nil
	}
	literal := true
	for _, part := range parts {
		var ok bool
		from, ok = sources(u, part, from)
		literal = literal && ok
	}
	return from, literal
}

// IsOwn reports whether an expression has no other value than texts and characters that are
// literals of the script.
func (o *Origins) IsOwn(u *check.Unit, x ast.Expr) bool {
	from, literal := sources(u, x, nil)
	return literal && !slices.ContainsFunc(from, func(place any) bool { return !o.stored[place] || o.foreign[place] })
}
