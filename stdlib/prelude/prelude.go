// Package prelude holds macros, written in the language itself, that
// every script may call.
//
// It must not import any other package of this project.
package prelude

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.fst
var files embed.FS

// File is one source of the prelude.
type File struct{ Name, Text string }

// Files returns the sources, by name.
func Files() []File {
	names, _ := fs.Glob(files, "*.fst")
	list := make([]File, 0, len(names))
	for _, name := range names {
		text, _ := files.ReadFile(name)
		list = append(list, File{"stdlib/prelude/" + name, string(text)})
	}
	return list
}

// Doc says what a macro does, or some that are said to be alike.
type Doc struct {
	Names []string
	Usage string // "unit(), unit_name()"
	Help  string
}

// Docs are the comments of the macros, in the order of the files: a comment that
// begins with "USAGE: " belongs to the macros up to the next blank line.
func Docs() []Doc {
	var list []Doc
	for _, f := range Files() {
		var doc *Doc
		for line := range strings.Lines(f.Text) {
			line = strings.TrimRight(line, "\n")
			if comment, ok := strings.CutPrefix(line, "// "); ok {
				usage, help, begins := strings.Cut(comment, ": ")
				switch {
				case doc != nil && len(doc.Names) == 0:
					doc.Help += " " + comment
				case begins:
					doc = &Doc{Usage: usage, Help: strings.TrimSuffix(help, ".")}
				}
				continue
			}
			if call, ok := strings.CutPrefix(line, "macro "); ok && doc != nil {
				name, _, _ := strings.Cut(call, "(")
				if len(doc.Names) == 0 {
					doc.Help = strings.TrimSuffix(doc.Help, ".")
					list = append(list, *doc)
				}
				if !slices.Contains(doc.Names, name) {
					doc.Names = append(doc.Names, name)
				}
				list[len(list)-1].Names = doc.Names
			}
			if line == "" {
				doc = nil
			}
		}
	}
	return list
}
