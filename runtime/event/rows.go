package event

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/value"
)

// Elements are those of a map that are shown, in their order. Values are views of memory that
// nobody changes: a number or a text is read when it is shown.
type Elements struct {
	Map     *object.Map
	Entries []value.Entry
	Names   *Names
	// Time and Emptied are those of the snapshot.
	Time    time.Time
	Emptied int
	// Last is the newest epoch of a tseries map.
	Last int64
}

// Key is the key of an element of a map that has keys.
func (e *Elements) Key(i int) value.Value { return value.Of(e.Map.Key, e.Entries[i].Key) }

// Value is the value of an element.
func (e *Elements) Value(i int) value.Value { return value.Of(e.Map.Value, e.Entries[i].Value) }

// once keeps what is found out for the first sink that asks, and is the same for all others.
type once[T any] struct {
	sync.Once
	is T
}

func (o *once[T]) get(find func() T) T {
	o.Do(func() { o.is = find() })
	return o.is
}

// Elements are what is to be shown; atEnd tells that Exit has come. They are found once for all sinks.
func (m *Map) Elements(atEnd bool) Elements {
	e := m.elements.get(func() Elements { return ElementsOf(m.Map, m.Snapshot, m.Top, atEnd) })
	e.Names = m.Names
	return e
}

// Elements are what is to be shown.
func (h *Heat) Elements() Elements {
	e := h.elements.get(func() Elements { return ElementsOf(h.Map, h.Snapshot, 0, true) })
	e.Names = h.Names
	return e
}

// ElementsOf selects and orders what print(@m, top) shows of a snapshot.
func ElementsOf(m *object.Map, s *value.Snapshot, top int64, atEnd bool) Elements {
	e := Elements{Map: m, Entries: s.Entries, Time: s.Time, Emptied: s.Emptied}
	if m.Value == nil {
		return Elements{Map: m, Time: s.Time, Emptied: s.Emptied}
	}
	if m.Key == nil {
		e.Entries = scalar(m, s, atEnd)
	} else {
		e.Entries = slices.Clone(e.Entries) // others show the snapshot, too
		value.Sort(m.Key, m.Value, e.Entries)
		if n := int64(len(e.Entries)); top > 0 && top < n {
			e.Entries = e.Entries[n-top:]
		}
	}
	if m.Value.Kind.Has(types.Series) {
		for i := range e.Entries {
			if slots := e.Value(i).Series(); len(slots) > 0 {
				e.Last = max(e.Last, slots[len(slots)-1].Epoch)
			}
		}
	}
	return e
}

// scalar is the value of a map without keys. One that was never set, or was cleared, has no entry: it
// is not shown at the end; print shows the zero value of its type, but nothing for a chart.
func scalar(m *object.Map, s *value.Snapshot, atEnd bool) []value.Entry {
	if len(s.Entries) > 0 {
		return s.Entries[:1]
	}
	if agg := m.Value.Kind.Aggregation(); atEnd || agg != nil && agg.Shape > types.Totals {
		return nil
	}
	return []value.Entry{{Value: make([]byte, m.Value.Size)}}
}

// Time is that of the snapshots.
func (t *Table) Time() time.Time {
	if len(t.Snapshots) == 0 {
		return time.Time{}
	}
	return t.Snapshots[0].Time
}

// Rows are the lines of a table, as Message.Schema describes them: the parts of the key, and the
// value of each term.
type Rows struct {
	Rows [][]value.Value
	// More is how many others --top leaves out.
	More int
}

// Rows are those of the table. They are there after Join.
func (t *Table) Rows() Rows { return t.rows }

// Join makes the rows, before any sink sees the table. A map of texts names what the others have, and
// adds no rows unless it is alone. text is how a value is shown, for tables that are sorted by that.
func (t *Table) Join(text func(value.Value) string) { t.rows = t.join(text) }

// tableRow is a line with what orders it.
type tableRow struct {
	key    value.Value
	values []value.Value
	terms  []int64
}

func (t *Table) join(text func(value.Value) string) Rows {
	table := t.Message.Table
	if len(table.Maps) == 0 {
		return Rows{}
	}
	keys, elements := t.elements()
	key := t.Maps[0].Key
	var rows []tableRow
	for _, k := range keys {
		r := tableRow{}
		if key != nil {
			r.key = value.Of(key, []byte(k))
			r.values = []value.Value{r.key}
			if key.Kind == types.Tuple {
				r.values = KeyParts(r.key)
			}
		}
		for i := range table.Terms {
			r.values = append(r.values, cell(&table.Terms[i], elements[k]))
			r.terms = append(r.terms, evaluate(&table.Terms[i], elements[k]))
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b tableRow) int {
		if c := compareColumn(table.Sort-1, a, b, text); c != 0 {
			return c
		}
		if c := slices.Compare(b.terms, a.terms); c != 0 || key == nil {
			return c
		}
		return value.Compare(a.key, b.key)
	})
	out := Rows{}
	if table.Top > 0 && len(rows) > table.Top {
		rows, out.More = rows[:table.Top], len(rows)-table.Top
	}
	for _, r := range rows {
		out.Rows = append(out.Rows, r.values)
	}
	return out
}

// elements are those of all maps by their keys, whose order is that in which they were met.
func (t *Table) elements() (keys []string, byKey map[string][]value.Value) {
	byKey = map[string][]value.Value{}
	isText := func(i int) bool { return t.Maps[i].Value != nil && t.Maps[i].Value.Kind == types.String }
	order := make([]int, len(t.Snapshots))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case isText(a) == isText(b):
			return 0
		case isText(a):
			return 1
		}
		return -1
	})
	for _, i := range order {
		names := isText(i) && !isText(order[0])
		for _, e := range t.Snapshots[i].Entries {
			k := string(e.Key)
			if byKey[k] == nil {
				if names {
					continue
				}
				byKey[k] = make([]value.Value, len(t.Snapshots))
				keys = append(keys, k)
			}
			byKey[k][i] = value.Of(t.Maps[i].Value, e.Value)
		}
	}
	return keys, byKey
}

// compareColumn orders two rows by one column, if there is such a column: numbers
// of terms from the largest, parts of a key from the first.
func compareColumn(i int, a, b tableRow, text func(value.Value) string) int {
	if i < 0 {
		return 0
	}
	if term := i - (len(a.values) - len(a.terms)); term >= 0 {
		return cmp.Compare(b.terms[term], a.terms[term])
	}
	x, y := a.values[i], b.values[i]
	if x.Type.Kind == types.Int {
		return value.Compare(x, y)
	}
	return strings.Compare(text(x), text(y)) // names as they are shown
}

// KeyParts are the parts of a key, those that a map's schema has names for.
func KeyParts(key value.Value) (parts []value.Value) {
	if key.Type.Kind != types.Tuple && key.Type.Kind != types.Record {
		return []value.Value{key}
	}
	for _, part := range key.Fields() {
		parts = append(parts, part)
	}
	return parts
}

// cell is the value of a term: an element as it is, or a number.
func cell(t *object.Term, elements []value.Value) value.Value {
	if t.Op == 0 {
		if v := elements[t.Map]; v.Type != nil {
			return v
		}
	}
	return value.Of(types.I64, binary.NativeEndian.AppendUint64(nil, uint64(evaluate(t, elements))))
}

// evaluate computes a term. An element that is not there is 0, and so is a
// quotient by 0.
func evaluate(t *object.Term, elements []value.Value) int64 {
	switch t.Op {
	case 0:
		if v := elements[t.Map]; v.Type != nil {
			return numberOf(v)
		}
		return 0
	case 'k':
		return t.Num
	}
	x, y := evaluate(t.X, elements), evaluate(t.Y, elements)
	switch t.Op {
	case '+':
		return x + y
	case '-':
		return x - y
	case '*':
		return x * y
	}
	if y == 0 {
		return 0
	}
	if t.Op == '%' {
		return x % y
	}
	return x / y
}

// numberOf is the number of an element; texts have none.
func numberOf(v value.Value) int64 {
	switch v.Type.Kind {
	case types.Bool, types.Enum, types.Pointer:
		return v.Int()
	}
	if v.Type.Kind.IsNumber() {
		return v.Int()
	}
	return 0
}
