package fst

import (
	"fmt"
	"io"
	"strings"
	"time"

	"fst/compiler/target"
	"fst/compiler/target/facts"
	"fst/compiler/target/fixture"
	"fst/runtime/catalog"
	"fst/runtime/clock"
	"fst/runtime/graph"
	"fst/runtime/kernel"
	"fst/runtime/kernel/record"
)

// Kernel answers questions about a kernel: the running one, or one that was
// recorded. It reads nothing before it is asked, and each thing once: share
// one between compiles.
type Kernel struct {
	system *kernel.System
	target target.Target // what programs are compiled for
	// debugDirs are searched for separate debug information of programs.
	debugDirs []string
}

// OpenKernel returns the running kernel.
func OpenKernel() *Kernel {
	k, _ := OpenKernelWith(KernelOptions{})
	return k
}

// KernelOptions change what is asked of the running kernel.
type KernelOptions struct {
	// BTF is a file to read types from instead of /sys/kernel/btf/vmlinux.
	BTF string
	// Functions is a file to read the list of functions that can be probed
	// from, in the form of tracefs' available_filter_functions.
	Functions string
	// DebugDirs are searched for separate debug information of programs,
	// besides /usr/lib/debug.
	DebugDirs []string
	// Without are features to do without, by name (see KernelFeatures).
	Without []string
}

// OpenKernelWith returns the running kernel.
func OpenKernelWith(o KernelOptions) (*Kernel, error) {
	ko := kernel.Options{BTF: o.BTF, Functions: o.Functions, DebugDirs: o.DebugDirs}
	for _, name := range o.Without {
		f, ok := facts.FeatureByFlag(name)
		if !ok {
			return nil, fmt.Errorf("unknown feature %q (want %s)", name, strings.Join(KernelFeatures(), ", "))
		}
		ko.Without = append(ko.Without, f)
	}
	s := kernel.Open(ko)
	return &Kernel{system: s, target: s, debugDirs: o.DebugDirs}, nil
}

// KernelFeatures are the names of what a kernel may have or lack.
func KernelFeatures() []string {
	var names []string
	for _, f := range facts.FeatureNames {
		names = append(names, f.Flag)
	}
	return names
}

// recorded is a recorded kernel on this machine, whose binaries stay the ones
// that uprobes are looked up in, with their debug information. What this machine
// knows goes before what was recorded, being less deep.
type recorded struct {
	elsewhere
	target.Binaries
	target.DebugInfo
	target.Code
}

type elsewhere struct{ *fixture.Kernel }

// Symbol takes every symbol to be there: recordings hold few of them, and the
// address of one does not matter to a program that is only compiled.
func (r recorded) Symbol(name string) (uint64, bool) {
	addr, _ := r.Kernel.Symbol(name)
	return addr, true
}

// OpenRecorded returns a kernel that Record wrote to a file. Programs can be
// compiled for it, not started.
func OpenRecorded(path string) (*Kernel, error) {
	k, err := fixture.Open(path)
	if err != nil {
		return nil, err
	}
	s := kernel.Open(kernel.Options{})
	return &Kernel{system: s, target: recorded{elsewhere{k}, s, s, s}}, nil
}

// Record writes what the running kernel says of itself, for OpenRecorded.
func (k *Kernel) Record(w io.Writer) error { return record.Write(w, k.system) }

// Info writes what the kernel offers to tracing.
func (k *Kernel) Info(w io.Writer) { k.system.Info(w) }

// Release is the kernel's release, as uname -r says it.
func (k *Kernel) Release() string { return k.target.Release() }

// BootTime is the wall clock's time when the system started: what times in
// nanoseconds since then count from.
func (k *Kernel) BootTime() time.Time { return clock.New().Wall(0) }

// Catalog tells what there is to trace: the probes of the running kernel, and the types
// of this one.
func (k *Kernel) Catalog() *catalog.Catalog { return catalog.New(k.system, k.target) }

// Graph makes what follows the calls inside functions of the running kernel. It checks
// the options, and changes nothing yet.
func (k *Kernel) Graph(o graph.Options) (*graph.Graph, error) {
	o.Kernel = k.system
	return graph.New(o)
}
