package lower

import (
	"math/bits"

	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
)

// The name of a system call and the text of an error or a signal are kept as their
// numbers, and looked up when they are shown. Where a script needs the text itself,
// to compare it or to keep it beside other texts, it is copied out of a table.

// names are how many entries the tables have: -1, the numbers from 0, one for the
// element that a map has not, which is empty, and one for all other numbers. They
// are powers of two, as are the sizes of the entries, so that the verifier sees
// where an access ends.
var names = map[types.Kind]int{types.Syscall: 1024, types.Errno: 1024, types.SignalName: 128}

// asText is the text of a value that is one by its name, and v for all others.
func (f probed) asText(v value) value {
	if v.t.Kind.IsText() {
		return f.nameText(v)
	}
	return v
}

// nameText is the text of a value of a kind that is one (types.Kind.IsText).
func (f probed) nameText(v value) value {
	t, count := types.TextOf(v.t.Kind), names[v.t.Kind]
	n := f.Reg(f.values.operand(v))
	table := f.MapValue(f.nameTable(v.t.Kind), 0)
	number := f.Extend(ir.R(n), 4, true)
	if v.t.Kind == types.Errno { // with or without the sign that the kernel gives it
		sign := f.Op(ir.OpArsh, number, ir.I(63))
		number = f.Op(ir.OpSub, f.Op(ir.OpXor, number, sign), sign)
	}
	at := f.NewVar(ir.I(int64(count - 2)))
	f.If(ir.Ne, f.Op(ir.OpRsh, ir.R(n), ir.I(32)), ir.I(0), func() { f.Set(at, ir.R(f.AtMost(f.AddConst(number, 1), count-1))) })
	shift := bits.TrailingZeros(uint(t.Size))
	off := f.Op(ir.OpAnd, f.Op(ir.OpLsh, ir.R(at), ir.I(int64(shift))), ir.I(int64((count-1)<<shift)))
	text := f.Slot("name", t.Size)
	f.CopyMem(text, 0, f.Reg(f.Op(ir.OpAdd, ir.R(table), off)), 0, t.Size)
	return memory(t, text, 0)
}

// nameTable is the map of the texts of a kind.
func (l *lowerer) nameTable(k types.Kind) int {
	name := map[types.Kind]string{types.Syscall: "fst_calls", types.Errno: "fst_errors", types.SignalName: "fst_signals"}[k]
	if id := l.mapNamed(name); id >= 0 {
		return id
	}
	size := types.TextOf(k).Size
	table := make([]byte, names[k]*size)
	for i := range names[k] {
		if i != names[k]-2 {
			copy(table[i*size:(i+1)*size-1], l.nameOf(k, i-1))
		}
	}
	return l.addMap(&object.Map{Name: name, Kind: object.MapArray, KeySize: 4, ValueSize: len(table), MaxEntries: 1, Initial: table})
}

// nameOf is the text of a number.
func (l *lowerer) nameOf(k types.Kind, n int) string {
	switch k {
	case types.Errno:
		return types.ErrnoText(int64(n))
	case types.SignalName:
		return types.SignalText(int64(n))
	}
	if n == -1 {
		return types.NoSyscall
	}
	if name, ok := l.t.SyscallName(n); ok {
		return name
	}
	return types.UnknownSyscall
}
