// Package elffile opens ELF files that others chose: what a path names may be
// anything, and what a file says of itself need not be true.
//
// It also finds what was stripped from a file, and distributions keep elsewhere.
//
// It must not import any other package of this project.
package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// ErrNotRegular is the error of a path that names a pipe, a device or a directory.
var ErrNotRegular = errors.New("not a regular file")

// ErrNotELF is the error of a file that is no ELF file, or a damaged one.
var ErrNotELF = errors.New("not an ELF binary")

// File is an ELF file with the descriptor that it is read from.
type File struct {
	*elf.File
	path string
	file io.Closer // nil if it is read from memory
}

// Open opens the ELF file at a path. The error is the system's, ErrNotRegular or
// ErrNotELF.
func Open(path string) (*File, error) {
	// A pipe that nobody writes to would block, and some devices do something
	// when they are opened: that is why the flag, and why the kind is asked first.
	if st, err := os.Stat(path); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	f, err := read(file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return &File{f, path, file}, nil
}

func read(file *os.File) (*elf.File, error) {
	if st, err := file.Stat(); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() { // it was exchanged meanwhile
		return nil, ErrNotRegular
	}
	return parse(file)
}

// maxSections is how many sections are read: each takes 280 bytes.
const maxSections = 1 << 18

// sectionsOf is how many sections a file says it has. Where the header has no room for the number, the first section has it.
func sectionsOf(r io.ReaderAt) (n uint64) {
	head := make([]byte, 64)
	if size, _ := r.ReadAt(head, 0); size < 52 {
		return 0
	}
	var order binary.ByteOrder = binary.LittleEndian
	if elf.Data(head[elf.EI_DATA]) == elf.ELFDATA2MSB {
		order = binary.BigEndian
	}
	first := make([]byte, 40)
	if elf.Class(head[elf.EI_CLASS]) == elf.ELFCLASS32 {
		if n = uint64(order.Uint16(head[48:])); n == 0 {
			r.ReadAt(first[:24], int64(order.Uint32(head[32:])))
			n = uint64(order.Uint32(first[20:]))
		}
		return n
	}
	if n = uint64(order.Uint16(head[60:])); n == 0 {
		r.ReadAt(first, int64(order.Uint64(head[40:])))
		n = order.Uint64(first[32:])
	}
	return n
}

func parse(r io.ReaderAt) (*elf.File, error) {
	if n := sectionsOf(r); n > maxSections {
		return nil, fmt.Errorf("it has %d sections, and at most %d are read", n, maxSections)
	}
	f, err := elf.NewFile(r)
	var format *elf.FormatError
	switch {
	case errors.As(err, &format):
		return nil, fmt.Errorf("%w: %v", ErrNotELF, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, ErrNotELF // it is too short
	}
	return f, err
}

// Parse reads an ELF file that is in memory.
func Parse(image []byte) (*File, error) {
	f, err := parse(bytes.NewReader(image))
	if err != nil {
		return nil, err
	}
	return &File{File: f}, nil
}

// Path is where the file was opened, "" if it is in memory.
func (f *File) Path() string { return f.path }

// Close closes the descriptor.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}
