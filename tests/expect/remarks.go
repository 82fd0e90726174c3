package expect

import (
	"cmp"
	"slices"
	"strings"

	"fst/lang/diag"
	"fst/lang/source"
)

// Script is a script without the remarks of Remarks.
func Script(text string) (lines []string) {
	for l := range strings.SplitSeq(text, "\n") {
		if s := strings.TrimLeft(l, " "); !strings.HasPrefix(s, "^") && !strings.HasPrefix(s, "? ") {
			lines = append(lines, l)
		}
	}
	return lines
}

// remark is what is said at a place.
type remark struct {
	line, column, width int
	text, hint          string
}

// Remarks is a script with what is said about it, each remark below its line and at its place. The script's
// file has some text before the lines, of whole lines, and perhaps some behind them.
func Remarks(lines []string, before string, f *source.File, diags []diag.Diagnostic) string {
	var all []remark
	at := func(sp source.Span, text, hint string) {
		start, end := int(sp.Start-f.Base), int(sp.End-f.Base)
		if !sp.IsValid() || start < 0 || end > len(f.Text) {
			last := len(lines) - 1
			for last > 0 && lines[last] == "" {
				last--
			}
			all = append(all, remark{last, 0, 1, text, hint})
			return
		}
		line, column := strings.Count(f.Text[:start], "\n")-strings.Count(before, "\n"), start-1-strings.LastIndex(f.Text[:start], "\n")
		width := end - start
		if n := strings.IndexByte(f.Text[start:end], '\n'); n >= 0 {
			width = n
		}
		all = append(all, remark{min(line, len(lines)-1), column, max(width, 1), text, hint})
	}
	for _, d := range diags {
		text := d.Message
		if d.Severity == diag.Warning {
			text = "warning: " + text
		}
		at(d.Span, text, d.Hint)
		for _, n := range d.Notes {
			at(n.Span, "note: "+n.Message, "")
		}
	}
	slices.SortStableFunc(all, func(a, b remark) int { return cmp.Or(a.line-b.line, a.column-b.column) })
	var out []string
	for i, l := range lines {
		out = append(out, l)
		for _, r := range all {
			if r.line == i {
				out = append(out, strings.Repeat(" ", r.column)+strings.Repeat("^", r.width)+" "+r.text)
				if r.hint != "" {
					out = append(out, strings.Repeat(" ", r.column)+"? "+r.hint)
				}
			}
		}
	}
	return strings.Join(out, "\n")
}
