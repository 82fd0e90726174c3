package lower

import (
	"slices"

	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

// row is row(format, ...): a message whose fields have the names of columns,
// with the time of the event if the user asked for it.
func (f *fn) row(x *ast.Call) {
	m := f.message(object.MsgRow, f.u, x.Span)
	verbs, _ := object.ParseFormat(f.constString(x.Args[0]))
	m.Columns, _ = object.Columns(verbs)
	fill := f.withStamp(m)
	first := len(m.Fields)
	fillArgs := f.withFields(m, x.Args[1:])
	for i := range m.Fields[first:] {
		m.Fields[first+i].Name = m.Columns[i].Key()
	}
	f.send(m, false, func(rec ir.Reg) {
		fill(rec)
		fillArgs(rec)
	})
}

// heat is heat(@m, unit): user space reads the map.
func (f *fn) heat(x *ast.Call) {
	m := f.info.ByName[x.Args[0].(*ast.Map).Name]
	if m == nil {
		return
	}
	msg := f.message(object.MsgHeat, f.u, x.Span)
	msg.Map, msg.Drained = f.maps[m], f.isDrained(m)
	if len(x.Args) > 1 {
		msg.Sep = f.constString(x.Args[1])
	}
	f.send(msg, true, nil)
}

// withStamp adds the time of the event as the first field, if wanted.
func (f *fn) withStamp(m *object.Message) func(rec ir.Reg) {
	if v, given := f.info.Opts.Named["time"]; !given || v == "false" || v == "0" {
		return func(ir.Reg) {}
	}
	m.Stamped = true
	fd := field(m, types.U64)
	fd.Name = "time"
	off, now := int32(fd.Offset), f.nsecs()
	return func(rec ir.Reg) { f.store(rec, off, now, 8) }
}

// table is table(format, terms...): the message names the maps, and user space
// reads and joins them.
func (f *fn) table(x *ast.Call) {
	m := f.message(object.MsgTable, f.u, x.Span)
	verbs, _ := object.ParseFormat(f.constString(x.Args[0]))
	m.Columns, _ = object.Columns(verbs)
	m.Table = &object.Table{Top: check.DefaultTop}
	if n, given := f.info.Opts.Named["top"]; given {
		m.Table.Top = check.TopRows(n)
	}
	m.Table.Sort = 1 + check.SortColumn(m.Columns, f.info.Opts.Named["sort"])
	for _, a := range x.Args[1:] {
		m.Table.Terms = append(m.Table.Terms, f.term(m.Table, a))
	}
	m.Drained = len(f.u.Clause.Drains) > 0
	f.send(m, true, nil)
}

func (f *fn) term(t *object.Table, x ast.Expr) object.Term {
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
