package kernel

import (
	"bytes"
	"debug/elf"
	"errors"
	"os"
	"strconv"
	"strings"

	"fst/compiler/target"
)

var errNote = errors.New(".note.stapsdt is damaged")

// elfNotes reads the static probes of a binary (.note.stapsdt), whose arguments may be
// variables of it.
func elfNotes(e *elf.File, variables map[string]target.UserSymbol) ([]target.USDTProbe, error) {
	sec := e.Section(".note.stapsdt")
	if sec == nil {
		return nil, nil
	}
	data, err := sec.Data()
	if err != nil {
		return nil, err
	}
	// Tools that move a finished binary (prelink) leave the notes as they
	// are. How far .stapsdt.base is from where the note has it tells by how
	// much the note's addresses are off.
	var base uint64
	if b := e.Section(".stapsdt.base"); b != nil {
		base = b.Addr
	}
	var probes []target.USDTProbe
	order := e.ByteOrder
	for len(data) >= 12 {
		nameLen, descLen, kind := int(order.Uint32(data)), int(order.Uint32(data[4:])), order.Uint32(data[8:])
		nameEnd := 12 + (nameLen+3)&^3
		descEnd := nameEnd + (descLen+3)&^3
		if nameLen < 0 || descLen < 0 || nameEnd+descLen > len(data) || nameEnd < 12 {
			return nil, errNote
		}
		name, desc := string(bytes.TrimRight(data[12:12+nameLen], "\x00")), data[nameEnd:nameEnd+descLen]
		data = data[min(descEnd, len(data)):]
		if name != "stapsdt" || kind != 3 || e.Class != elf.ELFCLASS64 {
			continue
		}
		if len(desc) < 24 {
			return nil, errNote
		}
		pc, noteBase, semaphore := order.Uint64(desc), order.Uint64(desc[8:]), order.Uint64(desc[16:])
		texts := bytes.SplitN(desc[24:], []byte{0}, 4)
		if len(texts) < 3 {
			return nil, errNote
		}
		shift := uint64(0)
		if base != 0 && noteBase != 0 {
			shift = base - noteBase
		}
		p := target.USDTProbe{Provider: string(texts[0]), Name: string(texts[1]),
			Args: parseUSDTArgs(e.Machine, string(texts[2]), func(symbol string) (int64, bool) {
				v, ok := variables[symbol]
				return int64(v.Addr - (pc + shift)), ok
			})}
		var ok bool
		if p.Offset, ok = fileOffset(e, pc+shift); !ok {
			continue
		}
		if semaphore != 0 {
			p.Semaphore = semaphoreOffset(e, semaphore+shift)
			_, inFile := fileOffset(e, semaphore+shift)
			p.Cleared = !inFile
		}
		probes = append(probes, p)
	}
	return probes, nil
}

// semaphoreOffset is where in the file a semaphore lies, as the kernel finds it: one
// that begins as 0 may be behind what the file has of its segment, but in the same page.
func semaphoreOffset(e *elf.File, addr uint64) uint64 {
	page := uint64(os.Getpagesize())
	for _, p := range e.Progs {
		if p.Type == elf.PT_LOAD && addr >= p.Vaddr && addr < (p.Vaddr+p.Filesz+page-1)&^(page-1) && addr-p.Vaddr < p.Memsz {
			return addr - p.Vaddr + p.Off
		}
	}
	return 0
}

// parseUSDTArgs reads a probe's argument texts, "-4@%eax 8@-8(%rbp)". distance
// tells how far a variable is from the probed instruction. An
// argument in a form that can't be read (a float) keeps its place, with no
// form set and Size 0.
func parseUSDTArgs(machine elf.Machine, text string, distance func(symbol string) (int64, bool)) []target.USDTArg {
	var args []target.USDTArg
	for _, spec := range splitArgs(text) {
		var a target.USDTArg
		size, op, ok := strings.Cut(spec, "@")
		n, err := strconv.Atoi(size)
		if a.Signed = n < 0; a.Signed {
			n = -n
		}
		if a.Size = n; !ok || err != nil || n != 1 && n != 2 && n != 4 && n != 8 {
			ok = false
		} else if machine == elf.EM_AARCH64 {
			ok = parseARMOperand(op, &a)
		} else {
			ok = parseX86Operand(op, &a, distance)
		}
		if !ok {
			a = target.USDTArg{}
		}
		a.Text = spec
		args = append(args, a)
	}
	return args
}

// splitArgs splits at spaces that are not within brackets.
func splitArgs(text string) []string {
	var args []string
	depth, start := 0, -1
	for i, c := range text {
		switch {
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth--
		}
		if c == ' ' && depth == 0 {
			if start >= 0 {
				args = append(args, text[start:i])
			}
			start = -1
		} else if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		args = append(args, text[start:])
	}
	return args
}

// parseX86Operand reads $5, %eax, -8(%rbp), (%rax,%rbx,4), name+4(%rip).
func parseX86Operand(op string, a *target.USDTArg, distance func(symbol string) (int64, bool)) bool {
	if c, ok := strings.CutPrefix(op, "$"); ok {
		return parseConst(c, a)
	}
	if strings.HasPrefix(op, "%") {
		a.Reg = x86Register(op)
		return a.Reg != ""
	}
	disp, mem, ok := strings.Cut(op, "(")
	if !ok || !strings.HasSuffix(mem, ")") {
		return false
	}
	if disp != "" {
		d, err := strconv.ParseInt(disp, 0, 64)
		if err != nil {
			name, more := disp, ""
			if i := strings.LastIndexAny(disp, "+-"); i > 0 {
				name, more = disp[:i], disp[i:]
				if d, err = strconv.ParseInt(more, 0, 64); err != nil {
					return false
				}
			}
			far, ok := distance(name)
			if !ok || mem != "%rip)" {
				return false
			}
			d += far
		}
		a.Disp = d
	}
	parts := strings.Split(strings.TrimSuffix(mem, ")"), ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if parts[0] != "" {
		if a.Base = x86Register(parts[0]); a.Base == "" {
			return false
		}
	}
	if len(parts) > 1 && parts[1] != "" {
		if a.Index = x86Register(parts[1]); a.Index == "" {
			return false
		}
		a.Scale = 1
	}
	if len(parts) > 2 && parts[2] != "" {
		n, err := strconv.Atoi(parts[2])
		if err != nil {
			return false
		}
		a.Scale = n
	}
	return a.Base != "" || a.Index != ""
}

func parseConst(text string, a *target.USDTArg) bool {
	v, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		u, err := strconv.ParseUint(text, 0, 64)
		if err != nil {
			return false
		}
		v = int64(u)
	}
	a.Const = &v
	return true
}

// x86Register returns the 64-bit name of a register, "" for what can't be read
// as the low part of one (%ah, %xmm0).
func x86Register(name string) string {
	name, ok := strings.CutPrefix(name, "%")
	if !ok || name == "" {
		return ""
	}
	switch name {
	case "al", "ax", "eax", "rax":
		return "rax"
	case "bl", "bx", "ebx", "rbx":
		return "rbx"
	case "cl", "cx", "ecx", "rcx":
		return "rcx"
	case "dl", "dx", "edx", "rdx":
		return "rdx"
	case "sil", "si", "esi", "rsi":
		return "rsi"
	case "dil", "di", "edi", "rdi":
		return "rdi"
	case "bpl", "bp", "ebp", "rbp":
		return "rbp"
	case "spl", "sp", "esp", "rsp":
		return "rsp"
	case "rip":
		return "rip"
	}
	if name[0] == 'r' {
		n, err := strconv.Atoi(strings.TrimRight(name[1:], "bwd"))
		if err == nil && n >= 8 && n <= 15 {
			return "r" + strconv.Itoa(n)
		}
	}
	return ""
}

// parseARMOperand reads 5, x0, w3, [sp, 12], [x1], [x1, x2, lsl 3].
func parseARMOperand(op string, a *target.USDTArg) bool {
	if parseConst(op, a) {
		return true
	}
	mem, ok := strings.CutPrefix(op, "[")
	if !ok {
		a.Reg = armRegister(op)
		return a.Reg != ""
	}
	parts := strings.Split(strings.TrimSuffix(mem, "]"), ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if a.Base = armRegister(parts[0]); a.Base == "" {
		return false
	}
	if len(parts) > 1 {
		if d, err := strconv.ParseInt(parts[1], 0, 64); err == nil {
			a.Disp = d
		} else if a.Index = armRegister(parts[1]); a.Index == "" {
			return false
		} else {
			a.Scale = 1
		}
	}
	if len(parts) > 2 {
		shift, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(parts[2], "lsl")))
		if err != nil || shift < 0 || shift > 3 {
			return false
		}
		a.Scale = 1 << shift
	}
	return true
}

func armRegister(name string) string {
	if name == "sp" {
		return name
	}
	if len(name) > 1 && (name[0] == 'x' || name[0] == 'w') {
		if n, err := strconv.Atoi(name[1:]); err == nil && n >= 0 && n <= 30 {
			return "x" + name[1:]
		}
	}
	return ""
}
