package expand

import (
	"strings"

	"fst/lang/ast"
)

// timeColumns are the columns of row() and table() that show times: "LAT %9T"
// takes nanoseconds, shows them in the unit that the user asks for, as unit()
// does, and says so in its heading, which becomes "LAT(us)". They stand for
// "LAT(us) %9d" and a division by unit().
func (c *copier) timeColumns(x *ast.Call) *ast.Call {
	if x.Name != "row" && x.Name != "table" || len(x.Args) == 0 {
		return x
	}
	format, ok := x.Args[0].(*ast.StringLit)
	if !ok {
		return x
	}
	text, times, conversions := timeFormat(format.Value, c.e.opts.unit())
	if times == nil {
		return x
	}
	n := *x
	n.Args = append([]ast.Expr(nil), x.Args...)
	plain := *format
	plain.Value = text
	n.Args[0] = &plain
	first := 1 // the argument of the first conversion
	if x.Name == "table" {
		first = len(x.Args) - conversions // the parts of the key come before
	}
	for _, i := range times {
		if at := first + i; at >= 1 && at < len(n.Args) {
			place := ast.At{Span: n.Args[at].Pos()}
			n.Args[at] = &ast.Binary{At: place, Op: "/", OpSpan: place.Span, X: n.Args[at],
				Y: &ast.Call{At: place, Name: "unit", NameSpan: place.Span}}
		}
	}
	return &n
}

// HasTimes reports whether a call has columns of times.
func HasTimes(x *ast.Call) bool {
	if (x.Name == "row" || x.Name == "table") && len(x.Args) > 0 {
		if format, ok := x.Args[0].(*ast.StringLit); ok {
			_, times, _ := timeFormat(format.Value, "")
			return times != nil
		}
	}
	return false
}

// timeFormat replaces the conversions %T of a format, and names the unit behind
// the word before them. times are their indexes among all conversions.
func timeFormat(format, unit string) (text string, times []int, conversions int) {
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
			words := strings.TrimRight(b.String(), " ")
			b.Reset()
			b.WriteString(words + "(" + unit + ") " + format[i:end] + "d")
			times = append(times, conversions)
			end++
		} else {
			b.WriteString(format[i:end])
		}
		conversions++
		i = end
	}
	return b.String(), times, conversions
}

// unit is the unit of times that the user asks for: that of unit().
func (o Options) unit() string {
	for _, u := range []string{"ns", "ms", "us"} {
		if word, given := o.Named[u]; given && word != "false" && word != "0" {
			return u
		}
	}
	return "us"
}
