package debuginfo

import (
	"cmp"
	"debug/dwarf"
	"encoding/binary"
	"strings"
	"sync"

	"fst/compiler/types"
)

// Encodings of base types (DW_ATE_...).
const (
	encBoolean        = 2
	encComplexFloat   = 3
	encFloat          = 4
	encSigned         = 5
	encSignedChar     = 6
	encUnsignedChar   = 8
	encImaginaryFloat = 9
	encDecimalFloat   = 15
	encUTF            = 16
)

// lengthless is the length of an array that does not say how long it is.
const lengthless = 0

// Types decodes the types of a binary.
type Types struct {
	tree *tree
	// index is built when something is first asked for by its name.
	index func() *index

	mu    sync.Mutex
	known map[dwarf.Offset]*types.Type
}

func newTypes(t *tree) *Types {
	return &Types{tree: t, index: sync.OnceValue(func() *index { return readIndex(t) }), known: map[dwarf.Offset]*types.Type{}}
}

// convert returns the type at an offset without typedefs and qualifiers.
// Pointers point to user memory. Structs, unions and enums look up their
// content when it is first asked for.
func (ts *Types) convert(off dwarf.Offset) *types.Type {
	ts.mu.Lock()
	t := ts.known[off]
	ts.mu.Unlock()
	if t != nil {
		return t
	}
	t = ts.decode(off, 0)
	ts.mu.Lock()
	ts.known[off] = t
	ts.mu.Unlock()
	return t
}

// maxDepth bounds chains of typedefs and pointers in damaged files.
const maxDepth = 64

func (ts *Types) decode(off dwarf.Offset, depth int) *types.Type {
	e := ts.tree.entry(off)
	if e == nil || depth > maxDepth {
		return &types.Type{Kind: types.Invalid}
	}
	switch e.Tag {
	case dwarf.TagBaseType:
		return baseType(e)
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		return types.PointerTo(ts.below(e, depth), true)
	case dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, dwarf.TagAtomicType:
		return ts.below(e, depth)
	case dwarf.TagTypedef:
		if to, ok := ts.tree.typeOf(e); ok {
			if t := ts.tree.entry(to); t != nil && isCompound(t.Tag) && ts.tree.name(t) == "" {
				return ts.compound(t, ts.tree.name(e))
			} else if t != nil && t.Tag == dwarf.TagBaseType && ts.tree.name(t) != "char" {
				return byteType(baseType(t))
			}
		}
		return ts.below(e, depth)
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagEnumerationType:
		return ts.compound(e, ts.tree.name(e))
	case dwarf.TagArrayType:
		return ts.array(e, depth)
	case dwarf.TagSubroutineType, dwarf.TagUnspecifiedType:
		return types.NoneType
	case dwarf.TagPtrToMemberType:
		return types.I64
	}
	return &types.Type{Kind: types.Invalid, Size: size(e)}
}

func (ts *Types) below(e *dwarf.Entry, depth int) *types.Type {
	off, ok := ts.tree.typeOf(e)
	if !ok {
		return types.NoneType
	}
	return ts.decode(off, depth+1)
}

func isCompound(t dwarf.Tag) bool {
	switch t {
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagEnumerationType:
		return true
	}
	return false
}

func size(e *dwarf.Entry) int {
	n, _ := e.Val(dwarf.AttrByteSize).(int64)
	return int(n)
}

func baseType(e *dwarf.Entry) *types.Type {
	enc, _ := e.Val(dwarf.AttrEncoding).(int64)
	n := size(e)
	switch {
	case isFloat(enc), n != 1 && n != 2 && n != 4 && n != 8:
		name, _ := e.Val(dwarf.AttrName).(string)
		return &types.Type{Kind: types.Invalid, Size: n, Name: name}
	case enc == encBoolean && n == 1:
		return types.BoolType
	case enc == encSignedChar && n == 1:
		return types.CharType
	case (enc == encUnsignedChar || enc == encUTF) && n == 1:
		return &types.Type{Kind: types.Int, Size: 1, Char: true}
	}
	return types.IntType(n, enc == encSigned || enc == encSignedChar)
}

// byteType is what a typedef such as uint8_t makes of signed and unsigned char: a
// number, so that an array of them is no text.
func byteType(t *types.Type) *types.Type {
	if t.Kind == types.Int && t.Char {
		return types.IntType(1, t.Signed)
	}
	return t
}

func (ts *Types) array(e *dwarf.Entry, depth int) *types.Type {
	counts := ts.tree.counts(e)
	t := ts.below(e, depth)
	for i := len(counts) - 1; i >= 0; i-- {
		t = types.ArrayOf(t, counts[i])
	}
	return t
}

// compound makes a struct, union or enum of a name.
func (ts *Types) compound(e *dwarf.Entry, name string) *types.Type {
	if declared, _ := e.Val(dwarf.AttrDeclaration).(bool); declared || e.Val(dwarf.AttrSignature) != nil {
		// What it holds may be told in another unit.
		if def := ts.definitionOf(e); def != nil {
			e = def
		}
	}
	switch e.Tag {
	case dwarf.TagEnumerationType:
		signed := false
		if off, ok := ts.tree.typeOf(e); ok {
			signed = ts.convert(off).Signed
		}
		t := types.LazyStruct(types.Enum, name, size(e), func() ([]types.Field, []types.Enumerator) { return nil, ts.enumerators(e) })
		t.Signed = signed
		return t
	case dwarf.TagUnionType:
		return types.LazyStruct(types.Union, name, size(e), func() ([]types.Field, []types.Enumerator) { return ts.members(e), nil })
	}
	return types.LazyStruct(types.Struct, name, size(e), func() ([]types.Field, []types.Enumerator) { return ts.members(e), nil })
}

func (ts *Types) enumerators(e *dwarf.Entry) []types.Enumerator {
	var list []types.Enumerator
	ts.tree.children(e, func(c *dwarf.Entry) bool {
		if v, ok := c.Val(dwarf.AttrConstValue).(int64); ok && c.Tag == dwarf.TagEnumerator {
			list = append(list, types.Enumerator{Name: ts.tree.name(c), Value: v})
		}
		return true
	})
	return list
}

// members lists the fields of a struct. Those of base classes are found
// through a field without a name, as those of anonymous members are.
func (ts *Types) members(e *dwarf.Entry) []types.Field {
	var fields []types.Field
	ts.tree.children(e, func(c *dwarf.Entry) bool {
		off, ok := ts.tree.memberType(c)
		if !ok {
			return true
		}
		at, placed := memberOffset(c)
		if !placed {
			return true // a virtual base: its place is known at run time
		}
		fd := types.Field{Name: ts.tree.name(c), Type: ts.convert(off), Offset: at}
		if c.Tag == dwarf.TagInheritance {
			fd.Name = ""
		}
		if first, bits := bitPlace(c, fd.Type.Size); bits > 0 {
			fd = fd.Bits(first, bits)
		}
		fields = append(fields, fd)
		return true
	})
	return fields
}

// memberOffset is where in its struct a member begins; ok is false if that is known
// only at run time.
func memberOffset(c *dwarf.Entry) (at int, ok bool) {
	switch v := c.Val(dwarf.AttrDataMemberLoc).(type) {
	case nil:
		return 0, true
	case int64:
		return int(v), true
	case []byte: // DWARF 2: an expression
		const plusConstant = 0x23 // DW_OP_plus_uconst
		if len(v) > 1 && v[0] == plusConstant {
			n, size := binary.Uvarint(v[1:])
			return int(n), size == len(v)-1
		}
	}
	return 0, false
}

// bitPlace is where in its struct a bit field begins, and how wide it is: 0 for
// other members. whole is the size of its type.
func bitPlace(c *dwarf.Entry, whole int) (first, bits int) {
	n, ok := c.Val(dwarf.AttrBitSize).(int64)
	if !ok {
		return 0, 0
	}
	if at, ok := c.Val(dwarf.AttrDataBitOffset).(int64); ok {
		return int(at), int(n)
	}
	// DWARF 3: counted from the most significant bit of a word.
	at, _ := memberOffset(c)
	msb, _ := c.Val(dwarf.AttrBitOffset).(int64)
	word := size(c)
	if word == 0 {
		word = whole
	}
	return at*8 + word*8 - int(msb) - int(n), int(n)
}

// Find finds "struct", "union" or "enum" NAME or, with an empty tag, a typedef
// or class. Where units define different types of that name it is the one of the
// unit that the code at the addresses is of. doubt is true if that tells not which.
func (ts *Types) Find(tag, name string, code []uint64) (t *types.Type, doubt, ok bool) {
	e := ts.definition(tag, name)
	if e == nil {
		return nil, false, false
	}
	first := ts.convert(e.Offset)
	if !ts.index().several[strings.TrimSpace(cmp.Or(tag, tagName(e.Tag))+" "+name)] {
		return first, false, true
	}
	for _, addr := range code {
		own, ok := ts.ofUnit(addr, e.Tag, name)
		if !ok || t != nil && ts.convert(own) != t {
			return first, true, true
		}
		t = ts.convert(own)
	}
	return cmp.Or(t, first), t == nil, true
}

// ofUnit finds a type in the unit that the code at an address is of.
func (ts *Types) ofUnit(addr uint64, tag dwarf.Tag, name string) (dwarf.Offset, bool) {
	r := ts.tree.data.Reader()
	if _, err := r.SeekPC(addr); err != nil {
		return 0, false
	}
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == dwarf.TagCompileUnit {
			return 0, false
		}
		declared, _ := e.Val(dwarf.AttrDeclaration).(bool)
		if e.Tag == tag && !declared && ts.tree.name(e) == name {
			return e.Offset, true
		}
		r.SkipChildren()
	}
}

// Enumerator finds an enumerator of any enum.
func (ts *Types) Enumerator(name string) (value int64, enum *types.Type, ok bool) {
	off, ok := ts.index().enumerators[name]
	if !ok {
		return 0, nil, false
	}
	t := ts.convert(off)
	for _, e := range t.Enumerators() {
		if e.Name == name {
			return e.Value, t, true
		}
	}
	return 0, nil, false
}

// definitionOf is the entry that defines a type that another one declares. nil if
// there is none, or if units define different types of that name.
func (ts *Types) definitionOf(declaration *dwarf.Entry) *dwarf.Entry {
	if off, ok := ts.tree.reference(declaration.Val(dwarf.AttrSignature)); ok {
		return ts.tree.entry(off)
	}
	x := ts.index()
	key := x.declared[declaration.Offset]
	if off, ok := x.types[key]; ok && !x.several[key] {
		return ts.tree.entry(off)
	}
	return nil
}

// definition is the entry that defines a type, nil if there is none.
func (ts *Types) definition(tag, name string) *dwarf.Entry {
	if name == "" {
		return nil
	}
	key := name
	if tag != "" {
		key = tag + " " + name
	}
	off, ok := ts.index().types[key]
	if !ok {
		return nil
	}
	return ts.tree.entry(off)
}
