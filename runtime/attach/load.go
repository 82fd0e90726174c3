package attach

import (
	"encoding/binary"
	"errors"
	"fmt"

	"fst/compiler/object"
	"fst/lang/source"
	"fst/runtime/bpf"
	"fst/runtime/mainthread"

	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"
)

// MapFDs finds the descriptor of a map by its index in Object.Maps; -1 if
// there is none.
type MapFDs interface{ FD(id int) int }

// Program is a program of the script as it is in the kernel: once, or once for
// each function that it hangs on (trampolines), or for each kind of link.
type Program struct {
	Spec *object.Program
	// loaded has one element for each variant in use.
	loaded []loaded
}

// loaded is one kernel program with the hooks that it serves.
type loaded struct {
	fd    int
	hooks []*object.Hook
	multi bool
}

// Programs are all programs of a script, in the kernel.
type Programs struct {
	obj  *object.Object
	list []*Program
	// missing are the trampolines that this kernel refuses, where a pattern
	// named others, too, or the script allows it.
	missing []*Error
}

// Load loads all programs of a script, or none. A program that the kernel's
// verifier refuses gives a *VerifierError, anything else a *LoadError.
func Load(obj *object.Object, fds MapFDs) (*Programs, error) {
	ps := &Programs{obj: obj}
	l := loader{obj: obj, fds: fds}
	defer l.close()
	for _, spec := range obj.Programs {
		p := &Program{Spec: spec}
		ps.list = append(ps.list, p)
		missing, err := l.load(p)
		ps.missing = append(ps.missing, missing...)
		if err != nil {
			ps.Close()
			return nil, err
		}
	}
	if err := ps.refusedWhole(); err != nil {
		ps.Close()
		return nil, err
	}
	return ps, nil
}

// refusedWhole is why the kernel refuses the first of a pattern's functions, if
// it refuses all of them: the program may be to blame.
func (ps *Programs) refusedWhole() error {
	some := map[source.Span]bool{}
	for _, p := range ps.list {
		for _, v := range p.loaded {
			for _, h := range v.hooks {
				some[h.Span] = true
			}
		}
	}
	for _, e := range ps.missing {
		if e.Hook.Wild && !some[e.Hook.Span] && !isLenient(ps.obj) {
			return e.Err
		}
	}
	return nil
}

// Close unloads the programs. It may be called twice. Those that are attached
// stay until they are detached.
func (ps *Programs) Close() {
	for _, p := range ps.list {
		for _, v := range p.loaded {
			unix.Close(v.fd)
		}
		p.loaded = nil
	}
}

// Stats is what a program has cost.
type Stats struct {
	Program *object.Program
	bpf.Info
	// Unreached is how often the kernel did not come to run the program
	// (Attachments.Missed).
	Unreached uint64
}

// Stats asks the kernel about each program; times are there only while
// bpf.EnableStats is on. as may be nil.
func (ps *Programs) Stats(as *Attachments) []Stats {
	missed := as.Missed()
	var all []Stats
	for _, p := range ps.list {
		for n, v := range p.loaded {
			if i, err := bpf.ProgInfo(v.fd); err == nil {
				s := Stats{Program: p.Spec, Info: i}
				if n == 0 {
					s.Unreached = missed[p.Spec]
				}
				all = append(all, s)
			}
		}
	}
	return all
}

// Run runs the programs that hang on a hook of a kind that is run by hand
// (HookBegin, HookAttached, HookEnd, HookSelf), in the order of the script.
func (ps *Programs) Run(kind object.HookKind) error {
	for _, p := range ps.list {
		for _, v := range p.loaded {
			for _, h := range v.hooks {
				if h.Kind != kind {
					continue
				}
				var err error
				mainthread.Do(func() { _, err = bpf.TestRun(v.fd) })
				if err != nil {
					return &Error{Hook: h, Err: err, Reason: "the kernel did not run the program"}
				}
			}
		}
	}
	return nil
}

// Trial is a program that hangs on a test or bench hook.
type Trial struct {
	Hook *object.Hook
	// Run runs the program once and returns its value.
	Run func() (int32, error)
	// Cost tells how often it ran, and how long that took.
	Cost func() (bpf.Info, error)
}

// Trials lists the programs on hooks of a kind, in the order of the script.
func (ps *Programs) Trials(kind object.HookKind) []Trial {
	var list []Trial
	for _, p := range ps.list {
		for _, v := range p.loaded {
			for _, h := range v.hooks {
				if h.Kind == kind {
					list = append(list, Trial{h, v.testRun(h), func() (bpf.Info, error) { return bpf.ProgInfo(v.fd) }})
				}
			}
		}
	}
	return list
}

func (v loaded) testRun(h *object.Hook) func() (int32, error) {
	return func() (int32, error) {
		ret, err := bpf.TestRun(v.fd)
		if err != nil {
			return 0, &Error{Hook: h, Err: err, Reason: "the kernel did not run the program"}
		}
		return int32(ret), nil
	}
}

// loader has what programs share while they are loaded.
type loader struct {
	obj     *object.Object
	fds     MapFDs
	targets map[string]int // descriptors of modules' BTF and of BPF programs
}

func (l *loader) close() {
	for _, fd := range l.targets {
		unix.Close(fd)
	}
}

var programTypes = map[object.ProgramKind]bpf.ProgType{
	object.ProgKprobe: bpf.Kprobe, object.ProgTracepoint: bpf.Tracepoint, object.ProgRawTracepoint: bpf.RawTracepoint,
	object.ProgPerfEvent: bpf.PerfEvent, object.ProgFentry: bpf.Tracing, object.ProgFexit: bpf.Tracing, object.ProgIter: bpf.Tracing,
}

func (l *loader) load(p *Program) (missing []*Error, err error) {
	typ, ok := programTypes[p.Spec.Kind]
	if !ok {
		return nil, &LoadError{Program: p.Spec, Err: errors.New("unknown kind of program")}
	}
	b := bpf.Prog{Type: typ, Name: p.Spec.Name, License: l.obj.Config.License}
	closeBTF, err := l.encode(&b, p.Spec)
	if err != nil {
		return nil, &LoadError{Program: p.Spec, Err: err}
	}
	defer closeBTF()

	if typ == bpf.Tracing {
		return l.loadEach(p, &b)
	}
	// Multi links take programs that were loaded for them.
	var single, multi []*object.Hook
	for i := range p.Spec.Hooks {
		if h := &p.Spec.Hooks[i]; h.Multi {
			multi = append(multi, h)
		} else {
			single = append(single, h)
		}
	}
	if len(multi) > 0 {
		many := b
		many.Expected = bpf.KprobeMulti
		if k := multi[0].Kind; k == object.HookUprobe || k == object.HookUretprobe {
			many.Expected = bpf.UprobeMulti
		}
		if err := l.loadOne(p, &many, multi, true); err != nil {
			return nil, err
		}
	}
	if len(single) > 0 {
		return nil, l.loadOne(p, &b, single, false)
	}
	return nil, nil
}

// loadEach loads a program once for each function that it hangs on.
func (l *loader) loadEach(p *Program, b *bpf.Prog) (missing []*Error, err error) {
	for i := range p.Spec.Hooks {
		h := &p.Spec.Hooks[i]
		err := l.target(b, p.Spec.Kind, h)
		if err != nil {
			err = &LoadError{Program: p.Spec, Hook: h, Err: err}
		} else {
			err = l.loadOne(p, b, []*object.Hook{h}, false)
		}
		if err == nil {
			continue
		}
		// The verifier refuses functions, too: those that no trampoline can call.
		var refused *LoadError
		var verifier *VerifierError
		absent := isMissing(h, err) || errors.Is(err, btf.ErrNotFound)
		switch {
		case absent && h.Wild && (errors.As(err, &refused) || errors.As(err, &verifier)):
			missing = append(missing, &Error{Hook: h, Err: err, Reason: "the kernel refuses to put a trampoline there",
				OfMany: "the kernel refuses to put trampolines there; kprobes may be possible"})
		case absent && isLenient(l.obj) && errors.As(err, &refused):
			missing = append(missing, &Error{Hook: h, Err: err, Reason: err.Error()})
		default:
			return nil, err
		}
	}
	return missing, nil
}

func (l *loader) loadOne(p *Program, b *bpf.Prog, hooks []*object.Hook, multi bool) error {
	fd, err := bpf.Load(b)
	if err != nil {
		return loadFailure(p.Spec, hooks[0], b, err)
	}
	p.loaded = append(p.loaded, loaded{fd: fd, hooks: hooks, multi: multi})
	return nil
}

// encode writes the instructions as the kernel takes them: linked and, if they have
// functions, with the types of these.
func (l *loader) encode(b *bpf.Prog, spec *object.Program) (done func(), err error) {
	done = func() {}
	code := &spec.Code
	if b.Code, err = code.Linked(l.fds.FD); err != nil || len(code.Funcs) == 0 {
		return done, err
	}
	// The kernel takes functions for callbacks, and looks at those that are called
	// once, only if it knows their types.
	var types btf.Builder
	for i, f := range code.Funcs {
		id, err := types.Add(funcType(f, i == 0))
		if err != nil {
			return done, err
		}
		b.FuncInfo = binary.NativeEndian.AppendUint32(b.FuncInfo, uint32(f.Start))
		b.FuncInfo = binary.NativeEndian.AppendUint32(b.FuncInfo, uint32(id))
	}
	h, err := btf.NewHandle(&types)
	if err != nil {
		return done, fmt.Errorf("type information of the functions: %w", err)
	}
	b.BTF = h.FD()
	return func() { h.Close() }, nil
}

// funcType is the type of a function: main is the program's own.
func funcType(f object.Func, main bool) *btf.Func {
	long := &btf.Int{Name: "long", Size: 8, Encoding: btf.Signed}
	integer := &btf.Int{Name: "int", Size: 4, Encoding: btf.Signed}
	proto := &btf.FuncProto{Return: integer}
	t := &btf.Func{Name: f.Name, Type: proto, Linkage: btf.StaticFunc}
	if f.Global {
		t.Linkage = btf.GlobalFunc
	}
	if main {
		proto.Params = []btf.FuncParam{{Name: "ctx", Type: &btf.Pointer{Target: (*btf.Void)(nil)}}}
		return t
	}
	if f.Global {
		proto.Return = long
	}
	for i := range f.Params {
		proto.Params = append(proto.Params, btf.FuncParam{Name: fmt.Sprintf("a%d", i), Type: long})
	}
	return t
}

// target sets what a trampoline or iterator program attaches to.
func (l *loader) target(b *bpf.Prog, kind object.ProgramKind, h *object.Hook) error {
	name := h.Function
	switch kind {
	case object.ProgFentry:
		b.Expected = bpf.TraceFentry
	case object.ProgFexit:
		b.Expected = bpf.TraceFexit
	default:
		b.Expected, name = bpf.TraceIter, "bpf_iter_"+h.Event
	}
	module := h.Module
	if module == "vmlinux" {
		module = ""
	}
	if h.Program != 0 {
		fd, err := l.opened(fmt.Sprintf("program %d", h.Program), func() (int, error) { return bpf.OpenProgram(h.Program) })
		b.AttachBTFID, b.AttachBTFObj = h.BTFID, fd
		return err
	}
	b.AttachBTFID, b.AttachBTFObj = h.BTFID, 0
	if b.AttachBTFID == 0 {
		id, err := findFunc(module, name)
		if err != nil {
			return err
		}
		b.AttachBTFID = id
	}
	if module == "" {
		return nil
	}
	fd, err := l.opened("module "+module, func() (int, error) { return bpf.ModuleBTF(module) })
	if err != nil {
		return fmt.Errorf("the kernel has no type information (BTF) of the module %s: %w", module, err)
	}
	b.AttachBTFObj = fd
	return nil
}

// opened is the descriptor of what programs are loaded for, opened once.
func (l *loader) opened(name string, open func() (int, error)) (int, error) {
	if fd, ok := l.targets[name]; ok {
		return fd, nil
	}
	fd, err := open()
	if err != nil {
		return 0, err
	}
	if l.targets == nil {
		l.targets = map[string]int{}
	}
	l.targets[name] = fd
	return fd, nil
}

// findFunc looks a function up in the kernel's BTF. It is slow (25 ms): the
// compiler gives the id.
func findFunc(module, name string) (uint32, error) {
	spec, err := btf.LoadKernelSpec()
	if err == nil && module != "" {
		spec, err = btf.LoadKernelModuleSpec(module)
	}
	if err != nil {
		return 0, err
	}
	var f *btf.Func
	if err := spec.TypeByName(name, &f); err != nil {
		return 0, fmt.Errorf("%s is not in the kernel's BTF: %w", name, err)
	}
	id, err := spec.TypeID(f)
	return uint32(id), err
}

// byteOrder is this machine's, as the assembler wants it named.
func byteOrder() binary.ByteOrder {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return binary.LittleEndian
	}
	return binary.BigEndian
}
