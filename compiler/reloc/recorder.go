package reloc

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"fst/compiler/target"
	"fst/compiler/target/facts"
	"fst/compiler/types"
)

// Recorder is a Target that keeps what a compile asks of another one. It can change the numbers
// of the answers, for a compile that shows what follows from them.
type Recorder struct {
	t     target.Target
	moved map[string]int64

	mu      sync.Mutex
	facts   []*Fact
	byKey   map[string]*Fact
	watched map[*types.Type]*types.Type
	// symbols has the addresses that symbols were said to have.
	symbols map[uint64]string
}

// NewRecorder returns a Recorder of what t answers.
func NewRecorder(t target.Target) *Recorder {
	return &Recorder{t: t, byKey: map[string]*Fact{}, watched: map[*types.Type]*types.Type{}, symbols: map[uint64]string{}}
}

// note keeps an answer with a number, and returns the number to give.
func (r *Recorder) note(kind Kind, args []string, text string, n int64) int64 {
	return n + r.keep(Fact{Kind: kind, Args: args, Text: text, Number: n, HasNumber: true})
}

// text keeps an answer without a number.
func (r *Recorder) text(kind Kind, args []string, values ...any) {
	r.keep(Fact{Kind: kind, Args: args, Text: answer(values...)})
}

// keep returns by how much the fact's number is moved.
func (r *Recorder) keep(f Fact) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := key(f.Kind, f.Args)
	if r.byKey[k] == nil {
		r.byKey[k] = &f
		r.facts = append(r.facts, &f)
	}
	return r.moved[k]
}

// flag keeps whether something is so.
func (r *Recorder) flag(kind Kind, arg string, is bool) bool {
	n := int64(0)
	if is {
		n = 1
	}
	return r.note(kind, []string{arg}, "", n) == 1
}

// Release implements target.Target.
func (r *Recorder) Release() string { return r.t.Release() }

// Arch implements target.Target: the file's header has it.
func (r *Recorder) Arch() string { return r.t.Arch() }

// TypeNames implements target.Target: they are for suggestions.
func (r *Recorder) TypeNames() []string { return r.t.TypeNames() }

// PIDMax implements target.Target.
func (r *Recorder) PIDMax() int {
	n := r.t.PIDMax()
	r.text("pid_max", nil, n)
	return n
}

// noPerfUprobes is the name of the feature without a flag.
const noPerfUprobes = "no_perf_uprobes"

// Has implements target.Target.
func (r *Recorder) Has(f target.Feature) bool {
	name := noPerfUprobes
	for _, known := range facts.FeatureNames {
		if known.Feature == f {
			name = known.Flag
		}
	}
	return r.flag(Feature, name, r.t.Has(f))
}

// Since implements target.Target.
func (r *Recorder) Since(version uint32) bool {
	return r.flag(Since, strconv.Itoa(int(version>>16))+"."+strconv.Itoa(int(version>>8&255)), r.t.Since(version))
}

// CPUs implements target.Target.
func (r *Recorder) CPUs() int { return int(r.note(CPUs, nil, "", int64(r.t.CPUs()))) }

// Tracepoint implements target.Target.
func (r *Recorder) Tracepoint(category, event string) (*target.Tracepoint, error) {
	tp, err := r.t.Tracepoint(category, event)
	args := []string{category, event}
	r.text("tracepoint", args, tp != nil, failed(err))
	if tp == nil {
		return nil, err
	}
	out := *tp
	out.Args = r.watch(tp.Args, place("tracepoint", args...))
	return &out, err
}

func failed(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Tracepoints implements target.Target.
func (r *Recorder) Tracepoints(category, event string) ([]string, error) {
	list, err := r.t.Tracepoints(category, event)
	r.text("tracepoints", []string{category, event}, list, failed(err))
	return list, err
}

// function keeps a signature, with its BTF id for the number.
func (r *Recorder) function(kind Kind, args []string, fn *target.Func, ok bool) (*target.Func, bool) {
	if fn == nil {
		r.text(kind, args, ok)
		return fn, ok
	}
	out := *fn
	out.Params = nil
	said := []any{ok, fn.Name, fn.Module, fn.Variadic, fn.ResultUnread, fn.Slots, described(fn.Result)}
	for i, p := range fn.Params {
		said = append(said, p.Name, described(p.Type), p.Unread)
		p.Type = r.watch(p.Type, place(kind, append(args, strconv.Itoa(i))...))
		out.Params = append(out.Params, p)
	}
	out.Result = r.watch(fn.Result, place(kind, append(args, "result")...))
	out.ID = uint32(r.note(kind, args, answer(said...), int64(fn.ID)))
	return &out, ok
}

// RawTracepoint implements target.Target.
func (r *Recorder) RawTracepoint(event string) (*target.Func, bool) {
	fn, ok := r.t.RawTracepoint(event)
	return r.function("rawtracepoint", []string{event}, fn, ok)
}

// Function implements target.Target.
func (r *Recorder) Function(module, name string) (*target.Func, bool) {
	fn, ok := r.t.Function(module, name)
	return r.function(Function, []string{module, name}, fn, ok)
}

// Syscall implements target.Target.
func (r *Recorder) Syscall(name string) (*target.Func, bool) {
	fn, ok := r.t.Syscall(name)
	return r.function("syscall", []string{name}, fn, ok)
}

// RawTracepoints implements target.Target.
func (r *Recorder) RawTracepoints(pattern string) []string {
	list := r.t.RawTracepoints(pattern)
	r.text("rawtracepoints", []string{pattern}, list)
	return list
}

// Iterators implements target.Target.
func (r *Recorder) Iterators() []string {
	list := r.t.Iterators()
	r.text("iterators", nil, list)
	return list
}

// Traceable implements target.Target.
func (r *Recorder) Traceable(module, pattern string) ([]target.FuncName, error) {
	list, err := r.t.Traceable(module, pattern)
	r.text("functions", []string{module, pattern}, list, failed(err))
	return list, err
}

// Type implements target.Target.
func (r *Recorder) Type(tag, name string) (*types.Type, bool) {
	t, ok := r.t.Type(tag, name)
	r.text("type", []string{tag, name}, ok, described(t))
	return r.watch(t, place("type", tag, name)), ok
}

// Enumerator implements target.Target.
func (r *Recorder) Enumerator(name string) (int64, *types.Type, bool) {
	value, t, ok := r.t.Enumerator(name)
	value = r.note(Enumerator, []string{name}, answer(ok, described(t)), value)
	return value, r.watch(t, place(Enumerator, name)), ok
}

// Symbol implements target.Target.
func (r *Recorder) Symbol(name string) (uint64, bool) {
	addr, ok := r.t.Symbol(name)
	addr = uint64(r.note(Symbol, []string{name}, answer(ok), int64(addr)))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.symbols[addr] = name
	return addr, ok
}

// SymbolOffset implements target.Target: what it is asked for is near a symbol that was asked for.
func (r *Recorder) SymbolOffset(addr uint64) (uint64, bool) {
	const near = 1 << 24
	r.mu.Lock()
	best, name := uint64(near), ""
	for at, n := range r.symbols {
		if at <= addr && addr-at < best {
			best, name = addr-at, n
		}
	}
	r.mu.Unlock()
	if name == "" {
		within, ok := r.t.SymbolOffset(addr)
		r.text("offset", []string{"", strconv.FormatUint(addr, 10)}, within, ok)
		return within, ok
	}
	start, _ := r.t.Symbol(name)
	within, ok := r.t.SymbolOffset(start + best)
	r.text("offset", []string{name, strconv.FormatUint(best, 10)}, within, ok)
	return within, ok
}

// SyscallNumber implements target.Target.
func (r *Recorder) SyscallNumber(name string) (int, bool) {
	n, ok := r.t.SyscallNumber(name)
	r.text("syscall number", []string{name}, n, ok)
	return n, ok
}

// SyscallName implements target.Target.
func (r *Recorder) SyscallName(nr int) (string, bool) {
	name, ok := r.t.SyscallName(nr)
	r.text("syscall name", []string{strconv.Itoa(nr)}, name, ok)
	return name, ok
}

// Syscalls implements target.Target.
func (r *Recorder) Syscalls(pattern string) []string {
	list := r.t.Syscalls(pattern)
	r.text("syscalls", []string{pattern}, list)
	return list
}

// Inode implements target.Files.
func (r *Recorder) Inode(path string) (uint64, error) {
	files, ok := r.t.(target.Files)
	if !ok {
		r.text(Inode, []string{path}, false)
		return 0, nil
	}
	n, err := files.Inode(path)
	return uint64(r.note(Inode, []string{path}, failed(err), int64(n))), err
}

// CgroupID implements target.Cgroups.
func (r *Recorder) CgroupID(path string) (uint64, bool, error) {
	groups, ok := r.t.(target.Cgroups)
	if !ok {
		r.text(Cgroup, []string{path}, false)
		return 0, true, nil
	}
	id, unified, err := groups.CgroupID(path)
	return uint64(r.note(Cgroup, []string{path}, answer(unified, failed(err)), int64(id))), unified, err
}

// BPFFunctions implements target.Programs.
func (r *Recorder) BPFFunctions() []target.BPFFunction {
	programs, ok := r.t.(target.Programs)
	if !ok {
		return nil
	}
	list := programs.BPFFunctions()
	var said []any
	for _, f := range list {
		said = append(said, f.Program, f.Func.Name, f.Func.ID)
	}
	r.text("programs", nil, said...)
	return list
}

// PIDNamespace implements target.PIDNamespace.
func (r *Recorder) PIDNamespace() (dev, inode uint64, nested bool) {
	if ns, ok := r.t.(target.PIDNamespace); ok {
		dev, inode, nested = ns.PIDNamespace()
	}
	r.text("pid namespace", nil, dev, inode, nested)
	return dev, inode, nested
}

// Binary implements target.Binaries.
func (r *Recorder) Binary(name string, pid int) ([]string, error) {
	list, err := r.t.Binary(name, pid)
	r.text("binary", []string{name, strconv.Itoa(pid)}, list, failed(err))
	return list, err
}

// Symbols implements target.Binaries.
func (r *Recorder) Symbols(path, pattern string) ([]target.UserSymbol, error) {
	list, err := r.t.Symbols(path, pattern)
	r.text("symbols", []string{path, pattern}, list, failed(err))
	return list, err
}

// FunctionAt implements target.Binaries.
func (r *Recorder) FunctionAt(path string, addr uint64) (target.UserSymbol, bool) {
	s, ok := r.t.FunctionAt(path, addr)
	r.text("function at", []string{path, strconv.FormatUint(addr, 10)}, s, ok)
	return s, ok
}

// Object implements target.Binaries.
func (r *Recorder) Object(path, name string) (target.UserSymbol, bool) {
	s, ok := r.t.Object(path, name)
	r.text("object", []string{path, name}, s, ok)
	return s, ok
}

// FileOffset implements target.Binaries.
func (r *Recorder) FileOffset(path string, addr uint64) (uint64, bool) {
	n, ok := r.t.FileOffset(path, addr)
	r.text("file offset", []string{path, strconv.FormatUint(addr, 10)}, n, ok)
	return n, ok
}

// Address implements target.Binaries.
func (r *Recorder) Address(path string, offset uint64) (addr uint64, fixed, ok bool) {
	addr, fixed, ok = r.t.Address(path, offset)
	r.text("address", []string{path, strconv.FormatUint(offset, 10)}, addr, fixed, ok)
	return addr, fixed, ok
}

// USDT implements target.Binaries.
func (r *Recorder) USDT(path, provider, name string) ([]target.USDTProbe, error) {
	list, err := r.t.USDT(path, provider, name)
	r.text("usdt", []string{path, provider, name}, list, failed(err))
	return list, err
}

// IsInstruction implements target.Code.
func (r *Recorder) IsInstruction(path string, fn target.UserSymbol, offset uint64) bool {
	code, ok := r.t.(target.Code)
	is := !ok || code.IsInstruction(path, fn, offset)
	r.text("instruction", []string{path, written(fn), strconv.FormatUint(offset, 10)}, is)
	return is
}

// written is a value as an argument of a question.
func written(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

func (r *Recorder) debugInfo() (target.DebugInfo, bool) {
	info, ok := r.t.(target.DebugInfo)
	return info, ok
}

// UserFunction implements target.DebugInfo.
func (r *Recorder) UserFunction(path string, fn target.UserSymbol) (*target.Func, bool) {
	info, ok := r.debugInfo()
	if !ok {
		return nil, false
	}
	f, ok := info.UserFunction(path, fn)
	return r.function("user function", []string{path, written(fn)}, f, ok)
}

// UserType implements target.DebugInfo.
func (r *Recorder) UserType(path string, code []uint64, tag, name string) (*types.Type, bool, bool) {
	info, ok := r.debugInfo()
	if !ok {
		return nil, false, false
	}
	t, doubt, ok := info.UserType(path, code, tag, name)
	args := []string{path, written(code), tag, name}
	r.text("user type", args, described(t), doubt, ok)
	return r.watch(t, place("user type", args...)), doubt, ok
}

// UserEnumerator implements target.DebugInfo.
func (r *Recorder) UserEnumerator(path, name string) (int64, *types.Type, bool) {
	info, ok := r.debugInfo()
	if !ok {
		return 0, nil, false
	}
	n, t, ok := info.UserEnumerator(path, name)
	r.text("user enumerator", []string{path, name}, n, described(t), ok)
	return n, r.watch(t, place("user enumerator", path, name)), ok
}

// MangledSymbols implements target.DebugInfo.
func (r *Recorder) MangledSymbols(path, pattern string) ([]target.UserSymbol, error) {
	info, ok := r.debugInfo()
	if !ok {
		return nil, nil
	}
	list, err := info.MangledSymbols(path, pattern)
	r.text("mangled symbols", []string{path, pattern}, list, failed(err))
	return list, err
}

// SourceLine implements target.DebugInfo.
func (r *Recorder) SourceLine(path, file string, line, column int) ([]uint64, error) {
	info, ok := r.debugInfo()
	if !ok {
		return nil, nil
	}
	list, err := info.SourceLine(path, file, line, column)
	r.text("source line", []string{path, file, strconv.Itoa(line), strconv.Itoa(column)}, list, failed(err))
	return list, err
}

// InlinedCopies implements target.DebugInfo.
func (r *Recorder) InlinedCopies(path, pattern string) ([]target.UserSymbol, error) {
	info, ok := r.debugInfo()
	if !ok {
		return nil, nil
	}
	list, err := info.InlinedCopies(path, pattern)
	r.text("inlined copies", []string{path, pattern}, list, failed(err))
	return list, err
}

// IsInlined implements target.DebugInfo. Only a warning depends on it: nothing is recorded.
func (r *Recorder) IsInlined(path string, fn target.UserSymbol) bool {
	info, ok := r.debugInfo()
	return ok && info.IsInlined(path, fn)
}

// ask asks a question once more: the answer is noted. It reports whether the question makes
// sense.
func (r *Recorder) ask(f *Fact) bool {
	a := func(i int) string {
		if i < len(f.Args) {
			return f.Args[i]
		}
		return ""
	}
	number := func(i int) uint64 { n, _ := strconv.ParseUint(a(i), 10, 64); return n }
	switch f.Kind {
	case "pid_max":
		r.PIDMax()
	case Feature:
		if feature, ok := facts.FeatureByFlag(a(0)); ok {
			r.Has(feature)
		} else if a(0) == noPerfUprobes {
			r.Has(target.NoPerfUprobes)
		}
	case Since:
		major, minor, _ := strings.Cut(a(0), ".")
		x, _ := strconv.ParseUint(major, 10, 8)
		y, _ := strconv.ParseUint(minor, 10, 8)
		r.Since(uint32(x<<16 | y<<8))
	case CPUs:
		r.CPUs()
	case "tracepoint":
		r.Tracepoint(a(0), a(1))
	case "tracepoints":
		r.Tracepoints(a(0), a(1))
	case "rawtracepoint":
		r.RawTracepoint(a(0))
	case "rawtracepoints":
		r.RawTracepoints(a(0))
	case Function:
		r.Function(a(0), a(1))
	case "syscall":
		r.Syscall(a(0))
	case "syscalls":
		r.Syscalls(a(0))
	case "iterators":
		r.Iterators()
	case "functions":
		r.Traceable(a(0), a(1))
	case "type":
		r.Type(a(0), a(1))
	case Enumerator:
		r.Enumerator(a(0))
	case Symbol:
		r.Symbol(a(0))
	case "offset":
		start, _ := r.Symbol(a(0))
		r.SymbolOffset(start + number(1))
	case "syscall number":
		r.SyscallNumber(a(0))
	case "syscall name":
		r.SyscallName(int(number(0)))
	case Inode:
		r.Inode(a(0))
	case Cgroup:
		r.CgroupID(a(0))
	case "programs":
		r.BPFFunctions()
	case "pid namespace":
		r.PIDNamespace()
	case "binary":
		r.Binary(a(0), int(number(1)))
	case "symbols":
		r.Symbols(a(0), a(1))
	case "function at":
		r.FunctionAt(a(0), number(1))
	case "object":
		r.Object(a(0), a(1))
	case "file offset":
		r.FileOffset(a(0), number(1))
	case "address":
		r.Address(a(0), number(1))
	case "usdt":
		r.USDT(a(0), a(1), a(2))
	case "mangled symbols":
		r.MangledSymbols(a(0), a(1))
	case "source line":
		r.SourceLine(a(0), a(1), int(number(2)), int(number(3)))
	case "inlined copies":
		r.InlinedCopies(a(0), a(1))
	case "instruction", "user function":
		var fn target.UserSymbol
		if json.Unmarshal([]byte(a(1)), &fn) != nil {
			return false
		}
		if f.Kind == "instruction" {
			r.IsInstruction(a(0), fn, number(2))
		} else {
			r.UserFunction(a(0), fn)
		}
	case "user type":
		var code []uint64
		if json.Unmarshal([]byte(a(1)), &code) != nil {
			return false
		}
		r.UserType(a(0), code, a(2), a(3))
	case "user enumerator":
		r.UserEnumerator(a(0), a(1))
	case Field, Size, "layout", "enumerators":
		r.askType(f)
	default:
		return false
	}
	return true
}
