package debuginfo

import (
	"debug/dwarf"
	"strings"
)

// Declare spells a type as the source does, typedefs and qualifiers included:
// "const char*".
func (f *File) Declare(off dwarf.Offset) string { return f.declare(off, 0) }

func (f *File) declare(off dwarf.Offset, depth int) string {
	const unknown = "<unknown type>"
	e := f.entry(off)
	if e == nil || depth > maxDepth {
		return unknown
	}
	below := func() string {
		to, ok := f.typeOf(e)
		if !ok {
			return "void"
		}
		return f.declare(to, depth+1)
	}
	switch e.Tag {
	case dwarf.TagPointerType:
		if to, ok := f.typeOf(e); ok {
			if fn := f.entry(to); fn != nil && fn.Tag == dwarf.TagSubroutineType {
				return f.prototype(fn, "(*)", depth)
			}
		}
		return below() + "*"
	case dwarf.TagReferenceType:
		return below() + "&"
	case dwarf.TagRvalueReferenceType:
		return below() + "&&"
	case dwarf.TagConstType:
		return qualified("const", below())
	case dwarf.TagVolatileType:
		return qualified("volatile", below())
	case dwarf.TagRestrictType:
		return qualified("restrict", below())
	case dwarf.TagSubroutineType:
		return f.prototype(e, "", depth)
	case dwarf.TagArrayType:
		return below() + "[]"
	case dwarf.TagStructType, dwarf.TagUnionType, dwarf.TagEnumerationType, dwarf.TagClassType:
		name := f.name(e)
		if name == "" {
			name = "<anonymous>"
		}
		if e.Tag == dwarf.TagClassType {
			return name
		}
		return tagName(e.Tag) + " " + name
	}
	if name := f.name(e); name != "" {
		return name
	}
	return unknown
}

// qualified puts a qualifier before a type, or behind the * of a pointer.
func qualified(word, t string) string {
	if strings.HasSuffix(t, "*") {
		return t + " " + word
	}
	return word + " " + t
}

func (f *File) prototype(e *dwarf.Entry, middle string, depth int) string {
	result := "void"
	if off, ok := f.typeOf(e); ok {
		result = f.declare(off, depth+1)
	}
	var params []string
	f.children(e, func(c *dwarf.Entry) bool {
		if off, ok := f.typeOf(c); ok && c.Tag == dwarf.TagFormalParameter {
			params = append(params, f.declare(off, depth+1))
		}
		return true
	})
	return result + " " + middle + "(" + strings.Join(params, ", ") + ")"
}
