// Package render turns messages, maps and losses into text, JSON or
// series of numbers. All forms read the same values, so they cannot disagree.
//
// It must not import eBPF libraries or read the kernel's state itself: what it
// must know of the system it asks a Resolver.
package render

import (
	"time"

	"fst/runtime/debuginfo"
	"fst/runtime/value"
)

// Resolver knows the names of the system that is traced. A name is "" if it
// is not known.
type Resolver interface {
	// KernelSymbol names the symbol that holds addr, and the module of a
	// symbol that is not in the kernel proper.
	KernelSymbol(addr uint64) (name string, offset uint64, module string)
	// KernelSymbolSize is how large the kernel's symbol that holds addr is.
	KernelSymbolSize(addr uint64) uint64
	// UserSymbol is the same in a process; module is the path of the binary,
	// also if name is not known.
	UserSymbol(pid int, addr uint64) (name string, offset uint64, module string)
	// UserSource tells where the code at addr was written; nil if that is not
	// known.
	UserSource(pid int, addr uint64) []debuginfo.Place
	// BuildID finds the binary that is mapped at addr: its id in hex and the
	// place in the file.
	BuildID(pid int, addr uint64) (id string, offset uint64)
	// Stack returns the addresses of a recorded stack, innermost first.
	Stack(s value.Stack) []uint64
	UserName(uid uint32) string
	CgroupPath(id uint64) string
	SyscallName(number uint64) string
	// OtherProbe is the name of a probe (types.ProbeName) that the script's object does not
	// know: it is of a value that another script has left in a map.
	OtherProbe(n uint64) (name string, ok bool)
	// Wall is the wall clock's time at one of the boot clock, that of Timestamp values.
	Wall(boot int64) time.Time
	// TAIOffset is how far the clock that TSeries values count in is ahead
	// of the wall clock.
	TAIOffset() time.Duration
}

// Options change how output looks.
type Options struct {
	// LineBuffered writes each message by itself, not only when there is
	// nothing more to read.
	LineBuffered bool
	// NoWarnings leaves out warnf and Warn.
	NoWarnings bool
	// Quiet leaves out Remark, and the line that says how many probes were attached.
	Quiet bool
	// NoExitLines leaves out the empty lines between a script's output and the
	// maps at its end.
	NoExitLines bool
	// Width is how many columns the terminal has, asked for each line of row()
	// and table(): what is longer is cut. 0 leaves lines as they are. nil stands for an
	// output that is no terminal, to which %rb writes bytes as they are.
	Width func() int
	// Location is the time zone; nil means the local one.
	Location *time.Location
	// Now is the clock of time(); nil means time.Now.
	Now func() time.Time
}
