package fst

import (
	"io"

	"fst/runtime/kernel"
)

// Kernel answers questions about the running kernel. It reads nothing before
// it is asked, and each thing once: share one between compiles.
type Kernel struct {
	system *kernel.System
}

// OpenKernel returns the running kernel.
func OpenKernel() *Kernel { return &Kernel{system: kernel.Open(kernel.Options{})} }

// Info writes what the kernel offers to tracing.
func (k *Kernel) Info(w io.Writer) { k.system.Info(w) }

// Release is the kernel's release, as uname -r says it.
func (k *Kernel) Release() string { return k.system.Release() }
