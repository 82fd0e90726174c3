package render

import (
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/value"
)

// Map implements form.
func (j *JSON) Map(m *object.Map, s *value.Snapshot, top, div int64) {
	if m.Value == nil {
		return
	}
	if r := rowsOf(m, s, top, j.exited); len(r.entries) > 0 {
		j.open(mapType(m.Value.Kind))
		j.rows(r, div)
	}
}

// rows writes entries of a map as the data of what is open, and closes it.
func (j *JSON) rows(r mapRows, div int64) {
	first := true
	j.buf = appendMember(append(j.buf, '{'), &first, r.m.Name)
	if r.m.Key == nil {
		j.buf = j.p.jsonElement(j.buf, r, 0, div)
	} else {
		j.buf = append(j.buf, '{')
		first := true
		for i := range r.entries {
			j.buf = appendMember(j.buf, &first, j.p.jsonKey(r, i))
			j.buf = j.p.jsonElement(j.buf, r, i, div)
		}
		j.buf = append(j.buf, '}')
	}
	j.buf = append(j.buf, '}')
	j.close()
}

func mapType(k types.Kind) string {
	switch k {
	case types.Avg, types.Stats:
		return "stats"
	case types.Hist, types.LHist:
		return "hist"
	case types.TSeries:
		return "tseries"
	case types.Quantile:
		return "quantile"
	}
	return "map"
}

// jsonKey is the text of a key, without spaces between its parts.
func (p *printer) jsonKey(r mapRows, i int) string {
	p.tight = true
	defer func() { p.tight = false }()
	return string(p.key(nil, value.Of(r.m.Key, r.entries[i].Key)))
}

func (p *printer) jsonElement(b []byte, r mapRows, i int, div int64) []byte {
	p.div = div
	defer func() { p.div = 0 }()
	v := r.value(i)
	if v.Type.Kind == types.TSeries {
		return p.jsonSeries(b, v.Type.Agg, v.Series(), r.last)
	}
	return p.json(b, v)
}
