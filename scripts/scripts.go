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

//go:embed *.fst examples/*.txt
var files embed.FS

// Topics are what tools are about, in the order they are listed.
var Topics = []string{"programs and processes", "system calls", "CPUs", "files", "memory", "disks", "network", "functions"}

// Names lists the bundled tools, sorted.
func Names() []string {
	entries, _ := files.ReadDir(".")
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".fst"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Source returns the text of a bundled tool.
func Source(name string) (text string, ok bool) {
	b, err := files.ReadFile(name + ".fst")
	return string(b), err == nil
}

// Example returns what a bundled tool has once said: the command line, and
// lines that it really printed.
func Example(name string) (text string, ok bool) {
	b, err := files.ReadFile("examples/" + name + ".txt")
	return string(b), err == nil
}
