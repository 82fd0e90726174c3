package value

import (
	"bytes"
	"encoding/binary"
	"iter"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"fst/compiler/types"
)

// Value is a typed view of bytes in the layout of compiler/types. It is valid
// as long as the bytes are not overwritten; see Clone.
type Value struct {
	Type *types.Type
	Data []byte
	// bitSize and bitOffset select the bits of a bitfield; bitSize is 0 for
	// all other values.
	bitSize, bitOffset uint8
}

// Of returns a view of a value of type t at the start of data. Data shorter
// than the type reads as if zeros followed.
func Of(t *types.Type, data []byte) Value {
	if t.Size <= len(data) {
		data = data[:t.Size:t.Size]
	}
	return Value{Type: t, Data: data}
}

// Clone returns a value with its own copy of the bytes.
func (v Value) Clone() Value {
	v.Data = bytes.Clone(v.Data)
	return v
}

// word reads n bytes at off as an unsigned number of the machine's order.
func (v Value) word(off, n int) uint64 {
	if off+n > len(v.Data) {
		return 0
	}
	b := v.Data[off:]
	switch n {
	case 8:
		return binary.NativeEndian.Uint64(b)
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	case 1:
		return uint64(b[0])
	}
	return 0
}

// Signed reports whether Int rather than Uint is the number that people mean.
func (v Value) Signed() bool {
	switch v.Type.Kind {
	case types.Int, types.Enum:
		return v.Type.Signed
	case types.Errno, types.SignalName:
		return true
	}
	return v.Type.Kind.IsAggregation() && v.Type.Agg.Signed
}

// Uint returns the number that the value is: of integers, bools, enums,
// pointers, addresses and ids, and of aggregations that are one number.
// Negative numbers are sign-extended to 64 bits.
func (v Value) Uint() uint64 {
	switch v.Type.Kind {
	case types.Int, types.Bool, types.Enum:
		if v.bitSize > 0 {
			return bitfield(v)
		}
		if v.Type.Size > len(v.Data) {
			return 0
		}
		switch v.Type.Size {
		case 8:
			return binary.NativeEndian.Uint64(v.Data)
		case 4:
			if n := binary.NativeEndian.Uint32(v.Data); !v.Type.Signed {
				return uint64(n)
			} else {
				return uint64(int32(n))
			}
		}
		return extended(v, v.word(0, v.Type.Size), uint(v.Type.Size)*8)
	}
	if agg := v.Type.Kind.Aggregation(); agg != nil && agg.Number != nil {
		return agg.Number(v.Data, &v.Type.Agg)
	}
	if v.Type.Kind.IsNamed() {
		n := uint32(v.word(0, 8)) // in the lower half, of either order of bytes
		if v.Type.Kind == types.Username {
			return uint64(n)
		}
		return uint64(int64(int32(n)))
	}
	return v.word(0, 8)
}

// bitfield is the number of a bitfield.
func bitfield(v Value) uint64 {
	return extended(v, v.word(0, v.Type.Size)>>v.bitOffset&(1<<v.bitSize-1), uint(v.bitSize))
}

// extended is a number of so many bits, which may have a sign.
func extended(v Value, n uint64, bits uint) uint64 {
	if v.Type.Signed && bits > 0 && bits < 64 {
		return uint64(int64(n<<(64-bits)) >> (64 - bits))
	}
	return n
}

// IsNone reports whether the value is that of an element that a map has not and
// of a variable that was not set, whose number 0 is no one's name.
func (v Value) IsNone() bool {
	return v.Type.Kind.IsNamed() && v.word(0, 8)&types.Named == 0
}

// Int is Uint as a signed number.
func (v Value) Int() int64 { return int64(v.Uint()) }

// Bool reports whether the number is not 0.
func (v Value) Bool() bool { return v.Uint() != 0 }

// Bytes returns the content of a string or char array up to its NUL, of a
// buffer, and of other values their memory. It aliases v.Data.
func (v Value) Bytes() []byte {
	switch v.Type.Kind {
	case types.String:
		return untilNUL(v.Data)
	case types.Array:
		if v.Type.IsCharArray() {
			return untilNUL(v.Data)
		}
	case types.Buffer:
		n := min(int(v.word(0, 4)), v.Type.Len, max(len(v.Data)-4, 0))
		if n <= 0 {
			return nil
		}
		return v.Data[4 : 4+n]
	case types.MAC:
		return v.Data[:min(6, len(v.Data))]
	}
	return v.Data
}

func untilNUL(b []byte) []byte {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i]
	}
	return b
}

// IsText reports whether the value reads as a string.
func (v Value) IsText() bool {
	return v.Type.Kind == types.String || v.Type.IsCharArray()
}

// Len is the number of elements of an array.
func (v Value) Len() int {
	if v.Type.Kind != types.Array || v.Type.Elem.Size == 0 {
		return 0
	}
	return len(v.Data) / v.Type.Elem.Size
}

// Index returns element i of an array.
func (v Value) Index(i int) Value {
	n := v.Type.Elem.Size
	return Of(v.Type.Elem, v.Data[i*n:])
}

// Fields yields the members of a struct, union, tuple or record by name (""
// in tuples). Members of anonymous structs and unions appear as the outer
// one's, as in C.
func (v Value) Fields() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) { eachField(v, yield) }
}

func eachField(v Value, yield func(string, Value) bool) bool {
	for _, f := range v.Type.Fields() {
		m := member(v, f)
		inner := f.Type.Kind == types.Struct || f.Type.Kind == types.Union
		if f.Name == "" && inner && v.Type.Kind != types.Tuple {
			if !eachField(m, yield) {
				return false
			}
		} else if !yield(f.Name, m) {
			return false
		}
	}
	return true
}

func member(v Value, f types.Field) Value {
	if f.DataLoc {
		loc := v.word(f.Offset, 4)
		off, n := int(loc&0xffff), int(loc>>16)
		if off+n > len(v.Data) {
			return Value{Type: f.Type}
		}
		return Value{Type: f.Type, Data: v.Data[off : off+n]}
	}
	if f.Offset > len(v.Data) {
		return Value{Type: f.Type}
	}
	m := Of(f.Type, v.Data[f.Offset:])
	m.bitSize, m.bitOffset = uint8(f.BitSize), uint8(f.BitOffset)
	return m
}

// EnumName returns the name of an enum's value: of a set of bits, the names of
// those that are set, and what is left as a number.
func (v Value) EnumName() (string, bool) {
	n := v.Int()
	if v.Type.Bits {
		return bitNames(v.Type.Enumerators(), uint64(n)), true
	}
	for _, e := range v.Type.Enumerators() {
		if e.Value == n {
			return e.Name, true
		}
	}
	return "", false
}

func bitNames(enums []types.Enumerator, n uint64) string {
	if n == 0 {
		return "0"
	}
	var names []string
	for _, e := range enums {
		if bit := uint64(e.Value); n&bit != 0 {
			names = append(names, e.Name)
			n &^= bit
		}
	}
	if n != 0 {
		names = append(names, "0x"+strconv.FormatUint(n, 16))
	}
	return strings.Join(names, "|")
}

// Stack says where a stack's frames are kept.
type Stack struct {
	ID     uint64 // in its map; 0: none was recorded
	User   bool
	PID    int // of a user stack
	Format types.StackFormat
}

// Stack returns what a KStack or UStack refers to.
func (v Value) Stack() Stack {
	if v.Type.Kind == types.UStack {
		return Stack{ID: v.word(0, 8), User: true, PID: int(v.word(8, 4)), Format: v.Type.Stack}
	}
	return Stack{ID: v.word(0, 8), Format: v.Type.Stack}
}

// Address is a place in the kernel or in a process.
type Address struct {
	Addr uint64
	User bool
	PID  int // if User
}

// Address returns the place that a KSym, USym, Func or Pointer holds.
func (v Value) Address() Address {
	a := Address{Addr: v.word(0, 8)}
	if v.Type.Kind == types.USym || v.Type.Kind == types.Func && v.Type.User {
		a.User, a.PID = true, int(v.word(8, 4))
	}
	return a
}

// IP returns an Inet's address; it is invalid for a value that was never set.
func (v Value) IP() netip.Addr {
	switch {
	case len(v.Data) < 20 || v.Data[0] == 0:
		return netip.Addr{}
	case v.Data[0] == 16:
		return netip.AddrFrom16([16]byte(v.Data[4:20]))
	}
	return netip.AddrFrom4([4]byte(v.Data[4:8]))
}

// MAC returns a hardware address.
func (v Value) MAC() net.HardwareAddr { return net.HardwareAddr(v.Bytes()) }
