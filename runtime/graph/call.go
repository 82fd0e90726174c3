// Package graph follows the calls inside functions of the kernel: it has the
// function_graph tracer record them, makes trees of the records, and shows those as
// text or JSON. Arguments and results of system calls come from probes beside them.
package graph

import "time"

// Kind says what a Call stands for.
type Kind uint8

const (
	Function  Kind = iota
	Interrupt      // what the CPU did in between for a device or a timer: not the caller's
	OffCPU         // the thread did not run
)

// Call is a call of a function, with the calls that it made, or what happened
// in between.
type Call struct {
	Kind Kind
	// Name is the function's name; of an Interrupt what handled it, of OffCPU
	// the state of the thread.
	Name   string
	Module string // "" for the kernel itself

	Thread
	CPU int
	// Time is when it began, in nanoseconds since the system's start.
	Time uint64
	// Took is how long it took, sleep included. Of a call that has not
	// Returned it is how long it has taken so far.
	Took     time.Duration
	Returned bool
	// Incomplete is true if records were lost while it ran: calls may lack.
	Incomplete bool
	// Count is how many calls in a row this one stands for, one after the
	// other, each with calls of the same functions; Took is their sum.
	Count int

	Args []Arg
	// Result is what was returned, nil if that is not known.
	Result *Arg

	Calls []*Call
	// Hidden is how many calls a View left out below a root.
	Hidden int

	rec recorded
}

// Thread is a thread of the system, with the name that it had.
type Thread struct {
	TID  int
	Comm string
}

// recorded is what the tracer's records say of a call, as they do.
type recorded struct {
	addr       uint64
	words      []uint64 // of the argument registers; nil if the kernel did not tell them
	word       uint64   // that was returned
	hasWord    bool
	depth      int
	entered    uint8 // the contexts at its begin
	left       uint8 // and at its end
	begin, end uint64
	endIsLost  bool
	toCPU      int // where a thread that was off its CPU went on
}

// Arg is an argument or a result.
type Arg struct {
	Name  string
	Value any
	// Pointer is true for an address, Enum for the name of an enumerator, and
	// Errno for a result that is an error's number if it is negative.
	Pointer, Enum, Errno bool
}

// All calls f for each call of a tree, parents first.
func (c *Call) All(f func(*Call)) {
	f(c)
	for _, inner := range c.Calls {
		inner.All(f)
	}
}

// Size is the number of calls in a tree.
func (c *Call) Size() int {
	n := 0
	c.All(func(*Call) { n++ })
	return n
}
