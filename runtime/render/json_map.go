package render

import (
	"fst/compiler/types"
	"fst/runtime/event"
)

// elements writes a map.
func (j *JSON) elements(e *event.Map) {
	if e.Map.Value == nil {
		return
	}
	if r := e.Elements(j.exited); len(r.Entries) > 0 {
		j.open(mapType(e.Map.Value.Kind))
		j.rows(r, e.Div)
	}
}

// rows writes entries of a map as the data of what is open, and closes it.
func (j *JSON) rows(r event.Elements, div int64) {
	first := true
	j.buf = appendMember(append(j.buf, '{'), &first, r.Map.Name)
	if r.Map.Key == nil {
		j.buf = jsonWriter{&j.p}.element(j.buf, r, 0, div)
	} else {
		j.buf = append(j.buf, '{')
		first := true
		for i := range r.Entries {
			j.buf = appendMember(j.buf, &first, jsonWriter{&j.p}.key(r, i))
			j.buf = jsonWriter{&j.p}.element(j.buf, r, i, div)
		}
		j.buf = append(j.buf, '}')
	}
	j.buf = append(j.buf, '}')
	j.close()
}

func mapType(k types.Kind) string {
	if agg := k.Aggregation(); agg != nil && agg.MapType != "" {
		return agg.MapType
	}
	return "map"
}

// key is the text of a key, without spaces between its parts.
func (w jsonWriter) key(r event.Elements, i int) string {
	w.p.tight = true
	defer func() { w.p.tight = false }()
	return string(w.p.key(nil, r.Key(i)))
}

func (w jsonWriter) element(b []byte, r event.Elements, i int, div int64) []byte {
	w.p.div = divisor(div)
	defer func() { w.p.div = 0 }()
	v := r.Value(i)
	if d := displayOf(v.Type); d != nil {
		return d.json(w, b, v, r.Last)
	}
	return w.value(b, v)
}
