package lower

import (
	"slices"
	"strings"

	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

// row is row(format, ...): a message whose fields have the names of columns,
// with the time of the event if the user asked for it.
func row(f *fn, x *ast.Call) {
	m := f.message(object.MsgRow, f.u, x.Span)
	verbs, _ := object.ParseFormat(f.u.Strings[x.Args[0]])
	m.Columns, _ = object.Columns(verbs)
	fill := f.messages.withStamp(m)
	first := len(m.Fields)
	fillArgs := f.messages.withFields(m, x.Args[1:])
	shown := slices.Clone(m.Schema.Fields[first:])
	m.Schema.Fields = m.Schema.Fields[:first]
	for i, a := range x.Args[1:] {
		shown[i].Name, shown[i].Unit = m.Columns[i].Key(), f.schema.Column(f.u, a, m.Columns[i].Name)
		m.Schema.Add(shown[i])
	}
	f.messages.send(m, false, func(rec ir.Reg) {
		fill(rec)
		fillArgs(rec)
	})
}

// heat is heat(@m, unit): user space reads the map.
func heat(f *fn, x *ast.Call) {
	m := f.info.ByName[x.Args[0].(*ast.Map).Name]
	msg := f.message(object.MsgHeat, f.u, x.Span)
	msg.Map, msg.Drained = f.maps[m], f.access.isDrained(m)
	if len(x.Args) > 1 {
		msg.Sep = f.u.Strings[x.Args[1]]
	}
	f.messages.send(msg, true, nil)
}

// withStamp adds the time of the event as the first field, if wanted.
func (f messages) withStamp(m *object.Message) func(rec ir.Reg) {
	if v, given := f.info.Opts.Named["time"]; !given || v == "false" || v == "0" {
		return func(ir.Reg) {}
	}
	m.Stamped = true
	fd := named(m, object.Field{Name: "time", Type: types.U64, Unit: types.Nanoseconds, Role: object.RoleTime})
	m.Time = fd.Offset
	off, now := int32(fd.Offset), f.probed.nsecs()
	return func(rec ir.Reg) { f.Store(rec, off, now, 8) }
}

// table is table(format, terms...): the message names the maps, and user space
// reads and joins them.
func table(f *fn, x *ast.Call) {
	m := f.message(object.MsgTable, f.u, x.Span)
	verbs, _ := object.ParseFormat(f.u.Strings[x.Args[0]])
	m.Columns, _ = object.Columns(verbs)
	m.Table = &object.Table{Top: check.DefaultTop}
	if n, given := f.info.Opts.Named["top"]; given {
		m.Table.Top = check.TopRows(n)
	}
	m.Table.Sort = 1 + check.SortColumn(m.Columns, f.info.Opts.Named["sort"])
	for _, a := range x.Args[1:] {
		m.Table.Terms = append(m.Table.Terms, f.messages.term(m.Table, a))
	}
	m.Schema = f.messages.tableSchema(m, x.Args[1:])
	m.Drained = len(f.u.Clause.Drains) > 0
	f.messages.send(m, true, nil)
}

// tableSchema is that of the rows of a table: the parts of the key, and a field for each term.
func (f messages) tableSchema(m *object.Message, terms []ast.Expr) *object.Schema {
	s := &object.Schema{}
	if len(m.Table.Maps) > 0 {
		first := f.obj.Maps[m.Table.Maps[0]]
		s.Fields, s.Keys = slices.Clone(first.Schema.Fields[:first.Schema.Keys]), first.Schema.Keys
		if first.Key != nil && first.Key.Kind == types.Record { // is one column
			s.Fields, s.Keys = []object.Field{{Type: first.Key}}, 1
		}
	}
	for i, a := range terms {
		t := types.I64
		if term := m.Table.Terms[i]; term.Op == 0 {
			t = f.obj.Maps[m.Table.Maps[term.Map]].Value
		}
		s.Fields = append(s.Fields, object.Field{Type: t, Unit: f.schema.Column(f.u, a, m.Columns[s.Keys+i].Name)})
	}
	named := &object.Schema{Keys: s.Keys}
	for i, shown := range s.Fields {
		before := shown.Name
		shown.Name = m.Columns[i].Key()
		shown.Parts = slices.Clone(shown.Parts)
		for n := range shown.Parts { // have its name before theirs
			if own, ok := strings.CutPrefix(shown.Parts[n].Name, before+"_"); ok {
				shown.Parts[n].Name = shown.Name + "_" + own
			}
		}
		named.Add(shown)
	}
	return named
}

func (f messages) term(t *object.Table, x ast.Expr) object.Term {
	if mx, ok := x.(*ast.Map); ok {
		id := f.maps[f.info.ByName[mx.Name]]
		i := slices.Index(t.Maps, id)
		if i < 0 {
			i = len(t.Maps)
			t.Maps = append(t.Maps, id)
		}
		return object.Term{Map: i}
	}
	if b, ok := x.(*ast.Binary); ok {
		l, r := f.term(t, b.X), f.term(t, b.Y)
		return object.Term{Op: b.Op[0], X: &l, Y: &r}
	}
	return object.Term{Op: 'k', Num: f.u.Consts[x]}
}
