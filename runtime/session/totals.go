package session

import (
	"slices"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/maps"
)

// mostTaken is how many bytes of keys and values are kept of what was taken out of maps.
const mostTaken = 16 << 20

// totals are what was taken out of some maps so far, by their ids: by reports, clear() and
// zero(). They are guarded by the set.
type totals map[int]*taken

// taken is that of a map. Values of aggregations are merged; of texts, which name keys,
// the newest stays, and of all other values those that were taken last.
type taken struct {
	byKey map[string][]byte
	bytes int
	// dropped is how often an element was not kept, as there was no room.
	dropped uint64
}

// KeepTotals has Total tell what some maps have counted all in all. It is called before the session runs.
func (m *Maps) KeepTotals(list []*object.Map) {
	m.taken = totals{}
	for _, spec := range list {
		m.taken[spec.ID] = &taken{byKey: map[string][]byte{}}
	}
}

// before calls f, which empties a map, once what is in the map is kept.
func (all totals) before(m *maps.Map, f func() error) error {
	if t := all[m.Spec.ID]; t != nil && m.Spec.Value.Kind.IsAggregation() {
		s, err := m.Read()
		if err != nil {
			return err
		}
		all.add(m.Spec, s)
	}
	return f()
}

// add keeps what was taken out of a map.
func (all totals) add(spec *object.Map, s *maps.Snapshot) {
	t := all[spec.ID]
	if t == nil {
		return
	}
	agg := spec.Value.Kind.Aggregation()
	if agg == nil && spec.Value.Kind != types.String {
		t.byKey, t.bytes = map[string][]byte{}, 0
	}
	for _, e := range s.Entries {
		old := t.byKey[string(e.Key)]
		switch size := len(e.Key) + len(e.Value); {
		case old != nil && agg != nil:
			agg.Merge(old, e.Value, &spec.Value.Agg)
		case old != nil:
			copy(old, e.Value)
		case t.bytes+size > mostTaken/len(all):
			t.dropped++
		default:
			t.byKey[string(e.Key)] = slices.Clone(e.Value)
			t.bytes += size
		}
	}
}

// Total is what a map of KeepTotals has counted since the session began: what is in it, and
// what was taken out of it. Values that are no aggregations are those which were taken last or,
// before the first time, those that are there. dropped is how often an element was not kept
// when it was taken out, as there were too many.
func (m *Maps) Total(spec *object.Map) (snap *maps.Snapshot, dropped uint64, err error) {
	err = m.with(spec, func(one *maps.Map) error {
		now := time.Now()
		if snap, err = one.Read(); err != nil {
			return err
		}
		snap.Time = now
		t := m.taken[spec.ID]
		if t == nil || len(t.byKey) == 0 {
			return nil
		}
		agg := spec.Value.Kind.Aggregation()
		if agg == nil && spec.Value.Kind != types.String {
			snap.Entries = nil
		}
		dropped = t.dropped
		rest := make(map[string][]byte, len(t.byKey))
		for key, value := range t.byKey {
			rest[key] = value
		}
		for i, e := range snap.Entries {
			if value, both := rest[string(e.Key)]; both && agg != nil {
				sum := slices.Clone(value)
				agg.Merge(sum, e.Value, &spec.Value.Agg)
				snap.Entries[i].Value = sum
			}
			delete(rest, string(e.Key))
		}
		for key, value := range rest {
			snap.Entries = append(snap.Entries, maps.Entry{Key: []byte(key), Value: slices.Clone(value)})
		}
		return nil
	})
	return snap, dropped, err
}
