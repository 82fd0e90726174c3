package types

// Layout is a struct or union whose members are placed one by one, as a C compiler does.
type Layout struct {
	Union       bool
	Fields      []Field
	Size, Align int
	// bit is the end of the last bitfield from the struct's start, 0 if another member is behind it.
	bit int
}

// Add places a member that is no bitfield.
func (l *Layout) Add(name string, t *Type, align int) {
	l.Align, l.bit = max(l.Align, align), 0
	at := 0
	if !l.Union {
		at = roundUp(l.Size, align)
	}
	l.Fields = append(l.Fields, Field{Name: name, Type: t, Offset: at})
	l.Size = max(l.Size, at+t.Size)
}

// AddBits places a bitfield. It is not across two units of its type, unless the struct is
// packed; one of no bits ends the unit.
func (l *Layout) AddBits(name string, t *Type, bits, align int, packed bool) {
	width := t.Size * 8
	switch {
	case l.Union && bits == 0:
		l.bit = 0
		return
	case l.Union:
		l.bit = 0
	case l.bit == 0:
		l.bit = l.Size * 8
	}
	if bits == 0 || l.bit/width != (l.bit+bits-1)/width && !packed {
		l.bit = roundUp(l.bit, width)
	}
	if name != "" {
		at := l.bit / width * t.Size
		l.Fields = append(l.Fields, Field{Name: name, Type: t, Offset: at, BitSize: bits, BitOffset: l.bit - at*8})
		l.Align = max(l.Align, align)
	}
	l.bit += bits
	l.Size = max(l.Size, roundUp(l.bit, 8)/8)
}

// Room is the size of the whole, to its alignment.
func (l *Layout) Room() int { return roundUp(l.Size, l.Align) }

func roundUp(n, to int) int { return (n + to - 1) / to * to }
