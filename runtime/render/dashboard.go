package render

import (
	"cmp"
	"encoding/json"
	"strings"

	"fst/compiler/object"
	"fst/compiler/types"
)

// Dashboard is one of Grafana for the metrics of a script: counters are rates, histograms heat maps with their percentiles, all else
// lines, and what has labels a table of the largest. The data source is chosen in the dashboard. The error is why there are no metrics.
func Dashboard(obj *object.Object) (board []byte, why string) {
	metrics, why := Metrics(obj)
	if why != "" {
		return nil, why
	}
	d := dashboard{}
	for i := range metrics {
		d.metric(&metrics[i])
	}
	d.width, d.high = 24, 6
	d.panel("timeseries", "What was lost, by kind", "cps", query{expr: "rate(" + ownMetrics[1].name + "[$__rate_interval])", legend: "{{kind}}"})
	name := measurement(obj)
	title := "fst"
	if name != title { // no program of the command line
		title += " " + name
	}
	uid := sanitized("fst_" + name)
	type m = map[string]any
	board, _ = json.MarshalIndent(m{
		"title": title, "description": questionOf(obj), "tags": []string{"fst"},
		"uid": uid[:min(40, len(uid))], "editable": true, "schemaVersion": 39, "refresh": "10s",
		"time": m{"from": "now-30m", "to": "now"}, "annotations": m{"list": []m{}},
		"templating": m{"list": []m{{"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"}}},
		"panels":     d.panels,
	}, "", "  ")
	return append(board, '\n'), ""
}

// dashboard places panels from left to right.
type dashboard struct {
	panels      []map[string]any
	x, y        int
	width, high int // of the next
}

// query is one of a panel.
type query struct {
	expr, legend string
	format       string // "heatmap" or "table", else lines
}

// shownLines is how many lines a panel has, and how many rows a table.
const shownLines = "10"

// metric adds the panels of a metric.
func (d *dashboard) metric(m *Metric) {
	d.width, d.high = 12, 8
	keys := make([]string, len(m.Labels))
	for i, label := range m.Labels {
		keys[i] = "{{" + label + "}}"
	}
	legend := cmp.Or(strings.Join(keys, " "), m.Name)
	top := func(expr string) string {
		if len(m.Labels) == 0 {
			return expr
		}
		return "topk(" + shownLines + ", " + expr + ")"
	}
	rate := func(suffix string) string { return "rate(" + m.Name + suffix + "[$__rate_interval])" }
	unit := map[string]string{"seconds": "s", "bytes": "bytes"}[m.Unit]
	title := m.title
	switch shape := shapeOfValue(m.of.Value); {
	case m.Kind == "counter":
		each := map[string]string{"bytes": "Bps", "seconds": "s"}[m.Unit]
		d.panel("timeseries", title+" per second", cmp.Or(each, "cps"), query{expr: top(rate("")), legend: legend})
		d.table(m, title, cmp.Or(unit, "short"), "increase("+m.Name+"[$__range])")
	case m.Kind == "histogram":
		d.panel("heatmap", title, cmp.Or(unit, "short"), query{expr: "sum by (le) (increase(" + m.Name + "_bucket[$__rate_interval]))", legend: "{{le}}", format: "heatmap"})
		by := strings.Join(append([]string{"le"}, m.Labels...), ", ")
		var lines []query
		for _, share := range []string{"0.5", "0.99"} {
			lines = append(lines, query{expr: top("histogram_quantile(" + share + ", sum by (" + by + ") (" + rate("_bucket") + "))"),
				legend: strings.TrimSpace("p" + strings.TrimPrefix(strings.Replace(share, "0.5", "0.50", 1), "0.") + " " + strings.Join(keys, " "))})
		}
		d.panel("timeseries", title+", percentiles", cmp.Or(unit, "short"), lines...)
	case shape == types.Totals:
		d.panel("timeseries", title+", average", cmp.Or(unit, "short"), query{expr: top(rate("_sum") + " / " + rate("_count")), legend: legend})
		d.panel("timeseries", title+" per second", "cps", query{expr: top(rate("_count")), legend: legend})
	case shape == types.Quantiles:
		d.panel("timeseries", title+", quantiles since the start", cmp.Or(unit, "short"),
			query{expr: m.Name, legend: strings.TrimSpace("{{quantile}} " + strings.Join(keys, " "))})
		d.panel("timeseries", title+" per second", "cps", query{expr: top(rate("_count")), legend: legend})
	default:
		d.panel("timeseries", title, cmp.Or(unit, "short"), query{expr: top(m.Name), legend: legend})
		d.table(m, title, cmp.Or(unit, "short"), m.Name)
	}
}

// table adds one with the largest series of a metric that has labels.
func (d *dashboard) table(m *Metric, title, unit, expr string) {
	if len(m.Labels) > 0 {
		d.panel("table", title+", the largest", unit, query{expr: "topk(" + shownLines + ", sum by (" + strings.Join(m.Labels, ", ") + ") (" + expr + "))", format: "table"})
	}
}

func (d *dashboard) panel(kind, title, unit string, queries ...query) {
	type m = map[string]any
	source := m{"type": "prometheus", "uid": "${datasource}"}
	var targets []m
	for i, q := range queries {
		target := m{"refId": string(rune('A' + i)), "datasource": source, "expr": q.expr, "legendFormat": q.legend, "format": cmp.Or(q.format, "time_series")}
		if q.format == "table" {
			target["instant"], target["range"] = true, false
		}
		targets = append(targets, target)
	}
	if d.x+d.width > 24 {
		d.x, d.y = 0, d.y+8
	}
	p := m{"id": len(d.panels) + 1, "type": kind, "title": title, "datasource": source, "targets": targets,
		"gridPos":     m{"x": d.x, "y": d.y, "w": d.width, "h": d.high},
		"fieldConfig": m{"defaults": m{"unit": unit}, "overrides": []m{}}}
	switch kind {
	case "heatmap":
		p["options"] = m{"calculate": false, "cellGap": 1, "color": m{"mode": "scheme", "scheme": "Oranges", "steps": 64, "fill": "dark-orange", "exponent": 0.5, "reverse": false},
			"showValue": "never", "legend": m{"show": true}, "exemplars": m{"color": "rgba(255,0,255,0.7)"}, "filterValues": m{"le": 1e-9},
			"rowsFrame": m{"layout": "le"}, "yAxis": m{"axisPlacement": "left", "unit": unit}, "tooltip": m{"mode": "single", "yHistogram": true}}
		p["fieldConfig"] = m{"defaults": m{}, "overrides": []m{}} // the cells are counts
	case "table":
		p["transformations"] = []m{{"id": "organize", "options": m{"excludeByName": m{"Time": true}}}, {"id": "sortBy", "options": m{"sort": []m{{"field": "Value", "desc": true}}}}}
	}
	d.panels = append(d.panels, p)
	d.x += d.width
}
