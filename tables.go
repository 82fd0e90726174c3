package fst

import (
	"debug/elf"
	"io"
	"os"
	"slices"

	"fst/compiler/object"
	"fst/compiler/target"
	"fst/runtime/session"
	"fst/runtime/symbol"
	"fst/runtime/unwind"

	"golang.org/x/sys/unix"
)

// tables gives a program that unwinds user stacks the tables of the binaries
// that processes run: of those that run already before anything is attached,
// of others as they are mapped. A nil tables does nothing.
type tables struct {
	system target.Target
	names  *resolver
	probed []string // files
	id     int      // of the map
	loader chan *unwind.Loader
}

func newTables(obj *object.Object, system target.Target, names *resolver) *tables {
	i := slices.IndexFunc(obj.Maps, func(m *object.Map) bool { return m.Kind == object.MapUnwind && !m.Unused })
	if i < 0 {
		return nil
	}
	t := &tables{system: system, names: names, id: obj.Maps[i].ID, loader: make(chan *unwind.Loader, 1)}
	for _, prog := range obj.Programs {
		for _, h := range prog.Hooks {
			if h.Path != "" {
				t.probed = append(t.probed, h.Path)
			}
		}
	}
	return t
}

// watched is what is told of files that are mapped.
func (t *tables) watched() func(symbol.Code) {
	if t == nil {
		return nil
	}
	return func(c symbol.Code) {
		l := <-t.loader // until the map is there, what is new waits
		t.loader <- l
		loadTable(l, c)
	}
}

// start loads the tables of the processes that can be met.
func (t *tables) start(s *session.Session, o session.Options) {
	if t == nil {
		return
	}
	l := unwind.NewLoader(func(k unwind.Key, rows []object.UnwindRow) error { return s.AddUnwindTable(t.id, k, rows) })
	l.VDSO()
	known := map[string]bool{}
	if o.Child != nil {
		t.loadProgram(l, o.Child.Path, known)
	}
	for _, path := range t.probed {
		t.loadProgram(l, path, known)
	}
	t.names.EachCode(o.PID, func(c symbol.Code) { loadTable(l, c) })
	t.loader <- l
}

// loadProgram loads the tables of a program that does not run yet, and of the
// libraries that it names. Files whose device has another number for the kernel
// are loaded when they are mapped.
func (t *tables) loadProgram(l *unwind.Loader, path string, known map[string]bool) {
	var st unix.Stat_t
	if known[path] || unix.Stat(path, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return
	}
	known[path] = true
	var libraries []string
	l.File(unwind.KeyOf(st.Ino, unix.Major(st.Dev)<<20|unix.Minor(st.Dev)), func() (*elf.File, io.Closer, error) {
		file, err := os.Open(path)
		if err != nil {
			return nil, nil, err
		}
		f, err := elf.NewFile(file)
		if err != nil {
			file.Close()
			return nil, nil, err
		}
		libraries, _ = f.ImportedLibraries()
		return f, file, nil
	})
	for _, name := range libraries {
		if paths, err := t.system.Binary(name, 0); err == nil && len(paths) > 0 {
			t.loadProgram(l, paths[0], known)
		}
	}
}

func loadTable(l *unwind.Loader, c symbol.Code) {
	l.File(unwind.KeyOf(c.Inode, c.Dev), c.Open)
}
