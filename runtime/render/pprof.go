package render

import (
	"cmp"
	"compress/gzip"
	"io"
	"strings"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
)

// Pprof shows maps by stack as a profile that go tool pprof reads. There is one, written at
// the end: each map with stacks in its keys is one of its types of samples, with the name and the
// unit of the value; what else is in a key are labels.
type Pprof struct {
	*stackMaps[*profileSample]
	out    io.Writer
	to     protobuf // mappings, locations and functions
	texts  numbered[string]
	places numbered[profilePlace]
	funcs  numbered[[2]string]
	files  numbered[string]
}

type profileSample struct {
	at     []uint64 // numbers of locations
	labels protobuf
}

// profilePlace is a frame, which may be called otherwise in another process.
type profilePlace struct {
	addr           uint64
	symbol, module string
}

// NewPprof returns a sink that writes a profile to out when it ends, and all else to errs.
func NewPprof(out, errs io.Writer, obj *object.Object, opts Options) *Pprof {
	p := &Pprof{out: out, texts: numbered[string]{}, places: numbered[profilePlace]{}, funcs: numbered[[2]string]{}, files: numbered[string]{}}
	p.texts.number("") // the first is empty
	p.stackMaps = newStackMaps(newFolder(errs, errs, obj, opts), func(_ *folder, r event.Elements, n int) *profileSample { return p.sample(r, n) })
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
			for _, f := range p.folder.p.names.Stacks[stack] {
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
				s.labels.message(profileSampleLabel, func(m *protobuf) {
					m.number(1, p.textNumber(name))
					m.number(2, p.textNumber(string(p.folder.p.text(nil, v))))
				})
			}
		}
	}
	return s
}

// textNumber is the number of a text in the table of the profile, which begins with an empty one.
func (p *Pprof) textNumber(s string) uint64 {
	n, _ := p.texts.number(s)
	return n - 1
}

// location is the number of the place of a frame.
func (p *Pprof) location(f *event.Frame, user bool) uint64 {
	module := cmp.Or(f.Module, unknown)
	if !user {
		module = cmp.Or(f.Module, "[kernel]")
	}
	place, isNew := p.places.number(profilePlace{f.Addr, f.Symbol, module})
	if !isNew {
		return place
	}
	file, isNew := p.files.number(module)
	if isNew {
		p.to.message(profileMapping, func(m *protobuf) {
			m.number(1, file)
			m.number(5, p.textNumber(module))
			m.number(7, 1) // its functions are known
		})
	}
	name := cmp.Or(f.Symbol, "["+module[strings.LastIndexByte(module, '/')+1:]+"]")
	if module == unknown && f.Symbol == "" {
		name = unknown
	}
	fn, isNew := p.funcs.number([2]string{name, module})
	if isNew {
		p.to.message(profileFunction, func(m *protobuf) {
			m.number(1, fn)
			m.number(2, p.textNumber(name))
			m.number(3, p.textNumber(name))
		})
	}
	p.to.message(profileLocation, func(m *protobuf) {
		m.number(1, place)
		m.number(2, file)
		m.number(3, f.Addr)
		m.message(4, func(line *protobuf) { line.number(1, fn) })
	})
	return place
}

// End implements event.Ender.
func (p *Pprof) End() error {
	var all protobuf
	for i, m := range p.maps {
		p.sampleType(&all, sampleType(m))
		for _, w := range p.inOrder(i) {
			all.message(profileSamples, func(s *protobuf) {
				for _, at := range w.of.at {
					s.number(1, at)
				}
				for j := range p.maps {
					weight := uint64(0)
					if j == i {
						weight = uint64(w.weight)
					}
					s.number(2, weight)
				}
				*s = append(*s, w.of.labels...)
			})
		}
	}
	if len(p.maps) == 0 {
		p.sampleType(&all, valueType{"samples", "count"})
	}
	all = append(all, p.to...)
	for _, text := range p.texts.inOrder() {
		all.bytes(profileText, []byte(text))
	}
	if !p.last.IsZero() {
		all.number(profileTime, uint64(p.last.UnixNano()))
	}
	z := gzip.NewWriter(p.out)
	_, err := z.Write(all)
	return cmp.Or(err, z.Close())
}

func (p *Pprof) sampleType(to *protobuf, t valueType) {
	to.message(profileSampleType, func(m *protobuf) {
		m.number(1, p.textNumber(t.name))
		m.number(2, p.textNumber(t.unit))
	})
}

// valueType tells what the numbers of a map are.
type valueType struct{ name, unit string }

func sampleType(m *object.Map) valueType {
	t := valueType{name: strings.TrimPrefix(m.Name, "@"), unit: "count"}
	if s := m.Schema; s != nil && len(s.Fields) > s.Keys {
		t.name = cmp.Or(t.name, s.Fields[s.Keys].Name)
		agg := m.Value.Kind.Aggregation()
		if agg == nil || agg.Shape != types.Buckets && agg.Shape != types.Quantiles { // these weigh how often they counted
			t.unit = cmp.Or(pprofUnits[s.Fields[s.Keys].Unit.String()], s.Fields[s.Keys].Unit.String(), t.unit)
		}
	}
	t.name = cmp.Or(t.name, "samples")
	return t
}

// pprofUnits are the names that pprof has for units.
var pprofUnits = map[string]string{"ns": "nanoseconds", "us": "microseconds", "ms": "milliseconds", "s": "seconds",
	"KiB": "kilobytes", "MiB": "megabytes", "GiB": "gigabytes"}

// The fields of a profile, and of its samples: https://github.com/google/pprof/blob/main/proto/profile.proto.
// It is written here, because the library that does it compiles 30 regular expressions at each start of
// fst, which is 6 % of it. The tests read it with that library.
const (
	profileSampleType  = 1
	profileSamples     = 2
	profileMapping     = 3
	profileLocation    = 4
	profileFunction    = 5
	profileText        = 6
	profileTime        = 9
	profileSampleLabel = 3 // of a sample
)
