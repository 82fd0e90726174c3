package btftypes

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/target"
	"fst/compiler/types"
)

// Type finds "struct", "union" or "enum" NAME or, with an empty tag, a typedef
// or basic type. Forward declarations are not found.
func (s *Spec) Type(tag, name string) (*types.Type, bool) {
	of := plainKinds
	if tag != "" {
		of = taggedKinds[tag]
	}
	r, ok := s.find(name, of)
	if !ok {
		return nil, false
	}
	return s.convert(r.id), true
}

// TypeNames lists the names of structs and unions, sorted.
func (s *Spec) TypeNames() []string {
	names := append(s.Names("struct"), s.Names("union")...)
	slices.Sort(names)
	return slices.Compact(names)
}

// Enumerator finds an enumerator by name and the enum that has it.
func (s *Spec) Enumerator(name string) (int64, *types.Type, bool) {
	if name == "" {
		return 0, nil, false
	}
	wanted := s.stringOffsets(name)
	if len(wanted) == 0 {
		return 0, nil, false
	}
	s.scan()
	for _, e := range s.enums {
		var value int64
		found := false
		eachEnumerator(s.recordAt(e.id, e.off), func(n uint32, v int64) bool {
			value, found = v, slices.Contains(wanted, n)
			return !found
		})
		if found {
			return value, s.convert(e.id), true
		}
	}
	return 0, nil, false
}

// Func finds a function's signature; module is recorded in the result.
func (s *Spec) Func(module, name string) (*target.Func, bool) {
	r, ok := s.find(name, functionKind)
	if !ok {
		return nil, false
	}
	f := &target.Func{Name: name, Module: module, ID: r.id}
	s.signature(f, s.record(r.size))
	f.Place()
	return f, true
}

// FuncNames lists the functions of this BTF, sorted.
func (s *Spec) FuncNames() []string {
	var names []string
	s.each(func(r record) bool {
		if r.kind() == kindFunc {
			names = append(names, s.str(r.name))
		}
		return true
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// signature fills in parameters and result from a function prototype.
// Parameters without a name are called arg0, arg1, ...
func (s *Spec) signature(f *target.Func, proto record) {
	f.Result = s.convert(proto.size)
	f.ResultDecl = func() string { return s.Declare(proto.size, "") }
	for d := proto.data; len(d) >= 8; d = d[8:] {
		name, id := binary.LittleEndian.Uint32(d), binary.LittleEndian.Uint32(d[4:])
		if id == 0 && len(d) == 8 {
			f.Variadic = true
			break
		}
		p := target.Param{Name: s.str(name), Type: s.convert(id), Decl: func() string { return s.Declare(id, "") }}
		if p.Name == "" {
			p.Name = "arg" + strconv.Itoa(len(f.Params))
		}
		f.Params = append(f.Params, p)
	}
}

const rawPrefix = "btf_trace_"

// RawTracepoint returns the parameters of a raw tracepoint, without the
// leading void * that every tracepoint function has.
func (s *Spec) RawTracepoint(module, event string) (*target.Func, bool) {
	r, ok := s.find(rawPrefix+event, typedefKind)
	if !ok {
		return nil, false
	}
	proto := s.record(s.unqualified(s.record(r.size).size))
	if s.record(r.size).kind() != kindPtr || proto.kind() != kindFuncProto || proto.vlen() < 1 {
		return nil, false
	}
	f := &target.Func{Name: event, Module: module, ID: r.id}
	s.signature(f, proto)
	f.Params = f.Params[1:]
	// The typedef tells no names; the functions made for the event do.
	named, ok := s.Func(module, "__probestub_"+event)
	if !ok {
		named, ok = s.Func(module, "__traceiter_"+event)
	}
	for i := range f.Params {
		f.Params[i].Name = "arg" + strconv.Itoa(i)
		if ok && len(named.Params) == len(f.Params)+1 {
			f.Params[i].Name = named.Params[i+1].Name
		}
	}
	return f, true
}

// RawTracepoints lists the raw tracepoints, sorted.
func (s *Spec) RawTracepoints() []string {
	var names []string
	s.each(func(r record) bool {
		if r.kind() == kindTypedef {
			if n, ok := strings.CutPrefix(s.str(r.name), rawPrefix); ok {
				names = append(names, n)
			}
		}
		return true
	})
	slices.Sort(names)
	return slices.Compact(names)
}
