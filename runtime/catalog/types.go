package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fst/compiler/target/facts"
	"fst/lang/diag"
)

// Type is a struct, union or enum of a kernel or of one of its modules.
type Type struct {
	Name   string // with its tag: "struct request"
	Module string // "vmlinux" for the kernel itself
	layout func(depth int) string
}

// Layout is how the type lies in memory, a row for each member: offset and size
// in bytes, holes between members. Named structs inside are opened up to depth
// levels deep.
func (t Type) Layout(depth int) string { return t.layout(depth) }

// definitions is what a kernel, or a recording of one, knows of its types.
type definitions interface {
	Definitions(tag, pattern string) []facts.Definition
	TypeNames() []string
}

// Types returns the types with a name, such as "struct request" or "request";
// * matches any text. The error says which name is near.
func (c *Catalog) Types(name string) ([]Type, error) {
	tags := []string{"struct", "union", "enum"}
	word := strings.TrimSpace(name)
	if tag, rest, ok := strings.Cut(word, " "); ok {
		if !slices.Contains(tags, tag) {
			return nil, fmt.Errorf("%q is no type: say struct NAME, union NAME or enum NAME", name)
		}
		tags, word = []string{tag}, strings.TrimSpace(rest)
	}
	if word == "" || slices.Contains(tags, word) {
		return nil, errors.New("the name of the type is missing: say 'struct NAME', or 'struct *' for all")
	}
	var found []Type
	for _, tag := range tags {
		for _, d := range c.types.Definitions(tag, word) {
			found = append(found, Type{tag + " " + d.Name, d.Module, d.Layout})
		}
	}
	if found != nil {
		return found, nil
	}
	names := c.types.TypeNames()
	if len(names) == 0 {
		return nil, fmt.Errorf("this kernel has no type information (BTF, CONFIG_DEBUG_INFO_BTF)")
	}
	if n := diag.Nearest(word, names); n != "" && tags[0] != "enum" {
		return nil, fmt.Errorf("the kernel has no type %s; did you mean %s? (* matches any text)", name, n)
	}
	return nil, fmt.Errorf("the kernel has no type %s (* matches any text)", name)
}
