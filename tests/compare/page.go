package main

import (
	"cmp"
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
*Start*: the tool attaches its probes and runs until Ctrl-C. *Right*: what it reports in the columns under "compared" agrees with
the witness. Nothing is said about its other columns. A case is one question with a number for an answer: some work is done in a
virtual machine, a tool observes it, and its report is compared with a **witness** that is not BPF (50 files were opened; a counter
of the kernel). fst's own tests check the other columns of its tools ([tests/tools](../tests/tools)), but for those in
[tests/unchecked_columns.txt](../tests/unchecked_columns.txt).

The cases were chosen by fst's authors, who mend fst where a case finds it wrong; some are here because a tool was known to
be wrong there. [How it was done](#how-it-was-done) says what else to bear in mind, and how to see it yourself.
`

const method = `
## How it was done

* The witness is the work itself, a counter of the kernel (/proc/diskstats, /proc/PID/schedstat, pswpin), fincore, tc. Where
  it is not exact it has a range, the same for everybody; the case's file has it.
* Tools get the options that they need for the same question. The machines are emulated, with one CPU, and slow: who starts
  and is not right is tried a second time, and that counts.
* Cases that are here because a tool was known to be wrong: those with a + in their names, and those of tools whose help
  says what others get wrong.
* All are of today: the tools are Debian sid's (bpftrace %s, libbpf-tools %s), the kernels those of four
  releases of Debian (%s).
* Tools of bpftrace 0.27 are for newer kernels than 5.10 (it asks for 5.15) and name what these call it: where a function,
  a field or a tracepoint had another name, they do not start. bcc's do not start on 5.10 where Debian's build has atomic
  instructions (Linux 5.12): another build might.
* bcc's tools are those of libbpf-tools. The ones in Python need the kernel's headers, and were not tried.
* A result stands until its case changes, so fst's are of the fst of that day: -again tries them anew.
* Right means right in this case, in the columns that were compared. Nothing is said of what a tool costs, or how it looks.

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
	b.WriteString(intro)
	b.WriteString(ownFaults(cases, record))
	b.WriteString(reasons(cases, record))
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
		fmt.Fprintf(&b, "\n## %s\n\n| tool | compared | whose |", strings.ToUpper(topic[:1])+topic[1:])
		for _, k := range vm.Kernels {
			fmt.Fprintf(&b, " %s |", k.Name)
		}
		b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(vm.Kernels)) + "\n")
		for _, c := range byTopic[topic] {
			name, compared := fmt.Sprintf("[%s](#%s)", c.Name, anchor(c)), c.Compares
			for _, who := range whose {
				fmt.Fprintf(&b, "| %s | %s | %s |", name, compared, who)
				name, compared = "", ""
				for _, k := range vm.Kernels {
					fmt.Fprintf(&b, " %s |", cell(c, record, who, k.Name))
				}
				b.WriteString("\n")
			}
		}
	}
	b.WriteString(uncompared())
	fmt.Fprintf(&b, method, record.Versions["bpftrace"], record.Versions["libbpf-tools"], releases(record))
	b.WriteString("\n## What was compared\n")
	for _, c := range cases {
		fmt.Fprintf(&b, "\n### %s\n\n%s Compared: %s.\n\n", c.Name, c.Text, c.Compares)
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

// reasons is a line for each rival that starts and is wrong somewhere.
func reasons(cases []Case, record Record) string {
	var b strings.Builder
	for _, c := range cases {
		for _, rival := range c.Rivals {
			if where := wrong(c, record, rival); len(where) > 0 {
				fmt.Fprintf(&b, "* [%s](#%s), %s", c.Name, anchor(c), rival.Who)
				if len(where) < len(vm.Kernels) {
					b.WriteString(" on " + strings.Join(where, ", "))
				}
				fmt.Fprintf(&b, ": %s\n", cmp.Or(rival.Why, "the reason is not known"))
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n## Why what is wrong is wrong\n\n" + b.String()
}

// wrong are the kernels where a rival starts and is not right.
func wrong(c Case, record Record, rival Rival) (kernels []string) {
	for _, k := range vm.Kernels {
		if r, ok := record.find(c, k.Name, rival); ok && r.Started && !r.Right() {
			kernels = append(kernels, k.Name)
		}
	}
	return kernels
}

// uncomparable are the bundled tools that have a namesake and no case, with the
// reason.
var uncomparable = map[string]string{
	"drsnoop":   "fst's is about cgroups, too; libbpf-tools' about the whole machine alone",
	"cpuwalk":   "a guest has one CPU",
	"klockstat": "fst's is about all that threads wait for as a lock; libbpf-tools' about mutexes and semaphores",
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
