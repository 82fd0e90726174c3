package parse

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"fst/lang/diag"
	"fst/lang/source"
)

// Half is a place in code that is being typed.
type Half struct {
	// Text is a script in which the statement at the place is "_ = EXPRESSION;" alone, and all that is
	// open before it is closed. What follows behind the clause is there, too.
	Text string
	// Start and End are where the expression is in Text that ends at the place or, if Member, in front of
	// the '.' or "->" there. Empty says that there is none, but a 0.
	Start, End    int
	Member, Empty bool
	// Word is the beginning of a name that ends at the place, with its @ or $.
	Word string
	// Map is the map, without its @, whose brackets the place is in, and Key the number of the key there.
	Map string
	Key int
}

// HalfTyped looks at a place in a text, which may be statements alone. ok is false outside of filters and bodies.
func HalfTyped(text string, offset int) (h Half, ok bool) {
	var set source.Set
	p := newParser(set.Add("input", text[:offset]), &diag.List{})
	start, body, ok := p.codeAt()
	head := text[:start]
	if !ok {
		first, _ := p.skip(0, false)
		if p.startsPart(first) {
			return h, false
		}
		start, head, body = 0, "begin { ", true
	}
	list := significant(text[start:offset])
	value := func(i int) string { return tokenAt(list, i).Value }
	last := len(list) - 1
	if i := last; i >= 0 && endOf(list[i]) == offset-start {
		switch list[i].Type {
		case tokIdent, tokVar, tokMap:
			h.Word = list[i].Value
			if before := value(i - 1); list[i].Type == tokIdent && (before == "." || before == "->") {
				h.Member, last = true, i-2
			}
		case tokOp:
			if value(i) == "." || value(i) == "->" {
				h.Member, last = true, i-1
			}
		case tokBadString:
			return h, false
		case tokBad:
			if h.Word = list[i].Value; h.Word != "$" {
				return h, false
			}
		}
	}
	open, statement := brackets(list)
	if n := len(open); n > 0 && value(open[n-1]) == "[" && tokenAt(list, open[n-1]-1).Type == tokMap {
		h.Map, h.Key = value(open[n-1] - 1)[1:], commas(list[open[n-1]+1:])
	}
	from := chainStart(list, last)
	expr := "0"
	h.Empty = true
	if from <= last && from >= statement {
		expr, h.Empty = text[start+list[from].Pos.Offset:start+endOf(list[last])], false
	}
	// What is kept ends before the statement, or before a filter as a whole.
	if body && statement > 0 {
		head += text[start : start+endOf(list[statement-1])]
	} else if !body {
		head = strings.TrimSuffix(head, "/") + "{"
		open, statement = []int{-1}, 0
	}
	h.Text = head + " _ = "
	h.Start = len(h.Text)
	h.Text += expr
	h.End = len(h.Text)
	if _, numbered := strings.CutPrefix(expr, "arg"); h.Member && (expr == "retval" || numbered && expr != "args" && from == last) {
		h.Text += "._" // members make pointers of these, which are numbers
	}
	h.Text += ";"
	depth := 0
	for _, i := range slices.Backward(open) {
		if i >= statement {
			continue // of the statement itself
		}
		if i < 0 || value(i) == "{" {
			depth++
		}
		h.Text += map[string]string{"(": ")", "[": "]", "{": "}", "": "}"}[value(i)]
	}
	if !ok {
		h.Text += "}"
	} else {
		h.Text += behind(text, offset, depth, body)
	}
	return h, true
}

// codeAt returns where the filter or the body begins that the text ends in, the latter with its '{'.
func (p *parser) codeAt() (start int, body, ok bool) {
	for i, from := 0, -1; ; {
		if i, _ = p.skip(i, false); i >= len(p.text) || i <= from {
			return 0, false, false
		}
		from = i
		kind := p.declaration(i)
		switch {
		case p.text[i] == '#':
			i = p.directive(i)
			continue
		case strings.IndexByte(";}|,", p.text[i]) >= 0:
			i++
			continue
		case kind == "" && p.text[i] != '{' && p.text[i] != '/':
			i = p.attachEnd(i)
			continue
		case p.text[i] == '/':
			end := p.filterEnd(i + 1)
			if end < 0 {
				return i + 1, false, true
			}
			i = end + 1
			continue
		}
		// A body, or a declaration to its ';' or with its braces.
		for i < len(p.text) && p.text[i] != '{' && p.text[i] != ';' {
			i = p.step(i)
		}
		if i < len(p.text) && p.text[i] == '{' {
			end := p.closeBrace(i)
			if end < 0 {
				return i, true, kind == "" || kind == "macro" || kind == "fn"
			}
			i = end
		}
	}
}

// behind is the text behind the clause that a place in it is in, depth braces deep or in its filter.
func behind(text string, offset, depth int, body bool) string {
	var set source.Set
	p := newParser(set.Add("input", text), &diag.List{})
	if !body {
		depth = 0
	}
	for i := offset; i < len(text); i = p.step(i) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth <= 0 {
				return text[i+1:]
			}
		}
	}
	return ""
}

// significant are the tokens of a text but its comments.
func significant(text string) (list []lexer.Token) {
	s := &scanner{text: text}
	for {
		switch tok, _ := s.Next(); {
		case tok.EOF():
			return list
		case tok.Type != tokComment:
			list = append(list, tok)
		}
	}
}

func endOf(t lexer.Token) int { return t.Pos.Offset + len(t.Value) }

// tokenAt is token i of a list, or none.
func tokenAt(list []lexer.Token, i int) (t lexer.Token) {
	if i >= 0 && i < len(list) {
		t = list[i]
	}
	return t
}

// brackets are the indexes of those that are open at the end of a list; statement is where its last
// statement begins.
func brackets(list []lexer.Token) (open []int, statement int) {
	for i, t := range list {
		if t.Type != tokOp {
			continue
		}
		switch t.Value {
		case "(", "[":
			open = append(open, i)
		case "{":
			open, statement = append(open, i), i+1
		case ")", "]":
			if n := len(open); n > 0 && list[open[n-1]].Value != "{" {
				open = open[:n-1]
			}
		case "}":
			for n := len(open); n > 0; n-- {
				closed := list[open[n-1]]
				if open = open[:n-1]; closed.Value == "{" {
					break
				}
			}
			if !inParens(list, open) {
				statement = i + 1
			}
		case ";":
			if !inParens(list, open) {
				statement = i + 1
			}
		}
	}
	return open, statement
}

// inParens reports whether the innermost bracket that is open is not that of a block.
func inParens(list []lexer.Token, open []int) bool {
	return len(open) > 0 && list[open[len(open)-1]].Value != "{"
}

// commas counts the commas of a list that are within no brackets of their own.
func commas(list []lexer.Token) (n int) {
	depth := 0
	for _, t := range list {
		switch t.Value {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		case ",":
			if depth == 0 {
				n++
			}
		}
	}
	return n
}

// chainStart is where the expression begins that ends with token i and has no operators but those of
// members, indexes and calls: behind i if there is none.
func chainStart(list []lexer.Token, i int) int {
	none := i + 1
	for {
		switch t := tokenAt(list, i); {
		case t.Value == ")" || t.Value == "]":
			j := opening(list, i)
			if j < 0 {
				return none
			}
			if before := tokenAt(list, j-1); t.Value == "]" || before.Type == tokIdent {
				i = j - 1
				if t.Value == "]" {
					continue
				}
			} else {
				i = j
			}
		case t.Type == tokIdent, t.Type == tokInt, t.Type == tokString, t.Type == tokVar, t.Type == tokMap, t.Type == tokParam:
		default:
			return none
		}
		if before := tokenAt(list, i-1).Value; before != "." && before != "->" {
			return i
		}
		i -= 2
	}
}

// opening is the index of the bracket that token i closes, or -1.
func opening(list []lexer.Token, i int) int {
	for depth := 0; i >= 0; i-- {
		switch list[i].Value {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
