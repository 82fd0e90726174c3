package debuginfo

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"strings"

	"fst/compiler/types"
)

// Where arguments are is told by the calling convention, not by the locations that
// DWARF has for them: without optimisation those name a place on the stack that is
// written only behind the entry.

// Registers of System V for x86-64 that arguments are passed in.
const (
	intRegisters   = 6
	floatRegisters = 8
)

// Reasons why an argument can't be read.
const (
	inFloatRegisters = "floating-point numbers are passed in registers that BPF programs don't see"
	tooWide          = "it has more than 64 bits"
	isEmpty          = "nothing is passed for a struct without members"
)

// class is what System V makes of eight bytes of a value.
type class uint8

const (
	noClass class = iota
	integer
	float
	floatMore // the upper half of the register of the word before it
)

// shape is what a calling convention has to know of a type.
type shape struct {
	size, align int
	words       [2]class // of up to 16 bytes
	memory      bool     // passed on the stack, and returned in memory
	pointer     bool     // its address is passed
	x87         bool     // returned in a register of the x87
	unknown     string   // why it cannot be told how it is passed
}

// abi tells how values are passed to functions of a machine, and returned.
type abi struct {
	machine elf.Machine
	tree    *tree
	types   *Types
}

// shape classifies a type as the ABI of x86-64 does.
func (a *abi) shape(off dwarf.Offset) shape {
	s := shape{align: 1}
	e := a.types.resolve(off)
	if e != nil && a.byReference(e) {
		s.size, s.align, s.pointer = 8, 8, true
		s.words[0] = integer
		return s
	}
	s.size = a.sizeOf(off, 0)
	s.align = a.alignOf(off, 0)
	if e != nil && isCompound(e.Tag) && s.size > 16 {
		s.memory = true
		if a.hasVector(off, 0) {
			s.unknown = "it depends on the CPU how vectors are passed"
		}
		return s
	}
	a.classify(&s, off, 0, 0)
	if s.memory {
		s.words = [2]class{}
	}
	return s
}

// resolve is the entry of a type without typedefs and qualifiers, nil if it is not known.
func (ts *Types) resolve(off dwarf.Offset) *dwarf.Entry {
	for range maxDepth {
		e := ts.tree.entry(off)
		if e == nil {
			return nil
		}
		switch e.Tag {
		case dwarf.TagTypedef, dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, dwarf.TagAtomicType:
			to, ok := ts.tree.typeOf(e)
			if !ok {
				return nil
			}
			off = to
			continue
		}
		if declared, _ := e.Val(dwarf.AttrDeclaration).(bool); declared || e.Val(dwarf.AttrSignature) != nil {
			return ts.definitionOf(e)
		}
		return e
	}
	return nil
}

// classify adds what lies at a place of a value to its shape.
func (a *abi) classify(s *shape, off dwarf.Offset, at, depth int) {
	e := a.types.resolve(off)
	if e == nil || depth > maxDepth {
		s.unknown = "its type is not told"
		return
	}
	add := func(c class, size int) {
		word := at / 8
		switch {
		case size > 0 && at%size != 0: // packed
			s.memory = true
		case word < len(s.words) && (s.words[word] == noClass || c == integer):
			s.words[word] = c
		}
	}
	switch e.Tag {
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		add(integer, 8)
	case dwarf.TagUnspecifiedType: // of nullptr
		add(integer, 8)
	case dwarf.TagPtrToMemberType:
		for range a.sizeOf(off, 0) / 8 {
			add(integer, 8)
			at += 8
		}
	case dwarf.TagEnumerationType:
		add(integer, size(e))
	case dwarf.TagBaseType:
		enc, _ := e.Val(dwarf.AttrEncoding).(int64)
		name, n := a.tree.name(e), size(e)
		x87 := strings.Contains(name, "long double") || strings.Contains(name, "_Float64x") || strings.Contains(name, "kind=10")
		switch {
		case n == 0:
		case x87 && (enc == encFloat || enc == encComplexFloat):
			s.memory, s.x87 = true, true
		case enc == encComplexFloat && n == 16:
			add(float, 8)
			at += 8
			add(float, 8)
		case enc == encComplexFloat && n == 8:
			add(float, 4)
		case enc == encComplexFloat && n == 32:
			s.memory = true
		case isFloat(enc) && n == 16:
			add(float, 16)
			at += 8
			add(floatMore, 8)
		case isFloat(enc) && n <= 8:
			add(float, n)
		case !isFloat(enc) && n == 16:
			add(integer, 16)
			at += 8
			add(integer, 8)
		case !isFloat(enc) && (n == 1 || n == 2 || n == 4 || n == 8):
			add(integer, n)
		default:
			s.unknown = "it is not known how a " + name + " is passed"
		}
	case dwarf.TagArrayType:
		whole := a.sizeOf(off, 0)
		if isVector(e) {
			switch whole {
			case 8:
				add(float, 8)
			case 16:
				add(float, 16)
				at += 8
				add(floatMore, 8)
			default:
				s.unknown = "it depends on the CPU how vectors are passed"
			}
			return
		}
		to, ok := a.tree.typeOf(e)
		if !ok {
			return
		}
		if n := a.sizeOf(to, 0); n > 0 {
			for i := 0; i+n <= whole && at+i < 16; i += n {
				a.classify(s, to, at+i, depth+1)
			}
		}
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		a.tree.children(e, func(c *dwarf.Entry) bool {
			if c.Tag == dwarf.TagVariantPart {
				s.unknown = "it is not known how a " + a.tree.name(e) + " is passed"
			}
			to, ok := a.tree.memberType(c)
			if !ok {
				return true
			}
			first, bits := bitPlace(c, a.sizeOf(to, 0))
			if bits > 0 {
				for word := (8*at + first) / 64; word <= (8*at+first+bits-1)/64 && word < len(s.words); word++ {
					s.words[word] = integer
				}
				return true
			}
			if place, ok := memberOffset(c); ok {
				a.classify(s, to, at+place, depth+1)
			}
			return true
		})
	default:
		s.unknown = "it is not known how its type is passed"
	}
}

func isFloat(encoding int64) bool {
	switch encoding {
	case encFloat, encComplexFloat, encImaginaryFloat, encDecimalFloat:
		return true
	}
	return false
}

func isVector(e *dwarf.Entry) bool {
	const gnuVector = dwarf.Attr(0x2107)
	is, _ := e.Val(gnuVector).(bool)
	return is
}

// hasVector reports whether there is a vector in a type.
func (a *abi) hasVector(off dwarf.Offset, depth int) bool {
	e := a.types.resolve(off)
	if e == nil || depth > maxDepth {
		return false
	}
	switch e.Tag {
	case dwarf.TagArrayType:
		to, ok := a.tree.typeOf(e)
		return isVector(e) || ok && a.hasVector(to, depth+1)
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		found := false
		a.tree.children(e, func(c *dwarf.Entry) bool {
			if to, ok := a.tree.memberType(c); ok {
				found = found || a.hasVector(to, depth+1)
			}
			return !found
		})
		return found
	}
	return false
}

// sizeOf is how many bytes a value of a type takes.
func (a *abi) sizeOf(off dwarf.Offset, depth int) int {
	e := a.types.resolve(off)
	if e == nil || depth > maxDepth {
		return 0
	}
	if n := size(e); n > 0 {
		return n
	}
	switch e.Tag {
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType, dwarf.TagUnspecifiedType:
		return 8
	case dwarf.TagPtrToMemberType:
		if to, ok := a.tree.typeOf(e); ok {
			if t := a.tree.entry(to); t != nil && t.Tag == dwarf.TagSubroutineType {
				return 16
			}
		}
		return 8
	case dwarf.TagArrayType:
		to, ok := a.tree.typeOf(e)
		if !ok {
			return 0
		}
		n := a.sizeOf(to, depth+1)
		for _, count := range a.tree.counts(e) {
			n *= count
		}
		return n
	}
	return 0
}

// alignOf is the alignment of a type, 1 for packed structs.
func (a *abi) alignOf(off dwarf.Offset, depth int) int {
	e := a.types.resolve(off)
	if e == nil || depth > maxDepth {
		return 1
	}
	align := 1
	if own, ok := e.Val(dwarf.AttrAlignment).(int64); ok {
		align = int(own)
	}
	switch e.Tag {
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		a.tree.children(e, func(c *dwarf.Entry) bool {
			to, ok := a.tree.memberType(c)
			if !ok {
				return true
			}
			if own, ok := c.Val(dwarf.AttrAlignment).(int64); ok {
				align = max(align, int(own))
			}
			align = max(align, a.alignOf(to, depth+1))
			return true
		})
	case dwarf.TagArrayType:
		if to, ok := a.tree.typeOf(e); ok && !isVector(e) {
			return a.alignOf(to, depth+1)
		}
		align = max(align, a.sizeOf(off, 0))
	case dwarf.TagBaseType:
		n := size(e)
		if enc, _ := e.Val(dwarf.AttrEncoding).(int64); enc == encComplexFloat {
			n /= 2
		}
		align = max(align, min(n, 16))
	default:
		align = max(align, min(a.sizeOf(off, 0), 8))
	}
	if n := a.sizeOf(off, 0); align > 0 && n%align != 0 {
		return 1
	}
	return align
}

// A caller places the arguments of a function, one after the other, in words: those
// of the integer registers, then those of the stack.
type caller struct {
	abi          *abi
	ints, floats int    // registers that are taken
	stack        int    // bytes on the stack
	lost         string // why nothing is known of the arguments from here on
	stackLost    string // the same, of those on the stack
}

// result takes the register for the address of a result that is returned in memory.
func (a *caller) result(off dwarf.Offset) {
	switch s := a.abi.shape(off); {
	case s.unknown != "":
		a.lost = "the result may be returned through an argument: " + s.unknown
	case s.pointer, s.memory && !s.x87:
		a.ints++
	}
}

// place returns the first word of the next argument, or -1 and why it can't be read.
func (a *caller) place(off dwarf.Offset, t *types.Type) (slot int, why string) {
	if a.lost != "" {
		return -1, a.lost
	}
	s := a.abi.shape(off)
	if s.unknown != "" {
		a.lost = s.unknown
		return -1, s.unknown
	}
	ints, floats := 0, 0
	for _, c := range s.words {
		switch c {
		case integer:
			ints++
		case float:
			floats++
		}
	}
	if !s.memory && ints+floats == 0 {
		return -1, isEmpty
	}
	if !s.memory && a.ints+ints <= intRegisters && a.floats+floats <= floatRegisters {
		slot = a.ints
		a.ints += ints
		a.floats += floats
		if floats > 0 || s.words[0] != integer {
			return -1, inFloatRegisters
		}
		return slot, unreadable(t)
	}
	if a.stackLost != "" {
		return -1, a.stackLost
	}
	if s.align > 16 {
		a.stackLost = fmt.Sprintf("what is aligned to %d bytes has no fixed place on the stack", s.align)
		return -1, a.stackLost
	}
	if s.align == 16 {
		a.stack = (a.stack + 15) &^ 15
	}
	slot = intRegisters + a.stack/8
	a.stack += (s.size + 7) &^ 7
	return slot, unreadable(t)
}

// unreadable says why values of a type have no meaning here, "" if they have one.
func unreadable(t *types.Type) string {
	switch {
	case t.Kind == types.Invalid && t.Size > 8:
		return tooWide
	case t.Kind == types.Invalid:
		return "it is a floating-point number"
	}
	return ""
}

// Languages whose compilers follow the C calling convention of the machine
// (DW_LANG_...): C, C++, Objective-C, Fortran and others.
func callsAsC(language int64) bool {
	switch language {
	case 0x01, 0x02, 0x0c, 0x1d, 0x2c, 0x3e, // C
		0x04, 0x1a, 0x21, 0x2b, 0x3a, 0x3f, // C++
		0x10, 0x11, 0x12, // Objective-C, UPC
		0x07, 0x08, 0x0e, 0x22, 0x23, 0x2d, // Fortran
		0: // not told
		return true
	}
	return false
}

const (
	languageRust = 0x1c
	languageGo   = 0x16
)

// ownConvention says why nothing is known of how a function's arguments are passed,
// "" if it is known.
func (a *abi) ownConvention(unit, e *dwarf.Entry, symbol string) string {
	const noCall = 3 // DW_CC_nocall
	language, _ := unit.Val(dwarf.AttrLanguage).(int64)
	cc, _ := a.tree.val(e, dwarf.AttrCalling).(int64)
	changed := cc == noCall
	for _, clone := range []string{".isra.", ".constprop.", ".part."} {
		changed = changed || strings.Contains(symbol, clone)
	}
	switch {
	case a.machine != elf.EM_X86_64:
		return "how " + strings.TrimPrefix(a.machine.String(), "EM_") + " passes arguments is not known here"
	case language == languageGo:
		return goConvention(unit, symbol)
	case changed:
		return "the compiler has changed how this function takes its arguments"
	case language != languageRust && !callsAsC(language):
		return fmt.Sprintf("how its language (number %#x of DWARF) passes arguments is not known here", language)
	}
	return ""
}
