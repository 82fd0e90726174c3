package unwind

import (
	"encoding/binary"
	"errors"
	"slices"

	"fst/compiler/object"
)

var errFormat = errors.New("malformed call frame information")

// Encodings of pointers (DW_EH_PE_).
const (
	peOmit     = 0xff
	peForm     = 0x0f
	peULEB     = 0x01
	peU2       = 0x02
	peU4       = 0x03
	peU8       = 0x04
	peSLEB     = 0x09
	peS2       = 0x0a
	peS4       = 0x0b
	peS8       = 0x0c
	peRelative = 0x70
	pePCRel    = 0x10
	peDataRel  = 0x30
	peIndirect = 0x80
)

// reader takes numbers off the front of data. After the end it yields zeros
// and bad is set.
type reader struct {
	data []byte
	addr uint64 // of data[0]
	bad  bool
}

func (r *reader) skip(n int) {
	if n < 0 || n > len(r.data) {
		r.bad, n = true, len(r.data)
	}
	r.data, r.addr = r.data[n:], r.addr+uint64(n)
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.data) {
		r.skip(n)
		return make([]byte, 8)
	}
	b := r.data[:n]
	r.skip(n)
	return b
}

func (r *reader) u8() byte    { return r.take(1)[0] }
func (r *reader) u16() uint16 { return binary.LittleEndian.Uint16(r.take(2)) }
func (r *reader) u32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *reader) u64() uint64 { return binary.LittleEndian.Uint64(r.take(8)) }

func (r *reader) uleb() uint64 {
	var n uint64
	for shift := 0; shift < 70; shift += 7 {
		b := r.u8()
		n |= uint64(b&0x7f) << shift
		if b&0x80 == 0 {
			return n
		}
	}
	r.bad = true
	return n
}

func (r *reader) sleb() int64 {
	var n int64
	for shift := 0; shift < 70; {
		b := r.u8()
		n |= int64(b&0x7f) << shift
		shift += 7
		if b&0x80 == 0 {
			if b&0x40 != 0 && shift < 64 {
				n |= -1 << shift
			}
			return n
		}
	}
	r.bad = true
	return n
}

func (r *reader) text() string {
	if i := slices.Index(r.data, 0); i >= 0 {
		return string(r.take(i + 1)[:i])
	}
	r.bad = true
	return ""
}

// pointer reads a pointer of an encoding; base is what data-relative ones count
// from.
func (r *reader) pointer(enc byte, base uint64) uint64 {
	from := r.addr
	n := r.number(enc)
	switch enc & peRelative {
	case 0:
	case pePCRel:
		n += from
	case peDataRel:
		n += base
	default:
		r.bad = true
	}
	if enc&peIndirect != 0 {
		r.bad = true
	}
	return n
}

func (r *reader) number(enc byte) uint64 {
	switch enc & peForm {
	case 0, peU8, peS8:
		return r.u64()
	case peULEB:
		return r.uleb()
	case peU2:
		return uint64(r.u16())
	case peU4:
		return uint64(r.u32())
	case peSLEB:
		return uint64(r.sleb())
	case peS2:
		return uint64(int16(r.u16()))
	case peS4:
		return uint64(int32(r.u32()))
	}
	r.bad = true
	return 0
}

// cie is what functions have in common.
type cie struct {
	codeAlign uint64
	dataAlign int64
	returns   uint64 // the register of the return address
	enc       byte   // of pointers
	sized     bool   // FDEs have augmentation data
	signal    bool   // its functions are where signal handlers return to
	program   []byte
}

// fde is a function.
type fde struct {
	start, end uint64
	rows       []Row
}

// parseFrames reads all functions of an .eh_frame section that lies at addr, with
// their rows if they are wanted.
func parseFrames(data []byte, addr uint64, rows bool) ([]fde, error) {
	var list []fde
	cies := map[int]*cie{}
	for at := 0; at+4 <= len(data); {
		r := reader{data: data[at:], addr: addr + uint64(at)}
		size := uint64(r.u32())
		if size == 0 {
			break // the terminator
		}
		if size == 0xffffffff {
			size = r.u64()
		}
		if size < 4 || size > uint64(len(r.data)) {
			return nil, errFormat
		}
		idAt := len(data) - len(r.data)
		r.data = r.data[:size]
		next := idAt + int(size)
		if id := r.u32(); id != 0 {
			c := cies[idAt-int(id)]
			if c == nil {
				return nil, errFormat
			}
			if f, ok := parseFDE(&r, c, rows); ok {
				list = append(list, f)
			}
		} else {
			cies[at] = parseCIE(&r)
		}
		at = next
	}
	return list, nil
}

func parseCIE(r *reader) *cie {
	c := &cie{}
	version := r.u8()
	augmentation := r.text()
	c.codeAlign = r.uleb()
	c.dataAlign = r.sleb()
	if version == 1 {
		c.returns = uint64(r.u8())
	} else {
		c.returns = r.uleb()
	}
	for i, a := range augmentation {
		switch {
		case a == 'z' && i == 0:
			c.sized = true
			size := r.uleb()
			after := *r
			after.skip(int(min(size, 1<<20)))
			c.program = after.data
		case a == 'R':
			c.enc = r.u8()
		case a == 'P':
			r.number(r.u8())
		case a == 'L':
			r.u8()
		case a == 'S':
			c.signal = true
		}
	}
	if !c.sized {
		c.program = r.data
	}
	if r.bad {
		c.program = nil
	}
	return c
}

func parseFDE(r *reader, c *cie, rows bool) (fde, bool) {
	f := fde{start: r.pointer(c.enc, 0)}
	f.end = f.start + r.number(c.enc)
	if c.sized {
		r.skip(int(min(r.uleb(), 1<<20)))
	}
	if r.bad || f.end <= f.start || f.start == 0 {
		return f, false // of code that the linker threw away
	}
	if !rows {
		return f, true
	}
	m := machine{cie: c, loc: f.start, end: f.end}
	m.run(&reader{data: c.program, addr: 0})
	m.initial = m.state
	m.run(r)
	m.row()
	if m.bad {
		m.rows = []Row{{Start: f.start, Rule: object.UnwindUnknown, BPPlace: BPLost}}
	}
	f.rows = m.rows
	return f, true
}
