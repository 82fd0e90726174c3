package check

import (
	"strconv"

	"fst/compiler/fold"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/format"
	"fst/lang/source"
)

// flow is statements and blocks, in their order.
type flow struct{ *unitChecker }

func (u flow) stmts(list []ast.Stmt) {
	u.warnings.unreached(list)
	for _, s := range list {
		u.stmt(s)
	}
}

// block checks a nested block in a scope of its own; its value, if it has one,
// is only worked out.
func (u flow) block(b *ast.Block) {
	if b == nil {
		return
	}
	u.push(b)
	u.stmts(b.Stmts)
	if b.Value != nil {
		u.expr(b.Value)
	}
	u.pop()
}

func (u flow) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		if s.X != nil && !u.countCompared(s.X) {
			u.expr(s.X)
			u.warnings.idle(s.X)
		}
	case *ast.Assign:
		u.assign(s)
	case *ast.Let:
		u.let(s)
	case *ast.If:
		u.ifStmt(s)
	case *ast.While:
		u.cond(s.Cond)
		u.loop(s.Body)
	case *ast.Unroll:
		u.unroll(s)
	case *ast.ForRange:
		u.forRange(s)
	case *ast.ForMap:
		u.forMap(s)
	case *ast.Break:
		u.inLoop(s.Span, "break")
	case *ast.Continue:
		u.inLoop(s.Span, "continue")
	case *ast.Return:
		if s.Value != nil && u.loops > 0 && u.Provider == "test" {
			u.errorf(s.Span, "a test can't return a value from within a loop").Hintf("keep it in a variable, break, and return it after the loop")
		}
		if s.Value != nil {
			u.expr(s.Value)
		}
	case *ast.BlockStmt:
		u.block(s.Body)
	case *ast.Inline:
		outer, loops := u.inline, u.loops
		u.inline, u.loops = s, 0
		u.block(s.Body)
		u.inline, u.loops = outer, loops
	case *ast.FuncBody:
		u.block(s.Body)
	case *ast.Event:
		u.value(s.Fields)
	}
}

func (u flow) inLoop(at source.Span, word string) {
	if u.loops == 0 {
		u.errorf(at, "%s is outside of a loop", word).Hintf("return ends the clause")
	}
}

// countCompared reports @m == count(), which was meant to be an assignment.
func (u flow) countCompared(x ast.Expr) bool {
	b, ok := x.(*ast.Binary)
	if !ok || b.Op != "==" {
		return false
	}
	m, isMap := b.X.(*ast.Map)
	call, _ := aggregationCall(b.Y)
	if !isMap || call == nil {
		return false
	}
	u.assignMap(&ast.Assign{At: ast.At{Span: b.Span}, Target: m, Op: "=", Value: call}, m)
	u.Types[b] = types.BoolType
	u.errorf(b.OpSpan, "expected '=' between a map and %s(), found '=='", call.Name).Hintf("write %s = %s", format.Expr(m), format.Expr(call))
	return true
}

func (u flow) loop(b *ast.Block) {
	u.loops++
	u.block(b)
	u.loops--
}

// ifStmt checks an if. A branch that a compile-time condition rules out is
// not looked at: it may name what this kernel lacks.
func (u flow) ifStmt(s *ast.If) {
	u.cond(s.Cond)
	taken, known := u.staticCond(s.Cond)
	if !known || taken {
		u.block(s.Then)
	}
	if !known || !taken {
		u.block(s.Else)
	}
}

func (u flow) unroll(s *ast.Unroll) {
	t := u.expr(s.N)
	n, ok := u.Consts[s.N]
	switch {
	case t.Kind == types.Invalid:
	case !ok:
		u.errorf(s.N.Pos(), "the count of unroll must be a constant").Hintf("use for ($i : 0..n) with a count that is not")
	case n < 1 || n > 100:
		d := u.errorf(s.N.Pos(), "unroll takes a count from 1 to 100, not %d", n)
		if n > 100 {
			d.Hintf("use for ($i : 0..%d)", n)
		} else {
			d.Hintf("unroll (5) { ... } repeats its body five times")
		}
	}
	u.loop(s.Body)
}

// MaxTurns is BPF_MAX_LOOPS of the kernel: the most turns of one bpf_loop.
const MaxTurns = 1 << 23

func (u flow) forRange(s *ast.ForRange) {
	index, stated := types.WeakInt, invalid
	for _, x := range []ast.Expr{s.From, s.To} {
		t := u.value(x)
		switch {
		case t.Kind == types.Invalid:
		case !t.IsInteger():
			u.origin(u.errorf(x.Pos(), "the bounds of a loop must be integers, not %s", types.Describe(t)), x).Hintf("write for ($i : 0..10) { ... }")
		default:
			if u.stored(x, t) != types.WeakInt {
				index = types.I64
			}
			if both, ok := types.Unify(stated, u.stated(x, t)); ok {
				stated = both
			}
		}
	}
	from, ok1 := u.Consts[s.From]
	to, ok2 := u.Consts[s.To]
	if turns := uint64(to) - uint64(from); ok1 && ok2 && to > from && turns > MaxTurns {
		u.errorf(s.From.Pos().To(s.To.Pos()), "this loop has %d turns; the kernel allows a program at most %d", turns, MaxTurns).
			Hintf("a loop in a loop has more: for ($i : 0..1000) { for ($j : 0..%d) { ... } }", turns/1000)
	}
	u.variables.shadows(s.Var)
	u.push(s)
	v := u.variables.declare(u.scope, s.Var.Name, s.Var)
	u.variables.widen(v, index)
	u.variables.stateVar(v, stated)
	u.variables.set(s.Var, v)
	u.loop(s.Body)
	u.pop()
}

func (u flow) forMap(s *ast.ForMap) {
	pair := invalid
	if m := u.access.operand(s.Map); m != nil {
		m.looped = true
		switch {
		case s.Map.Keys != nil:
			u.errorf(s.Map.Span, "a loop iterates over a whole map").Hintf("write for ($kv : @%s)", s.Map.Name)
		case m.m.Key == nil && m.scalar != nil:
			u.errorf(s.Map.Span, "@%s has no keys to loop over", s.Map.Name).Hintf("print(@%s) shows its one value", s.Map.Name).
				Notef(m.scalar.Pos(), "it is used without keys here")
		case m.m.Value != nil && m.m.Value.Kind.IsChart():
			u.errorf(s.Map.Span, "a loop can't iterate over a map of %s", types.Describe(m.m.Value)).Hintf("print(@%s) shows it", s.Map.Name)
		case m.m.Key != nil && m.m.Value != nil && !m.wrong:
			pair = types.TupleType([]*types.Type{m.m.Key, types.ReadType(m.m.Value)})
		}
	}
	u.variables.shadows(s.Var)
	u.push(s)
	v := u.variables.declare(u.scope, s.Var.Name, s.Var)
	if u.states[v].wrong = pair.Kind == types.Invalid; u.states[v].wrong {
		v.Type = nil
	}
	if pair.Kind != types.Invalid {
		// The pair's type follows the map's, which may still be growing.
		if u.quiet && (v.Type == nil || !types.Same(v.Type, pair)) {
			v.Type = pair
			u.changed = true
		}
		u.states[v].declared = true
		if m := u.maps[s.Map.Name]; m.statedKey != nil && m.stated != nil {
			u.state(&u.states[v].stated, types.TupleType([]*types.Type{m.statedKey, types.ReadType(m.stated)}))
		}
	}
	u.variables.set(s.Var, v)
	u.loop(s.Body)
	u.pop()
}

func (u flow) let(s *ast.Let) {
	name := s.Var.Name
	t, stated := invalid, invalid
	if s.Value != nil {
		t = u.value(s.Value)
		t, stated = u.stored(s.Value, t), u.stated(s.Value, t)
	}
	if u.variables.shadows(s.Var) {
		return
	}
	v := u.variables.declare(u.scope, name, s.Var)
	if s.Type != nil {
		want := u.resolveType(s.Type, u.unitChecker)
		if want.Kind == types.Invalid {
			u.variables.set(s.Var, v)
			return
		}
		v.Type = want
		st := u.states[v]
		st.declared = true
		st.room = stringLen(s.Type, want)
		if st.unsized = s.Type.Name == "string" && len(s.Type.Post) == 0; !st.unsized {
			st.stated = u.statedName(s.Type, want)
		}
		u.variables.stateVar(v, stated)
		if t.Kind != types.Invalid && u.fitsDeclared(v, s.Value, t) {
			if _, ok := types.Unify(want, t); !ok && !(want.Kind == types.Pointer && t.Kind == types.Int) {
				d := u.errorf(s.Value.Pos(), "%s is declared %s, so it can't be given %s", called(name), types.Describe(want), types.Describe(t))
				d.Notef(s.Type.Span, "it is declared here")
				if d.Hint = clash(want, t); d.Hint == "" {
					d.Hintf("declare it %s, or use another variable", types.Describe(t))
				}
			}
		}
		u.variables.set(s.Var, v)
		return
	}
	if s.Value != nil && t.Kind == types.Invalid {
		u.states[v].wrong = true
	} else if t.Kind != types.Invalid && !u.variables.widen(v, t) {
		u.origin(u.errorf(s.Value.Pos(), "%s holds %s, so it can't be given %s", called(name), types.Describe(v.Type), types.Describe(t)), s.Var)
	}
	u.variables.stateVar(v, stated)
	u.variables.set(s.Var, v)
}

// fitsDeclared complains about a value that the declared type of a variable
// cannot hold: a number or text that is written out and too large, a number for
// a bool, a bool for a number.
func (u flow) fitsDeclared(v *Var, x ast.Expr, t *types.Type) bool {
	st := u.states[v]
	if st == nil || !st.declared || t.Kind == types.Invalid {
		return true
	}
	n, isConst := u.Consts[x]
	text, isText := u.Strings[x]
	what := ""
	switch {
	case v.Type.Kind == types.Bool && t.Kind == types.Int, v.Type.Kind == types.Int && t.Kind == types.Bool:
		what = types.Describe(t)
	case v.Type.Kind == types.Int && t.Kind == types.Int && isConst && u.isWrittenOut(x):
		if big := fold.Big(n, t.Signed); fold.Big(fold.Fit(n, v.Type), v.Type.Signed).Cmp(big) != 0 {
			what = big.String()
		}
	case v.Type.Kind == types.String && isText && len(text) >= st.room:
		what = "a text of " + strconv.Itoa(len(text)) + " characters"
	}
	if what == "" {
		return true
	}
	d := u.errorf(x.Pos(), "%s is declared %s, so it can't be given %s", called(v.Name), types.Describe(v.Type), what)
	if st.at != nil && st.at != x {
		d.Notef(st.at.Pos(), "it is declared here")
	}
	if v.Type.Kind == types.String {
		d.Hintf("a string[N] holds N-1 characters")
	} else {
		d.Hintf("cast the value: (%s)x", v.Type)
	}
	return false
}

// assign checks "target op value".
func (u flow) assign(s *ast.Assign) {
	switch target := s.Target.(type) {
	case *ast.Map:
		u.assignMap(s, target)
	case *ast.Var:
		if s.Op == "=" {
			if u.countsInVariable(target, s.Value) {
				return
			}
			t := u.value(s.Value)
			if v := u.variables.find(target.Name); v != nil && !u.fitsDeclared(v, s.Value, t) {
				u.variables.set(target, v)
				return
			}
			u.variables.assignTo(target, u.stored(s.Value, t), u.stated(s.Value, t), s.Value)
			u.variables.keepsSign(s.Value, u.Vars[target].Type, "$"+shown(target.Name))
			return
		}
		u.operators.change(target, s.Op, target.Span, s.Value, func(old *types.Type) *types.Type { return u.opAssign(s, old, u.value(s.Value)) })
	case *ast.Ident: // _
		u.Types[target] = types.NoneType
		if s.Op != "=" {
			u.errorf(target.Span, "_ only takes a plain assignment").Hintf("write _ = ...; the value is thrown away")
		}
		u.expr(s.Value)
	}
}

// countsInVariable reports $x = count(): only maps count.
func (u flow) countsInVariable(v *ast.Var, x ast.Expr) bool {
	call, f := aggregationCall(x)
	if call == nil {
		return false
	}
	u.calls.args(call.Args)
	u.Types[call] = invalid
	u.variables.assignTo(v, invalid, invalid, x)
	if _, two := ofTwo(call); two {
		u.calls.misused(call, f, "%s takes %s, but is given %s", call.Name, argCount(f.Min, f.Max), count(len(call.Args)))
	} else {
		u.errorf(x.Pos(), "%s() is kept in a map, not in a variable", call.Name).Hintf("write @%s = %s", v.Name, format.Expr(x))
	}
	if m := u.maps[v.Name]; m != nil {
		m.unknown()
	}
	return true
}

// opAssign is the type of "old op value" in a compound assignment.
func (u flow) opAssign(s *ast.Assign, old, t *types.Type) *types.Type {
	if old.Kind == types.Invalid || t.Kind == types.Invalid {
		return invalid
	}
	op := s.Op[:len(s.Op)-1]
	if old.Kind == types.Pointer && (op == "+" || op == "-") && t.IsInteger() {
		return old
	}
	if !old.IsInteger() || !t.IsInteger() {
		bad, at := t, ast.Node(s.Value)
		if !old.IsInteger() {
			bad, at = old, s.Target
		}
		u.origin(u.errorf(at.Pos(), "%s needs integers, not %s", s.Op, types.Describe(bad)), at).Hint = opHint(op, bad)
		return invalid
	}
	if n, ok := u.Consts[s.Value]; ok && n == 0 && (op == "/" || op == "%") {
		return wrong(u.errorf(s.Value.Pos(), "division by zero").Hintf("this is always 0: divide by another number"))
	}
	t = u.stored(s.Value, t)
	if t == types.WeakInt && op != "-" && old != types.WeakInt && !old.Signed {
		u.Types[s.Value] = types.U64
	}
	return combined(op, old, t)
}

// assignMap checks an assignment to @m or @m[k].
func (u flow) assignMap(s *ast.Assign, x *ast.Map) {
	m := u.mapOf(x.Name)
	if s.Op != "=" {
		u.operators.change(x, s.Op, x.Span, s.Value, func(old *types.Type) *types.Type { return u.opAssign(s, old, u.mapsNew(m, s)) })
		return
	}
	m.assigned = true
	u.access.place(m, x) // where the keys are wrong, the value still has its type
	u.Types[x] = valueType(m)
	if call, f := aggregationCall(s.Value); call != nil {
		t := u.aggregates.aggregation(call, f)
		u.Types[call] = t
		m.unsure = m.unsure || t.Kind == types.Invalid
		if t.Kind != types.Invalid {
			u.access.noteValue(m, s.Value, t, t)
			u.Types[x] = valueType(m)
			if m.m.Value != nil && m.m.Value.Kind == t.Kind {
				u.Types[call] = m.m.Value
			}
		}
		return
	}
	t := u.mapsNew(m, s)
	m.wrong = m.wrong || t.Kind == types.Invalid && !u.quiet
	if t.Kind == types.None || t.Kind == types.Invalid || u.aggregationCopied(m, s, x) {
		return
	}
	u.access.noteValue(m, s.Value, u.stored(s.Value, t), u.stated(s.Value, t))
	u.variables.keepsSign(s.Value, m.m.Value, "@"+x.Name)
	u.Types[x] = valueType(m)
}

// mapsNew is the type of the value that an assignment gives a map.
func (u flow) mapsNew(m *mapState, s *ast.Assign) *types.Type {
	u.target = s
	t := u.value(s.Value)
	u.target = nil
	m.unsure = m.unsure || t.Kind == types.Invalid
	return t
}

// aggregationCopied reports @x = @y where one of them is an aggregation.
func (u flow) aggregationCopied(m *mapState, s *ast.Assign, x *ast.Map) bool {
	src, isMap := s.Value.(*ast.Map)
	if !isMap {
		return false
	}
	if t := valueType(m); t.Kind.IsAggregation() {
		u.origin(u.errorf(s.Value.Pos(), "@%s holds %s, so it can't be given the value of @%s", x.Name, types.Describe(t), src.Name).
			Hintf("aggregations only take @%s = %s(...)", x.Name, t.Kind), x)
		return true
	}
	t := valueType(u.mapOf(src.Name))
	if t.Kind.IsAggregation() {
		u.origin(u.errorf(s.Value.Pos(), "@%s holds %s, which is not one value that a map can be given", src.Name, types.Describe(t)).
			Hintf("its current value is a number: @%s = (int64)@%s", x.Name, src.Name), src)
		m.broken = true
	}
	return t.Kind.IsAggregation()
}
