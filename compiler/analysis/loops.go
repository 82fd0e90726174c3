package analysis

import (
	"slices"

	"fst/compiler/check"
	"fst/compiler/types"
	"fst/lang/ast"
)

// Loops is how the loops of a unit run, and which variables the bodies of those that become
// callbacks share with others.
//
// The kernel calls the function of a loop's body for each turn (bpf_loop, bpf_for_each_map_elem), and
// its verifier looks at that once, however often it runs. All other loops it walks through turn by turn.
type Loops struct {
	u *check.Unit
	// hasLoop tells whether the kernel has bpf_loop. It is called only if a loop depends on it: to find that out takes milliseconds.
	hasLoop func() bool
	// heavy notes of while loops whether they are run by bpf_loop.
	heavy map[*ast.While]bool
	// repeated are the loops over ranges that stand in another loop, whose turns
	// the verifier walks through one by one.
	repeated map[*ast.ForRange]bool
	// inner are the loops within others that are callbacks.
	inner map[ast.Node]bool

	// Callbacks are how many loops become callbacks, Ranges those of them that are over ranges.
	Callbacks int
	Ranges    []*ast.ForRange
	// Shared are the variables that the bodies of the unit and of callbacks share, and those whose address is taken.
	Shared []*check.Var

	// bodies are those of the unit (nil) and of its callbacks that use a variable first:
	// what a single one uses is its own.
	bodies    map[*check.Var]ast.Node
	addressed []*check.Var // whose address is taken, or that of a part
	given     []*check.Var // the keys and values of loops over maps
	turned    []*check.Var // that callbacks change
	changed   []*check.Var // that the unit changes
}

// FindLoops looks at the loops of a unit. hasLoop tells whether the kernel has bpf_loop.
func FindLoops(u *check.Unit, hasLoop func() bool) *Loops {
	l := &Loops{u: u, hasLoop: hasLoop, heavy: map[*ast.While]bool{}, repeated: map[*ast.ForRange]bool{}, inner: map[ast.Node]bool{},
		bodies: map[*check.Var]ast.Node{}}
	for _, part := range []ast.Node{u.Filter, u.Body} {
		l.walk(part, nil, nesting{})
	}
	for _, v := range l.addressed {
		if !slices.Contains(l.Shared, v) && !slices.Contains(l.given, v) {
			l.Shared = append(l.Shared, v)
		}
	}
	l.changed = ChangedVars(u, u.Filter, u.Body)
	return l
}

// HasNested reports whether some callback is within another loop, IsNested whether that of a loop is.
func (l *Loops) HasNested() bool             { return len(l.inner) > 0 }
func (l *Loops) IsNested(loop ast.Node) bool { return l.inner[loop] }

// OffStack reports whether a shared variable must not lie on the stack. Before Linux 6.7 the verifier
// looks at a callback once, and takes what it knew before for what holds after (numbers are blurred): this
// forbids texts, tuples and pointers there that a loop changes. And it does not let a callback keep the address of what is on
// its stack on that of its caller; a variable whose address is taken may be gone before its address.
func (l *Loops) OffStack(v *check.Var) bool {
	switch {
	case slices.Contains(l.addressed, v):
		return true
	case v.Type.Kind == types.Pointer:
		return slices.Contains(l.turned, v)
	}
	return !v.Type.IsScalar() && slices.Contains(l.changed, v)
}

// IsCallback reports whether a node is a loop whose body becomes a function of its own. A for over a
// range of few turns is a plain loop, which costs less, but not if another loop multiplies them.
func (l *Loops) IsCallback(n ast.Node) bool {
	switch s := n.(type) {
	case *ast.ForMap:
		return true
	case *ast.While:
		return l.isHeavy(s)
	case *ast.Unroll:
		return l.IsLarge(s) && l.hasLoop()
	case *ast.ForRange:
		return (!l.fewTurns(s) || l.repeated[s]) && l.hasLoop()
	}
	return false
}

// nesting is what a part of a body is in: whether it is in a loop at all, and whether the
// verifier walks through the turns of the innermost one.
type nesting struct{ looped, walked bool }

// walk looks at a part of a body: that of the callback of a loop, or of the unit if that is nil.
func (l *Loops) walk(root, body ast.Node, in nesting) {
	ast.Walk(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Var:
			l.use(n, body)
		case *ast.Unary:
			if v := holder(l.u, n.X); n.Op == "&" && v != nil && !slices.Contains(l.addressed, v) {
				l.addressed = append(l.addressed, v)
			}
		case *ast.ForRange:
			l.repeated[n] = in.walked
		}
		once, turn := loopParts(n)
		if turn == nil {
			return true
		}
		for _, part := range once {
			l.walk(part, body, in)
		}
		inside, callback := body, l.IsCallback(n)
		if callback {
			inside = n
			l.Callbacks++
			if in.looped {
				l.inner[n] = true
			}
		}
		switch n := n.(type) {
		case *ast.ForMap:
			l.given = append(l.given, l.u.Vars[n.Var])
			l.use(n.Var, inside)
		case *ast.ForRange:
			if callback {
				l.Ranges = append(l.Ranges, n)
			}
			l.use(n.Var, inside)
		}
		for _, part := range turn {
			if callback {
				l.turned = append(l.turned, ChangedVars(l.u, part)...)
			}
			l.walk(part, inside, nesting{looped: true, walked: !callback})
		}
		return false
	})
}

// use notes that a body uses a variable.
func (l *Loops) use(x *ast.Var, body ast.Node) {
	v := l.u.Vars[x]
	if v == nil {
		return
	}
	if other, seen := l.bodies[v]; !seen {
		l.bodies[v] = body
	} else if other != body && !slices.Contains(l.Shared, v) {
		l.Shared = append(l.Shared, v)
	}
}

// loopParts are the parts of a loop: what is evaluated once before it, and what each turn runs. Other nodes have none.
func loopParts(n ast.Node) (once, turn []ast.Node) {
	switch n := n.(type) {
	case *ast.While:
		return nil, []ast.Node{n.Cond, n.Body}
	case *ast.Unroll:
		return []ast.Node{n.N}, []ast.Node{n.Body}
	case *ast.ForRange:
		return []ast.Node{n.From, n.To}, []ast.Node{n.Body}
	case *ast.ForMap:
		return nil, []ast.Node{n.Body}
	}
	return nil, nil
}
