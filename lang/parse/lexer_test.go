package parse

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
)

// rules say what the tokens are: at each place, the first rule that matches.
var rules = lexer.MustStateful(lexer.Rules{"Root": {
	{Name: "whitespace", Pattern: `[\s\v]+`}, // dropped, being in lower case
	{Name: "Comment", Pattern: `//[^\n]*|/\*(?s:.*?)\*/`},
	{Name: "BadComment", Pattern: `/\*(?s:.*)`},
	{Name: "Ident", Pattern: `[A-Za-z_]\w*`},
	{Name: "Op", Pattern: `<<=|>>=|\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]]`},
	{Name: "String", Pattern: `"(?:\\[^\n]|[^"\\\n])*"`},
	{Name: "BadString", Pattern: `"(?:\\[^\n]|[^"\\\n])*`},
	{Name: "Param", Pattern: `\$[0-9]+|\$#`},
	{Name: "Var", Pattern: `\$[A-Za-z_]\w*`},
	{Name: "Map", Pattern: `@\w*`},
	{Name: "Int", Pattern: `[0-9]\w*`},
	{Name: "Bad", Pattern: `(?s:.)`},
}})

var kinds = map[string]lexer.TokenType{
	"Comment": tokComment, "BadComment": tokBadComment, "Ident": tokIdent, "Op": tokOp, "String": tokString,
	"BadString": tokBadString, "Param": tokParam, "Var": tokVar, "Map": tokMap, "Int": tokInt, "Bad": tokBad, "EOF": lexer.EOF,
}

// sameTokens compares the scanner's tokens of a text with those of the rules.
func sameTokens(t *testing.T, text string) {
	t.Helper()
	byRules, err := rules.LexString("", text)
	if err != nil {
		t.Fatal(err)
	}
	want, err := lexer.ConsumeAll(byRules)
	if err != nil {
		t.Fatal(err)
	}
	got, err := lexer.ConsumeAll(&scanner{text: text})
	if err != nil {
		t.Fatal(err)
	}
	names := lexer.SymbolsByRune(rules)
	for i, w := range want {
		if i == len(got) {
			t.Fatalf("%q: %d tokens, not %d", text, len(got), len(want))
		}
		if g := got[i]; g.Type != kinds[names[w.Type]] || g.Value != w.Value || g.Pos.Offset != w.Pos.Offset {
			t.Fatalf("%q: token %d is %q (kind %d) at %d; by the rules it is the %s %q at %d",
				text, i, g.Value, g.Type, g.Pos.Offset, names[w.Type], w.Value, w.Pos.Offset)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%q: %d tokens, not %d", text, len(got), len(want))
	}
}

func TestScanner(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, which finds nothing here that it does not find in other tests")
	}
	for _, text := range []string{
		"", " \t\v\f\r\n", "a", "_a1 1a 0x1F", "@ @a @1a", "$ $# $1a $a1 $_ $$", "a.0.1 0..5 a...b", "<<<=>>>=->-->++",
		"&&&|||!==!=~=?:;,.(){}[]", "/* */ /*/ */ /**/ // x\n/", "/*/", "/* never", `"a" "\"" "\\" "a`, "\"a\nb\" \"\\\nb\"", `"a\`, `"`,
		"\"é\\é\" é ' ` \\ # \x00\xff\xc3", "a\u00a0b",
	} {
		sameTokens(t, text)
	}
	for _, s := range seeds {
		sameTokens(t, s)
	}
	files, _ := filepath.Glob("../../scripts/*.fst")
	if len(files) == 0 {
		t.Error("no scripts found")
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		sameTokens(t, string(b))
	}
	// Every text of three bytes that decide something.
	const bytes = "a0_$@#/*\"\\\n <>=-.&\xff"
	var all func(s string)
	all = func(s string) {
		if len(s) == 3 {
			sameTokens(t, s)
			return
		}
		for i := range len(bytes) {
			all(s + bytes[i:i+1])
		}
	}
	all("")
	sameTokens(t, strings.Repeat("(", 1000))
}

func FuzzScanner(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(sameTokens)
}
