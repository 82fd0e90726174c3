package render

import (
	"fmt"
	"iter"
	"reflect"
	"strings"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// Field is a value with its name.
type Field struct {
	Name string
	// Unit is what a number counts: "ns", "us", "ms", "s", "min", "h", "d", "bytes", "KiB",
	// "MiB", "GiB", "count", or empty if that is not known. It is that of the bounds of
	// histograms, too.
	Unit  string
	Value any
}

// Fields are values with names, in the order of the script.
type Fields []Field

// shownParts are the parts of a value whose schema names them, with their fields; any other value is one, with its own.
func shownParts(f *object.Field, v value.Value) iter.Seq2[*object.Field, value.Value] {
	return func(yield func(*object.Field, value.Value) bool) {
		if len(f.Parts) == 0 {
			yield(f, v)
			return
		}
		for n, part := range event.KeyParts(v) {
			if !yield(&f.Parts[n], part) {
				return
			}
		}
	}
}

// shownNames are the names of shownParts.
func shownNames(f *object.Field) (names []string) {
	for _, part := range f.Parts {
		names = append(names, part.Name)
	}
	if names == nil {
		names = []string{f.Name}
	}
	return names
}

// withUnit is the name of a number with its unit, in a format for both. A name that ends with the unit says it already, and a
// count needs none.
func withUnit(format, name string, unit types.Unit) string {
	sign := unit.String()
	if sign == "" || unit.Of == types.Events || strings.HasSuffix(strings.ToLower("_"+name), strings.ToLower("_"+sign)) {
		return name
	}
	return fmt.Sprintf(format, name, sign)
}

// unitBehind is a format of withUnit for names that programs look for.
const unitBehind = "%s_%s"

// dividedUnit is what a number counts after print() has divided it by div. That is unknown if there is no word for it.
func dividedUnit(u types.Unit, div int64) types.Unit {
	d := u.Divided(div)
	if div > 1 && d == u {
		return types.Unit{}
	}
	return d
}

// Get returns the value of the field with a name; nil if there is none.
func (f Fields) Get(name string) any {
	for i := range f {
		if f[i].Name == name {
			return f[i].Value
		}
	}
	return nil
}

// Decode sets the fields of a struct, by their tags `fst:"name"`, or without one by their
// names, in which case and underscores do not count: TxBytes is tx_bytes. Numbers go into
// every kind of number that can hold them; times and anything else that has a unit of time
// go into a time.Duration as well, structs into structs, and all values into an any. Fields
// of the struct that have no value are left alone, but for one with a tag that is an error.
func (f Fields) Decode(into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("want a pointer to a struct, not %T", into)
	}
	v = v.Elem()
	for i := range v.NumField() {
		member := v.Type().Field(i)
		tag, tagged := member.Tag.Lookup("fst")
		if !member.IsExported() || tag == "-" {
			continue
		}
		at := f.index(tag, member.Name)
		switch {
		case at >= 0:
			if err := f[at].set(v.Field(i)); err != nil {
				return fmt.Errorf("%s: %w", f[at].Name, err)
			}
		case tagged:
			return fmt.Errorf("there is no field %s", tag)
		}
	}
	return nil
}

// index finds the field that a member of a struct stands for.
func (f Fields) index(tag, member string) int {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	for i := range f {
		if tag != "" && f[i].Name == tag || tag == "" && plain(f[i].Name) == plain(member) {
			return i
		}
	}
	return -1
}

// scales are the units of times.
var scales = map[string]time.Duration{"ns": 1, "us": time.Microsecond, "ms": time.Millisecond, "s": time.Second, "min": time.Minute,
	"h": time.Hour, "d": 24 * time.Hour}

// set puts the value into v.
func (f *Field) set(v reflect.Value) error {
	from := reflect.ValueOf(f.Value)
	wrong := fmt.Errorf("a %T does not go into a %s", f.Value, v.Type())
	if !from.IsValid() {
		return nil
	}
	if inner, ok := f.Value.(Fields); ok && v.Kind() == reflect.Struct {
		return inner.Decode(v.Addr().Interface())
	}
	if v.Type() == reflect.TypeFor[time.Duration]() {
		scale, ok := scales[f.Unit]
		switch {
		case !ok:
			return fmt.Errorf("it has no unit of time (but %q)", f.Unit)
		case from.CanInt():
			v.SetInt(from.Int() * int64(scale))
		case from.CanUint():
			v.SetInt(int64(from.Uint()) * int64(scale))
		default:
			return wrong
		}
		return nil
	}
	switch {
	case from.Type().AssignableTo(v.Type()):
		v.Set(from)
	case v.CanInt() && from.CanInt() && !v.OverflowInt(from.Int()):
		v.SetInt(from.Int())
	case v.CanInt() && from.CanUint() && from.Uint() <= 1<<63-1 && !v.OverflowInt(int64(from.Uint())):
		v.SetInt(int64(from.Uint()))
	case v.CanUint() && from.CanUint() && !v.OverflowUint(from.Uint()):
		v.SetUint(from.Uint())
	case v.CanUint() && from.CanInt() && from.Int() >= 0 && !v.OverflowUint(uint64(from.Int())):
		v.SetUint(uint64(from.Int()))
	case v.CanFloat() && from.CanInt():
		v.SetFloat(float64(from.Int()))
	case v.CanFloat() && from.CanUint():
		v.SetFloat(float64(from.Uint()))
	case v.CanInt() && from.CanInt(), v.CanInt() && from.CanUint(), v.CanUint() && from.CanInt(), v.CanUint() && from.CanUint():
		return fmt.Errorf("%v does not fit into a %s", f.Value, v.Type())
	case v.Kind() == reflect.String && from.Kind() == reflect.String:
		v.SetString(from.String())
	default:
		return wrong
	}
	return nil
}
