package session

import (
	"fmt"
	"time"

	"fst/compiler/object"
	"fst/runtime/attach"
	"fst/runtime/event"
)

// budgetInterval is how long the programs' time is added up before it is
// compared with the budget.
const budgetInterval = time.Second

// budget watches what the programs cost (max_overhead).
type budget struct {
	limit float64 // the share of one CPU, 0 if there is none
	since time.Time
	spent map[uint32]uint64 // run time by program id, at since
}

func (b *budget) start(now []attach.Stats) {
	b.since = time.Now()
	b.spent = make(map[uint32]uint64, len(now))
	for _, st := range now {
		b.spent[st.ID] = st.RunTimeNS
	}
}

// probe is what stands or falls together: the programs of a clause that hang
// on the same hook, so that no half of a pair is left alone.
type probe struct {
	clause int
	hook   string
}

func probeOf(p *object.Program) probe {
	k := probe{clause: p.Clause}
	if len(p.Hooks) > 0 {
		k.hook = p.Hooks[0].Name
	}
	return k
}

// keep detaches the costliest probe if the programs took more than the limit since
// it was last asked.
func (b *budget) keep(programs Programs, attached *attach.Attachments, out event.Sink) {
	past := time.Since(b.since)
	if b.limit <= 0 || past < budgetInterval {
		return
	}
	stats := programs.Stats(nil)
	total, worst := uint64(0), probe{clause: -1}
	cost := map[probe]uint64{}
	for _, st := range stats {
		d := st.RunTimeNS - b.spent[st.ID]
		total += d
		if p := probeOf(st.Program); attached.Has(st.Program) {
			cost[p] += d
			if worst.clause < 0 || cost[p] > cost[worst] {
				worst = p
			}
		}
	}
	b.start(stats)
	if float64(total) <= b.limit*float64(past) || worst.clause < 0 {
		return
	}
	gone := attached.DetachSome(func(p *object.Program) bool { return probeOf(p) == worst })
	share := func(ns uint64) string { return fmt.Sprintf("%.2g%%", 100*float64(ns)/float64(past)) }
	name := worst.hook
	if gone > 1 {
		name = fmt.Sprintf("%s (and %d more probes of its clause)", name, gone-1)
	}
	warn(out, "%s was detached: the programs took %s of one CPU, over the budget of %.2g%%, and it alone %s",
		name, share(total), 100*b.limit, share(cost[worst]))
}
