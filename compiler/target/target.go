// Package target holds the questions that a compile may ask of a kernel. The
// compiler never opens a file: the live system (runtime/kernel) and recorded
// fixtures (compiler/target/fixture) both answer through Target.
package target

import (
	"errors"
	"slices"
	"strconv"

	"fst/compiler/object"
	"fst/compiler/types"
)

// Feature is a property of a kernel that decides how something is compiled.
type Feature int

const (
	KprobeMulti        Feature = iota // BPF_TRACE_KPROBE_MULTI links (5.18, needs FPROBE)
	KprobeSession                     // BPF_TRACE_KPROBE_SESSION (6.10)
	UprobeMulti                       // BPF_TRACE_UPROBE_MULTI links (6.6)
	Kprobes                           // perf kprobes can be made at all
	Trampolines                       // fentry/fexit/tp_btf/iter programs load and attach (BTF, not refused)
	BPFLoop                           // bpf_loop (5.17)
	ForEachMapElem                    // bpf_for_each_map_elem (5.13)
	Atomics                           // atomic xchg, fetch-and-add (5.12)
	SignedDivision                    // sdiv, smod (6.6)
	TaskStorage                       // task storage in tracing programs, bpf_get_current_task_btf (5.11)
	RdonlyCast                        // bpf_rdonly_cast kfunc (6.2)
	GetFuncIP                         // bpf_get_func_ip in kprobes (5.15)
	BigKeys                           // hash keys over 512 bytes (6.1, measured; 5.10 refuses)
	LookupPercpuElem                  // bpf_map_lookup_percpu_elem (5.19)
	KtimeTAI                          // bpf_ktime_get_tai_ns (6.1)
	BTF                               // the kernel has type information
	ModuleBTF                         // and of its modules (5.11)
	SyscallTracepoints                // tracepoint:syscalls:* exist
	NoPerfUprobes                     // this process lacks CAP_SYS_ADMIN, which uprobes need without multi links
	ThreadMaps                        // task storage that user space can read thread by thread (pidfds of threads, 6.9)
)

// ErrStripped is what Symbols says of a binary without symbols of functions.
var ErrStripped = errors.New("it is stripped")

// Target answers questions about one kernel. Methods that find nothing return
// nil or false; an error means that the question could not be answered (no
// tracefs, no BTF), and says what would help.
type Target interface {
	// Release is the kernel's release, "6.12.107+deb13-cloud-amd64".
	Release() string
	// Since reports whether the kernel is of a version, major<<16 | minor<<8 | patch, or a later one.
	Since(version uint32) bool
	Has(Feature) bool
	// CPUs is one more than the highest number of a CPU that is possible.
	CPUs() int
	PIDMax() int

	// Tracepoint returns the event's record: field offsets are within the
	// context of a tracepoint program. The common_ fields are not included.
	Tracepoint(category, event string) (*Tracepoint, error)
	// Tracepoints lists "category:event" names that match a pattern in which
	// only * is special, sorted.
	Tracepoints(category, event string) ([]string, error)
	// Arch is the architecture, as in GOARCH.
	Arch() string

	// RawTracepoint returns the parameters of a raw tracepoint by its BTF
	// type btf_trace_NAME, without the leading void * argument.
	RawTracepoint(event string) (*Func, bool)
	// RawTracepoints lists the names that match a pattern.
	RawTracepoints(pattern string) []string

	// Iterators lists the names of what a program can be run for each of.
	Iterators() []string

	// Function returns the BTF signature of a kernel function. module may
	// be empty. Functions without BTF are not found.
	Function(module, name string) (*Func, bool)
	// Traceable lists the kernel functions that can be probed and match a
	// pattern (only * is special), sorted by name; module is a pattern too,
	// empty for any. Without the kernel's list (available_filter_functions)
	// a literal name is returned as it is with Unsure set.
	Traceable(module, pattern string) ([]FuncName, error)

	// Type finds "struct"/"union"/"enum" NAME or, with an empty tag, a
	// typedef (resolved to what it stands for, its Name kept on enums and
	// structs without one).
	Type(tag, name string) (*types.Type, bool)
	// TypeNames lists struct and union names, for suggestions.
	TypeNames() []string
	// Enumerator finds an enumerator of any kernel enum.
	Enumerator(name string) (value int64, enum *types.Type, ok bool)
	// Symbol returns the address of a kernel symbol.
	Symbol(name string) (uint64, bool)
	// SymbolOffset returns how far an address is into the kernel function that holds it.
	SymbolOffset(addr uint64) (uint64, bool)

	// SyscallNumber and SyscallName translate system calls of this
	// machine's native ABI.
	SyscallNumber(name string) (int, bool)
	SyscallName(nr int) (string, bool)
	// Syscall returns the parameters of a system call by name, typed (all
	// pointers are user pointers), and its number.
	Syscall(name string) (*Func, bool)
	// Syscalls lists the system-call names that match a pattern.
	Syscalls(pattern string) []string

	Binaries
}

// Live is all that a compile asks of the running system.
type Live interface {
	Target
	Cgroups
	Code
	DebugInfo
	Files
	PIDNamespace
	Programs
}

// Binaries are the programs and libraries of a machine.
type Binaries interface {
	// Binary resolves a uprobe target as the user wrote it ("libc", "bash",
	// "/bin/x") to an absolute path; pid (or 0) selects whose mount
	// namespace. Several paths may match a glob.
	Binary(name string, pid int) ([]string, error)
	// Symbols lists the functions of a binary that match a pattern.
	Symbols(path, pattern string) ([]UserSymbol, error)
	// FunctionAt finds the function that the code at an address is of.
	FunctionAt(path string, addr uint64) (UserSymbol, bool)
	// Object finds a variable or function of a binary.
	Object(path, name string) (UserSymbol, bool)
	// FileOffset is where in a binary lies what its symbol table calls an address.
	FileOffset(path string, addr uint64) (offset uint64, ok bool)
	// Address is the address, as in its symbol table, of what lies at an
	// offset of a binary; fixed says that it is loaded there.
	Address(path string, offset uint64) (addr uint64, fixed, ok bool)
	// USDT lists the static probes of a binary that match.
	USDT(path, provider, name string) ([]USDTProbe, error)
}

// Files is a Target that knows the files of its system.
type Files interface {
	// Inode returns the number of a file's inode.
	Inode(path string) (uint64, error)
}

// Cgroups is a Target that knows the control groups of its system.
type Cgroups interface {
	// CgroupID returns the id of the group at a path. unified says that the path is
	// in the hierarchy of version 2, whose ids are those that processes have.
	CgroupID(path string) (id uint64, unified bool, err error)
}

// Programs is a Target that knows which BPF programs are loaded.
type Programs interface {
	// BPFFunctions lists their functions, by the id of the program.
	BPFFunctions() []BPFFunction
}

// BPFFunction is a function of a BPF program.
type BPFFunction struct {
	Program uint32 // the kernel's id of it
	Func    *Func  // ID is within the program's own BTF
}

// PIDNamespace is a Target that knows in which PID namespace this process is.
type PIDNamespace interface {
	// PIDNamespace returns the namespace's device and inode; nested is false
	// for the first one, whose numbers are the kernel's own.
	PIDNamespace() (dev, inode uint64, nested bool)
}

// Code is a Target that reads the instructions of programs.
type Code interface {
	// IsInstruction reports whether an instruction begins so far into a
	// function.
	IsInstruction(path string, fn UserSymbol, offset uint64) bool
}

// DebugInfo is a Target that reads the debug information of programs.
type DebugInfo interface {
	// UserFunction returns the signature of a function of a binary.
	UserFunction(path string, fn UserSymbol) (*Func, bool)
	// UserType and UserEnumerator find what Type and Enumerator find, in a
	// binary. Pointers in its types are user pointers. If files of its source have
	// different types of that name, the one that code sees which lies so far into the
	// binary is found; doubt is true if that tells not which.
	UserType(path string, code []uint64, tag, name string) (t *types.Type, doubt, ok bool)
	UserEnumerator(path, name string) (value int64, enum *types.Type, ok bool)
	// MangledSymbols lists the functions of a binary whose name in the
	// source matches a pattern. The parameters are part of the name if the
	// pattern has a '('.
	MangledSymbols(path, pattern string) ([]UserSymbol, error)
	// SourceLine returns the addresses of the first instructions of a line, or
	// of the statement at a column if that is not 0: one in each function, or
	// inlined copy of one, that has some. file may be the end of a path.
	SourceLine(path, file string, line, column int) ([]uint64, error)
	// InlinedCopies lists the inlined copies of the functions whose name in the source matches a
	// pattern, as MangledSymbols matches it: the function's name, and the address where the copy begins.
	InlinedCopies(path, pattern string) ([]UserSymbol, error)
	// IsInlined reports whether the compiler has also inlined a function into others.
	IsInlined(path string, fn UserSymbol) bool
}

// Tracepoint is a trace event.
type Tracepoint struct {
	Category, Event string
	ID              int
	// Args is a struct whose field offsets count from the start of the
	// program's context. Fields of syscalls:* that are pointers are user pointers.
	Args *types.Type
	// Decls are the declarations of the fields, as the kernel writes them.
	Decls []string
}

// Func is a function's signature.
type Func struct {
	Name   string
	Module string // "vmlinux" or a module's name
	Params []Param
	// Variadic: more arguments than Params may follow.
	Variadic bool
	Result   *types.Type // NoneType for void
	// ResultDecl spells the type of the result as C does; nil if unknown.
	ResultDecl func() string
	// ResultUnread says why the result is not in the register of retval, "" if it is.
	ResultUnread string
	// ID is the BTF type id of the FUNC within its module's BTF.
	ID uint32
	// Slots says, for a function of a program, in which word each parameter
	// begins: those of the argument registers come first, then those of the
	// stack; -1 is in none (Param.Unread says why). nil: each parameter is
	// in the word of its own number.
	Slots []int
}

// Returns is the type of what the function returns; nil if that is nothing, or
// nothing is known of it. f may be nil.
func (f *Func) Returns() *types.Type {
	if f == nil || f.Result == nil || f.Result.Kind == types.None || f.Result.Kind == types.Invalid {
		return nil
	}
	return f.Result
}

// Param is the parameter with a name and its index, nil if there is none. f may be nil.
func (f *Func) Param(name string) (i int, p *Param) {
	if f == nil {
		return -1, nil
	}
	if i = slices.IndexFunc(f.Params, func(p Param) bool { return p.Name == name }); i >= 0 {
		p = &f.Params[i]
	}
	return i, p
}

// Slot is the word that parameter i begins in, or -1.
func (f *Func) Slot(i int) int {
	if f.Slots == nil {
		return i
	}
	return f.Slots[i]
}

// argWords is how many words of arguments a function of x86-64 gets in registers.
const argWords = 6

// Place sets Slots of a function that takes structs by value, as x86-64 passes them: up
// to two words in registers, if enough are left, else on the stack. Where a larger one is
// to be returned, the first register tells the place for it.
func (f *Func) Place() {
	large := f.Result != nil && f.Result.IsStruct() && f.Result.Size > 16
	if !large && !slices.ContainsFunc(f.Params, func(p Param) bool { return p.Type.IsStruct() }) {
		return
	}
	f.Slots = make([]int, len(f.Params))
	next, onStack := 0, argWords
	if large {
		next = 1
	}
	for i, p := range f.Params {
		words := p.words()
		if words <= 2 && next+words <= argWords {
			f.Slots[i], next = next, next+words
			continue
		}
		f.Slots[i], onStack = onStack, onStack+words
	}
}

// Words is how many words of arguments the function takes.
func (f *Func) Words() int {
	n := 0
	for _, p := range f.Params {
		n += p.words()
	}
	return n
}

// words is how many words of arguments the parameter takes.
func (p Param) words() int {
	if p.Type.IsStruct() {
		return max(1, (p.Type.Size+7)/8)
	}
	return 1
}

// structArgs is the kernel since which BPF trampolines pass structs of up to two words.
const structArgs = 6<<16 | 1<<8

// refusesOwn is a kernel that refuses BPF trampolines at what they call themselves.
const refusesOwn = 6<<16 | 6<<8

// ownOfTrampolines are the functions that a BPF trampoline calls before and after its program:
// at one of them it would call itself without end, and the machine stops. Kernels have learnt
// to refuse them one after the other, most in 6.2 (btf_id_deny in kernel/bpf/verifier.c).
var ownOfTrampolines = []string{"migrate_disable", "migrate_enable", "rcu_read_unlock_strict",
	"__rcu_read_lock", "__rcu_read_unlock", "preempt_count_add", "preempt_count_sub"}

// StopsMachine reports whether a BPF trampoline at the function stops a kernel, whose version
// since tells (Target.Since).
func (f *Func) StopsMachine(since func(version uint32) bool) bool {
	return slices.Contains(ownOfTrampolines, f.Name) && !since(refusesOwn)
}

// Trampoline reports whether a BPF trampoline of a kernel may be at the function, and passes
// its arguments on, and its result.
func (f *Func) Trampoline(since func(version uint32) bool) bool {
	if f.StopsMachine(since) {
		return false
	}
	for i, p := range f.Params {
		if p.Type.IsStruct() && (f.Slot(i) >= argWords || !since(structArgs)) {
			return false
		}
	}
	return f.Words() <= argWords && !f.Variadic && (f.Result == nil || !f.Result.IsStruct())
}

// Param is a parameter of a Func.
type Param struct {
	Name string
	Type *types.Type
	// Decl spells the type as C does; nil if unknown.
	Decl func() string
	// Unread says why the argument of a program's function can't be read, "" if it can.
	Unread string
}

// FuncName is a kernel function that can be probed.
type FuncName struct {
	Name   string
	Module string // "vmlinux" or a module's name
	// Unsure is set when the kernel's list of traceable functions can't be
	// read: only trying tells.
	Unsure bool
	// Several is set when more functions of the module have this name, and
	// Elsewhere when functions of other modules have it.
	Several, Elsewhere bool
}

// UserSymbol is a function of an ELF file.
type UserSymbol struct {
	Name string // as in the symbol table: mangled
	// Nameless: its frames are described, but nothing names it: Name is its address.
	Nameless bool
	Addr     uint64 // virtual address
	Offset   uint64 // in the file
	Size     uint64
	// Chooser: it is no function, but one that returns the address of the one to
	// call (an IFUNC).
	Chooser bool
	Go      bool // a function of Go
	Throws  bool // a function of a program or library in C++ or Rust, which exceptions or panics may leave
	Bits32  bool // a function of a 32-bit program
	// Convention is how it gets its arguments.
	Convention object.Convention
	Several    bool // other variables of the file have this name, too
}

// USDTProbe is a static probe of an ELF file.
type USDTProbe struct {
	Provider, Name string
	Offset         uint64 // file offset of the probed instruction
	Semaphore      uint64 // file offset of the semaphore, or 0
	// Cleared: a program that starts clears the semaphore after the kernel has
	// counted it (it is in .bss), or the kernel cannot count it at all.
	Cleared bool
	Args    []USDTArg
}

// USDTArg is an argument of a static probe.
type USDTArg struct {
	Text   string // as the note has it, "-4@%eax"
	Size   int    // 0: it is in a form that can't be read
	Signed bool
	// Exactly one form: a constant; a register; memory at Base + Index*Scale + Disp.
	Const       *int64
	Reg         string // "rax", "r12", ... (64-bit name)
	Base, Index string
	Scale       int
	Disp        int64
}

// Record is the arguments that can be read, as members arg0, arg1 and so on of args;
// nil if there are none.
func (p *USDTProbe) Record() *types.Type {
	var fields []types.Field
	for i, a := range p.Args {
		if a.Size > 0 {
			fields = append(fields, types.Field{Name: "arg" + strconv.Itoa(i), Type: types.IntType(a.Size, a.Signed), Offset: 8 * i})
		}
	}
	if fields == nil {
		return nil
	}
	return types.NewStruct(types.Struct, "args of "+p.Name, 8*len(p.Args), fields)
}
