package debuginfo

import (
	"cmp"
	"debug/dwarf"
	"encoding/binary"
	"strings"

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

// convert returns the type at an offset without typedefs and qualifiers.
// Pointers point to user memory. Structs, unions and enums look up their
// content when it is first asked for.
func (f *File) convert(off dwarf.Offset) *types.Type {
	f.mu.Lock()
	t := f.types[off]
	f.mu.Unlock()
	if t != nil {
		return t
	}
	t = f.decode(off, 0)
	f.mu.Lock()
	f.types[off] = t
	f.mu.Unlock()
	return t
}

// maxDepth bounds chains of typedefs and pointers in damaged files.
const maxDepth = 64

func (f *File) decode(off dwarf.Offset, depth int) *types.Type {
	e := f.entry(off)
	if e == nil || depth > maxDepth {
		return &types.Type{Kind: types.Invalid}
	}
	switch e.Tag {
	case dwarf.TagBaseType:
		return baseType(e)
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		return types.PointerTo(f.below(e, depth), true)
	case dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, dwarf.TagAtomicType:
		return f.below(e, depth)
	case dwarf.TagTypedef:
		if to, ok := f.typeOf(e); ok {
			if t := f.entry(to); t != nil && isCompound(t.Tag) && f.name(t) == "" {
				return f.compound(t, f.name(e))
			} else if t != nil && t.Tag == dwarf.TagBaseType && f.name(t) != "char" {
				return byteType(baseType(t))
			}
		}
		return f.below(e, depth)
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagEnumerationType:
		return f.compound(e, f.name(e))
	case dwarf.TagArrayType:
		return f.array(e, depth)
	case dwarf.TagSubroutineType, dwarf.TagUnspecifiedType:
		return types.NoneType
	case dwarf.TagPtrToMemberType:
		return types.I64
	}
	return &types.Type{Kind: types.Invalid, Size: size(e)}
}

func (f *File) below(e *dwarf.Entry, depth int) *types.Type {
	off, ok := f.typeOf(e)
	if !ok {
		return types.NoneType
	}
	return f.decode(off, depth+1)
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

func (f *File) array(e *dwarf.Entry, depth int) *types.Type {
	counts := f.counts(e)
	t := f.below(e, depth)
	for i := len(counts) - 1; i >= 0; i-- {
		t = types.ArrayOf(t, counts[i])
	}
	return t
}

// counts is how many elements each dimension of an array has.
func (f *File) counts(e *dwarf.Entry) []int {
	var counts []int
	f.children(e, func(c *dwarf.Entry) bool {
		if c.Tag != dwarf.TagSubrangeType {
			return true
		}
		n := int64(lengthless)
		if v, ok := c.Val(dwarf.AttrCount).(int64); ok {
			n = v
		} else if v, ok := c.Val(dwarf.AttrUpperBound).(int64); ok {
			first, _ := c.Val(dwarf.AttrLowerBound).(int64)
			n = v + 1 - first
		}
		counts = append(counts, int(max(n, 0)))
		return true
	})
	return counts
}

// compound makes a struct, union or enum of a name.
func (f *File) compound(e *dwarf.Entry, name string) *types.Type {
	if declared, _ := e.Val(dwarf.AttrDeclaration).(bool); declared || e.Val(dwarf.AttrSignature) != nil {
		// What it holds may be told in another unit.
		if def := f.definitionOf(e); def != nil {
			e = def
		}
	}
	switch e.Tag {
	case dwarf.TagEnumerationType:
		signed := false
		if off, ok := f.typeOf(e); ok {
			signed = f.convert(off).Signed
		}
		t := types.LazyStruct(types.Enum, name, size(e), func() ([]types.Field, []types.Enumerator) { return nil, f.enumerators(e) })
		t.Signed = signed
		return t
	case dwarf.TagUnionType:
		return types.LazyStruct(types.Union, name, size(e), func() ([]types.Field, []types.Enumerator) { return f.members(e), nil })
	}
	return types.LazyStruct(types.Struct, name, size(e), func() ([]types.Field, []types.Enumerator) { return f.members(e), nil })
}

func (f *File) enumerators(e *dwarf.Entry) []types.Enumerator {
	var list []types.Enumerator
	f.children(e, func(c *dwarf.Entry) bool {
		if v, ok := c.Val(dwarf.AttrConstValue).(int64); ok && c.Tag == dwarf.TagEnumerator {
			list = append(list, types.Enumerator{Name: f.name(c), Value: v})
		}
		return true
	})
	return list
}

// members lists the fields of a struct. Those of base classes are found
// through a field without a name, as those of anonymous members are.
func (f *File) members(e *dwarf.Entry) []types.Field {
	var fields []types.Field
	f.children(e, func(c *dwarf.Entry) bool {
		off, ok := f.memberType(c)
		if !ok {
			return true
		}
		at, placed := memberOffset(c)
		if !placed {
			return true // a virtual base: its place is known at run time
		}
		fd := types.Field{Name: f.name(c), Type: f.convert(off), Offset: at}
		if c.Tag == dwarf.TagInheritance {
			fd.Name = ""
		}
		if first, bits := f.bitPlace(c, fd.Type.Size); bits > 0 {
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
func (f *File) bitPlace(c *dwarf.Entry, whole int) (first, bits int) {
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

// Type finds "struct", "union" or "enum" NAME or, with an empty tag, a typedef
// or class. Where units define different types of that name it is the one of the
// unit that the code at the addresses is of. doubt is true if that tells not which.
func (f *File) Type(tag, name string, code []uint64) (t *types.Type, doubt, ok bool) {
	e := f.definition(tag, name)
	if e == nil {
		return nil, false, false
	}
	first := f.convert(e.Offset)
	if !f.index().several[strings.TrimSpace(cmp.Or(tag, tagName(e.Tag))+" "+name)] {
		return first, false, true
	}
	for _, addr := range code {
		own, ok := f.ofUnit(addr, e.Tag, name)
		if !ok || t != nil && f.convert(own) != t {
			return first, true, true
		}
		t = f.convert(own)
	}
	return cmp.Or(t, first), t == nil, true
}

// ofUnit finds a type in the unit that the code at an address is of.
func (f *File) ofUnit(addr uint64, tag dwarf.Tag, name string) (dwarf.Offset, bool) {
	r := f.data.Reader()
	if _, err := r.SeekPC(addr); err != nil {
		return 0, false
	}
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == dwarf.TagCompileUnit {
			return 0, false
		}
		declared, _ := e.Val(dwarf.AttrDeclaration).(bool)
		if e.Tag == tag && !declared && f.name(e) == name {
			return e.Offset, true
		}
		r.SkipChildren()
	}
}

// Enumerator finds an enumerator of any enum.
func (f *File) Enumerator(name string) (value int64, enum *types.Type, ok bool) {
	off, ok := f.index().enumerators[name]
	if !ok {
		return 0, nil, false
	}
	t := f.convert(off)
	for _, e := range t.Enumerators() {
		if e.Name == name {
			return e.Value, t, true
		}
	}
	return 0, nil, false
}

// index has the named types and enumerators of all units.
type index struct {
	types       map[string]dwarf.Offset // "struct foo", "ns::foo"; definitions only
	enumerators map[string]dwarf.Offset // of the enum
	declared    map[dwarf.Offset]string // the keys of types that are declared only
	// several are the keys of types that units define in different ways.
	several map[string]bool
}

func (f *File) index() *index {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.names == nil {
		f.names = &index{types: map[string]dwarf.Offset{}, enumerators: map[string]dwarf.Offset{},
			declared: map[dwarf.Offset]string{}, several: map[string]bool{}}
		f.readIndex(f.names)
	}
	return f.names
}

// readIndex walks all units. Of what functions hold nothing is looked at.
func (f *File) readIndex(x *index) {
	r := f.data.Reader()
	type origin struct{ size, line int64 }
	origins := map[string]origin{}
	nameless := map[dwarf.Offset]origin{} // structs that a typedef may name
	var scopes []string                   // of the entries whose children are being read
	prefix, enum := "", dwarf.Offset(0)
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return
		}
		if e.Tag == 0 {
			if n := len(scopes); n > 0 {
				prefix, scopes = scopes[n-1], scopes[:n-1]
			}
			continue
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		inner, enter := prefix, false
		switch e.Tag {
		case dwarf.TagCompileUnit, dwarf.TagPartialUnit, dwarf.TagTypeUnit:
			scopes, inner, enter = nil, "", true
		case dwarf.TagNamespace:
			inner, enter = prefix+name+"::", true
		case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagEnumerationType, dwarf.TagTypedef, dwarf.TagBaseType:
			declared, _ := e.Val(dwarf.AttrDeclaration).(bool)
			key, tag := prefix+name, tagName(e.Tag)
			switch {
			case name == "":
				line, _ := e.Val(dwarf.AttrDeclLine).(int64)
				nameless[e.Offset] = origin{int64(size(e)), line}
			case declared:
				x.declared[e.Offset] = tag + " " + key
			default:
				if tag != "" {
					line, _ := e.Val(dwarf.AttrDeclLine).(int64)
					from := origin{int64(size(e)), line}
					if first, ok := origins[tag+" "+key]; ok && first != from {
						x.several[tag+" "+key] = true
					}
					origins[tag+" "+key] = from
					add(x.types, tag+" "+key, e.Offset)
				} else if of, _ := e.Val(dwarf.AttrType).(dwarf.Offset); e.Tag == dwarf.TagTypedef {
					if from, ok := nameless[of]; ok {
						if first, ok := origins[key]; ok && first != from {
							x.several[key] = true
						}
						origins[key] = from
					}
				}
				add(x.types, key, e.Offset)
			}
			enum, enter = e.Offset, isCompound(e.Tag)
			if name != "" {
				inner = prefix + name + "::"
			}
		case dwarf.TagEnumerator:
			add(x.enumerators, name, enum)
		}
		switch {
		case !e.Children:
		case enter:
			scopes, prefix = append(scopes, prefix), inner
		default:
			r.SkipChildren()
		}
	}
}

func add(m map[string]dwarf.Offset, key string, off dwarf.Offset) {
	if _, ok := m[key]; !ok {
		m[key] = off
	}
}

func tagName(t dwarf.Tag) string {
	switch t {
	case dwarf.TagStructType, dwarf.TagClassType:
		return "struct"
	case dwarf.TagUnionType:
		return "union"
	case dwarf.TagEnumerationType:
		return "enum"
	}
	return ""
}

// definitionOf is the entry that defines a type that another one declares. nil if
// there is none, or if units define different types of that name.
func (f *File) definitionOf(declaration *dwarf.Entry) *dwarf.Entry {
	if off, ok := f.reference(declaration.Val(dwarf.AttrSignature)); ok {
		return f.entry(off)
	}
	x := f.index()
	key := x.declared[declaration.Offset]
	if off, ok := x.types[key]; ok && !x.several[key] {
		return f.entry(off)
	}
	return nil
}

// definition is the entry that defines a type, nil if there is none.
func (f *File) definition(tag, name string) *dwarf.Entry {
	if name == "" {
		return nil
	}
	key := name
	if tag != "" {
		key = tag + " " + name
	}
	off, ok := f.index().types[key]
	if !ok {
		return nil
	}
	return f.entry(off)
}
