// Package ir is the compiler's intermediate language: three-address
// instructions over unlimited virtual registers, in basic blocks.
//
// Registers hold 64 bits. A value of a narrower type is kept extended to 64
// bits by the signedness of its type. Registers may be assigned more than once
// (it is not SSA form); a register that is assigned once, in a block that
// dominates its uses, is what the optimiser works best with.
//
// It must not import eBPF libraries, the tree or the runtime.
package ir

import (
	"math"
	"slices"

	"fst/lang/source"
)

// Program is what one probe runs: Funcs[0] is entered with the context in its
// only parameter; the others are callbacks (of bpf_for_each_map_elem and
// bpf_loop), reached by FuncAddr, and functions that are called. Of these all
// arguments are numbers: the verifier looks at them once, whoever calls them.
type Program struct {
	Name  string
	Funcs []*Func
	// Maps are the names of the maps by their indexes, for the text form.
	Maps []string
}

// Func is a function. Blocks[0] is its entry.
type Func struct {
	Name   string
	Params []Reg // set on entry, at most 5
	Blocks []*Block
	Slots  []Slot
	// Failed collects which reads have failed, or is 0.
	Failed Reg
	// Aliased is set if what OpRead reads may be memory that the program writes.
	Aliased bool
	// Members are names of what OpRead reads, as "file.f_inode", for the text form.
	Members []string
	// NumRegs is one more than the largest register in use.
	NumRegs int
}

// Reg is a virtual register, from 1; 0 is none.
type Reg int32

// Slot is memory of one run of a function: on the stack if it fits, else in
// per-CPU scratch memory. Its content is undefined at first. SlotAddr makes a
// pointer to it.
type Slot struct {
	Name  string
	Size  int // bytes
	Align int // 1, 2, 4 or 8
	// Far memory must not be on the stack: there the verifier wants aligned
	// accesses at places that it can compute.
	Far bool
	// Near memory must be on the stack: it holds addresses, which the verifier
	// follows nowhere else, or is the context of a callback.
	Near bool
}

// Block is a sequence of instructions with one entry and one exit.
type Block struct {
	ID     int
	Instrs []Instr
	Term   Term
}

// Op is what an instruction does.
type Op uint8

const (
	OpInvalid Op = iota
	// OpConst: Dst = A.Imm (64 bits).
	OpConst
	// OpCopy: Dst = A.
	OpCopy
	// Arithmetic on 64 bits: Dst = A op B. Div and Mod are unsigned; a zero
	// divisor gives 0 and A, as in eBPF. SDiv and SMod need a kernel with
	// SignedDivision. Shifts take B modulo 64.
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpMod
	OpSDiv
	OpSMod
	OpAnd
	OpOr
	OpXor
	OpLsh
	OpRsh
	OpArsh
	// OpNeg: Dst = -A.
	OpNeg
	// OpSwap: Dst = the low Size bytes of A in reverse order, zero-extended.
	OpSwap
	// OpExt: Dst = the low Size bytes of A, sign-extended if Signed, else zero-extended.
	OpExt
	// OpLoad: Dst = *(Size bytes)(A + Off), extended as OpExt says. A is a
	// pointer that the verifier knows: context, slot, map value, ring-buffer
	// record, or (with a typed pointer) kernel memory.
	OpLoad
	// OpStore: *(Size bytes)(A + Off) = B.
	OpStore
	// OpAtomicAdd: *(Size bytes)(A + Off) += B, atomically. Size is 4 or 8.
	OpAtomicAdd
	// OpAtomicXchg: Dst = *(Size bytes)(A + Off), which becomes B, atomically
	// (needs Atomics).
	OpAtomicXchg
	// OpMapPtr: Dst = the map Map, as helpers take it.
	OpMapPtr
	// OpMapValue: Dst = address of the value at index 0 of the array Map, plus
	// Off (not for per-CPU arrays).
	OpMapValue
	// OpSlotAddr: Dst = address of slot Slot plus Off.
	OpSlotAddr
	// OpFuncAddr: Dst = callback function Func of the program.
	OpFuncAddr
	// OpCall: Dst = helper Helper(Args...), or the program's function Func(Args...)
	// if that is not 0. Dst may be 0 (none).
	OpCall

	// The operations from here on say what is wanted, not how the kernel is asked for it:
	// compiler/legalize makes those above of them.

	// OpGet: Dst = Fact. A is the context if the fact is one of its event.
	OpGet
	// OpRead: Dst = *(Size bytes)(A + Off) in Space, extended as OpExt says; 0 if it
	// cannot be read.
	OpRead
	// OpReadMem copies Args[1] bytes of Space from Args[2] to Args[0], if Text is set up to
	// the first NUL. Dst, which may be 0 (none), is negative if they cannot be read: the
	// memory is zero then.
	OpReadMem

	// Operations on the map Map. If A is a register, it is the map that they are done to: one of
	// the two that take turns, or the map that a callback was given.

	// OpMapTurn: Dst = that one of the two maps of Map whose turn A is, by its lowest bit.
	OpMapTurn
	// OpMapLookup: Dst = address of the value of the key at Args[0]; 0 if there is none.
	OpMapLookup
	// OpMapLookupCPU: the same of the CPU Args[1], of a map that has a value for each.
	OpMapLookupCPU
	// OpMapUpdate: the value of the key at Args[0] becomes the one at Args[1]. Dst is negative if
	// that fails.
	OpMapUpdate
	// OpMapInsert: the same if the key has no value, else it fails.
	OpMapInsert
	// OpMapDelete: the key at Args[0] has no value any more. Dst is negative if it had none.
	OpMapDelete
	// OpMapEach: the callback Args[0] is run with each element and the memory at Args[1]. Dst is
	// how many there were.
	OpMapEach
	// OpMapThread: Dst = address of the value of the running thread, or 0. If there is none it is
	// made if Args[0] is 1.
	OpMapThread

	// OpReserve: Dst = address of a record of A bytes in the ring buffer Map; 0 if it has no room.
	// If B is 1, it is a control record, which may use the room that the others leave free.
	OpReserve
	// OpSubmit hands the record at A to user space. B is as before.
	OpSubmit
	// OpStack writes the return addresses of the running thread, in Space, to Args[0], at most
	// Args[1] bytes, without the first Args[2] of them. A is the context. Dst is how many bytes
	// they are, negative if there are none.
	OpStack
	// OpComm writes the name of the running thread to Args[0], at most Args[1] bytes.
	OpComm
	// OpPath writes the path of the struct path at Args[0] to Args[1], at most Args[2] bytes. Dst is negative if that fails.
	OpPath
	// OpSocketCookie: Dst = the number that the kernel gives the socket at Args[0].
	OpSocketCookie

	// OpLoop runs the callback Args[1] up to Args[0] times, with the number of the turn and the memory at Args[2], until it
	// returns 1. Dst is how often it ran.
	OpLoop

	// Operations that act on the system. Dst is negative if they fail.

	// OpWriteUser writes the Args[2] bytes at Args[1] to Args[0] in the memory of the running process.
	OpWriteUser
	// OpSignal sends signal Args[0] to the running process, OpSignalThread to the running thread.
	OpSignal
	OpSignalThread
	// OpOverride has the probed function, of the context Args[0], return Args[1] at once.
	OpOverride
	// OpPrintFile prints, in the file that is read through the iterator of the context A, by the format at Args[0], of
	// Args[1] bytes, the Args[3] bytes of values at Args[2].
	OpPrintFile
	// OpTrace prints to the trace pipe by the format at Args[0], of Args[1] bytes, the values behind it.
	OpTrace
)

// Instr is one instruction. Fields that an Op does not name are zero.
type Instr struct {
	Op     Op
	Fact   Fact
	Space  Space
	Text   bool
	Dst    Reg
	A, B   Operand
	Args   []Operand
	Size   int8
	Signed bool
	Bit    int8  // of OpRead, OpReadMem and OpPath: set in Func.Failed if it fails, unless it is 0
	Member uint8 // of OpRead: what it reads, in Func.Members, from 1; 0 if nothing is known of it
	Off    int32
	Map    int32 // index in Object.Maps
	Slot   int32
	Func   int32
	Helper int32 // one of the Helper constants, or another helper's number
	Span   source.Span
}

// Operand is a register or, if Reg is 0, the constant Imm.
type Operand struct {
	Reg Reg
	// Link is what a constant depends on besides the clause. Such a number fits 32 bits.
	Link Link
	Imm  int64
}

// Link is what of the whole script a constant is.
type Link uint8

const (
	NoLink      Link = iota
	Message          // the id of a message
	RingLimit        // how much of the ring may be in use for messages that do not steer
	RingQuarter      // how much of it is in use when the reader is woken
	ProbeName        // the index of a name in Object.ProbeNames
)

// links are what they are called in the text form.
var links = [...]string{Message: "message", RingLimit: "ring_limit", RingQuarter: "ring_quarter", ProbeName: "probe_name"}

// R and I make operands.
func R(r Reg) Operand   { return Operand{Reg: r} }
func I(v int64) Operand { return Operand{Imm: v} }

// IsImm reports whether o is a constant.
func (o Operand) IsImm() bool { return o.Reg == 0 }

// TermKind is how a block ends.
type TermKind uint8

const (
	TermInvalid TermKind = iota
	TermJump             // to Then
	TermBranch           // to Then if A Cond B, else to Else
	TermReturn           // with value A
)

// Cond compares 64-bit operands.
type Cond uint8

const (
	Eq  Cond = iota
	Ne       // A != B
	ULt      // unsigned
	ULe
	UGt
	UGe
	SLt // signed
	SLe
	SGt
	SGe
	Set // A & B != 0
)

// Term ends a block.
type Term struct {
	Kind       TermKind
	Cond       Cond
	A, B       Operand
	Then, Else *Block
	Span       source.Span
}

// NewReg returns a fresh register.
func (f *Func) NewReg() Reg {
	if f.NumRegs == 0 {
		f.NumRegs = 1
	}
	f.NumRegs++
	return Reg(f.NumRegs - 1)
}

// Member returns the index of a name in f.Members, which gets it; 0 if it has too many.
func (f *Func) Member(name string) uint8 {
	i := slices.Index(f.Members, name)
	if i < 0 && name != "" && len(f.Members) < math.MaxUint8 {
		i = len(f.Members)
		f.Members = append(f.Members, name)
	}
	return uint8(i + 1)
}

// NewBlock appends an empty block.
func (f *Func) NewBlock() *Block {
	b := &Block{ID: len(f.Blocks)}
	f.Blocks = append(f.Blocks, b)
	return b
}

// NewSlot appends a slot and returns its index.
func (f *Func) NewSlot(name string, size, align int) int32 {
	f.Slots = append(f.Slots, Slot{Name: name, Size: size, Align: align})
	return int32(len(f.Slots) - 1)
}
