package format

import (
	"strings"

	"fst/lang/ast"
	"fst/lang/source"
)

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
