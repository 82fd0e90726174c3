//go:build 386 || arm

package bpf

import "unsafe"

// pointer is a pointer within an attribute of the system call: 64 bits.
type pointer struct {
	p unsafe.Pointer
	_ uint32
}
