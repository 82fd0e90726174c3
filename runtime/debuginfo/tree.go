package debuginfo

import (
	"debug/dwarf"
	"errors"
	"slices"
)

// tree is the entries of DWARF and what they say of each other. Nothing of it changes.
type tree struct {
	data *dwarf.Data
	// signatures are the types that have units of their own (-fdebug-types-section).
	signatures map[uint64]dwarf.Offset
	rebased    []rebased
	oldLists   []byte // .debug_ranges
}

// entry returns the entry at an offset, nil if there is none.
func (t *tree) entry(off dwarf.Offset) *dwarf.Entry {
	r := t.data.Reader()
	r.Seek(off)
	e, err := r.Next()
	if err != nil {
		return nil
	}
	return e
}

// children calls g for the entries directly below one, until it returns false.
func (t *tree) children(of *dwarf.Entry, g func(*dwarf.Entry) bool) {
	if of == nil || !of.Children {
		return
	}
	r := t.data.Reader()
	r.Seek(of.Offset)
	r.Next()
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == 0 || !g(e) {
			return
		}
		r.SkipChildren()
	}
}

// origin is the entry that another one completes: the declaration of a method,
// the abstract form of an inlined function, a type that has a unit of its own. nil if
// there is none.
func (t *tree) origin(e *dwarf.Entry) *dwarf.Entry {
	for _, a := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification, dwarf.AttrSignature} {
		if off, ok := t.reference(e.Val(a)); ok {
			return t.entry(off)
		}
	}
	return nil
}

// val is an attribute of an entry or of what it completes.
func (t *tree) val(e *dwarf.Entry, a dwarf.Attr) any {
	for range 4 {
		if e == nil {
			return nil
		}
		if v := e.Val(a); v != nil {
			return v
		}
		e = t.origin(e)
	}
	return nil
}

func (t *tree) name(e *dwarf.Entry) string {
	s, _ := t.val(e, dwarf.AttrName).(string)
	return s
}

// typeOf is the offset of an entry's type; ok is false for void.
func (t *tree) typeOf(e *dwarf.Entry) (off dwarf.Offset, ok bool) {
	return t.reference(t.val(e, dwarf.AttrType))
}

// reference is the offset of the entry that an attribute names, by its place or by the
// signature of a type.
func (t *tree) reference(v any) (off dwarf.Offset, ok bool) {
	switch v := v.(type) {
	case dwarf.Offset:
		return v, true
	case uint64:
		off, ok = t.signatures[v]
	}
	return off, ok
}

// ranges are those of the code of an entry.
func (t *tree) ranges(e *dwarf.Entry) ([][2]uint64, error) {
	for _, u := range t.rebased {
		at, ok := e.Val(dwarf.AttrRanges).(int64)
		if !ok || e.Offset < u.from || e.Offset >= u.to {
			continue
		}
		return t.oldRanges(e, at+u.base)
	}
	return t.data.Ranges(e)
}

// oldRanges reads a list of ranges of DWARF 4, which the library takes for one of DWARF 5.
func (t *tree) oldRanges(e *dwarf.Entry, at int64) ([][2]uint64, error) {
	if at < 0 || at > int64(len(t.oldLists)) {
		return nil, errors.New("a list of ranges is out of its section")
	}
	var base uint64
	r := t.data.Reader()
	if i := slices.IndexFunc(t.rebased, func(u rebased) bool { return e.Offset >= u.from && e.Offset < u.to }); i >= 0 {
		r.Seek(t.rebased[i].root)
		if unit, err := r.Next(); err == nil && unit != nil {
			base, _ = unit.Val(dwarf.AttrLowpc).(uint64)
		}
	}
	var list [][2]uint64
	for b := (bytesOf{data: t.oldLists[at:]}); ; {
		low, high := b.u64(), b.u64()
		switch {
		case b.bad || low == 0 && high == 0:
			return list, nil
		case low == ^uint64(0):
			base = high
		default:
			list = append(list, [2]uint64{base + low, base + high})
		}
	}
}

// memberType is the type of a child of a struct that takes room in it.
func (t *tree) memberType(c *dwarf.Entry) (off dwarf.Offset, ok bool) {
	static, _ := c.Val(dwarf.AttrExternal).(bool)
	if c.Tag != dwarf.TagMember && c.Tag != dwarf.TagInheritance || static {
		return 0, false
	}
	return t.typeOf(c)
}

// counts is how many elements each dimension of an array has.
func (t *tree) counts(e *dwarf.Entry) []int {
	var counts []int
	t.children(e, func(c *dwarf.Entry) bool {
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

// subprogram finds the entry of the function that begins at an address, and its unit.
func (t *tree) subprogram(addr uint64, symbol string) (found, unit *dwarf.Entry) {
	r := t.data.Reader()
	unit, err := r.SeekPC(addr)
	if err != nil {
		return nil, nil
	}
	const assembler = 0x8001 // DW_LANG_Mips_Assembler: such functions have no types
	if language, _ := unit.Val(dwarf.AttrLanguage).(int64); language == assembler {
		return nil, nil
	}
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == dwarf.TagCompileUnit {
			return found, unit
		}
		if e.Tag == dwarf.TagSubprogram {
			if pc, ok := e.Val(dwarf.AttrLowpc).(uint64); ok && pc == addr {
				if found == nil || t.linkName(e) == symbol {
					found = e
				}
				if t.linkName(e) == symbol {
					return found, unit
				}
			}
		}
		if e.Tag != dwarf.TagNamespace && e.Tag != dwarf.TagStructType && e.Tag != dwarf.TagClassType {
			r.SkipChildren()
		}
	}
}

// functionsAt lists the function that has the code at an address, and those
// inlined into it there, each into the one before. The reader stands behind the
// entry of their unit.
func (t *tree) functionsAt(r *dwarf.Reader, addr uint64) []*dwarf.Entry {
	var found []*dwarf.Entry
	for {
		e, err := r.Next()
		switch {
		case err != nil || e == nil || e.Tag == dwarf.TagCompileUnit:
			return found
		case e.Tag == 0:
			if found != nil { // nothing else in what encloses the address has it
				return found
			}
			continue
		case found == nil && (e.Tag == dwarf.TagNamespace || e.Tag == dwarf.TagStructType || e.Tag == dwarf.TagClassType):
			continue
		}
		code := e.Tag == dwarf.TagSubprogram || e.Tag == dwarf.TagInlinedSubroutine
		if !code && e.Tag != dwarf.TagLexDwarfBlock || !t.holds(e, addr) {
			r.SkipChildren()
			continue
		}
		if code {
			found = append(found, e)
		}
		if !e.Children {
			return found
		}
	}
}

// holds reports whether an address is in the code of an entry. What the linker left
// out stands at 0.
func (t *tree) holds(e *dwarf.Entry, addr uint64) bool {
	ranges, err := t.ranges(e)
	if err != nil {
		return false
	}
	for _, r := range ranges {
		if r[0] != 0 && addr >= r[0] && addr < r[1] {
			return true
		}
	}
	return false
}

// linkName is a function's name for the linker, from which its whole name can be
// had, or the one in its source.
func (t *tree) linkName(e *dwarf.Entry) string {
	if name, ok := t.val(e, dwarf.AttrLinkageName).(string); ok {
		return name
	}
	return t.name(e)
}

// innermost is the function, or the inlined copy of one, that an address of a unit
// belongs to; 0 if none is known.
func (t *tree) innermost(unit *dwarf.Entry, addr uint64) dwarf.Offset {
	r := t.data.Reader()
	r.Seek(unit.Offset)
	r.Next()
	if in := t.functionsAt(r, addr); len(in) > 0 {
		return in[len(in)-1].Offset
	}
	return 0
}
