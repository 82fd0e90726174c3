package parse

import (
	"slices"
	"sort"
	"strings"

	"fst/lang/ast"
	"fst/lang/source"
)

// probe parses "probe family:name(field: type, ...) [witness(...)]" at i and returns the
// offset behind it.
func (p *parser) probe(i int) int {
	name, _ := p.skip(i+len("probe"), false)
	nameEnd := p.attachEnd(name)
	if instead := Foreign(string(p.text[name:nameEnd])); instead != "" {
		p.errorf(p.f.Span(i, nameEnd), "this is a probe of another tracer").Hintf("write %s { action }", instead)
		_, end := p.region(i)
		return end
	}
	if _, known := providerName(p.wordAt(name)); known && !families[p.wordAt(name)] && !strings.HasPrefix(string(p.text[nameEnd:]), "(") && !strings.Contains(string(p.text[name:nameEnd]), "(") {
		p.errorf(p.f.Span(i, i+len("probe")), "a clause begins with its probe; the word probe declares a new one").
			Hintf("leave it out: %s { action }", shorten(string(p.text[name:nameEnd])))
		_, end := p.region(i)
		return end
	}
	end, endName := p.closeParen(i), "the end of the declaration"
	if end < 0 {
		if end = p.unclosedEnd(i); end == len(p.text) {
			endName = ""
		}
	}
	if w, _ := p.skip(end, false); p.wordAt(w) == "witness" {
		if behind := p.closeParen(w); behind >= 0 {
			end = behind
		}
	}
	t := p.tokens(i, end, endName)
	p.try(func() {
		t.probeDecl()
		t.expectEnd("the end of the declaration")
	})
	if end < len(p.text) && p.text[end] == ';' {
		end++
	}
	return end
}

// closeParen returns the offset behind the ')' that matches the first '(' at
// or after i, or -1.
func (p *parser) closeParen(i int) int {
	depth := 0
	for i < len(p.text) {
		switch p.text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth <= 0 {
				return i + 1
			}
		case ';', '{', '}':
			return -1
		}
		i = p.step(i)
	}
	return -1
}

func (t *tokens) probeDecl() {
	const usage = "write probe family:name(field: type, ...);"
	start := t.here()
	t.next()
	d := &ast.Probe{}
	at := t.here()
	d.Family, _ = t.ident("the family of the probe", "write probe family:name(field: type, ...);")
	if providers[d.Family] && !families[d.Family] || shortProviders[d.Family] != "" {
		t.fail(at, "choose another name", "%s: is already a kind of probe", d.Family)
	}
	if !t.accept(":") {
		t.unexpected("':' and the name of the probe", usage)
	}
	d.Name, _ = t.ident("the name of the probe", "write probe family:name(field: type, ...);")
	if !t.accept("(") {
		t.unexpected("'(' and the fields of the probe", usage)
	}
	seen := map[string]bool{}
	for !t.accept(")") {
		f := &ast.ProbeField{}
		sp := t.here()
		f.Name, _ = t.ident("the name of a field or ')'", "write probe family:name(field: type, ...);")
		if seen[f.Name] {
			t.fail(sp, "use each name only once", "the probe has two fields named %s", f.Name)
		}
		seen[f.Name] = true
		if t.accept(":") {
			f.Type = t.typeExpr()
		}
		f.Span = t.from(sp)
		d.Fields = append(d.Fields, f)
		if !t.accept(",") && !t.is(")") {
			t.unexpected("',' or ')' after the field "+f.Name, "separate them with ','")
		}
	}
	if t.is("witness") {
		sp := t.here()
		d.Witness, _ = t.call(t.next(), sp).(*ast.Call)
	}
	d.Span = t.from(start)
	t.p.prog.Probes = append(t.p.prog.Probes, d)
}

// probeDocs gives the probes and their fields the comments that belong to
// them: the lines directly above, and what stands behind a field.
func (p *parser) probeDocs() {
	if len(p.prog.Probes) == 0 {
		return
	}
	var newlines []int
	for i, c := range []byte(p.f.Text) {
		if c == '\n' {
			newlines = append(newlines, i)
		}
	}
	line := func(pos source.Pos) int { return sort.SearchInts(newlines, int(pos-p.f.Base)) }
	cs := p.prog.Comments
	// next is the first comment at or behind a place.
	next := func(pos source.Pos) int {
		return sort.Search(len(cs), func(i int) bool { return cs[i].Span.Start >= pos })
	}
	for _, d := range p.prog.Probes {
		at := line(d.Span.Start)
		var lines []string
		for i := next(d.Span.Start) - 1; i >= 0; i-- {
			off := int(cs[i].Span.Start - p.f.Base)
			if !strings.HasPrefix(cs[i].Text, "//") || line(cs[i].Span.Start) != at-1 || off > 0 && p.f.Text[off-1] != '\n' {
				break
			}
			lines = append(lines, commentText(cs[i]))
			at--
		}
		slices.Reverse(lines)
		d.Doc = strings.Join(lines, "\n")
		for _, f := range d.Fields {
			if i := next(f.Span.End); i < len(cs) && line(cs[i].Span.Start) == line(f.Span.End) {
				f.Doc = commentText(cs[i])
			}
		}
	}
}

// commentText is what a // comment says.
func commentText(c *ast.Comment) string {
	return strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), " "), " \t\r")
}
