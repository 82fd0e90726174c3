// Package debuginfo reads the DWARF of programs: the parameters of their
// functions, their types and their source lines, as the compiler's types.
//
// Only what is asked for is decoded: a function is found through the unit that
// holds its address, a type when its members are first looked at.
//
// It must not import eBPF libraries, or of the runtime more than elffile.
package debuginfo

import (
	"debug/elf"
	"errors"

	"fst/runtime/elffile"
)

// ErrNone is the error of a binary that has no debug information, neither in
// itself nor in a file of its own.
var ErrNone = errors.New("it has no debug information (compile with -g, or install its debug symbols)")

// File is the debug information of one binary. It is safe for concurrent use.
type File struct {
	// Types are the types of the source.
	Types *Types

	tree *tree
	abi  abi
}

// Open reads the debug information of a binary, from itself or from its separate file,
// and what -gsplit-dwarf puts into others.
func Open(path string, places elffile.Places) (*File, error) {
	e, err := elffile.Open(path)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	in := e
	if !hasInfo(e.File) {
		if in = e.Separate(places, hasInfo); in == nil {
			return nil, ErrNone
		}
		defer in.Close()
	}
	s, err := readSections(in.File)
	if err != nil {
		return nil, err
	}
	j, err := join(s, []string{path, in.Path()}, places, in.ByteOrder)
	if err != nil {
		return nil, err
	}
	return newFile(j, e.Machine), nil
}

func newFile(j *joiner, machine elf.Machine) *File {
	t := &tree{data: j.data, signatures: j.signatures, rebased: j.rebased, oldLists: j.sections["ranges"]}
	types := newTypes(t)
	return &File{Types: types, tree: t, abi: abi{machine: machine, tree: t, types: types}}
}

func hasInfo(e *elf.File) bool {
	return e.Section(".debug_info") != nil || e.Section(".zdebug_info") != nil
}
