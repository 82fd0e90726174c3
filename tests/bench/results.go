package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// row is one figure of all tools.
type row struct {
	bench, metric, unit string
	values              map[string][]float64 // by tool, one a repetition
	least               bool                 // the figure is the least of them, not the median
}

// figure is what is quoted of a tool; ok is false if there is nothing.
func (r *row) figure(tool string) (x float64, ok bool) {
	v := r.values[tool]
	switch {
	case len(v) == 0:
		return 0, false
	case r.least:
		return slices.Min(v), true
	}
	return median(v), true
}

// results collects the figures of a run in the order in which they came.
type results struct {
	rows     []*row
	failures []failure
}

type failure struct {
	Bench string `json:"bench,omitempty"`
	Tool  string `json:"tool"`
	Error string `json:"error"`
}

// add notes one repetition's figure and returns its row.
func (r *results) add(bench, metric, unit, tool string, value float64) *row {
	for _, have := range r.rows {
		if have.bench == bench && have.metric == metric {
			have.values[tool] = append(have.values[tool], value)
			return have
		}
	}
	added := &row{bench: bench, metric: metric, unit: unit, values: map[string][]float64{tool: {value}}}
	r.rows = append(r.rows, added)
	return added
}

func (r *results) fail(bench, tool string, err error) {
	r.failures = append(r.failures, failure{bench, tool, err.Error()})
}

func (r *results) failed(tool string) bool {
	return slices.ContainsFunc(r.failures, func(f failure) bool { return f.Tool == tool })
}

// columns are the tools that have a figure: fst and the floor first.
func (r *results) columns() []string {
	var tools []string
	for _, row := range r.rows {
		for tool := range row.values {
			if !slices.Contains(tools, tool) {
				tools = append(tools, tool)
			}
		}
	}
	rank := []string{"fst", "floor"}
	slices.SortFunc(tools, func(a, b string) int {
		if i, j := slices.Index(rank, a), slices.Index(rank, b); i != j && (i < 0 || j < 0) {
			return cmp.Compare(j, i) // the unranked, at -1, stand last
		} else if i != j {
			return cmp.Compare(i, j)
		}
		return cmp.Compare(a, b)
	})
	return tools
}

// ratio is fst's figure over another tool's; ok is false where there is none.
func (r *row) ratio(tool string) (float64, bool) {
	a, have := r.figure("fst")
	b, haveOther := r.figure(tool)
	switch {
	case !have || !haveOther:
		return 0, false
	case b > 0:
		return a / b, true
	case a == b:
		return 1, true
	}
	return 0, false // something against nothing
}

// writeTable prints the figures, and fst's ratio to each of the others.
func (r *results) writeTable(w io.Writer) error {
	tools := r.columns()
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\tunit\t%s\t", strings.Join(tools, "\t"))
	for _, tool := range tools {
		if tool != "fst" {
			fmt.Fprintf(t, "fst/%s\t", tool)
		}
	}
	fmt.Fprintln(t)
	for _, row := range r.rows {
		fmt.Fprintf(t, "%s %s\t%s\t", row.bench, row.metric, row.unit)
		for _, tool := range tools {
			cell := "-"
			if x, ok := row.figure(tool); ok {
				cell = digits(x)
			}
			fmt.Fprintf(t, "%s\t", cell)
		}
		for _, tool := range tools {
			if tool == "fst" {
				continue
			}
			cell := "-"
			if x, ok := row.ratio(tool); ok {
				cell = strconv.FormatFloat(x, 'f', 2, 64)
			}
			fmt.Fprintf(t, "%s\t", cell)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, f := range r.failures {
		if _, err := fmt.Fprintf(w, "failed: %s %s: %s\n", f.Tool, f.Bench, f.Error); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON prints all repetitions, the figures and the ratios.
func (r *results) writeJSON(w io.Writer) error {
	type jsonRow struct {
		Bench  string               `json:"bench"`
		Metric string               `json:"metric"`
		Unit   string               `json:"unit"`
		Figure map[string]float64   `json:"figure"`
		Values map[string][]float64 `json:"values"`
		Ratio  map[string]float64   `json:"ratio"` // fst's figure over the tool's
	}
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	out := struct {
		Kernel   string    `json:"kernel"`
		CPUs     int       `json:"cpus"`
		Results  []jsonRow `json:"results"`
		Failures []failure `json:"failures,omitempty"`
	}{strings.TrimSpace(string(release)), runtime.NumCPU(), nil, r.failures}
	for _, row := range r.rows {
		j := jsonRow{row.bench, row.metric, row.unit, map[string]float64{}, row.values, map[string]float64{}}
		for tool := range row.values {
			j.Figure[tool], _ = row.figure(tool)
			if x, ok := row.ratio(tool); ok && tool != "fst" {
				j.Ratio[tool] = x
			}
		}
		out.Results = append(out.Results, j)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// digits prints three digits, or all that stand before the point.
func digits(v float64) string {
	decimals := 0
	switch a := max(v, -v); {
	case a == 0:
	case a < 1:
		decimals = 3
	case a < 10:
		decimals = 2
	case a < 100:
		decimals = 1
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// median of at least one value.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}
