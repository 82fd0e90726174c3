package render

import (
	"strconv"

	"fst/compiler/object"
	"fst/lang/printable"
	"fst/runtime/debuginfo"
	"fst/runtime/value"
)

// names tells what the addresses of code are called.
type names struct {
	res    Resolver
	config *object.Config
}

// stack appends a stack: a newline, then a line for each frame. An empty
// stack is just the newline. Names within it have escapes in all forms of output, as its
// lines are told apart by their ends.
func (n names) stack(b []byte, s value.Stack, tight bool) []byte {
	b = append(b, '\n')
	if s.ID == 0 {
		return b
	}
	mode := s.Format.Mode
	if mode == "" {
		mode = n.config.StackMode
	}
	for i, addr := range n.res.Stack(s) {
		var places []debuginfo.Place
		if n.config.DebugInfo && s.User && (mode == "bpftrace" || mode == "perf") {
			at := addr
			if i > 0 {
				at-- // the call, not what it returns to
			}
			places = n.res.UserSource(s.PID, at)
		}
		for len(places) > 1 {
			b = append(inlined(b, mode, addr, places[0], tight), '\n')
			places = places[1:]
		}
		b = append(n.frame(b, s, mode, addr, places, tight), '\n')
	}
	return b
}

// inlined appends the frame of a function that is part of the next one's code.
func inlined(b []byte, mode string, addr uint64, place debuginfo.Place, tight bool) []byte {
	if mode == "perf" {
		b = append(strconv.AppendUint(append(b, '\t'), addr, 16), ' ')
		return append(appendPlace(printable.Append(b, place.Function), place), " (inlined)"...)
	}
	if !tight {
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

func (n names) frame(b []byte, s value.Stack, mode string, addr uint64, places []debuginfo.Place, tight bool) []byte {
	switch mode {
	case "raw":
		return strconv.AppendUint(b, addr, 16)
	case "build_id":
		id, offset := n.res.BuildID(s.PID, addr)
		if id == "" {
			return appendHex(b, addr)
		}
		return appendHex(append(append(b, id...), ' '), offset)
	case "perf":
		b = append(b, '\t')
		b = append(strconv.AppendUint(b, addr, 16), ' ')
		b, module := n.named(b, s, addr, places)
		if s.User && !tight {
			b = append(printable.Append(append(b, " ("...), module), ')')
		} else if s.User {
			b = append(printable.Append(append(b, '('), module), ')')
		}
		return b
	}
	if !tight {
		b = append(b, "        "...)
	}
	b, _ = n.named(b, s, addr, places)
	return b
}

// symbolAt names the symbol at an address, of a process or of the kernel.
func (n names) symbolAt(user bool, pid int, addr uint64) (name string, offset uint64, module string) {
	if user {
		return n.res.UserSymbol(pid, addr)
	}
	return n.res.KernelSymbol(addr)
}

// named appends symbol+offset, with the last of the places, or the address.
func (n names) named(b []byte, s value.Stack, addr uint64, places []debuginfo.Place) (text []byte, module string) {
	name, offset, module := n.symbolAt(s.User, s.PID, addr)
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
	name, _, _ := p.names.symbolAt(a.User, a.PID, a.Addr)
	if name == "" {
		return appendHex(b, a.Addr)
	}
	return p.name(b, name)
}
