package types

import "time"

// Quantity is what a number is of.
type Quantity uint8

const (
	Plain  Quantity = iota // nothing is known: an id, a number without a dimension
	Time                   // nanoseconds
	Bytes                  // bytes
	Events                 // how often something happened
)

// Unit is what a number counts: Scale nanoseconds, bytes or events. The zero Unit is
// that of numbers of which nothing is known.
type Unit struct {
	Of    Quantity
	Scale int64
}

// Units that are not divided.
var (
	Nanoseconds = Unit{Time, 1}
	OneByte     = Unit{Bytes, 1}
	OneEvent    = Unit{Events, 1}
)

// unitNames are the units that have a name.
var unitNames = []struct {
	Unit
	name string
}{
	{Unit{Time, 1}, "ns"}, {Unit{Time, int64(time.Microsecond)}, "us"}, {Unit{Time, int64(time.Millisecond)}, "ms"},
	{Unit{Time, int64(time.Second)}, "s"}, {Unit{Time, int64(time.Minute)}, "min"}, {Unit{Time, int64(time.Hour)}, "h"},
	{Unit{Time, int64(24 * time.Hour)}, "d"},
	{Unit{Bytes, 1}, "bytes"}, {Unit{Bytes, 1 << 10}, "KiB"}, {Unit{Bytes, 1 << 20}, "MiB"}, {Unit{Bytes, 1 << 30}, "GiB"},
	{Unit{Events, 1}, "count"},
}

// String is "ns", "ms", "bytes", "KiB", "count" and the like, and empty for the zero Unit.
func (u Unit) String() string {
	for _, n := range unitNames {
		if n.Unit == u {
			return n.name
		}
	}
	return ""
}

// UnitNamed finds a unit by the name that String gives it.
func UnitNamed(name string) (Unit, bool) {
	for _, n := range unitNames {
		if n.name == name {
			return n.Unit, true
		}
	}
	return Unit{}, false
}

// Divided is the unit of a number of this unit divided by n, if that makes another unit
// that has a name; dividing by any other number leaves the unit as it is: half of a time
// in ns is a time in ns.
func (u Unit) Divided(n int64) Unit {
	if d := (Unit{u.Of, u.Scale * n}); n > 1 && d.Scale/n == u.Scale && d.String() != "" {
		return d
	}
	return u
}

// Multiplied is the inverse of Divided.
func (u Unit) Multiplied(n int64) Unit {
	if n > 1 && u.Scale%n == 0 {
		if d := (Unit{u.Of, u.Scale / n}); d.String() != "" {
			return d
		}
	}
	return u
}
