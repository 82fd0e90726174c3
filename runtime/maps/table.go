package maps

import "fst/compiler/object"

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

// entrySize is the size of all values of an entry.
func (t *table) entrySize() int { return t.stride() * t.cpus }
