package debuginfo

import (
	"debug/dwarf"
	"encoding/binary"
	"strings"
)

// bytesOf takes numbers off the front of data. After the end it yields zeros, and bad
// is set.
type bytesOf struct {
	data []byte
	bad  bool
}

func (b *bytesOf) take(n uint64) []byte {
	if n > uint64(len(b.data)) {
		b.bad, b.data = true, nil
		return make([]byte, min(n, 8))
	}
	t := b.data[:n]
	b.data = b.data[n:]
	return t
}

func (b *bytesOf) u8() byte    { return b.take(1)[0] }
func (b *bytesOf) u16() uint16 { return binary.LittleEndian.Uint16(b.take(2)) }
func (b *bytesOf) u32() uint32 { return binary.LittleEndian.Uint32(b.take(4)) }
func (b *bytesOf) u64() uint64 { return binary.LittleEndian.Uint64(b.take(8)) }

func (b *bytesOf) uleb() uint64 {
	n, size := binary.Uvarint(b.data)
	if size <= 0 {
		b.bad, b.data = true, nil
		return 0
	}
	b.data = b.data[size:]
	return n
}

// header is that of a unit.
type header struct {
	at, size   int // of the unit with its header
	version    int
	kind       byte
	word       byte   // size of an address
	abbrev     uint64 // where its abbreviations are
	id         uint64 // of a split unit, or the signature of a type
	typeOffset uint32
	root       int // where its first entry is, from the header on
}

// headers lists the units of a section of 32-bit DWARF; types says that it is
// .debug_types. What is damaged ends the list.
func headers(data []byte, types bool) []header {
	var list []header
	for at := 0; at < len(data); {
		b := bytesOf{data: data[at:]}
		size := uint64(b.u32())
		if size >= 0xfffffff0 || size > uint64(len(b.data)) {
			break
		}
		b.data = b.data[:size]
		h := header{at: at, size: int(size) + 4, version: int(b.u16()), kind: unitCompile}
		if h.version >= 5 {
			h.kind, h.word = b.u8(), b.u8()
			h.abbrev = uint64(b.u32())
		} else {
			h.abbrev = uint64(b.u32())
			h.word = b.u8()
			if types {
				h.kind = unitType
			}
		}
		switch {
		case h.kind == unitSkeleton, h.kind == unitSplitCompile:
			h.id = b.u64()
		case h.kind == unitType, h.kind == unitSplitType:
			h.id, h.typeOffset = b.u64(), b.u32()
		}
		h.root = h.size - len(b.data)
		if !b.bad && h.version >= 2 && h.version <= 5 {
			list = append(list, h)
		}
		at += h.size
	}
	return list
}

// abbreviations is a table: the forms of entries by their code.
type abbreviations struct {
	text  []byte // without its end
	forms map[uint64][]form
}

type form struct {
	attr  dwarf.Attr
	form  uint64
	value int64 // of DW_FORM_implicit_const
}

// readAbbreviations reads the table at the front of data. The forms that GNU had before
// DWARF 5 are replaced by those of DWARF 5 that mean the same.
func readAbbreviations(data []byte) (abbreviations, bool) {
	b := bytesOf{data: data}
	t := abbreviations{forms: map[uint64][]form{}}
	for {
		before := len(b.data)
		code := b.uleb()
		if b.bad {
			return t, false
		}
		if code == 0 {
			t.text = append([]byte(nil), data[:len(data)-before]...)
			break
		}
		b.uleb()
		b.u8()
		list := []form{}
		for {
			attr, f := b.uleb(), b.uleb()
			if b.bad {
				return t, false
			}
			if attr == 0 && f == 0 {
				break
			}
			one := form{attr: dwarf.Attr(attr), form: f}
			if f == formImplicitConst {
				one.value = b.sleb()
			}
			list = append(list, one)
		}
		t.forms[code] = list
	}
	// Once more, to replace.
	b = bytesOf{data: t.text}
	for len(b.data) > 0 {
		b.uleb()
		b.uleb()
		b.u8()
		for {
			attr := b.uleb()
			at := len(t.text) - len(b.data)
			f := b.uleb()
			if attr == 0 && f == 0 || b.bad {
				break
			}
			switch f {
			case formImplicitConst:
				b.sleb()
			case formGNUAddrIndex:
				copy(t.text[at:], []byte{formAddrx | 0x80, 0}) // a number of two bytes, as before
			case formGNUStrIndex:
				copy(t.text[at:], []byte{formStrx | 0x80, 0})
			}
		}
	}
	return t, true
}

func (b *bytesOf) sleb() int64 {
	var n int64
	for shift := 0; shift < 70; {
		c := b.u8()
		n |= int64(c&0x7f) << shift
		shift += 7
		if c&0x80 == 0 {
			if c&0x40 != 0 && shift < 64 {
				n |= -1 << shift
			}
			return n
		}
		if b.bad {
			return 0
		}
	}
	b.bad = true
	return 0
}

// Forms of attributes.
const (
	formAddr, formBlock2, formBlock4, formData2, formData4, formData8, formString = 0x01, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08
	formBlock, formBlock1, formData1, formFlag, formSdata, formStrp, formUdata    = 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f
	formRefAddr, formRef1, formRef2, formRef4, formRef8, formRefUdata             = 0x10, 0x11, 0x12, 0x13, 0x14, 0x15
	formSecOffset, formExprloc, formFlagPresent, formStrx, formAddrx              = 0x17, 0x18, 0x19, 0x1a, 0x1b
	formRefSup4, formStrpSup, formData16, formLineStrp, formRefSig8               = 0x1c, 0x1d, 0x1e, 0x1f, 0x20
	formImplicitConst, formLoclistx, formRnglistx, formRefSup8                    = 0x21, 0x22, 0x23, 0x24
	formStrx1, formStrx2, formStrx3, formStrx4                                    = 0x25, 0x26, 0x27, 0x28
	formAddrx1, formAddrx2, formAddrx3, formAddrx4                                = 0x29, 0x2a, 0x2b, 0x2c
)

// value takes an attribute's value, as a number where it is a constant.
func (b *bytesOf) value(f form, word byte) uint64 {
	switch f.form {
	case formAddr:
		b.take(uint64(word))
	case formBlock1:
		b.take(uint64(b.u8()))
	case formBlock2:
		b.take(uint64(b.u16()))
	case formBlock4:
		b.take(uint64(b.u32()))
	case formBlock, formExprloc:
		b.take(b.uleb())
	case formData1, formFlag, formRef1, formStrx1, formAddrx1:
		return uint64(b.u8())
	case formData2, formRef2, formStrx2, formAddrx2:
		return uint64(b.u16())
	case formStrx3, formAddrx3:
		b.take(3)
	case formData4, formRef4, formStrp, formRefAddr, formSecOffset, formRefSup4, formStrpSup, formLineStrp, formStrx4, formAddrx4:
		return uint64(b.u32())
	case formData8, formRef8, formRefSig8, formRefSup8:
		return b.u64()
	case formData16:
		b.take(16)
	case formString:
		i := strings.IndexByte(string(b.data[:min(len(b.data), 1<<16)]), 0)
		if i < 0 {
			b.bad = true
			return 0
		}
		b.take(uint64(i) + 1)
	case formUdata, formRefUdata, formStrx, formAddrx, formLoclistx, formRnglistx, formGNUAddrIndex, formGNUStrIndex:
		return b.uleb()
	case formSdata:
		return uint64(b.sleb())
	case formFlagPresent:
	case formImplicitConst:
		return uint64(f.value)
	default:
		b.bad = true
	}
	return 0
}
