package parse

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fst/lang/ast"
	"fst/lang/diag"
)

// providers are the long names of the providers.
var providers = map[string]bool{
	"kprobe": true, "kretprobe": true, "tracepoint": true, "rawtracepoint": true,
	"uprobe": true, "uretprobe": true, "usdt": true, "fentry": true, "fexit": true,
	"profile": true, "interval": true, "software": true, "hardware": true,
	"watchpoint": true, "iter": true, "self": true, "begin": true, "end": true,
	"test": true, "bench": true,
	// fst's own
	"call": true, "ucall": true, "syscall": true, "io": true, "page": true,
	"report": true, "proc": true, "fs": true, "sched": true, "net": true,
}

// alone are the providers that nothing stands behind.
var alone = map[string]bool{"begin": true, "end": true, "report": true}

// families are the providers whose probes the standard library defines.
var families = map[string]bool{"io": true, "page": true, "proc": true, "fs": true, "sched": true, "net": true}

// shortProviders are the aliases, which are exact (U is not u).
var shortProviders = map[string]string{
	"k": "kprobe", "kr": "kretprobe", "t": "tracepoint", "rt": "rawtracepoint",
	"u": "uprobe", "ur": "uretprobe", "U": "usdt", "f": "fentry", "fr": "fexit",
	"p": "profile", "i": "interval", "s": "software", "h": "hardware",
	"w": "watchpoint", "it": "iter",
}

// oldProviders are names of earlier releases, in any case.
var oldProviders = map[string]string{"kfunc": "fentry", "kretfunc": "fexit"}

// providerName returns the long name of a provider as it was written, and
// whether it is known.
func providerName(written string) (string, bool) {
	if long, ok := shortProviders[written]; ok {
		return long, true
	}
	lower := strings.ToLower(written)
	if long, ok := oldProviders[lower]; ok {
		return long, true
	}
	return lower, providers[lower]
}

// Provider returns the long name of a kind of probe as it is written ("k",
// "tracepoint"), and whether there is such a kind.
func Provider(written string) (string, bool) { return providerName(written) }

// attachEnd returns where the attach point that begins at i ends: at a blank
// that is not within it, '{', ',', '|', ';', or a '/' that starts a filter. This
// is the one place where a filter and a path are told apart: a '/' before any ':'
// starts a filter ("BEGIN/pid/{"), one behind a ':' belongs to the path.
func (p *parser) attachEnd(i int) int {
	start, colon := i, false
	for i < len(p.text) {
		if end := p.optionEnd(i); end > i {
			i = end
			continue
		}
		switch c := p.text[i]; {
		case isSpace(c):
			next := p.behindBlanks(start, i)
			if next == i {
				return i
			}
			i = next
			continue
		case c == '{', c == '}', c == ',', c == '|', c == ';', c == '/' && !colon:
			return i
		case c == '"':
			end := p.stringEnd(i)
			if end < len(p.text) && p.text[end] == '\n' && (end == i+1 || p.text[end-1] != '"') {
				return end // it is not closed
			}
			i = end
			continue
		case c == '\\' && i+1 < len(p.text) && p.text[i+1] != '\n':
			i++
		case c == ':':
			colon = true
		}
		i++
	}
	return i
}

// behindBlanks returns where the attach point that begins at start goes on behind
// the blanks at i, or i if it ends there. It goes on behind a ':' and on both sides
// of the '+' of an offset: before release 0.27 bpftrace left out the blanks of a
// probe, and generated scripts have them.
func (p *parser) behindBlanks(start, i int) int {
	next, newline := i, false
	for ; next < len(p.text) && isSpace(p.text[next]); next++ {
		newline = newline || p.text[next] == '\n'
	}
	colons := bytes.Count(p.text[start:i], []byte(":"))
	if next == len(p.text) || colons == 0 || newline && p.looksLikeClause(next) {
		return i
	}
	digit := func(k int) bool { return k < len(p.text) && p.text[k] >= '0' && p.text[k] <= '9' }
	provider, _ := providerName(p.wordAt(start))
	switch c, before := p.text[next], p.text[i-1]; {
	case before == ':' && (isWordByte(c) || strings.IndexByte(`"*$.`, c) >= 0),
		before == ':' && c == '/' && colons == 1 && takesFile[provider],
		before == '+' && digit(next):
		return next
	case c == '+':
		if k, _ := p.skip(next+1, false); digit(k) {
			return next
		}
	}
	return i
}

// takesFile are the kinds of probes whose first part is a file.
var takesFile = map[string]bool{"uprobe": true, "uretprobe": true, "ucall": true, "usdt": true}

// tight returns text[start:end], an attach point, without its blanks.
func (p *parser) tight(start, end int) string {
	if bytes.IndexFunc(p.text[start:end], unicode.IsSpace) < 0 {
		return string(p.text[start:end])
	}
	var b strings.Builder
	for i := start; i < end; {
		next := i + 1
		if e := p.optionEnd(i); e > i {
			next = e
		} else if p.text[i] == '"' {
			next = p.stringEnd(i)
		} else if p.text[i] == '\\' && next < end {
			next++
		} else if isSpace(p.text[i]) {
			i = next
			continue
		}
		b.Write(p.text[i:min(next, end)])
		i = next
	}
	return b.String()
}

// optionEnd returns where the getopt(...) ends that is all of the part of an
// attach point at i, or i if there is none.
func (p *parser) optionEnd(i int) int {
	const call = "getopt("
	if i == 0 || p.text[i-1] != ':' || !strings.HasPrefix(string(p.text[i:min(len(p.text), i+len(call))]), call) {
		return i
	}
	for j := i; j < len(p.text) && p.text[j] != '\n'; j++ {
		switch p.text[j] {
		case '"':
			j = p.stringEnd(j) - 1
		case ')':
			return j + 1
		}
	}
	return i
}

// option parses text[start:end], a getopt(...) within an attach point. There it
// needs a default, a number or a text, which tells what kind of word it takes.
func (p *parser) option(start, end int) *ast.Call {
	var call *ast.Call
	p.try(func() {
		t := p.tokens(start, end, "the end of the probe")
		x := t.expr()
		t.expectEnd("the end of the probe")
		c, isCall := x.(*ast.Call)
		if isCall && (len(c.Args) == 2 || len(c.Args) == 3) {
			_, named := c.Args[0].(*ast.StringLit)
			_, number := c.Args[1].(*ast.IntLit)
			_, text := c.Args[1].(*ast.StringLit)
			if named && (number || text) {
				call = c
				return
			}
		}
		t.fail(x.Pos(), `write the name and the default: profile:hz:getopt("frequency", 99)`, "an option within a probe needs a default")
	})
	return call
}

// attachPart is a piece of an attach point between two ':'.
type attachPart struct {
	text  string // without quotes and escapes
	start int
	end   int
}

// splitAttach splits text[start:end] at ':' outside quotes; nil if a quote is
// not closed, which is reported.
func (p *parser) splitAttach(start, end int) []attachPart {
	var parts []attachPart
	var b strings.Builder
	from, quoted, quote := start, false, start
	for i := start; i < end; i++ {
		if e := p.optionEnd(i); !quoted && e > i && e <= end {
			b.Write(p.text[i:e])
			i = e - 1
			continue
		}
		switch c := p.text[i]; {
		case c == '"':
			quoted, quote = !quoted, i
		case c == '\\' && i+1 < end:
			i++
			b.WriteByte(p.text[i])
		case c == ':' && !quoted:
			parts = append(parts, attachPart{b.String(), from, i})
			b.Reset()
			from = i + 1
		case isSpace(c) && !quoted:
			if from == i {
				from++
			}
		default:
			b.WriteByte(c)
		}
	}
	if quoted {
		p.quoteError(quote, end)
		return nil
	}
	return append(parts, attachPart{b.String(), from, end})
}

// quoteError reports an attach point with a quote that is not closed.
func (p *parser) quoteError(start, end int) {
	const msg, hint = "this probe has an opening quote without a closing one", `close the quoted part with "`
	if end == len(p.text) {
		p.incomplete(p.f.Span(start, end), msg).Hint = hint
		return
	}
	p.errorf(p.f.Span(start, end), msg).Hint = hint
}

// countedEvents are the providers whose attach points end in how many events
// make the probe fire. With nothing behind the last ':' that is the usual
// number, as in the listing of the events.
var countedEvents = map[string]bool{"software": true, "hardware": true}

// attachPoint parses text[start:end] as one attach point without
// alternatives. first is the attach point it is an alternative to, or nil. It
// returns nil if the text is not an attach point; the error is then reported. behind
// is end, or behind the filter that should not have been a part of it.
func (p *parser) attachPoint(start, end int, first *ast.AttachPoint) (found *ast.AttachPoint, behind int) {
	a := &ast.AttachPoint{At: ast.At{Span: p.f.Span(start, end)}, Raw: p.tight(start, end)}
	start, ok := p.label(a, start, end)
	if !ok || !p.plainProbe(start, end) {
		return nil, end
	}
	if name := bytes.TrimRight(p.text[start:end], `\\`); len(name) > 0 && (end-start-len(name))%2 == 1 {
		p.errorf(p.f.Span(end-1, end), "a probe can't end in '\\'").Hint = "the clause may continue on the next line without it"
		return nil, end
	}
	parts := p.splitAttach(start, end)
	if parts == nil {
		return nil, end
	}
	if parts, ok = p.attachKind(a, parts, first); !ok || !p.attachParts(a, parts) {
		return nil, end
	}
	if behind := p.gluedFilter(a, parts); behind > 0 {
		return nil, behind
	}
	if n := len(parts); n > 0 && parts[n-1].start == parts[n-1].end {
		if countedEvents[a.Provider] && len(a.Parts) == 2 {
			a.Parts, a.PartSpans = a.Parts[:1], a.PartSpans[:1]
			return a, end
		}
		p.nameless(a, end)
		return nil, end
	}
	return a, end
}

// gluedFilter reports a filter that stands directly behind the last part of an
// attach point, and returns the offset behind it, or 0 if there is none: no name of
// an event or a function ends in '/'. The filter may go on where the attach point
// ends, behind a blank, a ',' or a '|'.
func (p *parser) gluedFilter(a *ast.AttachPoint, parts []attachPart) (behind int) {
	if len(parts) == 0 || len(a.Parts) == 1 && takesFile[a.Provider] {
		return 0
	}
	last := parts[len(parts)-1]
	slash := bytes.IndexByte(p.text[last.start:last.end], '/')
	if slash < 1 {
		return 0
	}
	from := last.start + slash
	if behind = last.end; behind < from+2 || p.text[behind-1] != '/' {
		// The names of Go's functions have a '/' in them.
		if behind = p.filterEnd(from+1) + 1; takesFile[a.Provider] || behind < from+3 || !oneFilter(p.text[from+1:behind-1]) {
			return 0
		}
	}
	filter := strings.TrimSpace(string(p.text[from:behind]))
	p.errorf(p.f.Span(from, behind), "this filter belongs to the name of the probe").
		Hintf("put a space before it: %s %s", p.tight(int(a.Span.Start-p.f.Base), from), filter)
	return behind
}

// oneFilter reports whether a text that begins and ends as a filter does is one, and
// not a list of probes with the filter behind it, or more.
func oneFilter(text []byte) bool {
	for i, c := range text {
		if strings.IndexByte("\n{};", c) >= 0 || c == '/' && isSpace(text[max(i-1, 0)]) && i+1 < len(text) && !isSpace(text[i+1]) {
			return false
		}
	}
	return true
}

// label reads NAME= before an attach point and returns what is behind it. It reports
// one with nothing behind it, and returns false.
func (p *parser) label(a *ast.AttachPoint, start, end int) (behind int, ok bool) {
	w := p.wordAt(start)
	if w == "" || start+len(w) >= end || p.text[start+len(w)] != '=' {
		return start, true
	}
	a.Label = w
	behind = start + len(w) + 1
	if behind < end {
		return behind, true
	}
	const msg = "expected a probe after the label '%s='"
	if end == len(p.text) {
		p.incomplete(a.Span, msg, w)
	} else {
		p.errorf(a.Span, msg, w).Hintf("%s=syscall:openat names that probe %s", w, w)
	}
	return behind, false
}

// plainProbe reports blanks and colons that only look like those of ASCII, and
// returns false if there is one.
func (p *parser) plainProbe(start, end int) bool {
	for k, c := range string(p.text[start:end]) {
		if at := start + k; c >= utf8.RuneSelf && (blanks[c] != "" || plainOf(c) == ":") {
			s := string(c)
			what := "the character " + strconv.Quote(s)
			if b := blank(s); b != "" {
				what = b
			}
			p.errorf(p.f.Span(at, at+len(s)), "a probe has %s in it", what).Hint = strayCharacter(s)
			return false
		}
	}
	return true
}

// attachKind reads the kind of probe, the first of the parts, and returns the others.
// An alternative without one has that of the first. It reports what is no kind, and
// returns false.
func (p *parser) attachKind(a *ast.AttachPoint, parts []attachPart, first *ast.AttachPoint) (others []attachPart, ok bool) {
	head := parts[0]
	provider, known := providerName(head.text)
	if first != nil && (len(parts) == 1 || !known) {
		a.Provider, a.Written = first.Provider, first.Written
		// "b" of "kprobe:mod:a | b" has the module of the first as well.
		if lead := len(first.Parts) - len(parts); lead > 0 {
			a.Parts = append(a.Parts, first.Parts[:lead]...)
			a.PartSpans = append(a.PartSpans, first.PartSpans[:lead]...)
		}
		return parts, true
	}
	pattern := len(parts) > 1 && strings.Contains(head.text, "*") || hasParameter(head.text)
	if !isKindName(head.text, pattern) {
		d := p.errorf(p.f.Span(head.start, max(head.end, head.start+1)), "expected a probe such as syscall:openat, found '%s'", shorten(a.Raw)).
			Hintf("a clause is written probe /filter/ { action }")
		if instead := Foreign(a.Raw); instead != "" {
			d.Hintf("write %s", instead)
		} else if strings.HasPrefix(a.Raw, `\`) {
			d.Hintf(`a program continues on the next line without a '\'`)
		} else if kind, _, ok := strings.Cut(head.text, ":"); ok && providers[kind] {
			d.Hintf("write %s; quotes are for a part between two ':'", head.text)
		} else if p.looksLikeStatement(head.start) {
			d.Hintf("statements belong to a probe: begin { ... }, or syscall:openat { ... }")
		}
		return nil, false
	}
	a.Provider, a.Written, a.ProviderSpan = provider, head.text, p.f.Span(head.start, head.end)
	return parts[1:], true
}

// hasParameter reports whether a word of the command line is meant in a text, which may
// bring the kind of a probe, too.
func hasParameter(s string) bool {
	i := strings.IndexByte(s, '$') + 1
	return i > 0 && i < len(s) && s[i] >= '0' && s[i] <= '9'
}

// isKindName reports whether a text can be the name of a kind of probe or, if
// pattern, a pattern of such names or one with parameters.
func isKindName(s string, pattern bool) bool {
	for i := range len(s) {
		if !isWordByte(s[i]) && !(pattern && (s[i] == '*' || s[i] == '$')) {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9')
}

// attachParts adds parts to an attach point, and the options that they are. It
// returns false if one is wrong; that is then reported.
func (p *parser) attachParts(a *ast.AttachPoint, parts []attachPart) bool {
	total := len(a.Parts) + len(parts)
	for _, part := range parts {
		a.Parts = append(a.Parts, part.text)
		a.PartSpans = append(a.PartSpans, p.f.Span(part.start, part.end))
		if p.optionEnd(part.start) != part.end || part.end == part.start {
			continue
		}
		o := p.option(part.start, part.end)
		if o == nil {
			return false
		}
		if a.Options == nil {
			a.Options = make([]*ast.Call, total)
		}
		a.Options[len(a.Parts)-1] = o
	}
	return true
}

// nameless reports that nothing stands behind the last ':' of an attach point,
// which ends at end.
func (p *parser) nameless(a *ast.AttachPoint, end int) {
	const msg = "expected a name after '%s'"
	next, _ := p.skip(end, false)
	var d *diag.Diagnostic
	switch {
	case end == len(p.text):
		d = p.incomplete(p.f.Span(end, end), msg, a.Raw)
	default:
		d = p.errorf(p.f.Span(end-1, end), msg, a.Raw)
		if next < len(p.text) && strings.IndexByte("{/,", p.text[next]) < 0 {
			d.Hintf("write the name directly after the ':', without a space")
			return
		}
	}
	switch {
	case a.Provider == "interval":
		d.Hintf("write interval:s:1 or interval:1s")
	case a.Provider == "profile":
		d.Hintf("write profile:hz:99 or profile:10ms")
	case len(a.Parts) == 1 && !alone[a.Provider] || len(a.Parts) == 2 && needsTwo[a.Provider]:
		d.Hintf("fst -l '%s*' lists what can be used there", a.Raw)
	default:
		d.Hintf("leave out the ':': %s", strings.TrimSuffix(a.Raw, ":"))
	}
}

// needsTwo are the kinds of probes that are not complete with one name.
var needsTwo = map[string]bool{"tracepoint": true, "uprobe": true, "uretprobe": true, "ucall": true, "usdt": true}

// probeArg parses the attach point that is the argument of exists: the raw
// text up to the ')' or ','. The tokens inside only serve to find the end.
func (t *tokens) probeArg() *ast.ProbeArg {
	start := t.here()
	for !t.Peek().EOF() && !t.isOneOf(")", ",", ";", "}") {
		t.next()
	}
	sp := t.from(start)
	from, to := int(sp.Start-t.p.f.Base), int(sp.End-t.p.f.Base)
	for i := from; i < to; i = t.p.step(i) {
		if isSpace(t.p.text[i]) || t.p.commentEnd(i) >= 0 {
			t.fail(sp, "write it without blanks, or put the part with blanks in quotes", "a probe has no blanks in it")
		}
	}
	a, _ := t.p.attachPoint(from, to, nil)
	if a == nil {
		panic(bailout{})
	}
	return &ast.ProbeArg{At: ast.At{Span: sp}, Probe: a}
}
