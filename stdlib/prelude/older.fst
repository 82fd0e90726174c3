// The names that kstack and ksym had before bpftrace 0.9.2.

// stack: the kernel stack; now kstack.
macro stack() { kstack }

macro stack(frames) { kstack(frames) }

macro stack(mode, frames) { kstack(mode, frames) }

// sym: the kernel's symbol at an address; now ksym.
macro sym(address) { ksym(address) }
