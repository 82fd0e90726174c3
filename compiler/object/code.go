package object

import (
	"encoding/binary"
	"iter"

	"fst/lang/source"
)

// InstructionSize is the number of bytes of one instruction of the kernel.
const InstructionSize = 8

// Code is the instructions of a program as the kernel takes them, but for the maps: where a
// descriptor would stand is the index of the map in Object.Maps. 64-bit loads are two
// instructions.
type Code struct {
	Insns []byte
	// Funcs are the functions in it, in order: the program itself, then those that it calls
	// or gives to helpers. It is empty if there is the program alone.
	Funcs []Func
	// Spans are the places in the script of the instructions, for the verifier's complaints;
	// empty if unknown.
	Spans []source.Span
}

// Func is a function of a program. The first has the context as its parameter; those of the
// others are numbers.
type Func struct {
	Name   string
	Start  int // its first instruction
	Params int
	// Global functions are looked at once by the verifier, whoever calls them, and return
	// 64 bits; the others are callbacks.
	Global bool
}

// Len is the number of instructions.
func (c *Code) Len() int { return len(c.Insns) / InstructionSize }

// SpanAt is the place in the script of an instruction.
func (c *Code) SpanAt(n int) source.Span {
	if n < 0 || n >= len(c.Spans) {
		return source.Span{}
	}
	return c.Spans[n]
}

// The parts of an instruction that name a map: a 64-bit load of its descriptor, or of the
// address of its value.
const (
	opLoad64      = 0x18
	pseudoMap     = 1
	pseudoMapAddr = 2
)

// Maps yields the instructions that load a map or the address of its value, by their number,
// and what they name it by.
func (c *Code) Maps() iter.Seq2[int, uint32] {
	return func(yield func(int, uint32) bool) {
		for i := 0; i < c.Len(); i++ {
			in := c.Insns[i*InstructionSize:]
			if in[0] != opLoad64 {
				continue
			}
			if src := in[1] >> 4; (src == pseudoMap || src == pseudoMapAddr) && !yield(i, binary.NativeEndian.Uint32(in[4:])) {
				return
			}
			i++ // its second half
		}
	}
}

// SetMap changes what instruction n names a map by.
func (c *Code) SetMap(n int, id uint32) {
	binary.NativeEndian.PutUint32(c.Insns[n*InstructionSize+4:], id)
}

// Calls, and those of functions of the program.
const (
	opCall     = 0x85
	pseudoCall = 1
)

// Calls yields the numbers of the helpers that the code calls; -1 for what else of the kernel it calls.
func (c *Code) Calls() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := 0; i < c.Len(); i++ {
			in := c.Insns[i*InstructionSize:]
			if in[0] == opLoad64 {
				i++ // its second half
				continue
			}
			if in[0] != opCall || in[1]>>4 == pseudoCall {
				continue
			}
			helper := int32(-1)
			if in[1]>>4 == 0 {
				helper = int32(binary.NativeEndian.Uint32(in[4:]))
			}
			if !yield(helper) {
				return
			}
		}
	}
}
