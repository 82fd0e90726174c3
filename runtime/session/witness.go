package session

import (
	"os"
	"slices"
	"strings"
	"time"

	"fst/compiler/object"
	"fst/runtime/attach"
	"fst/runtime/event"
	"fst/runtime/events"
	"fst/runtime/maps"
)

const (
	// firstQuestion is when the witnesses are asked for the first time; each
	// later question comes after twice as long, up to lastPause.
	firstQuestion = time.Second
	lastPause     = time.Minute
	// enough is how many events tell that a probe should have seen some: a few
	// may have been under way when it came.
	enough = 10
)

// witnesses tells of probes that see nothing though the kernel counts what they
// should see. Each is asked until its probe has fired once.
type witnesses struct {
	seen   *maps.Map // of what is noted
	asked  []*witness
	pause  time.Duration
	at     time.Time // of the next question
	silent time.Time // since when
}

// witness is one that is still asked.
type witness struct {
	*object.Witness
	noted   []int             // of its probe, and of those that do as well
	counter *attach.Counter   // of a tracepoint
	first   map[string]uint64 // at the start, by the names of lines
	doubted bool              // the last answer was that the probe missed something
}

func (ws *witnesses) init(set *maps.Set, obj *object.Object) {
	for i := range obj.Witnesses {
		ws.seen = set.Map(obj.Seen)
		w := &witness{Witness: &obj.Witnesses[i]}
		for j, other := range obj.Witnesses {
			if j == i || other.Advice == "" && other.Count.Text == w.Count.Text {
				w.noted = append(w.noted, other.Noted...)
			}
		}
		if w.Advice != "" {
			ws.asked = append(ws.asked, w)
		}
	}
}

// start begins to count, when everything is attached. Witnesses that this kernel
// does not have are not asked.
func (ws *witnesses) start() {
	ws.asked = slices.DeleteFunc(ws.asked, func(w *witness) bool {
		var err error
		if w.Count.Event != "" {
			w.counter, err = attach.OpenCounter(w.Count.Category, w.Count.Event)
		} else {
			w.first, err = w.read()
		}
		return err != nil
	})
	ws.silent, ws.pause = time.Now(), firstQuestion
	ws.at = ws.silent.Add(ws.pause)
}

// ask asks if it is time to, and returns how long it is until it will be.
func (ws *witnesses) ask(out event.Sink) time.Duration {
	if len(ws.asked) == 0 {
		return events.Never
	}
	now := time.Now()
	if wait := ws.at.Sub(now); wait > 0 {
		return wait
	}
	ws.question(out, false)
	ws.pause = min(2*ws.pause, lastPause)
	ws.at = now.Add(ws.pause)
	return ws.pause
}

// askNow asks at the end, while everything is still attached.
func (ws *witnesses) askNow(out event.Sink) { ws.question(out, true) }

// question compares what the witnesses have counted with whether their probes
// have fired, and says where they disagree: at the second time, as what is
// counted now the probe may be about to see.
func (ws *witnesses) question(out event.Sink, last bool) {
	if len(ws.asked) == 0 {
		return
	}
	seen, err := ws.seen.Counters()
	if err != nil {
		return
	}
	ws.asked = slices.DeleteFunc(ws.asked, func(w *witness) bool {
		counted, names := w.counted()
		if slices.ContainsFunc(w.noted, func(i int) bool { return seen[i] != 0 }) {
			w.close()
			return true
		}
		if counted < enough {
			return false
		}
		if !w.doubted && !last {
			w.doubted = true
			return false
		}
		what := w.Count.Text
		if w.Count.Path != "" {
			what = w.Count.Path
		}
		if len(names) > 0 {
			what += " (" + strings.Join(names, ", ") + ")"
		}
		warn(out, "%s has not fired in %s, while %s counted %d: %s", w.Probe,
			time.Since(ws.silent).Round(time.Second/10), what, counted, w.Advice)
		w.close()
		return true
	})
}

// counted is how much a witness has counted since the start, and the names of
// the lines that have.
func (w *witness) counted() (n uint64, names []string) {
	if w.counter != nil {
		n, _ = w.counter.Read()
		return n, nil
	}
	now, err := w.read()
	if err != nil {
		return 0, nil
	}
	for name, v := range now {
		if first, ok := w.first[name]; ok && v > first {
			n += v - first
			if name != "" {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return n, names
}

// read adds up the numbers of a file, for each name of a line.
func (w *witness) read() (map[string]uint64, error) {
	text, err := os.ReadFile(w.Count.Path)
	if err != nil {
		return nil, err
	}
	sums := map[string]uint64{}
	for line := range strings.Lines(string(text)) {
		if name, n, ok := w.Count.Line(line); ok {
			sums[name] += n
		}
	}
	return sums, nil
}

func (w *witness) close() {
	if w.counter != nil {
		w.counter.Close()
	}
}

func (ws *witnesses) close() {
	for _, w := range ws.asked {
		w.close()
	}
	ws.asked = nil
}

// sooner is the earlier of two ends of a wait.
func sooner(a, b time.Duration) time.Duration {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}
