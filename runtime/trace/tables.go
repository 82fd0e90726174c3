package trace

import (
	"slices"
	"sync"

	"fst/compiler/object"
	"fst/runtime/elffile"
	"fst/runtime/kernel"
	"fst/runtime/session"
	"fst/runtime/symbol"
	"fst/runtime/unwind"

	"golang.org/x/sys/unix"
)

// tables gives a program that unwinds user stacks the tables of the binaries
// that processes run: of those that run already before anything is attached,
// of others as they are mapped. A nil tables does nothing.
type tables struct {
	system *kernel.System
	names  *Names
	probed []string // files
	id     int      // of the map
	layers layers

	loader  *unwind.Loader
	ready   chan struct{} // closed once there is a loader, and what ran before has its tables
	ended   chan struct{} // closed when nothing is to be loaded any more
	pending sync.WaitGroup
	// What is mapped is loaded in one of two lanes, so that a library of 100 MB,
	// which takes a second, does not hold up the small program behind it.
	small, large sync.Mutex
}

// largeCode is how many bytes of code a file of the slower lane has.
const largeCode = 4 << 20

func newTables(obj *object.Object, names *Names) *tables {
	i := slices.IndexFunc(obj.Maps, func(m *object.Map) bool { return m.Kind == object.MapUnwind && !m.Unused })
	if i < 0 {
		return nil
	}
	t := &tables{system: names.system, names: names, layers: layers{system: names.system, known: map[unwind.Key]unwind.Key{}}, id: obj.Maps[i].ID, ready: make(chan struct{}), ended: make(chan struct{})}
	for _, prog := range obj.Programs {
		for _, h := range prog.Hooks {
			if h.Path != "" {
				t.probed = append(t.probed, h.Path)
			}
		}
	}
	return t
}

// watched is what is told of files that are mapped. It returns at once: who
// tells must go on to empty the kernel's buffers.
func (t *tables) watched() func(symbol.Code) {
	if t == nil {
		return nil
	}
	return func(c symbol.Code) {
		lane := &t.small
		if c.Size() > largeCode {
			lane = &t.large
		}
		t.pending.Go(func() {
			select {
			case <-t.ended:
				return
			case <-t.ready:
			}
			lane.Lock()
			defer lane.Unlock()
			select {
			case <-t.ended:
			default:
				t.load(t.loader, c)
				t.layers.settled()
			}
		})
	}
}

// close ends the loading; nothing may be told any more.
func (t *tables) close() {
	if t != nil {
		close(t.ended)
		t.pending.Wait()
	}
}

// start loads the tables of the processes that can be met.
func (t *tables) start(s *session.Session, o session.Options) {
	if t == nil {
		return
	}
	l := unwind.NewLoader(func(k unwind.Key, rows []object.UnwindRow) error { return s.Maps.AddUnwindTable(t.id, k, rows) })
	l.VDSO()
	known := map[string]bool{}
	if o.Child != nil {
		t.loadProgram(l, o.Child.Path, known)
	}
	for _, path := range t.probed {
		t.loadProgram(l, path, known)
	}
	t.names.EachCode(o.PID, func(c symbol.Code) { t.load(l, c) })
	t.layers.settled()
	t.loader = l
	close(t.ready)
}

// loadProgram loads the tables of a program that does not run yet, and of the
// libraries that it names. Files whose device has another number for the kernel
// are loaded when they are mapped.
func (t *tables) loadProgram(l *unwind.Loader, path string, known map[string]bool) {
	var st unix.Stat_t
	if known[path] || unix.Stat(path, &st) != nil {
		return
	}
	known[path] = true
	var libraries []string
	l.File(unwind.KeyOf(st.Ino, unix.Major(st.Dev)<<20|unix.Minor(st.Dev)), func() (*elffile.File, error) {
		f, err := elffile.Open(path)
		if err == nil {
			libraries, _ = f.ImportedLibraries()
		}
		return f, err
	})
	for _, name := range libraries {
		if paths, err := t.system.Binary(name, 0); err == nil && len(paths) > 0 {
			t.loadProgram(l, paths[0], known)
		}
	}
}

func (t *tables) load(l *unwind.Loader, c symbol.Code) {
	if key, ok := t.layers.key(c); ok {
		l.File(key, c.Open)
	}
}
