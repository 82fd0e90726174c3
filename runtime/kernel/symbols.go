package kernel

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"weak"

	"golang.org/x/sys/unix"

	"fst/compiler/target/facts"
	"fst/runtime/perf"
)

// Symbols is the table of the kernel's functions, and of the modules' functions and
// variables, sorted by address.
type Symbols struct {
	addrs []uint64
	names []uint32 // where each name begins in text; it ends with a NUL
	mods  []uint16 // index into modules
	text  []byte

	modules []string // [0] is ""

	// data is the table of the kernel's variables, if there is one: read when an
	// address of one is looked up.
	data func() *Symbols
}

// Len is the number of symbols.
func (t *Symbols) Len() int { return len(t.addrs) }

// Lookup returns the function or variable that holds an address, how far into it the
// address is, and its module ("" for the kernel itself).
func (t *Symbols) Lookup(addr uint64) (name string, offset uint64, module string, ok bool) {
	t, i := t.find(addr)
	if t == nil {
		return "", 0, "", false
	}
	return t.name(i), addr - t.addrs[i], t.modules[t.mods[i]], true
}

// Size returns how far it is from the beginning of the symbol that Lookup finds to
// the next one.
func (t *Symbols) Size(addr uint64) uint64 {
	t, i := t.find(addr)
	if t == nil {
		return 0
	}
	for _, next := range t.addrs[i:] {
		if next > t.addrs[i] {
			return next - t.addrs[i]
		}
	}
	return 0
}

// find returns the symbol that holds an address and the table that has it: this one
// or that of the variables, or nil.
func (t *Symbols) find(addr uint64) (table *Symbols, symbol int) {
	i := sort.Search(len(t.addrs), func(i int) bool { return t.addrs[i] > addr }) - 1
	if i < 0 {
		return nil, 0
	}
	// Of several names for an address the first one in the kernel's list is taken.
	for i > 0 && t.addrs[i-1] == t.addrs[i] {
		i--
	}
	if t.mods[i] != 0 && addr-t.addrs[i] >= maxFunction {
		return nil, 0
	}
	switch t.name(i) {
	case "_etext", "_einittext": // the end of the kernel's functions
		if t.data == nil {
			return nil, 0
		}
		return t.data().find(addr)
	case "_end", "__brk_limit": // and of its variables
		return nil, 0
	}
	return t, i
}

func (t *Symbols) name(i int) string {
	b := t.text[t.names[i]:]
	return string(b[:bytes.IndexByte(b, 0)])
}

const (
	// maxFunction is more than the size of any function of a module, and less than
	// that of a module and what is between it and the next one.
	maxFunction = 128 << 10
	// usualProgram is more than the size of most BPF programs, which lie side by
	// side.
	usualProgram = 4 << 10
)

// Stale reports whether an address may be in a module or a BPF program that was
// loaded after the table was read: it is among those, and far from the start of any
// that is known.
func (t *Symbols) Stale(addr uint64) bool {
	i := sort.Search(len(t.addrs), func(i int) bool { return t.addrs[i] > addr }) - 1
	if i < 0 || t.mods[i] == 0 {
		return false
	}
	far := uint64(maxFunction)
	if t.modules[t.mods[i]] == "bpf" {
		far = usualProgram
	}
	return addr-t.addrs[i] >= far
}

// symbolTable is a table that is read when it is first asked for.
type symbolTable struct {
	mu    sync.Mutex
	read  bool
	table *Symbols
	err   error
}

func (t *symbolTable) get(fresh bool) (*Symbols, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.read || fresh {
		t.table, t.err = readSymbols()
		t.read = true
	}
	return t.table, t.err
}

// KernelSymbols returns the table of the kernel's symbols, read from
// /proc/kallsyms in the first call, and if fresh is set.
func (s *System) KernelSymbols(fresh bool) (*Symbols, error) { return s.symbols.get(fresh) }

var errHidden = errors.New("the kernel hides its addresses: run as root, or set sysctl kernel.kptr_restrict to 0")

// The kinds of symbols that are functions, and those of variables.
const (
	functionKinds = "tTwW"
	variableKinds = "dDbBrR"
)

// ofFunctions reports whether a symbol belongs to the first table. The variables of a
// module are few and lie beside its functions: without them the last function before
// one would have its address.
func ofFunctions(kind byte, module []byte) bool {
	return strings.IndexByte(functionKinds, kind) >= 0 || len(module) > 0 && strings.IndexByte(variableKinds, kind) >= 0
}

// ofKernelVariables reports whether a symbol belongs to the second one.
func ofKernelVariables(kind byte, module []byte) bool {
	return len(module) == 0 && strings.IndexByte(variableKinds, kind) >= 0
}

func readSymbols() (*Symbols, error) {
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		return nil, errors.New("kernel addresses have no names: /proc/kallsyms can't be read (CONFIG_KALLSYMS, or run as root)")
	}
	defer f.Close()
	t, err := parseSymbols(f, ofFunctions)
	if err == nil {
		t.data = sync.OnceValue(readVariables)
	}
	return t, err
}

// fewVariables is less than the variables of any kernel, and more than the ends of
// sections that one tells which tells no variables.
const fewVariables = 1000

// readVariables reads the kernel's variables. Without CONFIG_KALLSYMS_ALL the
// kernel tells only some ends of sections: whatever lies behind one would have its
// name.
func readVariables() *Symbols {
	if f, err := os.Open("/proc/kallsyms"); err == nil {
		defer f.Close()
		if t, err := parseSymbols(f, ofKernelVariables); err == nil && t.Len() >= fewVariables {
			return t
		}
	}
	return &Symbols{}
}

// parseSymbols reads those symbols of a table that are wanted.
func parseSymbols(r io.Reader, wanted func(kind byte, module []byte) bool) (*Symbols, error) {
	// Room for what a usual kernel has: growing would copy it all several times.
	const functions, text = 150_000, 3_500_000
	t := &Symbols{
		addrs: make([]uint64, 0, functions), names: make([]uint32, 0, functions), mods: make([]uint16, 0, functions),
		text: make([]byte, 0, text), modules: []string{""},
	}
	sorted, hidden := true, true
	last, index := "", 0 // the module of the symbol before
	err := eachSymbol(r, func(addr uint64, kind byte, name, module []byte) bool {
		hidden = hidden && addr == 0
		if !wanted(kind, module) {
			return true
		}
		m := 0
		if len(module) > 0 {
			if string(module) != last {
				last = string(module)
				index = slices.Index(t.modules, last)
				if index < 0 && len(t.modules) <= math.MaxUint16 {
					index = len(t.modules)
					t.modules = append(t.modules, last)
				}
			}
			m = max(0, index)
		}
		if n := len(t.addrs); n > 0 && addr < t.addrs[n-1] {
			sorted = false
		}
		t.addrs = append(t.addrs, addr)
		t.names = append(t.names, uint32(len(t.text)))
		t.mods = append(t.mods, uint16(m))
		t.text = append(append(t.text, name...), 0)
		return true
	})
	if err != nil {
		return nil, err
	}
	if hidden {
		return nil, errHidden
	}
	if !sorted {
		t.sort()
	}
	return t, nil
}

func (t *Symbols) sort() {
	order := make([]uint32, len(t.addrs))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int {
		switch x, y := t.addrs[a], t.addrs[b]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	addrs, names, mods := make([]uint64, len(order)), make([]uint32, len(order)), make([]uint16, len(order))
	for i, o := range order {
		addrs[i], names[i], mods[i] = t.addrs[o], t.names[o], t.mods[o]
	}
	t.addrs, t.names, t.mods = addrs, names, mods
}

// kallsyms is the text of /proc/kallsyms. The kernel takes some 50 ms to write it, and a
// script may ask for several names: it is kept for the next one, until memory is collected.
type kallsyms struct {
	mu   sync.Mutex
	text weak.Pointer[[]byte]
}

// open returns the text; it is empty if it can't be read.
func (k *kallsyms) open() []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	text := k.text.Value()
	if text == nil {
		data, err := os.ReadFile("/proc/kallsyms")
		if err != nil {
			return nil
		}
		text = &data
		k.text = weak.Make(text)
	}
	return *text
}

// Symbol implements target.Target. Data symbols are found too.
func (s *System) Symbol(name string) (uint64, bool) {
	text := s.kallsyms.open()
	for wanted := []byte(" " + name); ; {
		at := bytes.Index(text, wanted)
		if at < 0 {
			return 0, false
		}
		line := text[bytes.LastIndexByte(text[:at], '\n')+1:]
		if text = text[at+len(wanted):]; len(text) > 0 && text[0] != '\n' && text[0] != '\t' {
			continue // a longer name
		}
		var found uint64
		eachSymbol(bytes.NewReader(line), func(addr uint64, _ byte, n, _ []byte) bool {
			if string(n) == name {
				found = addr
			}
			return false
		})
		if found != 0 {
			return found, true
		}
	}
}

// Static tells which of some functions of the kernel are static, as its list of symbols has them. A function that
// has namesakes is if all of them are.
func (s *System) Static(functions []string) map[string]bool {
	static := map[string]bool{}
	wanted := map[string]bool{}
	for _, f := range functions {
		wanted[f] = true
	}
	eachSymbol(bytes.NewReader(s.kallsyms.open()), func(_ uint64, kind byte, name, _ []byte) bool {
		if (kind == 't' || kind == 'T') && wanted[string(name)] {
			n := string(name)
			before, seen := static[n]
			static[n] = kind == 't' && (before || !seen)
		}
		return true
	})
	return static
}

// FunctionAddresses finds all functions of the kernel, or of a module (Vmlinux: the
// kernel's own), that have a name. It finds none where addresses are hidden.
func FunctionAddresses(name, module string) []uint64 {
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		return nil
	}
	defer f.Close()
	return functionAddresses(f, name, module)
}

func functionAddresses(r io.Reader, name, module string) (found []uint64) {
	eachSymbol(r, func(addr uint64, kind byte, n, in []byte) bool {
		if string(n) == name && addr != 0 && strings.IndexByte(functionKinds, kind) >= 0 &&
			(module == "" || module == string(in) || module == facts.Vmlinux && len(in) == 0) {
			found = append(found, addr)
		}
		return true
	})
	return found
}

// HasNamesakes implements facts.Source. A kernel that refuses a kprobe by the name of several
// functions is asked; some (7.2) do not look into the modules if they have the function
// themselves, so that each module is asked for it, too. Others take the first function without
// a word, and look for a name longer than their list takes to read.
func (src *source) HasNamesakes(name string) bool {
	if src.funcs.isWhole() {
		return false // it has them all
	}
	if !refusesSeveral() || errors.Is(tryKprobe(name, outside), unix.EADDRNOTAVAIL) {
		return true
	}
	modules, err := os.ReadFile("/proc/modules")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(modules)) {
		module, _, _ := strings.Cut(line, " ")
		// These say the same of an offset outside as of a name that is not there.
		if !errors.Is(tryKprobe(module+":"+name, 0), unix.ENOENT) {
			return true // if it is that module's alone, the whole list tells
		}
	}
	return false
}

// outside is an offset in no function: the kernel looks for the name, but makes no kprobe.
const outside = 1 << 31

// refusesSeveral tells whether the kernel refuses a kprobe by the name of several functions,
// as Linux does since 6.7 and the stable releases of that time. No kernel is without a few of
// these: each file of /proc and the like has its own.
var refusesSeveral = sync.OnceValue(func() bool {
	return slices.ContainsFunc([]string{"m_start", "c_start", "s_start", "t_start"}, func(name string) bool {
		return errors.Is(tryKprobe(name, outside), unix.EADDRNOTAVAIL)
	})
})

// tryKprobe returns the error of a kprobe, which is gone again.
func tryKprobe(name string, offset uint64) error {
	typ, err := perf.PMU("kprobe")
	if err != nil {
		return err
	}
	attr := perf.Probe(typ, 0)
	attr.Ext2 = offset
	return perf.Named(attr, name, func() error {
		fd, err := perf.Open(attr, -1, 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	})
}

// SymbolOffset implements target.Target.
func (s *System) SymbolOffset(addr uint64) (uint64, bool) {
	symbols, err := s.KernelSymbols(false)
	if err != nil {
		return 0, false
	}
	_, offset, _, ok := symbols.Lookup(addr)
	return offset, ok
}

// eachSymbol parses the lines of kallsyms, "ffffffff81000000 T name	[module]",
// until f returns false.
func eachSymbol(r io.Reader, f func(addr uint64, kind byte, name, module []byte) bool) error {
	br := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := br.ReadSlice('\n')
		if len(line) == 0 && err == io.EOF {
			return nil
		} else if err != nil && err != io.EOF {
			return err
		}
		var addr uint64
		i := 0
		for ; i < len(line) && line[i] != ' '; i++ {
			c := line[i]
			if c >= 'a' {
				c -= 'a' - 10
			} else {
				c -= '0'
			}
			addr = addr<<4 | uint64(c)
		}
		if i+3 >= len(line) {
			continue
		}
		kind, name := line[i+1], bytes.TrimRight(line[i+3:], "\n")
		var module []byte
		if j := bytes.IndexByte(name, '\t'); j >= 0 {
			module = bytes.Trim(name[j+1:], "[]\n")
			name = name[:j]
		}
		if !f(addr, kind, name, module) {
			return nil
		}
	}
}
