package reloc

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/target"
	"fst/compiler/types"
)

// place is where a type comes from: a question and its arguments, an arrow, and the members
// that lead from the answer to it.
func place(kind Kind, args ...string) []string {
	return slices.Concat([]string{string(kind)}, args, []string{arrow})
}

// described is a type but for the size of structs, which has a fact of its own.
func described(t *types.Type) string {
	if t == nil {
		return ""
	}
	text := t.String()
	if t.User {
		text = "user " + text
	}
	if t.IsScalar() {
		return fmt.Sprintf("%s %d", text, t.Size)
	}
	return text
}

// describedField is a field but for its offset.
func describedField(f types.Field) string {
	text := described(f.Type)
	if f.BitSize != 0 {
		text += fmt.Sprintf(":%d at bit %d", f.BitSize, f.BitOffset)
	}
	if f.DataLoc {
		text += " elsewhere"
	}
	return text
}

// watch is a type of which what is asked is noted.
func (r *Recorder) watch(t *types.Type, at []string) *types.Type {
	if t == nil {
		return nil
	}
	r.mu.Lock()
	w := r.watched[t]
	r.mu.Unlock()
	if w != nil {
		return w
	}
	switch t.Kind {
	case types.Pointer:
		if t.Elem == nil {
			return t
		}
		w = types.PointerTo(r.watch(t.Elem, at), t.User)
	case types.Array:
		elem := r.watch(t.Elem, at)
		if elem == t.Elem {
			return t
		}
		w = types.ArrayOf(elem, t.Len)
		w.Size += t.Size - t.Elem.Size*max(t.Len, 0)
		w.User, w.Ctx = t.User, t.Ctx
	case types.Struct, types.Union, types.Enum:
		w = r.watchNamed(t, at)
	default:
		return t
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.watched[t] == nil {
		r.watched[t] = w
		r.watched[w] = w
	}
	return r.watched[t]
}

func (r *Recorder) watchNamed(t *types.Type, at []string) *types.Type {
	tag := t.Kind.String()
	if t.Name != "" {
		if named, ok := r.t.Type(tag, t.Name); ok && named == t {
			at = place("type", tag, t.Name)
		}
	}
	in := func(names ...string) []string { return slices.Concat(at, names) }
	size := t.Size
	if t.Kind != types.Enum {
		size = int(r.note(Size, at, "", int64(t.Size)))
	}
	return t.Watched(size, &types.Watch{
		Field: func(name string, f types.Field, ok bool) types.Field {
			if !ok {
				r.text(Field, in(name), false)
				return f
			}
			f.Offset = int(r.note(Field, in(name), describedField(f), int64(f.Offset)))
			f.Type = r.watch(f.Type, in(name))
			return f
		},
		Fields: func(fields []types.Field) []types.Field {
			r.text("layout", at, layout(fields)...)
			fields = slices.Clone(fields)
			for i := range fields {
				name := fields[i].Name
				if name == "" {
					name = nameless + strconv.Itoa(i)
				}
				fields[i].Type = r.watch(fields[i].Type, in(name))
			}
			return fields
		},
		Enumerators: func(list []types.Enumerator) { r.text("enumerators", at, list) },
	})
}

func layout(fields []types.Field) []any {
	var said []any
	for _, f := range fields {
		said = append(said, f.Name, f.Offset, describedField(f), f.Type.Size)
	}
	return said
}

// askType asks for a field, a size, a layout or the names of an enum once more.
func (r *Recorder) askType(f *Fact) {
	root, path := f.fieldPath()
	t := r.root(root)
	if f.Kind == Field && len(path) > 0 {
		name := path[len(path)-1]
		found, ok := types.Field{}, false
		if t = follow(t, path[:len(path)-1]); t != nil {
			found, ok = t.Field(name)
		}
		if !ok {
			r.text(Field, f.Args, false)
			return
		}
		r.note(Field, f.Args, describedField(found), int64(found.Offset))
		return
	}
	switch t = follow(t, path); {
	case t == nil:
		r.text(f.Kind, f.Args, "missing")
	case f.Kind == Size:
		r.note(Size, f.Args, "", int64(t.Size))
	case f.Kind == "layout":
		r.text("layout", f.Args, layout(t.Fields())...)
	default:
		r.text("enumerators", f.Args, t.Enumerators())
	}
}

// nameless is before the number of a member without a name.
const nameless = "#"

// follow goes from a type along members to the struct, union or enum of the last one.
func follow(t *types.Type, path []string) *types.Type {
	t = bare(t)
	for _, name := range path {
		if t == nil {
			return nil
		}
		f, ok := t.Field(name)
		if n, anonymous := strings.CutPrefix(name, nameless); anonymous {
			if i, err := strconv.Atoi(n); err == nil && i >= 0 && i < len(t.Fields()) {
				f, ok = t.Fields()[i], true
			}
		}
		if !ok {
			return nil
		}
		t = bare(f.Type)
	}
	return t
}

// bare is what pointers lead to and arrays consist of.
func bare(t *types.Type) *types.Type {
	for t != nil && (t.Kind == types.Pointer || t.Kind == types.Array) {
		t = t.Elem
	}
	return t
}

// root is the type that a question leads to, unwatched.
func (r *Recorder) root(words []string) *types.Type {
	if len(words) == 0 {
		return nil
	}
	a := func(i int) string {
		if i+1 < len(words) {
			return words[i+1]
		}
		return ""
	}
	switch Kind(words[0]) {
	case "type":
		t, _ := r.t.Type(a(0), a(1))
		return t
	case "tracepoint":
		if tp, _ := r.t.Tracepoint(a(0), a(1)); tp != nil {
			return tp.Args
		}
	case "rawtracepoint":
		fn, _ := r.t.RawTracepoint(a(0))
		return part(fn, a(1))
	case Function:
		fn, _ := r.t.Function(a(0), a(1))
		return part(fn, a(2))
	case "syscall":
		fn, _ := r.t.Syscall(a(0))
		return part(fn, a(1))
	case Enumerator:
		_, t, _ := r.t.Enumerator(a(0))
		return t
	}
	info, ok := r.debugInfo()
	if !ok {
		return nil
	}
	switch Kind(words[0]) {
	case "user function":
		var symbol target.UserSymbol
		if json.Unmarshal([]byte(a(1)), &symbol) == nil {
			fn, _ := info.UserFunction(a(0), symbol)
			return part(fn, a(2))
		}
	case "user type":
		var code []uint64
		if json.Unmarshal([]byte(a(1)), &code) == nil {
			t, _, _ := info.UserType(a(0), code, a(2), a(3))
			return t
		}
	case "user enumerator":
		_, t, _ := info.UserEnumerator(a(0), a(1))
		return t
	}
	return nil
}

// part is the type of a function's parameter, by its number, or of its result.
func part(fn *target.Func, which string) *types.Type {
	if fn == nil {
		return nil
	}
	if which == "result" {
		return fn.Result
	}
	if i, err := strconv.Atoi(which); err == nil && i >= 0 && i < len(fn.Params) {
		return fn.Params[i].Type
	}
	return nil
}
