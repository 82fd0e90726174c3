package debuginfo

import (
	"cmp"
	"debug/dwarf"
	"slices"

	"fst/compiler/types"
)

// Rust passes what is one or two scalars in registers of their own, and what has more
// than 16 bytes by its address. How it passes other structs differs between versions.

const otherRust = "Rust does not say how it passes this type"

// scalar is a number or pointer within a value.
type scalar struct {
	at, size int
	float    bool
}

// scalars lists those of a type by their place; ok is false if it is no struct of a
// known number of them.
func (a *abi) scalars(off dwarf.Offset, at, depth int) (list []scalar, ok bool) {
	e := a.types.resolve(off)
	if e == nil || depth > maxDepth {
		return nil, false
	}
	n := a.sizeOf(off, 0)
	switch e.Tag {
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagEnumerationType:
		return []scalar{{at, n, false}}, true
	case dwarf.TagBaseType:
		if n == 0 { // ()
			return nil, true
		}
		enc, _ := e.Val(dwarf.AttrEncoding).(int64)
		return []scalar{{at, n, isFloat(enc)}}, n <= 8
	case dwarf.TagStructType:
		ok = true
		a.tree.children(e, func(c *dwarf.Entry) bool {
			if c.Tag == dwarf.TagVariantPart {
				ok = false
			}
			if to, is := a.tree.memberType(c); is && ok {
				place, known := memberOffset(c)
				var more []scalar
				more, ok = a.scalars(to, at+place, depth+1)
				ok = ok && known
				list = append(list, more...)
			}
			return ok
		})
		slices.SortStableFunc(list, func(a, b scalar) int { return cmp.Compare(a.at, b.at) })
		return list, ok
	}
	return nil, n == 0
}

// hasWide reports whether there may be a scalar of 128 bits in a type.
func (a *abi) hasWide(off dwarf.Offset, depth int) bool {
	e := a.types.resolve(off)
	if e == nil || depth > 8 {
		return true
	}
	found := e.Tag == dwarf.TagBaseType && size(e) > 8
	var within func(e *dwarf.Entry)
	within = func(e *dwarf.Entry) {
		a.tree.children(e, func(c *dwarf.Entry) bool {
			switch c.Tag {
			case dwarf.TagVariantPart, dwarf.TagVariant:
				within(c)
			default:
				if to, ok := a.tree.memberType(c); ok {
					found = found || a.hasWide(to, depth+1)
				}
			}
			return !found
		})
	}
	switch e.Tag {
	case dwarf.TagStructType, dwarf.TagUnionType:
		within(e)
	case dwarf.TagArrayType:
		if to, ok := a.tree.typeOf(e); ok {
			found = a.hasWide(to, depth+1)
		}
	}
	return found
}

// rustResult is result of Rust.
func (a *caller) rustResult(off dwarf.Offset) {
	if a.abi.sizeOf(off, 0) <= 16 {
		return
	}
	if a.abi.hasWide(off, 0) {
		a.lost = "the result may be returned through an argument: " + otherRust
		return
	}
	a.ints++
}

// rustPlace is place of Rust. The type is a pointer if the address is passed.
func (a *caller) rustPlace(off dwarf.Offset, t *types.Type) (slot int, as *types.Type, why string) {
	if a.lost != "" {
		return -1, t, a.lost
	}
	word := func(sc scalar) (slot int, why string) {
		switch {
		case sc.float && a.floats < floatRegisters:
			a.floats++
			return -1, inFloatRegisters
		case !sc.float && a.ints < intRegisters:
			a.ints++
			return a.ints - 1, ""
		}
		a.stack += 8
		return intRegisters + a.stack/8 - 1, ""
	}
	list, ok := a.abi.scalars(off, 0, 0)
	size := a.abi.sizeOf(off, 0)
	switch {
	case ok && len(list) == 0 && size == 0:
		return -1, t, isEmpty
	case ok && len(list) == 1 && list[0].size == size:
		slot, why = word(list[0])
		if why == "" {
			why = unreadable(t)
		}
		return slot, t, why
	case ok && len(list) == 2:
		first, why1 := word(list[0])
		second, why2 := word(list[1])
		if why := cmp.Or(why1, why2); why != "" {
			return -1, t, why
		}
		if list[0].size != 8 || list[1].at != 8 || second != first+1 || first < intRegisters && second >= intRegisters {
			return -1, t, "its parts are in registers of their own: arg0 to arg5 are all of them"
		}
		return first, t, ""
	case size > 16 && !a.abi.hasWide(off, 0):
		slot, why = word(scalar{0, 8, false})
		return slot, types.PointerTo(t, true), why
	}
	a.lost = otherRust
	return -1, t, otherRust
}
