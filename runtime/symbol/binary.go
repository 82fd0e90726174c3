package symbol

import (
	"cmp"
	"debug/elf"
	"fst/runtime/clock"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"fst/runtime/debuginfo"
	"fst/runtime/elffile"
	"fst/runtime/vdso"
)

// fileKey names a file for the time of a session.
type fileKey struct {
	dev   string
	inode uint64
	path  string
}

// version tells a file from what stands under its name and number later: some are
// written anew in their place.
type version struct {
	size     int64
	modified time.Time
}

// maxVersions is how many versions of a file are kept.
const maxVersions = 4

// binary is the table of an ELF file's functions.
type binary struct {
	version   version
	changed   time.Time // when it was written or replaced, its times of writing may be made up
	segments  []segment
	functions []function // sorted by address
	buildID   string
	debug     *debuginfo.File // nil if there is none, or nobody asked yet
	places    map[uint64][]debuginfo.Place
}

type segment struct{ offset, size, addr uint64 }

type function struct {
	addr, size uint64
	name       string
}

// binaries are the ELF files that processes have mapped.
type binaries struct {
	proc      procFS
	debugDirs []string
	known     map[fileKey][]*binary // the versions that were met, the last one behind
	vdso      func() *binary
}

func newBinaries(proc procFS, debugDirs []string) binaries {
	return binaries{proc: proc, debugDirs: debugDirs, known: map[fileKey][]*binary{}, vdso: sync.OnceValue(readVDSO)}
}

// behind returns the file behind a mapping of a process, read on its first use; nil if
// it is no ELF file or cannot be read.
func (bs *binaries) behind(pid int, m *mapping) *binary {
	if m.file != nil {
		return m.file
	}
	key := fileKey{m.dev, m.inode, m.path}
	known, tried := bs.known[key]
	if tried && known == nil {
		return nil
	}
	root := bs.proc.root(pid)
	for _, path := range bs.proc.paths(pid, m) {
		if b, err := bs.read(key, path, root); err == nil {
			m.file = b
			return b
		}
	}
	if _, err := os.Stat(root); err == nil {
		if known == nil {
			bs.known[key] = nil
		}
	} else {
		// When the process has ended, a file of that name here is the best guess. If
		// there is none, another process may show it later.
		bs.read(key, m.path, "")
	}
	m.file = versionAt(bs.known[key], m.told)
	return m.file
}

// versionAt is the version of a file that was there at a time of the monotonic
// clock: nil if all were written later. It is the last one if the time is 0.
func versionAt(known []*binary, told uint64) *binary {
	at := time.Now().Add(time.Duration(int64(told) - clock.Read(unix.CLOCK_MONOTONIC)))
	for _, b := range slices.Backward(known) {
		if told == 0 || b.changed.Before(at) {
			return b
		}
	}
	return nil
}

// read reads a file, unless this version of it is known.
func (bs *binaries) read(key fileKey, path, root string) (*binary, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	v := version{st.Size(), st.ModTime()}
	known := bs.known[key]
	if i := slices.IndexFunc(known, func(b *binary) bool { return b.version == v }); i >= 0 {
		return known[i], nil
	}
	b, err := readBinary(path, elffile.Places{Root: root, Dirs: bs.debugDirs})
	if err != nil {
		return nil, err
	}
	b.version = v
	b.changed = time.Unix(st.Sys().(*syscall.Stat_t).Ctim.Unix())
	bs.known[key] = append(known[max(0, len(known)+1-maxVersions):], b)
	return b, nil
}

// debugInfo opens the debug information of the file behind a mapping, nil if it
// has none.
func (bs *binaries) debugInfo(pid int, m *mapping) *debuginfo.File {
	paths := bs.proc.paths(pid, m)
	slices.Reverse(paths) // beside its name may lie the name of its debug information
	for _, path := range append(paths, m.path) {
		places := elffile.Places{Root: bs.proc.root(pid), Dirs: bs.debugDirs}
		if path == m.path {
			places.Root = ""
		}
		if f, err := debuginfo.Open(path, places); err == nil {
			return f
		}
	}
	return nil
}

// lookup returns the function at an offset of the file.
func (b *binary) lookup(fileOffset uint64) (name string, offset uint64) {
	if addr, ok := b.address(fileOffset); ok {
		return b.at(addr)
	}
	return "", 0
}

// address is the linker's address of a place in the file.
func (b *binary) address(fileOffset uint64) (addr uint64, ok bool) {
	for _, s := range b.segments {
		if fileOffset >= s.offset && fileOffset-s.offset < s.size {
			return fileOffset - s.offset + s.addr, true
		}
	}
	return 0, false
}

func (b *binary) at(addr uint64) (name string, offset uint64) {
	f := b.functions
	i := sort.Search(len(f), func(i int) bool { return f[i].addr > addr }) - 1
	// A function may lie within a larger one: look a few back.
	for n := 0; i >= 0 && n < 8; i, n = i-1, n+1 {
		if addr-f[i].addr < f[i].size || f[i].size == 0 && n == 0 {
			return f[i].name, addr - f[i].addr
		}
	}
	return "", 0
}

// readBinary reads the functions of an ELF file. Of a stripped one they are what
// distributions keep elsewhere, and the names that the dynamic linker needs.
func readBinary(path string, places elffile.Places) (*binary, error) {
	f, err := elffile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return binaryOf(f, places), nil
}

// readVDSO reads the table of the code that the kernel maps into every process.
func readVDSO() *binary {
	f, err := elffile.Parse(vdso.Image())
	if err != nil {
		return nil
	}
	return binaryOf(f, elffile.Places{})
}

func binaryOf(f *elffile.File, places elffile.Places) *binary {
	b := &binary{buildID: elffile.BuildID(f.File)}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			b.segments = append(b.segments, segment{p.Off, p.Filesz, p.Vaddr})
		}
	}
	static := f.StaticSymbols(places)
	dynamic, _ := f.DynamicSymbols()
	list := functionsOf(append(static, dynamic...))
	if len(static) == 0 {
		list = append(list, goFunctions(f)...)
	}
	b.functions = sortFunctions(list)
	return b
}

func functionsOf(syms []elf.Symbol) []function {
	list := make([]function, 0, len(syms))
	for i := range syms {
		s := &syms[i]
		switch elf.ST_TYPE(s.Info) {
		case elf.STT_FUNC, elf.STT_GNU_IFUNC:
		case elf.STT_NOTYPE:
			// Functions written in assembly; marks and labels are not.
			if elf.ST_BIND(s.Info) == elf.STB_LOCAL {
				continue
			}
		default:
			continue
		}
		if s.Section == elf.SHN_UNDEF || s.Section >= elf.SHN_LORESERVE || s.Name == "" || s.Value == 0 {
			continue
		}
		list = append(list, function{s.Value, s.Size, s.Name})
	}
	return list
}

// goFunctions are those of a stripped Go program.
func goFunctions(f *elffile.File) []function {
	table, _, _ := f.GoFunctions()
	list := make([]function, 0, len(table))
	for _, fn := range table {
		list = append(list, function{fn.Addr, fn.Size, fn.Name})
	}
	return list
}

// sortFunctions orders by address and leaves one name for each.
func sortFunctions(list []function) []function {
	slices.SortFunc(list, func(a, b function) int {
		return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(b.size, a.size), compareNames(a.name, b.name))
	})
	list = slices.CompactFunc(list, func(a, b function) bool { return a.addr == b.addr })
	return slices.Clip(list)
}

// compareNames prefers, of several names of one function, the one people use:
// read before __read before __GI___read.
func compareNames(a, b string) int {
	under := func(s string) int { return len(s) - len(strings.TrimLeft(s, "_")) }
	return cmp.Or(cmp.Compare(under(a), under(b)), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
