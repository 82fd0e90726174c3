package expand

import (
	"strings"

	"fst/lang/ast"
)

// timeColumns are the columns of row() and table() that show times: "LAT %9T"
// takes nanoseconds, shows them in the unit that the user asks for and says so
// in its heading, which becomes "LAT(us)". They stand for "LAT(" + unit_sign() +
// ") %9d" and a division by unit(): the prelude knows the units.
func (c *copier) timeColumns(x *ast.Call) *ast.Call {
	if x.Name != "row" && x.Name != "table" || len(x.Args) == 0 {
		return x
	}
	format, ok := x.Args[0].(*ast.StringLit)
	if !ok {
		return x
	}
	texts, times, conversions := timeFormat(format.Value)
	if times == nil {
		return x
	}
	n := *x
	n.Args = append([]ast.Expr(nil), x.Args...)
	n.Args[0] = &ast.StringLit{At: format.At, Value: texts[0]}
	for _, text := range texts[1:] {
		sign := &ast.Call{At: format.At, Name: ofPrelude + "unit_sign", NameSpan: format.Span}
		n.Args[0] = join("+", join("+", n.Args[0], sign), &ast.StringLit{At: format.At, Value: text})
	}
	first := 1 // the argument of the first conversion
	if x.Name == "table" {
		first = len(x.Args) - conversions // the parts of the key come before
	}
	for _, i := range times {
		if at := first + i; at >= 1 && at < len(n.Args) {
			place := ast.At{Span: n.Args[at].Pos()}
			n.Args[at] = &ast.Binary{At: place, Op: "/", OpSpan: place.Span, X: n.Args[at],
				Y: &ast.Call{At: place, Name: ofPrelude + "unit", NameSpan: place.Span}}
		}
	}
	return &n
}

// HasTimes reports whether a call has columns of times.
func HasTimes(x *ast.Call) bool {
	if (x.Name == "row" || x.Name == "table") && len(x.Args) > 0 {
		if format, ok := x.Args[0].(*ast.StringLit); ok {
			_, times, _ := timeFormat(format.Value)
			return times != nil
		}
	}
	return false
}

// timeFormat replaces the conversions %T of a format, and cuts it in texts where the
// unit is to stand, behind the word before each of them. times are their indexes among
// all conversions.
func timeFormat(format string) (texts []string, times []int, conversions int) {
	var b strings.Builder
	for i := 0; i < len(format); {
		if format[i] != '%' || strings.HasPrefix(format[i:], "%%") {
			n := 1
			if format[i] == '%' {
				n = 2
			}
			b.WriteString(format[i : i+n])
			i += n
			continue
		}
		end := i + 1 + len(format[i+1:]) - len(strings.TrimLeft(format[i+1:], "-+ #0123456789."))
		if end < len(format) && format[end] == 'T' {
			texts = append(texts, strings.TrimRight(b.String(), " ")+"(")
			b.Reset()
			b.WriteString(") " + format[i:end] + "d")
			times = append(times, conversions)
			end++
		} else {
			b.WriteString(format[i:end])
		}
		conversions++
		i = end
	}
	return append(texts, b.String()), times, conversions
}
