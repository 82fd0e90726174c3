package format

import (
	"slices"
	"sort"
	"strings"

	"fst/lang/ast"
	"fst/lang/source"
)

// width is the column that lines should not pass.
const width = 100

// printer prints the clauses and macros of a program.
type printer struct {
	set      *source.Set
	comments []*ast.Comment // those not printed yet, in order
	out      strings.Builder
	depth    int
	// left is how many more parts Expr prints, or 0 for no limit.
	left int
}

// Source gives a program its canonical form: one statement a line, indented by
// tabs, with one space round operators. What is not code (comments, blank
// lines between statements, preprocessor lines) is kept; a clause with preprocessor
// lines in it stays as it was written. A body that stands on one line stays there
// if it fits. Formatting the result again changes nothing. The program must have
// been parsed without errors from a file of set.
func Source(p *ast.Program, set *source.Set) string {
	f := set.File(p.Span.Start)
	if f == nil {
		return ""
	}
	var nodes []ast.Node
	for _, m := range p.Macros {
		nodes = append(nodes, m)
	}
	for _, c := range p.Clauses {
		nodes = append(nodes, c)
	}
	for _, d := range p.Declarations {
		nodes = append(nodes, d)
	}
	sort.SliceStable(nodes, func(i, j int) bool { return nodes[i].Pos().Start < nodes[j].Pos().Start })
	var b strings.Builder
	pos, apart := 0, false
	for i, n := range nodes {
		start, end := int(n.Pos().Start-f.Base), int(n.Pos().End-f.Base)
		if d, ok := n.(*ast.Declaration); ok {
			end = int(codeEnd(p, d, f.Text[start:end]) - f.Base)
		}
		pr := &printer{set: set}
		for _, c := range p.Comments[commentAt(p, n.Pos().Start):] {
			if c.Span.End > n.Pos().End {
				break
			}
			pr.comments = append(pr.comments, c)
		}
		switch d, ok := n.(*ast.Declaration); {
		case ok:
			pr.declared(d, f.Span(start, end))
		case slices.ContainsFunc(p.Directives, func(sp source.Span) bool { return sp.Start > n.Pos().Start && sp.End <= n.Pos().End }):
			pr.verbatim(n.Pos()) // the tree does not have them
		default:
			pr.declaration(n)
		}
		printed := strings.TrimRight(pr.out.String(), " \t\n")
		before := apart
		apart = standsApart(n, printed)
		b.WriteString(between(f.Text[pos:start], inComment(p, f.Base+source.Pos(pos)), i > 0, true, before || apart))
		b.WriteString(printed)
		pos = end
	}
	b.WriteString(between(f.Text[pos:], inComment(p, f.Base+source.Pos(pos)), len(nodes) > 0, false, false))
	out := strings.TrimLeft(strings.TrimRight(b.String(), " \t\r\n"), "\r\n")
	if out != "" {
		out += "\n"
	}
	return out
}

// inComment tells of offsets from base whether they lie within a comment.
func inComment(p *ast.Program, base source.Pos) func(offset int) bool {
	return func(offset int) bool {
		at := base + source.Pos(offset)
		i := commentAt(p, at) - 1 // the last one that starts before
		return i >= 0 && at < p.Comments[i].Span.End
	}
}

// commentAt is the index of the first comment that does not start before pos.
func commentAt(p *ast.Program, pos source.Pos) int {
	return sort.Search(len(p.Comments), func(i int) bool { return p.Comments[i].Span.Start >= pos })
}

// standsApart reports whether a blank line belongs before and behind a node as it is
// printed. Those of one line may be a list.
func standsApart(n ast.Node, printed string) bool {
	c, ok := n.(*ast.Clause)
	return strings.Contains(printed, "\n") && (!ok || c.Body != nil)
}

// between tidies the text between two declarations: no spaces at line ends, at
// most one blank line, and one blank line beside what stands apart. The
// lines of a comment stay as they are.
func between(text string, inComment func(offset int) bool, after, before, apart bool) string {
	lines := strings.Split(text, "\n")
	var kept []string
	offset, inside := 0, false // of the line
	for i, l := range lines {
		inside = inComment(offset)
		offset += len(l) + 1
		l = strings.TrimRight(l, " \t\r")
		if inside {
			kept = append(kept, l)
			continue
		}
		if i == 0 && after { // on the line where the clause before ends
			l = strings.TrimLeft(l, " \t")
			if l != "" && l[0] != ';' {
				l = " " + l
			}
		}
		if l == "" && i > 1 && i < len(lines)-1 && kept[len(kept)-1] == "" {
			continue
		}
		kept = append(kept, l)
	}
	if before && len(kept) > 0 {
		last := len(kept) - 1
		if !inside && (last > 0 || !after) {
			kept[last] = strings.TrimLeft(kept[last], " \t")
		}
		if strings.TrimSpace(text) == "" {
			switch {
			case !after:
				return ""
			case apart || len(kept) > 2:
				return "\n\n"
			default:
				return "\n"
			}
		}
		if kept[last] != "" {
			kept = append(kept, "") // the declaration gets a line of its own
		}
	}
	return strings.Join(kept, "\n")
}

// text is the source of a span, nothing where an expression is printed without it.
func (p *printer) text(sp source.Span) string {
	if p.set == nil {
		return ""
	}
	return p.set.Text(sp)
}

// commentsBefore reports whether an unprinted comment starts before pos.
func (p *printer) commentsBefore(pos source.Pos) bool {
	return len(p.comments) > 0 && p.comments[0].Span.Start < pos
}

func (p *printer) indent() {
	p.out.WriteString(strings.Repeat("\t", p.depth))
}

// function is a function up to its body.
func (p *printer) function(n *ast.Macro) string {
	typed := func(name string, t *ast.TypeExpr) string {
		if t == nil {
			return name
		}
		return name + ": " + p.typ(t)
	}
	params := make([]string, len(n.Params))
	for i, x := range n.Params {
		params[i] = typed("$"+x.(*ast.Var).Name, n.Signature.Params[i])
	}
	return typed("fn "+n.Name+"("+strings.Join(params, ", ")+")", n.Signature.Result)
}

// declaration prints a clause, macro or function.
func (p *printer) declaration(n ast.Node) {
	switch n := n.(type) {
	case *ast.Macro:
		if p.commentsBefore(n.Body.Span.Start) {
			p.verbatimHead(n.Span.Start, n.Body.Span.Start)
		} else if n.Signature != nil {
			p.out.WriteString(p.function(n))
		} else {
			p.out.WriteString("macro " + n.Name)
			if len(n.Params) > 0 || strings.Contains(p.text(source.Span{Start: n.Span.Start, End: n.Body.Span.Start}), "(") {
				p.out.WriteString("(" + p.list(n.Params) + ")")
			}
		}
		p.out.WriteString(" ")
		p.block(n.Body)
	case *ast.Clause:
		head := n.Span.End
		if n.Body != nil {
			head = n.Body.Span.Start
		}
		if p.commentsBefore(head) {
			p.verbatimHead(n.Span.Start, head)
		} else {
			p.head(n)
		}
		if n.Body != nil {
			p.out.WriteString(" ")
			p.block(n.Body)
		}
	}
}

// verbatimHead keeps a head with comments as it was written.
func (p *printer) verbatimHead(start, end source.Pos) {
	lines := strings.Split(p.text(source.Span{Start: start, End: end}), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
	}
	text := strings.TrimRight(strings.Join(lines, "\n"), "\n")
	p.out.WriteString(text)
	if strings.Contains(lines[len(lines)-1], "//") || strings.TrimSpace(lines[len(lines)-1]) == "" {
		p.out.WriteString("\n") // the '{' must not become part of a comment
	}
	for p.commentsBefore(end) {
		p.comments = p.comments[1:]
	}
}

// written is an attach point as it stands in the script. A blank that belongs to
// its end is quoted, for lines do not end with blanks.
func written(a *ast.AttachPoint) string {
	if s, ok := strings.CutSuffix(a.Raw, `\ `); ok {
		return s + `" "`
	}
	return a.Raw
}

// head prints the probes and the filter of a clause.
func (p *printer) head(c *ast.Clause) {
	var probes []string
	for _, a := range c.Probes {
		or := []string{written(a)}
		for _, o := range a.Or {
			or = append(or, written(o))
		}
		probes = append(probes, strings.Join(or, " | "))
	}
	line := strings.Join(probes, ", ")
	if len(line) > width {
		line = strings.Join(probes, ",\n")
	}
	p.out.WriteString(line)
	if c.Filter != nil {
		filter := p.expr(c.Filter, precCond)
		if strings.HasPrefix(filter, "*") { // behind the slash it would begin a comment
			filter = " " + filter
		}
		p.out.WriteString(" /" + filter + "/")
	}
}

// blankLine keeps one of the blank lines between two things.
func (p *printer) blankLine(end, start source.Pos, first bool) {
	if !first && strings.Count(p.text(source.Span{Start: end, End: start}), "\n") > 1 {
		p.out.WriteString("\n")
	}
}

// ownComment prints the next comment on a line of its own.
func (p *printer) ownComment(end source.Pos, first bool) source.Pos {
	c := p.comments[0]
	p.comments = p.comments[1:]
	p.blankLine(end, c.Span.Start, first)
	p.indent()
	p.out.WriteString(commentText(c) + "\n")
	return c.Span.End
}

// trailing prints the next comment behind what stands on the line.
func (p *printer) trailing() {
	p.out.WriteString(" " + commentText(p.comments[0]))
	p.comments = p.comments[1:]
}

func commentText(c *ast.Comment) string { return withoutTrailing(c.Text) }

// withoutTrailing is a text without blanks at the ends of its lines.
func withoutTrailing(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
	}
	return strings.Join(lines, "\n")
}
