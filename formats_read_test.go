package fst

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"fst/compiler/object"
	"fst/runtime/event"
	"fst/runtime/value"
)

// told is a number that an event shows: its name, its unit and its digits.
type told struct{ name, unit, digits string }

// is reports whether other tells the same, as far as it tells it. A heading of CSV leaves out the unit of counts and what its name says.
func (n told) is(other told) bool {
	implied := n.unit == "count" || strings.HasSuffix("_"+n.name, "_"+strings.ToLower(n.unit))
	return n.digits == other.digits && (n.name == other.name && (n.unit == other.unit || other.unit == untold || other.unit == "" && implied) || other.name == "")
}

const untold = "?"

// numbers are those that an event shows as they are: aggregations that are several are left out.
func numbers(e event.Event) (list []told) {
	var add func(f *object.Field, v value.Value)
	add = func(f *object.Field, v value.Value) {
		switch {
		case f.Constant || f.Role == object.RoleTime:
		case len(f.Parts) > 0:
			for n, part := range event.KeyParts(v) {
				add(&f.Parts[n], part)
			}
		case v.Type.Kind.IsNumber() && v.Signed():
			list = append(list, told{f.Name, f.Unit.String(), strconv.FormatInt(v.Int(), 10)})
		case v.Type.Kind.IsNumber():
			list = append(list, told{f.Name, f.Unit.String(), strconv.FormatUint(v.Uint(), 10)})
		}
	}
	elements := func(r event.Elements) {
		s := r.Map.Schema
		for i := range r.Entries {
			if s.Keys > 0 {
				for n, part := range event.KeyParts(r.Key(i)) {
					add(&s.Fields[n], part)
				}
			}
			add(&s.Fields[s.Keys], r.Value(i))
		}
	}
	switch e := e.(type) {
	case *event.Record:
		for i := range e.Message.Fields {
			if e.Message.Kind.HasValues() {
				add(&e.Message.Schema.Fields[i], event.Field(&e.Message.Fields[i], e.Data))
			}
		}
	case *event.Map:
		elements(e.Elements(true))
	case *event.Heat:
		elements(e.Elements())
	case *event.Table:
		for _, row := range e.Rows().Rows {
			for i, v := range row {
				add(&e.Message.Schema.Fields[i], v)
			}
		}
	}
	return list
}

// readers find the numbers that a form has written of one event, heading being that of the CSV before it.
var readers = map[string]func(text string, heading *[]string) ([]told, error){"csv": readCSV, "json": readJSON, "json2": readJSON2, "influx": readInflux}

var (
	headingUnit = regexp.MustCompile(`^(.*) \((\w+)\)$`)
	influxPair  = regexp.MustCompile(`[, ](\w+)=(-?\d+)`)
	anyNumber   = regexp.MustCompile(`-?\d+`)
)

func readCSV(text string, heading *[]string) (list []told, err error) {
	text, isNew := strings.CutPrefix(text, "\r\n")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) > 0 && (isNew || *heading == nil) {
		*heading, rows = rows[0], rows[1:]
	}
	for _, row := range rows {
		if len(row) != len(*heading) {
			return nil, fmt.Errorf("%d cells under %d headings", len(row), len(*heading))
		}
		for i, cell := range row {
			name, unit := (*heading)[i], ""
			if m := headingUnit.FindStringSubmatch(name); m != nil {
				name, unit = m[1], m[2]
			}
			list = append(list, told{name, unit, cell})
		}
	}
	return list, nil
}

func decoded(line string, into any) error {
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	return d.Decode(into)
}

func readJSON(text string, _ *[]string) (list []told, err error) {
	for line := range strings.Lines(text) {
		var object map[string]any
		if err := decoded(line, &object); err != nil {
			return nil, fmt.Errorf("%w: %s", err, line)
		}
	}
	return loose(text), nil
}

// loose are the numbers in a text, whose names and units it does not tell by themselves.
func loose(text string) (list []told) {
	for _, digits := range anyNumber.FindAllString(text, -1) {
		list = append(list, told{digits: digits})
	}
	return list
}

func readInflux(text string, _ *[]string) (list []told, err error) {
	for _, m := range influxPair.FindAllStringSubmatch(text, -1) {
		list = append(list, told{m[1], untold, m[2]})
	}
	return list, nil
}

func readJSON2(text string, _ *[]string) (list []told, err error) {
	for line := range strings.Lines(text) {
		var x struct {
			Type  string
			Units map[string]string
			Data  any
		}
		if err := decoded(line, &x); err != nil {
			return nil, fmt.Errorf("%w: %s", err, line)
		}
		data, _ := x.Data.(map[string]any)
		add := func(name string, v any) {
			if parts, ok := v.(map[string]any); ok {
				for name, v := range parts {
					list = append(list, told{name, x.Units[name], fmt.Sprint(v)})
				}
				return
			}
			list = append(list, told{name, x.Units[name], fmt.Sprint(v)})
		}
		switch x.Type {
		case "row", "event", "value":
			for name, v := range data {
				add(name, v)
			}
		case "map":
			for _, e := range data["elements"].([]any) {
				e := e.(map[string]any)
				for i, part := range e["key"].([]any) {
					add(data["keys"].([]any)[i].(string), part)
				}
				add(cmp.Or(strings.TrimPrefix(data["map"].(string), "@"), fmt.Sprint(data["function"])), e["value"])
			}
		case "table":
			for _, row := range data["rows"].([]any) {
				for name, v := range row.(map[string]any) {
					add(name, v)
				}
			}
		}
	}
	return list, nil
}
