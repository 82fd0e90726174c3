package object

// UnwindMapName names the internal map that the runtime fills with the unwind
// tables of the binaries in memory: by UnwindKey, an array of UnwindRow.
const UnwindMapName = "fst_unwind"

// UnwindKeySize is the size of a key of the map of unwind tables, which names a
// file: u64 inode, u32 device as the kernel has it (major<<20 | minor), u32 0.
// The vdso, which is no file, is inode 0 of device 0.
const UnwindKeySize = 16

// UnwindRow is a row of an unwind table: how the code from its place on, up to
// the next row's, finds the frame of its caller. The rows of a table are sorted.
// From the top: 32 bits place in the file, 19 bits signed offset in words of 8
// bytes, 4 bits UnwindRule, 9 bits where the caller's rbp is.
type UnwindRow uint64

// Where the fields of a row are.
const (
	UnwindPlaceShift  = 32
	UnwindOffsetShift = 13
	UnwindOffsetBits  = 19
	UnwindRuleShift   = 9
	UnwindRuleMask    = 15
	UnwindBPMask      = 511
)

// UnwindRule says what the canonical frame address (CFA) is: what the stack
// pointer was before the call. The return address is in the word below it.
type UnwindRule uint8

const (
	UnwindEnd     UnwindRule = iota // nobody called: the outermost frame
	UnwindSP                        // CFA = rsp + offset
	UnwindBP                        // CFA = rbp + offset
	UnwindBPDeref                   // CFA = *(rbp + offset): the stack was realigned
	UnwindPLT                       // CFA = rsp + 8, and 8 more if rip & 15 is at least the offset (in words)
	UnwindSignal                    // rsp points to what the kernel saved for a signal's handler
	UnwindUnknown                   // the rule is one that programs cannot follow
)

// Where the caller's rbp is; other numbers n: at CFA - 8n.
const (
	UnwindBPSame  = 0   // it was not changed
	UnwindBPLost  = 510 // nobody knows
	UnwindBPAtBP  = 511 // at *rbp
	UnwindMaxBPAt = 509
)

// UnwindSteps is how many halvings find a row: tables have at most 1<<UnwindSteps rows.
const UnwindSteps = 21

// UnwindByFramePointer is the row for code that nothing is known of: it keeps a
// frame pointer, or it ends the stack.
const UnwindByFramePointer = UnwindRow(2<<UnwindOffsetShift | uint64(UnwindBP)<<UnwindRuleShift | 2)
