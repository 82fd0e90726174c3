package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"fst/lang/printable"
)

// types shows the layout of types: fst type [--depth N] [--kernel K] NAME...
// The tag and the name may be one word or two.
func (a *app) types(words []string) int {
	depth, kernels := 0, []checkedKernel{{"", a.kernel}}
	var names []string
	for i := 0; i < len(words); i++ {
		option, value, given := strings.Cut(words[i], "=")
		if !strings.HasPrefix(option, "-") {
			if n := len(names); n > 0 && isTag(names[n-1]) {
				names[n-1] += " " + words[i]
			} else {
				names = append(names, words[i])
			}
			continue
		}
		if !given {
			if i++; i == len(words) {
				return a.fail(fmt.Errorf("option %s needs a value", option))
			}
			value = words[i]
		}
		var err error
		switch option {
		case "--depth":
			if depth, err = strconv.Atoi(value); err != nil || depth < 0 {
				return a.fail(fmt.Errorf("invalid value for --depth: %q (want a number of levels)", value))
			}
		case "--kernel":
			if kernels, err = a.recordings(value); err != nil {
				return a.fail(err)
			}
		default:
			return a.fail(fmt.Errorf("unknown option %s for type (want --depth N or --kernel K)", option))
		}
	}
	if len(names) == 0 {
		return a.fail(errors.New("type needs the name of a type, such as 'struct request'"))
	}
	code := exitOK
	for _, k := range kernels {
		for _, name := range names {
			found, err := k.kernel.Catalog().Types(name)
			if err != nil {
				code = a.fail(err)
				continue
			}
			for _, t := range found {
				if strings.Contains(name, "*") {
					fmt.Fprintln(a.stdout, printable.String(t.Name))
					continue
				}
				from := ""
				if k.name != "" {
					from = ", Linux " + k.name
				}
				fmt.Fprintf(a.stdout, "// %s%s\n%s", printable.String(t.Module), from, printable.Lines(t.Layout(depth)))
			}
		}
	}
	return code
}

func isTag(word string) bool { return word == "struct" || word == "union" || word == "enum" }
