package btftypes

import (
	"encoding/binary"
	"fmt"
	"strings"

	"fst/lang/diag"
)

// Layout returns how a struct or union lies in memory: each member with its
// offset and size in bytes (of a bitfield the bits behind a colon), holes and
// padding. Structs inside are opened up to depth levels deep, anonymous ones
// always. An enum is shown with its names.
func (s *Spec) Layout(tag, name string, depth int) (string, bool) {
	r, ok := s.find(name, taggedKinds[tag])
	if !ok {
		return "", false
	}
	l := &layout{}
	if tag == "enum" {
		fmt.Fprintf(&l.text, "%s; /* %d bytes */\n", s.body(r, "enum "+name, 0), r.size)
		return l.text.String(), true
	}
	l.text.WriteString("offset  size\n")
	l.row("", "", 0, tag+" "+name+" {")
	l.members(r, 0, 0, depth)
	l.row("", "", 0, "};")
	fmt.Fprintf(&l.text, "\n%d bytes", r.size)
	if l.holes > 0 {
		fmt.Fprintf(&l.text, ", %d of them in %s", l.holeBits/8, diag.Plural(l.holes, "hole"))
	}
	if l.padding > 0 {
		fmt.Fprintf(&l.text, ", %d at the end", l.padding)
	}
	l.text.WriteString("\n")
	return l.text.String(), true
}

// layout writes rows and adds up what is not used.
type layout struct {
	text     strings.Builder
	holes    int
	holeBits uint32
	padding  uint32 // bytes at the end of the outermost struct
}

func (l *layout) row(offset, size string, level int, text string) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			offset, size = "", ""
		}
		fmt.Fprintf(&l.text, "%6s %5s  %s%s\n", offset, size, strings.Repeat("\t", level), line)
	}
}

// members writes the members of r, which begins at bit base.
func (l *layout) members(r record, base uint32, level, depth int) {
	s, end := r.spec, uint32(0)
	for d := r.data; len(d) >= 12; d = d[12:] {
		name, id, at := s.str(binary.LittleEndian.Uint32(d)), binary.LittleEndian.Uint32(d[4:]), binary.LittleEndian.Uint32(d[8:])
		bits := uint32(0)
		if r.kindFlag() {
			at, bits = at&0xffffff, at>>24
		}
		width := bits
		if bits == 0 {
			width = 8 * s.sizeOf(id)
		}
		if r.kind() == kindStruct && at > end {
			l.hole(at-end, level+1)
		}
		end = max(end, at+width)
		l.member(s, id, name, base+at, bits, level+1, depth)
	}
	switch rest := 8*r.size - min(end, 8*r.size); {
	case r.kind() != kindStruct || rest == 0:
	case level == 0:
		l.padding = rest / 8
		l.row("", "", 1, "/* "+amount(rest)+" of padding */")
	default:
		l.hole(rest, level+1)
	}
}

func (l *layout) hole(bits uint32, level int) {
	l.holes++
	l.holeBits += bits
	l.row("", "", level, "/* "+amount(bits)+" unused */")
}

func amount(bits uint32) string {
	if bits%8 == 0 {
		return diag.Plural(int(bits/8), "byte")
	}
	return diag.Plural(int(bits), "bit")
}

// member writes one member that begins at bit at.
func (l *layout) member(s *Spec, id uint32, name string, at, bits uint32, level, depth int) {
	if bits != 0 {
		l.row(fmt.Sprintf("%d:%d", at/8, at%8), fmt.Sprintf(":%d", bits), level, fmt.Sprintf("%s: %d;", s.Declare(id, name), bits))
		return
	}
	offset, size := fmt.Sprint(at/8), fmt.Sprint(s.sizeOf(id))
	inner := s.record(s.unqualified(id))
	if k := inner.kind(); k == kindStruct || k == kindUnion {
		if anonymous := inner.name == 0; anonymous || depth > 0 {
			head, below := tagOf(inner), depth
			if !anonymous {
				head, below = head+" "+inner.spec.str(inner.name), depth-1
			}
			l.row(offset, size, level, head+" {")
			l.members(inner, at, level, below)
			l.row("", "", level, strings.TrimSuffix("} "+name, " ")+";")
			return
		}
	}
	text := s.Declare(id, name) + ";"
	l.row(offset, size, level, text)
}

// sizeOf is the size of a type in bytes.
func (s *Spec) sizeOf(id uint32) uint32 {
	r := s.record(id)
	switch r.kind() {
	case kindPtr:
		return 8
	case kindArray:
		return r.spec.sizeOf(binary.LittleEndian.Uint32(r.data)) * binary.LittleEndian.Uint32(r.data[8:])
	case kindTypedef, kindConst, kindVolatile, kindRestrict, kindTypeTag:
		return r.spec.sizeOf(r.size)
	case kindInt, kindFloat, kindStruct, kindUnion, kindEnum, kindEnum64:
		return r.size
	}
	return 0
}
