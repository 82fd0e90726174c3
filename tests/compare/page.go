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
*Start*: the tool attaches its probes and runs until Ctrl-C. *Right*: the columns under "compared" agree with the witness; the
other columns are not judged here. A case is one question whose answer is a number. A virtual machine does some work, a tool
observes it, and the tool's report is compared with a **witness** that does not use BPF: the work itself (50 files were opened)
or a counter of the kernel. fst's own tests check the other columns of its tools ([tests/tools](../tests/tools)), except those
listed in [tests/unchecked_columns.txt](../tests/unchecked_columns.txt).

fst's authors chose the cases, and fix fst where a case finds it wrong. Some cases exist because a tool was known to be wrong
there. [How it was done](#how-it-was-done) lists the other limits of this comparison, and how to repeat it.
`

const method = `
## How it was done

* The witness is the work itself, a counter of the kernel (/proc/diskstats, /proc/PID/schedstat, pswpin), fincore or tc. Where
  a witness is not exact it is a range, the same for all tools; the case's file states it.
* Each tool gets the options that make it answer the same question. The machines are emulated, slow, and have one CPU. A tool
  that starts and is not right gets a second try, and the second result counts.
* Cases that exist because a tool was known to be wrong have a + in their names, or are about a tool whose help says what other
  tools get wrong.
* The tools are those of Debian sid (bpftrace %s, libbpf-tools %s), the kernels those of four
  Debian releases (%s).
* The tools of bpftrace 0.27 are written for Linux 5.15 and newer. They use the names of these kernels, and do not start where a
  function, a field or a tracepoint had another name. bcc's tools do not start on 5.10 if Debian's build of them uses atomic
  instructions (Linux 5.12); another build might start.
* bcc's tools are those of libbpf-tools. Its Python tools need the kernel's headers, and were not tried.
* A result is valid until its case changes. fst's results are those of the version that was tested; -again repeats them.
* "Right" covers this case and these columns only. Cost and readability are not compared.

To repeat it (Linux with QEMU, no root; half an hour for a kernel, minutes with -run):

    go build -o bin/fst ./cmd/fst && go run ./tests/compare -kernels 6.1 -run biosnoop -again

[tests/compare](../tests/compare/README.md) explains the comparison; [tests/compare/cases](../tests/compare/cases) contains the
work, the commands and the witnesses.
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
				v += " at the second attempt"
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
		fmt.Fprintf(&b, "\n%d more have not been run yet.\n", untried)
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
	return "\nfst itself is wrong here:\n\n" + strings.Join(lines, "")
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
	return "\n## Why the wrong ones are wrong\n\n" + b.String()
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
	"drsnoop":   "fst's also covers reclaim in cgroups; libbpf-tools' only that of the whole machine",
	"cpuwalk":   "a guest has one CPU",
	"klockstat": "fst's covers all kernel locks that a thread can block on; libbpf-tools' mutexes and semaphores",
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
