package debuginfo

import (
	"debug/dwarf"
	"fmt"
	"strings"

	"fst/compiler/types"
)

// Go passes each number and pointer within an argument in a register of its own, if
// there are enough for the whole argument, and else the argument on the stack
// ("Go internal ABI specification").

// Registers of Go for x86-64 that arguments are passed in.
const (
	goIntRegisters   = 9
	goFloatRegisters = 15
)

// goConvention is ownConvention of Go.
func goConvention(unit *dwarf.Entry, symbol string) string {
	producer, _ := unit.Val(dwarf.AttrProducer).(string)
	switch {
	case !strings.Contains(producer, "regabi"):
		return "it is not known how this version of Go passes arguments"
	case strings.HasSuffix(symbol, ".abi0"):
		return "functions of cgo and of assembly have their arguments on the stack"
	case strings.Contains(symbol, "["):
		return "functions with type parameters have an argument that the source does not show"
	}
	return ""
}

// goScalars lists the numbers and pointers of a type. onStack says that values of the
// type are never passed in registers; known is false if the type is not.
func (a *abi) goScalars(off dwarf.Offset, at, depth int) (list []scalar, onStack, known bool) {
	e := a.types.resolve(off)
	if e == nil || depth > maxDepth {
		return nil, false, false
	}
	n := a.sizeOf(off, 0)
	switch e.Tag {
	case dwarf.TagPointerType, dwarf.TagSubroutineType:
		return []scalar{{at, 8, false}}, false, true
	case dwarf.TagBaseType:
		enc, _ := e.Val(dwarf.AttrEncoding).(int64)
		if enc == encComplexFloat {
			return []scalar{{at, n / 2, true}, {at + n/2, n / 2, true}}, false, true
		}
		return []scalar{{at, n, isFloat(enc)}}, false, n <= 8
	case dwarf.TagStructType:
		known = true
		a.tree.children(e, func(c *dwarf.Entry) bool {
			to, is := a.tree.memberType(c)
			if !is {
				return true
			}
			place, fixed := memberOffset(c)
			more, stack, ok := a.goScalars(to, at+place, depth+1)
			list, onStack, known = append(list, more...), onStack || stack, known && ok && fixed
			return known && len(list) <= goIntRegisters+goFloatRegisters // more can't be in registers
		})
		return list, onStack, known
	case dwarf.TagArrayType:
		to, ok := a.tree.typeOf(e)
		counts := a.tree.counts(e)
		switch {
		case !ok || len(counts) != 1:
			return nil, false, false
		case counts[0] == 0:
			return nil, false, true
		case counts[0] == 1:
			return a.goScalars(to, at, depth+1)
		}
		return nil, true, true
	}
	return nil, false, false
}

// goPlace is place of Go.
func (a *caller) goPlace(off dwarf.Offset, t *types.Type) (slot int, why string) {
	if a.lost != "" {
		return -1, a.lost
	}
	list, onStack, known := a.abi.goScalars(off, 0, 0)
	if !known {
		a.lost = "it is not known how its type is passed"
		return -1, a.lost
	}
	ints, floats := 0, 0
	for _, s := range list {
		if s.float {
			floats++
		} else {
			ints++
		}
	}
	size, align := a.abi.sizeOf(off, 0), a.abi.alignOf(off, 0)
	if e := a.abi.types.resolve(off); e != nil && e.Tag == dwarf.TagSubroutineType {
		size, align = 8, 8
	}
	if onStack || a.ints+ints > goIntRegisters || a.floats+floats > goFloatRegisters {
		a.stack = (a.stack + align - 1) / align * align
		at := a.stack
		a.stack += size
		if at%8 != 0 {
			return -1, "it begins within a word of the stack"
		}
		return goIntRegisters + at/8, unreadable(t)
	}
	first := a.ints
	a.ints += ints
	a.floats += floats
	switch {
	case len(list) == 0:
		return -1, isEmpty
	case floats > 0:
		return -1, inFloatRegisters
	}
	for i, s := range list {
		if s.at != 8*i || s.size != 8 && len(list) > 1 {
			return -1, fmt.Sprintf("its parts are in registers of their own: arg%d to arg%d", first, a.ints-1)
		}
	}
	return first, unreadable(t)
}
