package corpus

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/render"
	"fst/runtime/value"
	"fst/scripts"
)

var (
	seriesName = regexp.MustCompile(`\bfst_[a-zA-Z0-9_]+`)
	labelName  = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)="`)
	byLabels   = regexp.MustCompile(`by \(([^)]*)\)`)
	inLegend   = regexp.MustCompile(`{{([^}]*)}}`)
)

// TestDashboards: the dashboard of each tool's example is JSON, and asks for series and labels that the format prometheus of
// the same program writes.
func TestDashboards(t *testing.T) {
	k := kernel(t, "6.12")
	boards := 0
	for _, name := range scripts.Names() {
		text, _ := scripts.Source(name)
		h, _ := scripts.ParseHeader(text)
		for i, example := range h.Examples {
			if testing.Short() && i > 0 || !strings.Contains(text, "@") {
				break
			}
			command, _, _ := strings.Cut(example, " | ")
			params, named, _, err := h.Args(strings.Fields(strings.ReplaceAll(command, "'", ""))[2:], shared)
			if err != nil {
				t.Fatal(err)
			}
			obj, err := compileWith(k, name+".fst", text, params, named)
			if err != nil {
				continue // what the recording has not
			}
			metrics, why := render.Metrics(obj)
			board, boardWhy := render.Dashboard(obj)
			if boardWhy != why {
				t.Errorf("%s: %q, but metrics say %q", example, boardWhy, why)
			}
			if why != "" {
				continue
			}
			boards++
			// An element of each map, all of whose numbers are 1.
			totals := render.Totals{Maps: map[int]*event.Map{}}
			for _, m := range render.MetricMaps(metrics) {
				entry := value.Entry{Value: slices.Repeat([]byte{1, 0, 0, 0, 0, 0, 0, 0}, m.Value.Size/8+1)[:m.Value.Size]}
				if m.Value.Kind == types.String {
					entry.Value = append([]byte("x"), make([]byte, m.Value.Size-1)...)
				}
				if m.Key != nil {
					entry.Key = make([]byte, m.Key.Size)
				}
				totals.Maps[m.ID] = &event.Map{Map: m, Snapshot: &value.Snapshot{Entries: []value.Entry{entry}}, Names: &event.Names{}}
			}
			page := string(render.NewExposition(obj, metrics, "1", render.Options{}).Append(nil, totals))
			labels := map[string][]string{}
			for line := range strings.Lines(page) {
				series := seriesName.FindString(line)
				if line[0] == '#' {
					continue
				}
				for _, found := range labelName.FindAllStringSubmatch(line, -1) {
					labels[series] = append(labels[series], found[1])
				}
				labels[series] = append(labels[series], "")
			}
			var read struct {
				Title, UID string
				Panels     []struct {
					Type    string
					GridPos struct{ X, Y, W, H int }
					Targets []struct{ Expr, LegendFormat string }
				}
			}
			if err := json.Unmarshal(board, &read); err != nil {
				t.Errorf("%s: %v", example, err)
			}
			if read.Title != "fst "+name || read.UID == "" || len(read.Panels) <= len(metrics) {
				t.Errorf("%s: %+v", example, read)
			}
			asked := map[string]bool{}
			for i, p := range read.Panels {
				for _, other := range read.Panels[:i] {
					a, b := p.GridPos, other.GridPos
					if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
						t.Errorf("%s: two panels are at %v and %v", example, a, b)
					}
				}
				for _, q := range p.Targets {
					var wanted []string
					for _, found := range byLabels.FindAllStringSubmatch(q.Expr, -1) {
						wanted = append(wanted, strings.Split(found[1], ", ")...)
					}
					for _, found := range inLegend.FindAllStringSubmatch(q.LegendFormat, -1) {
						wanted = append(wanted, found[1])
					}
					all := seriesName.FindAllString(q.Expr, -1)
					if len(all) == 0 {
						t.Errorf("%s: %s asks for no series", example, q.Expr)
					}
					for _, series := range all {
						asked[series] = true
						for _, label := range append(wanted, "") {
							if !slices.Contains(labels[series], label) {
								t.Errorf("%s: %s asks for the label %q, but there is\n%s", example, q.Expr, label, page)
							}
						}
					}
				}
			}
			for _, m := range metrics {
				if !asked[m.Name] && !asked[m.Name+"_bucket"] && !asked[m.Name+"_count"] {
					t.Errorf("%s: nothing shows %s", example, m.Name)
				}
			}
		}
	}
	if boards < 30 {
		t.Errorf("only %d dashboards", boards)
	}
}
