package render

import (
	"testing"

	"fst/compiler/object"
	"fst/compiler/types"
)

// TestValues prints a value of each type, in both forms.
func TestValues(t *testing.T) {
	ptr := types.PointerTo(nil, false)
	inner := types.NewStruct(types.Union, "", 4, []types.Field{{Name: "u", Type: types.U32}})
	structure := types.NewStruct(types.Struct, "foo", 32, []types.Field{
		{Name: "x", Type: types.I32},
		{Name: "name", Type: types.ArrayOf(types.CharType, 4), Offset: 4},
		{Name: "arr", Type: types.ArrayOf(types.I32, 3), Offset: 8},
		{Type: inner, Offset: 20},
		{Name: "p", Type: ptr, Offset: 24},
	})
	data := make([]byte, 32)
	copy(data, []byte{1, 0, 0, 0, 'b', 'o', 'b', 0, 7, 0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0, 3})
	timestamp := kind(types.Timestamp, 8, num(61e9+5000))
	timestamp.typ.Fmt = "%H:%M:%S.%f"
	tests := []struct {
		v          operand
		text, json string
	}{
		{i64(-5), "-5", `-5`}, {u64(1<<64 - 1), "18446744073709551615", `"18446744073709551615"`},
		{i64(9007199254740993), "9007199254740993", `"9007199254740993"`}, {i64(9007199254740994), "9007199254740994", `9007199254740994`},
		{i64(-1 << 63), "-9223372036854775808", `-9223372036854775808`}, {i64(-9007199254740993), "-9007199254740993", `"-9007199254740993"`},
		{boolean(true), "true", `true`}, {boolean(false), "false", `false`},
		{str("a\t\"b\\\r\x01 ü\xff"), `a\t"b\\\r\x01 ü\xff`, `"a\t\"b\\\r\u0001 ü\\xff"`},
		{pointer(0x7ffcb420af20), "0x7ffcb420af20", `140723330527008`}, {pointer(0), "0x0", `0`},
		{enum(1), "B", `1`}, {enum(5), "5", `5`},
		{tuple(i64(1), str("a"), tuple(i64(2), i64(3))), "(1, a, (2, 3))", `[1,"a",[2,3]]`}, {tuple(i64(1)), "(1)", `[1]`},
		{record(i64(1).as("a"), str("x").as("b")), "{ .a = 1, .b = x }", `{"a": 1, "b": "x"}`}, {record(), "{}", `{}`},
		{array(types.U8, 1, 2, 3), "[1,2,3]", `[1,2,3]`}, {chars("bob", 8), "bob", `"bob"`},
		{operand{typ: structure, data: data}, "{ .x = 1, .name = bob, .arr = [7,8,9], .u = 3, .p = 0x0 }", `{"x": 1, "name": "bob", "arr": [7,8,9], "u": 3, "p": 0}`},
		{buffer("ab\xff"), `ab\xff`, `[97,98,-1]`},
		{kind(types.MAC, 8, []byte{0x80, 0x81, 2, 3, 0xff, 5}), "80:81:02:03:FF:05", `"80:81:02:03:FF:05"`},
		{kind(types.Inet, 20, []byte{4, 0, 0, 0, 1, 0, 0, 0}), "1.0.0.0", `"1.0.0.0"`},
		{kind(types.Inet, 20, []byte{16, 0, 0, 0, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}), "2001:db8::1", `"2001:db8::1"`},
		{kind(types.CgroupPath, 8, num(1)), "unified:/user.slice", `"unified:/user.slice"`},
		{name(types.Username, 0), "root", `"root"`}, {name(types.Username, 5), "", `""`},
		{kind(types.Username, 8, num(0)), "", `""`}, {kind(types.Syscall, 8, num(0)), "", `""`}, {kind(types.Errno, 8, num(0)), "", `""`}, {kind(types.SignalName, 8, num(0)), "", `""`},
		{kind(types.ProbeName, 8, num(1)), "kprobe:g", `"kprobe:g"`}, {kind(types.ProbeName, 8, num(9)), "", `""`},
		{name(types.Syscall, 0), "read", `"read"`}, {name(types.Syscall, 999), "Unknown syscall", `"Unknown syscall"`},
		{name(types.Syscall, -1), "-", `"-"`},
		{name(types.Errno, 2), "No such file or directory", `"No such file or directory"`}, {name(types.Errno, 0), "Success", `"Success"`},
		{name(types.Errno, -512), "ERESTARTSYS (within the kernel)", `"ERESTARTSYS (within the kernel)"`},
		{name(types.Errno, 999), "Unknown error", `"Unknown error"`}, {name(types.Errno, -2), "No such file or directory", `"No such file or directory"`},
		{name(types.SignalName, 9), "Killed", `"Killed"`}, {name(types.SignalName, 10), "User defined signal 1", `"User defined signal 1"`},
		{name(types.SignalName, 99), "N/A", `"N/A"`}, {name(types.SignalName, 34), "Real-time signal 0", `"Real-time signal 0"`},
		{timestamp, "04:01:01.000005", `"04:01:01.000005"`},
		{kind(types.KSym, 8, num(0x1005)), "vfs_read", `"vfs_read"`}, {kind(types.KSym, 8, num(5)), "0x5", `"0x5"`}, {kind(types.KSym, 8, num(0)), "0", `"0"`},
		{kind(types.USym, 16, append(num(0x4004), num(7)...)), "main", `"main"`}, {kind(types.USym, 16, append(num(0x4004), num(8)...)), "0x4004", `"0x4004"`},
		{kind(types.Func, 8, num(0x2005)), "ksys_read", `"ksys_read"`},
		{kstack(1, "", 127), "\n        vfs_read+1\n        ksys_read+97\n", `"\n        vfs_read+1\n        ksys_read+97\n"`},
		{kstack(1, "raw", 1), "\n1001\n", `"\n1001\n"`},
		{kstack(1, "perf", 1), "\n\t1001 vfs_read+1\n", `"\n\t1001 vfs_read+1\n"`},
		{kstack(-14, "", 127), "\n", `"\n"`},
		{ustack(2, 7, ""), "\n        main+0\n        0x55d77e4b3139\n", `"\n        main+0\n        0x55d77e4b3139\n"`},
		{ustack(2, 7, "perf"), "\n\t4000 main+0 (/bin/prog)\n\t55d77e4b3139 0x55d77e4b3139 ([unknown])\n", `"\n\t4000 main+0 (/bin/prog)\n\t55d77e4b3139 0x55d77e4b3139 ([unknown])\n"`},
		{ustack(2, 7, "build_id"), "\n1bcd 0x0\n1bcd 0x139\n", `"\n1bcd 0x0\n1bcd 0x139\n"`},
		{ustack(2, 8, "build_id"), "\n0x4000\n0x55d77e4b3139\n", `"\n0x4000\n0x55d77e4b3139\n"`},
		{count(3), "3", `3`}, {aggregate(types.Stats, true, -13, 2), "{ .count = 2, .average = -6, .total = -13 }", `{"count": 2, "average": -6, "total": -13}`},
		{hist(2, 7), "[7]                    1 |" + full + "|\n", `[{"min": 7, "max": 7, "count": 1}]`},
	}
	for _, c := range tests {
		b := newBoth()
		m, rec := message(object.MsgPrintValue, "", c.v)
		b.each(func(o form) { o.Message(m, rec) })
		b.expect(t, c.v.typ.String()+" "+c.text, c.text+"\n", `{"type": "value", "data": `+c.json+"}\n")
	}
}

func TestStackModeOfConfig(t *testing.T) {
	b := newBoth()
	b.obj.Config.StackMode = "raw"
	m, rec := message(object.MsgPrintf, "<%s>", kstack(1, "", 1))
	form{b.text, b.obj}.Message(m, rec)
	b.text.Flush()
	if got := b.out.String(); got != "<\n1001\n>" {
		t.Errorf("%q", got)
	}
}

// TestEveryKindHasAForm shows every kind from zeros without a panic.
func TestEveryKindHasAForm(t *testing.T) {
	for k := types.Int; k <= types.Quantile; k++ {
		b := newBoth()
		o := operand{typ: &types.Type{Kind: k, Size: 24, Len: 3, Elem: types.U64, Agg: types.Agg{Step: 1}}, data: make([]byte, 24)}
		for _, format := range []string{"%s", "%d", "%r", "%p", "%c"} {
			m, rec := message(object.MsgPrintf, format, o)
			b.each(func(out form) { out.Message(m, rec); out.Message(m, rec[:9]) })
		}
		m, rec := message(object.MsgPrintValue, "", o)
		b.each(func(out form) { out.Message(m, rec); out.Message(m, nil) })
	}
}
