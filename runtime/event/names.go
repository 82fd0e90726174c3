package event

import (
	"maps"
	"time"

	"fst/compiler/types"
	"fst/runtime/debuginfo"
	"fst/runtime/value"
)

// Names are what the system calls that which the values of one event refer to: addresses,
// stacks, users, control groups, system calls. They are found out once, before actions and
// sinks see the event, and belong to it. What is not there has no name.
type Names struct {
	Clock  Clock
	Places map[value.Address]Place
	Stacks map[value.Stack][]Frame
	Texts  map[Number]string
}

// Clock knows the wall clock's time.
type Clock interface {
	// Wall is that at one of the boot clock, which Timestamp values are.
	Wall(boot int64) time.Time
	// TAIOffset is how far the clock that TSeries values count in is ahead of it.
	TAIOffset() time.Duration
}

// Place is what an address is called. Symbol is empty where no name is known; Module is
// then still the binary that is mapped there, if any.
type Place struct {
	Symbol string
	Offset uint64 // from the symbol's start,
	Size   uint64 // and how large that is; only of addresses that formats show with it
	Module string // a module of the kernel, or the path of a binary
}

// Frame is a function of a stack.
type Frame struct {
	Addr uint64
	Place
	// Source is where its code was written: functions that are inlined there come first.
	Source []debuginfo.Place
	// BuildID and FileOffset are the place in the binary, for stacks that are shown so.
	BuildID    string
	FileOffset uint64
}

// Number is a value that is a number with a name.
type Number struct {
	Kind types.Kind
	N    uint64
}

// Of is the name of a value that is a number with a name.
func (n *Names) Of(v value.Value) string { return n.Texts[Number{v.Type.Kind, v.Uint()}] }

// clone is a copy of which nothing is changed.
func (n *Names) clone() *Names {
	if n == nil {
		return nil
	}
	return &Names{n.Clock, maps.Clone(n.Places), maps.Clone(n.Stacks), maps.Clone(n.Texts)}
}

// Bytes is about how much memory the names take.
func (n *Names) Bytes() int {
	if n == nil {
		return 0
	}
	const each = 160
	size := each * (len(n.Places) + len(n.Texts))
	for _, frames := range n.Stacks {
		size += each * (1 + len(frames))
	}
	return size
}

// NamesOf are the names of an event, if it is one that has values.
func NamesOf(e Event) *Names {
	switch e := e.(type) {
	case *Record:
		return e.Names
	case *Map:
		return e.Names
	case *Heat:
		return e.Names
	case *Table:
		return e.Names
	}
	return nil
}
