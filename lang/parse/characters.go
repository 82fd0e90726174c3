package parse

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What blogs, chats and word processors make of a script's characters.

// plainCharacters are what else a character is likely to have been.
var plainCharacters = map[rune]string{
	'–': "-", '—': "-", '−': "-", '‐': "-", '≠': "!=", '≤': "<=", '≥': ">=", '×': "*", '÷': "/", '→': "->", '…': "..",
	'¬': "!", '∧': "&&", '∨': "||", '⁄': "/", '∕': "/", '´': `"`, 'µ': "us", 'μ': "us",
}

// blanks are spaces that are none to the language, and characters that nobody sees.
var blanks = map[rune]string{
	'\u00a0': "a no-break space", '\u202f': "a no-break space", '\u2007': "a no-break space", '\u3000': "a wide space", '\u2003': "a wide space",
	'\u2002': "a wide space", '\u2009': "a thin space", '\u200b': "an invisible character", '\u200c': "an invisible character",
	'\u200d': "an invisible character", '\u2060': "an invisible character", '\ufeff': "an invisible character", '\u00ad': "an invisible character",
}

// plainOf returns the plain characters that stand for c, or "".
func plainOf(c rune) string {
	if p := plainCharacters[c]; p != "" {
		return p
	}
	if c >= '\uff01' && c <= '\uff5e' { // the wide forms of ASCII
		return string(c - '\uff01' + '!')
	}
	return ""
}

// quoted is a text between the quotes of print, or of the shell and of other
// languages.
var quoted = lazy("^(?:[“”„«]([^“”„«»\"\n]*)[“”»]|[‘’]([^‘’\"\n]*)[‘’]|'([^'\"\n]*)')")

// quotedHint is what to write for the quoted text that rest begins with, or "".
func quotedHint(rest []byte) string {
	if m := quoted().FindSubmatch(rest); m != nil {
		return fmt.Sprintf(`write "%s"`, string(m[1])+string(m[2])+string(m[3]))
	}
	return ""
}

// entity is what HTML makes of an operator, and operators what it stands for.
var (
	entity    = lazy(`^&(lt|gt|amp|quot|nbsp|apos|#39|#34);`)
	operators = map[string]string{"lt": "<", "gt": ">", "amp": "&", "quot": `"`, "nbsp": "a blank", "apos": "'", "#39": "'", "#34": `"`}
)

// commandLine is a script that was copied with the command that runs it.
var commandLine = lazy(`^(?:[$>%] +)?(?:sudo +)?(?:bpftrace|fst)(?: +-\S+)* +-e +['"]`)

// strayCharacter is the hint for a character that has no meaning, or "".
func strayCharacter(s string) string {
	c, _ := utf8.DecodeRuneInString(s)
	switch {
	case blanks[c] != "" && strings.HasSuffix(blanks[c], "space"):
		return "put a plain space there"
	case blanks[c] != "":
		return "remove it: it can't be seen"
	case plainOf(c) != "":
		return "write " + plainOf(c)
	case c >= utf8.RuneSelf && unicode.IsLetter(c):
		return "names have only the letters a to z, digits and _"
	}
	return ""
}

// blank names a character that looks like a space or like nothing, or is "".
func blank(s string) string {
	c, _ := utf8.DecodeRuneInString(s)
	if blanks[c] == "" {
		return ""
	}
	return fmt.Sprintf("%s (%U)", blanks[c], c)
}
