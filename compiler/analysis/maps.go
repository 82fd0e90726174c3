package analysis

import (
	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/types"
	"fst/lang/ast"
)

// MapUse is what the script does with a map in the kernel.
type MapUse struct {
	// Does are the effects of the functions that are called with the map or an element of it.
	Does   builtin.Effects
	Looped bool // there is a for over it
	Read   bool // some expression reads a value, or stores one that is no aggregation's
}

// MapUses has the uses of maps by their names.
type MapUses map[string]*MapUse

// Of is what the script does with the map of a name.
func (l MapUses) Of(name string) *MapUse {
	u := l[name]
	if u == nil {
		u = &MapUse{}
		l[name] = u
	}
	return u
}

// FindMapUses looks through the whole script for what it does with its maps.
func FindMapUses(units []*check.Unit) MapUses {
	l := MapUses{}
	all := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			for _, a := range n.Args {
				if m, ok := a.(*ast.Map); ok {
					l.Of(m.Name).Does |= builtin.EffectsOf(n.Name)
				}
			}
		case *ast.ForMap:
			l.Of(n.Map.Name).Looped = true
		}
		return true
	}
	for _, u := range units {
		u.Walk(all)
		u.Walk(l.noteRead)
	}
	return l
}

// noteRead notes the maps whose values a node reads in the kernel. It is for ast.Walk.
func (l MapUses) noteRead(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Assign:
		m, ok := n.Target.(*ast.Map)
		if !ok || n.Op != "=" || !IsAggregation(n.Value) {
			break
		}
		for _, k := range m.Keys {
			ast.Walk(k, l.noteRead)
		}
		ast.Walk(n.Value, l.noteRead)
		return false
	case *ast.Call:
		// A map that is named as a whole is not read here, but shown by user space, emptied
		// or searched.
		called, ok := builtin.FuncByName(n.Name)
		if !ok || called.Does(builtin.ReadsValue) {
			break
		}
		for i, a := range n.Args {
			m, isMap := a.(*ast.Map)
			whole := isMap && m.Keys == nil && called.Arg(i).TakesMap()
			if !whole && called.Arg(i) != builtin.MapColumn {
				ast.Walk(a, l.noteRead)
			}
		}
		return false
	case *ast.ForMap:
		l.Of(n.Map.Name).Read = true
	case *ast.Map:
		l.Of(n.Name).Read = true
	}
	return true
}

// IsAggregation reports whether an expression is the call of an aggregation, as count().
func IsAggregation(x ast.Expr) bool {
	fn, ok := builtin.FuncByName(check.Word(x))
	_, isCall := x.(*ast.Call)
	return ok && isCall && fn.Aggregation != types.Invalid
}
