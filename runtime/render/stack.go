package render

import (
	"strconv"

	"fst/lang/printable"
	"fst/runtime/debuginfo"
	"fst/runtime/value"
)

// stack appends a stack: a newline, then a line for each frame. An empty
// stack is just the newline. Names within it have escapes in all forms of output, as its
// lines are told apart by their ends.
func (p *printer) stack(b []byte, s value.Stack) []byte {
	b = append(b, '\n')
	if s.ID == 0 {
		return b
	}
	mode := s.Format.Mode
	if mode == "" {
		mode = p.obj.Config.StackMode
	}
	for i, addr := range p.res.Stack(s) {
		var places []debuginfo.Place
		if p.obj.Config.DebugInfo && s.User && (mode == "bpftrace" || mode == "perf") {
			at := addr
			if i > 0 {
				at-- // the call, not what it returns to
			}
			places = p.res.UserSource(s.PID, at)
		}
		for len(places) > 1 {
			b = append(p.inlined(b, mode, addr, places[0]), '\n')
			places = places[1:]
		}
		b = append(p.frame(b, s, mode, addr, places), '\n')
	}
	return b
}

// inlined appends the frame of a function that is part of the next one's code.
func (p *printer) inlined(b []byte, mode string, addr uint64, place debuginfo.Place) []byte {
	if mode == "perf" {
		b = append(strconv.AppendUint(append(b, '\t'), addr, 16), ' ')
		return append(appendPlace(printable.Append(b, place.Function), place), " (inlined)"...)
	}
	if !p.tight {
		b = append(b, "        "...)
	}
	return appendPlace(printable.Append(append(b, "[inlined] "...), place.Function), place)
}

// appendPlace appends @file:line, if the line is known.
func appendPlace(b []byte, place debuginfo.Place) []byte {
	if place.File == "" {
		return b
	}
	b = append(printable.Append(append(b, '@'), place.File), ':')
	return strconv.AppendInt(b, int64(place.Line), 10)
}

func (p *printer) frame(b []byte, s value.Stack, mode string, addr uint64, places []debuginfo.Place) []byte {
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
		b, module := p.named(b, s, addr, places)
		if s.User && !p.tight {
			b = append(printable.Append(append(b, " ("...), module), ')')
		} else if s.User {
			b = append(printable.Append(append(b, '('), module), ')')
		}
		return b
	}
	if !p.tight {
		b = append(b, "        "...)
	}
	b, _ = p.named(b, s, addr, places)
	return b
}

// symbolAt names the symbol at an address, of a process or of the kernel.
func (p *printer) symbolAt(user bool, pid int, addr uint64) (name string, offset uint64, module string) {
	if user {
		return p.res.UserSymbol(pid, addr)
	}
	return p.res.KernelSymbol(addr)
}

// named appends symbol+offset, with the last of the places, or the address.
func (p *printer) named(b []byte, s value.Stack, addr uint64, places []debuginfo.Place) (text []byte, module string) {
	name, offset, module := p.symbolAt(s.User, s.PID, addr)
	if module == "" {
		module = "[unknown]"
	}
	if name == "" {
		return appendHex(b, addr), module
	}
	b = append(printable.Append(b, name), '+')
	b = strconv.AppendUint(b, offset, 10)
	if len(places) > 0 {
		b = appendPlace(b, places[len(places)-1])
	}
	return b, module
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
	return p.name(b, name)
}
