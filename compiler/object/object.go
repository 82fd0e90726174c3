// Package object is the result of a compile: programs, maps and messages, all
// that the runtime needs to load a script, attach it and show what it says.
//
// It is data: no functions, and no numbers that only this process knows. It is a
// leaf: it imports types and source, and nothing else of this project.
package object

import (
	"cmp"
	"slices"
	"strings"

	"fst/compiler/types"
	"fst/lang/source"
)

// Object is a compiled script.
type Object struct {
	Programs []*Program // in the order of the script's clauses
	Maps     []*Map     // Map.ID is the index
	Messages []*Message // Message.ID is the index
	// ProbeNames are the texts that values of kind types.ProbeName index. The first
	// is empty: it is that of a value which was never stored.
	ProbeNames []string
	// Ring is the index in Maps of the ring buffer that carries messages.
	Ring int
	// Loss is the index in Maps of an array whose only value are the counters
	// of losses (u64), indexed by clause*LossKinds + kind.
	Loss int
	// Reads are the places where memory is read. ReadLoss is the index in Maps of
	// an array whose only value has a u64 for each: how often it failed. It is
	// there if there are any.
	Reads    []Loss
	ReadLoss int
	// Stacks are the maps that stacks are kept in.
	Stacks  map[StackKey]int
	Config  Config
	Sources *source.Set
	// Clauses has the place of each clause, by index.
	Clauses []source.Span
	// Noted are the probes of which a program notes whether they have fired. Seen
	// is the index in Maps of an array whose only value has a u64 for each: 0,
	// NotedFired or NotedPassed. It is there if there are any.
	Noted []Noted
	Seen  int
	// Witnesses say what counts the same as a probe.
	Witnesses []Witness
	// Debugs is true if a program writes to the kernel's trace: debugf().
	Debugs bool
	// Declared are the declared probes that the script's clauses are on; the
	// programs that fire them are marked Library.
	Declared []Declared
}

// ScriptMaps lists the maps that the script names, by name: not those that the
// compiler adds.
func (o *Object) ScriptMaps() []*Map {
	var list []*Map
	for _, m := range o.Maps {
		if m.Script {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b *Map) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// ProbeName is the text of a value of kind types.ProbeName. It is not ok where only
// another script that shares the maps names the probe.
func (o *Object) ProbeName(n uint64) (name string, ok bool) {
	if n >= uint64(len(o.ProbeNames)) {
		return "", false
	}
	name = o.ProbeNames[n]
	return name, n == 0 || name != ""
}

// Has reports whether a program is attached to a hook of a kind.
func (o *Object) Has(kind HookKind) bool {
	return slices.ContainsFunc(o.Programs, func(p *Program) bool { return p.on(kind) })
}

// Speaks reports whether a program on a hook of a kind may say much in one run.
func (o *Object) Speaks(kind HookKind) bool {
	return slices.ContainsFunc(o.Programs, func(p *Program) bool { return p.Speaks && p.on(kind) })
}

// Declared is a declared probe and where the script names it.
type Declared struct {
	Name string
	Span source.Span
}

// Noted is a probe of a clause, as messages call it.
type Noted struct {
	Probe  string
	Clause int
	// Library marks a clause that is not the script's own.
	Library bool
}

// What is noted of a probe: that it has fired, but its filter let nothing
// through, or that its action has run.
const (
	NotedFired  = 1
	NotedPassed = 2
)

// StackKey tells stacks apart that are kept in different maps: by their id (u64),
// the number of frames (u64), then Limit addresses, the innermost first.
type StackKey struct {
	Limit  int  // frames
	Tables bool // unwound by tables, by the program
}

// StackCountBits are the lowest bits of a stack's id: its number of frames. The
// others are of the hash of its addresses, so that an id means the same stack for
// ever; 0 is the empty stack.
const StackCountBits = 11

// LossKind says how something was not counted.
type LossKind int

const (
	LossRingFull   LossKind = iota // a message found the ring buffer full
	LossMapFull                    // a new key found the map full
	LossMissed                     // a call was not seen: there was no room for what its entry knew
	LossReadFailed                 // memory could not be read (a value of 0 was used)
	LossOutside                    // an index was outside of its array (the element was 0)
	LossNested                     // not run: probes interrupted each other on one CPU
	LossDivision                   // division by zero (the result was 1)
	LossStack                      // a stack could not be recorded
	LossUnwind                     // a user stack ends early: a frame could not be followed
	LossReturn                     // the kernel did not follow a call to its return
	LossLoop                       // a loop was left out or cut short: it has more turns than a program may take
	LossOther
	LossKinds = int(LossOther) + 1 // counters of a clause
)

// Loss is what is counted apart from others: a kind of losses of a clause, or,
// among failed reads and indexes outside of arrays, those of a place in it.
type Loss struct {
	Clause int
	Kind   LossKind
	// Span is the place of a failed read or an index; it points nowhere for those that have
	// no place of their own, and other kinds.
	Span source.Span
	User bool // a read of the process' memory
}

// ProgramKind is the kernel's program type.
type ProgramKind int

const (
	ProgKprobe        ProgramKind = iota // kprobes, uprobes, USDT
	ProgTracepoint                       // trace events through perf
	ProgRawTracepoint                    // also BEGIN, END and self, run by BPF_PROG_TEST_RUN
	ProgPerfEvent                        // profile, interval, software, hardware, watchpoint
	ProgFentry                           // BPF trampolines; attach target is the hook's function
	ProgFexit
	ProgIter
)

// Program is one program for the kernel and the hooks it is attached to.
type Program struct {
	Name  string // at most 15 letters, digits, _ (shown by bpftool)
	Kind  ProgramKind
	Code  Code
	Hooks []Hook
	// Named are the places that the script names, where the program is attached to one
	// other that serves all of them.
	Named  []Hook
	Clause int // index of the clause it came from
	// Entry marks the entry half of a paired probe. It is attached after,
	// and detached before, the return half: a call seen only at its end is
	// ignored there, one seen only at its start would leak.
	Entry bool
	// Library marks a program of a clause that fires a declared probe for the
	// script.
	Library bool
	Span    source.Span
	// Speaks tells that it sends messages in a loop: one run may say more than
	// the ring buffer holds.
	Speaks bool
	// Loops are the places of the loops in it, outer ones first.
	Loops []source.Span
}

func (p *Program) on(kind HookKind) bool {
	return slices.ContainsFunc(p.Hooks, func(h Hook) bool { return h.Kind == kind })
}

// Places are the places that the script names.
func (p *Program) Places() []Hook {
	if p.Named != nil {
		return p.Named
	}
	return p.Hooks
}

// HookKind is what a program is attached to.
type HookKind int

const (
	HookBegin HookKind = iota // run once before anything else is attached
	HookEnd                   // run once when everything else was detached
	HookKprobe
	HookKretprobe
	HookFentry
	HookFexit
	HookTracepoint
	HookRawTracepoint
	// HookTraceiter is a raw tracepoint, by a kprobe on the function of the kernel
	// that calls its programs: the context has the registers, and in them first a
	// pointer of no use and then the tracepoint's arguments.
	HookTraceiter
	HookUprobe
	HookUretprobe
	HookProfile  // every online CPU, each Period ns (or Frequency)
	HookInterval // one CPU
	HookPerf     // software and hardware events, with PerfType and PerfConfig
	HookWatchpoint
	HookIter
	HookSelf     // run when the process gets SIGUSR1
	HookAttached // run once when everything else was attached
	HookTest     // run once, with --test: returns 0 if it passes
	HookBench    // run again and again, with --bench
)

// Program is the kind of program for a hook.
func (k HookKind) Program() ProgramKind {
	switch k {
	case HookKprobe, HookKretprobe, HookUprobe, HookUretprobe, HookTraceiter:
		return ProgKprobe
	case HookTracepoint:
		return ProgTracepoint
	case HookFentry:
		return ProgFentry
	case HookFexit:
		return ProgFexit
	case HookProfile, HookInterval, HookPerf, HookWatchpoint:
		return ProgPerfEvent
	case HookIter:
		return ProgIter
	}
	return ProgRawTracepoint
}

// String is what the kernel calls a hook; empty if it is none of the kernel's.
func (k HookKind) String() string { return mechanisms[k] }

// mechanisms are what the kernel calls its hooks.
var mechanisms = map[HookKind]string{
	HookKprobe: "kprobe", HookKretprobe: "kretprobe", HookFentry: "BPF trampoline (fentry)", HookFexit: "BPF trampoline (fexit)",
	HookTracepoint: "tracepoint", HookRawTracepoint: "raw tracepoint", HookTraceiter: "kprobe on the function that calls a raw tracepoint",
	HookUprobe: "uprobe", HookUretprobe: "uretprobe", HookProfile: "timer on each CPU", HookInterval: "timer", HookPerf: "perf event",
	HookWatchpoint: "debug register", HookIter: "BPF iterator",
}

// Once reports whether the runtime runs the program itself, once or when it is asked to.
func (k HookKind) Once() bool {
	switch k {
	case HookBegin, HookEnd, HookSelf, HookAttached, HookTest, HookBench:
		return true
	}
	return false
}

// Convention is how a function of a program gets its arguments.
type Convention uint8

const (
	ConventionC       Convention = iota
	ConventionGo                 // in registers of Go's own choice (ABIInternal)
	ConventionUnknown            // of Go, too: on the stack, or as the programmer wrote it
	ConventionInlined            // none: it is a copy within another function
)

// Hook is one place in the kernel or in a program.
type Hook struct {
	Kind HookKind
	// Name is the full text of `probe`: "kprobe:vfs_read", or the script's label.
	Name string
	// Place is what Name would be without the label, if there is one.
	Place string

	Function string // kprobe, fentry: kernel function; fexit alike
	Module   string // "vmlinux", a module, or empty if unknown
	Several  bool   // kernel functions: the name is that of more than one, and the probe is in all of the module
	Offset   uint64 // kprobe: function+offset
	Address  uint64 // kprobe:0x...; watchpoint
	BTFID    uint32 // fentry, fexit: BTF type id of the function
	Program  uint32 // fentry, fexit: id of the BPF program that the function is of, or 0

	Category, Event string // tracepoint; raw tracepoint and iter: Event

	Path       string // uprobe, USDT: absolute path of the binary
	Symbol     string // for messages
	FileOffset uint64 // uprobe: where in the file
	Semaphore  uint64 // USDT: file offset of the semaphore, or 0
	Entry      bool   // uprobe: at the begin of a 64-bit function, where sp points to the return address
	Bits32     bool   // uprobe: in a function of a 32-bit program
	Convention Convention
	PID        int // uprobe, perf: this process only, or 0

	Period     uint64 // profile, interval: ns; perf: events
	Frequency  uint64 // profile, interval: per second, instead of Period
	PerfType   uint32 // perf: PERF_TYPE_SOFTWARE or _HARDWARE
	PerfConfig uint64
	Len        int    // watchpoint: bytes
	Mode       string // watchpoint: "r", "w", "rw", "x"
	Pin        string // iter

	// Multi asks for one multi link for all hooks of the program that have it
	// (the kernel was found to have kprobe.multi or uprobe.multi).
	Multi bool
	// Cookie is what the program of a multi link is told on this hook
	// (bpf_get_attach_cookie).
	Cookie uint64
	// Wild: the name is one of many that a pattern matched, so that the others
	// do without it if it cannot be attached.
	Wild bool
	Span source.Span
	// For is what the script named, if the hook is of a library's clause.
	For *Declared
}

// Right is what a hook needs besides the rights that all need, or empty: docs/reliability.md has the table.
func (h *Hook) Right() string {
	switch h.Kind {
	case HookTracepoint:
		return "a readable tracefs, for tracepoints"
	case HookWatchpoint:
		return "CAP_SYS_ADMIN, for watchpoints"
	case HookUprobe, HookUretprobe:
		return "CAP_SYS_ADMIN before Linux 6.6, for probes of programs"
	case HookFentry, HookFexit:
		if h.Module != "" && h.Module != "vmlinux" {
			return "CAP_SYS_ADMIN, for fentry of a module's functions"
		}
	}
	return ""
}

// MapKind is the kernel's map type.
type MapKind int

const (
	MapHash MapKind = iota
	MapLRUHash
	MapPerCPUHash
	MapPerCPULRUHash
	MapArray
	MapPerCPUArray
	MapRingBuf
	MapStacks // a hash of the stacks that the kernel walked (StackKey): no longer than those are here
	MapTaskStorage
	MapUnwind // of arrays of UnwindRow
	MapShared // an array of one value, which user space has in its memory, too
)

// What the kernel takes as the value of a map, in bytes.
const (
	// MaxPerCPUValue is for maps with a value for each CPU: PCPU_MIN_UNIT_SIZE of
	// include/linux/percpu.h.
	MaxPerCPUValue = 32 << 10
	// MaxArrayValue is for plain arrays: KMALLOC_MAX_SIZE of include/linux/slab.h
	// (array_map_alloc_check in Linux 5.10; later kernels take more).
	MaxArrayValue = 4 << 20
)

// StartMapName names an internal array of one value, two u64, that the runtime
// writes before any program runs: the boot-clock time at which the session
// started (`elapsed`), and how far the clock TAI was ahead of the boot clock then
// (for kernels before 6.1, which have no helper that reads TAI).
const StartMapName = "fst_start"

// StopMapName names an internal map of kind MapShared, one u64: if it is not 0, the
// programs of iterators end the walk, and these and others that fst runs itself (BEGIN, END, tests)
// their loops. exit() in an iterator sets it, and the runtime when something else ends the session.
const StopMapName = "fst_stop"

// GateMapName names an internal map of kind MapShared with a byte for each CPU, GateSize of them: the
// generation of the script whose clauses act there. A script that takes the place of another shares the map
// with it. Only a thread that runs on a CPU changes its byte: as no event of that CPU is then between two programs,
// both agree on whose each event is.
const (
	GateMapName = "fst_gate"
	GateSize    = 8192 // more CPUs than Linux has; a power of two
)

// FollowMapName names an internal map of kind MapShared with a byte for each process ID, FollowSize of them: 1 if the
// script sees that process (check.Options.Follow). The runtime sets those that are there when tracing starts. Each
// process gets the byte of the one that makes it, 0 or 1, before it runs: an id that is used again has the right one.
const (
	FollowMapName = "fst_follow"
	FollowSize    = 1 << 22 // the kernel's PID_MAX_LIMIT: more than there are processes
)

// ContainersMapName names an internal hash: of each cgroup's id, two u64, the types.NameNumber of its container and of
// its pod. The runtime fills it before anything is attached, and as cgroups are made (runtime/container).
//
// Most cgroups are found without it: ContainerSlotsMapName names an array, in which the lowest bits of an id are the
// index of an id, 0 as long as there was none, and its two numbers. Only cgroups whose place has another's id are in the hash.
const (
	ContainersMapName     = "fst_containers"
	ContainersSize        = 1 << 14 // cgroups
	ContainerSlotsMapName = "fst_cgroups"
	ContainerSlots        = 1 << 12 // a power of two
	// FirstCgroups is where the cgroups of version 1 are by which containers are known; on a machine with version 2 it is not there.
	FirstCgroups = "/sys/fs/cgroup/pids"
)

// Map is one map of the kernel. Key and Value are set for the maps of the
// script (and for internal ones that the runtime decodes).
type Map struct {
	ID         int
	Name       string // "@name" for a script's map, else "fst_..."; unique, instructions refer to it
	Kind       MapKind
	KeySize    int
	ValueSize  int
	MaxEntries int
	// EachCPU: MaxEntries are for each number that a CPU can have. The map's keys
	// begin with 0 for CPU 0.
	EachCPU bool
	// NoPrealloc asks for memory as keys come, where that of all keys together
	// would be much.
	NoPrealloc bool
	Script     bool // a map of the script: printed at exit
	// Scratch marks a map of plain values that the script deletes again and shows nowhere
	// itself, as what it keeps from the entry of a call to its return: it is no result.
	Scratch bool
	// Kept marks a map that a store keeps beyond the session, and other scripts use.
	Kept bool
	// Key is nil for a map without keys. Several keys are one tuple.
	Key *types.Type
	// Value is the value's type: an aggregation kind for count() and the
	// like, whose memory layout types.Agg describes.
	Value *types.Type
	// Schema names the parts of the key and the value, if the map has a Value.
	Schema *Schema
	// Present is the offset in the value of a u64 that is not 0 when a
	// script map without keys has a value (it is kept in an array, which
	// has no missing keys); -1 for all other maps. Aggregations have -1:
	// they are empty when their n is 0.
	Present int
	// Initial is the value of an array of one, which the runtime writes before
	// anything runs; nil for all other maps.
	Initial []byte
	// Turns is set for a map that is drained: there are two maps like this one,
	// and programs reach the one in use through an array of both.
	Turns *Turns
	// Unused marks a map that no program refers to: it is not created.
	Unused bool
	Span   source.Span
}

// Turns is how the two maps of a drained one take turns: three u64 in a map of
// kind MapShared. What is in the map that is not in use has been turned away
// and waits for user space, which takes it when no program can be at it any
// more.
type Turns struct {
	Map    int // index in Object.Maps
	Offset int // of the three in its value
}

// The u64 of Turns.
const (
	// TurnsNow counts the turns: its lowest bit is the map in use. A program (or
	// user space) adds 1 when it equals TurnsTaken.
	TurnsNow = 0
	// TurnsTaken is TurnsNow when user space last took what was turned away.
	TurnsTaken = 8
	// TurnsShown is TurnsNow when the report last began: its lowest bit is the
	// map that the report reads.
	TurnsShown = 16
	TurnsSize  = 24
)

// MessageKind is what a message asks of user space.
type MessageKind int

const (
	MsgPrintf MessageKind = iota
	MsgErrorf             // printf to stderr with place and severity
	MsgWarnf
	MsgPrintMap     // print(@m, top, div): Fields[0] top, Fields[1] div (u64)
	MsgPrintEntry   // print(@m[k]) of a chart: Fields[0] is the key
	MsgPrintValue   // print(x): Fields[0]
	MsgClear        // clear(@m)
	MsgZero         // zero(@m)
	MsgDrain        // the map begins anew; what it had is what Drained messages show. Fields[0]: the turn that ends what it had (u64)
	MsgTime         // time(fmt): Format[0] has the strftime text
	MsgExit         // Fields[0]: exit code (i64)
	MsgCat          // cat(fmt, ...): a path
	MsgSystem       // system(fmt, ...)
	MsgPacket       // Fields: u64 time since boot, u32 length, buffer with the bytes that were read; Sep: a pcap file
	MsgJoin         // Fields[0]: buffer of NUL-terminated words (array of strings), Sep
	MsgEvent        // default action: the Role of each field tells what it is
	MsgRow          // row(format, ...): a line of a table whose Columns are the fields
	MsgHeat         // heat(@m, unit): Sep is the unit
	MsgTable        // table(format, ...): maps side by side, see Table
	MsgRuntimeError // Fields[0]: a LossKind (i64), Fields[1]: a return code, or none
)

// IsShown reports whether a message leads to something that is shown, and so has a time.
func (k MessageKind) IsShown() bool {
	switch k {
	case MsgClear, MsgZero, MsgExit, MsgRuntimeError:
		return false
	}
	return true
}

// HasValues reports whether a message shows its fields by the names of its Schema, rather than a text.
func (k MessageKind) HasValues() bool { return k == MsgPrintValue || k == MsgEvent || k == MsgRow }

// String is what a message asks for, as the language calls it; empty for those that a script does not ask for.
func (k MessageKind) String() string { return messageWords[k] }

// messageWords are what messages ask for, as the language calls it.
var messageWords = map[MessageKind]string{
	MsgPrintf: "printf", MsgErrorf: "errorf", MsgWarnf: "warnf", MsgPrintMap: "print of a map", MsgPrintEntry: "print of a map",
	MsgPrintValue: "print", MsgTime: "time", MsgExit: "exit", MsgCat: "cat of a file", MsgPacket: "packets to a file",
	MsgJoin: "join", MsgEvent: "each event in a line", MsgRow: "rows of a table", MsgHeat: "heat map", MsgTable: "table of maps",
	MsgSystem: "system", MsgClear: "clear", MsgZero: "zero",
}

// NeedsMap reports whether a message is about a map.
func (k MessageKind) NeedsMap() bool {
	switch k {
	case MsgPrintMap, MsgPrintEntry, MsgClear, MsgZero, MsgDrain, MsgHeat:
		return true
	}
	return false
}

// LeastFields is how many fields a message has at least.
func (k MessageKind) LeastFields() int {
	switch k {
	case MsgPrintMap:
		return 2
	case MsgPacket:
		return 3
	case MsgPrintEntry, MsgPrintValue, MsgDrain, MsgExit, MsgJoin, MsgRuntimeError:
		return 1
	}
	return 0
}

// IsVital reports whether a session can't be understood without a message.
func (k MessageKind) IsVital() bool { return k == MsgErrorf }

// HeaderSize is the number of bytes before a message's first field: u32
// message id, u32 the number of the CPU and 1 if the records carry stamps
// (check.Options.Stamps), else 0.
const HeaderSize = 8

// Message describes one record of the ring buffer.
type Message struct {
	ID     int
	Kind   MessageKind
	Size   int // of the whole record, header included
	Fields []MessageField
	// Time is the offset in the record of the time of the event, u64 nanoseconds of the boot
	// clock: that of a field that is the time, else of a stamp behind all fields; 0: none.
	Time int
	// Schema names Fields, in their order, of a message that shows values: the arguments
	// of the printf kinds, MsgPrintValue, MsgEvent, MsgRow. That of a MsgTable is that of
	// the table's rows, with the parts of the key as Keys. nil for all others.
	Schema *Schema
	Format []Verb // of the printf kinds
	// Columns are those of MsgRow (behind the time of day, if Stamped) and of MsgTable.
	Columns []Column
	// Stamped is true for a MsgRow whose Fields[0] is the time of the event.
	Stamped bool
	Table   *Table // of MsgTable
	Map     int    // of MsgPrintMap, MsgHeat, MsgClear, MsgZero, MsgDrain; else -1
	// Drained is true for a MsgPrintMap, MsgHeat, MsgPrintEntry or MsgTable that shows
	// maps as the last MsgDrain found them, where there was one.
	Drained bool
	Sep     string // of MsgJoin; the file of MsgPacket; the unit of MsgHeat
	// Probe is the name shown by MsgEvent if the hooks have one; else a
	// field of kind ProbeName tells.
	Probe  string
	Clause int
	Span   source.Span
}

// Table is what table() shows: a row for each key that any of the maps has,
// with the parts of the key and then a column for each term; the rows with the
// largest first term come first, then those with the largest second.
type Table struct {
	Maps  []int // indexes in Maps, all with the same key
	Terms []Term
	Top   int // at most so many rows; 0: all
	// Sort is the number of the column that decides before all others, from 1:
	// the largest number comes first, or the first part of a key; 0: none.
	Sort int
}

// Term is a number made of maps: the element of a map (Op 0), a constant ('k')
// or X Op Y.
type Term struct {
	Op   byte // 0, 'k', + - * / %
	Map  int  // index in Table.Maps
	Num  int64
	X, Y *Term
}

// MessageField is a value within a record.
type MessageField struct {
	Type   *types.Type
	Offset int // from the start of the record
	// Own tells that the value is a text, or a character, that the script has written
	// out, so that it is shown as it is.
	Own bool
}

// Config are the settings that the runtime needs.
type Config struct {
	MaxStrlen       int
	MaxMapKeys      int
	MaxCatBytes     int
	PrintMapsOnExit bool
	StrTruncTrailer string
	MissingProbes   string // "error", "warn", "ignore"
	RingBytes       int    // of the ring buffer; 0: as the script needs
	StackMode       string
	CppDemangle     bool
	// DebugInfo adds source lines and inlined functions to user stacks.
	DebugInfo bool
	License   string
	// MaxOverhead is the share of one CPU that the programs may take, or 0
	// for no limit.
	MaxOverhead float64
}

// StackModeOf is the form in which a stack is shown.
func (c *Config) StackModeOf(f types.StackFormat) string { return cmp.Or(f.Mode, c.StackMode) }

// DefaultConfig are the settings that a script does not change: those of bpftrace 0.27.
func DefaultConfig() Config {
	return Config{MaxStrlen: 1024, MaxMapKeys: 4096, MaxCatBytes: 10240, PrintMapsOnExit: true,
		StrTruncTrailer: "..", MissingProbes: "error", StackMode: "bpftrace", CppDemangle: true, License: "GPL"}
}
