package render

import (
	"strings"

	"fst/lang/printable"
	"fst/lang/source"
)

// place is where a span of the script is, for messages.
type place struct {
	file      string
	line, col int
	endCol    int // 0 if the span ends on another line
	source    string
}

func (n *notes) spot(sp source.Span) (pl place, ok bool) {
	if n.obj.Sources == nil || !sp.IsValid() {
		return pl, false
	}
	start, end := n.obj.Sources.Position(sp.Start), n.obj.Sources.Position(sp.End)
	if start.File == nil {
		return pl, false
	}
	pl = place{file: start.File.Name, line: start.Line, col: start.Col, source: start.File.Line(start.Line)}
	if end.File == start.File && end.Line == start.Line {
		pl.endCol = end.Col
	}
	return pl, true
}

// prefix is "file:line:col-col: ".
func (n *notes) prefix(sp source.Span) string {
	if n.obj.Sources == nil {
		return ""
	}
	if place := n.obj.Sources.Place(sp); place != "" {
		return printable.Lines(place) + ": "
	}
	return ""
}

// quote is the source line of a span with the span underlined.
func (n *notes) quote(sp source.Span) string {
	pl, ok := n.spot(sp)
	if !ok {
		return ""
	}
	end := pl.endCol
	if end == 0 {
		end = len(pl.source) + 1
	}
	var margin strings.Builder
	for _, c := range []byte(pl.source[:min(pl.col-1, len(pl.source))]) {
		if c != '\t' {
			c = ' '
		}
		margin.WriteByte(c)
	}
	return pl.source + "\n" + margin.String() + strings.Repeat("~", max(1, end-pl.col)) + "\n"
}
