// Package scripts holds the bundled tools: one .fst file each, with a header
// that says which question it answers. They can do nothing that a user's own
// script could not.
//
// It must not import any other package of this project.
package scripts

import (
	"embed"
	"strings"
)

//go:embed *.fst
var files embed.FS

// Names lists the bundled tools, sorted.
func Names() []string {
	entries, _ := files.ReadDir(".")
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".fst"))
	}
	return names
}

// Source returns the text of a bundled tool.
func Source(name string) (text string, ok bool) {
	b, err := files.ReadFile(name + ".fst")
	return string(b), err == nil
}
