package main

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
)

// edit replaces a part of a text.
type edit struct {
	start, end int
	text       string
}

func (e edit) apply(s string) string { return s[:e.start] + e.text + s[e.end:] }

// reduce makes a program smaller while a failure stays. It tries the largest
// parts first, until no part can go or the time is over.
func reduce(text string, stays func(string) bool, limit time.Duration) string {
	deadline := time.Now().Add(limit)
	tried := map[string]bool{text: true}
	for smaller := true; smaller; {
		smaller = false
		for _, e := range edits(text) {
			if time.Now().After(deadline) {
				return text
			}
			t := e.apply(text)
			if len(t) >= len(text) || tried[t] {
				continue
			}
			tried[t] = true
			if stays(t) {
				text, smaller = t, true
				break
			}
		}
	}
	return tidy(text)
}

// tidy drops the lines that reducing has emptied.
func tidy(text string) string {
	text = strings.TrimPrefix(text, ";")
	lines := strings.Split(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" }), "\n") + "\n"
}

// edits lists the ways to make a program smaller, those that remove most
// first.
func edits(text string) []edit {
	var set source.Set
	var diags diag.List
	file := set.Add("", text)
	tree := parse.Parse(file, &diags)
	if diags.HasErrors() {
		return nil
	}
	r := &reducer{text: text, base: file.Base}
	for _, c := range tree.Clauses {
		r.replace(c, "")
		if c.Filter != nil && c.Body != nil {
			r.between(c.Filter.Pos().Start, c.Body.Pos().Start, "/", "")
		}
	}
	for _, m := range tree.Macros {
		r.replace(m, "")
	}
	for _, c := range tree.CTypes {
		r.replace(c, "")
	}
	ast.Walk(tree, func(n ast.Node) bool {
		r.node(n)
		return true
	})
	slices.SortStableFunc(r.edits, func(a, b edit) int {
		return (b.end - b.start - len(b.text)) - (a.end - a.start - len(a.text))
	})
	return r.edits
}

type reducer struct {
	text  string
	base  source.Pos
	edits []edit
}

func (r *reducer) span(n ast.Node) (start, end int, ok bool) {
	sp := n.Pos()
	start, end = int(sp.Start-r.base), int(sp.End-r.base)
	return start, end, start >= 0 && start <= end && end <= len(r.text)
}

func (r *reducer) of(n ast.Node) string {
	start, end, ok := r.span(n)
	if !ok {
		return ""
	}
	return r.text[start:end]
}

func (r *reducer) replace(n ast.Node, by string) {
	if start, end, ok := r.span(n); ok {
		r.edits = append(r.edits, edit{start, end, by})
	}
}

// between removes the text from the mark before a place up to another place.
func (r *reducer) between(from, to source.Pos, mark, by string) {
	start, end := int(from-r.base), int(to-r.base)
	if start < 0 || end > len(r.text) || start > end {
		return
	}
	if i := strings.LastIndex(r.text[:start], mark); i >= 0 {
		r.edits = append(r.edits, edit{i, end, by})
	}
}

// statement removes a statement with its semicolon, or puts another text in
// its place.
func (r *reducer) statement(s ast.Stmt, by string) {
	start, end, ok := r.span(s)
	if !ok {
		return
	}
	for end < len(r.text) && (r.text[end] == ' ' || r.text[end] == ';') {
		end++
		if r.text[end-1] == ';' {
			break
		}
	}
	r.edits = append(r.edits, edit{start, end, by})
}

// inside is the text of a block without its braces.
func (r *reducer) inside(b *ast.Block) string {
	s := strings.TrimSpace(r.of(b))
	s = strings.TrimPrefix(s, "{")
	return strings.TrimSuffix(s, "}")
}

func (r *reducer) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Block:
		if len(n.Stmts) > 3 { // halves
			for _, half := range [][]ast.Stmt{n.Stmts[:len(n.Stmts)/2], n.Stmts[len(n.Stmts)/2:]} {
				start, _, ok1 := r.span(half[0])
				_, end, ok2 := r.span(half[len(half)-1])
				if ok1 && ok2 {
					for end < len(r.text) && r.text[end] == ';' {
						end++
					}
					r.edits = append(r.edits, edit{start, end, ""})
				}
			}
		}
		for _, s := range n.Stmts {
			r.statement(s, "")
			switch s := s.(type) {
			case *ast.If:
				r.statement(s, r.inside(s.Then))
				if s.Else != nil {
					r.statement(s, r.inside(s.Else))
					r.between(s.Else.Pos().Start, s.Else.Pos().End, "else", "")
				}
			case *ast.While:
				r.statement(s, r.inside(s.Body))
			case *ast.Unroll:
				r.statement(s, r.inside(s.Body))
			case *ast.ForRange:
				r.statement(s, r.inside(s.Body))
			case *ast.ForMap:
				r.statement(s, r.inside(s.Body))
			case *ast.BlockStmt:
				r.statement(s, r.inside(s.Body))
			}
		}
	case *ast.Call:
		r.list(n.Args)
		r.expr(n)
	case *ast.Map:
		r.list(n.Keys)
		r.expr(n)
	case *ast.Tuple:
		r.list(n.Elems)
		r.expr(n)
	case ast.Expr:
		r.expr(n)
	}
}

// list removes elements of a list, all but the first.
func (r *reducer) list(elems []ast.Expr) {
	for i := 1; i < len(elems); i++ {
		_, before, ok1 := r.span(elems[i-1])
		_, end, ok2 := r.span(elems[i])
		if ok1 && ok2 && before <= end {
			r.edits = append(r.edits, edit{before, end, ""})
		}
	}
}

// expr replaces an expression by one of its parts or by something small.
func (r *reducer) expr(x ast.Expr) {
	for _, part := range parts(x) {
		r.replace(x, r.of(part))
		if len(r.of(part)) > 0 {
			r.replace(x, "("+r.of(part)+")")
		}
	}
	for _, small := range []string{"0", "1", `""`, `"a"`, "true", "false"} {
		r.replace(x, small)
	}
}

// parts are the expressions directly inside of a node.
func parts(n ast.Node) []ast.Expr {
	var found []ast.Expr
	top := true
	ast.Walk(n, func(m ast.Node) bool {
		if top {
			top = false
			return true
		}
		if x, ok := m.(ast.Expr); ok && reflect.ValueOf(m).Pointer() != reflect.ValueOf(n).Pointer() {
			found = append(found, x)
			return false
		}
		return true
	})
	return found
}
