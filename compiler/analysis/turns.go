package analysis

import (
	"slices"

	"fst/compiler/check"
	"fst/lang/ast"
)

// maxWalked is how many nodes of the tree a loop may make the verifier walk, those of each turn counted. It follows the
// branches of each turn as well, and may put off 8192 of them. Five times as many delay the start of a tool by a tenth of a second.
const maxWalked = 4000

// isHeavy reports whether a while loop becomes bpf_loop: walking through its turns would
// be too much for the verifier, and its condition tells that it ends.
func (l *Loops) isHeavy(s *ast.While) bool {
	heavy, known := l.heavy[s]
	if !known {
		heavy = l.counted(s, s.Cond)*l.walked(s) > maxWalked && l.hasLoop()
		l.heavy[s] = heavy
	}
	return heavy
}

// counted is how often a while loop runs as long as a condition holds: that a variable which
// the body changes is less than a constant, where it counts up from 0. 0 stands for others.
func (l *Loops) counted(s *ast.While, cond ast.Expr) int64 {
	x, ok := cond.(*ast.Binary)
	if !ok {
		return 0
	}
	if x.Op == "&&" {
		a, b := l.counted(s, x.X), l.counted(s, x.Y)
		if a == 0 || b == 0 {
			return max(a, b)
		}
		return min(a, b)
	}
	less, more := x.X, x.Y
	switch x.Op {
	case ">", ">=":
		less, more = more, less
	case "<", "<=":
	default:
		return 0
	}
	n, ok := Constant(l.u, more)
	v, isVar := less.(*ast.Var)
	if !ok || !isVar || !slices.Contains(ChangedVars(l.u, s), l.u.Vars[v]) {
		return 0
	}
	return min(max(n, 0), 1<<31)
}

// walked counts the nodes of a turn of a loop that the verifier walks, those of while loops
// within it as often as they run: s is a while loop, or the body of another.
func (l *Loops) walked(s ast.Node) int64 {
	n := int64(0)
	ast.Walk(s, func(x ast.Node) bool {
		n++
		switch x := x.(type) {
		case *ast.While:
			if x != s && !l.isHeavy(x) {
				n += max(l.counted(x, x.Cond), 1) * l.walked(x)
				return false
			}
		case *ast.Unroll:
			if !l.IsLarge(x) {
				n += l.Turns(x) * l.weight(x.Body)
				return false
			}
		}
		return true
	})
	return min(n, 1<<31)
}

// Turns is how often an unroll runs its body.
func (l *Loops) Turns(s *ast.Unroll) int64 {
	if lit, ok := s.N.(*ast.IntLit); ok {
		return int64(lit.Value)
	}
	return l.u.Consts[s.N]
}

// IsLarge reports whether an unroll's copies would make more of the program
// than maxCopied nodes of the tree.
func (l *Loops) IsLarge(s *ast.Unroll) bool { return l.Turns(s)*l.weight(s.Body) > maxCopied }

const maxCopied = 3000

// weight counts the nodes of a block, those within an unroll as often as they
// would be copied.
func (l *Loops) weight(b *ast.Block) int64 {
	n := int64(0)
	ast.Walk(b, func(x ast.Node) bool {
		n++
		if inner, ok := x.(*ast.Unroll); ok {
			n += l.Turns(inner) * l.weight(inner.Body)
			return false
		}
		return true
	})
	return min(n, 1<<31) // more than enough, and a number that can be multiplied
}

// fewTurns reports whether the bounds of a for loop are constant, and its turns few and short enough for the verifier to walk.
func (l *Loops) fewTurns(s *ast.ForRange) bool {
	a, ok1 := Constant(l.u, s.From)
	b, ok2 := Constant(l.u, s.To)
	return ok1 && ok2 && (b <= a || uint64(b)-uint64(a) <= maxWalked && (b-a)*l.walked(s.Body) <= maxWalked)
}

// Constant is the value of an expression that is known.
func Constant(u *check.Unit, x ast.Expr) (int64, bool) {
	if c, ok := u.Consts[x]; ok {
		return c, true
	}
	if lit, ok := x.(*ast.IntLit); ok {
		return int64(lit.Value), true
	}
	return 0, false
}
