package parse

import (
	"bytes"
	"strings"

	"fst/lang/ast"
)

// The scanning of raw text: where spaces, comments, strings, bodies and
// filters end. Nothing here reports errors.

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// wordAt returns the identifier at i, or "".
func (p *parser) wordAt(i int) string {
	if i < len(p.text) && p.text[i] >= '0' && p.text[i] <= '9' {
		return ""
	}
	j := i
	for j < len(p.text) && isWordByte(p.text[j]) {
		j++
	}
	return string(p.text[i:j])
}

// wordBefore is the word that ends at i.
func (p *parser) wordBefore(i int) string {
	j := i
	for j > 0 && isWordByte(p.text[j-1]) {
		j--
	}
	return string(p.text[j:i])
}

func (p *parser) addComment(start, end int) {
	p.comments[start] = &ast.Comment{At: ast.At{Span: p.f.Span(start, end)}, Text: string(p.text[start:end])}
}

// commentEnd returns where the comment at i ends, or -1 if there is none. An
// unclosed comment ends with the text.
func (p *parser) commentEnd(i int) int {
	rest := p.text[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if n := bytes.IndexByte(rest, '\n'); n >= 0 {
			return i + n
		}
		return len(p.text)
	case bytes.HasPrefix(rest, []byte("/*")):
		if n := bytes.Index(rest[2:], []byte("*/")); n >= 0 {
			return i + 2 + n + 2
		}
		return len(p.text)
	}
	return -1
}

// skip passes spaces and comments. It reports whether there was a line break
// among them (one inside a comment does not count).
func (p *parser) skip(i int, note bool) (int, bool) {
	newline := false
	for i < len(p.text) {
		if isSpace(p.text[i]) {
			newline = newline || p.text[i] == '\n'
			i++
			continue
		}
		end := p.commentEnd(i)
		if end < 0 {
			break
		}
		if note {
			p.addComment(i, end)
		}
		i = end
	}
	return i, newline
}

// step passes one string, comment or other byte of a body.
func (p *parser) step(i int) int {
	if end := p.commentEnd(i); end >= 0 {
		return end
	}
	if p.text[i] == '"' {
		return p.stringEnd(i)
	}
	return i + 1
}

// stringEnd returns where the string that begins at i ends: behind its quote,
// or at the end of the line.
func (p *parser) stringEnd(i int) int {
	for i++; i < len(p.text); i++ {
		switch p.text[i] {
		case '"':
			return i + 1
		case '\n':
			return i
		case '\\':
			if i+1 < len(p.text) && p.text[i+1] != '\n' {
				i++
			}
		}
	}
	return len(p.text)
}

// closeBrace returns the offset behind the '}' that matches the first '{' at
// or after i, obeying preprocessor lines on the way; -1 if there is none.
func (p *parser) closeBrace(i int) int {
	depth := 0
	for i < len(p.text) {
		switch c := p.text[i]; {
		case c == '#' && p.isDirective(i):
			i = p.directive(i)
			continue
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth <= 0 {
				if depth < 0 {
					return -1
				}
				return i + 1
			}
		}
		i = p.step(i)
	}
	return -1
}

// unclosedEnd guesses where a body without its '}' ends: before the next line
// that starts, without indentation, like another clause or declaration. It is
// the end of the text if there is none.
func (p *parser) unclosedEnd(i int) int {
	for {
		n := bytes.IndexByte(p.text[i:], '\n')
		if n < 0 {
			return len(p.text)
		}
		i += n + 1
		if d := p.declaration(i); p.looksLikeClause(i) || d != "" && d != "let" {
			return i
		}
	}
}

// statement is how a statement begins that can be nothing else.
var statement = lazy(`^(?:[@$]\w*(?:\[[^\]\n]*\])?\s*(?:=[^=]|\+\+|--|\+=)|(?:if|else|for|while|let|unroll|return|delete)\b|[A-Za-z_]\w*\s*\()`)

// looksLikeStatement reports whether a statement seems to begin at i.
func (p *parser) looksLikeStatement(i int) bool {
	return statement().Match(p.text[i:]) && !p.looksLikeClause(i) && !p.looksLikeDeclaration(i)
}

// probeForm is how a clause begins, be its kind of probe known or not.
var probeForm = lazy(`^\w+:[^\s:]`)

// startsPart reports whether a clause or a declaration seems to begin at i.
func (p *parser) startsPart(i int) bool {
	return p.looksLikeClause(i) || p.looksLikeDeclaration(i) || probeForm().Match(p.text[i:])
}

// unactedEnd is filterEnd for a filter whose action has lost its '{': the '/'
// that a statement follows.
func (p *parser) unactedEnd(i int) int {
	for i < len(p.text) && p.text[i] != '{' && p.text[i] != ';' {
		if p.text[i] == '/' && p.commentEnd(i) < 0 {
			if j, _ := p.skip(i+1, false); j < len(p.text) && p.looksLikeStatement(j) {
				return i
			}
		}
		i = p.step(i)
	}
	return -1
}

// filterEnd returns the offset of the '/' that ends the filter whose text
// begins at i, or -1. This is the one place where division and the end of a
// filter are told apart: a '/' ends the filter if nothing but spaces and
// comments stand between it and a '{', the end of the text, a ';', or a next
// line that starts like another clause.
func (p *parser) filterEnd(i int) int {
	for i < len(p.text) {
		if p.text[i] == '/' && p.commentEnd(i) < 0 {
			j, newline := p.skip(i+1, false)
			if j >= len(p.text) || p.text[j] == '{' || p.text[j] == ';' ||
				newline && (p.looksLikeClause(j) || p.looksLikeDeclaration(j)) {
				return i
			}
		}
		i = p.step(i)
	}
	return -1
}

// looksLikeClause reports whether an attach point of a known provider seems to
// begin at i.
func (p *parser) looksLikeClause(i int) bool {
	w := p.wordAt(i)
	if w == "" {
		return false
	}
	i += len(w)
	if i < len(p.text) && p.text[i] == '=' { // label
		i++
		w = p.wordAt(i)
		i += len(w)
	}
	provider, known := providerName(w)
	if !known {
		return false
	}
	if i < len(p.text) && p.text[i] == ':' {
		return i+1 < len(p.text) && !isSpace(p.text[i+1])
	}
	if !alone[provider] {
		return false
	}
	i, _ = p.skip(i, false)
	return i >= len(p.text) || strings.IndexByte("{/,", p.text[i]) >= 0
}

// looksLikeDeclaration reports whether a declaration other than a clause seems
// to begin at i.
func (p *parser) looksLikeDeclaration(i int) bool {
	if i < len(p.text) && p.text[i] == '#' {
		return true
	}
	switch p.declaration(i) {
	case "":
		return false
	}
	return true
}

// declaration returns the keyword of the declaration (not a clause) at i, or
// "" if there is none. The words are ordinary names elsewhere, so what follows
// decides. A comma follows a probe, but no probe has a name that would be a
// declaration without it.
func (p *parser) declaration(i int) string {
	w := p.wordAt(i)
	j, _ := p.skip(i+len(w), false)
	var c byte
	if j < len(p.text) {
		c = p.text[j]
	}
	next := p.wordAt(j)
	switch w {
	case "config":
		if c == '=' || c == '{' || c == ',' {
			return w
		}
	case "import":
		if c == '"' || next != "" {
			return w
		}
	case "let":
		if c == '@' || c == '$' {
			return w
		}
	case "struct", "union", "enum":
		if next != "" || c == '{' || c == ',' {
			return w
		}
	case "fn", "function", "func", "def":
		if k := j + len(next); next != "" && (w == "fn" || k < len(p.text) && p.text[k] == '(') {
			return w
		}
	case "macro", "typedef", "probe":
		if next != "" {
			return w
		}
	}
	return ""
}
