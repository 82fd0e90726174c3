package parse

import (
	"bytes"
	"strings"

	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// file parses all declarations.
func (p *parser) file() {
	i := 0
	if len(p.text) > 1 && p.text[0] == '#' && p.text[1] == '!' {
		i = p.blankLine(0)
	}
	for {
		i, _ = p.skip(i, true)
		if i >= len(p.text) {
			break
		}
		start := i
		switch kind := p.declaration(i); {
		case p.isCommandLine(i):
			return
		case bytes.HasPrefix(p.text[i:], []byte("```")):
			p.errorf(p.f.Span(i, i+3), "this line belongs to a text about the script").Hint = "remove it"
			i = p.blankLine(i)
			continue
		case bytes.HasPrefix(p.text[i:], []byte("*/")):
			p.errorf(p.f.Span(i, i+2), "this '*/' ends no comment").Hint = "remove it, or begin the comment with /*"
			i += 2
		case p.text[i] == '#':
			i = p.directive(i)
			continue // may have changed nothing but the text
		case p.text[i] == ';':
			i++
		case p.text[i] == '}':
			if !p.astray {
				p.errorf(p.f.Span(i, i+1), "this '}' closes nothing").Hint = "remove it, or look for an extra '}' above"
			}
			i++
		case p.header:
			i = p.headerPart(kind, i)
		case kind != "":
			i = p.declare(kind, i)
			if kind != "macro" && kind != "fn" {
				p.prog.Declarations = append(p.prog.Declarations, &ast.Declaration{At: ast.At{Span: p.f.Span(start, i)}, Kind: kind})
			}
		case p.wordAt(i) == "else" && !p.astray:
			p.astray = true
			p.errorf(p.f.Span(i, i+4), "this else is outside of all clauses").Hint = "look for an extra '}' before it"
			i = p.behindClause(i)
		case p.astray && p.looksLikeStatement(i):
			i = p.behindClause(i)
		default:
			i = p.clause(i)
		}
		if i <= start { // cannot happen; no input may hang the parser
			i = start + 1
		}
	}
	for _, c := range p.comments {
		if strings.HasPrefix(c.Text, "/*") && (len(c.Text) < 4 || !strings.HasSuffix(c.Text, "*/")) {
			p.incomplete(source.Span{Start: c.Span.Start, End: c.Span.Start + 2}, "this comment has no end").Hint = "close it with */"
		}
	}
	for _, c := range p.conds {
		p.incomplete(c, "this #if has no #endif").Hint = "end it with #endif"
	}
}

// region returns the tokens from i to the '}' that matches the first '{', and
// the offset behind it.
func (p *parser) region(i int) (*tokens, int) {
	end, endName := p.closeBrace(i), "the end of the block"
	open := end < 0
	if open {
		if end = p.unclosedEnd(i); end < len(p.text) {
			endName = "the next clause"
		} else {
			endName = ""
		}
	}
	t := p.tokens(i, end, endName)
	t.open = open
	return t, end
}

// clause parses "probe[, probe...] [/filter/] [{ body }]".
func (p *parser) clause(i int) int {
	start := i
	c := &ast.Clause{}
	ok, end, newline := true, i, false // end: behind the last part of the clause
probes:
	for {
		var a *ast.AttachPoint
		a, end = p.attachPointWithAlternatives(i)
		if a != nil {
			c.Probes = append(c.Probes, a)
		} else {
			ok = false
		}
		i, newline = p.skip(end, true)
		if i >= len(p.text) || p.text[i] != ',' {
			break
		}
		comma := i
		end = i + 1
		i, newline = p.skip(end, true)
		if i >= len(p.text) {
			p.incomplete(p.f.Span(comma, comma+1), "expected another probe after ','").Hint = "write the next probe, or remove the ','"
			return i
		}
		switch p.text[i] {
		case '{', '/': // a trailing comma is fine
			break probes
		}
	}
	if close := p.braceList(end); close > 0 {
		return p.braceError(end, close, c)
	}
	if i < len(p.text) && p.text[i] == '/' {
		var x ast.Expr
		x, end = p.filter(i + 1)
		c.Filter = x
		ok = ok && x != nil
		i, newline = p.skip(end, true)
	}
	switch {
	case i < len(p.text) && p.text[i] == '{':
		var t *tokens
		before := p.errors
		t, end = p.region(i)
		// An error in one statement leaves the others, so that later
		// passes may look at them.
		if !p.try(func() {
			c.Body = t.block()
			demote(c.Body)
			t.expectEnd("the end of the block")
		}) {
			ok = false
		}
		p.astray = p.astray || p.errors > before
	case !ok: // reported
		if end = i; !newline {
			end = p.behindClause(p.attachEnd(i))
		} else if i < len(p.text) {
			end = p.behindClause(i)
		}
	case newline && i < len(p.text) && (p.looksLikeStatement(i) || c.Filter == nil && p.filterOn(i)):
		ok = false
		if p.filterOn(i) {
			p.errorf(p.f.Span(i, i+1), "expected '/' before the filter").Hint = "a filter is written between slashes: /pid == 1/"
		} else {
			p.errorf(p.f.Span(end, end+1), "expected '{' before the action").Hint = bracesHint
		}
		end = p.behindClause(i)
	case i >= len(p.text), newline, p.text[i] == ';', p.text[i] == '}':
		// No action: the event is printed.
	default:
		ok = false
		end = p.clauseError(i, c)
	}
	p.astray = p.astray || !ok
	if ok {
		c.Span = p.f.Span(start, end)
		p.prog.Clauses = append(p.prog.Clauses, c)
	}
	return max(end, start+1)
}

// isCommandLine reports the command line that a script was copied with.
func (p *parser) isCommandLine(i int) bool {
	switch w := p.wordAt(i); {
	case i > 0 && p.text[i-1] != '\n', w != "sudo" && w != "bpftrace" && w != "fst" && strings.IndexByte("$>%", p.text[i]) < 0:
		return false
	}
	m := commandLine().Find(p.text[i:])
	if m == nil {
		return false
	}
	p.errorf(p.f.Span(i, i+len(m)), "this is a command line, not a script").Hint = "keep only the text between its quotes"
	return true
}

// declarationLike is the declaration that was most likely meant by the word of
// a clause that something else follows at i than a filter or an action.
func (p *parser) declarationLike(c *ast.Clause, i int) string {
	if len(c.Probes) != 1 || len(c.Probes[0].Parts) > 0 || p.wordAt(i) == "" {
		return ""
	}
	return diag.Nearest(c.Probes[0].Raw, []string{"macro", "import", "struct", "union", "enum", "typedef"})
}

const bracesHint = "statements are written in braces: probe /filter/ { ... }"

// filterOn reports whether the line of i is a filter without its first '/'.
func (p *parser) filterOn(i int) bool {
	line := bytes.TrimSpace(p.text[i:p.lineEnd(i)])
	line = bytes.TrimSpace(bytes.TrimSuffix(line, []byte("{")))
	return len(line) > 1 && bytes.IndexByte(line, '/') == len(line)-1 && bytes.IndexByte(line, ';') < 0 && !p.startsPart(i)
}

// inParens is the condition of a clause that stands in parentheses at i, with
// an action behind it, or "".
func (p *parser) inParens(i int) string {
	depth := 0
	for j := i; j < len(p.text) && p.text[j] != '\n'; j = p.step(j) {
		switch p.text[j] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				if k, _ := p.skip(j+1, false); k < len(p.text) && p.text[k] == '{' {
					return string(bytes.TrimSpace(p.text[i+1 : j]))
				}
				return ""
			}
		}
	}
	return ""
}

// clauseError reports text behind a clause's probes that is neither a filter
// nor an action, and returns where the next clause may begin.
func (p *parser) clauseError(i int, c *ast.Clause) int {
	end := p.attachEnd(i)
	if end == i {
		end++
	}
	if p.text[i] == '#' {
		p.errorf(p.f.Span(i, i+1), "expected '{' or a /filter/ after the probe, found '#'").Hint = "a comment begins with //"
		end, _ = p.skip(p.blankLine(i), true)
	} else if word := p.declarationLike(c, i); word != "" {
		p.errorf(c.Probes[0].Span, "expected a probe or a declaration, found '%s'", c.Probes[0].Raw).Hintf("did you mean %s?", word)
	} else if len(c.Probes) == 1 && p.text[i] == '=' && diag.Nearest(c.Probes[0].Raw, []string{"config"}) != "" {
		p.prog.Unsettled = true
		p.errorf(c.Probes[0].Span, "expected a probe or a declaration, found '%s ='", c.Probes[0].Raw).Hint = "did you mean config = { ... }?"
	} else if len(c.Probes) > 0 { // else the probe itself is wrong and has been reported
		hint := "a clause is written probe /filter/ { action }"
		if p.looksLikeClause(i) {
			hint = "separate probes with ','"
		}
		if instead := p.otherForm(i, end, c); instead != "" {
			hint = instead
		}
		if p.text[i] == '(' || p.looksLikeStatement(i) {
			hint = bracesHint
		}
		if cond := p.inParens(i); p.text[i] == '(' && cond != "" {
			hint = "a condition is written between slashes: /" + cond + "/ { ... }"
		} else if p.filterOn(i) {
			hint = "a filter begins with '/', too: /pid == 1/"
		}
		if c.Probes[0].Raw == "include" {
			hint = "write #include, or import for a file of fst"
		}
		if bytes.HasPrefix(p.text[i:], []byte("&&")) || bytes.HasPrefix(p.text[i:], []byte("||")) {
			hint = "several probes share an action: syscall:read, syscall:write { ... }"
		}
		if probe := c.Probes[len(c.Probes)-1]; len(probe.Parts) == 1 && strings.Trim(probe.Parts[0], "0123456789") == "" && unitOf(p.wordAt(i)) != "" {
			hint = "write the unit directly after the number: " + probe.Raw + unitOf(p.wordAt(i))
		}
		switch strings.ToLower(p.wordAt(i)) {
		case "where", "when", "if", "unless", "filter":
			hint = "a condition is written between slashes: /pid == 1/ { action }"
		}
		if len(c.Probes) > 0 && c.Filter == nil {
			last := c.Probes[len(c.Probes)-1]
			for _, part := range last.Parts {
				for k := 1; k < len(part); k++ {
					if part[k] == '/' && part[0] != '/' {
						hint = "put a space before the '/' of a filter: after a ':' it belongs to the probe"
					}
				}
			}
		}
		p.errorf(p.f.Span(i, end), "expected '{' or a /filter/ after the probe, found '%s'", shorten(string(p.text[i:end]))).Hint = hint
	}
	return p.behindClause(end)
}

// otherForm says what was meant where text[i:end], behind a clause's first
// probe, is neither a filter nor an action, if that is another way to write a
// probe or a declaration.
func (p *parser) otherForm(i, end int, c *ast.Clause) string {
	if len(c.Probes) != 1 || c.Filter != nil || len(c.Probes[0].Parts) > 0 {
		return ""
	}
	kind, word := c.Probes[0].Written, string(p.text[i:end])
	name := p.wordAt(i)
	switch _, known := providerName(kind); {
	case !known && p.looksLikeClause(i):
		return "a clause begins with its probe: leave out " + kind
	case kind == "every" && word != "":
		return "write interval:" + word
	case strings.EqualFold(kind, "select"):
		return "a clause is written probe /filter/ { action }: syscall:openat /pid == 1/ { @[comm] = count() }"
	case name == "":
	case known && resolvable(kind):
		if instead := strings.Trim(word, "():"); !strings.ContainsAny(instead, `("`) {
			return "write " + kind + ":" + instead
		}
	case kind == "global" || kind == "private" || wordDeclarations[kind] || isTypeWord(kind):
		return "a variable for all probes is a map, which needs no declaration: @" + name
	}
	return ""
}

// resolvable reports whether a kind of probe has names behind it.
func resolvable(kind string) bool {
	switch strings.ToLower(kind) {
	case "begin", "end", "self", "report":
		return false
	}
	return true
}

// braceList returns the offset behind a list of names in braces at i, as in
// kprobe:vfs_{read,write}, or 0. No block of statements looks like it.
func (p *parser) braceList(i int) int {
	if i >= len(p.text) || p.text[i] != '{' {
		return 0
	}
	comma := false
	for i++; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == ',':
			comma = true
		case c == '}' && comma:
			return i + 1
		case c != '_' && c != '*' && c != '.' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}

// braceError reports a list in braces and returns where the next clause may
// begin.
func (p *parser) braceError(start, end int, c *ast.Clause) int {
	d := p.errorf(p.f.Span(start, end), "a probe cannot have a list in braces; the shell expands those, but not inside quotes")
	d.Hintf("name each probe, or use a pattern with *")
	if len(c.Probes) > 0 {
		var each []string
		for _, name := range strings.Split(string(p.text[start+1:end-1]), ",") {
			each = append(each, c.Probes[len(c.Probes)-1].Raw+name)
		}
		d.Hintf("write %s", strings.Join(each, ","))
	}
	return p.behindClause(end)
}

// behindClause returns where the next clause may begin if something is wrong
// with the one at i: before a line that begins like another one, behind the
// block, or behind the '}' of a block that has lost its '{'.
func (p *parser) behindClause(i int) int {
	for lineStart := true; i < len(p.text); {
		c := p.text[i]
		switch {
		case c == '\n':
			lineStart = true
			i++
			continue
		case lineStart && p.startsPart(i):
			return i
		case c == '{':
			if close := p.closeBrace(i); close > 0 {
				return close
			}
			return p.unclosedEnd(i)
		case c == '}':
			return i + 1
		}
		lineStart = false
		i = p.step(i)
	}
	return i
}

// maxAlternatives is how many probes can be tried for one.
const maxAlternatives = 100

// attachPointWithAlternatives parses "kprobe:a | b | kprobe:c". It returns nil
// after an error, and the offset behind what it read.
func (p *parser) attachPointWithAlternatives(i int) (*ast.AttachPoint, int) {
	end := p.attachEnd(i)
	if end == i {
		what := "'" + string(p.text[i:i+1]) + "'"
		d := p.errorf(p.f.Span(i, i+1), "expected a probe, found %s", what).
			Hintf("a clause is written probe /filter/ { action }, such as syscall:openat { @ = count() }")
		if before := bytes.TrimRight(p.text[:i], " \t"); bytes.HasSuffix(before, []byte(";")) && p.text[i] == '{' {
			d.Hintf("leave out the ';' before it")
		} else if bytes.HasSuffix(before, []byte("}")) && p.text[i] == '/' {
			d.Hintf("the filter stands before the action: probe /filter/ { action }")
		}
		if p.text[i] == '{' || p.text[i] == '/' {
			return nil, i // the action is parsed for its own errors
		}
		return nil, i + 1
	}
	first, end := p.attachPoint(i, end, nil)
	for {
		j, _ := p.skip(end, true)
		if j >= len(p.text) || p.text[j] != '|' {
			return first, end
		}
		k, _ := p.skip(j+1, true)
		end = k
		if k < len(p.text) {
			end = p.attachEnd(k)
		}
		if end == k {
			const msg = "expected another probe after '|'"
			if k >= len(p.text) {
				p.incomplete(p.f.Span(j, j+1), msg)
			} else {
				d := p.errorf(p.f.Span(j, j+1), msg).Hintf("kprobe:a | b attaches the first that exists")
				if p.text[k] == '|' {
					d.Hintf("separate probes with ',' to attach to all of them; kprobe:a | b attaches the first that exists")
					k++
				}
			}
			return nil, k
		}
		if first == nil {
			continue
		}
		if len(first.Or) == maxAlternatives {
			p.errorf(p.f.Span(k, end), "a probe has at most %d alternatives", maxAlternatives).Hintf("separate probes with ',' to attach to all of them")
			return nil, end
		}
		var alt *ast.AttachPoint
		if alt, end = p.attachPoint(k, end, first); alt != nil {
			first.Or = append(first.Or, alt)
			first.Span = first.Span.To(alt.Span)
		} else {
			first = nil
		}
	}
}

// filter parses the filter whose text begins at i, behind the '/', and returns
// the offset behind its closing '/'.
func (p *parser) filter(i int) (ast.Expr, int) {
	end := p.filterEnd(i)
	if end < 0 {
		end = p.unactedEnd(i)
	}
	t := p.tokens(i, max(end, i), "the '/' that ends the filter")
	if end < 0 {
		t = p.tokens(i, len(p.text), "")
	}
	var x ast.Expr
	ok := p.try(func() {
		x = t.expr()
		if !t.Peek().EOF() {
			hint := t.comparison(t.Peek())
			if instead := Foreign(p.wordBefore(i-1) + "/" + p.wordAt(i)); instead != "" {
				hint = "write " + instead
			} else if hint == "" {
				hint = "write probe /filter/ { action }"
			}
			t.unexpected("an operator or the '/' that ends the filter", hint)
		}
		if end < 0 {
			p.incomplete(p.f.Span(i-1, i), "this filter has no closing '/'").Hint = "write /filter/ { action }"
			panic(bailout{})
		}
	})
	if ok {
		return x, end + 1
	}
	// If the filter was not closed, its action comes next.
	if t.is("{") || end < 0 {
		return nil, t.base + t.Peek().Pos.Offset
	}
	return nil, end + 1
}
