package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Result is what became of one rival on one kernel.
type Result struct {
	Case    string `json:"case"`
	Kernel  string `json:"kernel"`
	Who     string `json:"who"`
	Digest  string `json:"digest"` // of the case it was recorded with
	Started bool   `json:"started"`
	Says    string `json:"says,omitempty"`    // what the tool reported, or why it did not start
	Witness string `json:"witness,omitempty"` // what is right: a number, or "LOW HIGH"
	Second  bool   `json:"second,omitempty"`  // it is of the second try
}

// Right tells whether what the tool said is what the witness said.
func (r Result) Right() bool {
	if !r.Started {
		return false
	}
	low, high, isRange := strings.Cut(r.Witness, " ")
	if !isRange {
		return r.Says == r.Witness
	}
	n, err := strconv.ParseFloat(r.Says, 64)
	from, err1 := strconv.ParseFloat(low, 64)
	to, err2 := strconv.ParseFloat(high, 64)
	return errors.Join(err, err1, err2) == nil && from <= n && n <= to
}

// final tells whether there is no other try: the rival was right or does not
// start, or this was the second one.
func (r Result) final() bool { return r.Right() || !r.Started || r.Second }

// Record is all that was found out, and with what.
type Record struct {
	Versions map[string]string `json:"versions"` // of kernels ("6.1") and packages
	Results  []Result          `json:"results"`
}

func loadRecord(path string) (r Record, err error) {
	r.Versions = map[string]string{}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(data) == 0 {
		return r, nil // the lock makes an empty one
	} else if err != nil {
		return r, err
	}
	return r, json.Unmarshal(data, &r)
}

// find returns the result of a rival of a case as the case is today.
func (r Record) find(c Case, kernel string, rival Rival) (Result, bool) {
	for _, found := range r.Results {
		if found.Case == c.Name && found.Kernel == kernel && found.Who == rival.Who && found.Digest == c.digest(rival) {
			return found, true
		}
	}
	return Result{}, false
}

// set replaces the result of the same case, kernel and rival.
func (r *Record) set(result Result) {
	r.Results = slices.DeleteFunc(r.Results, func(old Result) bool {
		return old.Case == result.Case && old.Kernel == result.Kernel && old.Who == result.Who
	})
	r.Results = append(r.Results, result)
}

// save writes a line for each result, so that a change of one is one line.
func (r Record) save(path string) error {
	slices.SortFunc(r.Results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.Case, b.Case), cmp.Compare(slices.Index(whose, a.Who), slices.Index(whose, b.Who)),
			slices.Compare(release(a.Kernel), release(b.Kernel)))
	})
	var b bytes.Buffer
	versions, err := json.MarshalIndent(r.Versions, " ", " ")
	if err != nil {
		return err
	}
	fmt.Fprintf(&b, "{\n \"versions\": %s,\n \"results\": [", versions)
	for i, result := range r.Results {
		line, err := json.Marshal(result)
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n  %s", line)
	}
	b.WriteString("\n ]\n}\n")
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// release is a kernel's name as numbers: 6.12 is later than 6.1 and than 6.9.
func release(kernel string) (numbers []int) {
	for part := range strings.SplitSeq(kernel, ".") {
		n, _ := strconv.Atoi(part)
		numbers = append(numbers, n)
	}
	return numbers
}
