package parse

import (
	"bytes"
	"strconv"
	"strings"

	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// Preprocessor lines are obeyed where they are met, at file level and inside
// the region of a definition or body, and then overwritten with spaces, so
// that what follows sees neither them nor the branches not taken.

var directiveWords = map[string]bool{
	"include": true, "define": true, "undef": true, "if": true, "ifdef": true, "ifndef": true,
	"elif": true, "else": true, "endif": true, "pragma": true, "error": true, "warning": true, "line": true,
}

// isDirective reports whether the '#' at i is the first of its line and begins
// a preprocessor line.
func (p *parser) isDirective(i int) bool {
	for j := i - 1; j >= 0 && p.text[j] != '\n'; j-- {
		if !isSpace(p.text[j]) {
			return false
		}
	}
	return directiveWords[p.directiveWord(i)]
}

// directiveWord returns the word behind the '#' at i.
func (p *parser) directiveWord(i int) string {
	for i++; i < len(p.text) && (p.text[i] == ' ' || p.text[i] == '\t'); i++ {
	}
	return p.wordAt(i)
}

// lineEnd returns where the line of i ends, with its continuation lines.
func (p *parser) lineEnd(i int) int {
	for ; i < len(p.text); i++ {
		if p.text[i] != '\n' {
			continue
		}
		k := i - 1
		if k >= 0 && p.text[k] == '\r' {
			k--
		}
		if k < 0 || p.text[k] != '\\' {
			break
		}
	}
	return i
}

// blank overwrites text[i:end] with spaces, but for line breaks.
func (p *parser) blank(i, end int) {
	for ; i < end; i++ {
		if p.text[i] != '\n' {
			p.text[i] = ' '
		}
	}
}

// blankLine blanks the line of i and returns its end.
func (p *parser) blankLine(i int) int {
	end := p.lineEnd(i)
	p.blank(i, end)
	return end
}

// directive obeys the preprocessor line whose '#' is at i, blanks it, and
// returns the offset behind it.
func (p *parser) directive(i int) int {
	end := p.lineEnd(i)
	word := p.directiveWord(i)
	if word == "include" {
		// Nothing can follow the name: a backslash behind it is left over
		// from a command line, and the next line is the script's.
		if n := bytes.IndexByte(p.text[i:end], '\n'); n >= 0 {
			end = i + n
		}
	}
	at := ast.At{Span: p.f.Span(i, end)}
	p.prog.Directives = append(p.prog.Directives, at.Span)
	rest := i + bytes.Index(p.text[i:], []byte(word)) + len(word)
	arg := strings.TrimSpace(strings.NewReplacer("\\\r\n", " ", "\\\n", " ").Replace(stripComments(string(p.text[rest:end]))))
	switch word {
	case "include":
		arg = strings.TrimRight(arg, "\\ \t\r")
		name := strings.Trim(arg, `<>"`)
		p.prog.Includes = append(p.prog.Includes, name)
		if p.opts.Include != nil {
			if f := p.opts.Include(name, strings.HasPrefix(arg, `"`), p.f, at.Span); f != nil {
				p.readHeader(f)
			}
		}
	case "define":
		p.define(at, rest, end, arg)
	case "undef":
		delete(p.consts, arg)
	case "ifdef", "ifndef", "if":
		p.conds = append(p.conds, at.Span)
		if !p.condition(word, arg, at.Span) {
			p.blank(i, end)
			return p.skipBranch(end)
		}
	case "else", "elif":
		if len(p.conds) == 0 {
			p.errorf(at.Span, "this #%s has no #if", word).Hint = "remove it, or write #if or #ifdef above"
			break
		}
		// The branch before was taken, so no other is.
		p.blank(i, end)
		return p.skipToEndif(end)
	case "endif":
		if len(p.conds) == 0 {
			p.errorf(at.Span, "this #endif has no #if").Hint = "remove it, or write #if or #ifdef above"
			break
		}
		p.conds = p.conds[:len(p.conds)-1]
	case "error":
		p.errorf(at.Span, "#error %s", arg)
	case "pragma":
		p.pragma(at, arg)
	case "line", "warning":
	default:
		if i+1 < len(p.text) && p.text[i+1] == '!' {
			// Behind a comment, such as a licence, the kernel does not see
			// it either: it only says how the script is meant to be run.
			if !p.onlyComments(i) {
				p.errorf(at.Span, "a #! line must be the first line").Hint = "move it to the top"
			}
			break
		}
		if i+1 >= end || strings.IndexByte(" \t\r#", p.text[i+1]) >= 0 {
			// Older releases passed such lines over.
			p.diags.Warnf(at.Span, "'#' does not begin a comment; this line is ignored").Hintf("comments begin with //")
			break
		}
		p.errorf(at.Span, "unknown preprocessor line '%s'", shorten(strings.TrimSpace(string(p.text[i:end])))).
			Hintf("#include, #define and #if are understood; comments begin with //")
	}
	p.blank(i, end)
	return end
}

// pragma obeys "#pragma pack(...)"; other pragmas say nothing here.
func (p *parser) pragma(at ast.At, arg string) {
	list, ok := strings.CutPrefix(strings.ReplaceAll(arg, " ", ""), "pack(")
	if !ok || !strings.HasSuffix(list, ")") {
		return
	}
	for word := range strings.SplitSeq(strings.TrimSuffix(list, ")"), ",") {
		n, err := strconv.ParseUint(word, 0, 8)
		top := len(p.packs) - 1
		switch {
		case word == "push":
			p.packs = append(p.packs, p.pack)
		case word == "pop" && top >= 0:
			p.pack, p.packs = p.packs[top], p.packs[:top]
		case word == "" || word == "pop":
			p.pack = 0
		case err == nil && n&(n-1) == 0 && n <= maxAlign:
			p.pack = int(n)
		default:
			p.errorf(at.Span, "this #pragma pack is not understood").Hint = "write #pragma pack(push, 1), and #pragma pack(pop) after the definition"
		}
	}
}

// onlyComments reports whether nothing but spaces and comments stands before
// text[end].
func (p *parser) onlyComments(end int) bool {
	i := min(p.commented, end)
	for ; i < end; i = p.step(i) {
		if !isSpace(p.text[i]) && p.commentEnd(i) < 0 {
			return false
		}
	}
	p.commented = i
	return true
}

// stripComments removes the comments of a preprocessor line.
func stripComments(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		case s[i] == '"':
			j := i + 1
			for j < len(s) && s[j] != '"' {
				if s[j] == '\\' {
					j++
				}
				j++
			}
			j = min(j+1, len(s))
			b.WriteString(s[i:j])
			i = j
		case strings.HasPrefix(s[i:], "//"):
			return b.String()
		case strings.HasPrefix(s[i:], "/*"):
			n := strings.Index(s[i+2:], "*/")
			if n < 0 {
				return b.String()
			}
			b.WriteByte(' ')
			i += 2 + n + 2
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// mostDefine is how many bytes may follow the name of a #define, or an #if: each is an expression of its own.
const mostDefine = 1 << 16

// define notes "#define NAME value" and "#define NAME(x) value", whose arguments
// are text[rest:end].
func (p *parser) define(at ast.At, rest, end int, arg string) {
	for rest < end && isSpace(p.text[rest]) {
		rest++
	}
	d := &ast.Define{At: at, Name: p.wordAt(rest)}
	if d.Name == "" {
		p.errorf(at.Span, "expected a name after #define").Hint = "write #define NAME 5"
		return
	}
	rest += len(d.Name)
	d.Text = strings.TrimSpace(arg[len(d.Name):])
	if rest < end && p.text[rest] == '(' {
		n := bytes.IndexByte(p.text[rest:end], ')')
		if n < 0 {
			p.errorf(at.Span, "the parameters of this #define have no ')'").Hint = "write #define " + d.Name + "(x) x + 1"
			return
		}
		d.HasParams = true
		if list := strings.TrimSpace(string(p.text[rest+1 : rest+n])); list != "" {
			for _, name := range strings.Split(list, ",") {
				d.Params = append(d.Params, strings.TrimSpace(name))
			}
		}
		if last := len(d.Params) - 1; last >= 0 && strings.HasSuffix(d.Params[last], "...") {
			d.Rest = strings.TrimSpace(strings.TrimSuffix(d.Params[last], "..."))
			d.Params = d.Params[:last]
			if d.Rest == "" {
				d.Rest = "__VA_ARGS__"
			}
		}
		rest += n + 1
	}
	if size := end - rest; size > mostDefine {
		p.errorf(at.Span, "this #define has %d bytes: at most %d are read", size, mostDefine).Hint = "write it as several, or as a macro: macro " + d.Name + "() { }"
		return
	}
	p.prog.Defines = append(p.prog.Defines, d)
	delete(p.consts, d.Name)
	if d.Text == "" {
		p.consts[d.Name] = 1
		return
	}
	// The text becomes blank anyway; a '\' at a line's end is a space to
	// the expression.
	for k := rest; k < end; k++ {
		if p.text[k] == '\\' && k+1 < end && (p.text[k+1] == '\n' || p.text[k+1] == '\r') {
			p.text[k] = ' '
		}
	}
	if d.Rest != "" {
		p.blankCommaRules(rest, end, d.Rest)
	}
	around := p.params
	p.params = d.Params
	d.Value = p.quietly(func() ast.Expr { return p.tokens(rest, end, "the end of the line").replacement() })
	p.params = around
	if d.Value != nil && !d.HasParams {
		if v, ok := p.constant(d.Value); ok {
			p.consts[d.Name] = v
			return
		}
	}
	p.consts[d.Name] = 0 // defined, for #ifdef
}

// blankCommaRules removes what C needs to leave out the comma before no
// arguments, "##" before their name and __VA_OPT__(,): here none is left over.
func (p *parser) blankCommaRules(i, end int, name string) {
	for _, m := range commaRulesRE().FindAllSubmatchIndex(p.text[i:end], -1) {
		if opt := m[2]; opt >= 0 {
			p.blank(i+m[0], i+opt)
			p.blank(i+m[3], i+m[1])
		} else if behind := bytes.TrimLeft(p.text[i+m[1]:end], " \t"); bytes.HasPrefix(behind, []byte(name)) {
			p.blank(i+m[0], i+m[1])
		}
	}
}

var commaRulesRE = lazy(`##|\b__VA_OPT__\s*\(([^()]*)\)`)

// replacement parses what a #define stands for: an expression, or statements,
// in which case the last needs no ';' and they may stand in do { } while (0).
func (t *tokens) replacement() ast.Expr {
	start := t.here()
	b := &ast.Block{}
	if t.accept("do") {
		b = t.block()
		for _, word := range []string{"while", "(", "0", ")"} {
			if t.next().Value != word {
				panic(bailout{}) // whoever defines it need not use it
			}
		}
		t.expectEnd("the end of the line")
	}
	t.bare = true
	for !t.Peek().EOF() {
		demote(b)
		t.stmt(b)
	}
	if promote(b); len(b.Stmts) == 0 && b.Value != nil {
		return b.Value
	}
	b.Span = t.from(start)
	return &ast.BlockExpr{At: b.At, Body: b}
}

// quietly parses what need not be an expression: errors only make it nil.
func (p *parser) quietly(f func() ast.Expr) (x ast.Expr) {
	diags, errors, ended := p.diags, p.errors, p.ended
	defer func() { p.diags, p.errors, p.ended = diags, errors, ended }()
	p.diags, p.errors = &diag.List{}, 0
	p.guard(func() {
		p.try(func() { x = f() })
	})
	return x
}

var definedRE = lazy(`\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))`)

// condition decides an #if.
func (p *parser) condition(word, arg string, at source.Span) bool {
	if word != "if" {
		_, defined := p.consts[firstWord(arg)]
		return defined == (word == "ifdef")
	}
	if len(arg) > mostDefine {
		p.errorf(at, "this condition has %d bytes: at most %d are read", len(arg), mostDefine).Hint = "divide it by #define"
		return false
	}
	arg = definedRE().ReplaceAllStringFunc(arg, func(s string) string {
		m := definedRE().FindStringSubmatch(s)
		if _, ok := p.consts[m[1]+m[2]]; ok {
			return " 1 "
		}
		return " 0 "
	})
	// The condition has no offsets in the file, so it gets a parser of its
	// own. Names that are not defined are 0, as in C.
	sub := &parser{f: p.f, diags: &diag.List{}, text: []byte(arg), prog: &ast.Program{}, comments: map[int]*ast.Comment{}, consts: p.consts, typedefs: p.typedefs}
	x := sub.quietly(func() ast.Expr { return sub.tokens(0, len(arg), "").expr() })
	v, ok := p.constant(x)
	return ok && v != 0
}

func firstWord(s string) string {
	for i := 0; i < len(s); i++ {
		if !isWordByte(s[i]) {
			return s[:i]
		}
	}
	return s
}

// skipBranch blanks the text from i, in a branch not taken, to the branch that
// is taken or the #endif.
func (p *parser) skipBranch(i int) int {
	return p.skipLines(i, func(word, arg string, at source.Span) bool {
		return word == "else" || word == "elif" && p.condition("if", arg, at)
	})
}

// skipToEndif blanks the text from i to the #endif.
func (p *parser) skipToEndif(i int) int {
	return p.skipLines(i, func(string, string, source.Span) bool { return false })
}

// skipLines blanks lines up to the #endif of the current #if or to an #else or
// #elif line that is taken.
func (p *parser) skipLines(i int, taken func(word, arg string, at source.Span) bool) int {
	depth := 0
	for i < len(p.text) {
		if p.text[i] == '\n' {
			i++
			continue
		}
		end := p.lineEnd(i)
		line := strings.TrimSpace(string(p.text[i:end]))
		at := p.f.Span(i, end)
		p.blank(i, end)
		i = end
		if !strings.HasPrefix(line, "#") {
			continue
		}
		line = strings.TrimSpace(line[1:])
		word := firstWord(line)
		switch word {
		case "if", "ifdef", "ifndef":
			depth++
		case "endif":
			if depth == 0 {
				p.conds = p.conds[:len(p.conds)-1]
				return i
			}
			depth--
		case "else", "elif":
			if depth == 0 && taken(word, stripComments(line[len(word):]), at) {
				return i
			}
		}
	}
	return i
}
