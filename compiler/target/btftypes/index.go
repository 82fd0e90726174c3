package btftypes

import "encoding/binary"

// kinds are a set of kinds of types.
type kinds uint32

func kindsOf(list ...int) (set kinds) {
	for _, k := range list {
		set |= 1 << k
	}
	return set
}

func (set kinds) has(info uint32) bool { return set>>(info>>24&0x1f)&1 != 0 }

var (
	functionKind = kindsOf(kindFunc)
	typedefKind  = kindsOf(kindTypedef)
	enumKinds    = kindsOf(kindEnum, kindEnum64)
	// plainKinds are those whose names stand without "struct" or the like.
	plainKinds = kindsOf(kindTypedef, kindInt)
	// taggedKinds are those that a tag may mean.
	taggedKinds = map[string]kinds{"struct": kindsOf(kindStruct), "union": kindsOf(kindUnion), "enum": enumKinds}
)

// index finds types by their names, at the cost of a hash instead of a pass over the blob.
type index struct {
	// found are the searches by passing over the blob so far, with what they found.
	found   map[search]result
	heads   []uint32 // by hash: one more than the last of its entries
	entries []entry
}

type search struct {
	name string
	of   kinds
}

type result struct {
	record
	ok bool
}

// entry is a type with a name.
type entry struct {
	place
	next uint32 // of the same hash: one more than the entry before it, or 0
}

// worthIndex is how many searches by passing over the blob take as long as to make an index: the last of them makes it instead.
const worthIndex = 3

// build enters the types of some kinds.
func (x *index) build(s *Spec, of kinds) {
	size := 1
	for size < s.len/4 {
		size *= 2
	}
	x.heads, x.entries = make([]uint32, size), make([]entry, 0, s.len/4)
	o := uint32(0)
	for i := range s.len {
		name, info := binary.LittleEndian.Uint32(s.types[o:]), binary.LittleEndian.Uint32(s.types[o+4:])
		if name != 0 && of.has(info) {
			h := hash(s.bytesAt(name)) & uint32(size-1)
			x.entries = append(x.entries, entry{place{s.firstID + uint32(i), o}, x.heads[h]})
			x.heads[h] = uint32(len(x.entries))
		}
		o = s.next(o)
	}
}

// find returns the first type of a name and of some kinds. Entries run from high ids to low.
func (x *index) find(s *Spec, name string, of kinds) (found record, ok bool) {
	for i := x.heads[hash([]byte(name))&uint32(len(x.heads)-1)]; i != 0; {
		e := x.entries[i-1]
		if r := s.recordAt(e.id, e.off); of.has(r.info) && string(s.bytesAt(r.name)) == name {
			found, ok = r, true
		}
		i = e.next
	}
	return found, ok
}

// hash is FNV-1a of 32 bits, whose high bits come to the low ones at the end.
func hash(b []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range b {
		h = (h ^ uint32(c)) * 16777619
	}
	return h ^ h>>15
}
