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

func (p *printer) text(sp source.Span) string { return p.set.Text(sp) }

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

// block prints a body, on one line if it stood on one and fits.
func (p *printer) block(b *ast.Block) {
	if len(b.Stmts) == 0 && b.Value == nil && !p.commentsBefore(b.Span.End) {
		p.out.WriteString("{ }")
		return
	}
	if text := p.text(b.Span); mayFit(text) && !strings.Contains(text, "\n") && !p.commentsBefore(b.Span.End) {
		s := p.inline(b)
		line := p.out.String()
		line = line[strings.LastIndexByte(line, '\n')+1:]
		if len(strings.ReplaceAll(line, "\t", "        "))+len(s) <= width {
			p.out.WriteString(s)
			return
		}
	}
	p.out.WriteString("{\n")
	p.depth++
	end := b.Span.Start + 1 // where the last thing printed ended
	first := true
	line := func(start, stop source.Pos, print func()) {
		// Comments before it.
		for p.commentsBefore(start) {
			end = p.ownComment(end, first)
			first = false
		}
		p.blankLine(end, start, first)
		p.indent()
		print()
		// A comment behind it on its line.
		for len(p.comments) > 0 && p.comments[0].Span.Start < b.Span.End && p.comments[0].Span.Start >= stop &&
			onlySemicolon(p.text(source.Span{Start: stop, End: p.comments[0].Span.Start})) {
			stop = p.comments[0].Span.End
			p.trailing()
		}
		p.out.WriteString("\n")
		end, first = stop, false
	}
	for _, s := range b.Stmts {
		sp := s.Pos()
		line(sp.Start, sp.End, func() {
			blocks := blocksOf(s)
			if !p.commentsOutside(sp, blocks...) {
				p.stmt(s)
				return
			}
			p.verbatim(sp)
			if len(blocks) == 0 {
				p.out.WriteString(";")
			}
		})
	}
	if b.Value != nil {
		line(b.Value.Pos().Start, b.Value.Pos().End, func() {
			if p.commentsOutside(b.Value.Pos()) {
				p.verbatim(b.Value.Pos())
				return
			}
			p.out.WriteString(blockValue(b.Value, p.wrap(b.Value, "")))
		})
	}
	for p.commentsBefore(b.Span.End) {
		end = p.ownComment(end, first)
		first = false
	}
	p.depth--
	p.indent()
	p.out.WriteString("}")
}

// mayFit reports whether a text that is printed on one line may be short enough for
// it: without this look a body is printed anew for each block that it is in.
func mayFit(text string) bool {
	n := 0
	for i := 0; i < len(text) && n <= 4*width; i++ {
		if text[i] != ' ' && text[i] != '\t' {
			n++
		}
	}
	return n <= 4*width
}

// onlySemicolon reports whether a text has nothing but spaces and one ';' and
// no line break.
func onlySemicolon(s string) bool {
	return !strings.Contains(s, "\n") && strings.TrimSpace(strings.Replace(s, ";", "", 1)) == ""
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

// wrap prints an expression behind the text before; if that makes the line too
// long and it had several lines in the source, it keeps them.
func (p *printer) wrap(x ast.Expr, before string) string {
	s := p.expr(x, precCond)
	if p.depth*8+len(before)+len(s) <= width {
		return before + s
	}
	if text := p.text(x.Pos()); strings.Contains(text, "\n") && !p.commentsBefore(x.Pos().End) {
		lines := strings.Split(text, "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " \t\r")
		}
		return before + strings.Join(lines, "\n")
	}
	return before + s
}

// first puts an expression in parentheses that would be a statement, or begin with
// one, where it stands first: { 1 } + 1.
func first(s string) string {
	if strings.HasPrefix(s, "{") || strings.HasPrefix(s, "if (") {
		return "(" + s + ")"
	}
	return s
}

// blockValue is the last expression of a block, of which s is the text. An if or a
// block may be that itself.
func blockValue(x ast.Expr, s string) string {
	switch x.(type) {
	case *ast.IfExpr, *ast.BlockExpr:
		return s
	}
	return first(s)
}

// stmt prints a statement with its ';'.
func (p *printer) stmt(s ast.Stmt) {
	w := p.out.WriteString
	switch s := s.(type) {
	case *ast.ExprStmt:
		w(first(p.wrap(s.X, "")) + ";")
	case *ast.Assign:
		w(p.wrap(s.Value, p.expr(s.Target, precCond)+" "+s.Op+" ") + ";")
	case *ast.Fire:
		w(p.wrap(s.Fields, "fire "+s.Family+":"+s.Name) + ";")
	case *ast.Let:
		out := "let $" + s.Var.Name
		if s.Type != nil {
			out += ": " + p.typ(s.Type)
		}
		if s.Value != nil {
			out = p.wrap(s.Value, out+" = ")
		}
		w(out + ";")
	case *ast.If:
		w(p.wrap(s.Cond, "if (") + ") ")
		p.block(s.Then)
		for s.Else != nil {
			if inner := elseIf(s.Else); inner != nil {
				w(p.wrap(inner.Cond, " else if (") + ") ")
				p.block(inner.Then)
				s = inner
				continue
			}
			w(" else ")
			p.block(s.Else)
			break
		}
	case *ast.While:
		w(p.wrap(s.Cond, "while (") + ") ")
		p.block(s.Body)
	case *ast.Unroll:
		w("unroll " + p.cond(s.N) + " ")
		p.block(s.Body)
	case *ast.ForRange:
		w("for ($" + s.Var.Name + " : " + p.expr(s.From, precOr) + ".." + p.expr(s.To, precOr) + ") ")
		p.block(s.Body)
	case *ast.ForMap:
		w("for ($" + s.Var.Name + " : @" + s.Map.Name + ") ")
		p.block(s.Body)
	case *ast.Break:
		w("break;")
	case *ast.Continue:
		w("continue;")
	case *ast.Return:
		if s.Value == nil {
			w("return;")
		} else {
			w(p.wrap(s.Value, "return ") + ";")
		}
	case *ast.BlockStmt:
		p.block(s.Body)
	}
}

// commentsOutside reports whether there are comments in a statement's own text,
// outside its blocks: there is no line of their own to put them on.
func (p *printer) commentsOutside(sp source.Span, blocks ...*ast.Block) bool {
comments:
	for _, c := range p.comments {
		if c.Span.Start < sp.Start {
			continue
		}
		if c.Span.Start >= sp.End {
			break
		}
		for _, b := range blocks {
			if b.Span.Start <= c.Span.Start && c.Span.End <= b.Span.End {
				continue comments
			}
		}
		return true
	}
	return false
}

// blocksOf returns the blocks of a statement.
func blocksOf(s ast.Stmt) []*ast.Block {
	switch s := s.(type) {
	case *ast.If:
		out := []*ast.Block{s.Then}
		if s.Else == nil {
			return out
		}
		if inner := elseIf(s.Else); inner != nil {
			return append(out, blocksOf(inner)...)
		}
		return append(out, s.Else)
	case *ast.While:
		return []*ast.Block{s.Body}
	case *ast.Unroll:
		return []*ast.Block{s.Body}
	case *ast.ForRange:
		return []*ast.Block{s.Body}
	case *ast.ForMap:
		return []*ast.Block{s.Body}
	case *ast.BlockStmt:
		return []*ast.Block{s.Body}
	}
	return nil
}

// verbatim keeps a piece of the source, with its comments, as it was written.
func (p *printer) verbatim(sp source.Span) {
	lines := strings.Split(p.text(sp), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
	}
	p.out.WriteString(strings.Join(lines, "\n"))
	for p.commentsBefore(sp.End) {
		p.comments = p.comments[1:]
	}
}

// elseIf returns the if of "else if", or nil.
func elseIf(b *ast.Block) *ast.If {
	if len(b.Stmts) != 1 || b.Value != nil {
		return nil
	}
	s, ok := b.Stmts[0].(*ast.If)
	if !ok || s.Span != b.Span { // a block of its own has braces in its span
		return nil
	}
	return s
}

// inline prints a block on one line.
func (p *printer) inline(b *ast.Block) string {
	sub := &printer{set: p.set}
	var parts []string
	for _, s := range b.Stmts {
		sub.out.Reset()
		sub.flat(s)
		parts = append(parts, sub.out.String())
	}
	if b.Value != nil {
		parts = append(parts, blockValue(b.Value, p.expr(b.Value, precCond)))
	}
	if len(parts) == 0 {
		return "{ }"
	}
	return "{ " + strings.Join(parts, " ") + " }"
}

// flat prints a statement on one line: its blocks may stand on several in the
// source.
func (p *printer) flat(s ast.Stmt) {
	w := p.out.WriteString
	switch s := s.(type) {
	case *ast.If:
		w("if " + p.cond(s.Cond) + " " + p.inline(s.Then))
		if s.Else != nil {
			if inner := elseIf(s.Else); inner != nil {
				w(" else ")
				p.flat(inner)
			} else {
				w(" else " + p.inline(s.Else))
			}
		}
	case *ast.While:
		w("while " + p.cond(s.Cond) + " " + p.inline(s.Body))
	case *ast.Unroll:
		w("unroll " + p.cond(s.N) + " " + p.inline(s.Body))
	case *ast.ForRange:
		w("for ($" + s.Var.Name + " : " + p.expr(s.From, precOr) + ".." + p.expr(s.To, precOr) + ") " + p.inline(s.Body))
	case *ast.ForMap:
		w("for ($" + s.Var.Name + " : @" + s.Map.Name + ") " + p.inline(s.Body))
	case *ast.BlockStmt:
		w(p.inline(s.Body))
	default:
		p.stmt(s)
	}
}
