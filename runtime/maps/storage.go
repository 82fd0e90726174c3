package maps

import "fst/compiler/object"

// Storage has the entries of a map: the kernel, or this process. A key that is not there
// is unix.ENOENT, and other errors are the kernel's as well.
type Storage interface {
	// Lookup reads the values of all CPUs.
	Lookup(key, vals []byte) error
	Update(key, vals []byte) error
	Delete(key []byte) error
	// UpdateMany writes n entries, whose keys and values lie one behind the other.
	UpdateMany(keys, vals []byte, n int) error
	// DeleteMany removes those of n keys that are there.
	DeleteMany(keys []byte, n int) error
	// Walk calls f with each key and the values of all CPUs. They stay valid if keep
	// is set, else during the call only.
	Walk(keep bool, f func(key, vals []byte)) error
	// Memory is the value of a map of kind MapShared, which programs have at the same time.
	Memory() []byte
	// Close may be called twice.
	Close()
}

// Backing is where the maps of a script are stored.
type Backing interface {
	// Open makes a map. cpus is how many values an entry has.
	Open(spec *object.Map) (s Storage, cpus int, err error)
	// Pair makes an array of two maps, through which programs reach one of them.
	Pair(spec *object.Map, both [2]Storage) (Storage, error)
	// Enter puts one of the two into the array, where it may be already, and returns when
	// every program has ended that ran before.
	Enter(pair Storage, i int, one Storage) error
}
