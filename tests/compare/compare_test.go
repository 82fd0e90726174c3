package main

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"fst/scripts"
	"fst/tests/vm"
)

var update = flag.Bool("update", false, "write docs/comparison.md")

// TestPage makes sure that the page is what the record says, and that each
// case is about a bundled tool.
func TestPage(t *testing.T) {
	cases, err := loadCases("cases")
	if err != nil {
		t.Fatal(err)
	}
	record, err := loadRecord("results.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if _, ok := scripts.Source(toolOf(c)); !ok {
			t.Errorf("case %s: there is no tool of that name", c.Name)
		}
	}
	for _, c := range cases {
		for _, r := range c.Rivals {
			if where := wrong(c, record, r); (len(where) > 0) != (r.Why != "") || strings.Contains(r.Why, "\n") {
				t.Errorf("%s: %s is wrong on %q, and the reason (one line) is %q", c.Name, r.Who, where, r.Why)
			}
		}
	}
	for _, name := range scripts.Names() {
		text, _ := scripts.Source(name)
		if h, _ := scripts.ParseHeader(text); h.Others != "" && !slices.ContainsFunc(cases, func(c Case) bool { return toolOf(c) == name }) {
			t.Errorf("%s says what other tools get wrong, and no case shows it", name)
		}
	}
	for name := range uncomparable {
		if _, ok := scripts.Source(name); !ok || slices.ContainsFunc(cases, func(c Case) bool { return toolOf(c) == name }) {
			t.Errorf("%s is said not to be compared: it is no tool, or has a case", name)
		}
	}
	for _, r := range record.Results {
		if !slices.ContainsFunc(cases, func(c Case) bool { return c.Name == r.Case }) {
			t.Errorf("a result of a case %q that is not there", r.Case)
		}
	}
	want := page(cases, record)
	if *update {
		if err := record.save("results.json"); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("../../"+pagePath, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile("../../" + pagePath)
	if err != nil || string(have) != want {
		t.Errorf("%s is not made from the record: go test ./tests/compare -update (%v)", pagePath, err)
	}
}

const example = `Requests of a disk.
-- compares --
number of requests
-- workload --
true
-- witness --
echo 10
-- bcc biolatency-libbpf --
echo 1
-- fst biolatency --disk $DISK --
echo 2
`

func TestCase(t *testing.T) {
	c, err := parseCase("biolatency", example)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Rivals) != 2 || c.Rivals[0] != (Rival{Who: "fst", Command: "biolatency --disk $DISK", Value: "echo 2"}) || c.Rivals[1].Who != "bcc" {
		t.Errorf("%+v", c.Rivals)
	}
	for _, bad := range []string{
		strings.Replace(example, "-- workload --\ntrue\n", "", 1),
		strings.Replace(example, "fst biolatency", "gdb biolatency", 1),
		strings.Replace(example, "Requests of a disk.\n", "", 1),
		example + "-- why bpftrace --\nit can't\n",
	} {
		if _, err := parseCase("biolatency", bad); err == nil {
			t.Errorf("no error for\n%s", bad)
		}
	}
}

// TestDigest: a result is of today's case only while nothing that it depends
// on has changed.
func TestDigest(t *testing.T) {
	c, _ := parseCase("biolatency", example)
	var record Record
	result := Result{Case: c.Name, Kernel: "6.1", Who: "fst", Digest: c.digest(c.Rivals[0]), Started: true, Says: "10", Witness: "10"}
	record.set(result)
	record.set(result)
	if len(record.Results) != 1 {
		t.Errorf("%d results of one rival", len(record.Results))
	}
	if _, ok := record.find(c, "6.1", c.Rivals[0]); !ok {
		t.Error("not found")
	}
	other, _ := parseCase("biolatency", strings.Replace(example, "echo 10", "echo 11", 1))
	if _, ok := record.find(other, "6.1", other.Rivals[0]); ok {
		t.Error("found, although the witness is another one")
	}
}

func TestRight(t *testing.T) {
	for _, test := range []struct {
		started       bool
		says, witness string
		want          bool
	}{
		{true, "10", "10", true},
		{true, "10", "11", false},
		{false, "10", "10", false},
		{true, "10", "9 11", true},
		{true, "12", "9 11", false},
		{true, "nothing", "0 11", false},
	} {
		r := Result{Started: test.started, Says: test.says, Witness: test.witness}
		if r.Right() != test.want {
			t.Errorf("%+v: right is %v", r, r.Right())
		}
	}
}

// TestOwnFaults: where fst is wrong is said at the head of the page.
func TestOwnFaults(t *testing.T) {
	c, _ := parseCase("biolatency", example)
	var record Record
	record.set(Result{Case: c.Name, Kernel: "6.12", Who: "fst", Digest: c.digest(c.Rivals[0]), Started: true, Says: "3", Witness: "10 11"})
	if text := page([]Case{c}, record); !strings.Contains(text, "* [biolatency](#biolatency) on 6.12: wrong: 3, not 10 to 11\n") {
		t.Error(text)
	}
}

func TestSummary(t *testing.T) {
	c, _ := parseCase("biolatency", example)
	var record Record
	for _, k := range vm.Kernels {
		record.set(Result{Case: c.Name, Kernel: k.Name, Who: "fst", Digest: c.digest(c.Rivals[0]), Started: true, Says: "10", Witness: "10"})
		record.set(Result{Case: c.Name, Kernel: k.Name, Who: "bcc", Digest: c.digest(c.Rivals[1]), Started: k.Name != "6.1", Says: "3", Witness: "10"})
	}
	text := page([]Case{c}, record)
	if strings.Contains(text, "fst itself is not right") {
		t.Error("fst is blamed for nothing")
	}
	for _, line := range []string{
		"| fst | 1 cases: 1 start, 1 right | 1 cases: 1 start, 1 right | 1 cases: 1 start, 1 right | 1 cases: 1 start, 1 right |\n",
		"| bpftrace | 0 cases: 0 start, 0 right | 0 ca", "| bcc | 1 cases: 1 start, 0 right | 1 cases: 0 start, 0 right | 1 ca",
		"| [biolatency](#biolatency) | number of requests | fst | right | right | right | right |\n|  |  | bpftrace | – | – | – | – |\n",
		"|  |  | bcc | **wrong** | does not start | **wrong** | **wrong** |\n", "5.10, 6.12, 7.2: wrong: 3, not 10\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
}

// TestReasons: who is wrong is at the head of the page with the reason.
func TestReasons(t *testing.T) {
	c, err := parseCase("biolatency", example+"-- why bcc --\nit counts twice\n")
	if err != nil {
		t.Fatal(err)
	}
	var record Record
	record.set(Result{Case: c.Name, Kernel: "6.12", Who: "bcc", Digest: c.digest(c.Rivals[1]), Started: true, Says: "3", Witness: "10"})
	record.set(Result{Case: c.Name, Kernel: "6.1", Who: "bcc", Digest: c.digest(c.Rivals[1]), Says: "ENOENT", Witness: "10"})
	if text := page([]Case{c}, record); !strings.Contains(text, "* [biolatency](#biolatency), bcc on 6.12: it counts twice\n") {
		t.Error(text)
	}
}

// TestDrop: what has been tried is left out when a guest must be booted again.
func TestDrop(t *testing.T) {
	c, _ := parseCase("biolatency", example)
	other, _ := parseCase("biosnoop", example)
	j := job{Cases: []Case{c, other}}
	j.drop(func(c Case, r Rival) bool { return c.Name == "biolatency" || r.Who == "fst" })
	if len(j.Cases) != 1 || j.Cases[0].Name != "biosnoop" || len(j.Cases[0].Rivals) != 1 || j.Cases[0].Rivals[0].Who != "bcc" {
		t.Errorf("%+v", j.Cases)
	}
	if len(c.Rivals) != 2 || len(other.Rivals) != 2 {
		t.Error("the cases themselves were changed")
	}
}

func TestFinal(t *testing.T) {
	for _, test := range []struct {
		says   string
		second bool
		want   bool
	}{{"10", false, true}, {"11", false, false}, {"11", true, true}} {
		r := Result{Started: true, Says: test.says, Witness: "10", Second: test.second}
		if r.final() != test.want {
			t.Errorf("%+v: final is %v", r, r.final())
		}
	}
}
