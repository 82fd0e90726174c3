// Package stdlib holds the part of fst that is written in fst: the probes that
// mean the same on every kernel. Each file declares one family of them.
//
// It has no dependencies.
package stdlib

import (
	"embed"
	"slices"
	"strings"
)

//go:embed *.fst
var files embed.FS

// Families lists the families of probes, sorted.
func Families() []string {
	entries, _ := files.ReadDir(".")
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".fst"))
	}
	slices.Sort(names)
	return names
}

// Source returns the text of a family, and the name it goes by in messages.
func Source(family string) (name, text string, ok bool) {
	b, err := files.ReadFile(family + ".fst")
	if err != nil {
		return "", "", false
	}
	return "stdlib/" + family + ".fst", string(b), true
}
