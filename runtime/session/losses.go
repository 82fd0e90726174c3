package session

import (
	"cmp"
	"errors"
	stdmaps "maps"
	"slices"
	"time"

	"fst/compiler/object"
	"fst/runtime/attach"
	"fst/runtime/event"
	"fst/runtime/events"
	"fst/runtime/maps"
)

// lossInterval is how often the loss counters are read while events flow.
const lossInterval = 500 * time.Millisecond

// losses reports the counters of what could not be recorded.
type losses struct {
	counters *maps.Map // nil if the script has none
	reads    *maps.Map // likewise; those of failed reads
	told     map[int]uint64
	last     time.Time
	news     bool // something was read since
}

func (l *losses) init(set *maps.Set, obj *object.Object) {
	if obj.Loss >= 0 && obj.Loss < len(obj.Maps) && obj.Loss != obj.Ring {
		l.counters = set.Map(obj.Loss)
	}
	if len(obj.Reads) > 0 {
		l.reads = set.Map(obj.ReadLoss)
	}
	l.told, l.last = map[int]uint64{}, time.Now()
}

// report tells what the ring buffer has lost since the last report, unless
// nothing was read since or that was just now. It returns when to call it
// again, events.Never if not before something was read.
func (l *losses) report(out event.Sink) time.Duration {
	if l.counters == nil || !l.news {
		return events.Never
	}
	if passed := time.Since(l.last); passed < lossInterval {
		return lossInterval - passed
	}
	l.last, l.news = time.Now(), false
	sums, err := l.counters.Counters()
	if err != nil {
		return events.Never
	}
	for i, n := range sums {
		if what := lossAt(i); what.Kind == object.LossRingFull && n > l.told[i] {
			out.Event(&event.Lost{What: what, Count: n - l.told[i]})
			l.told[i] = n
		}
	}
	return events.Never
}

// lossAt is what a counter counts, by its index.
func lossAt(i int) object.Loss {
	return object.Loss{Clause: i / object.LossKinds, Kind: object.LossKind(i % object.LossKinds)}
}

// reportAll tells all that was lost: what the programs counted, the events
// for which the kernel did not run one of them because it, or another of its
// kind, was running on that CPU already, and those of which it did not come to that.
func (l *losses) reportAll(out event.Sink, programs []attach.Stats, reads []object.Loss) {
	sums := map[object.Loss]uint64{}
	for _, p := range programs {
		kind := object.LossNested
		sums[object.Loss{Clause: p.Program.Clause, Kind: kind}] += p.Misses
		if p.Program.Hooks[0].Kind == object.HookKretprobe {
			kind = object.LossReturn
		}
		sums[object.Loss{Clause: p.Program.Clause, Kind: kind}] += p.Unreached
	}
	if err := l.count(sums, reads); err != nil {
		warn(out, "cannot read the counters of lost events: %v", err)
	}
	for _, what := range slices.SortedFunc(stdmaps.Keys(sums), inOrder) {
		if sums[what] > 0 {
			out.Event(&event.Lost{What: what, Count: sums[what]})
		}
	}
}

// count adds what the programs have counted to sums.
func (l *losses) count(sums map[object.Loss]uint64, reads []object.Loss) error {
	add := func(m *maps.Map, of func(i int) object.Loss) error {
		if m == nil {
			return nil
		}
		counted, err := m.Counters()
		for i, n := range counted {
			sums[of(i)] += n
		}
		return err
	}
	return errors.Join(add(l.counters, lossAt), add(l.reads, func(i int) object.Loss { return reads[i] }))
}

// inOrder is the order in which losses are told: that of the clauses, and in one
// that of the kinds and places.
func inOrder(a, b object.Loss) int {
	return cmp.Or(cmp.Compare(a.Clause, b.Clause), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Span.Start, b.Span.Start),
		cmp.Compare(a.Span.End, b.Span.End))
}

// reportStacks tells of stacks that were to be shown and are not known any more.
func (l *losses) reportStacks(out event.Sink, obj *object.Object, set *maps.Set) {
	n := 0
	for _, m := range obj.Stacks {
		n += set.Stacks(m).Unknown()
	}
	if n > 0 {
		warn(out, "%d stacks are shown empty: too many different stacks were recorded", n)
	}
}
