package render

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/printable"
	"fst/runtime/event"
)

// Live shows a session on one screen, which changes in place. What came last of a map, a table or a heat map takes
// the place of what it showed before; rows and lines are a list of which the newest are shown. It
// keeps what is to be seen, and Frame draws it. Its methods may be called by several goroutines.
type Live struct {
	mu      sync.Mutex
	text    *Text // makes the lines of what is no table
	out     bytes.Buffer
	blocks  []*liveBlock // in the order in which they came
	byID    map[any]*liveBlock
	log     *liveBlock // of lines
	changed chan struct{}
	view    liveView
}

const (
	// liveRows is how many rows and lines are kept of a list,
	liveRows = 1000
	// liveLine how long one may become.
	liveLine = 4096
)

// liveBlock is what is shown of one map, table, or message.
type liveBlock struct {
	grid
	id    any
	grows bool // rows are added; otherwise they are replaced
	lines []string
	open  bool // the last line may go on
	again int  // how often the last line came again
	heat  *liveHeat
}

// liveHeat is the past of histograms: a line for each time that they were shown.
type liveHeat struct {
	heading string
	lines   []string
	last    map[string][]uint64 // by key, of maps that go on counting
	always  bool                // by heat(): there is nothing else to be seen
}

// NewLive returns a view of a session of a script. Its title is what was asked for.
func NewLive(title string, obj *object.Object) *Live {
	l := &Live{byID: map[any]*liveBlock{}, changed: make(chan struct{}, 1)}
	l.text = NewText(&l.out, &l.out, obj, Options{NoExitLines: true, Width: func() int { return 0 }})
	l.log = &liveBlock{grows: true, grid: grid{bar: -1}}
	l.view = liveView{title: title, now: time.Now, sorts: map[any]liveSort{}}
	return l
}

// Changed gets word when there is something new to draw.
func (l *Live) Changed() <-chan struct{} { return l.changed }

// Say adds what a command of the script, say, has written.
func (l *Live) Say(text []byte) {
	l.mu.Lock()
	l.out.WriteString(printable.Lines(string(text)))
	l.said()
	l.mu.Unlock()
	l.Flush()
}

// Flush implements event.Sink.
func (l *Live) Flush() error {
	select {
	case l.changed <- struct{}{}:
	default:
	}
	return nil
}

// Event implements event.Sink.
func (l *Live) Event(e event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.p.show(e)
	switch e := e.(type) {
	case *event.Attached:
		l.view.probes = e.Probes
	case *event.Table:
		l.table(e)
	case *event.Map:
		l.elements(e)
	case *event.Heat:
		b := l.block(e.Map)
		b.lines, b.rows = nil, nil
		l.addHeat(b, e.Elements(), e.Message.Sep)
		b.heat.always = true
	case *event.Record:
		if len(e.Message.Columns) > 0 {
			l.row(e)
		} else {
			l.tell(e)
		}
	default:
		l.tell(e)
	}
}

// tell adds an event to the lines.
func (l *Live) tell(e event.Event) {
	l.text.Event(e)
	l.text.Flush()
	l.said()
}

// said takes what out has got as lines.
func (l *Live) said() {
	b := l.log
	for line := range strings.Lines(l.out.String()) {
		ends := strings.HasSuffix(line, "\n")
		whole := withoutControls(line)
		switch last := len(b.lines) - 1; {
		case b.open:
			if len(b.lines[last]) < liveLine {
				b.lines[last] += whole
			}
		case last >= 0 && b.lines[last] == whole && ends:
			b.again++
		default:
			b.again = 0
			b.lines = append(b.lines, whole)
		}
		b.open = !ends
	}
	b.lines = b.lines[max(0, len(b.lines)-liveRows):]
	l.out.Reset()
}

// withoutControls is a line without what would move the cursor: a script may colour its output.
func withoutControls(line string) string {
	var b strings.Builder
	for line != "" {
		before, after, found := strings.Cut(line, "\x1b[")
		b.WriteString(strings.Map(func(r rune) rune {
			switch {
			case r == '\t':
				return ' '
			case r < ' ' || r == 0x7f:
				return -1
			}
			return r
		}, before))
		if !found {
			break
		}
		line = strings.TrimLeft(after, "0123456789;?")
		line = line[min(1, len(line)):] // what the sequence does
	}
	return b.String()
}

// block is that of a map or of the place in the script that shows a table, which is there twice: for intervals and for the end.
func (l *Live) block(id any) *liveBlock {
	b := l.byID[id]
	if b == nil {
		b = &liveBlock{id: id, grid: grid{bar: -1}}
		l.byID[id], l.blocks = b, append(l.blocks, b)
	}
	return b
}

func (l *Live) table(e *event.Table) {
	b := l.block(e.Message.Span)
	b.grid = grids{&l.text.p}.table(e)
}

// row adds a record of row().
func (l *Live) row(r *event.Record) {
	m := r.Message
	b := l.block(m.Span)
	b.grows = true
	g := grids{&l.text.p}.record(r)
	b.columns, b.bar = g.columns, g.bar
	if b.rows = append(b.rows, g.rows...); len(b.rows) > 2*liveRows {
		b.rows = slices.Clone(b.rows[len(b.rows)-liveRows:])
	}
}

// elements shows a map: a table of numbers, or charts.
func (l *Live) elements(e *event.Map) {
	m := e.Map
	if m.Value == nil {
		return
	}
	r := e.Elements(true)
	if len(r.Entries) == 0 && l.byID[m] == nil { // other options fill it
		return
	}
	b, p := l.block(m), &l.text.p
	p.div = divisor(e.Div)
	defer func() { p.div = 0 }()
	b.rows, b.lines = nil, nil
	shape := mapShape(m)
	switch {
	case shape == types.Buckets:
		l.addHeat(b, r, r.Map.Name)
		fallthrough
	case m.Key == nil, byStack(m), shape == types.Series, shape == types.Ranking:
		b.lines = grids{p}.charts(r)
	default:
		b.grid = grids{p}.numbers(r, shape)
	}
}

// addHeat adds a line to the heat map for each histogram.
func (l *Live) addHeat(b *liveBlock, r event.Elements, unit string) {
	if b.heat == nil {
		b.heat = &liveHeat{last: map[string][]uint64{}}
	}
	for i := range r.Entries {
		h := r.Value(i).Histogram()
		key := string(r.Entries[i].Key)
		last := b.heat.last[key]
		if r.Map.Turns == nil { // it goes on counting
			b.heat.last[key] = slices.Clone(h.Counts)
		}
		cells := cellsOf(h)
		counts := make([]uint64, cells.n)
		for bucket, n := range h.Counts {
			if bucket < len(last) && last[bucket] <= n {
				n -= last[bucket]
			}
			if n > 0 {
				counts[cells.column(bucket)] += n
			}
		}
		b.heat.heading = strings.TrimSuffix(cells.heading(unit), "\n")
		b.heat.lines = append(b.heat.lines, string(liner{&l.text.p}.heatLine(nil, r, i, r.Time.In(l.text.p.loc), counts, cells.width, unit)))
	}
	b.heat.lines = b.heat.lines[max(0, len(b.heat.lines)-liveRows):]
}
