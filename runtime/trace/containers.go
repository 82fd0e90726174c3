package trace

import (
	"encoding/binary"
	"fmt"
	"slices"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/container"
	"fst/runtime/event"
	"fst/runtime/session"
	"fst/runtime/symbol"
)

// containerNames are the process's: maps of a store have numbers that other scripts have brought.
var containerNames container.Names

// watchContainers fills the map object.ContainersMapName of a script, if it has one, with what is there, and with what comes
// until the Watcher is closed.
func watchContainers(obj *object.Object, s *session.Session, o session.Options) *container.Watcher {
	i := slices.IndexFunc(obj.Maps, func(m *object.Map) bool { return m.Name == object.ContainersMapName && !m.Unused })
	if i < 0 {
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
		val := binary.NativeEndian.AppendUint64(nil, types.NameNumber(n.Container))
		err := s.Maps.Set(obj.Maps[i], binary.NativeEndian.AppendUint64(nil, id), binary.NativeEndian.AppendUint64(val, types.NameNumber(n.Pod)))
		if err != nil && !full && err != session.ErrClosed {
			full = true
			warn(err)
		}
	}
	gone := func(id uint64) { s.Maps.Delete(obj.Maps[i], binary.NativeEndian.AppendUint64(nil, id)) }
	root, err := symbol.CgroupMount(object.FirstCgroups)
	if err != nil {
		warn(err)
		return nil
	}
	w, err := container.Watch(root, &container.Files{}, set, gone)
	if err != nil {
		warn(err)
	}
	return w
}
