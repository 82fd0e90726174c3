package elffile

import (
	"bytes"
	"debug/elf"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ulikunitz/xz"
)

// Places are where the separate files of stripped binaries may lie, besides the
// directories of the binaries.
type Places struct {
	// Root stands before the paths that the process sees which uses the binary
	// ("/proc/12/root"); empty for those of this process. /usr/lib/debug is below it.
	Root string
	Dirs []string // searched like /usr/lib/debug, behind it
}

// Separate opens the file to which something was moved from a binary: that which
// distributions keep by its build id, or under the name that it gives itself
// (.gnu_debuglink). Files of other builds are passed over, and those that have not
// what is looked for. It is nil if there is none.
func (f *File) Separate(places Places, wanted func(*elf.File) bool) *File {
	for _, path := range f.separate(places) {
		d, err := Open(path)
		if err != nil {
			continue
		}
		if wanted(d.File) && f.owns(d) {
			return d
		}
		d.Close()
	}
	return nil
}

// separate lists where the separate file of a binary may be.
func (f *File) separate(places Places) []string {
	id := BuildID(f.File)
	link, _, _ := f.debugLink()
	at := filepath.Dir(f.path)
	var found []string
	for _, dir := range append([]string{places.Root + "/usr/lib/debug"}, places.Dirs...) {
		if len(id) > 2 {
			found = append(found, dir+"/.build-id/"+id[:2]+"/"+id[2:]+".debug")
		}
		if link != "" {
			found = append(found, filepath.Join(dir, strings.TrimPrefix(at, places.Root), link), filepath.Join(dir, link))
		}
	}
	if link != "" {
		found = append(found, filepath.Join(at, link), filepath.Join(at, ".debug", link))
	}
	return found
}

// owns reports whether a separate file is of this build of the binary: it has the
// same build id or, if the binary has none, the sum that its link tells.
func (f *File) owns(d *File) bool {
	if id := BuildID(f.File); id != "" {
		return BuildID(d.File) == id
	}
	_, want, ok := f.debugLink()
	if !ok {
		return false
	}
	file, err := os.Open(d.path)
	if err != nil {
		return false
	}
	defer file.Close()
	sum := crc32.NewIEEE()
	_, err = io.Copy(sum, file)
	return err == nil && sum.Sum32() == want
}

// debugLink is the name of the separate file of a binary, as the binary has it, and
// the sum of its bytes.
func (f *File) debugLink() (name string, sum uint32, ok bool) {
	sec := f.Section(".gnu_debuglink")
	if sec == nil {
		return "", 0, false
	}
	data, _ := sec.Data()
	name, _, ok = strings.Cut(string(data), "\x00")
	at := (len(name) + 4) &^ 3
	if !ok || strings.Contains(name, "/") || len(data) < at+4 {
		return "", 0, false
	}
	return name, f.ByteOrder.Uint32(data[at:]), true
}

// StaticSymbols are those of the symbol table that `strip` takes away, from where
// it is: in the binary, in its separate file, or what distributions leave of it in
// the binary, compressed (.gnu_debugdata: the functions that the dynamic symbols
// do not have).
func (f *File) StaticSymbols(places Places) []elf.Symbol {
	if own, err := f.Symbols(); err == nil {
		return own
	}
	if d := f.Separate(places, hasSymbols); d != nil {
		defer d.Close()
		symbols, _ := d.Symbols()
		return symbols
	}
	if mini := f.miniDebugInfo(); mini != nil {
		symbols, _ := mini.Symbols()
		return symbols
	}
	return nil
}

func hasSymbols(e *elf.File) bool { return e.SectionByType(elf.SHT_SYMTAB) != nil }

// mostDebugData is how much a .gnu_debugdata may hold: of the largest programs of
// distributions it is some 10 MiB.
const mostDebugData = 64 << 20

// miniDebugInfo is the ELF file within a .gnu_debugdata (section "MiniDebugInfo" of
// GDB's manual), nil if there is none that can be read.
func (f *File) miniDebugInfo() *elf.File {
	sec := f.Section(".gnu_debugdata")
	if sec == nil {
		return nil
	}
	data, err := sec.Data()
	if err != nil {
		return nil
	}
	image, err := unpack(data)
	if err != nil {
		return nil
	}
	e, err := parse(bytes.NewReader(image))
	if err != nil {
		return nil
	}
	return e
}

// unpack is what a .gnu_debugdata holds.
func unpack(data []byte) ([]byte, error) {
	if err := checkDictionaries(data); err != nil {
		return nil, err
	}
	r, err := xz.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, mostDebugData))
}
