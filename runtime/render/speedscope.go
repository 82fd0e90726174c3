package render

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"fst/compiler/object"
)

// Speedscope shows maps by stack in the format of speedscope.app, a profile for each map, written at the end.
type Speedscope struct {
	*stackMaps[string]
	out io.Writer
}

// NewSpeedscope returns a sink that writes JSON to out when it ends, and all else to errs.
func NewSpeedscope(out, errs io.Writer, obj *object.Object, opts Options) *Speedscope {
	s := &Speedscope{out: out}
	s.stackMaps = newStackMaps(newFolder(errs, errs, obj, opts), (*folder).keyLine)
	return s
}

// The format is described at https://www.speedscope.app/file-format-schema.json.
type (
	speedscopeFile struct {
		Schema   string              `json:"$schema"`
		Exporter string              `json:"exporter"`
		Shared   speedscopeShared    `json:"shared"`
		Profiles []speedscopeProfile `json:"profiles"`
	}
	speedscopeShared struct {
		Frames []speedscopeFrame `json:"frames"`
	}
	speedscopeFrame struct {
		Name string `json:"name"`
	}
	speedscopeProfile struct {
		Type    string   `json:"type"`
		Name    string   `json:"name"`
		Unit    string   `json:"unit"`
		Start   uint64   `json:"startValue"`
		End     uint64   `json:"endValue"`
		Samples [][]int  `json:"samples"` // frames, from the outermost on
		Weights []uint64 `json:"weights"`
	}
)

// speedscopeUnits are the units that the format has besides none.
var speedscopeUnits = []string{"nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"}

// End implements event.Ender.
func (s *Speedscope) End() error {
	names := &texts{}
	file := speedscopeFile{Schema: "https://www.speedscope.app/file-format-schema.json", Exporter: "fst", Profiles: []speedscopeProfile{}}
	for i, m := range s.maps {
		kind := sampleType(m)
		p := speedscopeProfile{Type: "sampled", Name: kind.name, Unit: "none", Samples: [][]int{}, Weights: []uint64{}}
		if slices.Contains(speedscopeUnits, kind.unit) {
			p.Unit = kind.unit
		} else if kind.unit != "count" {
			p.Name += " (" + kind.unit + ")"
		}
		for _, line := range s.inOrder(i) {
			var frames []int
			for _, frame := range strings.Split(line.of, ";") {
				frames = append(frames, int(names.number(frame)))
			}
			p.Samples, p.Weights, p.End = append(p.Samples, frames), append(p.Weights, uint64(line.weight)), p.End+uint64(line.weight)
		}
		file.Profiles = append(file.Profiles, p)
	}
	file.Shared.Frames = []speedscopeFrame{}
	for _, name := range names.all {
		file.Shared.Frames = append(file.Shared.Frames, speedscopeFrame{name})
	}
	return json.NewEncoder(s.out).Encode(file)
}
