// Package parse turns a script into a tree.
//
// The file level (clauses, attach points, C definitions, preprocessor lines)
// is read from raw text, because an attach point has no tokens of its own:
// clause.go and scan.go find where each body, filter and definition begins
// and ends. Each of those regions is then lexed (lexer.go), held by
// participle's peeking lexer and parsed by recursive descent. An error ends only the statement or
// definition it is in, so that all errors of a script are reported.
//
// It must not import anything above lang: no compiler, no runtime.
package parse

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"

	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/source"
)

// MaxScript is how many bytes a script may have.
const MaxScript = 256 << 10

// maxErrors is how many errors of one text are reported; fewer are shown
// (diag.Renderer).
const maxErrors = 100

// parser is the state of one Parse.
type parser struct {
	f     *source.File
	diags *diag.List
	// text is the file's text with preprocessor lines blanked out as they
	// are met; offsets never change.
	text []byte
	// commented is how much of text is known to be spaces and comments only.
	commented int
	prog      *ast.Program
	// comments by their start: scanning and lexing may both meet one.
	comments map[int]*ast.Comment
	// conds are the open #if blocks whose first branch was taken.
	conds []source.Span
	// consts are the values of #defines and enumerators, for array lengths
	// and #if.
	consts map[string]int64
	// typedefs are the names that typedef has made types.
	typedefs map[string]bool
	// params are the parameters of the macro or #define that is being parsed, which
	// may stand for types.
	params []string
	// pack is the largest alignment of members that #pragma pack allows, 0 without
	// one; packs are those that it pushed.
	pack   int
	packs  []int
	errors int
	opts   Options
	// header is true for a file of C declarations: what is not understood
	// of it is passed over.
	header bool
	// astray is set once something is wrong with a clause or a macro: what
	// stands behind it may be a part of it, and a '}' its end.
	astray bool
	// ended is set once an error has been reported at the end of the text:
	// whatever else is missing there follows from it.
	ended bool
}

// bailout leaves the statement or definition that an error is in; the error
// has been reported. It is thrown by tokens.fail and caught by parser.try.
type bailout struct{}

// tooMany ends the whole parse after maxErrors.
type tooMany struct{}

// Options are what a parse needs of other files.
type Options struct {
	// Include returns the text that the #include line at a place names, or nil
	// if there is none to be read. Without it no such line is followed.
	Include func(name string, quoted bool, from *source.File, at source.Span) *source.File
	// Before are headers that are read before the script.
	Before []*source.File
	// Header says that the text is one of C declarations, not of clauses.
	Header bool
	// Statements says that the text is the statements of a begin clause.
	Statements bool
	// Show prints the value that such statements end with.
	Show bool
}

// lazy makes a regular expression when it is first asked for: most are for what is
// wrong with a script, and compiling them takes longer than parsing one that is right.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// Parse parses a script. It returns a tree even if there are errors; the
// parts with errors are left out. It never panics, whatever the text.
func Parse(f *source.File, diags *diag.List) *ast.Program {
	return ParseWith(f, Options{}, diags)
}

// ParseWith parses a script together with the headers that it includes.
func ParseWith(f *source.File, o Options, diags *diag.List) *ast.Program {
	p := newParser(f, diags)
	p.opts = o
	if what, hint := notText(f.Name, f.Text); what != "" {
		diags.Errorf(source.Span{}, "%s", what).Hintf("%s", hint)
		return p.prog
	}
	if len(f.Text) > MaxScript && !o.Header {
		diags.Errorf(f.Span(MaxScript, MaxScript), "%s is too large: a script has at most %d bytes", f.Name, MaxScript).
			Hintf("split it into two scripts")
		return p.prog
	}
	if strings.HasPrefix(f.Text, byteOrderMark) {
		copy(p.text, strings.Repeat(" ", len(byteOrderMark)))
	}
	for _, h := range o.Before {
		p.readHeader(h)
	}
	if o.Header {
		p.readHeader(f)
		return p.prog
	}
	if o.Statements {
		p.guard(p.statements)
	} else {
		p.guard(func() { p.file() })
	}
	for _, c := range p.comments {
		p.prog.Comments = append(p.prog.Comments, c)
	}
	sort.Slice(p.prog.Comments, func(i, j int) bool {
		return p.prog.Comments[i].Span.Start < p.prog.Comments[j].Span.Start
	})
	p.probeDocs()
	return p.prog
}

// IsIncomplete reports whether the only thing wrong with a text is that it
// ended where more was expected: more lines could make it right.
func IsIncomplete(diags *diag.List) bool {
	found := false
	for i := range diags.All {
		if d := &diags.All[i]; d.Severity == diag.Error {
			if !d.Incomplete {
				return false
			}
			found = true
		}
	}
	return found
}

func newParser(f *source.File, diags *diag.List) *parser {
	return &parser{
		f: f, diags: diags, text: []byte(f.Text),
		prog:     &ast.Program{At: ast.At{Span: f.Span(0, len(f.Text))}},
		comments: map[int]*ast.Comment{},
		consts:   map[string]int64{"BPFTRACE_HAVE_BTF": 1},
		typedefs: map[string]bool{},
	}
}

// guard runs f to its end or to the error that is one too many.
func (p *parser) guard(f func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(tooMany); !ok {
				panic(r)
			}
		}
	}()
	f()
}

// try runs f and reports whether it came to its end without an error.
func (p *parser) try(f func()) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(bailout); !is {
				panic(r)
			}
			ok = false
		}
	}()
	f()
	return true
}

// errorf reports an error and goes on.
func (p *parser) errorf(sp source.Span, format string, args ...any) *diag.Diagnostic {
	if p.errors >= maxErrors {
		panic(tooMany{})
	}
	p.errors++
	return p.diags.Errorf(sp, format, args...)
}

// incomplete reports that the text ended too early. Only the first of such
// errors is reported: more of the text would answer the others as well.
func (p *parser) incomplete(sp source.Span, format string, args ...any) *diag.Diagnostic {
	if p.ended {
		return &diag.Diagnostic{}
	}
	p.ended = true
	d := p.errorf(sp, format, args...)
	d.Incomplete = true
	return d
}

// fail reports an error at a place and leaves the statement. Use it for the
// error's hint: t.fail(sp, hint, format, args...).
func (t *tokens) fail(sp source.Span, hint, format string, args ...any) {
	t.p.errorf(sp, format, args...).Hint = hint
	panic(bailout{})
}

// unexpected reports that something else was expected where the next token
// is, and leaves the statement.
func (t *tokens) unexpected(what, hint string) {
	tok := t.Peek()
	switch {
	case tok.Type == tokBadComment:
		t.p.incomplete(t.span(tok), "this comment has no end").Hint = "close it with */"
	case tok.Type == tokBadString:
		t.badString()
	case tok.EOF() && t.endName == "":
		// The place is behind what was read, not behind the blanks that follow.
		end := t.p.f.Span(t.prevEnd, t.prevEnd)
		if unquoted := t.unquotedFormat(tok); unquoted != "" {
			hint = unquoted
		}
		t.p.incomplete(end, "expected %s, found the end of the script", what).Hint = hint
	default:
		if slip := t.slip(tok); slip != "" {
			hint = slip
		}
		if hint == "" {
			hint = t.comparison(tok)
		}
		if t.quoteBehind() {
			hint = "a string begins with \", too: its first one is missing"
			if isBad(tok, "\\") {
				hint = "leave out the '\\': it is for a \" within a string"
			}
			t.cut, t.p.ended = true, true
		}
		sp := t.span(tok)
		if strings.HasSuffix(hint, " is missing") && t.prev != nil && hasNewline(t.p.text[t.prevEnd:t.base+tok.Pos.Offset]) {
			sp = t.p.f.Span(t.prevEnd, t.prevEnd+1) // it is missing there, not on the next line
		}
		t.p.errorf(sp, "expected %s, found %s", what, t.describe(tok)).Hint = hint
	}
	panic(bailout{})
}

// badString reports the unterminated string that is the next token.
func (t *tokens) badString() {
	tok := t.Peek()
	start := t.base + tok.Pos.Offset
	const msg = "this string has no closing quote"
	hint := `end it with "; a line break inside is written \n`
	if t.prev != nil && t.prev.Type == tokIdent && t.prevEnd == start {
		hint = fmt.Sprintf(`if it is to end here, write "%s"`, t.prev.Value)
	}
	// The brackets behind it on its line are taken for text.
	defer func() { t.cut, t.p.ended = true, true }()
	t.p.errorf(t.span(tok), msg).Hint = hint
}

// isBad reports whether tok is the character s, which has no meaning.
func isBad(tok *lexer.Token, s string) bool { return tok.Type == tokBad && tok.Value == s }

// quoteBehind reports whether a quote without a partner follows on the line of
// the next token: a string has begun before it.
func (t *tokens) quoteBehind() bool {
	save := t.MakeCheckpoint()
	defer t.LoadCheckpoint(save)
	for from := t.prevEnd; !t.Peek().EOF(); t.PeekingLexer.Next() {
		switch tok := t.Peek(); {
		case tok.Type == tokBadString:
			return true
		case hasNewline(t.p.text[from : t.base+tok.Pos.Offset]):
			return false
		default:
			from = t.base + tok.Pos.Offset
		}
	}
	return false
}

// expect consumes the word s or reports what was found in its place.
func (t *tokens) expect(s, why, hint string) {
	if t.accept(s) {
		return
	}
	what := "'" + s + "'"
	if why != "" {
		what += " " + why
	}
	t.unexpected(what, hint)
}

// expectEnd reports an error if the region has more tokens.
func (t *tokens) expectEnd(what string) {
	if !t.Peek().EOF() {
		t.unexpected(what, "")
	}
}

// ident consumes a bare word and returns it with its place.
func (t *tokens) ident(what, hint string) (string, source.Span) {
	tok := t.Peek()
	if tok.Type != tokIdent {
		t.unexpected(what, hint)
	}
	t.next()
	return tok.Value, t.span(tok)
}

// enter counts a level of nesting; call leave on the way out. (A bailout
// needs no leave: the statement that catches it restores the depth.)
func (t *tokens) enter() {
	t.depth++
	if t.depth > maxDepth {
		t.fail(t.here(), "split it into several statements with $variables",
			"this is nested too deeply (more than %d levels)", maxDepth)
	}
}

func (t *tokens) leave() { t.depth-- }
