package render

import (
	"cmp"
	"io"
	"math"
	"strings"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"

	"github.com/google/pprof/profile"
)

// Pprof shows maps by stack as a profile that go tool pprof reads. There is one, written at
// the end: each map with stacks in its keys is one of its types of samples, with the name and the
// unit of the value; what else is in a key are labels.
type Pprof struct {
	*stackMaps[*profileSample]
	out    io.Writer
	to     profile.Profile
	places map[profilePlace]*profile.Location
	funcs  map[[2]string]*profile.Function
	files  map[string]*profile.Mapping
}

type profileSample struct {
	at     []*profile.Location
	labels map[string][]string
}

// profilePlace is a frame, which may be called otherwise in another process.
type profilePlace struct {
	addr           uint64
	symbol, module string
}

// NewPprof returns a sink that writes a profile to out when it ends, and all else to errs.
func NewPprof(out, errs io.Writer, obj *object.Object, opts Options) *Pprof {
	p := &Pprof{out: out, places: map[profilePlace]*profile.Location{}, funcs: map[[2]string]*profile.Function{}, files: map[string]*profile.Mapping{}}
	p.stackMaps = newStackMaps(errs, obj, opts, p.sample)
	return p
}

// sample is an element without its weight.
func (p *Pprof) sample(r event.Elements, n int) *profileSample {
	s := &profileSample{}
	for _, kind := range []types.Kind{types.KStack, types.UStack} { // the innermost function comes first
		for v := range parts(r.Key(n)) {
			if v.Type.Kind != kind {
				continue
			}
			stack := v.Stack()
			for _, f := range p.p.names.Stacks[stack] {
				s.at = append(s.at, p.location(&f, stack.User))
			}
		}
	}
	for i, part := range event.KeyParts(r.Key(n)) {
		for v := range parts(part) {
			if !isStack(v) {
				name := "key"
				if r.Map.Schema != nil && i < len(r.Map.Schema.Fields) {
					name = r.Map.Schema.Fields[i].Name
				}
				s.label(name, v, p.p)
			}
		}
	}
	return s
}

func (s *profileSample) label(name string, v value.Value, p *printer) {
	if s.labels == nil {
		s.labels = map[string][]string{}
	}
	s.labels[name] = append(s.labels[name], string(p.text(nil, v)))
}

// location is the place of a frame.
func (p *Pprof) location(f *event.Frame, user bool) *profile.Location {
	module := cmp.Or(f.Module, unknown)
	if !user {
		module = cmp.Or(f.Module, "[kernel]")
	}
	key := profilePlace{f.Addr, f.Symbol, module}
	if l := p.places[key]; l != nil {
		return l
	}
	file := p.files[module]
	if file == nil {
		file = &profile.Mapping{ID: uint64(len(p.to.Mapping) + 1), File: module, HasFunctions: true}
		p.files[module] = file
		p.to.Mapping = append(p.to.Mapping, file)
	}
	l := &profile.Location{ID: uint64(len(p.to.Location) + 1), Address: f.Addr, Mapping: file}
	name := cmp.Or(f.Symbol, "["+module[strings.LastIndexByte(module, '/')+1:]+"]")
	if module == unknown && f.Symbol == "" {
		name = unknown
	}
	fn := p.funcs[[2]string{name, module}]
	if fn == nil {
		fn = &profile.Function{ID: uint64(len(p.to.Function) + 1), Name: name, SystemName: name}
		p.funcs[[2]string{name, module}] = fn
		p.to.Function = append(p.to.Function, fn)
	}
	l.Line = []profile.Line{{Function: fn}}
	p.places[key] = l
	p.to.Location = append(p.to.Location, l)
	return l
}

// End implements event.Ender.
func (p *Pprof) End() error {
	if !p.last.IsZero() {
		p.to.TimeNanos = p.last.UnixNano()
	}
	for i, m := range p.maps {
		p.to.SampleType = append(p.to.SampleType, sampleType(m))
		for _, s := range p.values[i] {
			values := make([]int64, len(p.maps))
			values[i] = int64(min(s.weight, math.MaxInt64))
			p.to.Sample = append(p.to.Sample, &profile.Sample{Location: s.of.at, Label: s.of.labels, Value: values})
		}
	}
	if len(p.maps) == 0 {
		p.to.SampleType = []*profile.ValueType{{Type: "samples", Unit: "count"}}
	}
	return p.to.Write(p.out)
}

// sampleType tells what the numbers of a map are.
func sampleType(m *object.Map) *profile.ValueType {
	t := &profile.ValueType{Type: strings.TrimPrefix(m.Name, "@"), Unit: "count"}
	if s := m.Schema; s != nil && len(s.Fields) > s.Keys {
		t.Type = cmp.Or(t.Type, s.Fields[s.Keys].Name)
		agg := m.Value.Kind.Aggregation()
		if agg == nil || agg.Shape != types.Buckets && agg.Shape != types.Quantiles { // these weigh how often they counted
			t.Unit = cmp.Or(pprofUnits[s.Fields[s.Keys].Unit.String()], s.Fields[s.Keys].Unit.String(), t.Unit)
		}
	}
	t.Type = cmp.Or(t.Type, "samples")
	return t
}

// pprofUnits are the names that pprof has for units.
var pprofUnits = map[string]string{"ns": "nanoseconds", "us": "microseconds", "ms": "milliseconds", "s": "seconds",
	"KiB": "kilobytes", "MiB": "megabytes", "GiB": "gigabytes"}
