package main

import (
	"fmt"
	"maps"
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

const intro = `
*Start*: it attaches its probes and goes on until Ctrl-C. *Right*: the number that it reports is the witness's.

A case is one question with a number for an answer. Some work is done in a virtual machine, a tool looks at it, and what it
reports is held against a **witness** that is not BPF: the work itself (50 files were opened), a counter of the kernel
(/proc/diskstats, /proc/PID/schedstat, pswpin), fincore, tc. Where the witness is not exact it has a range, the same for
everybody; the case's file has it. Tools get the options that they need for the same question. Who starts and is not right
is tried a second time, and that counts: the machines are emulated, with one CPU, and slow.

What to bear in mind:

* The cases are the choice of fst's authors. Some are here because a tool was known to be wrong there: those with a + in
  their names, and those of tools whose help says what others get wrong.
* All are of today: the tools are Debian sid's (bpftrace %s, libbpf-tools %s), the kernels those of four
  releases of Debian (%s). bpftrace 0.27 asks for Linux 5.15 or later, so 5.10 is older than it promises.
* bcc's tools are those of libbpf-tools. The ones in Python need the kernel's headers and a compiler, and were not tried.
* Right means right in this case. Nothing is said of what a tool costs, or how it looks.

To see it yourself (Linux with QEMU, no root; half an hour for a kernel, minutes with -run):

    go build -o bin/fst ./cmd/fst && go run ./tests/compare -kernels 6.1 -run biosnoop -again

[tests/compare](../tests/compare/README.md) tells more; [tests/compare/cases](../tests/compare/cases) has the work, the
commands and the witnesses.
`

// page is docs/comparison.md.
func page(cases []Case, record Record) string {
	var b strings.Builder
	b.WriteString("# The tools beside bpftrace's and bcc's\n\n" +
		"<!-- Made from tests/compare/results.json by: go test ./tests/compare -update -->\n\n")
	b.WriteString(summary(cases, record))
	fmt.Fprintf(&b, intro, record.Versions["bpftrace"], record.Versions["libbpf-tools"], releases(record))
	b.WriteString(ownFaults(cases, record))
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
			name := fmt.Sprintf("[%s](#%s)", c.Name, anchor(c))
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
	b.WriteString(uncompared())
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
			if r.Second {
				v += " at the second try"
			}
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

// count is what became of the rivals of one owner on one kernel.
type count struct{ starts, right, cases, untried int }

func counts(cases []Case, record Record, who, kernel string) (n count) {
	for _, c := range cases {
		for _, rival := range c.Rivals {
			if rival.Who != who {
				continue
			}
			r, ok := record.find(c, kernel, rival)
			if !ok {
				n.untried++
				continue
			}
			n.cases++
			if r.Started {
				n.starts++
			}
			if r.Right() {
				n.right++
			}
		}
	}
	return n
}

// summary is the table of how many start and are right.
func summary(cases []Case, record Record) string {
	var b strings.Builder
	b.WriteString("| tools of |")
	for _, k := range vm.Kernels {
		fmt.Fprintf(&b, " Linux %s |", k.Name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(vm.Kernels)) + "\n")
	untried := 0
	for _, who := range whose {
		fmt.Fprintf(&b, "| %s |", who)
		for _, k := range vm.Kernels {
			n := counts(cases, record, who, k.Name)
			untried += n.untried
			fmt.Fprintf(&b, " %d cases: %d start, %d right |", n.cases, n.starts, n.right)
		}
		b.WriteString("\n")
	}
	if untried > 0 {
		fmt.Fprintf(&b, "\n%d more have not been tried yet.\n", untried)
	}
	return b.String()
}

// ownFaults lists where fst is not right.
func ownFaults(cases []Case, record Record) string {
	var lines []string
	for _, c := range cases {
		for _, rival := range c.Rivals {
			if rival.Who != "fst" {
				continue
			}
			for _, k := range vm.Kernels {
				if r, ok := record.find(c, k.Name, rival); ok && !r.Right() {
					lines = append(lines, fmt.Sprintf("* [%s](#%s) on %s: %s\n", c.Name, anchor(c), k.Name, verdict(r)))
				}
			}
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return "\nfst itself is not right here:\n\n" + strings.Join(lines, "")
}

// uncomparable are the bundled tools that have a namesake and no case, with the
// reason.
var uncomparable = map[string]string{
	"drsnoop":   "fst's is about control groups, too; libbpf-tools' about the whole machine alone",
	"cpuwalk":   "a guest has one CPU",
	"klockstat": "fst's is about all that threads wait for as a lock; libbpf-tools' about mutexes and semaphores",
	"memleak":   "libbpf-tools' needs the process before it starts; the guests have no compiler to make one",
}

func uncompared() string {
	var b strings.Builder
	b.WriteString("\n## Not compared\n\n")
	for _, name := range slices.Sorted(maps.Keys(uncomparable)) {
		fmt.Fprintf(&b, "* %s: %s\n", name, uncomparable[name])
	}
	b.WriteString("* xfsdist of bpftrace (`fst fsdist xfs`): the guests have no XFS\n")
	return b.String()
}

// anchor is where the page tells more of a case.
func anchor(c Case) string { return strings.ReplaceAll(c.Name, "+", "") }
