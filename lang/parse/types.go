package parse

import (
	"fmt"
	"slices"
	"strings"

	"fst/lang/ast"
)

// typeNames are the names that are types wherever they stand.
var typeNames = func() map[string]bool {
	m := map[string]bool{}
	for _, s := range strings.Fields(`
		int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool string buffer inet void
		int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
		s8 s16 s32 s64 u8 u16 u32 u64 __s8 __s16 __s32 __s64 __u8 __u16 __u32 __u64
		__le16 __le32 __le64 __be16 __be32 __be64
		size_t ssize_t pid_t uid_t gid_t dev_t off_t loff_t ino_t mode_t umode_t time_t
		sector_t gfp_t dma_addr_t phys_addr_t uintptr_t intptr_t ptrdiff_t
		min_t max_t sum_t count_t avg_t stats_t
		char short int long unsigned signed _Bool`) {
		m[s] = true
	}
	return m
}()

// cWords make up C's types of several words.
var cWords = map[string]bool{"char": true, "short": true, "int": true, "long": true, "unsigned": true, "signed": true, "float": true, "double": true}

var qualifiers = map[string]bool{"const": true, "volatile": true, "restrict": true, "__restrict": true, "__user": true, "__kernel": true, "__rcu": true, "__percpu": true, "_Atomic": true}

// isTag reports whether a word must be followed by the tag of a C type.
func isTag(s string) bool { return s == "struct" || s == "union" || s == "enum" }

// isType reports whether a word names a type wherever it stands: one of the
// language's or one that the script's C definitions made.
func (p *parser) isType(word string) bool { return typeNames[word] || p.typedefs[word] }

// afterValue are the tokens that follow a value and no type.
var afterValue = func() map[string]bool {
	set := map[string]bool{}
	for _, op := range strings.Fields("( . -> + - / % == != < > <= >= << >> & && | || ^ ?") {
		set[op] = true
	}
	return set
}()

// startsType reports whether a type begins at the next token, which stands
// where an expression may stand as well.
func (t *tokens) startsType() bool {
	tok := t.Peek()
	if tok.Type != tokIdent {
		return false
	}
	if isTag(tok.Value) || tok.Value == "typeof" || qualifiers[tok.Value] {
		return true
	}
	if t.p.isType(tok.Value) {
		// A call, a field access or most operators can't follow a type.
		return !afterValue[t.peekN(1).Value]
	}
	return t.pointerType(0, ")")
}

// startsTypeArg is startsType for an argument of a function.
func (t *tokens) startsTypeArg() bool {
	if t.is("typeof") {
		return isWord(t.peekN(1), "(")
	}
	return t.startsType() || t.pointerType(0, ",")
}

// pointerType reports whether the tokens from the n-th are "name *" or "name []"
// before an end, ")" or ",": no expression looks like this, so name is a type.
func (t *tokens) pointerType(n int, end string) bool {
	if t.peekN(n).Type != tokIdent {
		return false
	}
	post := false
	for n++; ; n++ {
		switch tok := t.peekN(n); {
		case n > maxSuffixes:
			return false
		case isWord(tok, "*"):
			post = true
		case isWord(tok, "[") && isWord(t.peekN(n+1), "]"):
			post = true
			n++
		case isWord(tok, "[") && post && t.peekN(n+1).Type == tokInt && isWord(t.peekN(n+2), "]"):
			n += 2
		case isWord(tok, end):
			return post
		default:
			return false
		}
	}
}

// isCast reports whether the '(' that is the next token begins a cast. This is
// the one place where casts and parentheses are told apart:
//   - a tag, typeof, const ... is a cast;
//   - so is any name followed by '*'s or '[]' and ')';
//   - a known type name, or another name that ends in _t or is a parameter of a
//     macro, is a cast if an operand follows the ')'.
func (t *tokens) isCast() bool {
	first := t.peekN(1)
	if first.Type != tokIdent {
		return false
	}
	if isTag(first.Value) || first.Value == "typeof" || qualifiers[first.Value] {
		return true
	}
	if t.pointerType(1, ")") {
		return true
	}
	known, param := t.p.isType(first.Value), slices.Contains(t.p.params, first.Value)
	if !known && !param && !strings.HasSuffix(first.Value, "_t") {
		return false
	}
	n := 2
	for ; n < 8 && t.peekN(n).Type == tokIdent && cWords[t.peekN(n).Value]; n++ {
	}
	for (known || param) && n < maxSuffixes {
		switch {
		case isWord(t.peekN(n), "*"):
			n++
			continue
		case isWord(t.peekN(n), "[") && isWord(t.peekN(n+1), "]"):
			n += 2
			continue
		case isWord(t.peekN(n), "[") && isWord(t.peekN(n+2), "]"):
			n += 3
			continue
		}
		break
	}
	if !isWord(t.peekN(n), ")") {
		return false
	}
	next := t.peekN(n + 1)
	switch next.Type {
	case tokIdent, tokInt, tokString, tokVar, tokMap, tokParam:
		return true
	case tokOp:
		if next.Value == "(" {
			return true
		}
		// "(size) - 1" is a subtraction, "(int32)-1" is not.
		return known && (strings.Contains("-+*&!~", next.Value) || next.Value == "{")
	}
	return false
}

// typeExpr parses a type with its pointers and arrays.
func (t *tokens) typeExpr() *ast.TypeExpr {
	t.enter()
	defer t.leave()
	start := t.here()
	typ := t.baseType()
	for {
		switch {
		case t.accept("*"):
			typ.Post = append(typ.Post, ast.TypePost{Pointer: true})
		case t.Peek().Type == tokIdent && qualifiers[t.Peek().Value]:
			t.next()
			continue
		case t.accept("["):
			n := -1
			if !t.is("]") {
				n = t.length()
			}
			t.expect("]", "to end the length of an array", "write its length as a number: [16]")
			typ.Post = append(typ.Post, ast.TypePost{Len: n})
		default:
			typ.Span = t.from(start)
			return typ
		}
		if len(typ.Post) > maxSuffixes {
			t.fail(t.here(), fmt.Sprintf("at most %d are allowed", maxSuffixes), "this type has too many pointers and arrays")
		}
	}
}

// length parses the constant length of an array.
func (t *tokens) length() int {
	start := t.here()
	x := t.expr()
	n, ok := t.p.constant(x)
	if !ok {
		t.fail(t.from(start), "write a number, or a name that is #defined above", "the length of an array must be a constant")
	}
	if n < 0 || n > 1<<30 {
		t.fail(t.from(start), fmt.Sprintf("it is a number from 0 to %d", 1<<30), "%d can't be the length of an array", n)
	}
	return int(n)
}

// baseType parses a type without pointers and arrays.
func (t *tokens) baseType() *ast.TypeExpr {
	start := t.here()
	for t.Peek().Type == tokIdent && qualifiers[t.Peek().Value] {
		t.next()
	}
	typ := &ast.TypeExpr{}
	word, sp := t.ident("a type", "types are uint64, int, unsigned long, struct NAME * and others")
	switch {
	case isTag(word):
		typ.Tag = word
		t.attributes()
		typ.Name, _ = t.ident("a name after "+word, "write "+word+" NAME")
	case word == "typeof" || word == "__typeof__":
		t.expect("(", "after typeof", "write typeof(x)")
		if t.startsType() {
			inner := t.typeExpr()
			typ = inner
		} else {
			typ.Tag = "typeof"
			typ.TypeOf = t.expr()
		}
		t.expect(")", "to end typeof", "write typeof(x)")
	case cWords[word]:
		words := []string{word}
		for t.Peek().Type == tokIdent && (cWords[t.Peek().Value] || qualifiers[t.Peek().Value]) {
			if w := t.next().Value; cWords[w] {
				words = append(words, w)
			}
			if len(words) > 5 {
				break
			}
		}
		name, ok := cTypeName(words)
		if !ok {
			t.fail(t.from(sp), "types are uint64, int, unsigned long, struct NAME * and others", "'%s' is not a type", strings.Join(words, " "))
		}
		typ.Name = name
	case word == "_Bool":
		typ.Name = "bool"
	default:
		typ.Name = word
	}
	if typ.Name != "" && !typ.NameSpan.IsValid() {
		typ.NameSpan = t.from(sp)
	}
	for t.Peek().Type == tokIdent && qualifiers[t.Peek().Value] {
		t.next()
	}
	typ.Span = t.from(start)
	return typ
}

// cTypeName gives the usual spelling of a C type of several words:
// "long unsigned int" is "unsigned long".
func cTypeName(words []string) (string, bool) {
	n := map[string]int{}
	for _, w := range words {
		n[w]++
	}
	base := "int"
	switch {
	case len(words) == 1 && n["float"]+n["double"] == 1:
		return words[0], true
	case len(words) == 2 && n["long"] == 1 && n["double"] == 1:
		return "long double", true
	case n["float"]+n["double"] > 0:
		return "", false
	case n["char"] == 1 && n["short"]+n["int"]+n["long"] == 0:
		base = "char"
	case n["char"] == 0 && n["short"] == 1 && n["long"] == 0 && n["int"] <= 1:
		base = "short"
	case n["char"]+n["short"] == 0 && n["long"] == 1 && n["int"] <= 1:
		base = "long"
	case n["char"]+n["short"] == 0 && n["long"] == 2 && n["int"] <= 1:
		base = "long long"
	case n["char"]+n["short"]+n["long"] == 0 && n["int"] <= 1:
	default:
		return "", false
	}
	switch {
	case n["unsigned"]+n["signed"] > 1:
		return "", false
	case n["unsigned"] == 1:
		return "unsigned " + base, true
	case n["signed"] == 1 && base == "char":
		return "signed char", true
	}
	return base, true
}

// maxAlign is what "aligned" without a number stands for: the largest alignment of
// any type.
const maxAlign = 16

// attributes skips "__attribute__((...))".
func (t *tokens) attributes() { t.attributesOf(&ast.Placement{}) }

// attributesOf reads "__attribute__((...))" of a definition or a member: those that
// change how it lies in memory are kept, the others say nothing here.
func (t *tokens) attributesOf(c *ast.Placement) {
	const form = "write __attribute__((packed)), or aligned(16)"
	for {
		switch w := t.Peek().Value; w {
		case "__attribute__", "__attribute":
			t.next()
			t.expect("(", "after __attribute__", form)
			t.expect("(", "after __attribute__", form)
			for !t.accept(")") {
				t.attribute(c, form)
				if !t.accept(",") && !t.is(")") {
					t.unexpected("',' or '))' after the attribute", form)
				}
			}
			t.expect(")", "to end the attributes", form)
		case "__packed", "__aligned": // as the kernel's headers say it
			t.attribute(c, form)
		default:
			return
		}
	}
}

func (t *tokens) attribute(c *ast.Placement, form string) {
	word, _ := t.ident("an attribute", form)
	switch word = strings.Trim(word, "_"); {
	case word == "packed":
		c.Packed = true
	case word == "aligned" && !t.is("("):
		c.Aligned = max(c.Aligned, maxAlign)
	case word == "aligned":
		t.next()
		start := t.here()
		n, ok := t.p.constant(t.expr())
		if !ok || n <= 0 || n&(n-1) != 0 || n > 1<<28 {
			t.fail(t.from(start), "write a power of two: aligned(16)", "this is no alignment")
		}
		t.expect(")", "after the alignment", form)
		c.Aligned = max(c.Aligned, int(n))
	case t.is("("):
		t.skipParens()
	}
}

// skipParens passes the parentheses that begin at the next token.
func (t *tokens) skipParens() {
	depth := 0
	for {
		switch {
		case t.Peek().EOF():
			t.unexpected("')'", "")
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
		t.next()
		if depth == 0 {
			return
		}
	}
}
