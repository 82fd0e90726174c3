package render

import (
	"bytes"
	"testing"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/value"
)

func TestFolded(t *testing.T) {
	var out, errs bytes.Buffer
	f := NewFolded(&out, &errs, fakeObject(), Options{})
	expect := func(name, want, wantErrs string) {
		t.Helper()
		if err := f.Flush(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if out.String() != want || errs.String() != wantErrs {
			t.Errorf("%s:\n%s%swant:\n%s%s", name, &out, &errs, want, wantErrs)
		}
		out.Reset()
		errs.Reset()
	}
	show := func(m *object.Map, entries ...value.Entry) {
		m.Script = true
		form{f, fakeObject()}.Map(m, &value.Snapshot{Entries: entries}, 0, 0)
	}
	entry := func(key, val operand) value.Entry { return value.Entry{Key: key.data, Value: val.data} }

	both := func(name string, pid int) operand {
		return tuple(tuple(kstack(1, "", 127), ustack(2, pid, "")), str(name))
	}
	key := both("a;b", 7)
	show(&object.Map{Name: "@", Key: key.typ, Value: types.U64}, entry(key, u64(3)), entry(both("c\nd", 7), u64(1)),
		entry(both("none", 7), u64(0)), entry(tuple(tuple(kstack(-14, "", 127), ustack(-14, 7, "")), str("a;b")), u64(5)))
	expect("keys", "a:b 5\na:b;[unknown];main;ksys_read_[k];vfs_read_[k] 3\nc\\nd;[unknown];main;ksys_read_[k];vfs_read_[k] 1\n", "")

	// The same functions of two processes are one line.
	one := ustack(2, 7, "")
	show(&object.Map{Name: "@", Key: one.typ, Value: types.I64}, entry(one, i64(2)), entry(ustack(2, 7, "perf"), i64(3)), entry(ustack(1, 7, ""), i64(-4)))
	expect("merged", "[unknown];main 5\n", "")

	none := ustack(-14, 7, "")
	show(&object.Map{Name: "@", Key: none.typ, Value: types.U64}, entry(none, u64(6)))
	expect("no stack", "[unknown] 6\n", "")

	m, rec := message(object.MsgPrintValue, "", kstack(1, "", 127))
	form{f, fakeObject()}.Message(m, rec)
	expect("printed", "ksys_read_[k];vfs_read_[k] 1\n", "")

	show(&object.Map{Name: "@n", Key: types.U64, Value: types.U64}, entry(u64(1), u64(2)))
	form{f, fakeObject()}.Message(&object.Message{Kind: object.MsgPrintf, Format: []object.Verb{{Literal: "text\n"}}}, nil)
	expect("else", "", "@n[1]: 2\ntext\n")
}
