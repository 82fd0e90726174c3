package value

// Entry is one element of a map as it was read from the kernel: its key and
// value in the layout of compiler/types. Per-CPU aggregates are merged.
type Entry struct{ Key, Value []byte }

// Snapshot is the content of a map at one moment, in no order.
type Snapshot struct{ Entries []Entry }
