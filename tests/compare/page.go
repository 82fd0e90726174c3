package main

import (
	"fmt"
	"slices"
	"strings"

	"fst/scripts"
	"fst/tests/vm"
)

// verdict is a result in one cell of a table.
func verdict(r Result) string {
	switch {
	case !r.Started:
		return "does not start: " + r.Says
	case r.Right():
		return "right: " + r.Says
	}
	low, high, isRange := strings.Cut(r.Witness, " ")
	if isRange {
		return fmt.Sprintf("wrong: %s, not %s to %s", r.Says, low, high)
	}
	return fmt.Sprintf("wrong: %s, not %s", r.Says, r.Witness)
}

// word is the verdict in a word.
func word(r Result) string {
	switch {
	case !r.Started:
		return "does not start"
	case r.Right():
		return "right"
	}
	return "**wrong**"
}

// page is docs/comparison.md.
func page(cases []Case, record Record) string {
	var b strings.Builder
	b.WriteString("# The tools beside bpftrace's and bcc's\n\n" +
		"<!-- Made from tests/compare/results.json by: go test ./tests/compare -update -->\n\n" +
		"Each tool looks at the same work, on the same kernel, and what it reports is held against a witness that is\n" +
		"not BPF. `go run ./tests/compare` does it again; the files in [tests/compare/cases](../tests/compare/cases) have the\n" +
		"work, the commands and the witnesses. *right*: the tool's number is the witness's. *wrong*: it started and its\n" +
		"number is another one. *does not start*: it ends with an error. –: there is no such tool, or only one that needs the\n" +
		"kernel's headers and a compiler (of bcc's tools those of libbpf-tools are compared).\n\n")
	fmt.Fprintf(&b, "Kernels of Debian: %s; its bpftrace %s and libbpf-tools %s.\n", releases(record),
		record.Versions["bpftrace"], record.Versions["libbpf-tools"])
	b.WriteString(totals(cases, record))
	byTopic := map[string][]Case{}
	for _, c := range cases {
		text, _ := scripts.Source(toolOf(c))
		h, _ := scripts.ParseHeader(text)
		byTopic[h.Topic] = append(byTopic[h.Topic], c)
	}
	for _, topic := range scripts.Topics {
		if len(byTopic[topic]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n| tool | whose |", strings.ToUpper(topic[:1])+topic[1:])
		for _, k := range vm.Kernels {
			fmt.Fprintf(&b, " %s |", k.Name)
		}
		b.WriteString("\n|---|---|" + strings.Repeat("---|", len(vm.Kernels)) + "\n")
		for _, c := range byTopic[topic] {
			name := fmt.Sprintf("[%s](#%s)", c.Name, strings.ReplaceAll(c.Name, "+", ""))
			for _, who := range whose {
				fmt.Fprintf(&b, "| %s | %s |", name, who)
				name = ""
				for _, k := range vm.Kernels {
					fmt.Fprintf(&b, " %s |", cell(c, record, who, k.Name))
				}
				b.WriteString("\n")
			}
		}
	}
	b.WriteString("\n## What was compared\n")
	for _, c := range cases {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", c.Name, c.Text)
		for _, rival := range c.Rivals {
			command := rival.Command
			if rival.Who == "fst" {
				command = "fst " + command
			}
			fmt.Fprintf(&b, "* `%s`", command)
			for _, said := range sayings(c, record, rival) {
				fmt.Fprintf(&b, "\n  * %s", said)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// toolOf is the bundled tool that a case is about: its name up to a "+".
func toolOf(c Case) string {
	name, _, _ := strings.Cut(c.Name, "+")
	return name
}

func releases(record Record) string {
	var list []string
	for _, k := range vm.Kernels {
		if v := record.Versions[k.Name]; v != "" {
			list = append(list, v)
		}
	}
	return strings.Join(list, ", ")
}

// cell is what a table says of one rival on one kernel.
func cell(c Case, record Record, who, kernel string) string {
	for _, rival := range c.Rivals {
		if rival.Who != who {
			continue
		}
		if r, ok := record.find(c, kernel, rival); ok {
			return word(r)
		}
		return "not tried"
	}
	return "–"
}

// sayings tells what a rival reported or complained of, the kernels with the
// same together.
func sayings(c Case, record Record, rival Rival) (lines []string) {
	var said []string
	kernels := map[string][]string{}
	for _, k := range vm.Kernels {
		r, ok := record.find(c, k.Name, rival)
		if !ok {
			continue
		}
		v := verdict(r)
		if r.Right() {
			v = "right"
		}
		if !slices.Contains(said, v) {
			said = append(said, v)
		}
		kernels[v] = append(kernels[v], k.Name)
	}
	for _, v := range said {
		lines = append(lines, strings.Join(kernels[v], ", ")+": "+v)
	}
	return lines
}

// totals counts the verdicts.
func totals(cases []Case, record Record) string {
	var b strings.Builder
	b.WriteString("\n| whose | right | wrong | does not start | of |\n|---|---|---|---|---|\n")
	for _, who := range whose {
		var right, wrong, not int
		for _, c := range cases {
			for _, rival := range c.Rivals {
				for _, k := range vm.Kernels {
					if r, ok := record.find(c, k.Name, rival); rival.Who != who || !ok {
						continue
					} else if !r.Started {
						not++
					} else if r.Right() {
						right++
					} else {
						wrong++
					}
				}
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", who, right, wrong, not, right+wrong+not)
	}
	return b.String()
}
