// Package naming finds the names of what events refer to, once for all who show them.
// It knows no forms of output.
package naming

import (
	"slices"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/debuginfo"
	"fst/runtime/event"
	"fst/runtime/value"
)

// System knows the names of the system that is traced. A name is "" if it is not known.
type System interface {
	event.Clock
	// KernelSymbol names the symbol that holds addr, and the module of a symbol that is not
	// in the kernel proper; KernelSymbolSize is how large it is.
	KernelSymbol(addr uint64) (name string, offset uint64, module string)
	KernelSymbolSize(addr uint64) uint64
	// UserSymbol is the same in a process; module is the path of the binary, also if name is
	// not known.
	UserSymbol(pid int, addr uint64) (name string, offset uint64, module string)
	// UserSource tells where the code at addr was written; nil if that is not known.
	UserSource(pid int, addr uint64) []debuginfo.Place
	// BuildID finds the binary that is mapped at addr: its id in hex and the place in the file.
	BuildID(pid int, addr uint64) (id string, offset uint64)
	// Stack returns the addresses of a recorded stack, innermost first.
	Stack(s value.Stack) []uint64
	UserName(uid uint32) string
	CgroupPath(id uint64) string
	// ContainerName and PodName take a value of types.Container and types.Pod.
	ContainerName(n uint64) string
	PodName(n uint64) string
	SyscallName(number uint64) string
	// OtherProbe is the name of a probe (types.ProbeName) that the script's object does not
	// know: it is of a value that another script has left in a map.
	OtherProbe(n uint64) (name string, ok bool)
}

// Namer gives the events of a script their names. Its methods may be called by several
// goroutines.
type Namer struct {
	System System
	Object *object.Object
	// Frames: frames of stacks have their symbols also if the script shows addresses only.
	Frames bool
	// Plain returns what shows values as text, for tables that are sorted by that.
	Plain func(*object.Object, *event.Names) func(value.Value) string
}

// Name gives an event its names. atEnd tells that Exit has come.
func (n *Namer) Name(e event.Event, atEnd bool) {
	switch e := e.(type) {
	case *event.Record:
		e.Names = n.plain()
		n.record(e.Names, e)
	case *event.Map:
		e.Names = n.plain()
		if hasNames(e.Map.Key) || hasNames(e.Map.Value) {
			n.elements(e.Elements(atEnd))
		}
	case *event.Heat:
		e.Names = n.plain()
		if hasNames(e.Map.Key) {
			n.elements(e.Elements())
		}
	case *event.Table:
		e.Names = n.plain()
		text := n.Plain(n.Object, e.Names)
		e.Join(func(v value.Value) string {
			n.value(e.Names, v)
			return text(v)
		})
		for _, row := range e.Rows().Rows {
			for _, v := range row {
				n.value(e.Names, v)
			}
		}
	}
}

func (n *Namer) plain() *event.Names { return &event.Names{Clock: n.System} }

func (n *Namer) elements(all event.Elements) {
	for i := range all.Entries {
		if all.Map.Key != nil {
			n.value(all.Names, all.Key(i))
		}
		n.value(all.Names, all.Value(i))
	}
}

func (n *Namer) record(names *event.Names, r *event.Record) {
	m := r.Message
	for i := range m.Fields {
		n.value(names, event.Field(&m.Fields[i], r.Data))
	}
	field := 0
	for i := range m.Format {
		if verb := &m.Format[i]; verb.Conv != 0 && field < len(m.Fields) {
			n.pointer(names, verb, event.Field(&m.Fields[field], r.Data))
			field++
		}
	}
	for i := range m.Columns {
		if field := i + len(m.Fields) - len(m.Columns); field >= 0 {
			n.pointer(names, &m.Columns[i].Verb, event.Field(&m.Fields[field], r.Data))
		}
	}
}

// hasNames reports whether values of a type refer to something that has a name.
func hasNames(t *types.Type) bool {
	if t == nil {
		return false
	}
	switch t.Kind {
	case types.KStack, types.UStack, types.KSym, types.USym, types.Func, types.CgroupPath, types.Container, types.Pod, types.Username, types.Syscall, types.ProbeName:
		return true
	case types.Tuple, types.Record, types.Struct, types.Union:
		return slices.ContainsFunc(t.Fields(), func(f types.Field) bool { return hasNames(f.Type) })
	case types.Array:
		return hasNames(t.Elem)
	}
	return false
}

// value adds the names of a value.
func (n *Namer) value(names *event.Names, v value.Value) {
	switch v.Type.Kind {
	case types.KStack, types.UStack:
		if s := v.Stack(); s.ID != 0 && names.Stacks[s] == nil {
			add(&names.Stacks, s, n.frames(s))
		}
	case types.KSym, types.USym, types.Func:
		if a := v.Address(); a.Addr != 0 {
			if _, known := names.Places[a]; !known {
				add(&names.Places, a, n.place(a))
			}
		}
	case types.Username:
		n.number(names, v, func() string { return n.System.UserName(uint32(v.Uint())) })
	case types.CgroupPath:
		n.number(names, v, func() string { return n.System.CgroupPath(v.Uint()) })
	case types.Container:
		n.number(names, v, func() string { return n.System.ContainerName(v.Uint()) })
	case types.Pod:
		n.number(names, v, func() string { return n.System.PodName(v.Uint()) })
	case types.Syscall:
		n.number(names, v, func() string { return n.System.SyscallName(v.Uint()) })
	case types.ProbeName:
		if _, own := n.Object.ProbeName(v.Uint()); !own {
			n.number(names, v, func() string { name, _ := n.System.OtherProbe(v.Uint()); return name })
		}
	case types.Tuple, types.Record, types.Struct, types.Union:
		if hasNames(v.Type) {
			for _, f := range v.Fields() {
				n.value(names, f)
			}
		}
	case types.Array:
		if hasNames(v.Type.Elem) {
			for i := range v.Len() {
				n.value(names, v.Index(i))
			}
		}
	}
}

func (n *Namer) number(names *event.Names, v value.Value, find func() string) {
	key := event.Number{Kind: v.Type.Kind, N: v.Uint()}
	if _, known := names.Texts[key]; !known {
		add(&names.Texts, key, find())
	}
}

// pointer adds the name of a number that %pS and the like show as an address of the kernel.
func (n *Namer) pointer(names *event.Names, verb *object.Verb, v value.Value) {
	if !verb.IsSymbol() {
		return
	}
	a := value.Address{Addr: verb.SymbolAddress(v.Uint())}
	p := n.place(a)
	p.Size = n.System.KernelSymbolSize(a.Addr)
	add(&names.Places, a, p)
}

func (n *Namer) place(a value.Address) (p event.Place) {
	if a.User {
		p.Symbol, p.Offset, p.Module = n.System.UserSymbol(a.PID, a.Addr)
	} else {
		p.Symbol, p.Offset, p.Module = n.System.KernelSymbol(a.Addr)
	}
	return p
}

func (n *Namer) frames(s value.Stack) []event.Frame {
	mode := n.Object.Config.StackModeOf(s.Format)
	addrs := n.System.Stack(s)
	frames := make([]event.Frame, len(addrs))
	for i, addr := range addrs {
		f := &frames[i]
		f.Addr = addr
		if n.Frames || mode == "bpftrace" || mode == "perf" {
			f.Place = n.place(value.Address{Addr: addr, User: s.User, PID: s.PID})
		}
		switch {
		case mode == "build_id":
			f.BuildID, f.FileOffset = n.System.BuildID(s.PID, addr)
		case mode != "raw" && n.Object.Config.DebugInfo && s.User:
			at := addr
			if i > 0 {
				at-- // the call, not what it returns to
			}
			f.Source = n.System.UserSource(s.PID, at)
		}
	}
	return frames
}

func add[K comparable, V any](to *map[K]V, key K, v V) {
	if *to == nil {
		*to = map[K]V{}
	}
	(*to)[key] = v
}
