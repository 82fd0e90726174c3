package trace

import (
	"slices"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/clock"
	"fst/runtime/container"
	"fst/runtime/cpus"
	"fst/runtime/kernel"
	"fst/runtime/session"
	"fst/runtime/symbol"
	"fst/runtime/value"
)

// Names gives the names of the running system to what a script shows. It implements
// naming.System.
type Names struct {
	*symbol.Kernel
	*symbol.Processes
	symbol.Users
	symbol.Cgroups
	*container.Names
	*clock.Clock
	system *kernel.System
	maps   *session.Maps // with the recorded stacks; nil before there are any
	// Probes are the names of the probes that values in the maps of a store may have; nil
	// without a store.
	Probes func(n uint64) (name string, ok bool)
}

// NewNames returns the names for a run of a script. debugDirs are searched for separate
// debug information of programs.
func NewNames(k *kernel.System, obj *object.Object, debugDirs []string) *Names {
	r := &Names{system: k, Names: &containerNames, Clock: clock.New(), Processes: symbol.NewProcesses(debugDirs, !obj.Config.CppDemangle)}
	r.Kernel = symbol.NewKernel(func(fresh bool) (symbol.Table, error) {
		t, err := k.KernelSymbols(fresh)
		if err != nil {
			return nil, err
		}
		return t, nil
	})
	for _, prog := range obj.Programs {
		for _, h := range prog.Hooks {
			if h.Path != "" {
				r.Probed(h.Path, h.FileOffset)
			}
		}
	}
	return r
}

// OtherProbe implements naming.System.
func (r *Names) OtherProbe(n uint64) (name string, ok bool) {
	if r.Probes == nil {
		return "", false
	}
	return r.Probes(n)
}

// watch follows the processes of the system if the program shows places in
// them, as far as this kernel lets it. Of those that run already it learns all, or
// only pid if it is not 0.
func (r *Names) watch(obj *object.Object, pid int, t *tables) (*symbol.Watcher, error) {
	if !showsUserPlaces(obj) {
		return nil, nil
	}
	online, err := cpus.Online()
	if err != nil {
		return nil, err
	}
	return r.Watch(online, pid, t.watched())
}

// showsUserPlaces reports whether a program has values that are named by what
// is mapped in a process.
func showsUserPlaces(obj *object.Object) bool {
	var has func(t *types.Type) bool
	has = func(t *types.Type) bool {
		if t == nil {
			return false
		}
		switch t.Kind {
		case types.UStack, types.USym:
			return true
		case types.Func:
			return t.User
		case types.Tuple, types.Record:
			return slices.ContainsFunc(t.Fields(), func(f types.Field) bool { return has(f.Type) })
		}
		return false
	}
	for _, m := range obj.Maps {
		if has(m.Key) || has(m.Value) {
			return true
		}
	}
	for _, m := range obj.Messages {
		if slices.ContainsFunc(m.Fields, func(f object.MessageField) bool { return has(f.Type) }) {
			return true
		}
	}
	return false
}

// Stack implements naming.System.
func (r *Names) Stack(s value.Stack) []uint64 {
	if r.maps == nil || s.ID == 0 {
		return nil
	}
	addrs, _ := r.maps.Stack(object.StackKey{Limit: s.Format.Limit, Tables: s.Format.Tables}, s.ID)
	return addrs
}
