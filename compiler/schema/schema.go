// Package schema finds out what a checked script calls the values that it shows, and what
// they count: names of arguments and of the parts of keys, and units.
//
// Names are the script's own: @[comm, args.op] has comm and op. Units follow from what
// is known to be a time (took, nsecs, 1ms), a size (4KB), a number of events (count(), ++)
// or, of a field of a declared probe, from what its comment says, and go through variables,
// maps and the arithmetic that keeps them.
package schema

import (
	"strconv"
	"strings"

	"fst/compiler/builtin"
	"fst/compiler/check"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

// Finder answers for one script.
type Finder struct {
	// units are what is known of places: *check.Var, a map by its name (string), a keyPart, a valuePart.
	units map[any]guess
	// parts are the names of the parts of tuples that places have, where they have one.
	parts map[valuePart]string
	// keys are the names of the parts of maps' keys, as far as they were found.
	keys map[string][]string
	// texts are, of parts of keys, the text that options give them in all places, as far as they were found;
	// nil of those that have none or several, or one that is written there.
	texts map[keyPart]*string
	// entries are the variables of loops over maps, and which map.
	entries map[*check.Var]string
	maps    map[string]*check.Map
	changed bool
}

// keyPart is a part of the key of a map.
type keyPart struct {
	name string
	n    int
}

// valuePart is a part of the tuple that a place (*check.Var, a map by its name, or a keyPart) has.
type valuePart struct {
	place any
	n     int
}

// Find looks at all that a script stores. That is done again until nothing new is found: what
// a map is given may come from another one.
func Find(info *check.Info) *Finder {
	f := &Finder{units: map[any]guess{}, parts: map[valuePart]string{}, keys: map[string][]string{}, texts: map[keyPart]*string{}, entries: map[*check.Var]string{}, maps: info.ByName}
	for f.changed = true; f.changed; {
		f.changed = false
		for _, u := range info.Units {
			for _, part := range []ast.Node{u.Filter, u.Body} {
				ast.Walk(part, func(n ast.Node) bool {
					f.note(u, n)
					return true
				})
			}
		}
	}
	return f
}

// note takes note of what a node stores.
func (f *Finder) note(u *check.Unit, n ast.Node) {
	switch n := n.(type) {
	case *ast.Assign:
		if u.Types[n.Value] == nil {
			return // never runs, so that it was not checked
		}
		f.key(u, n.Target)
		switch n.Op {
		case "=", "+=", "-=":
			f.add(u.Place(n.Target), f.stored(u, n.Value))
			f.tuple(u, u.Place(n.Target), n.Value)
		default:
			f.add(u.Place(n.Target), plain)
		}
	case *ast.IncDec:
		f.key(u, n.X)
		f.add(u.Place(n.X), guess{types.OneEvent, true})
	case *ast.Let:
		if said, ok := fieldUnit(n.Field); ok {
			f.add(u.Place(n.Var), said)
		} else if n.Value != nil {
			f.add(u.Place(n.Var), f.unit(u, n.Value))
			f.tuple(u, u.Place(n.Var), n.Value)
		}
	case *ast.ForMap:
		if v := u.Vars[n.Var]; v != nil {
			f.entries[v] = n.Map.Name
		}
	case *ast.Call:
		if builtin.Does(n.Name, builtin.DoesStore) {
			f.add(u.Place(n.Args[len(n.Args)-1]), f.unit(u, n.Args[0]))
		}
	}
}

func (f *Finder) add(place any, g guess) {
	if place == nil {
		return
	}
	if now := f.units[place].join(g); now != f.units[place] {
		f.units[place], f.changed = now, true
	}
}

// tuple notes the names and units of the parts of a tuple that a place is given.
func (f *Finder) tuple(u *check.Unit, place any, x ast.Expr) {
	if place == nil {
		return
	}
	for i, part := range f.partsOf(u, x) {
		at := valuePart{place, i}
		f.add(at, part.unit)
		if part.name != "" && f.parts[at] == "" {
			f.parts[at], f.changed = part.name, true
		}
	}
}

// part is what is known of a part of a tuple.
type part struct {
	name string
	unit guess
}

// partsOf is what is known of the parts of an expression that is a tuple or record; there are none of any other.
func (f *Finder) partsOf(u *check.Unit, x ast.Expr) (all []part) {
	x = chosen(u, x)
	switch x := x.(type) {
	case *ast.Tuple:
		for _, e := range x.Elems {
			all = append(all, part{f.name(u, e), f.unit(u, e)})
		}
		return all
	case *ast.Record:
		for i, e := range x.Values {
			all = append(all, part{x.Names[i], f.unit(u, e)})
		}
		return all
	}
	return f.partsAt(u.Place(x), u.Types[x])
}

// chosen is the expression whose value x has, as far as that is known without running the script.
func chosen(u *check.Unit, x ast.Expr) ast.Expr {
	if m := u.Meaning[x]; m != nil {
		x = m
	}
	switch x := x.(type) {
	case *ast.Comptime:
		return chosen(u, x.X)
	case *ast.BlockExpr:
		if x.Body.Value != nil {
			return chosen(u, x.Body.Value)
		}
	case *ast.Cond:
		if c, ok := u.Consts[x.C]; ok && x.A != nil {
			if c != 0 {
				return chosen(u, x.A)
			}
			return chosen(u, x.B)
		}
	}
	return x
}

// partsAt is what is known of the parts of what a place has, if that is a tuple or record.
func (f *Finder) partsAt(place any, t *types.Type) (all []part) {
	if t == nil || t.Kind != types.Tuple && t.Kind != types.Record {
		return nil
	}
	for i, field := range t.Fields() {
		known := part{field.Name, plain}
		if at := (valuePart{place, i}); place != nil {
			known.unit = f.units[at]
			if known.name == "" {
				known.name = f.parts[at]
			}
		}
		all = append(all, known)
	}
	return all
}

// columns are the parts of a value as values of their own. Those of one that has a name have it before theirs.
func columns(name string, all []part) []object.Field {
	s := &object.Schema{}
	for i, p := range all {
		own := p.name
		if own == "" {
			own = strconv.Itoa(i)
		}
		if name != "" || p.name == "" {
			own = or(name, "value") + "_" + own
		}
		s.Add(object.Field{Name: own, Unit: p.unit.Unit})
	}
	return s.Fields
}

// key notes names and units of the parts of the key with which a map is stored into. The first
// that has a name gives it.
func (f *Finder) key(u *check.Unit, target ast.Expr) {
	m, ok := target.(*ast.Map)
	if !ok || len(m.Keys) == 0 {
		return
	}
	parts := m.Keys
	var names []string
	if len(parts) == 1 {
		switch x := chosen(u, parts[0]).(type) {
		case *ast.Tuple:
			parts = x.Elems
		case *ast.Record:
			parts, names = x.Values, x.Names
		default:
			if all := f.partsOf(u, x); all != nil { // a variable or an entry that has a tuple
				for i, part := range all {
					f.add(keyPart{m.Name, i}, part.unit)
					f.texts[keyPart{m.Name, i}] = nil
					f.nameKey(m.Name, i, part.name)
				}
				return
			}
		}
	}
	for i, x := range parts {
		at := keyPart{m.Name, i}
		f.add(at, f.unit(u, x))
		text, isText := u.Strings[x]
		if _, written := x.(*ast.StringLit); written {
			isText = false
		}
		if now, known := f.texts[at]; isText && !known {
			f.texts[at] = &text
		} else if now != nil && (!isText || text != *now) || !known {
			f.texts[at] = nil
		}
		name := f.name(u, x)
		if names != nil {
			name = names[i]
		}
		f.nameKey(m.Name, i, name)
		f.tuple(u, at, x)
	}
}

// nameKey notes the name of a part of a map's key, if it is the first, and not empty.
func (f *Finder) nameKey(m string, i int, name string) {
	if i == len(f.keys[m]) {
		f.keys[m] = append(f.keys[m], "")
	}
	if f.keys[m][i] == "" && name != "" {
		f.keys[m][i], f.changed = name, true
	}
}

// Arguments are the fields of a record with some expressions in it. One that has no name is a value.
func (f *Finder) Arguments(u *check.Unit, args []ast.Expr) []object.Field {
	s := &object.Schema{}
	for _, x := range args {
		name := f.name(u, x)
		s.Add(object.Field{Name: or(name, "value"), Unit: f.Unit(u, x), Parts: columns(name, f.partsOf(u, x))})
	}
	return s.Fields
}

// Map is the schema of a map's elements.
func (f *Finder) Map(m *check.Map) *object.Schema {
	s := &object.Schema{}
	for i, t := range parts(m.Key) {
		name := "key"
		if known := f.keys[m.Name]; i < len(known) && known[i] != "" {
			name = known[i]
		}
		if m.Key.Kind == types.Record {
			name = m.Key.Fields()[i].Name
		}
		at := keyPart{m.Name, i}
		s.Add(object.Field{Name: name, Type: t, Unit: f.units[at].of(t), Constant: name == "key" && f.texts[at] != nil, Parts: columns(name, f.partsAt(at, t))})
	}
	s.Keys = len(s.Fields)
	name, _, _ := strings.Cut(m.Name, "#")
	all := columns(name, f.partsAt(m.Name, m.Value))
	if name == "" {
		name = "value"
		if m.Value.Kind.IsAggregation() {
			name = m.Value.Kind.String()
		}
	}
	s.Add(object.Field{Name: name, Type: m.Value, Unit: f.units[m.Name].of(m.Value), Parts: all})
	return s
}

// parts are the types of the parts of a key.
func parts(key *types.Type) []*types.Type {
	switch {
	case key == nil:
		return nil
	case key.Kind == types.Tuple, key.Kind == types.Record:
		var list []*types.Type
		for _, part := range key.Fields() {
			list = append(list, part.Type)
		}
		return list
	}
	return []*types.Type{key}
}

// Column is the unit of a column whose value is x: what is known of it, or what its
// heading says: LAT(us).
func (f *Finder) Column(u *check.Unit, x ast.Expr, heading string) types.Unit {
	if known := f.Unit(u, x); known != (types.Unit{}) {
		return known
	}
	if _, said, ok := strings.Cut(heading, "("); ok {
		if said, ok = strings.CutSuffix(said, ")"); ok {
			unit, _ := types.UnitNamed(said)
			return unit
		}
	}
	return types.Unit{}
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// isLiteral reports whether x is known without running the script.
func isLiteral(u *check.Unit, x ast.Expr) bool {
	if _, ok := u.Consts[x]; ok {
		return true
	}
	_, ok := u.Strings[x]
	return ok
}

// name is what the script calls a value, or empty.
func (f *Finder) name(u *check.Unit, x ast.Expr) string {
	if x == nil {
		return ""
	}
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.Var:
		name := strings.TrimPrefix(x.Name, "args.")
		name, _, _ = strings.Cut(name, "#") // what expansion has added
		return name
	case *ast.Map:
		name, _, _ := strings.Cut(x.Name, "#")
		return name
	case *ast.Field:
		return x.Name
	case *ast.TupleIndex:
		return f.elementName(u, x)
	case *ast.Index:
		return f.name(u, x.X)
	case *ast.Call:
		if called, ok := builtin.FuncByName(x.Name); ok && called.NameOf != 0 {
			i := called.NameOf - 1
			if i < 0 {
				i = len(x.Args) - 1
			}
			if called.Arg(i) == builtin.Literal { // a register
				return u.Strings[x.Args[i]]
			}
			if name := f.name(u, x.Args[i]); name != "" {
				return name
			}
		}
		return x.Name
	case *ast.Unary:
		return f.name(u, x.X)
	case *ast.Cast:
		return f.name(u, x.X)
	case *ast.Comptime:
		return f.name(u, x.X)
	case *ast.BlockExpr:
		return f.name(u, x.Body.Value)
	case *ast.Cond:
		if c, ok := u.Consts[x.C]; ok && x.A != nil {
			if c != 0 {
				return f.name(u, x.A)
			}
			return f.name(u, x.B)
		}
		return f.either(u, x.A, x.B)
	case *ast.IfExpr:
		if x.Else != nil {
			return f.either(u, x.Then.Value, x.Else.Value)
		}
	case *ast.Binary:
		switch x.Op {
		case "+", "-", "*", "/", "%", "<<", ">>", "&", "|":
			if isLiteral(u, x.Y) {
				return f.name(u, x.X)
			}
			if isLiteral(u, x.X) {
				return f.name(u, x.Y)
			}
		}
	}
	return ""
}

// either is the name of one of two values: the one that both have, or that of one if the other
// is a literal.
func (f *Finder) either(u *check.Unit, a, b ast.Expr) string {
	x, y := f.name(u, a), f.name(u, b)
	switch {
	case x == y, y == "" && isLiteral(u, b):
		return x
	case x == "" && isLiteral(u, a):
		return y
	}
	return ""
}

// entry says which part of a map's element x is: $kv.0 is its key, $kv.0.1 the second part of it,
// $kv.1 its value (-1).
func (f *Finder) entry(u *check.Unit, x *ast.TupleIndex) (m string, part int, ok bool) {
	if inner, is := x.X.(*ast.TupleIndex); is {
		if m, part, ok = f.entry(u, inner); ok && part == 0 {
			return m, x.N, true
		}
		return "", 0, false
	}
	v, is := x.X.(*ast.Var)
	if !is {
		return "", 0, false
	}
	if m, ok = f.entries[u.Vars[v]]; !ok {
		return "", 0, false
	}
	return m, -x.N, true
}

func (f *Finder) elementName(u *check.Unit, x *ast.TupleIndex) string {
	m, part, ok := f.entry(u, x)
	switch {
	case !ok:
	case part < 0:
		return m
	case part < len(f.keys[m]):
		return f.keys[m][part]
	}
	return ""
}

// builtinUnit is what a built-in variable counts.
func builtinUnit(name string) guess {
	if v, ok := builtin.VarByName(name); ok && v.Unit != (types.Unit{}) {
		return guess{v.Unit, true}
	}
	return plain
}

// fieldUnit is what a field of a declared probe counts, if its comment begins with that: "ns from
// the question to the answer", "bytes that were asked for". One that is called bytes needs no comment.
func fieldUnit(p *ast.ProbeField) (g guess, ok bool) {
	if p == nil {
		return guess{}, false
	}
	first, _, _ := strings.Cut(p.Doc, " ")
	switch {
	case first == "ns":
		return guess{types.Nanoseconds, true}, true
	case first == "bytes", p.Name == "bytes":
		return guess{types.OneByte, true}, true
	}
	return guess{}, false
}
