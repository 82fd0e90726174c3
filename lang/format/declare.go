package format

import (
	"slices"
	"strings"

	"fst/lang/ast"
	"fst/lang/source"
)

// What is declared outside of clauses (settings, maps, probes, C types) is laid out
// by its tokens, not by its tree: a #define's name, which the tree has the value of,
// and all else that C lets one write, stays what it was.

// token is a word, a literal, an operator or a comment. lines counts the line
// breaks before it.
type token struct {
	text  string
	lines int
}

func (t token) isComment() bool {
	return strings.HasPrefix(t.text, "//") || strings.HasPrefix(t.text, "/*")
}

// isWord reports whether a token is of letters and digits, so that a blank parts it
// from another.
func (t token) isWord() bool {
	return t.text != "" && isWordByte(t.text[len(t.text)-1]) && !t.isComment()
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// operators are those of more than one character.
var operators = []string{"<<=", ">>=", "..", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "-=", "+=", "*=", "/=", "%=", "&=", "|=", "^="}

func operator(s string) string {
	for _, o := range operators {
		if strings.HasPrefix(s, o) {
			return o
		}
	}
	return s[:1]
}

// tokens splits a text. It returns false if it has anything else than the tokens of
// a declaration: preprocessor lines are such.
func (p *printer) tokens(sp source.Span) (out []token, ok bool) {
	text := p.text(sp)
	lines := 0
	for i := 0; i < len(text); {
		c, n := text[i], 1
		switch {
		case c == '\n':
			lines++
			i++
			continue
		case strings.IndexByte(" \t\r\v\f", c) >= 0:
			i++
			continue
		case isWordByte(c) || c == '@' || c == '$' && i+1 < len(text) && isWordByte(text[i+1]):
			for i+n < len(text) && isWordByte(text[i+n]) {
				n++
			}
		case c == '$' && i+1 < len(text) && text[i+1] == '#':
			n = 2
		case c == '"':
			for i+n < len(text) && text[i+n] != '"' {
				if text[i+n] == '\\' {
					n++
				}
				n++
			}
			n++
		case strings.HasPrefix(text[i:], "//"):
			if n = strings.IndexByte(text[i:], '\n'); n < 0 {
				n = len(text) - i
			}
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return nil, false
			}
			n = end + 4
		case strings.IndexByte("-+*/%&|^~!<>=?:;,.(){}[]", c) >= 0:
			n = len(operator(text[i:]))
		default:
			return nil, false
		}
		if i+n > len(text) {
			return nil, false
		}
		t := token{text[i : i+n], lines}
		if t.isComment() {
			t.text = withoutTrailing(t.text)
		}
		out, lines = append(out, t), 0
		i += n
	}
	return out, true
}

// codeEnd is where the last token of a declaration ends that is not a comment: one
// without a ';' may reach to what follows it.
func codeEnd(p *ast.Program, d *ast.Declaration, text string) source.Pos {
	end := d.Span.End
	for {
		end = d.Span.Start + source.Pos(len(strings.TrimRight(text[:end-d.Span.Start], " \t\r\n\v\f")))
		i := commentAt(p, end) - 1
		if i < 0 || p.Comments[i].Span.Start < d.Span.Start || p.Comments[i].Span.End < end {
			return end
		}
		end = p.Comments[i].Span.Start
	}
}

// declared prints a declaration.
func (p *printer) declared(d *ast.Declaration, sp source.Span) {
	ts, ok := p.tokens(sp)
	l := &layout{kind: d.Kind}
	open := "{"
	if d.Kind == "probe" {
		open = "("
	}
	hasBody := slices.ContainsFunc(ts, func(t token) bool { return t.text == open })
	if !ok || d.Kind == "let" && hasBody {
		p.verbatim(sp)
		return
	}
	if d.Kind == "import" || d.Kind == "let" {
		open = ""
	}
	for n := len(ts); n > 0 && ts[n-1].text == ";"; n = len(ts) {
		ts = ts[:n-1]
	}
	if !l.print(ts, open) {
		p.verbatim(sp)
		return
	}
	if d.Kind != "config" {
		l.semicolon(ts)
	}
	p.out.WriteString(l.String())
}

// layout prints the tokens of one declaration.
type layout struct {
	kind  string
	out   strings.Builder
	depth int
	prev  token // printed last on this line, or empty
	// before is printed before prev.
	before token
	// brackets are the open ones of an expression; value is true behind the '=' of
	// an enumerator or a map.
	brackets []string
	value    bool
	inBody   bool
	flat     bool // all on one line
	pads     []pad
}

// pad is so many blanks that belong where a comment begins, at an offset of out.
type pad struct{ at, n int }

// String is what was printed.
func (l *layout) String() string {
	slices.SortFunc(l.pads, func(a, b pad) int { return a.at - b.at })
	var b strings.Builder
	text, done := l.out.String(), 0
	for _, x := range l.pads {
		b.WriteString(text[done:x.at] + strings.Repeat(" ", x.n))
		done = x.at
	}
	return b.String() + text[done:]
}

func (l *layout) newline(depth int) {
	l.out.WriteString("\n" + strings.Repeat("\t", depth))
	l.prev, l.before = token{}, token{}
}

// write prints a token with the blank that it needs. next is the one behind it.
func (l *layout) write(t, next token) {
	switch {
	case strings.HasPrefix(l.prev.text, "//"):
		l.newline(l.depth + 1)
	case l.prev.text == "":
	case l.prev.isComment() || t.isComment() || l.gap(t, next) || glued(l.prev.text, t.text):
		l.out.WriteByte(' ')
	}
	l.out.WriteString(t.text)
	if t.text == "(" || t.text == "[" {
		l.brackets = append(l.brackets, l.prev.text+t.text)
	} else if n := len(l.brackets); n > 0 && (t.text == ")" || t.text == "]") {
		l.brackets = l.brackets[:n-1]
	}
	if !t.isComment() && len(l.brackets) == 0 {
		l.value = t.text == "=" || l.value && t.text != "," && t.text != ";"
	}
	l.before, l.prev = l.prev, t
}

// glued reports whether two tokens are others without a blank between them.
func glued(a, b string) bool {
	x, y := a[len(a)-1], b[0]
	if isWordByte(x) || x == '@' || x == '$' {
		return isWordByte(y)
	}
	return x != '"' && y != '"' && !isWordByte(y) && (len(operator(a+b)) > len(a) || strings.HasPrefix(a+b, "//") || strings.HasPrefix(a+b, "/*"))
}

// expression reports whether what stands here is one, and not a C declarator.
func (l *layout) expression() bool {
	if l.value || l.kind == "let" {
		return true
	}
	for _, b := range l.brackets {
		if strings.HasSuffix(b, "[") || b == "witness(" || b == "aligned(" || b == "__aligned(" {
			return true
		}
	}
	return false
}

// gap reports whether a blank stands between prev and t.
func (l *layout) gap(t, next token) bool {
	a, b := l.prev.text, t.text
	expr := l.expression()
	operand := func(t token) bool {
		return t.isWord() || t.text == ")" || t.text == "]" || strings.HasSuffix(t.text, `"`)
	}
	switch {
	case b == "," || b == ";" || b == ")" || b == "]" || a == "(" || a == "[":
		return false
	case a == "," || a == ";" || a == "=" || b == "=":
		return true
	case b == "[":
		return !operand(l.prev)
	case b == "." || b == "->" || b == ".." || a == "." || a == "->" || a == "..":
		return false
	case b == "(":
		return l.prev.isWord() && !expr && next.text == "*" || expr && !operand(l.prev) && operand(l.before)
	case b == "%" && l.kind == "config":
		return false
	case (a == ":" || b == ":") && !(expr && l.kind != "probe"):
		// A field's type, or the width of a member of bits, which may have no name.
		return l.kind == "probe" && a == ":" && l.inBody || l.kind != "probe" && b == ":" && l.before.text == ""
	case a == "*" && !expr:
		return false
	case b == "*" && !expr:
		return a != "*"
	case !operand(l.prev) && a != "}": // behind an operator: a blank if that had two operands
		return operand(l.before)
	case (b == "!" || b == "~") && !operand(l.prev):
		return false
	}
	return true
}

// semicolon ends the declaration.
func (l *layout) semicolon(ts []token) {
	if n := len(ts); n > 0 && strings.HasPrefix(ts[n-1].text, "//") {
		l.newline(0)
	}
	l.out.WriteByte(';')
}

// print prints tokens of which the first open, if there is one, begins a body. It
// returns false if they are not understood.
func (l *layout) print(ts []token, open string) bool {
	for i := 0; i < len(ts); i++ {
		t := ts[i]
		if t.text == "{" && open != "{" || t.text == "}" {
			return false
		}
		if t.text != open {
			var next token
			if i+1 < len(ts) {
				next = ts[i+1]
			}
			l.write(t, next)
			continue
		}
		end := closing(ts, i)
		if end < 0 {
			return false
		}
		brackets, value, inBody, kind, depth := l.brackets, l.value, l.inBody, l.kind, l.depth
		if !l.body(ts, i, end) {
			return false
		}
		l.brackets, l.value, l.inBody, l.kind, l.depth = brackets, value, inBody, kind, depth
		l.before, l.prev = token{}, ts[end]
		i = end
		if open == "(" {
			open = ""
		}
	}
	return true
}

// closing is the index of the bracket that closes the one at i, or -1.
func closing(ts []token, i int) int {
	depth := 0
	for ; i < len(ts); i++ {
		switch ts[i].text {
		case "(", "{", "[":
			depth++
		case ")", "}", "]":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// item is a setting, a member, an enumerator or a field of a probe, with its
// separator left out, or a comment on a line of its own.
type item struct {
	tokens  []token
	behind  []token // comments behind it on its line
	comment bool
	lines   int // breaks before it
}

// body prints what stands between the brackets at open and end, on one line if it
// stands on one and fits.
func (l *layout) body(ts []token, open, end int) bool {
	kind := l.kind
	if ts[open].text == "{" { // in a struct may be an enum
		for i := open - 1; i >= 0; i-- {
			if w := ts[i].text; w == "struct" || w == "union" || w == "enum" {
				kind = w
				break
			}
			if ts[i].text == ";" || ts[i].text == "}" || ts[i].text == "{" {
				break
			}
		}
	}
	separator := map[string]string{"enum": ",", "probe": ","}[kind]
	if separator == "" {
		separator = ";"
	}
	oneLine, length := ts[end].lines == 0, 0
	for _, t := range ts[open+1 : end] {
		oneLine = oneLine && t.lines == 0 && !t.isComment()
		length += len(t.text)
	}
	items, ok := itemsOf(ts[open+1:end], kind, separator)
	if !ok {
		return false
	}
	begin, close := ts[open].text, ts[end].text
	switch {
	case strings.HasPrefix(l.prev.text, "//"):
		l.newline(l.depth)
	case begin == "{" && l.prev.text != "":
		l.out.WriteByte(' ')
	}
	if len(items) == 0 {
		if begin == "{" {
			begin += " "
		}
		l.out.WriteString(begin + close)
		return true
	}
	if oneLine && (l.flat || length < width) {
		s, ok := l.inline(items, kind, separator)
		if !ok {
			return false
		}
		line := l.out.String()
		line = line[strings.LastIndexByte(line, '\n')+1:]
		rest := 1 // the ';'
		for _, t := range ts[end+1:] {
			rest += len(t.text) + 1
			if l.depth > 0 && t.text == ";" {
				break
			}
		}
		if begin == "{" {
			s = " " + s + " "
		}
		if l.flat || len(strings.ReplaceAll(line, "\t", "        "))+len(s)+2+rest <= width {
			l.out.WriteString(begin + s + close)
			return true
		}
	}
	l.out.WriteString(begin)
	if !l.lines(items, kind, separator, oneLine) {
		return false
	}
	l.newline(l.depth)
	l.out.WriteString(close)
	return true
}

// itemsOf splits the tokens of a body.
func itemsOf(ts []token, kind, separator string) (items []item, ok bool) {
	behind := func(t token) bool { return len(items) > 0 && !items[len(items)-1].comment && t.lines == 0 }
	for i := 0; i < len(ts); {
		t := ts[i]
		switch {
		case t.isComment():
			if behind(t) {
				last := &items[len(items)-1]
				last.behind = append(last.behind, t)
			} else {
				items = append(items, item{tokens: ts[i : i+1], comment: true, lines: t.lines})
			}
			i++
			continue
		case t.text == ";" && separator == ";", t.text == "," && kind == "config":
			i++
			continue
		}
		start, code := i, i
		for ; i < len(ts); i++ {
			if t := ts[i].text; t == separator || t == "," && kind == "config" || kind == "config" && i > start && settingBegins(ts[i:]) {
				break
			}
			if !ts[i].isComment() {
				code = i
			}
			if t := ts[i].text; t == "(" || t == "{" || t == "[" {
				end := closing(ts, i)
				if end < 0 {
					return nil, false
				}
				i, code = end, end
			}
		}
		if i < len(ts) && (ts[i].text == separator || ts[i].text == ",") {
			code = i - 1
		}
		items = append(items, item{tokens: ts[start : code+1], lines: ts[start].lines})
		if i = code + 1; i < len(ts) && (ts[i].text == separator || ts[i].text == ",") {
			i++
		}
	}
	return items, true
}

// settingBegins reports whether a setting does: between two there may be no
// separator.
func settingBegins(ts []token) bool {
	i := 1
	for i < len(ts) && ts[i].isComment() {
		i++
	}
	return ts[0].isWord() && i < len(ts) && ts[i].text == "="
}

// item prints an item.
func (l *layout) item(x item, kind string, depth int) bool {
	l.kind, l.depth, l.inBody, l.brackets, l.value = kind, depth, true, nil, false
	l.prev, l.before = token{}, token{}
	open := "{"
	if kind == "enum" || kind == "probe" || kind == "config" {
		open = ""
	}
	return l.print(x.tokens, open)
}

// inline prints items on one line.
func (l *layout) inline(items []item, kind, separator string) (string, bool) {
	sub := &layout{flat: true}
	for i, x := range items {
		if i > 0 {
			sub.out.WriteByte(' ')
		}
		if !sub.item(x, kind, 0) {
			return "", false
		}
		if i < len(items)-1 || kind == "struct" || kind == "union" {
			sub.out.WriteString(separator)
		}
	}
	return sub.out.String(), true
}

// lines prints items on lines of their own, but enumerators on the lines where they
// stand, or, with fill, on as few as hold them. Comments behind items on successive
// lines begin in one column.
func (l *layout) lines(items []item, kind, separator string, fill bool) bool {
	outer, depth := l.depth, l.depth+1
	indent := "\n" + strings.Repeat("\t", depth)
	type line struct{ behind, length int } // where the comment goes, and how far from the line's start
	var run []line
	endRun := func() {
		column := 0
		for _, x := range run {
			column = max(column, x.length)
		}
		for _, x := range run {
			l.pads = append(l.pads, pad{x.behind, column - x.length})
		}
		run = nil
	}
	start := 0 // of the line
	for i, x := range items {
		if i > 0 && x.lines > 1 {
			endRun()
			l.out.WriteByte('\n')
		}
		if x.comment {
			endRun()
			l.out.WriteString(indent + x.tokens[0].text)
			continue
		}
		joined := false
		if kind == "enum" {
			text, ok := l.inline(items[i:i+1], kind, separator)
			if !ok {
				return false
			}
			joined = i > 0 && x.lines == 0 && !items[i-1].comment && len(items[i-1].behind) == 0 &&
				(!fill || l.out.Len()-start+1+len(text)+1+7*depth <= width)
		}
		if joined {
			l.out.WriteByte(' ')
		} else {
			start = l.out.Len() + 1
			l.out.WriteString(indent)
		}
		if !l.item(x, kind, depth) {
			return false
		}
		if n := len(x.tokens); strings.HasPrefix(x.tokens[n-1].text, "//") {
			l.out.WriteString(indent)
		}
		l.out.WriteString(separator)
		if len(x.behind) == 0 {
			if !joined {
				endRun()
			}
			continue
		}
		at := line{l.out.Len(), l.out.Len() - start}
		oneLine := !strings.Contains(l.out.String()[start:], "\n")
		for _, c := range x.behind {
			l.out.WriteString(" " + c.text)
			oneLine = oneLine && !strings.Contains(c.text, "\n")
		}
		if !oneLine {
			endRun()
			continue
		}
		run = append(run, at)
	}
	endRun()
	l.depth = outer
	return true
}
