package render

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Stacks are those of a run that was recorded: folded lines, frames from the outermost on with semicolons between them, and
// what each weighs.
type Stacks map[string]uint64

// MaxStacks is how large a file of stacks may be, also when it is unpacked.
const MaxStacks = 64 << 20

// ReadStacks reads what -f folded, pprof (its first type of samples) or speedscope (its first profile) have written.
func ReadStacks(file []byte) (Stacks, error) {
	s, err := Stacks{}, error(nil)
	switch trimmed := bytes.TrimSpace(file); {
	case bytes.HasPrefix(file, []byte{0x1f, 0x8b}):
		err = s.readPprof(file)
	case bytes.HasPrefix(trimmed, []byte("{")):
		err = s.readSpeedscope(trimmed)
	default:
		err = s.readFolded(string(trimmed))
	}
	if err == nil && s.total() == 0 {
		err = errors.New("there are no stacks in it")
	}
	return s, err
}

func (s Stacks) total() (sum uint64) {
	for _, n := range s {
		sum += n
	}
	return sum
}

func (s Stacks) readFolded(text string) error {
	for i, line := range strings.Split(text, "\n") {
		at := strings.LastIndexByte(line, ' ')
		n, err := strconv.ParseUint(line[at+1:], 10, 63)
		if line == "" {
			continue
		}
		if at < 0 || err != nil {
			return fmt.Errorf("line %d is no folded stack, as -f folded writes them, and the file no profile of -f pprof or speedscope", i+1)
		}
		s[line[:at]] += n
	}
	return nil
}

func (s Stacks) readSpeedscope(text []byte) error {
	var file speedscopeFile
	if err := json.Unmarshal(text, &file); err != nil || len(file.Profiles) == 0 {
		return cmp.Or(err, errors.New("it is no profile of -f speedscope"))
	}
	p := file.Profiles[0]
	for i, stack := range p.Samples {
		var names []string
		for _, n := range stack {
			if n < 0 || n >= len(file.Shared.Frames) || i >= len(p.Weights) {
				return errors.New("the profile is damaged")
			}
			names = append(names, file.Shared.Frames[n].Name)
		}
		s[strings.Join(names, ";")] += p.Weights[i]
	}
	return nil
}

func (s Stacks) readPprof(file []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return err
	}
	profile, err := io.ReadAll(io.LimitReader(z, MaxStacks+1))
	if err == nil && len(profile) > MaxStacks {
		err = fmt.Errorf("unpacked it has more than %d bytes", MaxStacks)
	}
	if err != nil {
		return err
	}
	var texts []string
	names, places := map[uint64]uint64{}, map[uint64][]uint64{} // the text of a function, the functions of a location
	var samples [][]byte
	err = protobuf(profile).each(func(field int, n uint64, part protobuf) error {
		var id uint64
		var of []uint64
		visit := func(f int, n uint64, inner protobuf) error {
			switch {
			case f == 1:
				id = n
			case field == profileFunction && f == 2:
				of = []uint64{n}
			case field == profileLocation && f == 4:
				return inner.each(func(f int, n uint64, _ protobuf) error {
					if f == 1 {
						of = append(of, n)
					}
					return nil
				})
			}
			return nil
		}
		switch field {
		case profileText:
			texts = append(texts, string(part))
		case profileSamples:
			samples = append(samples, part)
		case profileFunction:
			err := part.each(visit)
			names[id] = append(of, 0)[0]
			return err
		case profileLocation:
			err := part.each(visit)
			places[id] = of
			return err
		}
		return nil
	})
	for _, sample := range samples {
		var frames []string
		var values []uint64
		err = cmp.Or(err, protobuf(sample).each(func(field int, n uint64, part protobuf) error {
			numbers := []uint64{n}
			if part != nil {
				numbers = part.packed()
			}
			switch field {
			case 1:
				for _, place := range numbers {
					for _, fn := range places[place] { // those that are inlined come first
						if at := names[fn]; at < uint64(len(texts)) {
							frames = append(frames, texts[at])
						}
					}
				}
			case 2:
				values = append(values, numbers...)
			}
			return nil
		}))
		if len(values) > 0 && values[0] > 0 && values[0] <= math.MaxInt64 {
			slices.Reverse(frames)
			s[strings.Join(frames, ";")] += values[0]
		}
	}
	return err
}

// each calls f with each field of a message: its number, or its bytes.
func (m protobuf) each(f func(field int, n uint64, part protobuf) error) error {
	for len(m) > 0 {
		tag, size := binary.Uvarint(m)
		if size <= 0 {
			return errDamaged
		}
		m = m[size:]
		var n uint64
		var part protobuf
		switch tag & 7 {
		case 0, 2:
			if n, size = binary.Uvarint(m); size <= 0 {
				return errDamaged
			}
			m = m[size:]
			if tag&7 == 2 {
				if n > uint64(len(m)) {
					return errDamaged
				}
				part, m = append(protobuf{}, m[:n]...), m[n:]
			}
		case 1, 5:
			if size = map[uint64]int{1: 8, 5: 4}[tag&7]; size > len(m) {
				return errDamaged
			}
			m = m[size:]
		default:
			return errDamaged
		}
		if err := f(int(tag>>3), n, part); err != nil {
			return err
		}
	}
	return nil
}

var errDamaged = errors.New("the profile is damaged")

// packed are the numbers of a list.
func (m protobuf) packed() (list []uint64) {
	for len(m) > 0 {
		n, size := binary.Uvarint(m)
		if size <= 0 {
			break
		}
		list, m = append(list, n), m[size:]
	}
	return list
}

// DiffPage writes a page with flame graphs of two runs, coloured by what has changed: frames that take a larger
// share of the run than in the other one are red, those that take a smaller one blue. The first is as wide as the new run weighs, the
// second as the old one.
func DiffPage(out io.Writer, oldName, newName string, before, after Stacks) error {
	p := &Page{title: newName + " and " + oldName, out: out, byID: map[any]*pageBlock{}}
	p.log = p.block(nil, pageList)
	graph := func(name string, from, to Stacks) {
		b := p.block(name, pageStacks)
		b.name, b.unit, b.tree = name, "count", newStackTree(&p.names)
		row := &pageRow{counts: map[pageCell]int64{}}
		for _, line := range slices.Sorted(maps.Keys(to)) {
			row.counts[pageCell{b.tree.leaf(line), 0}] += int64(min(to[line], math.MaxInt64))
		}
		p.add(b, time.UnixMilli(0), row)
		for _, line := range slices.Sorted(maps.Keys(from)) {
			b.before = append(b.before, uint64(b.tree.leaf(line)), from[line])
		}
	}
	graph(newName+" (before: "+oldName+")", before, after)
	graph(oldName+" (after: "+newName+")", after, before)
	return p.End()
}

// frameShare is what a function takes of two runs, in percent: itself, and with what it calls.
type frameShare struct {
	name      string
	self, all [2]float64
}

// DiffTable writes a line for each function whose own share of the run has changed, the largest changes first.
func DiffTable(out io.Writer, before, after Stacks, top int) error {
	shares := map[string]*frameShare{}
	for run, stacks := range []Stacks{before, after} {
		total := float64(stacks.total())
		for line, n := range stacks {
			share, frames := 100*float64(n)/total, strings.Split(line, ";")
			seen := map[string]bool{}
			for i, name := range frames {
				f := shares[name]
				if f == nil {
					f = &frameShare{name: name}
					shares[name] = f
				}
				if !seen[name] {
					f.all[run] += share
				}
				seen[name] = true
				if i == len(frames)-1 {
					f.self[run] += share
				}
			}
		}
	}
	rows := slices.Collect(maps.Values(shares))
	change := func(f *frameShare) float64 { return f.self[1] - f.self[0] }
	slices.SortFunc(rows, func(a, b *frameShare) int {
		return cmp.Or(cmp.Compare(math.Abs(change(b)), math.Abs(change(a))), strings.Compare(a.name, b.name))
	})
	rows = slices.DeleteFunc(rows, func(f *frameShare) bool { return math.Abs(change(f)) < 0.005 })
	var text []byte
	text = append(text, " CHANGE %   SELF before    after    ALL before    after  FUNCTION\n"...)
	for _, f := range rows[:min(top, len(rows))] {
		text = fmt.Appendf(text, "%+10.2f %13.2f %8.2f %13.2f %8.2f  %s\n", change(f), f.self[0], f.self[1], f.all[0], f.all[1], f.name)
	}
	if len(rows) > top {
		text = fmt.Appendf(text, "... and %d more\n", len(rows)-top)
	}
	_, err := out.Write(text)
	return err
}
