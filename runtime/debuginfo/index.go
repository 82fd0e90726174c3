package debuginfo

import "debug/dwarf"

// index has the named types and enumerators of all units.
type index struct {
	types       map[string]dwarf.Offset // "struct foo", "ns::foo"; definitions only
	enumerators map[string]dwarf.Offset // of the enum
	declared    map[dwarf.Offset]string // the keys of types that are declared only
	// several are the keys of types that units define in different ways.
	several map[string]bool
}

// readIndex walks all units. Of what functions hold nothing is looked at.
func readIndex(t *tree) *index {
	x := &index{types: map[string]dwarf.Offset{}, enumerators: map[string]dwarf.Offset{},
		declared: map[dwarf.Offset]string{}, several: map[string]bool{}}
	r := t.data.Reader()
	type origin struct{ size, line int64 }
	origins := map[string]origin{}
	nameless := map[dwarf.Offset]origin{} // structs that a typedef may name
	var scopes []string                   // of the entries whose children are being read
	prefix, enum := "", dwarf.Offset(0)
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return x
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
