package debuginfo

import (
	"cmp"
	"debug/dwarf"
	"slices"
)

// Copy is an inlined copy of a function: the function's name for the linker, or in its source if it has no other, and the
// address of the copy's first instruction.
type Copy struct {
	Name string
	Addr uint64
}

// Inlined lists the inlined copies of the functions whose names fit, by their addresses. A copy of which the
// compiler has left no code is none.
func (f *File) Inlined(fits func(name string) bool) []Copy {
	t, names := f.tree, map[dwarf.Offset]string{} // of the abstract forms of functions; "" does not fit
	var list []Copy
	r := t.data.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			break
		}
		switch e.Tag {
		case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType, dwarf.TagEnumerationType, dwarf.TagSubroutineType:
			r.SkipChildren() // methods have their code elsewhere
		case dwarf.TagInlinedSubroutine:
			of, ok := t.reference(e.Val(dwarf.AttrAbstractOrigin))
			if !ok {
				continue
			}
			name, known := names[of]
			if !known {
				if name = t.linkName(e); !fits(name) {
					name = ""
				}
				names[of] = name
			}
			if addr, ok := t.begin(e); ok && name != "" {
				list = append(list, Copy{name, addr})
			}
		}
	}
	slices.SortFunc(list, func(a, b Copy) int { return cmp.Compare(a.Addr, b.Addr) })
	return slices.Compact(list)
}

// IsInlined reports whether the compiler has also inlined the function that begins at an address into others.
func (f *File) IsInlined(addr uint64, symbol string) bool {
	const inlined, declaredInlined = 1, 3 // DW_INL_...
	e, _ := f.tree.subprogram(addr, symbol)
	how, _ := f.tree.val(e, dwarf.AttrInline).(int64)
	return how == inlined || how == declaredInlined
}

// begin is the address of the first instruction of an entry; ok is false if it has none, or the linker has left it out.
func (t *tree) begin(e *dwarf.Entry) (addr uint64, ok bool) {
	ranges, err := t.ranges(e)
	if err != nil || len(ranges) == 0 || ranges[0][0] == 0 {
		return 0, false
	}
	switch at := e.Val(dwarf.AttrEntrypc).(type) {
	case uint64:
		return at, true
	case int64: // DWARF 5: counted from the first range
		return ranges[0][0] + uint64(at), true
	}
	return ranges[0][0], true
}
