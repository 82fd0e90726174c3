package session

import (
	stdmaps "maps"
	"slices"
	"time"

	"fst/compiler/object"
	"fst/runtime/attach"
	"fst/runtime/events"
	"fst/runtime/maps"
)

// lossInterval is how often the loss counters are read while events flow.
const lossInterval = 500 * time.Millisecond

// losses reports the counters of what could not be recorded.
type losses struct {
	counters *maps.Map // nil if the script has none
	told     map[int]uint64
	last     time.Time
	news     bool // something was read since
}

func (l *losses) init(set *maps.Set, obj *object.Object) {
	if obj.Loss >= 0 && obj.Loss < len(obj.Maps) && obj.Loss != obj.Ring {
		l.counters = set.Map(obj.Loss)
	}
	l.told, l.last = map[int]uint64{}, time.Now()
}

// report tells what the ring buffer has lost since the last report, unless
// nothing was read since or that was just now. It returns when to call it
// again, events.Never if not before something was read.
func (l *losses) report(out Output) time.Duration {
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
		if clause, kind := i/object.LossKinds, object.LossKind(i%object.LossKinds); kind == object.LossRingFull && n > l.told[i] {
			out.Lost(clause, kind, n-l.told[i])
			l.told[i] = n
		}
	}
	return events.Never
}

// reportAll tells all that was lost: what the programs counted, the events
// for which the kernel did not run one of them because it, or another of its
// kind, was running on that CPU already, and those of which it did not come to that.
func (l *losses) reportAll(out Output, programs []attach.Stats) {
	sums := map[int]uint64{}
	for _, p := range programs {
		if p.Misses > 0 {
			sums[p.Program.Clause*object.LossKinds+int(object.LossNested)] += p.Misses
		}
		if p.Unreached > 0 {
			kind := object.LossNested
			if p.Program.Hooks[0].Kind == object.HookKretprobe {
				kind = object.LossReturn
			}
			sums[p.Program.Clause*object.LossKinds+int(kind)] += p.Unreached
		}
	}
	if l.counters != nil {
		counted, err := l.counters.Counters()
		if err != nil {
			out.Warn("the counters of losses cannot be read: " + err.Error())
		}
		for i, n := range counted {
			sums[i] += n
		}
	}
	for _, i := range slices.Sorted(stdmaps.Keys(sums)) {
		if sums[i] > 0 {
			out.Lost(i/object.LossKinds, object.LossKind(i%object.LossKinds), sums[i])
		}
	}
}
