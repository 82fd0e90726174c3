package render

import (
	"bytes"
	"testing"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/value"
)

func TestFolded(t *testing.T) {
	both := func(name string, pid int) operand {
		return tuple(tuple(kstack(1, "", 127), ustack(2, pid, "")), str(name))
	}
	entry := func(key, val operand) value.Entry { return value.Entry{Key: key.data, Value: val.data} }
	show := func(f Folded, m *object.Map, div int64, entries ...value.Entry) {
		m.Script = true
		form{f, fakeObject()}.Map(m, &value.Snapshot{Entries: entries}, 0, div)
	}
	key, one, none := both("a;b", 7), ustack(2, 7, ""), ustack(-14, 7, "")
	byStack := func(m object.Map) *object.Map { m.Key, m.Value = one.typ, types.I64; return &m }
	for name, test := range map[string]struct {
		shows      func(Folded)
		want, errs string
	}{
		"keys": {func(f Folded) {
			show(f, &object.Map{Name: "@", Key: key.typ, Value: types.U64}, 0, entry(key, u64(3)), entry(both("c\nd", 7), u64(1)),
				entry(both("none", 7), u64(0)), entry(tuple(tuple(kstack(-14, "", 127), ustack(-14, 7, "")), str("a;b")), u64(5)))
		}, "a:b 5\na:b;[unknown];main;ksys_read_[k];vfs_read_[k] 3\nc\\nd;[unknown];main;ksys_read_[k];vfs_read_[k] 1\n", ""},
		"the same functions of two processes are one line": {func(f Folded) {
			show(f, byStack(object.Map{Name: "@"}), 0, entry(one, i64(2)), entry(ustack(2, 7, "perf"), i64(3)), entry(ustack(1, 7, ""), i64(-4)))
		}, "[unknown];main 5\n", ""},
		"no stack": {func(f Folded) {
			show(f, &object.Map{Name: "@", Key: none.typ, Value: types.U64}, 0, entry(none, u64(6)))
		}, "[unknown] 6\n", ""},
		// What a report takes away from what those before it told is taken away.
		"a map that is emptied": {func(f Folded) {
			m := byStack(object.Map{Name: "@left", Turns: &object.Turns{}})
			for _, n := range []int64{100, -70, 10} {
				show(f, m, 0, entry(one, i64(n)), entry(ustack(1, 7, ""), i64(-n)))
			}
		}, "[unknown];main 40\n", ""},
		"the last state of a map that goes on": {func(f Folded) {
			m := byStack(object.Map{Name: "@"})
			for _, n := range []int64{1000, 3000} {
				show(f, m, 1000, entry(one, i64(n)))
			}
		}, "[unknown];main 3\n", ""},
		"printed": {func(f Folded) {
			m, rec := message(object.MsgPrintValue, "", kstack(1, "", 127))
			form{f, fakeObject()}.Message(m, rec)
		}, "ksys_read_[k];vfs_read_[k] 1\n", ""},
		"else": {func(f Folded) {
			show(f, &object.Map{Name: "@n", Key: types.U64, Value: types.U64}, 0, entry(u64(1), u64(2)))
			form{f, fakeObject()}.Message(&object.Message{Kind: object.MsgPrintf, Format: []object.Verb{{Literal: "text\n"}}}, nil)
		}, "", "@n[1]: 2\ntext\n"},
	} {
		var out, errs bytes.Buffer
		f := NewFolded(&out, &errs, fakeObject(), Options{})
		test.shows(f)
		if err := f.End(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if out.String() != test.want || errs.String() != test.errs {
			t.Errorf("%s:\n%s%swant:\n%s%s", name, &out, &errs, test.want, test.errs)
		}
	}
}
