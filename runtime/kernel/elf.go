package kernel

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ianlancetaylor/demangle"

	"fst/compiler/object"
	"fst/compiler/target"
	"fst/runtime/elffile"
	"fst/runtime/unwind"
)

// Binaries are the programs and libraries of this machine. It is safe for concurrent
// use.
type Binaries struct {
	elf   elfCache
	debug debugCache
}

var (
	_ target.Binaries  = (*Binaries)(nil)
	_ target.Code      = (*Binaries)(nil)
	_ target.DebugInfo = (*Binaries)(nil)
)

// elfCache keeps what was read of the binaries last asked for: a program
// often has several probes in one.
type elfCache struct {
	debugDirs []string // of separate files

	mu      sync.Mutex
	files   map[string]*elfFile
	symbols int // of the files
}

// places are where the separate file of a binary may be.
func (c *elfCache) places(path string) elffile.Places {
	p := elffile.Places{Dirs: c.debugDirs}
	if pid, ok := strings.CutPrefix(path, "/proc/"); ok {
		if n, _, ok := strings.Cut(pid, "/root/"); ok {
			p.Root = "/proc/" + n + "/root"
		}
	}
	return p
}

type elfFile struct {
	changed time.Time
	symbols []target.UserSymbol        // sorted by address; without names for any, under their addresses
	ranges  func() []target.UserSymbol // functions whose frames are described, under their addresses
	named   func() map[string][]int32  // where in symbols each name is
	notes   []target.USDTProbe

	objects  map[string]target.UserSymbol // variables
	segments []elf.ProgHeader
	fixed    bool // loaded where the addresses say
}

// maxCached is how many symbols are kept, of all binaries together: a wildcard may
// look into hundreds.
const maxCached = 500_000

// file reads the functions and probes of a binary.
func (c *elfCache) file(path string) (*elfFile, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("the binary %s can't be used: %w", path, cause(err))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.files[path]; f != nil && f.changed.Equal(st.ModTime()) {
		return f, nil
	}
	e, err := elffile.Open(path)
	if err != nil {
		if errors.Is(err, elffile.ErrNotELF) {
			return nil, fmt.Errorf("%s is not an ELF binary", path)
		}
		return nil, fmt.Errorf("the binary %s can't be read: %w", path, cause(err))
	}
	defer e.Close()
	static := e.StaticSymbols(c.places(path))
	dynamic, _ := e.DynamicSymbols()
	all := append(static, dynamic...)
	f := &elfFile{changed: st.ModTime(), symbols: elfFunctions(e, all, len(static) > 0), objects: elfObjects(all), fixed: e.Type == elf.ET_EXEC}
	f.ranges = sync.OnceValue(func() []target.UserSymbol { return elfRanges(path) })
	if len(f.symbols) == 0 {
		f.symbols = f.ranges()
	}
	f.named = sync.OnceValue(func() map[string][]int32 {
		places := make(map[string][]int32, len(f.symbols))
		for i, y := range f.symbols {
			places[y.Name] = append(places[y.Name], int32(i))
		}
		return places
	})
	for _, p := range e.Progs {
		if p.Type == elf.PT_LOAD {
			f.segments = append(f.segments, p.ProgHeader)
		}
	}
	if f.notes, err = elfNotes(e.File, f.objects); err != nil {
		return nil, fmt.Errorf("the static probes of %s can't be read: %w", path, err)
	}
	if c.symbols += len(all); c.files == nil || c.symbols > maxCached {
		c.files, c.symbols = map[string]*elfFile{}, len(all)
	}
	c.files[path] = f
	return f, nil
}

// fileOffset translates a virtual address.
func fileOffset(e *elf.File, addr uint64) (uint64, bool) {
	for _, p := range e.Progs {
		if p.Type == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr < p.Filesz {
			return addr - p.Vaddr + p.Off, true
		}
	}
	return 0, false
}

// elfObjects are the variables among symbols.
func elfObjects(symbols []elf.Symbol) map[string]target.UserSymbol {
	found := map[string]target.UserSymbol{}
	for _, y := range symbols {
		if elf.ST_TYPE(y.Info) == elf.STT_OBJECT && y.Section != elf.SHN_UNDEF {
			name, _, _ := strings.Cut(y.Name, "@")
			switch o, ok := found[name]; {
			case !ok:
				found[name] = target.UserSymbol{Name: name, Addr: y.Value, Size: y.Size}
			case o.Addr != y.Value:
				o.Several = true
				found[name] = o
			}
		}
	}
	return found
}

// Object implements target.Target.
func (b *Binaries) Object(path, name string) (target.UserSymbol, bool) {
	f, err := b.elf.file(path)
	if err != nil {
		return target.UserSymbol{}, false
	}
	if o, ok := f.objects[name]; ok {
		return o, true
	}
	if at := f.named()[name]; len(at) > 0 {
		return f.symbols[at[0]], true
	}
	return target.UserSymbol{}, false
}

// FileOffset implements target.Target.
func (b *Binaries) FileOffset(path string, addr uint64) (offset uint64, ok bool) {
	f, err := b.elf.file(path)
	if err != nil {
		return 0, false
	}
	for _, p := range f.segments {
		if addr >= p.Vaddr && addr-p.Vaddr < p.Filesz && p.Flags&elf.PF_X != 0 {
			return addr - p.Vaddr + p.Off, true
		}
	}
	return 0, false
}

// Address implements target.Target.
func (b *Binaries) Address(path string, offset uint64) (addr uint64, fixed, ok bool) {
	f, err := b.elf.file(path)
	if err != nil {
		return 0, false, false
	}
	for _, p := range f.segments {
		if offset >= p.Off && offset-p.Off < p.Filesz {
			return offset - p.Off + p.Vaddr, f.fixed, true
		}
	}
	return 0, false, false
}

// functions returns those of a binary, which must have some, with names that match a pattern, by their addresses.
func (c *elfCache) functions(path, pattern string) (found []target.UserSymbol, err error) {
	f, err := c.file(path)
	if err == nil && len(f.symbols) == 0 {
		err = fmt.Errorf("%s has no symbols of functions: %w", path, target.ErrStripped)
	}
	if err != nil {
		return nil, err
	}
	if !target.IsWild(pattern) {
		for _, at := range f.named()[pattern] {
			found = append(found, f.symbols[at])
		}
		return found, nil
	}
	for _, y := range f.symbols {
		if target.Match(pattern, y.Name) {
			found = append(found, y)
		}
	}
	return found, nil
}

// elfFunctions lists the functions among the symbols of a binary, each name and
// address once. Where Go programs are stripped they are those of Go's own table.
func elfFunctions(e *elffile.File, symbols []elf.Symbol, static bool) []target.UserSymbol {
	ofGo, registers, goErr := e.GoFunctions()
	isGo := !errors.Is(goErr, elffile.ErrNoGo)
	table := map[uint64]*elffile.GoFunction{}
	for i := range ofGo {
		table[ofGo[i].Addr] = &ofGo[i]
	}
	throws := slices.ContainsFunc(symbols, func(y elf.Symbol) bool {
		name, _, _ := strings.Cut(y.Name, "@")
		return name == "__gxx_personality_v0" || name == "rust_eh_personality"
	})
	var list []target.UserSymbol
	add := func(name string, addr, size uint64, chooser bool) {
		off, ok := fileOffset(e.File, addr)
		if !ok {
			return
		}
		y := target.UserSymbol{Name: name, Addr: addr, Offset: off, Size: size, Chooser: chooser, Throws: throws, Bits32: e.Class != elf.ELFCLASS64}
		fn := table[addr]
		if y.Go = fn != nil || goErr != nil && isGo && strings.Contains(name, "."); y.Go {
			y.Convention = object.ConventionUnknown
			// Functions of cgo take their arguments on the stack.
			stack := strings.HasSuffix(name, ".abi0") || strings.Contains(name, "._Cfunc_")
			if registers && fn != nil && !fn.Assembly && !stack {
				y.Convention = object.ConventionGo
			}
		}
		list = append(list, y)
	}
	for _, y := range symbols {
		t := elf.ST_TYPE(y.Info)
		if t != elf.STT_FUNC && t != elf.STT_GNU_IFUNC || y.Section == elf.SHN_UNDEF || y.Name == "" {
			continue
		}
		name, _, _ := strings.Cut(y.Name, "@")
		add(name, y.Value, y.Size, t == elf.STT_GNU_IFUNC)
	}
	if !static {
		for _, fn := range ofGo {
			add(fn.Name, fn.Addr, fn.Size, false)
		}
	}
	slices.SortStableFunc(list, func(a, b target.UserSymbol) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), strings.Compare(a.Name, b.Name))
	})
	return slices.CompactFunc(list, func(a, b target.UserSymbol) bool { return a.Addr == b.Addr && a.Name == b.Name })
}

// elfRanges lists the functions of a binary whose frames are described. What the linker
// made for calls of libraries (.plt) is none.
func elfRanges(path string) []target.UserSymbol {
	e, err := elffile.Open(path)
	if err != nil {
		return nil
	}
	defer e.Close()
	linkage := func(addr uint64) bool {
		return slices.ContainsFunc(e.Sections, func(s *elf.Section) bool {
			return strings.HasPrefix(s.Name, ".plt") && addr >= s.Addr && addr-s.Addr < s.Size
		})
	}
	var list []target.UserSymbol
	for _, r := range unwind.Functions(e.File) {
		if off, ok := fileOffset(e.File, r.Start); ok && !linkage(r.Start) {
			list = append(list, target.UserSymbol{Name: fmt.Sprintf("%#x", r.Start), Nameless: true, Addr: r.Start, Offset: off, Size: r.End - r.Start})
		}
	}
	return list
}

// FunctionAt implements target.Target.
func (b *Binaries) FunctionAt(path string, addr uint64) (target.UserSymbol, bool) {
	f, err := b.elf.file(path)
	if err != nil {
		return target.UserSymbol{}, false
	}
	holds := func(y target.UserSymbol) bool { return addr >= y.Addr && addr-y.Addr < max(y.Size, 1) }
	if i := slices.IndexFunc(f.symbols, holds); i >= 0 {
		return f.symbols[i], true
	}
	ranges := f.ranges()
	if i := slices.IndexFunc(ranges, holds); i >= 0 {
		return ranges[i], true
	}
	return target.UserSymbol{}, false
}

// Symbols implements target.Target: sorted by name. For a pattern with a
// wildcard each address is listed once, by the name that looks most public.
func (b *Binaries) Symbols(path, pattern string) ([]target.UserSymbol, error) {
	symbols, err := b.elf.functions(path, pattern)
	if err != nil {
		return nil, err
	}
	var found []target.UserSymbol
	for _, y := range symbols {
		if n := len(found); n > 0 && target.IsWild(pattern) && found[n-1].Addr == y.Addr {
			if underscores(y.Name) < underscores(found[n-1].Name) {
				found[n-1] = y
			}
			continue
		}
		found = append(found, y)
	}
	slices.SortStableFunc(found, func(a, b target.UserSymbol) int { return strings.Compare(a.Name, b.Name) })
	return found, nil
}

// SymbolNames lists the names of the functions of a binary that match a
// pattern, sorted: all names of each.
func (b *Binaries) SymbolNames(path, pattern string) ([]string, error) {
	symbols, err := b.elf.functions(path, pattern)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, y := range symbols {
		names = append(names, y.Name)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// MangledSymbols implements target.DebugInfo.
func (b *Binaries) MangledSymbols(path, pattern string) ([]target.UserSymbol, error) {
	f, err := b.elf.file(path)
	if err != nil {
		return nil, err
	}
	var found []target.UserSymbol
	for _, y := range f.symbols {
		if !inSource(y.Name, pattern) {
			continue
		}
		if n := len(found); n > 0 && found[n-1].Addr == y.Addr { // two names of a constructor
			continue
		}
		found = append(found, y)
	}
	slices.SortStableFunc(found, func(a, b target.UserSymbol) int { return strings.Compare(a.Name, b.Name) })
	return found, nil
}

// inSource reports whether a pattern matches the name that a function has in the source. The parameters are part
// of that name if the pattern has a '('.
func inSource(symbol, pattern string) bool {
	name, err := demangle.ToString(symbol)
	if err != nil {
		name = symbol
	}
	// A type may have brackets within <>: what counts is what the pattern has.
	whole := strings.Contains(pattern, "(")
	return target.Match(pattern, name) || !whole && target.Match(pattern, withoutParams(symbol, name))
}

// withoutParams is the demangled name of a function without its parameters
// and result.
func withoutParams(mangled, whole string) string {
	name, err := demangle.ToString(mangled, demangle.NoParams, demangle.NoEnclosingParams)
	if err != nil {
		return whole
	}
	return name
}

// underscores counts what a name begins with: fewer are more public.
func underscores(name string) int { return len(name) - len(strings.TrimLeft(name, "_")) }

// USDT implements target.Target. An empty provider means any.
func (b *Binaries) USDT(path, provider, name string) ([]target.USDTProbe, error) {
	f, err := b.elf.file(path)
	if err != nil {
		return nil, err
	}
	if provider == "" {
		provider = "*"
	}
	var found []target.USDTProbe
	for _, p := range f.notes {
		if target.Match(provider, p.Provider) && target.Match(name, p.Name) {
			found = append(found, p)
		}
	}
	return found, nil
}
