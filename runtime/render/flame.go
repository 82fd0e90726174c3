package render

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/object"
)

// flamePage is the page without its data, which are put into its first "DATA".
//
//go:embed flame.html
var flamePage string

// flameLimit is how large the data of a page may become, in bytes: the page itself has
// less than 20 KB, and all of it is to have at most 500 KB.
const flameLimit = 480 << 10

// Flame shows maps by stack as a page of HTML with a flame graph, written at the end, that
// a browser opens without a network. The width of a frame is what its stacks weigh.
type Flame struct {
	*stackMaps[string]
	out io.Writer
}

// NewFlame returns a sink that writes a page to out when it ends, and all else to errs.
func NewFlame(out, errs io.Writer, obj *object.Object, opts Options) *Flame {
	f := &Flame{out: out}
	f.stackMaps = newStackMaps(errs, obj, opts, (*Folded).keyLine)
	return f
}

// flameGraph is a map as the page has it.
type flameGraph struct {
	Name  string          `json:"name"`
	Unit  string          `json:"unit"`
	Root  json.RawMessage `json:"root"`
	Least uint64          `json:"least"` // frames that weigh less are merged with their neighbours
	// Before is what all frames weigh in the other run of two that are compared.
	Before *uint64 `json:"before,omitempty"`
	root   *flameNode
}

// flameNode is a frame, and those that it called.
type flameNode struct {
	name   int // its index in the names
	weight uint64
	before uint64 // in the other run of two
	below  []*flameNode
	byName map[int]*flameNode
}

// flameNames gives names numbers.
type flameNames struct {
	all  []string
	byID map[string]int
}

func (n *flameNames) number(name string) int {
	i, known := n.byID[name]
	if !known {
		i = len(n.all)
		n.all, n.byID[name] = append(n.all, name), i
	}
	return i
}

// add adds a stack: its frames from the outermost on, and its weight, or that in the other run.
func (n *flameNode) add(frames []string, weight, before uint64, names *flameNames) {
	n.weight, n.before = n.weight+weight, n.before+before
	for _, frame := range frames {
		number := names.number(frame)
		next := n.byName[number]
		if next == nil {
			next = &flameNode{name: number, byName: map[int]*flameNode{}}
			n.byName[number] = next
			n.below = append(n.below, next)
		}
		next.weight, next.before = next.weight+weight, next.before+before
		n = next
	}
}

// others is the name of frames that are merged.
const others = "(narrower frames)"

// append adds the text of a frame to b: [name, weight, [the frames that it called], its weight in the other run]. Those that
// weigh less than least are one, without what they called. names are those of all frames, shown
// numbers those of the text.
func (n *flameNode) append(b []byte, least uint64, names []string, shown *flameNames) []byte {
	head := func(name string, weight uint64) {
		b = strconv.AppendInt(append(b, '['), int64(shown.number(name)), 10)
		b = strconv.AppendUint(append(b, ','), weight, 10)
	}
	head(names[n.name], n.weight)
	separator, rest, restBefore := ",[", uint64(0), uint64(0)
	for _, below := range n.below {
		if below.weight < least {
			rest, restBefore = rest+below.weight, restBefore+below.before
			continue
		}
		b = below.append(append(b, separator...), least, names, shown)
		separator = ","
	}
	if rest > 0 {
		b = append(b, separator...)
		head(others, rest)
		if restBefore > 0 {
			b = strconv.AppendUint(append(b, ",[],"...), restBefore, 10)
		}
		b = append(b, ']')
		separator = ","
	}
	if separator == "," {
		b = append(b, ']')
	}
	if n.before > 0 {
		if separator != "," {
			b = append(b, ",[]"...)
		}
		b = strconv.AppendUint(append(b, ','), n.before, 10)
	}
	return append(b, ']')
}

// sort orders the frames by name, as flame graphs do: like frames of two runs are in like places.
func (n *flameNode) sort(names []string) {
	slices.SortFunc(n.below, func(a, b *flameNode) int { return strings.Compare(names[a.name], names[b.name]) })
	for _, below := range n.below {
		below.sort(names)
	}
}

// graphs are those of all maps.
func (f *Flame) graphs() (names *flameNames, graphs []flameGraph) {
	names = &flameNames{byID: map[string]int{}}
	for i, m := range f.maps {
		root := &flameNode{name: names.number("all"), byName: map[int]*flameNode{}}
		for _, w := range f.values[i] {
			root.add(strings.Split(w.of, ";"), w.weight, 0, names)
		}
		root.sort(names.all)
		kind := sampleType(m)
		graphs = append(graphs, flameGraph{Name: kind.name, Unit: kind.unit, root: root})
	}
	return names, graphs
}

// End implements event.Ender.
func (f *Flame) End() error {
	names, graphs := f.graphs()
	return writeFlames(f.out, names, graphs)
}

// writeFlames writes a page.
func writeFlames(out io.Writer, names *flameNames, graphs []flameGraph) error {
	// What is too much for a page is tried again without the frames that few pixels would show.
	for part := uint64(0); ; part = cmp.Or(part*3/4, 1<<16) {
		page := struct {
			Names []string     `json:"names"`
			Maps  []flameGraph `json:"maps"`
		}{Maps: []flameGraph{}}
		shown := &flameNames{all: []string{}, byID: map[string]int{}}
		for _, g := range graphs {
			if part > 0 {
				g.Least = g.root.weight/part + 1
			}
			g.Root = g.root.append(nil, g.Least, names.all, shown)
			page.Maps = append(page.Maps, g)
		}
		page.Names = shown.all
		data, err := json.Marshal(page) // it escapes what would end a script element
		if err != nil {
			return err
		}
		if len(data) <= flameLimit || part == 1 {
			before, after, _ := strings.Cut(flamePage, "DATA")
			_, err = io.WriteString(out, before+string(data)+after)
			return err
		}
	}
}
