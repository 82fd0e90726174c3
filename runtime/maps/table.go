package maps

import (
	"fmt"
	"time"

	"fst/compiler/object"
)

// table is a map as it is stored: keys, and behind each the values of all CPUs.
type table struct {
	Storage
	Spec *object.Map
	cpus int // values an entry has: 1, or the number of possible CPUs
}

// stride is the distance between the values of two CPUs.
func (t *table) stride() int {
	if isPerCPU(t.Spec) {
		return (t.Spec.ValueSize + 7) &^ 7 // also where there is one CPU
	}
	return t.Spec.ValueSize
}

// isPerCPU reports whether a map has a value for each CPU.
func isPerCPU(spec *object.Map) bool {
	switch spec.Kind {
	case object.MapPerCPUHash, object.MapPerCPULRUHash, object.MapPerCPUArray:
		return true
	}
	return false
}

// settled reads the values of an entry again as long as some of them were read while a program changed them.
func (t *table) settled(key, vals []byte) error {
	if !isAggregation(t.Spec) || t.Spec.Value.Kind.Aggregation().Mend == nil {
		return nil
	}
	mend, size, again := t.Spec.Value.Kind.Aggregation().Mend, t.Spec.ValueSize, vals
	for i := range mostReadings {
		if i > quickReadings {
			time.Sleep(time.Millisecond) // a program has lost its CPU
		}
		torn := false
		for off := 0; off+size <= len(vals); off += t.stride() {
			torn = mend(vals[off:off+size], again[off:off+size], &t.Spec.Value.Agg) || torn
		}
		if !torn {
			return nil
		}
		again = make([]byte, t.entrySize())
		if err := t.Lookup(key, again); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s changes faster than it can be read", t.Spec.Name)
}

// So many readings are made at most, the first of them at once.
const (
	mostReadings  = 300
	quickReadings = 100
)

// entrySize is the size of all values of an entry.
func (t *table) entrySize() int { return t.stride() * t.cpus }
