package btftypes

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Names lists the names of the structs, unions or enums, sorted.
func (s *Spec) Names(tag string) []string {
	var names []string
	of := taggedKinds[tag]
	s.each(func(r record) bool {
		if r.name != 0 && of.has(r.info) {
			names = append(names, s.str(r.name))
		}
		return true
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// Definition returns the C text of a struct, union or enum.
func (s *Spec) Definition(tag, name string) (string, bool) {
	r, ok := s.find(name, taggedKinds[tag])
	if !ok {
		return "", false
	}
	return s.body(r, tag+" "+name, 0) + ";", true
}

// Declare returns the C declaration of a type with what stands in the place of
// the name: "char *x[4]" for an array of pointers called x. Typedefs and the
// names of basic types are as in the source.
func (s *Spec) Declare(id uint32, name string) string { return s.declare(id, name, 0) }

// declare builds a declaration from the name outwards. level is how deep the
// bodies of anonymous structs are indented.
func (s *Spec) declare(id uint32, inner string, level int) string {
	r := s.record(id)
	in := r.spec
	switch k := r.kind(); k {
	case kindPtr:
		inner = "*" + inner
		switch to := in.record(in.unqualified(r.size)).kind(); to {
		case kindArray, kindFuncProto:
			inner = "(" + inner + ")"
		}
		return in.declare(r.size, inner, level)
	case kindArray:
		elem, n := binary.LittleEndian.Uint32(r.data), binary.LittleEndian.Uint32(r.data[8:])
		return in.declare(elem, fmt.Sprintf("%s[%d]", inner, n), level)
	case kindFuncProto:
		if in.record(r.size).kind() == kindPtr { // struct x * (*f)(...)
			inner = " " + inner
		}
		return in.declare(r.size, inner+"("+strings.Join(in.parameters(r), ", ")+")", level)
	case kindTypeTag:
		return in.declare(r.size, inner, level)
	case kindConst, kindVolatile, kindRestrict:
		word := map[int]string{kindConst: "const", kindVolatile: "volatile", kindRestrict: "restrict"}[k]
		if in.record(in.unqualified(r.size)).kind() == kindPtr {
			// The pointer itself is constant: the word stands behind its *.
			if inner != "" {
				inner = " " + inner
			}
			return in.declare(r.size, " "+word+inner, level)
		}
		return word + " " + in.declare(r.size, inner, level)
	}
	base := "void"
	switch r.kind() {
	case kindInt, kindTypedef, kindFloat:
		base = in.str(r.name)
	case kindStruct, kindUnion, kindEnum, kindEnum64, kindForward:
		if base = tagOf(r); r.name != 0 {
			base += " " + in.str(r.name)
		} else {
			base = in.body(r, base, level)
		}
	}
	if inner == "" {
		return base
	}
	return base + " " + inner
}

func (s *Spec) parameters(proto record) []string {
	var params []string
	for d := proto.data; len(d) >= 8; d = d[8:] {
		if id := binary.LittleEndian.Uint32(d[4:]); id != 0 {
			params = append(params, s.declare(id, s.str(binary.LittleEndian.Uint32(d)), 0))
		} else {
			params = append(params, "...")
		}
	}
	if params == nil {
		return []string{"void"}
	}
	return params
}

func tagOf(r record) string {
	switch r.kind() {
	case kindUnion:
		return "union"
	case kindEnum, kindEnum64:
		return "enum"
	case kindForward:
		if r.kindFlag() {
			return "union"
		}
	}
	return "struct"
}

// body is the text of a struct, union or enum with its members.
func (s *Spec) body(r record, head string, level int) string {
	if len(r.data) == 0 {
		return head + " {}"
	}
	var b strings.Builder
	b.WriteString(head + " {\n")
	indent := strings.Repeat("\t", level+1)
	switch r.kind() {
	case kindEnum, kindEnum64:
		eachEnumerator(r, func(name uint32, value int64) bool {
			fmt.Fprintf(&b, "%s%s = %d,\n", indent, r.spec.str(name), value)
			return true
		})
	default:
		for d := r.data; len(d) >= 12; d = d[12:] {
			id, off := binary.LittleEndian.Uint32(d[4:]), binary.LittleEndian.Uint32(d[8:])
			b.WriteString(indent + r.spec.declare(id, r.spec.str(binary.LittleEndian.Uint32(d)), level+1))
			if bits := off >> 24; r.kindFlag() && bits != 0 {
				fmt.Fprintf(&b, ": %d", bits)
			}
			b.WriteString(";\n")
		}
	}
	b.WriteString(strings.Repeat("\t", level) + "}")
	if (r.kind() == kindEnum || r.kind() == kindEnum64) && r.size == 1 {
		b.WriteString(" __attribute__((mode(byte)))")
	}
	return b.String()
}
