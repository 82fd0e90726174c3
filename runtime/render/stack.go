package render

import (
	"cmp"
	"strconv"

	"fst/lang/printable"
	"fst/runtime/debuginfo"
	"fst/runtime/event"
	"fst/runtime/value"
)

// stack appends a stack: a newline, then a line for each frame. An empty
// stack is just the newline. Names within it have escapes in all forms of output, as its
// lines are told apart by their ends.
func stack(b []byte, p *printer, s value.Stack) []byte {
	b = append(b, '\n')
	mode := p.obj.Config.StackModeOf(s.Format)
	for _, f := range p.names.Stacks[s] {
		for len(f.Source) > 1 {
			b = append(inlined(b, mode, f.Addr, f.Source[0], p.tight), '\n')
			f.Source = f.Source[1:]
		}
		b = append(frame(b, s.User, mode, &f, p.tight), '\n')
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

func frame(b []byte, user bool, mode string, f *event.Frame, tight bool) []byte {
	switch mode {
	case "raw":
		return strconv.AppendUint(b, f.Addr, 16)
	case "build_id":
		if f.BuildID == "" {
			return appendHex(b, f.Addr)
		}
		return appendHex(append(append(b, f.BuildID...), ' '), f.FileOffset)
	case "perf":
		b = append(b, '\t')
		b = append(strconv.AppendUint(b, f.Addr, 16), ' ')
		b = function(b, f)
		if !user {
			return b
		}
		if !tight {
			b = append(b, ' ')
		}
		return append(printable.Append(append(b, '('), cmp.Or(f.Module, unknown)), ')')
	}
	if !tight {
		b = append(b, "        "...)
	}
	return function(b, f)
}

// function appends symbol+offset, with the function's place in the source, or the address.
func function(b []byte, f *event.Frame) []byte {
	if f.Symbol == "" {
		return appendHex(b, f.Addr)
	}
	b = append(printable.Append(b, f.Symbol), '+')
	b = strconv.AppendUint(b, f.Offset, 10)
	if n := len(f.Source); n > 0 {
		b = appendPlace(b, f.Source[n-1])
	}
	return b
}

// symbol appends the name of a ksym, usym or func.
func (p *printer) symbol(b []byte, a value.Address) []byte {
	if a.Addr == 0 {
		return append(b, '0')
	}
	name := p.names.Places[a].Symbol
	if name == "" {
		return appendHex(b, a.Addr)
	}
	return p.name(b, name)
}
