package parse

import (
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"fst/lang/ast"
	"fst/lang/keyword"
)

// Slips are what people write who think of awk, C, Python or SQL. They break
// no rule of their own: the parser meets a token that it did not expect, and
// slip tells from that token, the one before it and the start of the statement
// what was most likely meant.

// character is a character of C's, one that stands for itself.
var character = lazy(`^'([ -&(-[\]-~])'`)

// words of other languages that stand for an operator.
var wordOperators = map[string]string{
	"and":  "write && for and",
	"or":   "write || for or",
	"not":  "write ! for not",
	"in":   "has_key(@map, key) is true if a map has the key; for ($kv : @map) { ... } visits all keys",
	"is":   "comparison is ==",
	"eq":   "comparison is ==",
	"ne":   "comparison is !=",
	"mod":  "write % for the remainder",
	"div":  "write / to divide",
	"then": "leave then out: if (x) { ... }",

	"like": holdsPart, "rlike": holdsPart, "regexp": holdsPart, "matches": holdsPart, "match": holdsPart, "contains": holdsPart,
	"between": "write x >= 1 && x <= 9",
	"unless":  "write if (!x) { ... } around the statement",
}

const holdsPart = `strcontains(text, "part") is true if a text contains a part`

// words of other languages that begin a statement.
var wordStatements = map[string]string{
	"elif":     "write else if (...) { ... }",
	"elsif":    "write else if (...) { ... }",
	"elseif":   "write else if (...) { ... }",
	"switch":   "there is no switch: write if (...) { ... } else if (...) { ... }",
	"do":       "there is no do: write while (...) { ... }",
	"match":    "there is no match: write if (...) { ... } else if (...) { ... }",
	"foreach":  loopUsage,
	"repeat":   "write for ($i : 0..10) { ... }, or unroll (10) { ... }",
	"loop":     "write while (...) { ... } or for ($i : 0..10) { ... }",
	"case":     "there is no switch: write if (...) { ... } else if (...) { ... }",
	"until":    "write while (!(...)) { ... }",
	"try":      "nothing is thrown: a read that fails gives 0, and is counted",
	"catch":    "nothing is thrown: a read that fails gives 0, and is counted",
	"except":   "nothing is thrown: a read that fails gives 0, and is counted",
	"finally":  "nothing is thrown; an end clause runs when everything else is over",
	"throw":    endsScript,
	"raise":    endsScript,
	"delete":   removesEntry,
	"del":      removesEntry,
	"unset":    removesEntry,
	"goto":     "there is no goto: return ends the clause, break and continue control a loop",
	"function": "write fn NAME($a) { ... } outside of the clauses",
	"func":     "write fn NAME($a) { ... } outside of the clauses",
	"def":      "write fn NAME($a) { ... } outside of the clauses",
}

const (
	endsScript   = `errorf("...") complains, exit(1) ends the script`
	removesEntry = "delete(@map, key) removes an entry, clear(@map) all of them"
)

// words of other languages that declare a variable.
var wordDeclarations = map[string]bool{"var": true, "auto": true, "local": true, "const": true, "static": true, "global": true, "my": true}

// comparison is the hint for a lone '=' behind an operand.
func (t *tokens) comparison(tok *lexer.Token) string {
	if isWord(tok, "=") && isWord(t.peekN(1), "~") {
		return holdsPart
	}
	if next := t.peekN(1); isWord(tok, "=") && (isWord(next, ">") || isWord(next, "<")) && next.Pos.Offset == tok.Pos.Offset+1 {
		return "write " + next.Value + "= instead of =" + next.Value
	}
	if isWord(tok, "=") && t.prev != nil && (startsOperand(t.prev) || isWord(t.prev, ")") || isWord(t.prev, "]")) {
		return "comparison is =="
	}
	return ""
}

// beginsStatement reports whether a word begins a statement that has no call's
// form.
func beginsStatement(word string) bool {
	w, ok := keyword.Lookup(word)
	return ok && w.Kind == keyword.Statement
}

// formatted are the statements whose first argument is a format: those of the
// checker's table of functions, which a test compares.
var formatted = map[string]bool{"printf": true, "errorf": true, "warnf": true, "debugf": true, "fail": true, "row": true, "table": true, "system": true, "cat": true}

// unquotedFormat is the hint for a token that is unexpected where a format lacks its
// quotes, which a shell takes away, or "".
func (t *tokens) unquotedFormat(tok *lexer.Token) string {
	first := t.stmtStart
	if first == nil || !formatted[first.Value] || first == tok {
		return ""
	}
	before := string(t.p.text[t.base+first.Pos.Offset+len(first.Value) : t.base+tok.Pos.Offset])
	format, isCall := strings.CutPrefix(strings.TrimSpace(before), "(")
	if !isCall || strings.ContainsAny(format, `",`) || isWord(tok, ",") || isWord(tok, ")") {
		return ""
	}
	return fmt.Sprintf(`the format stands in double quotes, the whole script in single ones: %s("...")`, first.Value)
}

// slip returns a hint for the unexpected token tok, or "".
func (t *tokens) slip(tok *lexer.Token) string {
	prev, first := t.prev, t.stmtStart
	adjacent := prev != nil && t.prevEnd == t.base+tok.Pos.Offset
	if tok.Type == tokBad && tok.Value == "$" && strings.HasPrefix(string(t.p.text[t.base+tok.Pos.Offset:]), "$(") {
		return "the shell fills in $(...), but not in single quotes; give the script a parameter: $1"
	}
	if tok.Type == tokBad && tok.Value == "'" {
		if m := character().FindSubmatch(t.p.text[t.base+tok.Pos.Offset:]); m != nil {
			return fmt.Sprintf(`a character is written as its number, %d for '%s'; a string in double quotes`, m[1][0], m[1])
		}
	}
	if tok.Type == tokBad {
		if hint := quotedHint(t.p.text[t.base+tok.Pos.Offset:]); hint != "" {
			return hint
		}
	}
	if hint := badCharacter(tok); hint != "" {
		return hint
	}
	if hint := t.unquotedFormat(tok); hint != "" {
		return hint
	}
	switch {
	case first != nil && tok.Type == tokIdent && tok.Value == "in" && (isWord(first, "for") || isWord(first, "foreach")),
		isWord(tok, "[") && first != nil && isWord(first, "foreach"):
		return loopUsage
	case tok.Type == tokIdent && strings.EqualFold(tok.Value, "in") && isWord(t.peekN(1), "(") && t.prev != nil:
		return "write x == 1 || x == 2"
	case tok.Type == tokIdent && wordOperators[strings.ToLower(tok.Value)] != "":
		return wordOperators[strings.ToLower(tok.Value)]
	case isWord(tok, "..") && isWord(t.peekN(1), "."):
		return "... marks what an example leaves out: write an action, such as @ = count()"
	case prev == nil:
		return ""
	case adjacent && prev.Type == tokIdent && tok.Type == tokString && len(prev.Value) <= 2:
		return `values are put into a text by printf("... %s ...", x)`
	case isWord(tok, "!") && isWord(t.peekN(1), "~"):
		return `!strcontains(text, "part") is true if a text does not contain a part`
	case isWord(tok, "if") && first != nil && first != tok:
		return "write if (x) { ... } around the statement, or x ? a : b for one of two values"
	case isWord(tok, "?") && isWord(prev, "?"):
		return "write x != 0 ? x : y"
	case prev.Type == tokMap && adjacent && (isWord(tok, "{") || isWord(tok, "(")):
		return "a key is written in brackets: " + prev.Value + "[key]"
	case isWord(prev, "~") && isWord(tok, "/"):
		return holdsPart
	case isWord(tok, "[") && !isWord(prev, "if") && !isWord(prev, "while"):
		return "a list is written as a tuple, (1, 2); what grows is a map: @x[key] = value"
	case prev.Type == tokIdent && strings.EqualFold(prev.Value, "not") && startsOperand(tok):
		return wordOperators["not"]
	case prev.Type == tokMap && prev.Value == "@" && tok.Type == tokVar && adjacent:
		return "a map's name has no $: write @" + tok.Value[1:] + ", or @[" + tok.Value + "] for a map with that key"
	case prev.Type == tokInt && tok.Type == tokIdent && unitOf(tok.Value) != "":
		return "write the unit directly after the number: " + prev.Value + unitOf(tok.Value)
	case isWord(tok, ":") && isWord(t.peekN(1), "="):
		return "an assignment is written with ="
	case isWord(prev, "<<") && isWord(tok, "<"):
		return "a map is filled by an assignment: @ = count(), @ = sum(x), @ = hist(x)"
	case isWord(prev, "==") && isWord(tok, "="):
		return "comparison is =="
	case isWord(prev, "=") && (isWord(tok, "<") || isWord(tok, ">")) && adjacent:
		return "write " + tok.Value + "= instead of =" + tok.Value
	case isWord(prev, "!=") && isWord(tok, "="):
		return "write != for not equal"
	case isWord(tok, ":") && first != nil && first.Type == tokMap:
		return "an assignment is written with ="
	case isWord(prev, "<") && isWord(tok, ">") && adjacent:
		return "write != for not equal"
	case isWord(prev, "/") && isWord(tok, "/"):
		return "a clause has one filter: join the conditions with &&"
	case isWord(tok, "[") && (isWord(prev, "if") || isWord(prev, "while")):
		return "write " + prev.Value + " (x == 1) { ... }"
	case isWord(tok, "~"):
		return holdsPart
	case isWord(tok, ":") && prev.Type == tokIdent && providers[strings.ToLower(prev.Value)]:
		return "a probe is not a value; exists(" + prev.Value + ":...) is true if it exists"
	case isWord(prev, "*") && isWord(tok, "*") && adjacent:
		return "there is no power operator: 1 << n is 2 to the n-th"
	case isWord(tok, "=") && (isWord(first, "if") || isWord(first, "while")):
		return "comparison is =="
	case isWord(tok, ":") && isWord(first, "if"):
		return "write if (x) { ... }"
	case isTypeWord(prev.Value) && startsOperand(tok) && t.opensGroup(prev):
		return "a cast is written (" + prev.Value + ")x"
	}
	if first == nil || first.Type != tokIdent {
		return ""
	}
	if hint := wordStatements[first.Value]; hint != "" {
		return hint
	}
	if first == prev && startsOperand(tok) && !beginsStatement(first.Value) {
		switch {
		case (isTypeWord(first.Value) || wordDeclarations[first.Value]) && (tok.Type == tokIdent || tok.Type == tokVar):
			name := "$" + strings.TrimPrefix(tok.Value, "$")
			if first.Value == "global" || first.Value == "static" {
				return "a variable belongs to its clause; what all clauses share is a map: @" + name[1:] + " = ..."
			}
			return "a variable needs no declaration: write " + name + " = ..., or let " + name + ": int32 with a type"
		case tok.Type != tokIdent || !isTypeWord(tok.Value):
			return "a call has parentheses: " + first.Value + "(...)"
		}
	}
	return ""
}

// opensGroup reports whether a token stands behind a '(' that is no call's.
func (t *tokens) opensGroup(tok *lexer.Token) bool {
	at := t.base + tok.Pos.Offset
	return at > 1 && t.p.text[at-1] == '(' && !isWordByte(t.p.text[at-2])
}

// foreignTarget is the hint for an assignment to what other tracers have:
// self->x and this->x of DTrace, $x[key] of ply.
func foreignTarget(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Field:
		if id, ok := x.X.(*ast.Ident); ok && id.Name == "self" {
			return "what belongs to a thread is kept in a map: @" + x.Name + "[tid]"
		} else if ok && id.Name == "this" {
			return "a variable of the clause is written $" + x.Name
		}
	case *ast.TupleIndex:
		if m, ok := x.X.(*ast.Map); ok && m.Keys == nil {
			return "a key is written in brackets: @" + m.Name + "[key]"
		}
	case *ast.Index:
		switch of := x.X.(type) {
		case *ast.Map:
			return "several keys share one pair of brackets: @" + of.Name + "[a, b]"
		case *ast.Var:
			return "a variable has no keys; a map is written @" + of.Name + "[key]"
		case *ast.Ident:
			return "a map is written @" + of.Name + "[key]"
		case *ast.Field:
			if id, ok := of.X.(*ast.Ident); ok && id.Name == "self" {
				return "what belongs to a thread is kept in a map: @" + of.Name + "[tid, key]"
			}
		}
	}
	return ""
}

// badCharacter explains characters that have no meaning.
func badCharacter(tok *lexer.Token) string {
	if tok.Type != tokBad {
		return ""
	}
	switch tok.Value {
	case "'":
		return `write strings in double quotes ("..."); a character is written as its number`
	case "“", "”", "„", "«", "»", "‘", "’":
		return `write strings in plain double quotes ("...")`
	case "`":
		return `write strings in double quotes ("..."); system("...") runs a command`
	case "#":
		return "a comment begins with //"
	case "\\":
		return "a statement may continue on the next line without a '\\'"
	case "µ", "μ":
		return "microseconds are written us: 10us"
	case "$":
		return "a variable is written $name, a parameter of the script $1"
	}
	if hint := strayCharacter(tok.Value); hint != "" {
		return hint
	}
	return "remove it: outside of strings and comments it has no meaning"
}

// startsOperand reports whether an operand can begin with tok.
func startsOperand(tok *lexer.Token) bool {
	switch tok.Type {
	case tokIdent, tokInt, tokString, tokVar, tokMap, tokParam:
		return true
	}
	return false
}

// isTypeWord reports whether a word names an integer type.
func isTypeWord(s string) bool {
	switch s {
	case "int", "long", "short", "char", "unsigned", "signed", "bool", "string", "float", "double", "size_t", "void":
		return true
	}
	s = strings.TrimSuffix(strings.TrimPrefix(s, "u"), "_t")
	switch s {
	case "int8", "int16", "int32", "int64", "8", "16", "32", "64":
		return true
	}
	return false
}

// unitNames are other names of the units of numbers.
var unitNames = map[string]string{
	"nsec": "ns", "nanosecond": "ns", "usec": "us", "microsecond": "us", "msec": "ms", "millisecond": "ms",
	"sec": "s", "second": "s", "min": "m", "minute": "m", "hr": "h", "hour": "h", "day": "d",
	"k": "KB", "kb": "KB", "kib": "KB", "mb": "MB", "mib": "MB", "g": "GB", "gb": "GB", "gib": "GB",
}

// unitOf returns the unit that a word means, or "".
func unitOf(word string) string {
	if _, ok := units[word]; ok {
		return word
	}
	if word == "M" {
		return "MB"
	}
	lower := strings.ToLower(word)
	if u, ok := unitNames[lower]; ok {
		return u
	}
	return unitNames[strings.TrimSuffix(lower, "s")]
}
