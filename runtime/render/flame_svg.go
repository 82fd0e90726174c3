package render

import (
	"fmt"
	"hash/fnv"
	"html"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fst/compiler/object"
)

// FlameSVG shows maps by stack as a still flame graph, an SVG image that is written at the end: one graph above the
// other. Frames that are narrower than a tenth of a pixel are not drawn.
type FlameSVG struct {
	*stackMaps[string]
	out io.Writer
}

// NewFlameSVG returns a sink that writes an image to out when it ends, and all else to errs.
func NewFlameSVG(out, errs io.Writer, obj *object.Object, opts Options) FlameSVG {
	return FlameSVG{newStackMaps(newFolder(errs, errs, obj, opts), (*folder).keyLine), out}
}

const (
	svgWidth  = 1200
	svgMargin = 10
	svgRow    = 17
	svgLetter = 6.7 // how wide one is
	svgLeast  = 0.1
)

// End implements event.Ender.
func (f FlameSVG) End() error {
	var frames strings.Builder
	y := svgMargin
	line := func(text string) {
		fmt.Fprintf(&frames, `<text x="%d" y="%d" class="title">%s</text>`+"\n", svgMargin, y+svgRow-4, xmlText(text))
		y += svgRow + svgMargin
	}
	if len(f.maps) == 0 {
		line("No map with stacks in its keys was shown.")
	}
	for i, m := range f.maps {
		kind, tree := sampleType(m), newStackTree(&texts{})
		d := svgDrawing{to: &frames, unit: kind.unit}
		own := map[int32]uint64{}
		for _, w := range f.inOrder(i) {
			own[tree.leaf(w.of)] += uint64(w.weight)
		}
		d.sums = weights(tree.nodes, func(add func(int32, uint64)) {
			for node, n := range own {
				add(node, n)
			}
		})
		line(strings.TrimSuffix(fmt.Sprintf("%s: %d %s", kind.name, d.sums[0], kind.unit), " count"))
		d.scale = float64(svgWidth-2*svgMargin) / math.Max(1, float64(d.sums[0]))
		d.arrange(tree)
		depth := d.depth(0)
		d.bottom = y + (depth-1)*svgRow
		d.frame(0, svgMargin, 0)
		y += depth*svgRow + 2*svgMargin
	}
	_, err := fmt.Fprintf(f.out, `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="ui-monospace, monospace" font-size="11">
<style>.title { font: 14px sans-serif; fill: #1c1c1c } rect { stroke: #fff; stroke-width: 0.5 } text { fill: #1c1c1c; pointer-events: none }</style>
<rect width="100%%" height="100%%" fill="#fff"/>
%s</svg>
`, svgWidth, y, svgWidth, y, &frames)
	return err
}

// svgDrawing draws one graph.
type svgDrawing struct {
	to     *strings.Builder
	names  []string // of the nodes
	sums   []uint64 // what they weigh
	called [][]int32
	unit   string
	scale  float64 // pixels for each unit of weight
	bottom int     // where the outermost frames are
}

// arrange orders the frames that each called by name, as flame graphs do: like frames of two runs are in like places.
func (d *svgDrawing) arrange(tree *stackTree) {
	d.called = make([][]int32, len(tree.nodes))
	for i, n := range tree.nodes {
		d.names = append(d.names, tree.names.all[n.name])
		if i > 0 {
			d.called[n.above] = append(d.called[n.above], int32(i))
		}
	}
	for _, list := range d.called {
		slices.SortFunc(list, func(a, b int32) int { return strings.Compare(d.names[a], d.names[b]) })
	}
}

// depth is how many rows a frame needs with what is drawn above it.
func (d *svgDrawing) depth(n int32) int {
	most := 0
	for _, below := range d.called[n] {
		if float64(d.sums[below])*d.scale >= svgLeast {
			most = max(most, d.depth(below))
		}
	}
	return most + 1
}

func (d *svgDrawing) frame(n int32, x float64, row int) {
	width := float64(d.sums[n]) * d.scale
	if width < svgLeast {
		return
	}
	name, y := d.names[n], d.bottom-row*svgRow
	fmt.Fprintf(d.to, `<g><title>%s: %d %s, %.2f %%</title><rect x="%s" y="%d" width="%s" height="%d" fill="%s"/>`, xmlText(name), d.sums[n], d.unit,
		100*float64(d.sums[n])/float64(d.sums[0]), pixels(x), y, pixels(width), svgRow-1, svgColor(name))
	if letters := int((width - 6) / svgLetter); letters >= 3 {
		if utf8.RuneCountInString(name) > letters {
			name = string([]rune(name)[:letters-1]) + "…"
		}
		fmt.Fprintf(d.to, `<text x="%s" y="%d">%s</text>`, pixels(x+3), y+svgRow-5, xmlText(name))
	}
	d.to.WriteString("</g>\n")
	for _, below := range d.called[n] {
		d.frame(below, x, row+1)
		x += float64(d.sums[below]) * d.scale
	}
}

func pixels(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// svgColor is that of a function: the kernel is blue, programs are orange.
func svgColor(name string) string {
	h := fnv.New32a()
	io.WriteString(h, name)
	hash := h.Sum32()
	hue := 12 + hash%40
	if strings.HasSuffix(name, "_[k]") {
		hue = 195 + hash%40
	}
	return fmt.Sprintf("hsl(%d,%d%%,72%%)", hue, 55+hash/64%20)
}

// xmlText is a text within XML, which has not all characters.
func xmlText(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' || r == utf8.RuneError || r == 0xFFFE || r == 0xFFFF {
			return '?'
		}
		return r
	}, text))
}
