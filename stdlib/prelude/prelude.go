// Package prelude holds macros, written in the language itself, that
// every script may call.
//
// It must not import any other package of this project.
package prelude

import (
	"embed"
	"io/fs"
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
