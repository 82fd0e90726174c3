package lower

import (
	"fst/compiler/ir"
	"fst/compiler/types"
	"fst/lang/source"
)

// values has what is where: numbers, memory, variables, and the parts of values.
type values struct{ *fn }

// space is how a piece of memory may be read.
type space uint8

const (
	direct   space = iota // stack, map value, context, record: plain loads
	kernel                // the kernel's, or what an address of it says
	user                  // the running process'
	computed              // the program's own, at an address that the verifier does not follow
)

// space is that of the IR.
func (s space) space() ir.Space {
	switch s {
	case user:
		return ir.SpaceUser
	case computed:
		return ir.SpaceOwn
	}
	return ir.SpaceAny
}

// value is the result of an expression: a scalar in op, or memory at
// base+off.
type value struct {
	t     *types.Type
	op    ir.Operand
	isMem bool
	base  ir.Operand
	off   int64
	sp    space
	// name is the member that it is, with that of its struct.
	name string
	// bits describes a bitfield at that place.
	bits *types.Field
	// chars marks a text in an array of char that is not the compiler's own: it may
	// lie at any address, fill the array to its last byte, and have anything behind
	// its NUL.
	chars bool
	// loc is the word of a trace event's record that says where an array lies in it and,
	// above the lowest 16 bits, how many bytes it has; 0 for all else.
	loc ir.Reg
	// str is a constant string. Of a literal written has all bytes: those behind a NUL, too, for what takes bytes.
	str, written *string
	kv           *kvRef
	// at is the expression, to which it is put down if memory can't be read.
	at source.Span
}

func scalar(t *types.Type, op ir.Operand) value { return value{t: t, op: op} }

func memory(t *types.Type, base ir.Reg, off int32) value {
	return value{t: t, isMem: true, base: ir.R(base), off: int64(off)}
}

// operand loads a scalar value into an operand, extended by its type.
func (f values) operand(v value) ir.Operand {
	if !v.isMem {
		return v.op
	}
	t := v.t
	if v.bits != nil {
		return f.bitfield(v)
	}
	size := t.Size
	if size == 0 || size > 8 {
		size = 8
	}
	signed := t.Signed && (t.Kind == types.Int || t.Kind == types.Enum)
	return f.loadMem(v, size, signed)
}

// read is a value in memory with its number, if it is one, as that is now.
func (f values) read(v value) value {
	if v.t.IsScalar() {
		return scalar(v.t, f.operand(v))
	}
	return v
}

// loadMem reads a number of 1, 2, 4 or 8 bytes.
func (f values) loadMem(v value, size int, signed bool) ir.Operand {
	if v.sp == direct {
		return f.Load(f.Reg(v.base), int32(v.off), size, signed)
	}
	if v.off != int64(int32(v.off)) {
		v.base, v.off = f.AddConst(v.base, v.off), 0
	}
	defer f.reading(v)()
	r := f.Func.NewReg()
	f.Emit(ir.Instr{Op: ir.OpRead, Dst: r, Space: v.sp.space(), A: v.base, Off: int32(v.off), Size: int8(size), Signed: signed,
		Bit: f.failure(v.sp == user), Member: f.Func.Member(v.name)})
	return ir.R(r)
}

func (f values) bitfield(v value) ir.Operand {
	word := v
	word.bits = nil
	size := v.t.Size
	x := f.loadMem(word, size, false)
	b := v.bits
	x = f.Op(ir.OpLsh, x, ir.I(int64(64-b.BitOffset-b.BitSize)))
	if v.t.Signed {
		return f.Op(ir.OpArsh, x, ir.I(int64(64-b.BitSize)))
	}
	return f.Op(ir.OpRsh, x, ir.I(int64(64-b.BitSize)))
}

// isChars reports whether a value is a text in an array of char (see value.chars).
func (v value) isChars() bool { return v.chars || v.isMem && v.t.IsCharArray() }

// address is the number of a memory value's place.
func (f values) address(v value) ir.Operand { return f.AddConst(v.base, v.off) }

// inMemory makes sure that a value lies in memory with plain loads.
func (f values) inMemory(v value) (ir.Reg, int32) {
	if v.isMem && v.sp == direct && v.bits == nil && v.kv == nil && !v.isChars() {
		return f.Reg(v.base), int32(v.off)
	}
	dst := f.Slot("tmp", max(v.t.Size, 8))
	if rest := v.t.Size % 8; rest != 0 && (v.t.Size > 8 || v.isChars()) {
		// Texts are compared by words: the last one must be whole.
		f.Store(dst, int32(v.t.Size-rest), ir.I(0), 8)
	}
	if v.isChars() && v.t.Size > 0 {
		f.copyValue(v, dst, 0, v.t.Size) // as it is
	} else {
		f.storeValue(v, v.t, dst, 0)
	}
	return dst, 0
}

// storeValue writes v to memory at base+off in the layout of t, to which it
// must be assignable: numbers widen or narrow, strings are cut or zero-filled,
// tuples go element by element.
func (f values) storeValue(v value, t *types.Type, base ir.Reg, off int32) {
	if v.str != nil {
		f.StoreText(base, off, *v.str, t.Size)
		return
	}
	if v.kv != nil {
		fields := t.Fields()
		f.zeroPadding(t, base, off)
		f.storeValue(f.access.kvKey(v.kv), fields[0].Type, base, off+int32(fields[0].Offset))
		f.storeValue(f.access.kvValue(v.kv), fields[1].Type, base, off+int32(fields[1].Offset))
		return
	}
	if t.IsScalar() {
		f.Store(base, off, f.operand(v), t.Size)
		return
	}
	if v.t.Kind.IsText() && t.Kind == types.String {
		v = f.probed.nameText(v)
	}
	if !v.isMem {
		// An integer taken as a small array: (uint8[4])x.
		tmp := f.Slot("int", 8)
		f.Store(tmp, 0, v.op, 8)
		v = memory(v.t, tmp, 0)
		f.CopyMem(base, off, tmp, 0, min(t.Size, 8))
		return
	}
	switch t.Kind {
	case types.Tuple, types.Record:
		if !types.Equal(v.t, t) && len(v.t.Fields()) == len(t.Fields()) {
			f.storeFields(v, t, base, off)
			return
		}
	case types.String, types.Buffer:
		f.storeBytes(v, t, base, off)
		return
	}
	n := t.Size
	if v.t.Size > 0 {
		n = min(n, v.t.Size)
	}
	f.copyValue(v, base, off, n)
	if t.Size > n {
		f.Zero(base, off+int32(n), t.Size-n)
	}
}

// storeFields writes a tuple or record in the layout of another one: the fields of records go by their names.
func (f values) storeFields(v value, t *types.Type, base ir.Reg, off int32) {
	f.zeroPadding(t, base, off)
	src := v.t.Fields()
	for i, fd := range t.Fields() {
		e, from := v, src[i]
		if t.Kind == types.Record {
			from, _ = v.t.Field(fd.Name)
		}
		e.t, e.off = from.Type, v.off+int64(from.Offset)
		f.storeValue(e, fd.Type, base, off+int32(fd.Offset))
	}
}

// storeBytes writes a text or buffer, cut or filled with zeroes.
func (f values) storeBytes(v value, t *types.Type, base ir.Reg, off int32) {
	if v.t.Kind == types.String && v.t.Size == 0 && v.sp != direct {
		f.Zero(base, off, t.Size)
		defer f.reading(v)()
		f.texts.readString(f.AddConst(ir.R(base), int64(off)), min(t.Size, f.info.Config.MaxStrlen+1), f.address(v), v.sp == user)
		return
	}
	n := min(v.t.Size, t.Size)
	f.copyValue(v, base, off, n)
	if t.Size > n {
		f.Zero(base, off+int32(n), t.Size-n)
	} else if v.t.Size > t.Size && t.Kind == types.String {
		f.Store(base, off+int32(t.Size)-1, ir.I(0), 1)
	}
	if v.isChars() && t.Kind == types.String && t.Size%8 == 0 && base != f.ring {
		f.ClearBehindNUL(base, off, n)
	}
}

// copyValue copies the first n bytes of a memory value.
func (f values) copyValue(v value, base ir.Reg, off int32, n int) {
	if n == 0 {
		return
	}
	if v.sp == direct {
		f.CopyMem(base, off, f.Reg(v.base), int32(v.off), n)
		return
	}
	defer f.reading(v)()
	f.probeRead(f.AddConst(ir.R(base), int64(off)), n, f.address(v), v.sp == user)
}

// reading makes the expression of a value the place of what is emitted, until
// the function that it returns is called.
func (f values) reading(v value) func() {
	old := f.Span
	if v.at.IsValid() {
		f.Span = v.at
	}
	return func() { f.Span = old }
}

// zeroPadding clears a tuple's area if it has gaps between its elements:
// keys are compared byte by byte.
func (f values) zeroPadding(t *types.Type, base ir.Reg, off int32) {
	used := 0
	for _, fd := range t.Fields() {
		used += fd.Type.Size
	}
	if used < t.Size {
		f.Zero(base, off, t.Size)
	}
}

func spaceOf(userMem bool) space {
	if userMem {
		return user
	}
	return kernel
}
