package symbol

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// demangler gives the names of C++ and Rust functions as their source has them.
type demangler struct {
	off   bool // names stay as the compiler made them
	known map[string]string
}

// name is the name of the function that has a symbol.
func (d *demangler) name(symbol string) string {
	if d.off || !strings.HasPrefix(symbol, "_") {
		return symbol
	}
	plain, ok := d.known[symbol]
	if !ok {
		plain = demangle.Filter(symbol)
		if d.known == nil {
			d.known = map[string]string{}
		}
		d.known[symbol] = plain
	}
	return plain
}
