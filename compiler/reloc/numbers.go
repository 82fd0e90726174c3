package reloc

import (
	"encoding/binary"
	"fmt"
	"math"

	"fst/compiler/object"
)

// number is a number of an object that may follow from a fact.
type number struct {
	get func() int64
	set func(int64)
	// min and max bound what it can hold.
	min, max int64
}

// Classes and modes of instructions.
const (
	classMask                         = 7
	classLD, classLDX, classST        = 0, 1, 2
	classSTX, classALU, classJMP      = 3, 4, 5
	classJMP32, classALU64            = 6, 7
	opLoad64, opCall, opExit, sourceX = 0x18, 0x85, 0x95, 8
)

// numbers lists what may follow from a fact, always in the same order: the constants and the
// offsets of instructions that are not those of jumps and calls, and where hooks are.
func numbers(o *object.Object) []number {
	var list []number
	for _, p := range o.Programs {
		list = append(list, instructionNumbers(p.Code.Insns)...)
		for _, hooks := range [][]object.Hook{p.Hooks, p.Named} {
			for i := range hooks {
				list = append(list, hookNumbers(&hooks[i])...)
			}
		}
	}
	return list
}

func instructionNumbers(code []byte) []number {
	var list []number
	for n := 0; n+object.InstructionSize <= len(code); n += object.InstructionSize {
		in := code[n : n+object.InstructionSize]
		switch op := in[0]; op & classMask {
		case classLD:
			if op != opLoad64 || n+2*object.InstructionSize > len(code) {
				continue
			}
			if in[1]>>4 == 0 {
				list = append(list, wide(in[4:8], code[n+12:n+16]))
			}
			n += object.InstructionSize
		case classLDX, classSTX:
			list = append(list, offset(in))
		case classST:
			list = append(list, offset(in), constant(in))
		case classALU, classALU64:
			if op&sourceX == 0 {
				list = append(list, constant(in))
			}
		case classJMP, classJMP32:
			if op&sourceX == 0 && op != opCall && op != opExit {
				list = append(list, constant(in))
			}
		}
	}
	return list
}

func constant(in []byte) number {
	return number{func() int64 { return int64(int32(binary.NativeEndian.Uint32(in[4:]))) },
		func(v int64) { binary.NativeEndian.PutUint32(in[4:], uint32(v)) }, math.MinInt32, math.MaxInt32}
}

func offset(in []byte) number {
	return number{func() int64 { return int64(int16(binary.NativeEndian.Uint16(in[2:]))) },
		func(v int64) { binary.NativeEndian.PutUint16(in[2:], uint16(v)) }, math.MinInt16, math.MaxInt16}
}

// wide is the constant of a 64-bit load, whose halves are in two instructions.
func wide(low, high []byte) number {
	return number{func() int64 {
		return int64(uint64(binary.NativeEndian.Uint32(high))<<32 | uint64(binary.NativeEndian.Uint32(low)))
	}, func(v int64) {
		binary.NativeEndian.PutUint32(low, uint32(v))
		binary.NativeEndian.PutUint32(high, uint32(uint64(v)>>32))
	}, math.MinInt64, math.MaxInt64}
}

func hookNumbers(h *object.Hook) []number {
	return []number{of(&h.BTFID), of(&h.Address), of(&h.PID), of(&h.Period), of(&h.Frequency)}
}

func of[T int | uint32 | uint64](at *T) number {
	n := number{func() int64 { return int64(*at) }, func(v int64) { *at = T(v) }, 0, math.MaxInt64}
	switch any(at).(type) {
	case *uint32:
		n.max = math.MaxUint32
	case *uint64:
		n.min = math.MinInt64 // all bits may be used
	}
	return n
}

// Put puts in what the facts' numbers are elsewhere. It changes the object only if that
// succeeds.
func Put(o *object.Object, facts []*Fact, now []int64) error {
	list := numbers(o)
	add := map[int]int64{}
	for i, f := range facts {
		for _, u := range f.Uses {
			if u.At < 0 || u.At >= len(list) {
				return fmt.Errorf("%s is used at a place that is not there", f.Name())
			}
			add[u.At] += u.Times * (now[i] - f.Number)
		}
	}
	for at, d := range add {
		if v := list[at].get() + d; v < list[at].min || v > list[at].max {
			return fmt.Errorf("a number that follows from the facts of this kernel does not fit into its instruction")
		}
	}
	for at, d := range add {
		list[at].set(list[at].get() + d)
	}
	return nil
}
