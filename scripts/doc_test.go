package scripts

// What the pages of docs/ that are made from the headers of the tools hold.

import (
	"fmt"
	"strings"
)

// docIndex is the page docs/tools/README.md: all tools by topic.
func docIndex() string {
	var b strings.Builder
	b.WriteString("# Tools\n\nEach is a script of a few lines in `scripts/`: `fst show NAME` prints it. This folder is made from the\n" +
		"headers of the scripts by `go test ./scripts -update`.\n")
	b.WriteString("\n## Where to begin\n\n| question | what to type |\n|---|---|\n")
	for _, s := range Starts {
		fmt.Fprintf(&b, "| %s | `fst %s` |\n", s.Question, strings.ReplaceAll(s.Commands, "; ", "`, `fst "))
	}
	b.WriteString("\n## Columns\n\nThese mean the same in all tools; the page of a tool explains all others.\n\n| column | meaning |\n|---|---|\n")
	for _, c := range Columns {
		fmt.Fprintf(&b, "| %s | %s |\n", c.Name, c.Meaning)
	}
	for _, topic := range Topics {
		fmt.Fprintf(&b, "\n## %s\n\n| tool | question |\n|---|---|\n", strings.ToUpper(topic[:1])+topic[1:])
		for _, name := range Names() {
			if h := headerOf(name); h.Topic == topic {
				fmt.Fprintf(&b, "| [%s](%s.md) | %s |\n", name, name, h.Question)
			}
		}
	}
	return b.String()
}

// doc is the page docs/tools/NAME.md of a tool.
func doc(name string) string {
	h := headerOf(name)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n    fst %s\n", name, h.Question, h.Usage)
	if options := append(append([]Option{}, h.Options...), h.groups()...); len(options) > 0 {
		b.WriteString("\n| option | meaning |\n|---|---|\n")
		for _, o := range options {
			fmt.Fprintf(&b, "| `%s` | %s |\n", o.Names(), o.Help)
		}
	}
	b.WriteString("\nAll tools also have `-d SEC` (stop after SEC seconds), `-j` (JSON), `-v` and `-h`.\n")
	if example, ok := Example(name); ok {
		b.WriteString("\n## Example\n\n")
		for line := range strings.Lines(example) {
			b.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
		}
	}
	b.WriteString("\n## How to read it\n\n" + Wrap(h.Reading, "", 110))
	b.WriteString("\n## What it can miss\n\n" + Wrap(h.Misses, "", 110))
	b.WriteString("\n## What it costs\n\n" + Wrap(h.Cost, "", 110))
	if h.Others != "" {
		b.WriteString("\n## What other tools say\n\n" + Wrap(h.Others, "", 110))
		fmt.Fprintf(&b, "\n    go run ./tests/compare -run %s -again\n\nshows it; [comparison.md](../comparison.md) has the results on each kernel.\n", name)
	}
	if len(h.Also) > 0 {
		fmt.Fprintf(&b, "\nElsewhere there are %s for the same purpose.\n", strings.Join(h.Also, ", "))
	}
	if len(h.Instead) > 0 {
		var links []string
		for _, other := range h.Instead {
			links = append(links, fmt.Sprintf("[%s](%s.md)", other, other))
		}
		fmt.Fprintf(&b, "\nWhere the kernel lacks what it needs, try %s.\n", strings.Join(links, ", "))
	}
	return b.String()
}

// docOneLiners is the page docs/one-liners.md.
func docOneLiners() string {
	var b strings.Builder
	b.WriteString("# One-liners\n\n<!-- Made from scripts/oneliners.txt by: go test ./scripts -update -->\n\n" +
		"A test compiles each of them for Linux 5.10, 6.1, 6.12 and 7.2. For more complete answers, see\n" +
		"[the tools](tools/README.md).\n")
	for _, o := range OneLiners() {
		b.WriteString("\n" + o.Question + "\n\n    " + o.Command + "\n")
	}
	return b.String()
}

func headerOf(name string) Header {
	text, _ := Source(name)
	h, _ := ParseHeader(text)
	return h
}
