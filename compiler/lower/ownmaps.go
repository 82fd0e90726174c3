package lower

import (
	"fmt"
	"slices"

	"fst/compiler/object"
)

// The maps of the compiler's own.

// addMap adds a map of the compiler's own, which has no word for presence.
func (l *lowerer) addMap(m *object.Map) int {
	m.Present = -1
	return l.keepMap(m)
}

func (l *lowerer) keepMap(m *object.Map) int {
	m.ID = len(l.obj.Maps)
	l.obj.Maps = append(l.obj.Maps, m)
	return m.ID
}

// ownMap is a map of the compiler's own of which there is one of a name.
func (l *lowerer) ownMap(m object.Map) int {
	if id := l.mapNamed(m.Name); id >= 0 {
		return id
	}
	return l.addMap(&m)
}

// mapNamed is the index of a map of the compiler's own, -1 if there is none yet.
func (l *lowerer) mapNamed(name string) int {
	return slices.IndexFunc(l.obj.Maps, func(m *object.Map) bool { return m.Name == name })
}

// zeroes returns a map whose value is n zero bytes: the initial value of big
// aggregations.
func (l *lowerer) zeroes(n int) int {
	id := l.ownMap(object.Map{Name: "fst_zero", Kind: object.MapArray, KeySize: 4, MaxEntries: 1})
	m := l.obj.Maps[id]
	m.ValueSize = max(m.ValueSize, (n+7)&^7)
	return id
}

// stacks returns the map for stacks of a kind.
func (l *lowerer) stacks(k object.StackKey) int {
	m, ok := l.obj.Stacks[k]
	if !ok {
		spec := &object.Map{Name: fmt.Sprintf("fst_stack%d", k.Limit), Kind: object.MapStacks, KeySize: 8,
			ValueSize: stackFramesAt + 8*k.Limit, MaxEntries: defaultStackMapSize}
		if k.Tables {
			spec.Name, spec.Kind = fmt.Sprintf("fst_unwound%d", k.Limit), object.MapHash
		}
		m = l.addMap(spec)
		l.obj.Stacks[k] = m
	}
	return m
}

// startMap has the session's clocks (object.StartMapName): the runtime writes
// them before anything runs.
func (l *lowerer) startMap() int {
	return l.sessionMap(object.StartMapName, object.MapArray, 16)
}

// stopMap tells iterators that the session ends (object.StopMapName).
func (l *lowerer) stopMap() int { return l.sessionMap(object.StopMapName, object.MapShared, 8) }

// sessionMap is an array of one value, by which programs and the runtime know each
// other's state.
func (l *lowerer) sessionMap(name string, kind object.MapKind, size int) int {
	return l.ownMap(object.Map{Name: name, Kind: kind, KeySize: 4, ValueSize: size, MaxEntries: 1})
}
