package render

import (
	"testing"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/value"
)

// TestTable joins two maps of which neither has all keys.
func TestTable(t *testing.T) {
	b := newBoth()
	obj := b.obj
	for _, name := range []string{"@n", "@bytes"} {
		obj.Maps = append(obj.Maps, &object.Map{Name: name, Script: true, Key: types.U64, Value: types.U64})
	}
	verbs, _ := object.ParseFormat("KEY %-4d N %3d AVG %5d")
	m := &object.Message{Kind: object.MsgTable, Table: &object.Table{
		Maps: []int{0, 1},
		Terms: []object.Term{{Map: 0}, {Op: '/', X: &object.Term{Map: 1}, Y: &object.Term{Op: '+',
			X: &object.Term{Map: 0}, Y: &object.Term{Op: 'k', Num: 0}}}},
	}}
	m.Columns, _ = object.Columns(verbs)
	m.Schema = schemaOf(m.Columns)
	snapshots := []*value.Snapshot{
		{Entries: []value.Entry{{Key: num(1), Value: num(2)}, {Key: num(2), Value: num(9)}, {Key: num(4), Value: num(2)}}},
		{Entries: []value.Entry{{Key: num(3), Value: num(7)}, {Key: num(1), Value: num(100)}, {Key: num(2), Value: num(10)}}},
	}
	for _, test := range []struct {
		top        int
		text, json string
	}{
		{0, "KEY    N   AVG\n2      9     1\n1      2    50\n4      2     0\n3      0     0\n",
			`{"type": "table", "data": [{"key": 2, "n": 9, "avg": 1}, {"key": 1, "n": 2, "avg": 50}, ` +
				`{"key": 4, "n": 2, "avg": 0}, {"key": 3, "n": 0, "avg": 0}]}` + "\n"},
		{1, "\nKEY    N   AVG\n2      9     1\n... and 3 more (--top 0 shows all)\n",
			`{"type": "table", "data": [{"key": 2, "n": 9, "avg": 1}], "more": 3}` + "\n"},
	} {
		m.Table.Top = test.top
		b.each(func(o form) { o.Table(b.obj, m, snapshots) })
		b.expect(t, "table", test.text, test.json)
	}
}

// TestTableWidth cuts lines to the terminal, and says so. A blank line is between two tables.
func TestTableWidth(t *testing.T) {
	b := newBoth()
	b.obj.Maps = append(b.obj.Maps, &object.Map{Name: "@n", Script: true, Key: types.U64, Value: types.U64})
	verbs, _ := object.ParseFormat("KEY %-4d N %8d")
	m := &object.Message{Kind: object.MsgTable, Table: &object.Table{Maps: []int{0}, Terms: []object.Term{{Map: 0}}}}
	m.Columns, _ = object.Columns(verbs)
	m.Schema = schemaOf(m.Columns)
	snapshots := []*value.Snapshot{{Entries: []value.Entry{{Key: num(1), Value: num(12345678)}, {Key: num(2), Value: num(1)}}}}
	width := 8
	b.text.opts.Width = func() int { return width }
	form{b.text, b.obj}.Table(b.obj, m, snapshots)
	width = 13
	form{b.text, b.obj}.Table(b.obj, m, snapshots)
	b.expect(t, "table", "KEY    …\n1    12…\n2      …\n\nKEY         N\n1    12345678\n2           1\n", "")
}

// TestTableNames: a map of texts names the rows of the others and adds none, and
// a hidden column is in the output for programs only.
func TestTableNames(t *testing.T) {
	b := newBoth()
	name := types.StringType(8)
	b.obj.Maps = append(b.obj.Maps, &object.Map{Name: "@name", Script: true, Key: types.U64, Value: name},
		&object.Map{Name: "@n", Script: true, Key: types.U64, Value: types.U64})
	verbs, _ := object.ParseFormat("ID %.0s N %3d NAME %s")
	m := &object.Message{Kind: object.MsgTable, Table: &object.Table{Maps: []int{0, 1}, Terms: []object.Term{{Map: 1}, {Map: 0}}}}
	m.Columns, _ = object.Columns(verbs)
	m.Schema = schemaOf(m.Columns)
	text := func(s string) []byte { return append([]byte(s), make([]byte, 8-len(s))...) }
	snapshots := []*value.Snapshot{
		{Entries: []value.Entry{{Key: num(1), Value: text("one")}, {Key: num(2), Value: text("two")}, {Key: num(3), Value: text("three")}}},
		{Entries: []value.Entry{{Key: num(3), Value: num(30)}, {Key: num(1), Value: num(10)}}},
	}
	b.each(func(o form) { o.Table(b.obj, m, snapshots) })
	b.expect(t, "table", "  N NAME\n 30 three\n 10 one\n",
		`{"type": "table", "data": [{"id": 3, "n": 30, "name": "three"}, {"id": 1, "n": 10, "name": "one"}]}`+"\n")
}
