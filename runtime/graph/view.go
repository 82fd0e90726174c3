package graph

import (
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"fst/runtime/ftrace"
)

// View says which calls of a tree are shown.
type View struct {
	// Interrupts shows the calls within interrupts; else each interrupt is
	// one line.
	Interrupts bool
	// Longer leaves out calls that took less.
	Longer time.Duration
	// Only shows the calls of these layers; nil for all. Calls in between are
	// left out, and what they call moves up.
	Only Layers
	// Hide leaves out calls of these layers, and all that they call.
	Hide Layers
	// Repeats shows calls in a row one by one that are the same, else they
	// are one line.
	Repeats bool
}

// Apply returns what is shown of a tree. It changes the tree.
func (v View) Apply(root *Call) *Call {
	w := viewer{View: v}
	w.below(root)
	root.Hidden += w.hidden
	return root
}

// viewer applies a View to one tree.
type viewer struct {
	View
	hidden int
}

// below settles what is shown below a call.
func (v *viewer) below(c *Call) {
	list := c.Calls
	if !v.Interrupts {
		list = foldInterrupts(c, list)
	}
	c.Calls = v.choose(list)
	if !v.Repeats {
		c.Calls = foldRepeats(c.Calls)
	}
}

// choose returns what is shown of a list of calls.
func (v *viewer) choose(list []*Call) (shown []*Call) {
	for _, c := range list {
		if c.Kind != Function {
			if c.Took >= v.Longer {
				shown = append(shown, c)
			}
			continue
		}
		if c.Name == "__traceiter_sched_switch" {
			continue // the work of recording when threads are off their CPUs
		}
		if c.Returned && c.Took < v.Longer || v.Hide.Has(c) {
			v.hidden += c.Size()
			continue
		}
		v.below(c)
		if v.Only != nil && !v.Only.Has(c) {
			v.hidden++
			shown = append(shown, c.Calls...)
			continue
		}
		shown = append(shown, c)
	}
	return shown
}

// interrupts are the contexts that do not belong to a caller.
const interrupts = ftrace.HardIRQ | ftrace.SoftIRQ | ftrace.NMI

// foldInterrupts makes one line of the calls of each interrupt in a call.
func foldInterrupts(caller *Call, list []*Call) []*Call {
	var folded []*Call
	var open *Call     // the interrupt that the calls belong to, so far
	inside := uint8(0) // the contexts that were seen in it
	for _, c := range list {
		// An interrupt's first call begins before the CPU counts as being in
		// one, and ends after.
		context := (c.rec.entered | c.rec.left) &^ caller.rec.entered & interrupts
		if c.Kind != Function && open != nil {
			context = inside
		}
		if context == 0 || c.Kind != Function && open == nil {
			folded, open = append(folded, c), nil
			continue
		}
		if begins := c.rec.entered&^caller.rec.entered&interrupts == 0; open == nil || begins && inside != 0 {
			open, inside = &Call{Kind: Interrupt, Thread: Thread{TID: c.TID}, CPU: c.CPU, Time: c.Time, Returned: true, rec: recorded{begin: c.rec.begin, entered: caller.rec.entered}}, 0
			folded = append(folded, open)
		}
		inside |= context
		open.Calls = append(open.Calls, c)
	}
	for _, c := range folded {
		if c.Kind == Interrupt {
			c.summarize()
		}
	}
	return folded
}

// summarize gives an interrupt its name and its time, and forgets its calls.
func (c *Call) summarize() {
	var names []string
	for _, inner := range c.Calls {
		c.Incomplete = c.Incomplete || inner.Incomplete
		if !inner.Returned {
			c.Returned = false
		}
		if inner.Kind != Function {
			continue
		}
		c.rec.end = max(c.rec.end, inner.rec.end)
		if strings.Contains(inner.Name, "irq_enter") || strings.Contains(inner.Name, "irq_exit") {
			continue
		}
		if !slices.Contains(names, inner.Name) {
			names = append(names, inner.Name)
		}
	}
	if names == nil && len(c.Calls) > 0 {
		names = []string{c.Calls[0].Name}
	}
	const most = 3
	if len(names) > most {
		names = append(names[:most], "...")
	}
	c.Name = strings.Join(names, ", ")
	c.Took = time.Duration(c.rec.end - min(c.rec.end, c.rec.begin))
	c.Calls = nil
}

var seed = maphash.MakeSeed()

// shape is the same for calls of the same functions that call the same.
func (c *Call) shape() uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteByte(byte(c.Kind))
	h.WriteString(c.Name)
	for _, inner := range c.Calls {
		maphash.WriteComparable(&h, inner.shape())
		maphash.WriteComparable(&h, inner.Count)
	}
	return h.Sum64()
}

// longestGroup is how many calls a group has at most that is made again and again.
const longestGroup = 8

// foldRepeats makes one of calls in a row that have the same shape, and one
// group of groups of them: a b a b is a, b, each twice.
func foldRepeats(list []*Call) []*Call {
	shapes := make([]uint64, len(list))
	for i, c := range list {
		if c.Kind == Function && c.Returned {
			shapes[i] = c.shape() | 1 // 0 is of no other
		}
	}
	var folded []*Call
	for i := 0; i < len(list); {
		size, times := 1, 1
		for n := 1; n <= min(longestGroup, (len(list)-i)/2); n++ {
			if k := repeats(shapes[i:], n); k*n > size*times {
				size, times = n, k
			}
		}
		group := list[i : i+size]
		for k := 1; k < times; k++ {
			for j, c := range group {
				c.merge(list[i+k*size+j])
			}
		}
		folded = append(folded, group...)
		i += size * times
	}
	return folded
}

// repeats is how often the first n shapes come in a row.
func repeats(shapes []uint64, n int) int {
	if slices.Contains(shapes[:n], 0) {
		return 1
	}
	k := 1
	for (k+1)*n <= len(shapes) && slices.Equal(shapes[:n], shapes[k*n:(k+1)*n]) {
		k++
	}
	return k
}

// merge adds the numbers and times of a call of the same shape. What is not the same in
// all is no longer told.
func (c *Call) merge(other *Call) {
	c.Took += other.Took
	if c.Kind == Function {
		c.Count = max(c.Count, 1) + max(other.Count, 1)
	}
	c.Incomplete = c.Incomplete || other.Incomplete
	if !slices.Equal(c.rec.words, other.rec.words) {
		c.rec.words = nil
	}
	if c.rec.word != other.rec.word {
		c.rec.hasWord = false
	}
	for i := range c.Calls {
		c.Calls[i].merge(other.Calls[i])
	}
}
