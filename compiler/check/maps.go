package check

import (
	"fmt"
	"slices"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// mapAccess is how a unit uses maps: their keys and the values that it stores.
type mapAccess struct{ *unitChecker }

// mapState is what is known of a map so far.
type mapState struct {
	m *Map
	// assigned is true once any clause stores into it.
	assigned bool
	// read is the first place that takes its value while nothing is stored
	// into it; zero is true if nothing ever is: it is a map of numbers, all 0.
	read *ast.Map
	zero bool
	used bool // some clause asks for a value
	// looped is true if a for goes over it: it has keys.
	looped bool
	// keyed and scalar are the first uses with and without keys.
	keyed, scalar ast.Node
	valueAt       ast.Node
	notTID        bool // some key is not tid
	broken        bool // an error about its type was reported
	missed        bool // that nothing is stored into it was reported, once for all its uses
	wrong         bool // what it was given is wrong: nothing more is said of it
	unsure        bool // something is wrong with keys or values that it is given: its type may be another
	// statedKey and stated are the stated types of its keys and values.
	statedKey, stated *types.Type
}

// unknown notes that something that was reported would have stored into the map.
func (m *mapState) unknown() { m.assigned, m.broken, m.unsure = true, true, true }

// maxKeyOld is the largest key of a hash before the kernel lifted the limit.
const maxKeyOld = 512

var mapKinds = []string{"hash", "lruhash", "percpuhash", "percpulruhash", "percpuarray"}

// mapDecls reads "let @m = hash(100)".
func (c *checker) mapDecls() {
	for _, d := range c.prog.MapDecls {
		m := c.mapOf(d.Name)
		if m.m.Decl != nil {
			c.errorf(d.Span, "@%s is declared twice", d.Name).Hintf("remove one of the declarations").Notef(m.m.Decl.Span, "the first declaration is here")
			continue
		}
		m.m.Decl = d
		if !slices.Contains(mapKinds, d.Kind) {
			suggest(c.errorf(d.Span, "there is no kind of map called %s", d.Kind).Hintf("kinds are %s", strings.Join(mapKinds, ", ")), d.Kind, "", mapKinds)
		}
		if n, ok := d.Max.(*ast.IntLit); d.Max != nil && (!ok || n.Value == 0 || n.Value > 1<<28) {
			c.errorf(d.Max.Pos(), "the size of @%s must be a number of entries from 1 on", d.Name).Hintf("let @%s = %s(1000)", d.Name, d.Kind)
		}
	}
}

func (c *checker) mapOf(name string) *mapState {
	m := c.maps[name]
	if m == nil {
		m = &mapState{m: &Map{Name: name}}
		if old := c.opts.Stored["@"+name]; old != nil {
			at := &ast.Map{At: ast.At{Span: old.Span}, Name: name, NameSpan: old.Span}
			m.assigned, m.valueAt, m.m.Key, m.m.Value = true, at, old.Key, old.Value
			if old.Key == nil {
				m.scalar = at
			} else {
				m.keyed = at
			}
		}
		c.maps[name] = m
		c.mapOrder = append(c.mapOrder, m)
	}
	return m
}

// mapNames lists the maps that the script stores into.
func (c *checker) mapNames() []string {
	var names []string
	for _, m := range c.mapOrder {
		if m.assigned && !m.zero {
			names = append(names, m.m.Name)
		}
	}
	return names
}

// useMap finds the map of an expression, which must be stored into somewhere.
func (u mapAccess) useMap(x *ast.Map) *mapState {
	m := u.mapOf(x.Name)
	m.used = true
	if !m.assigned && !u.quiet {
		if !m.missed {
			m.missed = true
			u.nearMap(x, u.errorf(x.NameSpan, "@%s is never assigned a value", x.Name))
		}
		return nil
	}
	return m
}

// operand is the map that a call or a loop works on, with the type of its values as
// its own; nil if nothing is stored into it.
func (u mapAccess) operand(x *ast.Map) *mapState {
	m := u.useMap(x)
	if m == nil {
		u.exprs(x.Keys)
		u.Types[x] = invalid
		return nil
	}
	u.Types[x] = valueType(m)
	return m
}

// neverStored reports that a map is taken for more than the number that it is
// as long as nothing is stored into it, if x is one of its values.
func (u mapAccess) neverStored(x ast.Expr) bool {
	if e, ok := x.(*ast.Index); ok {
		x = e.X
	}
	m, ok := x.(*ast.Map)
	if !ok || !u.mapOf(m.Name).zero {
		return false
	}
	u.nearMap(m, u.errorf(m.NameSpan, "@%s is never assigned a value", m.Name))
	return true
}

// nearMap hints at what a map is likely to be that nothing is stored into.
func (u mapAccess) nearMap(x *ast.Map, d *diag.Diagnostic) {
	d.Hintf("store into it first: @%s = ...", x.Name)
	if _, ok := builtin.VarByName(x.Name); ok {
		d.Hintf("did you mean %s? Built-ins have no @", x.Name)
	}
	suggest(d, x.Name, "@", u.mapNames())
	u.misspelt(d, x.Name)
}

// readMap finds the map whose value is taken. If nothing is stored into it, it
// is a number, 0: the statement that did so is often commented out.
func (u mapAccess) readMap(x *ast.Map) *mapState {
	m := u.mapOf(x.Name)
	if !m.assigned && m.read == nil {
		m.read = x
	}
	if m.zero && !m.missed && !u.quiet {
		m.missed = true
		u.nearMap(x, u.warnf(x.NameSpan, "@%s is never assigned a value: it is always 0", x.Name))
	}
	return u.useMap(x)
}

// entryValue is the value of @m or @m[k], as a whole for what is not one number.
func (u mapAccess) entryValue(x *ast.Map) *types.Type {
	m := u.readMap(x)
	if m == nil {
		u.exprs(x.Keys)
		return invalid
	}
	if !u.place(m, x) || m.m.Value == nil || m.wrong {
		return invalid
	}
	return types.ReadType(m.m.Value)
}

// mapValue is @m or @m[k] as a value: numbers for aggregations that are one.
func (u mapAccess) mapValue(x *ast.Map) *types.Type { return u.oneNumber(u.entryValue(x), x, x.Span) }

// oneNumber reports a value of a map that is more than one number; t is its type.
func (u mapAccess) oneNumber(t *types.Type, x *ast.Map, at source.Span) *types.Type {
	if t.Kind.IsChart() {
		return wrong(u.origin(u.errorf(at, "@%s holds %s, which is not one number", x.Name, types.Describe(t)).Hintf("print(@%s) shows it", x.Name), x))
	}
	return t
}

// misspelt adds the place where a map is given a value that nobody reads, if
// its name is near: one of the two is misspelt, and it may be that one.
func (u mapAccess) misspelt(d *diag.Diagnostic, name string) {
	var unread []string
	for _, m := range u.mapOrder {
		if m.assigned && !m.used && m.valueAt != nil {
			unread = append(unread, m.m.Name)
		}
	}
	if near := diag.Nearest(name, unread); near != "" {
		d.Hintf("did you mean @%s?", near)
		d.Notef(u.maps[near].valueAt.Pos(), "@%s is assigned a value here that is never read", near)
	}
}

// noteKeys checks keys against those of all other uses. at is where they
// stand; keys may be one tuple. It reports whether the keys are right.
func (u mapAccess) noteKeys(m *mapState, at source.Span, keys []ast.Expr) bool {
	if len(keys) != 1 || !isTID(keys[0]) {
		m.notTID = true
	}
	key := u.keyType(keys)
	switch {
	case key.Kind == types.Invalid:
		m.unsure = true
		return false
	case key.Size == 0 && key.Kind == types.Tuple:
		u.errorf(at, "an empty tuple can't be a key").Hintf("leave the brackets out for a map without keys")
		return false
	case m.scalar != nil:
		u.errorf(at, "@%s has keys here, but none elsewhere", m.m.Name).Hintf("give it keys everywhere, or use another map").
			Notef(m.scalar.Pos(), "it is used without keys here")
		m.broken = true
		return false
	}
	if m.keyed == nil {
		m.keyed = keys[0]
	}
	t, same := types.Unify(m.m.Key, key)
	if !same {
		u.otherKey(m, keys, key)
		return false
	}
	if u.quiet && !types.Same(t, m.m.Key) {
		m.m.Key = t
		u.changed = true
	}
	for i, k := range keys {
		place := m.m.Key
		if len(keys) > 1 {
			place = place.Fields()[i].Type
		}
		u.variables.keepsSign(k, place, "the key of @"+m.m.Name)
	}
	stated := u.stated(keys[0], u.Types[keys[0]])
	if len(keys) > 1 {
		stated = types.TupleType(u.statedAll(keys))
	}
	u.state(&m.statedKey, stated)
	return true
}

// keyType is the type of a key that is written as these expressions, invalid if one of them is.
func (u mapAccess) keyType(keys []ast.Expr) *types.Type {
	ok := true
	elems := make([]*types.Type, len(keys))
	for i, k := range keys {
		t := u.value(k)
		if ok = ok && t.Kind != types.Invalid; t.Kind != types.Invalid {
			u.warnings.addressOfText(k, t)
			elems[i] = types.Wide(u.stored(k, t))
		}
	}
	switch {
	case !ok:
		return invalid
	case len(elems) == 1:
		return elems[0]
	}
	return types.TupleType(elems)
}

// otherKey reports a key of another type than the map's.
func (u mapAccess) otherKey(m *mapState, keys []ast.Expr, key *types.Type) {
	d := u.errorf(keys[0].Pos().To(keys[len(keys)-1].Pos()), "the key of @%s is %s here, but %s elsewhere", m.m.Name, types.Describe(key), types.Describe(m.m.Key)).
		Hintf("use the same keys everywhere, or another map")
	if len(keys) == 1 && isAddress(key) && isAddress(m.m.Key) {
		d.Hintf("cast it: @%s[(%s)x]", m.m.Name, m.m.Key)
	}
	if v, ok := keys[0].(*ast.Var); ok && len(keys) == 1 && key.Kind == types.Tuple && len(key.Fields()) == 2 {
		if _, same := types.Unify(m.m.Key, key.Fields()[0].Type); same {
			d.Hintf("$%s has a key and its value: write @%s[$%s.0]; the value is $%s.1", v.Name, m.m.Name, v.Name, v.Name)
		}
	}
	if m.keyed != keys[0] {
		d.Notef(m.keyed.Pos(), "its key gets its type here")
	}
}

// noteScalar records a use without keys.
func (u mapAccess) noteScalar(m *mapState, x *ast.Map) bool {
	if m.m.Key != nil || m.keyed != nil {
		if u.misplaced {
			return false
		}
		d := u.errorf(x.Span, "@%s needs a key here", m.m.Name).Hintf("write @%s[...]; len(@%s) is the number of entries", m.m.Name, m.m.Name)
		if m.keyed != nil {
			d.Notef(m.keyed.Pos(), "it has keys here")
		}
		return false
	}
	if m.scalar == nil {
		m.scalar = x
	}
	m.notTID = true
	return true
}

// place checks the keys of @m or @m[k] and reports whether they are right.
func (u mapAccess) place(m *mapState, x *ast.Map) bool {
	if x.Keys == nil {
		return u.noteScalar(m, x)
	}
	return u.noteKeys(m, x.Span, x.Keys)
}

// noteValue records that a value of type t is stored, whose stated type is stated.
func (u mapAccess) noteValue(m *mapState, at ast.Node, t, stated *types.Type) {
	m.assigned = true
	if t.Kind == types.Invalid {
		m.unsure = true
		return
	}
	if t.Kind == types.Tuple && t.Size == 0 {
		u.errorf(at.Pos(), "an empty tuple can't be stored").Hintf("store a value: @%s[...] = 1", m.m.Name)
		m.broken = true
		return
	}
	t = types.Wide(t)
	u.state(&m.stated, stated)
	if m.valueAt == nil {
		m.valueAt = at
	}
	if m.m.First == nil {
		m.m.First = at
	}
	now, ok := types.Unify(m.m.Value, t)
	if !ok {
		m.broken = true
		old := m.m.Value
		var d = u.errorf(at.Pos(), "@%s holds %s, so it can't be given %s", m.m.Name, types.Describe(old), types.Describe(t))
		if m.valueAt != nil && m.valueAt != at {
			d.Notef(m.valueAt.Pos(), "@%s is given its type here", m.m.Name)
		}
		switch {
		case old.Kind.IsAggregation() && !t.Kind.IsAggregation():
			d.Hintf("clear(@%s) or zero(@%s) resets it; another map can hold plain values", m.m.Name, m.m.Name)
		case old.Kind == types.Pointer || t.Kind == types.Pointer:
			d.Hintf("cast one of them: (%s)x", old)
		case old.Kind == t.Kind && old.Kind.IsAggregation():
			d.Message = fmt.Sprintf("@%s holds %s with other parameters", m.m.Name, types.Describe(old))
			d.Hintf("use the same parameters everywhere, or another map")
		default:
			d.Hintf("use another map")
		}
		return
	}
	if u.quiet && !types.Same(now, m.m.Value) {
		m.m.Value = now
		u.changed = true
	}
}

// plainValue is the type of the value that an operator changes, which an aggregation has none of.
func (u mapAccess) plainValue(m *mapState, x *ast.Map, at source.Span, op string) *types.Type {
	switch t := m.m.Value; {
	case t == nil:
		return types.WeakInt
	case t.Kind.IsAggregation():
		return wrong(u.origin(u.errorf(at, "@%s holds %s, so it can't be changed by %s", x.Name, types.Describe(t), op).
			Hintf("aggregations only take @%s = %s(...)", x.Name, t.Kind), x))
	}
	return m.m.Value
}

// isAddress reports whether a value of the type can be an address: keys of two
// such types are likely to mean the same.
func isAddress(t *types.Type) bool {
	return t.Kind == types.Pointer || t.IsInteger() && t.Size == 8
}

// isTID reports whether an expression is tid, without the words that may be in its parentheses.
func isTID(x ast.Expr) bool {
	_, bare := bareName(x)
	return bare && Names(x, builtin.VarTid)
}

// fitKeys shrinks strings in keys where the kernel has a limit on keys.
func (c *checker) fitKeys() {
	if c.t.Has(target.BigKeys) {
		return
	}
	for _, m := range c.mapOrder {
		if k := m.m.Key; k != nil && k.Size > maxKeyOld {
			// Halving the largest limit until it fits treats all strings of
			// the key alike.
			for limit := maxKeyOld; limit >= 8 && k.Size > maxKeyOld; limit -= 8 {
				k = types.ShrinkStrings(m.m.Key, limit)
			}
			m.m.Key = k
		}
	}
}

// finishMaps fills Info.Maps and checks what only all uses together can tell.
func (c *checker) finishMaps() {
	for _, m := range c.mapOrder {
		if !m.assigned || m.m.Value == nil {
			if m.m.Decl != nil && !m.assigned {
				c.diags.Warnf(m.m.Decl.Span, "@%s is declared but never assigned a value", m.m.Name).Hintf("remove the declaration, or store into it: @%s[...] = ...", m.m.Name)
			}
			continue
		}
		m.m.KeyByTID = m.m.Key != nil && !m.notTID
		c.info.ByName[m.m.Name] = m.m
		if d := m.m.Decl; d != nil && !m.unsure {
			c.checkDecl(d, m.m)
		}
		if m.m.Key != nil && m.m.Key.Size > maxKeyOld && !c.t.Has(target.BigKeys) {
			c.errorf(m.keyed.Pos(), "the key of @%s takes %d bytes; before Linux 6.1 it can have at most %d", m.m.Name, m.m.Key.Size, maxKeyOld).
				Hintf("use fewer or smaller parts")
		}
	}
	// In the order of first use: filter and body of the clauses as written.
	seen := map[*Map]bool{}
	for _, u := range c.units {
		u.Walk(func(n ast.Node) bool {
			if x, ok := n.(*ast.Map); ok {
				if m := c.info.ByName[x.Name]; m != nil && !seen[m] {
					seen[m] = true
					if m.First == nil { // others have stored into it
						m.First = x
					}
					c.info.Maps = append(c.info.Maps, m)
				}
			}
			return true
		})
	}
}

func (c *checker) checkDecl(d *ast.MapDecl, m *Map) {
	if d.Kind == "percpuarray" || m.Key == nil {
		return
	}
	agg := m.Value.Kind.IsAggregation()
	perCPU := d.Kind == "percpuhash" || d.Kind == "percpulruhash"
	switch {
	case perCPU && !agg:
		c.errorf(d.Span, "@%s is declared %s, which is for aggregations such as count(), but it holds %s", d.Name, d.Kind, types.Describe(m.Value)).
			Hintf("declare it %s", d.Kind[len("percpu"):])
	case !perCPU && agg:
		c.errorf(d.Span, "@%s is declared %s, but %s needs a map for each CPU", d.Name, d.Kind, types.Describe(m.Value)).
			Hintf("declare it percpu%s", d.Kind)
	}
}

// valueType is a map's value type as far as it is known.
func valueType(m *mapState) *types.Type {
	if m.m.Value == nil {
		return invalid
	}
	return m.m.Value
}
