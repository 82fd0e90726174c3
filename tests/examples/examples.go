// Package examples has the examples in the headers of the bundled tools as tests compile them.
package examples

import (
	"fmt"
	"strings"

	"fst/scripts"
)

// Example is a command line in a tool's header.
type Example struct {
	Tool, Command string
	Text          string // of the script
	Words         []string
	Named         map[string]string // options
}

// common are the options of fst itself that examples have.
var common = []scripts.Option{{Short: "d", Long: "duration", Value: "SEC"}, {Short: "f", Long: "format", Value: "FORMAT"}, {Short: "o", Long: "output", Value: "FILE"}}

// All are the examples of all tools, without what their output is piped into. The error is an example that the tool refuses.
func All() (list []Example, err error) {
	for _, name := range scripts.Names() {
		text, _ := scripts.Source(name)
		header, _ := scripts.ParseHeader(text)
		for _, command := range header.Examples {
			alone, _, _ := strings.Cut(command, " | ")
			words, named, _, err := header.Args(strings.Fields(strings.ReplaceAll(alone, "'", ""))[2:], common)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", command, err)
			}
			list = append(list, Example{name, command, text, words, named})
		}
	}
	return list, nil
}
