package object

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"fst/lang/source"
)

// InstructionSize is the number of bytes of one instruction of the kernel.
const InstructionSize = 8

// Code is the instructions of a program as the kernel takes them, but for the numbers that depend
// on the rest of the script: they are 0 in Insns, and in Links. So Insns depend on the clause alone.
// 64-bit loads are two instructions.
type Code struct {
	Insns []byte
	// Links are in the order of the instructions.
	Links []Link
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

// LinkKind is what a link refers to.
type LinkKind uint8

const (
	LinkMap         LinkKind = iota // a map, or the address of its value
	LinkMessage                     // Message.ID
	LinkRingLimit                   // bytes in use from which on the ring has room for control messages only
	LinkRingQuarter                 // bytes in use from which on the reader is woken at once
	LinkProbeName                   // an index in Object.ProbeNames
)

// Link is a number for an instruction that follows from the whole object.
type Link struct {
	At   int // the instruction
	Kind LinkKind
	// Number is the index in Object.Maps of a map, else what the instruction gets.
	Number int
	// Offset is added to the address of a map's value.
	Offset uint32
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

// loadsMap reports whether instruction n loads a map or the address of its value.
func (c *Code) loadsMap(n int) bool {
	in := c.Insns[n*InstructionSize:]
	src := in[1] >> 4
	return in[0] == opLoad64 && (src == pseudoMap || src == pseudoMapAddr)
}

// IsLinked reports whether each link is of an instruction that can take it, and each load of a map
// has one. Links of maps are below maps, those of messages below messages.
func (c *Code) IsLinked(maps, messages int) bool {
	links := c.Links
	for i := 0; i < c.Len(); i++ {
		wide, loads := c.Insns[i*InstructionSize] == opLoad64, c.loadsMap(i)
		if wide && i+1 == c.Len() {
			return false
		}
		linked := len(links) > 0 && links[0].At == i
		if loads && !linked {
			return false
		}
		if linked {
			l := links[0]
			links = links[1:]
			if loads != (l.Kind == LinkMap) || wide && !loads || l.Number < 0 || l.Kind == LinkMap && l.Number >= maps || l.Kind == LinkMessage && l.Number >= messages {
				return false
			}
		}
		if wide {
			i++ // its second half
		}
	}
	return len(links) == 0
}

// RefersTo reports whether the code loads a map, by its index in Object.Maps.
func (c *Code) RefersTo(id int) bool {
	return slices.ContainsFunc(c.Links, func(l Link) bool { return l.Kind == LinkMap && l.Number == id })
}

// Linked returns the instructions with all numbers. fd finds the descriptor of a map by its index in
// Object.Maps; it is negative if there is none.
func (c *Code) Linked(fd func(id int) int) ([]byte, error) {
	insns := bytes.Clone(c.Insns)
	for _, l := range c.Links {
		in, n := insns[l.At*InstructionSize:], l.Number
		if l.Kind == LinkMap {
			if n = fd(l.Number); n < 0 {
				return nil, fmt.Errorf("instruction %d refers to an unknown map %d", l.At, l.Number)
			}
			binary.NativeEndian.PutUint32(in[InstructionSize+4:], l.Offset)
		}
		binary.NativeEndian.PutUint32(in[4:], uint32(n))
	}
	return insns, nil
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
