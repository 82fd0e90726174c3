package value

import "time"

// Entry is one element of a map as it was read from the kernel: its key and
// value in the layout of compiler/types. Per-CPU aggregates are merged.
type Entry struct{ Key, Value []byte }

// Snapshot is the content of a map at one moment, in no order.
type Snapshot struct {
	// Time is that of the wall clock to which the entries are true: when they were read or,
	// of what a report took out of a map, when the report began.
	Time    time.Time
	Entries []Entry
	// Emptied is how often clear() or zero() had emptied the map.
	Emptied int
}

// Bytes is how much memory the entries take, about.
func (s *Snapshot) Bytes() int {
	n := 0
	for _, e := range s.Entries {
		n += len(e.Key) + len(e.Value) + 48
	}
	return n
}
