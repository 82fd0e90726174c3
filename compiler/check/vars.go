package check

import (
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
)

// variables are the script's variables: their scopes, and the types that assignments give them.
type variables struct{ *unitChecker }

// find looks a variable up, innermost scope first.
func (u variables) find(name string) *Var {
	for s := u.scope; s != nil; s = s.parent {
		if v := s.names[name]; v != nil {
			return v
		}
	}
	return nil
}

// declare makes a variable of a scope known, or returns the one that an
// earlier pass made.
func (u variables) declare(s *scope, name string, at ast.Node) *Var {
	key := varKey{s.owner, name}
	v := u.vars[key]
	if v == nil {
		v = &Var{Name: name}
		u.vars[key] = v
		u.states[v] = &varState{}
	}
	u.states[v].at = at
	s.names[name] = v
	return v
}

// shown is a variable's name as its author wrote it: those of macros carry
// the number of their expansion behind a '#'.
func shown(name string) string {
	name, _, _ = strings.Cut(name, "#")
	return name
}

// called is how messages name a variable: as its author wrote it, or what a
// function returns.
func called(name string) string {
	name = shown(name)
	if isResult(name) {
		return name
	}
	return "$" + name
}

// isResult reports whether a variable holds what a function returns.
func isResult(name string) bool { return strings.Contains(name, " ") }

// clauseScope is the outermost scope.
func (u variables) clauseScope() *scope {
	s := u.scope
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// variable is the type of $x.
func (u variables) variable(x *ast.Var) *types.Type {
	v := u.find(x.Name)
	if v == nil {
		if u.quiet {
			u.outlives(x.Name)
			return invalid
		}
		u.unknownVar(x)
		return invalid
	}
	u.Vars[x] = v
	if v.Type == nil {
		if u.quiet || u.states[v].wrong {
			return invalid
		}
		return types.I64 // let without any assignment
	}
	return v.Type
}

// unknownVar reports a variable without a value, once in a clause.
func (u variables) unknownVar(x *ast.Var) {
	name := shown(x.Name)
	if u.unknown[name] {
		return
	}
	u.unknown[name] = true
	d := u.errorf(x.Span, "$%s is used before it is assigned a value", name).Hintf("give it one first: $%s = 0; a value of another clause or entry is kept in a map: @%[1]s", name)
	var names []string
	for s := u.scope; s != nil; s = s.parent {
		for n := range s.names {
			names = append(names, shown(n))
		}
	}
	if suggest(d, name, "$", names); diag.Nearest(name, names) != "" {
		return
	}
	if _, ok := builtin.VarByName(name); ok {
		d.Hintf("did you mean %s? Built-ins have no $", name)
		return
	}
	if name == "target" {
		d.Hintf("the process that -c starts is cpid; give any other as a parameter of the script: $1")
		return
	}
	for _, other := range u.units {
		for key := range other.vars {
			if other.Clause != u.Clause && shown(key.name) == name {
				d.Hintf("variables belong to one clause; a map keeps a value for others: @%s, or @%s[tid]", name, name)
				return
			}
		}
	}
}

// outlives notes that a variable is read behind the block that assigned it, as
// it could be before bpftrace 0.22: then those of the name belong to the clause.
func (u variables) outlives(name string) {
	if u.given[name] && !u.ofClause[name] {
		u.ofClause[name] = true
		u.changed = true
	}
}

// assignTo gives a variable a value of type t, whose stated type is stated. A
// variable that is not known yet belongs to the block, unless it outlives it.
func (u variables) assignTo(x *ast.Var, t, stated *types.Type, at ast.Node) {
	v := u.find(x.Name)
	if v == nil {
		s := u.scope
		if u.ofClause[x.Name] {
			s = u.clauseScope()
		}
		v = u.declare(s, x.Name, x)
		u.given[x.Name] = true
	}
	if t.Kind == types.Invalid {
		u.states[v].wrong = true
	} else if !u.widen(v, t) {
		st := u.states[v]
		is := "holds"
		if st.declared {
			is = "is declared"
		}
		d := u.errorf(at.Pos(), "%s %s %s, so it can't be given %s", called(x.Name), is, types.Describe(v.Type), types.Describe(t))
		if st.at != nil && st.at != x {
			d.Notef(st.at.Pos(), "%s gets its type here", called(x.Name))
		}
		if t.Kind.IsAggregation() {
			d.Hintf("aggregations are kept in maps: @%s = ...", x.Name)
		} else if d.Hint = clash(v.Type, t); d.Hint == "" && isResult(x.Name) {
			d.Hintf("declare it %s", types.Describe(t))
		} else if d.Hint == "" {
			d.Hintf("use another variable")
		}
	}
	u.stateVar(v, stated)
	u.set(x, v)
}

func (u variables) set(x *ast.Var, v *Var) {
	u.Vars[x] = v
	if v.Type != nil {
		u.Types[x] = v.Type
	} else {
		u.Types[x] = invalid
	}
}

// widen makes room for a type in a variable.
func (u variables) widen(v *Var, t *types.Type) bool {
	st := u.states[v]
	now, ok := types.Unify(v.Type, t)
	if !ok {
		return false
	}
	if st.declared {
		return true
	}
	if u.quiet && !types.Same(now, v.Type) {
		v.Type = now
		u.changed = true
	}
	return true
}

// keepsSign complains about a number from 2^63 on, written out, that is stored in
// a place that other values make signed: it would be another, negative one.
func (u variables) keepsSign(x ast.Expr, place *types.Type, name string) {
	if place == nil {
		return
	}
	if e, ok := x.(*ast.Tuple); ok {
		if place.Kind == types.Tuple && len(e.Elems) == len(place.Fields()) {
			for i, f := range place.Fields() {
				u.keepsSign(e.Elems[i], f.Type, name)
			}
		}
		return
	}
	n, ok := u.Consts[x]
	if !ok || n >= 0 || u.Types[x].Signed || place.Kind != types.Int || !place.Signed || !u.isWrittenOut(x) {
		return
	}
	u.errorf(x.Pos(), "%s holds signed numbers, so it can't be given %d", name, uint64(n)).
		Hintf("write %d, which has the same bits, or cast the other values: (uint64)x", n)
}

// stored is the type under which an expression's value is stored: constants
// that are not negative do not force a sign upon their place.
func (u *unitChecker) stored(x ast.Expr, t *types.Type) *types.Type {
	if t.Kind == types.Int && t.Size == 8 && t.Signed && u.isPlain(x) {
		return types.WeakInt
	}
	if t.Kind == types.Tuple {
		if tup, ok := x.(*ast.Tuple); ok && len(tup.Elems) == len(t.Fields()) {
			elems := make([]*types.Type, len(tup.Elems))
			for i, e := range tup.Elems {
				elems[i] = u.stored(e, t.Fields()[i].Type)
			}
			return types.TupleType(elems)
		}
	}
	return t
}

// shadows reports a declaration of a variable that there is already.
func (u variables) shadows(x *ast.Var) bool {
	v := u.find(x.Name)
	if v == nil || u.quiet {
		return false
	}
	d := u.errorf(x.Span, "there is a $%s already", shown(x.Name)).Hintf("a name means one thing: use another")
	if at := u.states[v].at; at != nil {
		d.Notef(at.Pos(), "it is declared here")
	}
	return true
}
