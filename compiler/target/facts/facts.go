// Package facts answers the questions of target.Target from the raw texts and
// blobs that a kernel publishes. The live system and recorded fixtures differ
// only in where those come from: a Source.
package facts

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"fst/compiler/target"
	"fst/compiler/target/btftypes"
	"fst/compiler/types"
)

// Vmlinux is the module name of the kernel itself.
const Vmlinux = "vmlinux"

// Source gives the raw facts of one kernel. Each is asked for when it is first
// needed and at most once, but calls may come from several goroutines.
type Source interface {
	// BTF returns the type information of "vmlinux" or of a module. nil and
	// no error: there is none.
	BTF(module string) ([]byte, error)
	// BTFModules lists the loaded modules that have BTF.
	BTFModules() []string
	// Format returns the text of a trace event's format file, nil if there
	// is no such event.
	Format(category, event string) ([]byte, error)
	// Categories and Events list trace events.
	Categories() ([]string, error)
	Events(category string) ([]string, error)
	// Traceable returns available_filter_functions. If literal is not
	// empty, it may end behind that function.
	Traceable(literal string) (string, error)
	// HasNamesakes reports whether the kernel may have more than one function of a
	// name, its modules included: Traceable then may have ended too early.
	HasNamesakes(name string) bool
	// Blacklist returns the functions that kprobes refuse, if known.
	Blacklist() map[string]bool
}

// Kernel answers from a Source. It is safe for concurrent use.
type Kernel struct {
	src  Source
	arch string

	vmlinux struct {
		once sync.Once
		spec *btftypes.Spec
		err  error
	}
	mu      sync.Mutex
	modules map[string]*btftypes.Spec // nil: has none
	events  map[string]*target.Tracepoint
	places  map[[2]string]string                  // the module where searchOnce found a name, or ""
	traced  map[target.FuncName][]target.FuncName // what Traceable found by the name and module asked for

	numbers     func() map[string]int
	syscallList func() []string
}

// New returns the facts of a kernel for an architecture (as in GOARCH).
// Nothing is read yet.
func New(src Source, arch string) *Kernel {
	k := &Kernel{src: src, arch: arch, modules: map[string]*btftypes.Spec{}, events: map[string]*target.Tracepoint{}, places: map[[2]string]string{},
		traced: map[target.FuncName][]target.FuncName{}}
	k.numbers = sync.OnceValue(k.syscallNumbers)
	k.syscallList = sync.OnceValue(k.listSyscalls)
	return k
}

// Source returns where the facts come from, for recording them.
func (k *Kernel) Source() Source { return k.src }

// BTFSpec returns the kernel's type information, nil if it has none.
func (k *Kernel) BTFSpec() (*btftypes.Spec, error) {
	v := &k.vmlinux
	v.once.Do(func() {
		var raw []byte
		if raw, v.err = k.src.BTF(Vmlinux); v.err == nil && raw != nil {
			v.spec, v.err = btftypes.New(raw, nil)
		}
	})
	return v.spec, v.err
}

// moduleSpec returns the BTF of a module or of the kernel, nil if there is none.
func (k *Kernel) moduleSpec(module string) *btftypes.Spec {
	base, _ := k.BTFSpec()
	if base == nil || module == "" || module == Vmlinux {
		return base
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	s, ok := k.modules[module]
	if !ok {
		if raw, err := k.src.BTF(module); err == nil && raw != nil {
			s, _ = btftypes.New(raw, base)
		}
		k.modules[module] = s
	}
	return s
}

// Arch implements target.Target.
func (k *Kernel) Arch() string { return k.arch }

// search asks the kernel's BTF and then that of each module until f is content.
func (k *Kernel) search(f func(module string, s *btftypes.Spec) bool) {
	base, _ := k.BTFSpec()
	if base == nil || f(Vmlinux, base) {
		return
	}
	for _, m := range k.src.BTFModules() {
		if s := k.moduleSpec(m); s != nil && f(m, s) {
			return
		}
	}
}

// searchOnce is search for what has a name, such as "struct" inode. Where it was found, or that
// it is nowhere, is kept: compiles ask for the same names again and again, and one that is
// missing is looked for in every module.
func (k *Kernel) searchOnce(kind, name string, f func(module string, s *btftypes.Spec) bool) {
	key := [2]string{kind, name}
	k.mu.Lock()
	module, known := k.places[key]
	k.mu.Unlock()
	if !known {
		k.search(func(m string, s *btftypes.Spec) bool {
			if !f(m, s) {
				return false
			}
			module = m
			return true
		})
		k.mu.Lock()
		k.places[key] = module
		k.mu.Unlock()
	} else if module != "" {
		f(module, k.moduleSpec(module))
	}
}

// Type implements target.Target.
func (k *Kernel) Type(tag, name string) (t *types.Type, ok bool) {
	k.searchOnce(cmp.Or(tag, "type"), name, func(_ string, s *btftypes.Spec) bool {
		t, ok = s.Type(tag, name)
		return ok
	})
	return t, ok
}

// Iterators implements target.Target: each has a struct for its context.
func (k *Kernel) Iterators() []string {
	var out []string
	for _, name := range k.TypeNames() {
		if name, ok := strings.CutPrefix(name, "bpf_iter__"); ok {
			if _, ok := k.Function("", "bpf_iter_"+name); ok {
				out = append(out, name)
			}
		}
	}
	return out
}

// TypeNames implements target.Target. Types of modules are not listed.
func (k *Kernel) TypeNames() []string {
	if s, _ := k.BTFSpec(); s != nil {
		return s.TypeNames()
	}
	return nil
}

// Definitions returns the C texts of the structs, unions or enums ("struct",
// ...) whose name matches a pattern, by name, each with the module it comes from.
func (k *Kernel) Definitions(tag, pattern string) (found []Definition) {
	k.search(func(module string, s *btftypes.Spec) bool {
		names := []string{pattern}
		if target.IsWild(pattern) {
			names = s.Names(tag)
		}
		for _, n := range names {
			if !target.Match(pattern, n) {
				continue
			}
			if _, ok := s.Type(tag, n); ok {
				found = append(found, Definition{module, n,
					func() string { text, _ := s.Definition(tag, n); return text },
					func(depth int) string { text, _ := s.Layout(tag, n, depth); return text }})
			}
		}
		return false
	})
	slices.SortStableFunc(found, func(a, b Definition) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// Definition is a type's name with its C text.
type Definition struct {
	Module, Name string
	// Text is its C text, Layout how it lies in memory (see btftypes.Spec).
	Text   func() string
	Layout func(depth int) string
}

// Enumerator implements target.Target.
func (k *Kernel) Enumerator(name string) (value int64, enum *types.Type, ok bool) {
	k.searchOnce("enumerator", name, func(_ string, s *btftypes.Spec) bool {
		value, enum, ok = s.Enumerator(name)
		return ok
	})
	return value, enum, ok
}

// Function implements target.Target.
func (k *Kernel) Function(module, name string) (f *target.Func, ok bool) {
	if module != "" {
		if s := k.moduleSpec(module); s != nil {
			return s.Func(module, name)
		}
		return nil, false
	}
	k.searchOnce("function", name, func(m string, s *btftypes.Spec) bool {
		f, ok = s.Func(m, name)
		return ok
	})
	return f, ok
}

// RawTracepoint implements target.Target.
func (k *Kernel) RawTracepoint(event string) (f *target.Func, ok bool) {
	k.searchOnce("raw tracepoint", event, func(m string, s *btftypes.Spec) bool {
		f, ok = s.RawTracepoint(m, event)
		return ok
	})
	return f, ok
}

// RawTracepoints implements target.Target.
func (k *Kernel) RawTracepoints(pattern string) []string {
	var names []string
	k.search(func(_ string, s *btftypes.Spec) bool {
		for _, n := range s.RawTracepoints() {
			if target.Match(pattern, n) {
				names = append(names, n)
			}
		}
		return false
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// Tracepoint implements target.Target.
func (k *Kernel) Tracepoint(category, event string) (*target.Tracepoint, error) {
	key := category + ":" + event
	k.mu.Lock()
	tp, ok := k.events[key]
	k.mu.Unlock()
	if ok {
		return tp, nil
	}
	text, err := k.src.Format(category, event)
	if errors.Is(err, fs.ErrPermission) {
		if usual := usualFormat(category, event); usual != "" {
			text, err = []byte(usual), nil
		}
	}
	if err != nil {
		return nil, err
	}
	if text != nil {
		if tp, err = ParseFormat(category, event, string(text), k.Type); err != nil {
			return nil, err
		}
	}
	k.mu.Lock()
	k.events[key] = tp
	k.mu.Unlock()
	return tp, nil
}

// Tracepoints implements target.Target.
func (k *Kernel) Tracepoints(category, event string) ([]string, error) {
	category, event = orAny(category), orAny(event)
	categories := []string{category}
	if target.IsWild(category) {
		var err error
		if categories, err = k.src.Categories(); err != nil {
			return nil, err
		}
	}
	var names []string
	for _, c := range categories {
		if !target.Match(category, c) {
			continue
		}
		events, err := k.src.Events(c)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			if target.Match(event, e) {
				names = append(names, c+":"+e)
			}
		}
	}
	slices.SortFunc(names, strings.Compare)
	return names, nil
}

// orAny makes an empty pattern match everything.
func orAny(pattern string) string {
	if pattern == "" {
		return "*"
	}
	return pattern
}
