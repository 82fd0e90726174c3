package render

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// pageHTML is the page without its data, which are put into its first "DATA". Its script draws the data and, if they are
// those of a session that runs, asks for what is new.
//
//go:embed page.html
var pageHTML string

// pageLimit is how large a page that is written may become, in bytes.
const pageLimit = 500_000

// pageDocument is what the script of the page reads: all that there is, or what is new.
type pageDocument struct {
	Title string `json:"title"`
	Live  bool   `json:"live,omitempty"` // there is more to ask for
	Over  bool   `json:"over,omitempty"` // there was
	Seq   uint64 `json:"seq"`
	// Full: all that the reader knows is to be forgotten. Otherwise names and nodes follow those that it knows.
	Full   bool            `json:"full,omitempty"`
	Names  []string        `json:"names"`
	Blocks []documentBlock `json:"blocks"`
}

type documentBlock struct {
	Kind    pageKind         `json:"kind"`
	Name    string           `json:"name"`
	Unit    string           `json:"unit,omitempty"`
	Scale   []int64          `json:"scale,omitempty"`
	Columns []documentColumn `json:"columns,omitempty"`
	Nodes   []int32          `json:"nodes,omitempty"` // of a tree of stacks: the node that called each, and its name
	Least   uint64           `json:"least,omitempty"` // frames that weigh less are merged with their neighbours
	First   uint64           `json:"first"`           // the number of the first row that there still is: those before it are in it
	Rows    []documentRow    `json:"rows"`
	Before  []uint64         `json:"before,omitempty"`
}

type documentColumn struct {
	Name   string `json:"name"`
	Number bool   `json:"number,omitempty"`
}

type documentRow struct {
	ID     uint64     `json:"id"`
	At     int64      `json:"at"`               // milliseconds since 1970
	Counts []int64    `json:"counts,omitempty"` // of histograms: a name, a bucket and a count each; of stacks: a node and a weight
	Lines  [][]string `json:"lines,omitempty"`
	More   int        `json:"more,omitempty"`
}

// pageKnown is what a reader of a live page has.
type pageKnown struct {
	seq   uint64
	names int
	nodes []int // of each block
}

// pageDraft is a copy of what is new of a page, which is written while others come.
type pageDraft struct {
	head   pageDocument
	names  []string // all
	blocks []draftBlock
}

// draftBlock is what is new of a block.
type draftBlock struct {
	pageBlock
	rows  []*pageRow
	nodes []stackNode // all
	known int         // how many of them the reader has
}

// since is what is new for a reader.
func (p *Page) since(known pageKnown) *pageDraft {
	if known.seq == 0 || known.seq < p.past.gone || known.seq > p.past.seq || known.names > len(p.names.all) {
		known = pageKnown{}
	}
	d := &pageDraft{names: p.names.all, head: pageDocument{Title: p.title, Live: p.past.live && !p.past.over, Over: p.past.live && p.past.over,
		Seq: p.past.seq, Full: known.seq == 0, Names: p.names.all[known.names:]}}
	for i, b := range p.blocks {
		block := draftBlock{pageBlock: *b}
		if b.tree != nil {
			block.nodes = b.tree.nodes
			if i < len(known.nodes) {
				block.known = min(known.nodes[i], len(block.nodes))
			}
		}
		for _, row := range b.rows {
			if row.seq > known.seq {
				copied := *row
				block.rows = append(block.rows, &copied)
			}
		}
		d.blocks = append(d.blocks, block)
	}
	return d
}

// Data is what is new for the reader of a live page who knows what an earlier answer has said: the number of the
// last row, how many names, and how many nodes of each block, with points between them. It is all that there is, if known
// is empty or from another session.
func (p *Page) Data(known string) ([]byte, error) {
	k, ok := pageKnown{}, true
	for i, text := range strings.Split(known, ".") {
		n, err := strconv.ParseUint(text, 10, 31)
		switch ok = ok && err == nil; i {
		case 0:
			k.seq = n
		case 1:
			k.names = int(n)
		default:
			k.nodes = append(k.nodes, int(n))
		}
	}
	if !ok {
		k = pageKnown{}
	}
	p.mu.Lock()
	d := p.since(k)
	p.mu.Unlock()
	return json.Marshal(d.whole())
}

// HTML is the page of a session that runs, with what there is now.
func (p *Page) HTML() ([]byte, error) {
	data, err := p.Data("")
	if err != nil {
		return nil, err
	}
	return pageOf(data), nil
}

// pageOf is a page with data, and the policy that no other script runs in it.
func pageOf(data []byte) []byte {
	before, rest, _ := strings.Cut(pageHTML, "DATA")
	_, script, _ := strings.Cut(rest, "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	sum := sha256.Sum256([]byte(script))
	before = strings.Replace(before, "SCRIPT", "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'", 1)
	return slices.Concat([]byte(before), data, []byte(rest))
}

// whole is a draft as it is.
func (d *pageDraft) whole() pageDocument {
	doc := d.head
	for i := range d.blocks {
		b := &d.blocks[i]
		block := b.document(b.rows)
		for _, n := range b.nodes[b.known:] {
			block.Nodes = append(block.Nodes, n.above, n.name)
		}
		doc.Blocks = append(doc.Blocks, block)
	}
	return doc
}

// document is a block with rows.
func (b *pageBlock) document(rows []*pageRow) documentBlock {
	block := documentBlock{Kind: b.kind, Name: b.name, Unit: b.unit, Scale: b.scale, Rows: []documentRow{}, Before: b.before}
	for _, c := range b.columns {
		block.Columns = append(block.Columns, documentColumn{c.name, c.right})
	}
	if len(b.rows) > 0 {
		block.First = b.rows[0].id
	}
	for _, r := range rows {
		row := documentRow{ID: r.id, At: r.at.UnixMilli(), Lines: r.lines, More: r.more}
		for _, cell := range slices.SortedFunc(maps.Keys(r.counts), func(a, b pageCell) int {
			return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.bucket, b.bucket))
		}) {
			row.Counts = append(row.Counts, int64(cell.of))
			if b.kind == pageHist {
				row.Counts = append(row.Counts, int64(cell.bucket))
			}
			row.Counts = append(row.Counts, r.counts[cell])
		}
		block.Rows = append(block.Rows, row)
	}
	return block
}

// written is a page that is not too large: what is too much is tried again with fewer times, keys and lines, and
// without the frames that few pixels would show. Sums stay what they are.
func (d *pageDraft) written() ([]byte, error) {
	for level := 0; ; level++ {
		data, err := json.Marshal(d.smaller(level))
		if err != nil { // there is no such value
			return nil, err
		}
		if page := pageOf(data); len(page) <= pageLimit || level == pageLevels {
			return page, nil
		}
	}
}

const (
	// pageLevels is how often a page is made smaller by half.
	pageLevels = 16
	// otherKeys is the name of those that are merged.
	otherKeys = "(other keys)"
)

// smaller is a draft with half as much of each block as at the level before.
func (d *pageDraft) smaller(level int) pageDocument {
	doc, names := d.head, &texts{}
	for i := range d.blocks {
		b := d.blocks[i]
		for len(b.rows) > max(1, 4*pageRows>>level) {
			b.rows = b.halved(b.rows)
		}
		var block documentBlock
		switch b.kind {
		case pageStacks:
			block = b.smallerTree(level, d.names, names)
		case pageHist:
			block = b.document(b.fewerKeys(max(4, 8192>>level), d.names, names))
		default:
			block = b.document(b.fewerLines(max(10, 4096>>level)))
		}
		doc.Blocks = append(doc.Blocks, block)
	}
	doc.Names = append([]string{}, names.all...)
	return doc
}

// counted are rows with other cells.
func counted(rows []*pageRow, cell func(pageCell) pageCell) (list []*pageRow) {
	for _, row := range rows {
		copied := *row
		copied.counts = map[pageCell]int64{}
		for c, n := range row.counts {
			copied.counts[cell(c)] += n
		}
		list = append(list, &copied)
	}
	return list
}

// fewerKeys are rows with the keys that counted most.
func (b *draftBlock) fewerKeys(most int, all []string, names *texts) []*pageRow {
	totals := map[int32]int64{}
	for _, row := range b.rows {
		for c, n := range row.counts {
			totals[c.of] += n
		}
	}
	keys := slices.SortedFunc(maps.Keys(totals), func(a, b int32) int {
		return cmp.Or(cmp.Compare(totals[b], totals[a]), cmp.Compare(a, b))
	})
	number := map[int32]int32{}
	for i, key := range keys {
		if i < most {
			number[key] = names.number(all[key])
		} else {
			number[key] = names.number(otherKeys)
		}
	}
	return counted(b.rows, func(c pageCell) pageCell { return pageCell{number[c.of], c.bucket} })
}

// fewerLines are rows with the first lines of a table, or the last that came.
func (b *draftBlock) fewerLines(most int) (list []*pageRow) {
	for _, row := range b.rows {
		copied := *row
		switch rest := len(row.lines) - most; {
		case rest <= 0:
		case b.kind == pageList:
			copied.lines = row.lines[rest:]
		default:
			copied.lines, copied.more = row.lines[:most], row.more+rest
		}
		list = append(list, &copied)
	}
	return list
}

// smallerTree is a block of stacks without frames that are too narrow. They are one with others that the same function called.
func (b *draftBlock) smallerTree(level int, all []string, names *texts) documentBlock {
	sums := weights(b.nodes, func(add func(int32, uint64)) {
		own := map[int32]int64{}
		for _, row := range b.rows {
			for c, n := range row.counts {
				own[c.of] += n
			}
		}
		for node, n := range own {
			add(node, uint64(max(n, 0)))
		}
	})
	least := uint64(0)
	if level > 0 {
		least = sums[0]/(1<<17>>level) + 1
	}
	tree, place := newStackTree(names), make([]int32, len(b.nodes))
	merged := make([]bool, len(b.nodes))
	for i, n := range b.nodes {
		switch {
		case i == 0:
		case merged[n.above]:
			place[i], merged[i] = place[n.above], true
		case sums[i] < least:
			place[i], merged[i] = tree.below(place[n.above], others), true
		default:
			place[i] = tree.below(place[n.above], all[n.name])
		}
	}
	before := b.before
	b.before = nil
	sum := map[int32]uint64{}
	for pair := range slices.Chunk(before, 2) {
		sum[place[pair[0]]] += pair[1]
	}
	for _, node := range slices.Sorted(maps.Keys(sum)) {
		b.before = append(b.before, uint64(node), sum[node])
	}
	block := b.document(counted(b.rows, func(c pageCell) pageCell { return pageCell{place[c.of], 0} }))
	block.Least = least
	for _, n := range tree.nodes {
		block.Nodes = append(block.Nodes, n.above, n.name)
	}
	return block
}
