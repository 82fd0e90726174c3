package trace

import (
	"encoding/binary"
	"fmt"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/container"
	"fst/runtime/event"
	"fst/runtime/session"
	"fst/runtime/symbol"
)

// containerNames are the process's: maps of a store have numbers that other scripts have brought.
var containerNames container.Names

// watchContainers fills the maps of a script that object.ContainersMapName tells of, if it has them, with what is there, and
// with what comes until the Watcher is closed.
func watchContainers(obj *object.Object, s *session.Session, o session.Options) *container.Watcher {
	t := newContainerTable(obj, s.Maps)
	if t == nil {
		return nil
	}
	warn := func(err error) {
		o.Sink.Event(&event.Warning{Text: fmt.Sprintf("containers that start from now on are shown by the ids of their cgroups: %v", err)})
	}
	full := false
	set := func(id uint64, n container.Name) {
		if !containerNames.Learn(id, n) {
			return
		}
		if err := t.set(id, n); err != nil && !full && err != session.ErrClosed {
			full = true
			warn(err)
		}
	}
	root, err := symbol.CgroupMount(object.FirstCgroups)
	if err != nil {
		warn(err)
		return nil
	}
	w, err := container.Watch(root, &container.Files{}, set, t.delete)
	if err != nil {
		warn(err)
	}
	return w
}

// containerTable is where programs find what the cgroups are called.
type containerTable struct {
	maps        *session.Maps
	hash, slots *object.Map
	taken       [object.ContainerSlots]uint64 // what the slots have
}

// newContainerTable returns that of a script, nil if it has none.
func newContainerTable(obj *object.Object, m *session.Maps) *containerTable {
	t := &containerTable{maps: m}
	for _, spec := range obj.Maps {
		switch {
		case spec.Unused:
		case spec.Name == object.ContainersMapName:
			t.hash = spec
		case spec.Name == object.ContainerSlotsMapName:
			t.slots = spec
		}
	}
	if t.slots == nil {
		return nil
	}
	return t
}

// noCgroup stands in slots whose cgroup is gone: a program that finds it looks in the hash, where another cgroup of the
// slot may be.
const noCgroup = ^uint64(0)

// set gives a cgroup its names.
func (t *containerTable) set(id uint64, n container.Name) error {
	names := words(types.NameNumber(n.Container), types.NameNumber(n.Pod))
	slot := id % object.ContainerSlots
	switch t.taken[slot] {
	case id:
		return t.fill(slot, id, names)
	case 0, noCgroup:
		// The id comes last: programs look at any time.
		if err := t.fill(slot, noCgroup, names); err != nil {
			return err
		}
		t.taken[slot] = id
		return t.fill(slot, id, names)
	}
	return t.maps.Set(t.hash, words(id), names)
}

// delete forgets a cgroup that is gone.
func (t *containerTable) delete(id uint64) {
	t.maps.Delete(t.hash, words(id))
	if slot := id % object.ContainerSlots; t.taken[slot] == id {
		t.taken[slot] = noCgroup
		t.fill(slot, noCgroup, words(0, 0))
	}
}

func (t *containerTable) fill(slot, id uint64, names []byte) error {
	return t.maps.Set(t.slots, binary.NativeEndian.AppendUint32(nil, uint32(slot)), append(words(id), names...))
}

// words are numbers as programs read them.
func words(all ...uint64) (mem []byte) {
	for _, n := range all {
		mem = binary.NativeEndian.AppendUint64(mem, n)
	}
	return mem
}
