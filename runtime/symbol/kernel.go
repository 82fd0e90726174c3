// Package symbol turns addresses and numbers of the running system into
// names: functions of the kernel (Kernel) and of processes (Processes), users, control
// groups, system calls. Each part is independent of the others, and its methods may be
// called by several goroutines.
//
// What it learned of a process is kept after the process ended. It must not
// import eBPF libraries, of the runtime more than what reads files of programs, or
// of the compiler more than its list of system calls.
package symbol

import (
	"runtime"
	"sync"
	"time"

	"fst/compiler/target/syscalls"
)

// Table finds the kernel's symbol that holds an address.
type Table interface {
	Lookup(addr uint64) (name string, offset uint64, module string, ok bool)
	// Size is how far it is from the beginning of the symbol that holds an address
	// to the next one.
	Size(addr uint64) uint64
	// Stale reports whether an address may be in code that was loaded after the
	// table was read.
	Stale(addr uint64) bool
}

// Kernel names what is the kernel's. The zero value knows no addresses.
type Kernel struct {
	read func(fresh bool) (Table, error)

	mu    sync.Mutex
	table Table
	tried bool      // table was read
	fresh time.Time // when it was read anew
}

// NewKernel returns a Kernel. read is called when the first address is looked up, and
// for a fresh table when code was loaded since.
func NewKernel(read func(fresh bool) (Table, error)) *Kernel { return &Kernel{read: read} }

// KernelSymbol returns the kernel's symbol that holds addr, how far into it
// addr is, and the module it belongs to. name is "" if there is none, or the
// kernel hides its addresses.
func (k *Kernel) KernelSymbol(addr uint64) (name string, offset uint64, module string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.tried {
		k.tried = true
		k.load(false) // that of others, too
	}
	if k.table != nil && k.table.Stale(addr) && time.Since(k.fresh) > freshFor {
		k.fresh = time.Now()
		k.load(true)
	}
	if k.table == nil {
		return "", 0, ""
	}
	name, offset, module, ok := k.table.Lookup(addr)
	if !ok {
		return "", 0, ""
	}
	return name, offset, module
}

// KernelSymbolSize returns how large the symbol is that KernelSymbol finds.
func (k *Kernel) KernelSymbolSize(addr uint64) uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.table == nil {
		return 0
	}
	return k.table.Size(addr)
}

// load reads the table.
func (k *Kernel) load(fresh bool) {
	if k.read == nil {
		return
	}
	if t, err := k.read(fresh); err == nil {
		k.table = t
	}
}

// SyscallName returns the name of a system call of this architecture.
func (*Kernel) SyscallName(number uint64) string {
	if names := syscalls.Names(runtime.GOARCH); number < uint64(len(names)) {
		return names[number]
	}
	return ""
}
