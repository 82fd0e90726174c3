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
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
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

	mu    sync.Mutex
	types map[dwarf.Offset]*types.Type
	names *index
}

// Open reads the debug information of a binary. root is what stands before
// the paths that the binary's process sees ("/proc/12/root"), or "".
func Open(path, root string, dirs []string) (*File, error) {
	e, err := elffile.Open(path)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	f := &File{machine: e.Machine, types: map[dwarf.Offset]*types.Type{}}
	if hasInfo(e.File) {
		f.data, err = e.DWARF()
		return f, err
	}
	for _, p := range separate(e.File, path, root, dirs) {
		d, err := elffile.Open(p)
		if err != nil {
			continue
		}
		if hasInfo(d.File) && belongs(d.File, p, e.File) {
			f.data, err = d.DWARF()
			d.Close()
			return f, err
		}
		d.Close()
	}
	return nil, ErrNone
}

// belongs reports whether a file has the debug information of a binary: it has the
// same build id or, if the binary has none, the sum that its link tells.
func belongs(debug *elf.File, path string, e *elf.File) bool {
	if id := elffile.BuildID(e); id != "" {
		return elffile.BuildID(debug) == id
	}
	_, want, ok := debugLink(e)
	if !ok {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	sum := crc32.NewIEEE()
	_, err = io.Copy(sum, file)
	return err == nil && sum.Sum32() == want
}

// debugLink is the name of the file with the debug information of a binary, as the
// binary has it, and the sum of its bytes.
func debugLink(e *elf.File) (name string, sum uint32, ok bool) {
	sec := e.Section(".gnu_debuglink")
	if sec == nil {
		return "", 0, false
	}
	data, _ := sec.Data()
	name, _, ok = strings.Cut(string(data), "\x00")
	at := (len(name) + 4) &^ 3
	if !ok || strings.Contains(name, "/") || len(data) < at+4 {
		return "", 0, false
	}
	return name, e.ByteOrder.Uint32(data[at:]), true
}

func hasInfo(e *elf.File) bool {
	return e.Section(".debug_info") != nil || e.Section(".zdebug_info") != nil
}

// separate lists where distributions keep the debug information of a stripped
// binary: by its build id, or by the name that it gives.
func separate(e *elf.File, path, root string, dirs []string) []string {
	link, _, _ := debugLink(e)
	at := filepath.Dir(path)
	var found []string
	for _, dir := range append([]string{root + "/usr/lib/debug"}, dirs...) {
		if id := elffile.BuildID(e); len(id) > 2 {
			found = append(found, dir+"/.build-id/"+id[:2]+"/"+id[2:]+".debug")
		}
		if link != "" {
			found = append(found, filepath.Join(dir, strings.TrimPrefix(at, root), link), filepath.Join(dir, link))
		}
	}
	if link != "" {
		found = append(found, filepath.Join(at, link), filepath.Join(at, ".debug", link))
	}
	return found
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
// the abstract form of an inlined function. nil if there is none.
func (f *File) origin(e *dwarf.Entry) *dwarf.Entry {
	for _, a := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		if off, ok := e.Val(a).(dwarf.Offset); ok {
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
	off, ok = f.val(e, dwarf.AttrType).(dwarf.Offset)
	return off, ok
}
