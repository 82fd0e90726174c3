package debuginfo

import (
	"debug/dwarf"
	"strings"
)

// declare spells a type as the source does, typedefs and qualifiers included:
// "const char*".
func (t *tree) declare(off dwarf.Offset, depth int) string {
	const unknown = "<unknown type>"
	e := t.entry(off)
	if e == nil || depth > maxDepth {
		return unknown
	}
	below := func() string {
		to, ok := t.typeOf(e)
		if !ok {
			return "void"
		}
		return t.declare(to, depth+1)
	}
	switch e.Tag {
	case dwarf.TagPointerType:
		if to, ok := t.typeOf(e); ok {
			if fn := t.entry(to); fn != nil && fn.Tag == dwarf.TagSubroutineType {
				return t.prototype(fn, "(*)", depth)
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
		return t.prototype(e, "", depth)
	case dwarf.TagArrayType:
		return below() + "[]"
	case dwarf.TagStructType, dwarf.TagUnionType, dwarf.TagEnumerationType, dwarf.TagClassType:
		name := t.name(e)
		if name == "" {
			name = "<anonymous>"
		}
		if e.Tag == dwarf.TagClassType {
			return name
		}
		return tagName(e.Tag) + " " + name
	}
	if name := t.name(e); name != "" {
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

func (t *tree) prototype(e *dwarf.Entry, middle string, depth int) string {
	result := "void"
	if off, ok := t.typeOf(e); ok {
		result = t.declare(off, depth+1)
	}
	var params []string
	t.children(e, func(c *dwarf.Entry) bool {
		if off, ok := t.typeOf(c); ok && c.Tag == dwarf.TagFormalParameter {
			params = append(params, t.declare(off, depth+1))
		}
		return true
	})
	return result + " " + middle + "(" + strings.Join(params, ", ") + ")"
}
