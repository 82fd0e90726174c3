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

// keepBudget detaches the costliest probe if the programs took more than the
// script's share of one CPU since it was last asked.
func (s *Session) keepBudget() {
	limit := s.obj.Config.MaxOverhead
	past := time.Since(s.budget.since)
	if limit <= 0 || past < budgetInterval {
		return
	}
	stats := s.programs.Stats(nil)
	total, worst := uint64(0), probe{clause: -1}
	cost := map[probe]uint64{}
	for _, st := range stats {
		d := st.RunTimeNS - s.budget.spent[st.ID]
		total += d
		if p := probeOf(st.Program); s.attached.Has(st.Program) {
			cost[p] += d
			if worst.clause < 0 || cost[p] > cost[worst] {
				worst = p
			}
		}
	}
	s.budget.start(stats)
	if float64(total) <= limit*float64(past) || worst.clause < 0 {
		return
	}
	gone := s.attached.DetachSome(func(p *object.Program) bool { return probeOf(p) == worst })
	share := func(ns uint64) string { return fmt.Sprintf("%.2g%%", 100*float64(ns)/float64(past)) }
	name := worst.hook
	if gone > 1 {
		name = fmt.Sprintf("%s (and %d more probes of its clause)", name, gone-1)
	}
	s.opts.Sink.Event(&event.Warning{Text: fmt.Sprintf("%s was detached: the programs took %s of one CPU, over the budget of %.2g%%, and it alone %s",
		name, share(total), 100*limit, share(cost[worst]))})
}
