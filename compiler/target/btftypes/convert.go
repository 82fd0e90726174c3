package btftypes

import (
	"encoding/binary"

	"fst/compiler/types"
)

// convert returns the type of an id without typedefs and qualifiers. Structs,
// unions and enums look up their content when it is first asked for.
func (s *Spec) convert(id uint32) *types.Type {
	if s.base != nil && id < s.firstID {
		return s.base.convert(id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.convertLocked(id)
}

func (s *Spec) convertLocked(id uint32) *types.Type {
	if s.base != nil && id < s.firstID {
		return s.base.convert(id)
	}
	if t := s.cache[id]; t != nil {
		return t
	}
	t := s.decode(id)
	s.cache[id] = t
	return t
}

func (s *Spec) decode(id uint32) *types.Type {
	r := s.record(id)
	switch r.kind() {
	case kindVoid:
		return types.NoneType
	case kindInt:
		return s.integer(r)
	case kindPtr:
		return s.pointer(r)
	case kindArray:
		elem := s.convertLocked(binary.LittleEndian.Uint32(r.data))
		return types.ArrayOf(elem, int(binary.LittleEndian.Uint32(r.data[8:])))
	case kindStruct, kindUnion, kindEnum, kindEnum64, kindForward:
		return s.compound(r, s.str(r.name))
	case kindTypedef:
		// An anonymous struct is known by the innermost typedef's name.
		if to := s.record(s.unqualified(r.size)); to.name == 0 {
			switch to.kind() {
			case kindStruct, kindUnion, kindEnum, kindEnum64:
				return to.spec.compound(to, s.str(r.name))
			}
		}
		return s.convertLocked(r.size)
	case kindVolatile, kindConst, kindRestrict, kindTypeTag, kindFunc:
		return s.convertLocked(r.size)
	case kindFloat:
		return &types.Type{Kind: types.Invalid, Size: int(r.size), Name: s.str(r.name)}
	case kindFuncProto:
		return types.NoneType
	}
	return &types.Type{Kind: types.Invalid}
}

// unqualified skips const, volatile, restrict and type tags.
func (s *Spec) unqualified(id uint32) uint32 {
	for {
		r := s.record(id)
		switch r.kind() {
		case kindConst, kindVolatile, kindRestrict, kindTypeTag:
			id = r.size
		default:
			return id
		}
	}
}

func (s *Spec) integer(r record) *types.Type {
	const signed, char, boolean = 1, 2, 4
	enc := binary.LittleEndian.Uint32(r.data) >> 24 & 0xf
	size := int(r.size)
	switch {
	case size > 8:
		return &types.Type{Kind: types.Invalid, Size: size, Name: s.str(r.name)}
	case enc&boolean != 0 && size == 1:
		return types.BoolType
	case size == 1 && (enc&char != 0 || string(s.bytesAt(r.name)) == "char"):
		if enc&signed != 0 {
			return types.CharType
		}
		return &types.Type{Kind: types.Int, Size: 1, Char: true}
	}
	return types.IntType(size, enc&signed != 0)
}

// pointer makes a pointer type; a type tag "user" on what it points to marks
// user memory.
func (s *Spec) pointer(r record) *types.Type {
	user := false
	id := r.size
	for {
		to := s.record(id)
		switch to.kind() {
		case kindTypeTag:
			user = user || string(s.bytesAt(to.name)) == "user"
			id = to.size
			continue
		case kindConst, kindVolatile, kindRestrict:
			id = to.size
			continue
		}
		return types.PointerTo(s.convertLocked(id), user)
	}
}

// compound makes a struct, union or enum of a name.
func (s *Spec) compound(r record, name string) *types.Type {
	kind, size := types.Struct, int(r.size)
	switch r.kind() {
	case kindUnion:
		kind = types.Union
	case kindEnum, kindEnum64:
		kind = types.Enum
	case kindForward:
		if r.kindFlag() {
			kind = types.Union
		}
		return types.NewStruct(kind, name, 0, nil)
	}
	t := types.LazyStruct(kind, name, size, func() ([]types.Field, []types.Enumerator) {
		if kind == types.Enum {
			return nil, s.enumerators(r)
		}
		return s.members(r), nil
	})
	t.Signed = kind == types.Enum && (r.kindFlag() || hasNegative(r))
	return t
}

// hasNegative reports whether an enum has numbers below 0: kernels before 6.0 do not record
// its sign.
func hasNegative(r record) bool {
	negative := false
	if r.kind() == kindEnum {
		eachEnumerator(r, func(_ uint32, value int64) bool {
			negative = value < 0
			return !negative
		})
	}
	return negative
}

func (s *Spec) members(r record) []types.Field {
	fields := make([]types.Field, 0, r.vlen())
	for d := r.data; len(d) >= 12; d = d[12:] {
		id, off := binary.LittleEndian.Uint32(d[4:]), binary.LittleEndian.Uint32(d[8:])
		f := types.Field{Name: s.str(binary.LittleEndian.Uint32(d)), Type: s.convert(id)}
		bits := 0
		if r.kindFlag() {
			bits, off = int(off>>24), off&0xffffff
		} else if in := s.record(s.resolved(id)); in.kind() == kindInt {
			// Before 2018 the integer type itself told the bits.
			enc := binary.LittleEndian.Uint32(in.data)
			if n := enc & 0xff; n != 0 && n != in.size*8 {
				bits, off = int(n), off+enc>>16&0xff
			}
		}
		f.Offset = int(off / 8)
		if bits != 0 {
			f = f.Bits(int(off), bits)
		}
		fields = append(fields, f)
	}
	return fields
}

// resolved skips typedefs as well as qualifiers.
func (s *Spec) resolved(id uint32) uint32 {
	for {
		id = s.unqualified(id)
		r := s.record(id)
		if r.kind() != kindTypedef {
			return id
		}
		id = r.size
	}
}

func (s *Spec) enumerators(r record) []types.Enumerator {
	enums := make([]types.Enumerator, 0, r.vlen())
	eachEnumerator(r, func(name uint32, value int64) bool {
		enums = append(enums, types.Enumerator{Name: s.str(name), Value: value})
		return true
	})
	return enums
}

func eachEnumerator(r record, f func(name uint32, value int64) bool) {
	d, step := r.data, 8
	if r.kind() == kindEnum64 {
		step = 12
	}
	for ; len(d) >= step; d = d[step:] {
		name, low := binary.LittleEndian.Uint32(d), binary.LittleEndian.Uint32(d[4:])
		var v int64
		switch {
		case step == 12:
			v = int64(uint64(binary.LittleEndian.Uint32(d[8:]))<<32 | uint64(low))
		case r.kindFlag() || int32(low) >= 0:
			v = int64(int32(low))
		default:
			// Kernels before 6.0 do not record signedness in the flag:
			// 0xffffffff stands for -1 far more often than for 2^32-1.
			v = int64(low)
			if low >= 0xfffff000 {
				v = int64(int32(low))
			}
		}
		if !f(name, v) {
			return
		}
	}
}
