//go:build amd64 || arm64 || riscv64 || loong64

package bpf

import "unsafe"

// pointer is a pointer within an attribute of the system call: 64 bits. It
// stays a Go pointer, so that what it points to is kept and followed.
type pointer struct{ p unsafe.Pointer }
