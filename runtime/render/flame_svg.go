package render

import (
	"fmt"
	"hash/fnv"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"fst/compiler/object"
)

// FlameSVG shows maps by stack as a still flame graph, an SVG image that is written at the end: one graph above the
// other. Frames that are narrower than a tenth of a pixel are not drawn.
type FlameSVG struct{ *Flame }

// NewFlameSVG returns a sink that writes an image to out when it ends, and all else to errs.
func NewFlameSVG(out, errs io.Writer, obj *object.Object, opts Options) FlameSVG {
	return FlameSVG{NewFlame(out, errs, obj, opts)}
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
	names, graphs := f.graphs()
	y := svgMargin
	line := func(text string) {
		fmt.Fprintf(&frames, `<text x="%d" y="%d" class="title">%s</text>`+"\n", svgMargin, y+svgRow-4, xmlText(text))
		y += svgRow + svgMargin
	}
	if len(graphs) == 0 {
		line("No map with stacks in its keys was shown.")
	}
	for _, g := range graphs {
		line(strings.TrimSuffix(fmt.Sprintf("%s: %d %s", g.Name, g.root.weight, g.Unit), " count"))
		d := svgDrawing{to: &frames, names: names.all, root: g.root, unit: g.Unit, scale: float64(svgWidth-2*svgMargin) / math.Max(1, float64(g.root.weight))}
		depth := d.depth(g.root)
		d.bottom = y + (depth-1)*svgRow
		d.frame(g.root, svgMargin, 0)
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
	names  []string
	root   *flameNode
	unit   string
	scale  float64 // pixels for each unit of weight
	bottom int     // where the outermost frames are
}

// depth is how many rows a frame needs with what is drawn above it.
func (d *svgDrawing) depth(n *flameNode) int {
	most := 0
	for _, below := range n.below {
		if float64(below.weight)*d.scale >= svgLeast {
			most = max(most, d.depth(below))
		}
	}
	return most + 1
}

func (d *svgDrawing) frame(n *flameNode, x float64, row int) {
	width := float64(n.weight) * d.scale
	if width < svgLeast {
		return
	}
	name, y := d.names[n.name], d.bottom-row*svgRow
	fmt.Fprintf(d.to, `<g><title>%s: %d %s, %.2f %%</title><rect x="%s" y="%d" width="%s" height="%d" fill="%s"/>`, xmlText(name), n.weight, d.unit,
		100*float64(n.weight)/float64(d.root.weight), pixels(x), y, pixels(width), svgRow-1, svgColor(name))
	if letters := int((width - 6) / svgLetter); letters >= 3 {
		if utf8.RuneCountInString(name) > letters {
			name = string([]rune(name)[:letters-1]) + "…"
		}
		fmt.Fprintf(d.to, `<text x="%s" y="%d">%s</text>`, pixels(x+3), y+svgRow-5, xmlText(name))
	}
	d.to.WriteString("</g>\n")
	for _, below := range n.below {
		d.frame(below, x, row+1)
		x += float64(below.weight) * d.scale
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
