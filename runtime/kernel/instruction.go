package kernel

import (
	"bytes"
	"debug/elf"
	"runtime"

	"fst/compiler/target"
	"fst/runtime/elffile"
)

// IsInstruction implements target.Code.
func (*Binaries) IsInstruction(path string, fn target.UserSymbol, offset uint64) bool {
	if runtime.GOARCH != "amd64" {
		return offset%4 == 0
	}
	e, err := elffile.Open(path)
	if err != nil {
		return true // the attaching says what is wrong
	}
	defer e.Close()
	const longest = 15
	for _, p := range e.Progs {
		if p.Type == elf.PT_LOAD && fn.Offset >= p.Off && fn.Offset-p.Off < p.Filesz {
			code := make([]byte, min(offset+longest, p.Off+p.Filesz-fn.Offset))
			if _, err := p.ReadAt(code, int64(fn.Offset-p.Off)); err != nil {
				return true
			}
			at := 0
			for uint64(at) < offset {
				n := instructionLength(code[at:])
				if n == 0 {
					return false
				}
				at += n
			}
			return uint64(at) == offset
		}
	}
	return true
}

// Opcodes of one byte (and of two, behind 0f) whose operands are not the usual
// register or memory.
var (
	opsImm8     = opcodes(0x04, 0x0c, 0x14, 0x1c, 0x24, 0x2c, 0x34, 0x3c, 0x6a, 0x6b, 0x80, 0x83, 0xa8, 0xc0, 0xc1, 0xc6, 0xcd, 0xe0, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xeb).with(0x70, 0x7f).with(0xb0, 0xb7)
	opsImm32    = opcodes(0x05, 0x0d, 0x15, 0x1d, 0x25, 0x2d, 0x35, 0x3d, 0x68, 0x69, 0x81, 0xa9, 0xc7).with(0xb8, 0xbf) // 16 bits with a prefix 66
	opsModRM    = opcodes(0x63, 0x69, 0x6b, 0x80, 0x81, 0x83, 0xc0, 0xc1, 0xc6, 0xc7, 0xf6, 0xf7, 0xfe, 0xff).with(0x84, 0x8f).with(0xd0, 0xd3).with(0xd8, 0xdf)
	opsInvalid  = opcodes(0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61, 0x82, 0x9a, 0xce, 0xd4, 0xd5, 0xd6, 0xea)
	ops0fImm8   = opcodes(0x0f, 0x70, 0x71, 0x72, 0x73, 0xa4, 0xac, 0xba, 0xc2, 0xc4, 0xc5, 0xc6)
	ops0fNoArgs = opcodes(0x05, 0x06, 0x07, 0x08, 0x09, 0x0b, 0x0e, 0x77, 0xa0, 0xa1, 0xa2, 0xa8, 0xa9, 0xaa).with(0x30, 0x37).with(0xc8, 0xcf)
	prefixes    = opcodes(0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3)
)

type opcodeSet [256]bool

func opcodes(list ...byte) *opcodeSet {
	var s opcodeSet
	for _, b := range list {
		s[b] = true
	}
	return &s
}

func (s *opcodeSet) with(from, to byte) *opcodeSet {
	for b := int(from); b <= int(to); b++ {
		s[b] = true
	}
	return s
}

// instructionLength is the length of the x86-64 instruction that code begins
// with, 0 if it is none or cut off.
func instructionLength(code []byte) int {
	n, small := 0, false
	for n < len(code) && prefixes[code[n]] {
		small = small || code[n] == 0x66
		n++
	}
	address32 := bytes.IndexByte(code[:n], 0x67) >= 0
	wide := false
	if n < len(code) && code[n]&0xf0 == 0x40 {
		wide = code[n]&8 != 0
		n++
	}
	if n >= len(code) {
		return 0
	}
	op := code[n]
	n++
	space := 0 // of opcodes: 1 behind 0f, 2 behind 0f38, 3 behind 0f3a
	at := func(i int) int {
		if i < len(code) {
			return int(code[i])
		}
		return 0
	}
	switch {
	case op == 0x0f:
		space = 1
		op = byte(at(n))
		n++
		if op == 0x38 || op == 0x3a {
			space = int(op-0x38)/2 + 2
			op = byte(at(n))
			n++
		}
	case op == 0xc5: // VEX
		space, op = 1, byte(at(n+1))
		n += 2
	case op == 0xc4:
		space, op = at(n)&0x1f, byte(at(n+2))
		n += 3
	case op == 0x62: // EVEX
		space, op = at(n)&7, byte(at(n+3))
		n += 4
	}
	modRM, imm := true, 0
	switch space {
	case 0:
		modRM = opsModRM[op] || op < 0x40 && op&7 < 4
		switch {
		case opsInvalid[op]:
			return 0
		case opsImm8[op]:
			imm = 1
		case op >= 0xb8 && op <= 0xbf && wide:
			imm = 8
		case opsImm32[op] && small && !wide:
			imm = 2
		case opsImm32[op], op == 0xe8, op == 0xe9:
			imm = 4
		case op >= 0xa0 && op <= 0xa3:
			imm = 8
			if address32 {
				imm = 4
			}
		case op == 0xc2, op == 0xca:
			imm = 2
		case op == 0xc8:
			imm = 3
		case op == 0xf6 && at(n)>>3&7 < 2:
			imm = 1
		case op == 0xf7 && at(n)>>3&7 < 2:
			imm = 4
			if small && !wide {
				imm = 2
			}
		}
	case 1:
		switch {
		case op >= 0x80 && op <= 0x8f && code[n-2] == 0x0f:
			modRM, imm = false, 4
		case ops0fNoArgs[op]:
			modRM = false
		case ops0fImm8[op]:
			imm = 1
		}
	case 3:
		imm = 1
	}
	if modRM {
		m := at(n)
		n++
		mod, rm := m>>6, m&7
		if mod != 3 {
			if rm == 4 {
				if at(n)&7 == 5 && mod == 0 {
					n += 4
				}
				n++
			}
			switch {
			case mod == 1:
				n++
			case mod == 2, mod == 0 && rm == 5:
				n += 4
			}
		}
	}
	if n += imm; n > len(code) {
		return 0
	}
	return n
}
