// Package debuginfo reads the DWARF of programs: the parameters of their
// functions, their types and their source lines, as the compiler's types.
//
// Only what is asked for is decoded: a function is found through the unit that
// holds its address, a type when its members are first looked at.
//
// It must not import eBPF libraries, or of the runtime more than elffile.
package debuginfo

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"sync"

	"fst/compiler/types"
	"fst/runtime/elffile"
)

// ErrNone is the error of a binary that has no debug information, neither in
// itself nor in a file of its own.
var ErrNone = errors.New("it has no debug information (compile with -g, or install its debug symbols)")

// File is the debug information of one binary. It is safe for concurrent use.
type File struct {
	data    *dwarf.Data
	machine elf.Machine
	// signatures are the types that have units of their own (-fdebug-types-section).
	signatures map[uint64]dwarf.Offset
	rebased    []rebased
	oldLists   []byte // .debug_ranges

	mu    sync.Mutex
	types map[dwarf.Offset]*types.Type
	names *index
}

// Open reads the debug information of a binary, from itself or from its separate file,
// and what -gsplit-dwarf puts into others.
func Open(path string, places elffile.Places) (*File, error) {
	e, err := elffile.Open(path)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	f := &File{machine: e.Machine, types: map[dwarf.Offset]*types.Type{}}
	if hasInfo(e.File) {
		if err := f.read(e, path, places); err != nil {
			return nil, err
		}
		return f, nil
	}
	d := e.Separate(places, hasInfo)
	if d == nil {
		return nil, ErrNone
	}
	defer d.Close()
	if err := f.read(d, path, places); err != nil {
		return nil, err
	}
	return f, nil
}

// read reads the sections of the file that has the debug information of a binary.
func (f *File) read(e *elffile.File, binary string, places elffile.Places) error {
	s, err := readSections(e.File)
	if err != nil {
		return err
	}
	j, err := join(s, []string{binary, e.Path()}, places, e.ByteOrder)
	if err != nil {
		return err
	}
	f.data, f.signatures, f.rebased, f.oldLists = j.data, j.signatures, j.rebased, s["ranges"]
	return nil
}

func hasInfo(e *elf.File) bool {
	return e.Section(".debug_info") != nil || e.Section(".zdebug_info") != nil
}

// entry returns the entry at an offset, nil if there is none.
func (f *File) entry(off dwarf.Offset) *dwarf.Entry {
	r := f.data.Reader()
	r.Seek(off)
	e, err := r.Next()
	if err != nil {
		return nil
	}
	return e
}

// children calls g for the entries directly below one, until it returns false.
func (f *File) children(of *dwarf.Entry, g func(*dwarf.Entry) bool) {
	if of == nil || !of.Children {
		return
	}
	r := f.data.Reader()
	r.Seek(of.Offset)
	r.Next()
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == 0 || !g(e) {
			return
		}
		r.SkipChildren()
	}
}

// origin is the entry that another one completes: the declaration of a method,
// the abstract form of an inlined function, a type that has a unit of its own. nil if
// there is none.
func (f *File) origin(e *dwarf.Entry) *dwarf.Entry {
	for _, a := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification, dwarf.AttrSignature} {
		if off, ok := f.reference(e.Val(a)); ok {
			return f.entry(off)
		}
	}
	return nil
}

// val is an attribute of an entry or of what it completes.
func (f *File) val(e *dwarf.Entry, a dwarf.Attr) any {
	for range 4 {
		if e == nil {
			return nil
		}
		if v := e.Val(a); v != nil {
			return v
		}
		e = f.origin(e)
	}
	return nil
}

func (f *File) name(e *dwarf.Entry) string {
	s, _ := f.val(e, dwarf.AttrName).(string)
	return s
}

// typeOf is the offset of an entry's type; ok is false for void.
func (f *File) typeOf(e *dwarf.Entry) (off dwarf.Offset, ok bool) {
	return f.reference(f.val(e, dwarf.AttrType))
}

// reference is the offset of the entry that an attribute names, by its place or by the
// signature of a type.
func (f *File) reference(v any) (off dwarf.Offset, ok bool) {
	switch v := v.(type) {
	case dwarf.Offset:
		return v, true
	case uint64:
		off, ok = f.signatures[v]
	}
	return off, ok
}

// ranges are those of the code of an entry.
func (f *File) ranges(e *dwarf.Entry) ([][2]uint64, error) {
	for _, u := range f.rebased {
		at, ok := e.Val(dwarf.AttrRanges).(int64)
		if !ok || e.Offset < u.from || e.Offset >= u.to {
			continue
		}
		return f.oldRanges(e, at+u.base)
	}
	return f.data.Ranges(e)
}
