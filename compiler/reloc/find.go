package reloc

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"

	"fst/compiler/object"
)

// Trial compiles once more with numbers that are moved: those of the options of a run by
// moved, those of the kernel by the Recorder. It returns nil if the script does not compile so.
type Trial func(r *Recorder, moved func(kind Kind, arg string) int64) *object.Object

// Encode writes an object as bytes that are the same if all is the same in it.
type Encode func(*object.Object) []byte

// finder compares what compiles make.
type finder struct {
	compile Trial
	encode  Encode
	asked   *Recorder
	shape   []byte
	values  []int64
	halved  bool // not all numbers were moved at the same time
}

// Find returns the facts that an object depends on, with what of it follows from their numbers.
// r has recorded the object's compile; run are the facts of the options. Numbers are moved, many at a
// time, each by another step: what moves by the step of one of them follows from that. If more changes
// than numbers, or some do so in another way, half of them are tried, down to single ones.
func Find(base *object.Object, r *Recorder, run []Fact, compile Trial, encode Encode) []*Fact {
	f := &finder{compile: compile, encode: encode, asked: r}
	f.shape, f.values = f.measure(base)
	for i := range run {
		r.keep(run[i])
	}
	var flags, movable []*Fact
	for _, fact := range r.facts {
		switch {
		case fact.Kind == Feature || fact.Kind == Since:
			flags = append(flags, fact)
		case fact.HasNumber:
			movable = append(movable, fact)
		}
	}
	f.flip(flags)
	if f.move(movable); f.halved {
		f.together(movable)
	}
	// That a thing is there matters, too, and options are named in errors.
	return slices.DeleteFunc(slices.Clone(r.facts), func(fact *Fact) bool {
		return fact.HasNumber && !f.zero(fact) && !fact.Fixed && fact.Uses == nil && fact.Text == "" && fact.Kind != Option && fact.Kind != Param
	})
}

// measure takes the numbers out of an object and returns the rest, encoded, and them. It
// leaves the object as it is.
func (f *finder) measure(o *object.Object) (shape []byte, values []int64) {
	list := numbers(o)
	for _, n := range list {
		values = append(values, n.get())
		n.set(0)
	}
	shape = f.encode(o)
	for i, n := range list {
		n.set(values[i])
	}
	return shape, values
}

// moved compiles with numbers that are moved; nil if that fails.
func (f *finder) moved(by map[string]int64) *object.Object {
	r := NewRecorder(f.asked.t)
	r.moved = by
	return f.compile(r, func(kind Kind, arg string) int64 { return by[key(kind, []string{arg})] })
}

// object is the encoded object of such a compile.
func (f *finder) object(moved map[string]int64) (encoded []byte, ok bool) {
	o := f.moved(moved)
	if o == nil {
		return nil, false
	}
	return f.encode(o), true
}

// try compiles with numbers that are moved. It is false if more than numbers changes.
func (f *finder) try(moved map[string]int64) (values []int64, ok bool) {
	o := f.moved(moved)
	if o == nil {
		return nil, false
	}
	shape, values := f.measure(o)
	return values, bytes.Equal(shape, f.shape) && len(values) == len(f.values)
}

// flip finds what is fixed among features and versions. Features that are there must stay, those
// that are missing need not (more). Versions are fixed if another object is compiled for the others, with the
// features that are there or with all.
func (f *finder) flip(flags []*Fact) {
	all := map[string]int64{}
	for _, fact := range flags {
		fact.Fixed = fact.Kind == Feature
		if fact.Kind == Feature && fact.Number == 0 {
			all[fact.key()] = 1
		}
	}
	with, ok := f.object(all)
	for _, fact := range flags {
		if fact.Fixed {
			continue
		}
		turn := map[string]int64{fact.key(): 1 - 2*fact.Number}
		values, same := f.try(turn)
		fact.Fixed = !same || !slices.Equal(values, f.values)
		if !fact.Fixed && ok && len(all) > 0 {
			maps.Copy(turn, all)
			turned, _ := f.object(turn)
			fact.Fixed = !bytes.Equal(turned, with)
		}
	}
}

// move finds what follows from numbers, or that they are fixed.
func (f *finder) move(facts []*Fact) {
	if len(facts) == 0 {
		return
	}
	if f.moveAll(facts) {
		return
	}
	if len(facts) == 1 {
		facts[0].Fixed = true
		return
	}
	f.halved = true
	f.move(facts[:len(facts)/2])
	f.move(facts[len(facts)/2:])
}

// moveAll moves all of some numbers, twice. It is false if that does not tell what follows
// from each.
func (f *finder) moveAll(facts []*Fact) bool {
	steps := stepsOf(facts, 1)
	first, ok := f.try(moves(facts, steps))
	if !ok {
		return false
	}
	uses := make([][]Use, len(facts))
	for at, v := range first {
		d := v - f.values[at]
		if d == 0 {
			continue
		}
		found := sumOf(steps, d)
		if found == nil {
			return false
		}
		for _, i := range found {
			uses[i] = append(uses[i], Use{at, 1})
		}
	}
	steps = stepsOf(facts, 2)
	second, ok := f.try(moves(facts, steps))
	if !ok {
		return false
	}
	want := slices.Clone(f.values)
	for i := range uses {
		for _, u := range uses[i] {
			want[u.At] += steps[i]
		}
	}
	if !slices.Equal(second, want) {
		return false
	}
	for i, fact := range facts {
		fact.Uses = uses[i]
	}
	return true
}

// sumOf finds the one step, or the two, that make a difference; nil if there are none, or
// several that do.
func sumOf(steps []int64, d int64) (found []int) {
	for i, a := range steps {
		if a == d {
			if found != nil {
				return nil
			}
			found = []int{i}
		}
		for j, b := range steps[:i] {
			if a+b == d {
				if found != nil {
					return nil
				}
				found = []int{j, i}
			}
		}
	}
	return found
}

// stepsOf are by how much numbers are moved in a round: each by another step, which keeps
// the alignment of fields and of pages.
func stepsOf(facts []*Fact, round uint64) []int64 {
	random := rand.New(rand.NewPCG(round, uint64(len(facts))))
	steps := make([]int64, len(facts))
	for i, fact := range facts {
		unit := int64(1)
		switch fact.Kind {
		case Field, Size:
			unit = 8
		case Symbol:
			unit = 0x1000
		}
		for steps[i] == 0 || slices.Contains(steps[:i], steps[i]) {
			steps[i] = unit * (1 + random.Int64N(1000))
		}
	}
	return steps
}

func moves(facts []*Fact, steps []int64) map[string]int64 {
	moved := map[string]int64{}
	for i, fact := range facts {
		moved[fact.key()] = steps[i]
	}
	return moved
}

// zero notes whether an option of the run may be 0, and reports whether it may not.
func (f *finder) zero(fact *Fact) bool {
	if fact.IsOfRun() && fact.Number != 0 {
		zero, ok := f.try(map[string]int64{fact.key(): -fact.Number})
		fact.NotZero = fact.Fixed || !ok || !slices.Equal(zero, f.with(fact, -fact.Number))
	}
	return fact.NotZero
}

// with is what the numbers are if a fact's is moved.
func (f *finder) with(fact *Fact, by int64) []int64 {
	values := slices.Clone(f.values)
	for _, u := range fact.Uses {
		values[u.At] += u.Times * by
	}
	return values
}

// together makes sure that numbers which were moved apart do not meet: else all of them
// must stay.
func (f *finder) together(facts []*Fact) {
	facts = slices.DeleteFunc(slices.Clone(facts), func(fact *Fact) bool { return fact.Uses == nil })
	steps := stepsOf(facts, 3)
	want := slices.Clone(f.values)
	for i, fact := range facts {
		for _, u := range fact.Uses {
			want[u.At] += u.Times * steps[i]
		}
	}
	if got, ok := f.try(moves(facts, steps)); ok && slices.Equal(got, want) {
		return
	}
	for _, fact := range facts {
		fact.Fixed, fact.Uses = true, nil
	}
}
