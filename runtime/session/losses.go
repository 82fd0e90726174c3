package session

import (
	"time"

	"fst/compiler/object"
	"fst/runtime/maps"
)

// lossInterval is how often the loss counters are read while events flow.
const lossInterval = 500 * time.Millisecond

// losses reports the counters of what could not be recorded.
type losses struct {
	counters *maps.Map // nil if the script has none
	told     map[int]uint64
	last     time.Time
}

func (l *losses) init(set *maps.Set, obj *object.Object) {
	if obj.Loss >= 0 && obj.Loss < len(obj.Maps) && obj.Loss != obj.Ring {
		l.counters = set.Map(obj.Loss)
	}
	l.told, l.last = map[int]uint64{}, time.Now()
}

// report tells what the ring buffer has lost since the last report, or with
// total all that was lost.
func (l *losses) report(out Output, total bool) {
	if l.counters == nil || !total && time.Since(l.last) < lossInterval {
		return
	}
	sums, err := l.counters.Sums()
	if err != nil {
		if total {
			out.Warn("the counters of losses cannot be read: " + err.Error())
		}
		return
	}
	l.last = time.Now()
	for i, n := range sums {
		clause, kind := i/object.LossKinds, object.LossKind(i%object.LossKinds)
		switch {
		case total && n > 0:
			out.Lost(clause, kind, n)
		case !total && kind == object.LossRingFull && n > l.told[i]:
			out.Lost(clause, kind, n-l.told[i])
			l.told[i] = n
		}
	}
}
