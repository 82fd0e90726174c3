package parse

import (
	"fst/lang/diag"
	"fst/lang/source"
)

// A header is written for a C compiler. What a script can use of one are its
// constants, structs, unions, enums and typedefs; functions and whatever else
// is not understood are passed over in silence, and missed only where a
// script names them.

// readHeader adds the definitions of a header to the program.
func (p *parser) readHeader(f *source.File) {
	h := newParser(f, &diag.List{})
	h.prog, h.consts, h.typedefs, h.opts, h.header = p.prog, p.consts, p.typedefs, p.opts, true
	h.guard(h.file)
}

// headerPart passes the declaration at i of a header and returns the offset
// behind it.
func (p *parser) headerPart(kind string, i int) int {
	// It ends with a ';', or with the '}' of a function's body.
	end := i
	for end < len(p.text) && p.text[end] != '{' && p.text[end] != ';' && p.text[end] != '(' {
		end = p.step(end)
	}
	isFunction := end < len(p.text) && p.text[end] == '('
	switch kind {
	case "struct", "union", "enum", "typedef":
		if !isFunction || kind == "typedef" {
			p.errors = 0 // those of a header are nobody's business
			return p.cDefinition(i)
		}
	}
	for end < len(p.text) {
		switch p.text[end] {
		case ';':
			return end + 1
		case '{':
			close := p.closeBrace(end)
			if close < 0 {
				return len(p.text)
			}
			if isFunction {
				return close
			}
			end = close
		default:
			end = p.step(end)
		}
	}
	return end
}
