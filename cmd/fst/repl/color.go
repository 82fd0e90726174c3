package repl

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The colours of a program's words, as the codes of terminals.
const (
	ofString   = "32"
	ofNumber   = "36"
	ofProbe    = "33"
	ofMap      = "35"
	ofVariable = "36"
	ofKeyword  = "34"
	ofComment  = "2"
	ofCommand  = "1"
	ofPair     = "1;4" // the brackets at the cursor
)

// span is a part of a text that has a colour.
type span struct {
	from, to int
	color    string
}

// tokens are the words, signs and remarks of a program, whose line breaks may be marks.
var tokens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:[^"\\]|\\.)*(?:"|\\?$)|//[^\n␤]*|(?s:/\*.*?(?:\*/|$))|@\w*|\$\w+|\d\w*|[A-Za-z_]\w*(?::[^\s{,;()␤␉]+|:)?|[][(){}]|;`)
})

// wholeClauses are probes without a colon.
var wholeClauses = []string{"BEGIN", "END", "begin", "end", "self", "report"}

// spans are the coloured parts of a program that may end anywhere, and its brackets by pairs.
func spans(text string, isKeyword func(string) bool) (list []span, pairs map[int]int) {
	pairs = map[int]int{}
	var open []int
	begins := true // a clause, where a probe may stand
	for from := 0; from < len(text); {
		at := tokens().FindStringIndex(text[from:])
		if at == nil {
			break
		}
		at[0], at[1] = at[0]+from, at[1]+from
		token, color := text[at[0]:at[1]], ""
		switch c := token[0]; {
		case c == '"':
			color = ofString
		case strings.HasPrefix(token, "//"), strings.HasPrefix(token, "/*"):
			color = ofComment
		case c == '@':
			color = ofMap
		case c == '$':
			color = ofVariable
		case c >= '0' && c <= '9':
			color = ofNumber
		case strings.ContainsRune("([{", rune(c)):
			open = append(open, at[0])
			begins = false
		case strings.ContainsRune(")]}", rune(c)):
			if n := len(open) - 1; n >= 0 {
				pairs[at[0]], pairs[open[n]] = open[n], at[0]
				open = open[:n]
			}
			begins = len(open) == 0 && c == '}'
		case c == ';':
			begins = len(open) == 0
		case begins && len(open) == 0 && (strings.Contains(token, ":") || slices.Contains(wholeClauses, token)):
			color = ofProbe
		default:
			word, _, _ := strings.Cut(token, ":") // of a ? b : c
			at[1] = at[0] + len(word)
			if isKeyword(word) && !strings.HasSuffix(text[:at[0]], ".") && !strings.HasSuffix(text[:at[0]], "->") {
				color = ofKeyword
			}
		}
		if color != "" {
			list = append(list, span{at[0], at[1], color})
		}
		from = at[1]
	}
	return list, pairs
}

// maxHelped is how long an entry may be that is shown in colours and with aids: more takes too long for each key.
const maxHelped = 16 << 10

// writeColored writes a part of a line in colours. s.before is what stands before it in its entry.
func (s *screen) writeColored(out *bytes.Buffer, l line, from, to int) {
	text := s.before + l.text
	if len(text) > maxHelped {
		out.WriteString(l.text[from:to])
		return
	}
	var list []span
	if strings.HasPrefix(text, ":") { // a command of the prompt
		word, _, _ := strings.Cut(l.text, " ")
		list = []span{{len(s.before), len(s.before) + len(word), ofCommand}}
	} else {
		var pairs map[int]int
		list, pairs = spans(text, s.isKeyword)
		for _, at := range []int{len(s.before) + l.at, len(s.before) + l.at - 1} {
			if other, ok := pairs[at]; ok && !s.over {
				list = append(list, span{at, at + 1, ofPair}, span{other, other + 1, ofPair})
				break
			}
		}
		slices.SortFunc(list, func(a, b span) int { return a.from - b.from })
	}
	from, to = len(s.before)+from, len(s.before)+to
	for _, part := range list {
		part.from, part.to = max(part.from, from), min(part.to, to)
		if part.from >= part.to {
			continue
		}
		out.WriteString(text[from:part.from] + "\x1b[" + part.color + "m" + text[part.from:part.to] + normal)
		from = part.to
	}
	out.WriteString(text[from:to])
}
