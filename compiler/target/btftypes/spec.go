// Package btftypes reads the kernel's type information (BTF) lazily: names are
// searched in the raw blob and only the types that are asked for are decoded,
// as types.Type.
//
// cilium/ebpf's btf package is not used because it reads and indexes the whole
// blob before the first answer.
package btftypes

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"fst/compiler/types"
)

// Kinds of BTF types, as in the kernel's uapi/linux/btf.h.
const (
	kindVoid = iota
	kindInt
	kindPtr
	kindArray
	kindStruct
	kindUnion
	kindEnum
	kindForward
	kindTypedef
	kindVolatile
	kindConst
	kindRestrict
	kindFunc
	kindFuncProto
	kindVar
	kindDatasec
	kindFloat
	kindDeclTag
	kindTypeTag
	kindEnum64
)

// Spec is the BTF of the kernel or of one of its modules. It is safe for
// concurrent use.
type Spec struct {
	types, strs []byte
	base        *Spec  // of a module: the kernel's
	firstID     uint32 // id of the first type in types
	strBase     uint32 // offset of the first string in strs

	once  sync.Once
	offs  []uint32 // where every stride-th type lies in types, by (id - firstID) / stride
	len   int      // number of types
	enums []place  // the types that are enums

	mu      sync.Mutex
	cache   map[uint32]*types.Type
	strings map[string][]uint32 // of the kernel itself: what stringOffsets found
	// Functions, of which there are more than of all others with names, are in an index of their own.
	functions, others index
}

// New reads the header of a BTF blob. base is the kernel's own BTF if raw is
// that of a module, else nil. raw is kept and must not change.
func New(raw []byte, base *Spec) (*Spec, error) {
	if len(raw) < 24 || binary.LittleEndian.Uint16(raw) != 0xeb9f {
		return nil, errors.New("not BTF of this machine's byte order")
	}
	le := binary.LittleEndian
	hdr, typeOff, typeLen := uint64(le.Uint32(raw[4:])), uint64(le.Uint32(raw[8:])), uint64(le.Uint32(raw[12:]))
	strOff, strLen := uint64(le.Uint32(raw[16:])), uint64(le.Uint32(raw[20:]))
	size := uint64(len(raw))
	if hdr+typeOff+typeLen > size || hdr+strOff+strLen > size {
		return nil, fmt.Errorf("BTF is cut short: %d bytes", size)
	}
	s := &Spec{
		types: raw[hdr+typeOff:][:typeLen:typeLen],
		strs:  raw[hdr+strOff:][:strLen:strLen],
		base:  base, firstID: 1, cache: map[uint32]*types.Type{}, strings: map[string][]uint32{},
	}
	if base != nil {
		base.scan()
		s.firstID = base.firstID + uint32(base.len)
		s.strBase = base.strBase + uint32(len(base.strs))
	}
	return s, nil
}

// record is the raw form of a type; the zero value is void.
type record struct {
	spec *Spec // whose blob it lies in
	id   uint32
	name uint32
	info uint32
	size uint32 // or the id of another type
	data []byte // what follows the header
}

func (r record) kind() int      { return int(r.info >> 24 & 0x1f) }
func (r record) vlen() int      { return int(r.info & 0xffff) }
func (r record) kindFlag() bool { return r.info>>31 == 1 }

// dataSize is the length of what follows a type's header, or -1.
func dataSize(info uint32) int {
	n := int(info & 0xffff)
	switch info >> 24 & 0x1f {
	case kindInt, kindVar, kindDeclTag:
		return 4
	case kindArray:
		return 12
	case kindStruct, kindUnion, kindDatasec, kindEnum64:
		return 12 * n
	case kindEnum, kindFuncProto:
		return 8 * n
	case kindPtr, kindForward, kindTypedef, kindVolatile, kindConst, kindRestrict, kindFunc, kindFloat, kindTypeTag:
		return 0
	}
	return -1
}

// stride is how many types apart the offsets are that are kept: the types in
// between are found from there.
const stride = 16

// next returns the offset of the type after the one at o.
func (s *Spec) next(o uint32) uint32 {
	return o + 12 + uint32(dataSize(binary.LittleEndian.Uint32(s.types[o+4:])))
}

// place is where a type of an id lies in Spec.types.
type place struct{ id, off uint32 }

// scan finds where the types begin, and which are enums: scripts ask for many
// enumerators. A kind that is not known ends it: what comes before stays usable.
func (s *Spec) scan() {
	s.once.Do(func() {
		t := s.types
		offs, count := make([]uint32, 0, len(t)/22/stride), 0
		for o := 0; o+12 <= len(t); count++ {
			info := binary.LittleEndian.Uint32(t[o+4:])
			n := dataSize(info)
			if n < 0 || o+12+n > len(t) {
				break
			}
			if enumKinds.has(info) {
				s.enums = append(s.enums, place{s.firstID + uint32(count), uint32(o)})
			}
			if count%stride == 0 {
				offs = append(offs, uint32(o))
			}
			o += 12 + n
		}
		s.offs, s.len = offs, count
	})
}

// record returns the raw type of an id; void if there is none.
func (s *Spec) record(id uint32) record {
	s.scan()
	if id < s.firstID {
		if s.base != nil {
			return s.base.record(id)
		}
		return record{}
	}
	i := id - s.firstID
	if int(i) >= s.len {
		return record{}
	}
	o := s.offs[i/stride]
	for range i % stride {
		o = s.next(o)
	}
	return s.recordAt(id, o)
}

// recordAt returns the raw type that lies at an offset.
func (s *Spec) recordAt(id, o uint32) record {
	b := s.types[o:]
	info := binary.LittleEndian.Uint32(b[4:])
	return record{s, id, binary.LittleEndian.Uint32(b), info, binary.LittleEndian.Uint32(b[8:]), b[12 : 12+dataSize(info)]}
}

// bytesAt returns the string at an offset, without a copy.
func (s *Spec) bytesAt(off uint32) []byte {
	if off < s.strBase {
		return s.base.bytesAt(off)
	}
	off -= s.strBase
	if int(off) >= len(s.strs) {
		return nil
	}
	b := s.strs[off:]
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return b
}

func (s *Spec) str(off uint32) string { return string(s.bytesAt(off)) }

// stringOffsets returns the offsets of a name in the string tables that s's
// types may refer to (one in each: strings are not repeated in BTF).
func (s *Spec) stringOffsets(name string) []uint32 {
	s.mu.Lock()
	offs, known := s.strings[name]
	s.mu.Unlock()
	if known {
		return offs
	}
	offs = s.searchStrings(name)
	if s.base == nil { // what is searched for in modules is asked once for each of them
		s.mu.Lock()
		s.strings[name] = offs
		s.mu.Unlock()
	}
	return offs
}

func (s *Spec) searchStrings(name string) (offs []uint32) {
	if s.base != nil {
		offs = slices.Clone(s.base.stringOffsets(name))
	}
	pattern := append(append([]byte{0}, name...), 0)
	if i := bytes.Index(s.strs, pattern); i >= 0 {
		offs = append(offs, s.strBase+uint32(i)+1)
	} else if bytes.HasPrefix(s.strs, pattern[1:]) && s.base != nil {
		offs = append(offs, s.strBase)
	}
	return offs
}

// find returns the first type of a name and of some kinds, in this spec alone.
func (s *Spec) find(name string, of kinds) (record, bool) {
	if name == "" {
		return record{}, false
	}
	s.scan()
	names, indexed := &s.others, ^functionKind
	if of == functionKind {
		names, indexed = &s.functions, functionKind
	}
	key := search{name, of}
	s.mu.Lock()
	known, asked := names.found[key]
	if !asked && names.heads == nil && len(names.found)+1 >= worthIndex {
		names.build(s, indexed)
	}
	ready := names.heads != nil
	s.mu.Unlock()
	switch {
	case asked:
		return known.record, known.ok
	case ready:
		return names.find(s, name, of)
	}
	r, ok := s.pass(name, of)
	s.mu.Lock()
	defer s.mu.Unlock()
	if names.found == nil {
		names.found = map[search]result{}
	}
	names.found[key] = result{r, ok}
	return r, ok
}

// pass finds what find does by passing over the blob.
func (s *Spec) pass(name string, of kinds) (record, bool) {
	wanted := s.stringOffsets(name)
	if len(wanted) == 0 {
		return record{}, false
	}
	o := uint32(0)
	for i := range s.len {
		n := binary.LittleEndian.Uint32(s.types[o:])
		if (n == wanted[0] || n == wanted[len(wanted)-1]) && of.has(binary.LittleEndian.Uint32(s.types[o+4:])) {
			return s.recordAt(s.firstID+uint32(i), o), true
		}
		o = s.next(o)
	}
	return record{}, false
}

// each calls f for every type of this spec alone, until it returns false.
func (s *Spec) each(f func(record) bool) {
	s.scan()
	o := uint32(0)
	for i := range s.len {
		if !f(s.recordAt(s.firstID+uint32(i), o)) {
			return
		}
		o = s.next(o)
	}
}

// Len is the number of types.
func (s *Spec) Len() int {
	s.scan()
	return s.len
}
