package render

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// Page keeps what a session shows, and its past, for a page of HTML: histograms, stacks, tables and lines, each with
// the times at which they were shown. A page that is written at the end (NewPage) has the whole run, one that is looked at
// meanwhile (NewLivePage) the last ten minutes, and what came before as one. The counts of histograms and stacks are those
// since they were shown before, so that their sum is what the script has counted. Its methods may be called by
// several goroutines.
type Page struct {
	mu     sync.Mutex
	folded *folder // names stacks; its text makes the lines of what is no picture
	lines  bytes.Buffer
	names  texts
	blocks []*pageBlock // in the order in which they came
	byID   map[any]*pageBlock
	log    *pageBlock // of lines: the first of blocks
	past   pagePast
	title  string
	out    io.Writer // gets the page at the end, if it is to be written
}

// pagePast is how much is kept, and in which order it came.
type pagePast struct {
	live  bool
	seq   uint64 // of the last row that was added or changed
	gone  uint64 // the highest of the rows that were merged into others
	bytes int
	over  bool // the session has ended
}

const (
	// pagePeriod is how much of the past of a live page has times.
	pagePeriod = 10 * time.Minute
	// pageApart is how far its rows are apart, at least.
	pageApart = 500 * time.Millisecond
	// pageRows is how many times a block of a page that is written at the end may have; twice as many are kept meanwhile.
	pageRows = 600
	// pageBytes is about how much memory the rows of a page may take.
	pageBytes = 32 << 20
)

// pageKind is what the rows of a block are, and how two of them become one.
type pageKind string

const (
	pageHist   pageKind = "hist"   // counts by key and bucket, which are added
	pageStacks pageKind = "stacks" // weights by node of the tree of stacks, which are added
	pageTable  pageKind = "table"  // a table or lines, of which the later are right
	pageList   pageKind = "list"   // rows or lines that came, of which the last are kept
)

// pageBlock is what is shown of one map, table, or message.
type pageBlock struct {
	id      any
	kind    pageKind
	name    string
	unit    string
	scale   []int64 // how buckets are numbered: [k] of hist(), [min, max, step] of lhist()
	columns []gridColumn
	tree    *stackTree
	rows    []*pageRow
	last    map[pageCell]int64 // what a map had that goes on counting
	emptied int                // how often it had been emptied then
	before  []uint64           // pairs of nodes and weights, of another run that this one is compared with
}

// pageCell is a bucket of a key, or a node of a tree, whose bucket is 0.
type pageCell struct{ of, bucket int32 }

// pageRow is what came at one time. Nobody changes its counts, nor its lines but by adding others, so that a copy of it can be
// written while others come.
type pageRow struct {
	id, seq uint64
	at      time.Time
	counts  map[pageCell]int64
	lines   [][]string
	more    int // lines that --top leaves out
	bytes   int
}

// NewPage returns a sink that writes a page to out when it ends, and what the script says besides maps and tables also to errs.
func NewPage(out, errs io.Writer, obj *object.Object, opts Options) *Page {
	p := newPage(errs, obj, opts)
	p.out = out
	return p
}

// NewLivePage returns a page that is served while the session runs. Warnings and errors are also written to errs.
func NewLivePage(title string, errs io.Writer, obj *object.Object) *Page {
	p := newPage(nil, obj, Options{Quiet: true})
	p.folded.text.errs = io.MultiWriter(&p.lines, errs)
	p.title, p.past.live = title, true
	return p
}

func newPage(echo io.Writer, obj *object.Object, opts Options) *Page {
	p := &Page{byID: map[any]*pageBlock{}, title: measurement(obj)}
	var to io.Writer = &p.lines
	if echo != nil {
		to = io.MultiWriter(&p.lines, echo)
	}
	p.folded = newFolder(to, to, obj, opts)
	p.log = p.block(nil, pageList)
	return p
}

// Flush implements event.Sink.
func (p *Page) Flush() error { return nil }

// Event implements event.Sink.
func (p *Page) Event(e event.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.folded.p.show(e)
	switch e := e.(type) {
	case *event.Attached: // the tables of rows have headings of their own
		p.folded.text.attached(e.Probes)
		p.say()
	case *event.Map:
		p.elements(e)
	case *event.Heat:
		if e.Map.Value != nil {
			p.sums(e.Elements(), e.Message.Sep)
		}
	case *event.Table:
		t := grids{p.folded.p}.table(e)
		p.add(p.table(e.Message.Span, "", t), e.Time(), &pageRow{lines: t.texts(), more: t.more})
	case *event.Record:
		if len(e.Message.Columns) > 0 {
			t := grids{p.folded.p}.record(e)
			b := p.table(e.Message.Span, "", t)
			b.kind = pageList
			p.add(b, e.Time, &pageRow{lines: t.texts()})
		} else {
			p.tell(e)
		}
	default:
		p.tell(e)
	}
}

// tell adds an event to the lines.
func (p *Page) tell(e event.Event) {
	p.folded.text.Event(e)
	p.folded.text.Flush()
	p.say()
}

// say takes what has been written to lines.
func (p *Page) say() {
	row := &pageRow{}
	for line := range strings.Lines(p.lines.String()) {
		if line = withoutControls(line); line != "" {
			row.lines = append(row.lines, []string{line})
		}
	}
	p.lines.Reset()
	if len(row.lines) > 0 {
		p.add(p.log, time.Time{}, row)
	}
}

// texts are the cells of a table.
func (g *grid) texts() [][]string {
	rows := make([][]string, len(g.rows))
	for i, row := range g.rows {
		for _, cell := range row {
			rows[i] = append(rows[i], cell.text)
		}
	}
	return rows
}

// block is that of a map or of the place in the script that shows a table.
func (p *Page) block(id any, kind pageKind) *pageBlock {
	b := p.byID[id]
	if b == nil {
		b = &pageBlock{id: id, kind: kind}
		p.byID[id], p.blocks = b, append(p.blocks, b)
	}
	return b
}

func (p *Page) table(id any, name string, t grid) *pageBlock {
	b := p.block(id, pageTable)
	b.name, b.columns = name, t.columns
	return b
}

// elements shows a map: counts of buckets or stacks, a table of numbers, or lines.
func (p *Page) elements(e *event.Map) {
	m, div := e.Map, &p.folded.p.div
	if m.Value == nil {
		return
	}
	r, shape := e.Elements(true), mapShape(m)
	if len(r.Entries) == 0 && p.byID[m] == nil { // other options fill it
		return
	}
	if !byStack(m) { // their unit is that of the whole number
		*div = divisor(e.Div)
	}
	defer func() { *div = 0 }()
	switch g := (grids{p.folded.p}); {
	case shape == types.Buckets, byStack(m):
		p.sums(r, "")
	case shape == types.Series, shape == types.Ranking:
		row := &pageRow{}
		for _, line := range g.charts(r) {
			row.lines = append(row.lines, []string{line})
		}
		p.add(p.table(m, m.Name, grid{}), r.Time, row)
	default:
		t := g.numbers(r, shape)
		p.add(p.table(m, m.Name, t), r.Time, &pageRow{lines: t.texts(), more: t.more})
	}
}

// sums adds what histograms or stacks have counted since they were shown.
func (p *Page) sums(r event.Elements, unit string) {
	m, text := r.Map, p.folded.p
	counts := map[pageCell]int64{}
	var b *pageBlock
	if byStack(m) {
		kind := sampleType(m)
		if b = p.block(m, pageStacks); b.tree == nil {
			b.name, b.unit, b.tree = m.Name, kind.unit, newStackTree(&p.names)
		}
		for i := range r.Entries {
			if n := p.folded.change(r.Value(i)); n != 0 {
				line, _ := p.folded.fold(r.Key(i))
				counts[pageCell{b.tree.leaf(line), 0}] += n
			}
		}
	} else {
		b = p.block(m, pageHist)
		b.kind, b.name = pageHist, m.Name // as a quantile() is a table until heat() shows it
		if s := m.Schema; unit != "" {
			b.unit = unit
		} else if s != nil && len(s.Fields) > s.Keys && b.unit == "" {
			b.unit = s.Fields[s.Keys].Unit.String()
		}
		for i := range r.Entries {
			h := r.Value(i).Histogram()
			if b.scale == nil {
				if b.scale = []int64{int64(h.Agg.K)}; h.Linear {
					b.scale = []int64{h.Agg.Min, h.Agg.Max, h.Agg.Step}
				}
			}
			key := ""
			if m.Key != nil {
				text.div.undivided(func() { key = oneLine(text.key(nil, r.Key(i))) })
			}
			of := p.names.number(key)
			for bucket := range h.Counts {
				if n := text.div.bucket(h, bucket); n > 0 {
					counts[pageCell{of, int32(bucket)}] += int64(n)
				}
			}
		}
	}
	if !isEmptied(text.obj, m) {
		counts = b.since(counts, r.Emptied, m.Value.Kind.IsNumber() && value.Value{Type: m.Value}.Signed())
	}
	p.add(b, r.Time, &pageRow{counts: counts})
}

// isEmptied reports whether a clause of the script shows a map and empties it, so that it shows what was counted since.
func isEmptied(obj *object.Object, m *object.Map) bool {
	shown := map[int]bool{} // by clause
	for _, msg := range obj.Messages {
		shown[msg.Clause] = shown[msg.Clause] || msg.Map == m.ID && (msg.Kind == object.MsgPrintMap || msg.Kind == object.MsgHeat)
	}
	return m.Turns != nil || slices.ContainsFunc(obj.Messages, func(msg *object.Message) bool {
		return msg.Map == m.ID && (msg.Kind == object.MsgDrain || shown[msg.Clause] && (msg.Kind == object.MsgClear || msg.Kind == object.MsgZero))
	})
}

// since is what has been counted since the last time, when the sums were the last ones, or since the map was emptied. What is
// less than it was has begun anew, as its key was deleted; numbers with a sign may also have become less.
func (b *pageBlock) since(sums map[pageCell]int64, emptied int, signed bool) map[pageCell]int64 {
	if emptied != b.emptied {
		b.last, b.emptied = nil, emptied
	}
	anew, counts := map[int32]bool{}, map[pageCell]int64{}
	for cell, n := range b.last {
		_, known := sums[cell]
		switch {
		case signed && !known:
			counts[cell] = -n
		case !signed && sums[cell] < n:
			anew[cell.of] = true
		}
	}
	for cell, n := range sums {
		if !anew[cell.of] {
			n -= b.last[cell]
		}
		if n != 0 {
			counts[cell] = n
		}
	}
	b.last = sums
	return counts
}

// add adds a row to a block, of the present if its time is not known.
func (p *Page) add(b *pageBlock, at time.Time, row *pageRow) {
	if at.IsZero() {
		at = p.folded.p.now()
	}
	p.past.seq++
	row.id, row.seq, row.at = p.past.seq, p.past.seq, at
	row.measure()
	n, apart := len(b.rows)-1, time.Duration(0)
	if p.past.live {
		apart = pageApart
	}
	switch {
	case n >= 0 && b.kind == pageList && at.Sub(b.rows[n].at) < pageApart:
		last := b.rows[n]
		last.lines, last.seq = append(last.lines, row.lines...), row.seq
		p.past.bytes -= last.bytes
		last.bytes += row.bytes
		if len(last.lines) > 2*liveRows {
			last.lines = slices.Clone(last.lines[len(last.lines)-liveRows:])
			last.measure()
		}
		p.past.bytes += last.bytes
	case n >= 0 && at.Sub(b.rows[n].at) < apart:
		merged := b.merge(b.rows[n], row)
		merged.id, merged.at = b.rows[n].id, b.rows[n].at // rows are so far apart as others come
		p.past.bytes += merged.bytes - b.rows[n].bytes
		b.rows[n] = merged
	default:
		b.rows = append(b.rows, row)
		p.past.bytes += row.bytes
	}
	for b.kind == pageList && len(b.rows) > 1 && b.later() >= liveRows {
		p.fold(b)
	}
	if p.past.live {
		for len(b.rows) > 1 && at.Sub(b.rows[1].at) > pagePeriod {
			p.fold(b)
		}
	} else if len(b.rows) > 2*pageRows {
		p.halve(b)
	}
	for p.past.bytes > pageBytes {
		most := slices.MaxFunc(p.blocks, func(a, b *pageBlock) int { return len(a.rows) - len(b.rows) })
		switch {
		case len(most.rows) < 2:
			return // as much as the maps themselves
		case p.past.live:
			p.fold(most)
		default:
			p.halve(most)
		}
	}
}

// later is how many lines there are behind the first row.
func (b *pageBlock) later() (n int) {
	for _, row := range b.rows[1:] {
		n += len(row.lines)
	}
	return n
}

// fold makes the two oldest rows one; of lines the oldest are dropped.
func (p *Page) fold(b *pageBlock) {
	first := b.rows[1]
	p.past.gone = max(p.past.gone, b.rows[0].seq, first.seq)
	p.past.bytes -= b.rows[0].bytes + first.bytes
	if b.kind == pageHist || b.kind == pageStacks {
		first = b.merge(b.rows[0], first)
	}
	p.past.bytes += first.bytes
	b.rows = append([]*pageRow{first}, b.rows[2:]...)
}

// halve makes rows one two by two.
func (p *Page) halve(b *pageBlock) {
	for _, row := range b.rows {
		p.past.bytes -= row.bytes
	}
	b.rows = b.halved(b.rows)
	for _, row := range b.rows {
		p.past.bytes += row.bytes
	}
}

func (b *pageBlock) halved(rows []*pageRow) (list []*pageRow) {
	for pair := range slices.Chunk(rows, 2) {
		if len(pair) == 2 {
			pair[0] = b.merge(pair[0], pair[1])
		}
		list = append(list, pair[0])
	}
	return list
}

// merge makes one row of two, which has the later one's time.
func (b *pageBlock) merge(first, second *pageRow) *pageRow {
	row := *second
	switch b.kind {
	case pageHist, pageStacks:
		row.counts = maps.Clone(first.counts)
		if row.counts == nil {
			row.counts = map[pageCell]int64{}
		}
		for cell, n := range second.counts {
			row.counts[cell] += n
		}
	case pageList:
		row.lines = slices.Concat(first.lines, second.lines)
		row.lines = row.lines[max(0, len(row.lines)-liveRows):]
	}
	row.measure()
	return &row
}

// measure finds how much memory a row takes, about.
func (r *pageRow) measure() {
	r.bytes = 128 + 48*len(r.counts)
	for _, line := range r.lines {
		for _, text := range line {
			r.bytes += 16 + len(text)
		}
	}
}

// End implements event.Ender: the session is over, and a page that is to be written is.
func (p *Page) End() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.past.over = true
	p.past.seq++
	if p.out == nil {
		return nil
	}
	page, err := p.since(pageKnown{}).written()
	if err == nil {
		_, err = p.out.Write(page)
	}
	return err
}
