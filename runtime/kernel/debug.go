package kernel

import (
	"os"
	"sync"

	"fst/compiler/target"
	"fst/compiler/types"
	"fst/runtime/debuginfo"
)

// debugCache keeps the debug information of binaries.
type debugCache struct {
	mu    sync.Mutex
	files map[string]debugFile
}

type debugFile struct {
	file *debuginfo.File
	err  error
}

// debugInfo returns the debug information of a binary, read once.
func (b *Binaries) debugInfo(path string) (*debuginfo.File, error) {
	c := &b.debug
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.files[path]; ok {
		return f.file, f.err
	}
	file, err := debuginfo.Open(path, b.elf.places(path))
	if c.files == nil {
		c.files = map[string]debugFile{}
	}
	c.files[path] = debugFile{file, err}
	return file, err
}

// UserFunction implements target.DebugInfo.
func (b *Binaries) UserFunction(path string, fn target.UserSymbol) (*target.Func, bool) {
	f, err := b.debugInfo(path)
	if err != nil {
		return nil, false
	}
	return f.Function(fn.Addr, fn.Name)
}

// UserType implements target.DebugInfo.
func (b *Binaries) UserType(path string, code []uint64, tag, name string) (t *types.Type, doubt, ok bool) {
	f, err := b.debugInfo(path)
	if err != nil {
		return nil, false, false
	}
	var addrs []uint64
	for _, offset := range code {
		addr, _, _ := b.Address(path, offset)
		addrs = append(addrs, addr)
	}
	return f.Types.Find(tag, name, addrs)
}

// UserEnumerator implements target.DebugInfo.
func (b *Binaries) UserEnumerator(path, name string) (int64, *types.Type, bool) {
	f, err := b.debugInfo(path)
	if err != nil {
		return 0, nil, false
	}
	return f.Types.Enumerator(name)
}

// SourceLine implements target.DebugInfo.
func (b *Binaries) SourceLine(path, file string, line, column int) ([]uint64, error) {
	f, err := b.debugInfo(path)
	if err != nil {
		return nil, err
	}
	return f.Line(file, line, column)
}

// InlinedCopies implements target.DebugInfo.
func (b *Binaries) InlinedCopies(path, pattern string) ([]target.UserSymbol, error) {
	f, err := b.debugInfo(path)
	if err != nil {
		return nil, err
	}
	var list []target.UserSymbol
	for _, c := range f.Inlined(func(name string) bool { return inSource(name, pattern) }) {
		list = append(list, target.UserSymbol{Name: c.Name, Addr: c.Addr})
	}
	return list, nil
}

// askedSize is how large a program is whose debug information is read for a warning only: that takes up to 10 ms a megabyte.
const askedSize = 4 << 20

// IsInlined implements target.DebugInfo. Of large programs it is not known.
func (b *Binaries) IsInlined(path string, fn target.UserSymbol) bool {
	if st, err := os.Stat(path); err != nil || st.Size() > askedSize {
		return false
	}
	f, err := b.debugInfo(path)
	return err == nil && f.IsInlined(fn.Addr, fn.Name)
}
