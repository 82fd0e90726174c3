// Package interp runs IR in Go: what a program does here must be what it does in the
// kernel, before and after the optimiser. Package runtime/interpreter runs whole scripts by it.
//
// Memory is a set of segments (context, slots, map values); an address has
// the segment's number in its upper half, and an access outside of a segment
// is an error. It must not import anything of this project but ir.
package interp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"fst/compiler/ir"
)

// Map is a map as helpers see it.
type Map interface {
	// Lookup returns the value's memory, which the program may change, or nil.
	Lookup(key []byte) []byte
	// Update stores a copy of value; the result is a helper's: 0 or -errno.
	Update(key, value []byte, flags uint64) int64
	Delete(key []byte) int64
	KeySize() int
	ValueSize() int
	// Keys are those of all elements, in an order that is always the same.
	Keys() [][]byte
}

// Helper is what a helper call does. Its arguments are as in the kernel.
type Helper func(m *Machine, args [5]uint64) (uint64, error)

// Machine runs one program. It keeps the memory of maps between runs.
type Machine struct {
	Prog *ir.Program
	Maps []Map
	// Helpers are the known helpers by number, besides those that are BuiltIn. There is one CPU.
	Helpers map[int32]Helper
	// MaxSteps limits a run; 0 stands for a million.
	MaxSteps int
	// Outside is memory that is not the program's own, nil where there is none. Without it there is no such memory.
	Outside func(addr uint64, n int) []byte

	segments [][]byte
	known    map[*byte]int // the segments of memory, by its first byte
	inner    []Map         // what was looked up in an OfMaps
	frames   map[*ir.Func][]*frame
	steps    int
}

// frame is what one call of a function needs; it is used again.
type frame struct {
	regs  []int64
	slots []uint64 // their addresses
}

// Error is an instruction that could not be run.
type Error struct {
	Block int
	Instr *ir.Instr
	Err   error
}

func (e *Error) Error() string { return fmt.Sprintf("b%d: %s: %v", e.Block, e.Instr, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// ErrUnknown is behind the error of a call of a helper that is not known.
var ErrUnknown = errors.New("interp: the helper is not known")

// BuiltIn reports whether a helper is one that every machine knows.
func BuiltIn(helper int32) bool {
	switch helper {
	case ir.HelperMapLookup, ir.HelperMapUpdate, ir.HelperMapDelete, ir.HelperForEachMapElem, ir.HelperLoop, ir.HelperLookupPerCPU:
		return true
	}
	return false
}

// ErrSteps is returned by Run for a program that does not end.
var ErrSteps = errors.New("interp: too many steps")

// ErrTurns is behind the error of a loop that has more turns in one call of its function than
// the kernel's verifier goes through.
var ErrTurns = errors.New("interp: too many turns of a loop")

// maxTurns is the verifier's limit of instructions: each turn has one at least.
const maxTurns = 1e6

const (
	segmentBits = 32
	mapMark     = 0x7a << 56 // OpMapPtr and OpFuncAddr
	funcMark    = 0x7b << 56
)

// Run runs the program with ctx as its context and returns its result.
func (m *Machine) Run(ctx []byte) (int64, error) {
	m.segments, m.known = append(m.segments[:0], nil), map[*byte]int{}
	m.inner, m.frames, m.steps = nil, map[*ir.Func][]*frame{}, 0
	return m.call(m.Prog.Funcs[0], []uint64{m.Address(ctx)})
}

// Address makes memory visible to the program and returns where it is.
func (m *Machine) Address(b []byte) uint64 {
	if len(b) > 0 {
		if i := m.known[&b[0]]; i > 0 {
			return uint64(i) << segmentBits
		}
		m.known[&b[0]] = len(m.segments)
	}
	m.segments = append(m.segments, b)
	return uint64(len(m.segments)-1) << segmentBits
}

// Memory returns n bytes at an address.
func (m *Machine) Memory(addr uint64, n int) ([]byte, error) {
	seg, off := addr>>segmentBits, addr&(1<<segmentBits-1)
	if seg == 0 || seg >= uint64(len(m.segments)) || off+uint64(n) > uint64(len(m.segments[seg])) {
		if m.Outside != nil {
			if b := m.Outside(addr, n); b != nil {
				return b, nil
			}
		}
		return nil, fmt.Errorf("interp: access of %d bytes at %#x", n, addr)
	}
	return m.segments[seg][off : off+uint64(n)], nil
}

func (m *Machine) call(f *ir.Func, args []uint64) (int64, error) {
	fr := m.enter(f)
	defer func() { m.frames[f] = append(m.frames[f], fr) }()
	regs, slots := fr.regs, fr.slots
	for i, r := range f.Params {
		if i < len(args) {
			regs[r] = int64(args[i])
		}
	}
	val := func(o ir.Operand) int64 {
		if o.IsImm() {
			return o.Imm
		}
		return regs[o.Reg]
	}
	limit := m.MaxSteps
	if limit == 0 {
		limit = 1e6
	}
	turns := 0
	for b := f.Blocks[0]; ; {
		from := b
		for i := range b.Instrs {
			in := &b.Instrs[i]
			if m.steps++; m.steps > limit {
				return 0, ErrSteps
			}
			v, err := m.instr(in, val, slots)
			if err != nil {
				var inside *Error // of a function that it called
				if errors.As(err, &inside) || errors.Is(err, ErrSteps) {
					return 0, err
				}
				return 0, &Error{b.ID, in, err}
			}
			if in.Dst != 0 {
				regs[in.Dst] = v
			}
		}
		if m.steps++; m.steps > limit {
			return 0, ErrSteps
		}
		switch t := &b.Term; t.Kind {
		case ir.TermReturn:
			return val(t.A), nil
		case ir.TermJump:
			b = t.Then
		case ir.TermBranch:
			if t.Cond.Eval(val(t.A), val(t.B)) {
				b = t.Then
			} else {
				b = t.Else
			}
		default:
			return 0, fmt.Errorf("interp: b%d does not end", b.ID)
		}
		if b.ID <= from.ID {
			if turns++; turns > maxTurns {
				at := &ir.Instr{Span: from.Term.Span}
				if n := len(from.Instrs); n > 0 && !at.Span.IsValid() {
					at = &from.Instrs[n-1]
				}
				return 0, &Error{from.ID, at, ErrTurns}
			}
		}
	}
}

// enter returns a frame for a call of f, with zeros in it.
func (m *Machine) enter(f *ir.Func) *frame {
	if free := m.frames[f]; len(free) > 0 {
		fr := free[len(free)-1]
		m.frames[f] = free[:len(free)-1]
		clear(fr.regs)
		for _, at := range fr.slots {
			clear(m.segments[at>>segmentBits])
		}
		return fr
	}
	fr := &frame{make([]int64, f.NumRegs), make([]uint64, len(f.Slots))}
	for i, s := range f.Slots {
		fr.slots[i] = m.Address(make([]byte, s.Size))
	}
	return fr
}

func (m *Machine) instr(in *ir.Instr, val func(ir.Operand) int64, slots []uint64) (int64, error) {
	if v, ok := in.Eval(val(in.A), val(in.B)); ok {
		return v, nil
	}
	switch in.Op {
	case ir.OpMapPtr:
		return int64(mapMark | uint64(in.Map)), nil
	case ir.OpFuncAddr:
		return int64(funcMark | uint64(in.Func)), nil
	case ir.OpSlotAddr:
		return int64(slots[in.Slot] + uint64(int64(in.Off))), nil
	case ir.OpMapValue:
		mp := m.Maps[in.Map]
		return int64(m.Address(mp.Lookup(make([]byte, mp.KeySize()))) + uint64(in.Off)), nil
	case ir.OpCall:
		return m.helper(in, val)
	case ir.OpGet, ir.OpRead, ir.OpReadMem:
		return 0, errors.New("interp: the program is not legalized")
	}
	mem, err := m.Memory(uint64(val(in.A)+int64(in.Off)), int(in.Size))
	if err != nil {
		return 0, err
	}
	old := load(mem)
	switch in.Op {
	case ir.OpLoad:
		return ir.Extend(old, in.Size, in.Signed), nil
	case ir.OpStore, ir.OpAtomicXchg:
		put(mem, val(in.B))
	case ir.OpAtomicAdd:
		put(mem, old+val(in.B))
	}
	return old, nil
}

// load is get for memory that another goroutine may write: a word that stops loops.
func load(b []byte) int64 {
	if p := unsafe.Pointer(unsafe.SliceData(b)); len(b) == 8 && uintptr(p)%8 == 0 {
		v := atomic.LoadUint64((*uint64)(p))
		return get(binary.NativeEndian.AppendUint64(make([]byte, 0, 8), v))
	}
	return get(b)
}

func get(b []byte) int64 {
	var v [8]byte
	copy(v[:], b)
	return int64(binary.LittleEndian.Uint64(v[:]))
}

func put(b []byte, v int64) {
	var w [8]byte
	binary.LittleEndian.PutUint64(w[:], uint64(v))
	copy(b, w[:])
}

func (m *Machine) helper(in *ir.Instr, val func(ir.Operand) int64) (int64, error) {
	var a [5]uint64
	for i, o := range in.Args {
		a[i] = uint64(val(o))
	}
	if in.Func != 0 {
		return m.call(m.Prog.Funcs[in.Func], a[:len(in.Args)])
	}
	switch in.Helper {
	case ir.HelperMapLookup, ir.HelperMapUpdate, ir.HelperMapDelete:
		return m.mapHelper(in.Helper, a)
	case ir.HelperForEachMapElem:
		mp, err := m.mapAt(a[0])
		if err != nil {
			return 0, err
		}
		keys := mp.Keys()
		return m.each(a[1], uint64(len(keys)), func(i uint64) []uint64 {
			v := mp.Lookup(keys[i])
			if v == nil {
				return nil // deleted meanwhile
			}
			return []uint64{a[0], m.Address(keys[i]), m.Address(v), a[2]}
		})
	case ir.HelperLoop:
		return m.each(a[1], a[0], func(i uint64) []uint64 { return []uint64{i, a[2]} })
	case ir.HelperLookupPerCPU:
		if a[2] != 0 {
			return 0, nil
		}
		return m.mapHelper(ir.HelperMapLookup, a)
	}
	h := m.Helpers[in.Helper]
	if h == nil {
		return 0, fmt.Errorf("%w: %d", ErrUnknown, in.Helper)
	}
	v, err := h(m, a)
	return int64(v), err
}

// each calls a callback up to n times, until it returns 1, and returns how
// often it did.
func (m *Machine) each(callback, n uint64, args func(uint64) []uint64) (int64, error) {
	if callback&^0xffffff != funcMark {
		return 0, fmt.Errorf("interp: %#x is no callback", callback)
	}
	calls := int64(0)
	for i := range n {
		a := args(i)
		if a == nil {
			continue
		}
		calls++
		stop, err := m.call(m.Prog.Funcs[callback&0xffffff], a)
		if err != nil || stop != 0 {
			return calls, err
		}
	}
	return calls, nil
}

// mapAt is the map that a pointer of OpMapPtr stands for.
func (m *Machine) mapAt(p uint64) (Map, error) {
	i := int(p & 0xffffff)
	switch {
	case p&^0xffffff != mapMark || i >= len(m.Maps)+len(m.inner):
		return nil, fmt.Errorf("interp: %#x is no map", p)
	case i >= len(m.Maps):
		return m.inner[i-len(m.Maps)], nil
	}
	return m.Maps[i], nil
}

// mapHelper is bpf_map_lookup_elem, _update_elem and _delete_elem.
func (m *Machine) mapHelper(n int32, a [5]uint64) (int64, error) {
	mp, err := m.mapAt(a[0])
	if err != nil {
		return 0, err
	}
	key, err := m.Memory(a[1], mp.KeySize())
	if err != nil {
		return 0, err
	}
	switch n {
	case ir.HelperMapLookup:
		if of, ok := mp.(*OfMaps); ok {
			in := of.Maps[string(key)]
			if in == nil {
				return 0, nil
			}
			m.inner = append(m.inner, in)
			return int64(mapMark | uint64(len(m.Maps)+len(m.inner)-1)), nil
		}
		v := mp.Lookup(key)
		if v == nil {
			return 0, nil
		}
		return int64(m.Address(v)), nil
	case ir.HelperMapUpdate:
		v, err := m.Memory(a[2], mp.ValueSize())
		if err != nil {
			return 0, err
		}
		return mp.Update(key, v, a[3]), nil
	}
	return mp.Delete(key), nil
}
