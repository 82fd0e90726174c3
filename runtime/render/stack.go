package render

import (
	"strconv"

	"fst/runtime/value"
)

// stack appends a stack: a newline, then a line for each frame. An empty
// stack is just the newline.
func (p *printer) stack(b []byte, s value.Stack) []byte {
	b = append(b, '\n')
	if s.ID == 0 {
		return b
	}
	mode := s.Format.Mode
	if mode == "" {
		mode = p.obj.Config.StackMode
	}
	for _, addr := range p.res.Stack(s) {
		b = append(p.frame(b, s, mode, addr), '\n')
	}
	return b
}

func (p *printer) frame(b []byte, s value.Stack, mode string, addr uint64) []byte {
	switch mode {
	case "raw":
		return strconv.AppendUint(b, addr, 16)
	case "build_id":
		id, offset := p.res.BuildID(s.PID, addr)
		if id == "" {
			return appendHex(b, addr)
		}
		return appendHex(append(append(b, id...), ' '), offset)
	case "perf":
		b = append(b, '\t')
		b = append(strconv.AppendUint(b, addr, 16), ' ')
		b, module := p.named(b, s, addr)
		if s.User && !p.tight {
			b = append(append(append(b, " ("...), module...), ')')
		} else if s.User {
			b = append(append(append(b, '('), module...), ')')
		}
		return b
	}
	if !p.tight {
		b = append(b, "        "...)
	}
	b, _ = p.named(b, s, addr)
	return b
}

// symbolAt names the symbol at an address, of a process or of the kernel.
func (p *printer) symbolAt(user bool, pid int, addr uint64) (name string, offset uint64, module string) {
	if user {
		return p.res.UserSymbol(pid, addr)
	}
	return p.res.KernelSymbol(addr)
}

// named appends symbol+offset, or the address.
func (p *printer) named(b []byte, s value.Stack, addr uint64) (text []byte, module string) {
	name, offset, module := p.symbolAt(s.User, s.PID, addr)
	if module == "" {
		module = "[unknown]"
	}
	if name == "" {
		return appendHex(b, addr), module
	}
	b = append(append(b, name...), '+')
	return strconv.AppendUint(b, offset, 10), module
}

// symbol appends the name of a ksym, usym or func.
func (p *printer) symbol(b []byte, a value.Address) []byte {
	if a.Addr == 0 {
		return append(b, '0')
	}
	name, _, _ := p.symbolAt(a.User, a.PID, a.Addr)
	if name == "" {
		return appendHex(b, a.Addr)
	}
	return append(b, name...)
}
