package types

// Watch is told what is asked of a type.
type Watch struct {
	// Field gets what Type.Field has found by a name, and returns what is to be found.
	Field func(name string, f Field, ok bool) Field
	// Fields gets all fields and returns what Type.Fields is to return.
	Fields func([]Field) []Field
	// Enumerators gets the names of an enum.
	Enumerators func([]Enumerator)
}

// Watched is a struct, union or enum with what t has, of a size, and watched.
func (t *Type) Watched(size int, w *Watch) *Type {
	n := LazyStruct(t.Kind, t.Name, size, func() ([]Field, []Enumerator) {
		fields := t.own()
		return fields, t.enums
	})
	n.Signed, n.User, n.Char, n.Bits, n.Ctx, n.watch = t.Signed, t.User, t.Char, t.Bits, t.Ctx, w
	return n
}
