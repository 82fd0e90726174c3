package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"fst/lang/printable"
	"fst/lang/source"
)

// Renderer shows diagnostics to people: where, what, the line with the exact
// place underlined, a hint and notes.
//
//	FILE:LINE:COL-COL: ERROR: MESSAGE
//	  LINE | source line
//	       | ^~~~~
//	  hint: ...
//	  FILE:LINE:COL-COL: note: ...
type Renderer struct {
	Set   *source.Set
	Color bool // use the terminal's colours
	Width int  // columns of the terminal; 0: 100
	Max   int  // at most so many diagnostics; 0: MaxShown
}

// MaxShown is how many diagnostics of a script are shown; the rest are counted.
const MaxShown = 20

const (
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	plain  = "\x1b[0m"
)

// tabWidth is how many columns a tab in a source line is shown with.
const tabWidth = 4

// Render writes all diagnostics of a list, in its order. It does not change
// the list; call l.Sort first for the order of the text.
func (r *Renderer) Render(w io.Writer, l *List) {
	out := bufio.NewWriter(w)
	defer out.Flush()
	most := r.Max
	if most <= 0 {
		most = MaxShown
	}
	for i := range l.All {
		if i == most {
			fmt.Fprintln(out, More(l.All[i:]))
			return
		}
		r.one(out, &l.All[i])
	}
}

// More counts the diagnostics that are not shown: "and 2 more errors". Warnings are
// not worth a word beside errors.
func More(rest []Diagnostic) string {
	errors := 0
	for _, d := range rest {
		if d.Severity == Error {
			errors++
		}
	}
	if errors > 0 {
		return "and " + Plural(errors, "more error")
	}
	return "and " + Plural(len(rest), "more warning")
}

// Plural counts things: "1 key", "2 keys".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (r *Renderer) paint(color, s string) string {
	if !r.Color {
		return s
	}
	return color + s + plain
}

func (r *Renderer) one(w io.Writer, d *Diagnostic) {
	kind, color := "ERROR", red
	if d.Severity == Warning {
		kind, color = "WARNING", yellow
	}
	main, notes := d.Span, d.Notes
	if r.Set != nil {
		main, notes = d.Places(r.Set)
	}
	fmt.Fprintf(w, "%s%s %s\n", r.paint(bold, r.place(main)), r.paint(color, kind+":"), r.paint(bold, oneLine(d.Message)))
	r.excerpt(w, main, color)
	if d.Hint != "" {
		fmt.Fprintf(w, "  %s %s\n", r.paint(bold, "hint:"), oneLine(d.Hint))
	}
	for _, n := range notes {
		fmt.Fprintf(w, "  %s%s %s\n", r.place(n.Span), r.paint(bold, "note:"), oneLine(n.Message))
		r.excerpt(w, n.Span, dim)
	}
}

// place is "FILE:LINE:COL-COL: ", or nothing if sp points nowhere.
func (r *Renderer) place(sp source.Span) string {
	if r.Set == nil {
		return ""
	}
	if place := r.Set.Place(sp); place != "" {
		return printable.Lines(place) + ": "
	}
	return ""
}

// oneLine keeps control characters of a script, and of names, out of the terminal, and
// what would fill it.
func oneLine(s string) string {
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage/2], "") + " ... " + strings.ToValidUTF8(s[len(s)-maxMessage/2:], "")
	}
	return printable.Lines(strings.NewReplacer("\n", " ", "\t", " ").Replace(s))
}

// cell is a character of a source line as it is shown.
type cell struct {
	text  string
	width int
	off   int // its byte in the line
}

// cells gives the characters of a line with what a terminal can show of them:
// tabs as spaces, control characters and bad bytes as '?'.
func cells(line string) []cell {
	var out []cell
	for i := 0; i < len(line); {
		c, size := utf8.DecodeRuneInString(line[i:])
		switch {
		case c == '\t':
			out = append(out, cell{strings.Repeat(" ", tabWidth), tabWidth, i})
		case c == utf8.RuneError && size <= 1, unicode.IsControl(c):
			out = append(out, cell{"?", 1, i})
		case unicode.Is(unicode.Cf, c) && c != '\u200d':
			// What turns the direction of the text round would move the caret.
			out = append(out, cell{"?", 1, i})
		case unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf):
			out = append(out, cell{string(c), 0, i})
		case isWide(c):
			out = append(out, cell{string(c), 2, i})
		default:
			out = append(out, cell{string(c), 1, i})
		}
		i += size
	}
	return out
}

// isWide reports whether terminals show c in two columns.
func isWide(c rune) bool {
	return c >= 0x1100 && (c <= 0x115f || c >= 0x2e80 && c <= 0xa4cf || c >= 0xac00 && c <= 0xd7a3 ||
		c >= 0xf900 && c <= 0xfaff || c >= 0xfe30 && c <= 0xfe6f || c >= 0xff00 && c <= 0xff60 ||
		c >= 0xffe0 && c <= 0xffe6 || c >= 0x1f300 && c <= 0x1faff || c >= 0x20000 && c <= 0x3fffd)
}

// excerpt shows the line of a span with the span underlined, cut to the part
// round the span if the line is too long. A span of several lines is
// underlined to the end of its first.
func (r *Renderer) excerpt(w io.Writer, sp source.Span, color string) {
	if r.Set == nil || !sp.IsValid() {
		return
	}
	p := r.Set.Position(sp.Start)
	if p.File == nil {
		return
	}
	line := p.File.Line(p.Line)
	from := p.Col - 1
	to := max(from+int(sp.End-sp.Start), from+1)
	cs := cells(line)
	// Columns of the span; an empty one, or one behind the line, is one
	// column wide.
	start, end, total := -1, -1, 0
	for _, c := range cs {
		if c.off >= from && start < 0 {
			start = total
		}
		if c.off < to {
			end = total + c.width
		}
		total += c.width
	}
	if start < 0 {
		start = total
	}
	if end <= start {
		end = start + 1
	}
	gutter := fmt.Sprintf("%5d | ", p.Line)
	width := r.Width
	if width <= 0 {
		width = 100
	}
	width = max(width-len(gutter)-1, 20)
	// The window [left, right) of columns that is shown.
	left, right := 0, max(total, end)
	if right > width {
		left = max(0, start-width/3)
		if left+width > right {
			left = right - width
		}
		right = left + width
	}
	var text strings.Builder
	const dots = "..."
	col := 0
	for _, c := range cs {
		switch {
		case col < left || col+c.width > right:
		case left > 0 && col < left+len(dots), right < total && col+c.width > right-len(dots):
			// A character of two columns may stick out of the dots.
			text.WriteString(strings.Repeat(".", c.width))
		default:
			text.WriteString(c.text)
		}
		if col < left && col+c.width > left {
			text.WriteString(strings.Repeat(" ", min(col+c.width, right)-left))
		}
		col += c.width
	}
	end = min(end, right)
	mark := "^" + strings.Repeat("~", max(0, end-start-1))
	fmt.Fprintf(w, "%s%s\n", r.paint(dim, gutter), strings.TrimRight(text.String(), " "))
	fmt.Fprintf(w, "%s%s%s\n", r.paint(dim, strings.Repeat(" ", len(gutter)-2)+"| "), strings.Repeat(" ", start-left), r.paint(color, mark))
}
