package facts

import (
	"fmt"
	"strconv"
	"strings"

	"fst/compiler/target"
	"fst/compiler/types"
)

// ParseFormat reads a trace event's format file. find looks up a kernel type;
// it is asked only for the structs and enums that fields name.
func ParseFormat(category, event, text string, find func(tag, name string) (*types.Type, bool)) (*target.Tracepoint, error) {
	tp := &target.Tracepoint{Category: category, Event: event}
	p := formatParser{find: find, syscall: category == "syscalls"}
	var fields []types.Field
	size := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if id, ok := strings.CutPrefix(line, "ID:"); ok {
			tp.ID, _ = strconv.Atoi(strings.TrimSpace(id))
		}
		if strings.HasPrefix(line, "print fmt:") {
			break
		}
		if !strings.HasPrefix(line, "field:") {
			continue
		}
		f, end, err := p.field(line)
		if err != nil {
			return nil, fmt.Errorf("the format of tracepoint %s:%s has a field that is not understood: %q", category, event, line)
		}
		size = max(size, end)
		if !strings.HasPrefix(f.Name, "common_") {
			fields = append(fields, f)
			decl, _, _ := strings.Cut(strings.TrimPrefix(line, "field:"), ";")
			tp.Decls = append(tp.Decls, strings.TrimSpace(decl))
		}
	}
	tp.Args = types.NewStruct(types.Struct, "_tracepoint_"+category+"_"+event, size, fields)
	tp.Args.Ctx = true
	return tp, nil
}

type formatParser struct {
	find    func(tag, name string) (*types.Type, bool)
	syscall bool
}

// field parses "field:TYPE NAME;	offset:N;	size:N;	signed:N;" and
// returns the field and the offset of what follows it.
func (p *formatParser) field(line string) (types.Field, int, error) {
	var f types.Field
	var decl string
	var size int
	var signed bool
	for part := range strings.SplitSeq(line, ";") {
		key, val, ok := strings.Cut(strings.TrimSpace(part), ":")
		if !ok {
			continue
		}
		var err error
		switch key {
		case "field":
			decl = strings.TrimSpace(val)
		case "offset":
			f.Offset, err = strconv.Atoi(val)
		case "size":
			size, err = strconv.Atoi(val)
		case "signed":
			signed = val == "1"
		}
		if err != nil {
			return f, 0, err
		}
	}
	end := f.Offset + size

	rel := false
	if d, ok := strings.CutPrefix(decl, "__data_loc "); ok {
		decl, f.DataLoc = d, true
	} else if d, ok := strings.CutPrefix(decl, "__rel_loc "); ok {
		decl, rel = d, true
	}
	// "u8 saddr[sizeof(struct sockaddr_in6)]": what is in brackets is no name.
	head, dims := decl, ""
	if strings.HasSuffix(decl, "]") {
		if j := strings.LastIndexByte(decl, '['); j > 0 && decl[j-1] != ' ' {
			head, dims = decl[:j], decl[j:]
		}
	}
	i := strings.LastIndexAny(head, " *")
	if j := strings.Index(decl, " (*"); j > 0 && strings.HasSuffix(decl, ")") {
		// "int (*fn)(void *)"
		f.Name, _, _ = strings.Cut(decl[j+3:], ")")
		f.Type = types.PointerTo(types.NoneType, p.syscall)
		return f, end, nil
	}
	if i < 0 {
		return f, 0, strconv.ErrSyntax
	}
	typ, name := strings.TrimSpace(head[:i+1]), head[i+1:]+dims
	array := strings.HasSuffix(typ, "]")
	if a := strings.IndexByte(typ, '['); a >= 0 {
		typ = strings.TrimSpace(typ[:a])
	}
	n := -1
	if a := strings.IndexByte(name, '['); a >= 0 {
		// The count may be a macro's name: the size is what holds.
		array = true
		if c, err := strconv.Atoi(strings.TrimSuffix(name[a+1:], "]")); err == nil {
			n = c
		}
		name = name[:a]
	}
	f.Name = name
	switch {
	case f.DataLoc:
		f.Type = types.ArrayOf(p.element(typ), 0)
	case rel:
		// u32 length<<16 | offset from the end of this word.
		f.Type = types.U32
	case array:
		elem := p.element(typ)
		switch {
		case n > 0 && size%n == 0 && elem.Size != size/n:
			elem = p.scalar(typ, size/n, signed)
		case n <= 0 && elem.Size > 0:
			n = size / elem.Size
		}
		f.Type = types.ArrayOf(elem, max(n, 0))
	default:
		f.Type = p.scalar(typ, size, signed)
	}
	return f, end, nil
}

// base drops what does not change a type's meaning here.
func base(typ string) string {
	for _, q := range []string{"const ", "volatile "} {
		typ = strings.TrimPrefix(typ, q)
	}
	typ = strings.TrimSpace(typ)
	if t := strings.TrimSuffix(typ, "const"); strings.HasSuffix(t, " ") || strings.HasSuffix(t, "*") {
		typ = strings.TrimSpace(t)
	}
	return typ
}

// element is the type of an array's elements.
func (p *formatParser) element(typ string) *types.Type {
	typ = base(typ)
	if t := types.CTypes[typ]; t != nil {
		return t
	}
	if strings.HasSuffix(typ, "*") {
		return p.pointer(typ)
	}
	if t := p.named(typ); t != nil {
		return t
	}
	return types.U8
}

// scalar is the type of a field that is not an array.
func (p *formatParser) scalar(typ string, size int, signed bool) *types.Type {
	typ = base(typ)
	if strings.HasSuffix(typ, "*") {
		if size != 8 {
			return types.IntType(size, signed) // of a 32-bit user
		}
		return p.pointer(typ)
	}
	if t := types.CTypes[typ]; t != nil {
		if t.Size == size && (t.Kind != types.Int || t.Char || t.Signed == signed) {
			return t
		}
		// The record holds each argument of a system call in a word of 8
		// bytes whose upper half is whatever the caller left there.
		if p.syscall && size == 8 {
			return t
		}
	}
	if strings.HasPrefix(typ, "enum ") || strings.HasPrefix(typ, "struct ") || strings.HasPrefix(typ, "union ") {
		if t := p.named(typ); t != nil && t.Size == size {
			return t
		}
	}
	switch size {
	case 1, 2, 4, 8:
		return types.IntType(size, signed)
	}
	if t := p.named(typ); t != nil && t.Size == size {
		return t
	}
	return types.ArrayOf(types.U8, size)
}

// named looks up a struct, union, enum or typedef; nil if it is not known.
func (p *formatParser) named(typ string) *types.Type {
	tag, name, ok := strings.Cut(typ, " ")
	if !ok {
		tag, name = "", typ
	}
	switch tag {
	case "", "struct", "union", "enum":
		if p.find != nil {
			if t, ok := p.find(tag, strings.TrimSpace(name)); ok {
				return t
			}
		}
	}
	return nil
}

// pointer parses a type that ends in *.
func (p *formatParser) pointer(typ string) *types.Type {
	user := p.syscall || strings.Contains(typ, "__user")
	typ = strings.TrimSpace(strings.TrimSuffix(typ, "*"))
	typ = strings.TrimSpace(strings.TrimSuffix(typ, "__user"))
	typ = base(typ)
	var elem *types.Type
	switch {
	case strings.HasSuffix(typ, "*"):
		elem = p.pointer(typ)
	case typ == "" || typ == "void":
		elem = types.NoneType
	case types.CTypes[typ] != nil:
		elem = types.CTypes[typ]
	default:
		if elem = p.named(typ); elem == nil {
			elem = types.NoneType
			if name, ok := strings.CutPrefix(typ, "struct "); ok {
				elem = types.NewStruct(types.Struct, name, 0, nil)
			}
		}
	}
	return types.PointerTo(elem, user)
}
