package debuginfo

import (
	"debug/dwarf"
	"strconv"
	"strings"

	"fst/compiler/target"
	"fst/compiler/types"
)

// Function returns the signature of the function that begins at an address,
// with the words that its arguments are passed in. Of several functions there
// (the linker may have joined them) it is that of the symbol.
func (f *File) Function(addr uint64, symbol string) (*target.Func, bool) {
	e, unit := f.tree.subprogram(addr, symbol)
	if e == nil {
		return nil, false
	}
	fn := &target.Func{Name: f.tree.name(e), Slots: []int{}}
	a := &caller{abi: &f.abi, lost: f.abi.ownConvention(unit, e, symbol)}
	language, _ := unit.Val(dwarf.AttrLanguage).(int64)
	linkage, _ := f.tree.val(e, dwarf.AttrLinkageName).(string)
	rust := language == languageRust && strings.HasPrefix(linkage, "_") // others are extern "C"
	result, hasResult := f.tree.typeOf(e)
	fn.Result = types.NoneType
	if hasResult {
		fn.Result = f.Types.convert(result)
		fn.ResultDecl = func() string { return f.tree.declare(result, 0) }
		switch {
		case a.lost != "":
		case rust:
			a.rustResult(result)
		default:
			a.result(result)
		}
		fn.ResultUnread = f.abi.unreadResult(result, a.lost)
	}
	f.tree.children(e, func(c *dwarf.Entry) bool {
		if c.Tag != dwarf.TagFormalParameter {
			return true
		}
		if out, _ := f.tree.val(c, dwarf.AttrVarParam).(bool); out && language == languageGo {
			return true // a result
		}
		p := target.Param{Name: f.tree.name(c), Type: types.NoneType}
		if p.Name == "" {
			p.Name = "arg" + strconv.Itoa(len(fn.Params))
		}
		slot := -1
		if off, ok := f.tree.typeOf(c); ok {
			p.Type, p.Decl = f.Types.convert(off), func() string { return f.tree.declare(off, 0) }
			switch {
			case rust:
				slot, p.Type, p.Unread = a.rustPlace(off, p.Type)
			case language == languageGo:
				slot, p.Unread = a.goPlace(off, p.Type)
			default:
				slot, p.Unread = a.place(off, p.Type)
				if t := f.Types.resolve(off); t != nil && f.abi.byReference(t) {
					p.Type = types.PointerTo(p.Type, true)
				}
			}
		} else if a.lost == "" { // of all that come behind it the place depends on it
			a.lost = "its type is not told"
			p.Unread = a.lost
		}
		if p.Unread != "" {
			slot = -1
		}
		fn.Params = append(fn.Params, p)
		fn.Slots = append(fn.Slots, slot)
		return true
	})
	return fn, true
}

// unreadResult says why the result of a function is not in the register that retval
// is, "" if it is there.
func (a *abi) unreadResult(off dwarf.Offset, lost string) string {
	if lost != "" {
		return "" // it may be
	}
	if s := a.shape(off); s.x87 || s.words[0] == float {
		return "floating-point numbers are returned in registers that BPF programs don't see"
	}
	return ""
}

// byReference reports whether values of a type are passed by their address:
// classes of C++ whose copies are made by a function.
func (a *abi) byReference(e *dwarf.Entry) bool {
	if e.Tag != dwarf.TagStructType && e.Tag != dwarf.TagClassType && e.Tag != dwarf.TagUnionType {
		return false
	}
	const byValue, byReference = 5, 4 // DW_CC_pass_by_...
	if c, ok := e.Val(dwarf.AttrCalling).(int64); ok && (c == byValue || c == byReference) {
		return c == byReference
	}
	return a.copiedByFunction(e, 0)
}

// copiedByFunction reports whether a class, its base classes or its members have a
// destructor or a constructor of copies in the source, or virtual functions.
func (a *abi) copiedByFunction(class *dwarf.Entry, depth int) bool {
	name, found := a.tree.name(class), false
	name, _, _ = strings.Cut(name, "<")
	a.tree.children(class, func(c *dwarf.Entry) bool {
		made, _ := c.Val(dwarf.AttrArtificial).(bool)
		switch c.Tag {
		case dwarf.TagSubprogram:
			virtual := c.Val(dwarf.AttrVirtuality) != nil
			found = virtual || !made && (strings.HasPrefix(a.tree.name(c), "~") || a.tree.name(c) == name && a.takesOwn(c, class))
		case dwarf.TagMember, dwarf.TagInheritance:
			if to, ok := a.tree.memberType(c); ok && depth < maxDepth {
				t := a.types.resolve(to)
				for t != nil && t.Tag == dwarf.TagArrayType {
					to, _ = a.tree.typeOf(t)
					t = a.types.resolve(to)
				}
				if _, fixed := memberOffset(c); !fixed {
					found = true // a virtual base
				} else if t != nil && isCompound(t.Tag) {
					found = a.copiedByFunction(t, depth+1)
				}
			}
		}
		return !found
	})
	return found
}

// takesOwn reports whether a constructor takes one other object of its class.
func (a *abi) takesOwn(constructor, class *dwarf.Entry) bool {
	n, own := 0, false
	a.tree.children(constructor, func(c *dwarf.Entry) bool {
		if made, _ := c.Val(dwarf.AttrArtificial).(bool); c.Tag != dwarf.TagFormalParameter || made {
			return true
		}
		n++
		if off, ok := a.tree.typeOf(c); ok {
			if r := a.tree.entry(off); r != nil && (r.Tag == dwarf.TagReferenceType || r.Tag == dwarf.TagRvalueReferenceType) {
				if to, ok := a.tree.typeOf(r); ok {
					t := a.types.resolve(to)
					own = t != nil && t.Offset == class.Offset
				}
			}
		}
		return true
	})
	return n == 1 && own
}
