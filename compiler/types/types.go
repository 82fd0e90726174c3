// Package types describes the values of a program: what they are and how they
// lie in memory. The compiler lays them out, the runtime decodes them, both
// from the same description.
//
// It must not import the tree, eBPF libraries or the runtime.
package types

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Kind is the class of a value.
type Kind int

const (
	Invalid Kind = iota
	None         // no value (a call for its effect)
	Int          // Size 1, 2, 4 or 8; Signed
	Bool         // Size 1
	String       // NUL-terminated in a buffer of Size bytes
	Tuple        // Fields without names
	Record       // Fields with names
	Array        // Len elements of Elem
	Struct       // kernel, DWARF or user-defined struct (Name has no tag)
	Union
	Enum       // an Int with Enumerators
	Pointer    // 8 bytes; Elem is the pointee (nil or None: void)
	Buffer     // u32 length, then Len bytes of room (Size = 4 + Len, padded to 4)
	KStack     // u64 id in a map of stacks (object.StackCountBits); 8 bytes
	UStack     // u64 id as of a KStack, u64 tgid; 16 bytes
	KSym       // u64 kernel address
	USym       // u64 user address, u32 tgid, u32 pad; 16 bytes
	Func       // as KSym or USym by User: name of the probed function
	Inet       // u8 family marker (4 or 16 = address bytes), 3 pad, 16 address bytes; 20 bytes
	MAC        // 6 bytes, padded to 8
	Timestamp  // u64 nanoseconds, formatted by a message's strftime format; boot clock
	CgroupPath // u64 cgroup ID
	Container  // u64: NameNumber of the name of a container, 0 outside of containers, or the cgroup ID of one that has no name yet
	Pod        // the same of a Kubernetes pod
	Username   // u32 uid with Named, shown as the name of the user
	ProbeName  // u64 index into Object.ProbeNames
	Syscall    // i32 number with Named, shown as the name of the system call
	Errno      // i32 error number with Named, shown as strerror text
	SignalName // i32 signal number with Named, shown as its description

	firstAggregation // and those behind it: see Aggregation
)

var kindNames = map[Kind]string{
	Invalid: "invalid", None: "none", Int: "int", Bool: "bool", String: "string", Tuple: "tuple", Record: "record",
	Array: "array", Struct: "struct", Union: "union", Enum: "enum", Pointer: "pointer", Buffer: "buffer", KStack: "kstack",
	UStack: "ustack", KSym: "ksym", USym: "usym", Func: "func", Inet: "inet", MAC: "mac address", Timestamp: "timestamp",
	CgroupPath: "cgroup path", Container: "container name", Pod: "pod name", Username: "username", ProbeName: "probe", Syscall: "syscall name", Errno: "error text",
	SignalName: "signal name",
}

func (k Kind) String() string {
	if r := k.Aggregation(); r != nil {
		return r.Name
	}
	return kindNames[k]
}

// Named is set beside the number, in the upper half of eight bytes, of values
// whose number 0 has a name: memory that is all zero (an element that a map has
// not) has none.
const Named = 1 << 32

// IsNamed reports whether values of kind k carry Named.
func (k Kind) IsNamed() bool {
	switch k {
	case Username, Syscall, Errno, SignalName:
		return true
	}
	return false
}

// Type is the type of a value. Types are not changed after they were made;
// compare them with Equal, not by pointer.
type Type struct {
	Kind Kind
	// Size is the number of bytes a value takes in memory.
	Size   int
	Signed bool
	// Name of a struct, union, enum or typedef, without its tag.
	Name string
	Elem *Type // of Pointer and Array
	Len  int   // of Array (elements) and Buffer (bytes of room)
	// User marks a pointer (or Func) into user space, and a struct or union that
	// was copied from there: the pointers in it lead there.
	User bool
	// Char marks an Int that was declared char: arrays of it read as strings.
	Char bool
	// Bits marks an Enum whose enumerators are single bits: a value is shown as
	// the names of those that are set.
	Bits bool
	// Ctx marks memory that programs may load from directly, without a probe
	// read: the fields of a tracepoint's record.
	Ctx bool
	// Fmt is the strftime format of a Timestamp, or the pattern of the
	// hierarchies that a CgroupPath shows.
	Fmt string
	// Stack tells how a KStack or UStack is shown.
	Stack StackFormat
	// Agg holds the parameters of an aggregation.
	Agg Agg

	fields  []Field
	resolve func() ([]Field, []Enumerator)
	enums   []Enumerator
	once    sync.Once
	watch   *Watch
}

// stackString is a stack as a script writes it.
func (t *Type) stackString() string {
	name := t.Kind.String()
	if t.Stack.Tables {
		name = "dw_ustack"
	}
	var args []string
	if m := t.Stack.Mode; m != "" && m != "bpftrace" {
		args = append(args, m)
	}
	if n := t.Stack.Limit; n != 0 && n != DefaultFrames {
		args = append(args, strconv.Itoa(n))
	}
	if args == nil {
		return name
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// DefaultFrames is how many frames a stack has at most if the script does not say.
const DefaultFrames = 127

// StackFormat is how a stack is captured and shown.
type StackFormat struct {
	Mode  string // "bpftrace" (default), "perf", "raw", "build_id"
	Limit int    // frames, 1 to 1024
	// Tables: a user stack is unwound by the tables of its binaries rather than
	// by frame pointers.
	Tables bool
}

// Field is a member of a struct, union, tuple or record.
type Field struct {
	Name   string // empty for an anonymous struct or union member
	Type   *Type
	Offset int // bytes
	// BitSize and BitOffset describe a bitfield: BitOffset counts from the
	// least significant bit of the Type-sized word at Offset. BitSize is 0
	// for an ordinary field.
	BitSize, BitOffset int
	// DataLoc marks a tracepoint's __data_loc field: a u32 with length<<16
	// | offset into the record; Type is what lies there.
	DataLoc bool
}

// Bits places a field of some bits that begin at a bit of its struct: in the word of its own type that holds
// it whole, or in a larger one if none does (packed structs).
func (f Field) Bits(off, bits int) Field {
	f.BitSize = bits
	for size := max(1, f.Type.Size); size <= 8; size *= 2 {
		f.Offset = off / (size * 8) * size
		f.BitOffset = off - f.Offset*8
		if f.BitOffset+bits <= size*8 {
			if size != f.Type.Size {
				f.Type = IntType(size, f.Type.Signed)
			}
			return f
		}
	}
	f.Offset, f.BitOffset, f.Type = off/8, off%8, IntType(8, f.Type.Signed)
	return f
}

// Enumerator is a name of an enum.
type Enumerator struct {
	Name  string
	Value int64
}

// Fields returns the members of a struct, union, tuple or record, looking
// them up on the first call.
func (t *Type) Fields() []Field {
	fields := t.own()
	if t.watch != nil {
		return t.watch.Fields(fields)
	}
	return fields
}

func (t *Type) own() []Field {
	t.load()
	return t.fields
}

// Enumerators returns the names of an enum.
func (t *Type) Enumerators() []Enumerator {
	t.load()
	if t.watch != nil {
		t.watch.Enumerators(t.enums)
	}
	return t.enums
}

func (t *Type) load() {
	if t.resolve != nil {
		t.once.Do(func() { t.fields, t.enums = t.resolve() })
	}
}

// Field finds a member by name, also within anonymous members (its offset is
// then relative to t).
func (t *Type) Field(name string) (Field, bool) {
	f, ok := t.find(name)
	if t.watch != nil {
		f = t.watch.Field(name, f, ok)
	}
	return f, ok
}

func (t *Type) find(name string) (Field, bool) {
	for _, f := range t.own() {
		if f.Name == name {
			return f, true
		}
		if f.Name == "" && (f.Type.Kind == Struct || f.Type.Kind == Union) {
			if g, ok := f.Type.find(name); ok {
				g.Offset += f.Offset
				return g, true
			}
		}
	}
	return Field{}, false
}

// FieldNames lists the names that Field would find.
func (t *Type) FieldNames() []string {
	var names []string
	for _, f := range t.Fields() {
		if f.Name != "" {
			names = append(names, f.Name)
		} else if f.Type.Kind == Struct || f.Type.Kind == Union {
			names = append(names, f.Type.FieldNames()...)
		}
	}
	return names
}

// Common types.
var (
	NoneType = &Type{Kind: None}
	// WordType is what the number given to kptr and uptr points to: as with a
	// plain number, * reads 8 bytes there.
	WordType = &Type{Kind: None}
	I8       = &Type{Kind: Int, Size: 1, Signed: true}
	I16      = &Type{Kind: Int, Size: 2, Signed: true}
	I32      = &Type{Kind: Int, Size: 4, Signed: true}
	I64      = &Type{Kind: Int, Size: 8, Signed: true}
	U8       = &Type{Kind: Int, Size: 1}
	U16      = &Type{Kind: Int, Size: 2}
	U32      = &Type{Kind: Int, Size: 4}
	U64      = &Type{Kind: Int, Size: 8}
	BoolType = &Type{Kind: Bool, Size: 1}
	CharType = &Type{Kind: Int, Size: 1, Signed: true, Char: true}
)

// IntType returns the integer type of a size in bytes and a signedness.
func IntType(size int, signed bool) *Type {
	switch {
	case size == 1 && signed:
		return I8
	case size == 1:
		return U8
	case size == 2 && signed:
		return I16
	case size == 2:
		return U16
	case size == 4 && signed:
		return I32
	case size == 4:
		return U32
	case signed:
		return I64
	}
	return U64
}

// StringType returns a string in a buffer of size bytes, NUL included. Sizes
// are rounded up to a multiple of 8, so that buffers are moved by words.
func StringType(size int) *Type { return &Type{Kind: String, Size: max(8, (size+7)&^7)} }

// PointerTo returns a pointer type.
func PointerTo(elem *Type, user bool) *Type {
	return &Type{Kind: Pointer, Size: 8, Elem: elem, User: user}
}

// ArrayOf returns an array type.
func ArrayOf(elem *Type, n int) *Type {
	return &Type{Kind: Array, Size: elem.Size * max(n, 0), Elem: elem, Len: n}
}

// BufferType returns a buffer with room for n bytes.
func BufferType(n int) *Type {
	return &Type{Kind: Buffer, Size: (4 + n + 7) &^ 7, Len: n}
}

// NewStruct returns a struct or union with known fields.
func NewStruct(kind Kind, name string, size int, fields []Field) *Type {
	return &Type{Kind: kind, Name: name, Size: size, fields: fields}
}

// LazyStruct returns a struct, union or enum whose content is looked up when
// it is first asked for (kernel types refer to each other without end).
func LazyStruct(kind Kind, name string, size int, resolve func() ([]Field, []Enumerator)) *Type {
	return &Type{Kind: kind, Name: name, Size: size, resolve: resolve}
}

// OfUser is t as the type of what lies in, or was copied from, the memory of a
// process: pointers in it, at any depth, lead into that memory.
func (t *Type) OfUser() *Type {
	switch t.Kind {
	case Pointer:
		if !t.User {
			return PointerTo(t.Elem, true)
		}
	case Array:
		if elem := t.Elem.OfUser(); elem != t.Elem {
			n := ArrayOf(elem, t.Len)
			n.Size = t.Size
			return n
		}
	case Struct, Union:
		if !t.User {
			n := LazyStruct(t.Kind, t.Name, t.Size, func() ([]Field, []Enumerator) {
				fields := slices.Clone(t.own())
				for i := range fields {
					fields[i].Type = fields[i].Type.OfUser()
				}
				return fields, nil
			})
			n.User, n.watch = true, t.watch
			return n
		}
	}
	return t
}

// EnumType returns an enum with known names.
func EnumType(name string, size int, signed bool, enums []Enumerator) *Type {
	return &Type{Kind: Enum, Name: name, Size: size, Signed: signed, enums: enums}
}

// BitsType returns the type of numbers whose bits an enum numbers: a value has
// the bit 1<<n for each name of value n. What all names begin with is left out.
func BitsType(enum *Type) *Type {
	list := enum.Enumerators()
	prefix := ""
	for i, e := range list {
		if i == 0 {
			prefix = e.Name
		}
		for !strings.HasPrefix(e.Name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	prefix = prefix[:strings.LastIndexByte(prefix, '_')+1]
	t := &Type{Kind: Enum, Name: enum.Name, Size: 8, Bits: true}
	for _, e := range list {
		if e.Value >= 0 && e.Value < 64 {
			t.enums = append(t.enums, Enumerator{strings.ToLower(e.Name[len(prefix):]), 1 << e.Value})
		}
	}
	return t
}

// TupleType lays out a tuple: each element at its natural alignment (at most
// 8), padding between them (always zero in memory), size a multiple of the
// largest alignment.
func TupleType(elems []*Type) *Type {
	return layout(Tuple, nil, elems)
}

// RecordType lays out a record like a tuple.
func RecordType(names []string, elems []*Type) *Type {
	return layout(Record, names, elems)
}

func layout(kind Kind, names []string, elems []*Type) *Type {
	t := &Type{Kind: kind}
	align := 1
	for i, e := range elems {
		a := e.Align()
		align = max(align, a)
		t.Size = (t.Size + a - 1) &^ (a - 1)
		f := Field{Type: e, Offset: t.Size}
		if names != nil {
			f.Name = names[i]
		}
		t.fields = append(t.fields, f)
		t.Size += e.Size
	}
	t.Size = (t.Size + align - 1) &^ (align - 1)
	return t
}

// Align is the alignment of a value in memory: a power of two, at most 8.
func (t *Type) Align() int {
	switch t.Kind {
	case Int, Bool, Enum, Pointer:
		return max(1, t.Size)
	case Array:
		return t.Elem.Align()
	case Tuple, Record:
		a := 1
		for _, f := range t.fields {
			a = max(a, f.Type.Align())
		}
		return a
	case Inet:
		return 4
	}
	return 8
}

// IsStruct reports whether t is a struct or a union, by value.
func (t *Type) IsStruct() bool { return t != nil && (t.Kind == Struct || t.Kind == Union) }

// IsStack reports whether t is a stack, of the kernel or of a program.
func (t *Type) IsStack() bool { return t.Kind == KStack || t.Kind == UStack }

// IsScalar reports whether a value fits a register: integers, bools, enums,
// pointers and the symbol kinds that are one number.
func (t *Type) IsScalar() bool {
	switch t.Kind {
	case Int, Bool, Enum, Pointer, KSym, Timestamp, CgroupPath, Container, Pod, Username, ProbeName, Syscall, Errno, SignalName:
		return true
	case Func:
		return !t.User
	}
	return false
}

// IsInteger reports whether arithmetic takes t without a cast.
func (t *Type) IsInteger() bool { return t.Kind == Int || t.Kind == Bool || t.Kind == Enum }

// IsCharArray reports whether t is an array that reads as a string.
func (t *Type) IsCharArray() bool {
	return t.Kind == Array && t.Elem.Kind == Int && t.Elem.Size == 1 && t.Elem.Char
}

// Equal reports whether two types are the same, sizes included.
func Equal(a, b *Type) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Kind != b.Kind || a.Size != b.Size || a.Signed != b.Signed {
		return false
	}
	switch a.Kind {
	case Tuple, Record:
		if len(a.fields) != len(b.fields) {
			return false
		}
		for i := range a.fields {
			if a.fields[i].Name != b.fields[i].Name || !Equal(a.fields[i].Type, b.fields[i].Type) {
				return false
			}
		}
	case Array:
		return a.Len == b.Len && Equal(a.Elem, b.Elem)
	case Buffer:
		return a.Len == b.Len
	case Struct, Union, Enum:
		return a.Name == b.Name && a.Bits == b.Bits
	case Pointer:
		// Pointees are compared by name: the graph of kernel types has cycles.
		return a.String() == b.String()
	}
	return true
}

// String spells the type as the language does.
func (t *Type) String() string {
	if t == nil {
		return "unknown"
	}
	switch t.Kind {
	case Int:
		if t.Char {
			return "char"
		}
		if t.Signed {
			return fmt.Sprintf("int%d", t.Size*8)
		}
		return fmt.Sprintf("uint%d", t.Size*8)
	case String:
		return fmt.Sprintf("string[%d]", t.Size)
	case KStack, UStack:
		return t.stackString()
	case Buffer:
		return fmt.Sprintf("buffer[%d]", t.Len)
	case Struct, Union, Enum:
		name := t.Name
		if name == "" {
			name = "(anonymous)"
		}
		if t.Bits {
			return "bits of enum " + name
		}
		return t.Kind.String() + " " + name
	case Pointer:
		if t.Elem == nil || t.Elem.Kind == None {
			return "void *"
		}
		if t.Elem.Kind == Pointer {
			return t.Elem.String() + "*"
		}
		return t.Elem.String() + " *"
	case Array:
		elem, dims := t, "" // as C writes them: the first is the outermost
		for ; elem.Kind == Array; elem = elem.Elem {
			dims += fmt.Sprintf("[%d]", elem.Len)
		}
		return elem.String() + dims
	case Tuple, Record:
		var b strings.Builder
		b.WriteByte('(')
		for i, f := range t.fields {
			if i > 0 {
				b.WriteString(", ")
			}
			if t.Kind == Record {
				b.WriteString(f.Name + " = ")
			}
			b.WriteString(f.Type.String())
		}
		b.WriteByte(')')
		return b.String()
	}
	return t.Kind.String()
}

// Describe names a type for a message: aggregations by their call.
func Describe(t *Type) string {
	if t == nil {
		return "nothing"
	}
	if t.Kind.IsAggregation() {
		return t.Kind.String() + "()"
	}
	if t.Kind == None {
		return "no value"
	}
	switch t.Kind {
	case String:
		return "string" // its room never is what is wrong
	case Tuple:
		parts := make([]string, len(t.Fields()))
		for i, f := range t.Fields() {
			parts[i] = Describe(f.Type)
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return t.String()
}
