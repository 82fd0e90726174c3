package kernel

import (
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/runtime/debuginfo"
)

// debugInfo returns the debug information of a binary, read once.
func (s *System) debugInfo(path string) (*debuginfo.File, error) {
	s.debug.Lock()
	defer s.debug.Unlock()
	if f, ok := s.debugFiles[path]; ok {
		return f.file, f.err
	}
	file, err := debuginfo.Open(path, s.elf.places(path))
	if s.debugFiles == nil {
		s.debugFiles = map[string]debugFile{}
	}
	s.debugFiles[path] = debugFile{file, err}
	return file, err
}

type debugFile struct {
	file *debuginfo.File
	err  error
}

// UserFunction implements target.DebugInfo.
func (s *System) UserFunction(path string, fn target.UserSymbol) (*target.Func, bool) {
	f, err := s.debugInfo(path)
	if err != nil {
		return nil, false
	}
	return f.Function(fn.Addr, fn.Name)
}

// UserType implements target.DebugInfo.
func (s *System) UserType(path string, code []uint64, tag, name string) (t *types.Type, doubt, ok bool) {
	f, err := s.debugInfo(path)
	if err != nil {
		return nil, false, false
	}
	var addrs []uint64
	for _, offset := range code {
		addr, _, _ := s.Address(path, offset)
		addrs = append(addrs, addr)
	}
	return f.Types.Find(tag, name, addrs)
}

// UserEnumerator implements target.DebugInfo.
func (s *System) UserEnumerator(path, name string) (int64, *types.Type, bool) {
	f, err := s.debugInfo(path)
	if err != nil {
		return 0, nil, false
	}
	return f.Types.Enumerator(name)
}

// SourceLine implements target.DebugInfo.
func (s *System) SourceLine(path, file string, line, column int) ([]uint64, error) {
	f, err := s.debugInfo(path)
	if err != nil {
		return nil, err
	}
	return f.Line(file, line, column)
}
