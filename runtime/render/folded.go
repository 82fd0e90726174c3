package render

import (
	"io"
	"iter"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

// Folded shows maps by stack in the form that flame graphs are made of, at the end: a line
// for each stack, its frames by name from the outermost on, and a number.
//
//	dd;main;read;entry_SYSCALL_64_after_hwframe_[k];ksys_read_[k] 27
//
// What else is in a key comes before the frames, functions of the program before
// those of the kernel. Frames have no offsets: stacks with the same functions are
// one line. The number is the value, for charts how much they have counted. A
// stack that is printed counts once, as a line of its own, at once. All else that
// the script says goes to the error stream.
type Folded struct {
	*stackMaps[string]
}

// NewFolded returns a sink that writes folded stacks to out, and all else to
// errs.
func NewFolded(out, errs io.Writer, obj *object.Object, opts Options) Folded {
	f := Folded{newStackMaps(newFolder(out, errs, obj, opts), (*folder).keyLine)}
	f.divided = true
	return f
}

// End implements event.Ender.
func (f Folded) End() error {
	for i := range f.maps {
		lines := map[string]uint64{}
		for _, w := range f.inOrder(i) {
			lines[w.of] += uint64(w.weight)
		}
		f.folder.write(lines)
	}
	return f.Flush()
}

// folder names stacks, and tells what maps by stack weigh. A stack that is printed it
// writes to its output, what is no stack to the error stream.
type folder struct {
	stream
	text *Text    // writes the rest
	p    *printer // text's
	line []byte
}

func newFolder(out, errs io.Writer, obj *object.Object, opts Options) *folder {
	f := &folder{stream: stream{out: out, errs: errs, opts: opts}}
	opts.NoExitLines = true
	f.text = NewText(errs, errs, obj, opts)
	f.p = &f.text.p
	f.p.terminal = true
	return f
}

// unknown stands where there is no name.
const unknown = "[unknown]"

// parts are the values that a key is made of, those of tuples in tuples too.
func parts(v value.Value) iter.Seq[value.Value] {
	return func(yield func(value.Value) bool) {
		switch v.Type.Kind {
		case types.Tuple, types.Record:
			for _, f := range v.Fields() {
				for part := range parts(f) {
					if !yield(part) {
						return
					}
				}
			}
		default:
			yield(v)
		}
	}
}

// fold makes the line for a key; stacks tells whether there is one in it.
func (f *folder) fold(key value.Value) (line string, stacks bool) {
	f.line = f.line[:0]
	for v := range parts(key) {
		if !isStack(v) {
			f.frame(f.p.text(nil, v), "")
		}
	}
	for _, kind := range []types.Kind{types.UStack, types.KStack} {
		for v := range parts(key) {
			if v.Type.Kind == kind {
				f.frames(v.Stack())
				stacks = true
			}
		}
	}
	if len(f.line) == 0 {
		f.line = append(f.line, unknown...) // stacks that nothing is known of
	}
	return string(f.line), stacks
}

func (f *folder) frames(s value.Stack) {
	if s.ID == 0 {
		return
	}
	mark := "_[k]"
	if s.User {
		mark = ""
	}
	for _, at := range slices.Backward(f.p.names.Stacks[s]) {
		name := at.Symbol
		switch {
		case name != "":
		case at.Module != "":
			name = "[" + path.Base(at.Module) + "]"
		default:
			name = unknown
		}
		f.frame(f.p.name(nil, name), mark)
	}
}

// frame adds a frame to the line. Its name must not end a frame or the line.
func (f *folder) frame(name []byte, mark string) {
	if len(f.line) > 0 {
		f.line = append(f.line, ';')
	}
	for _, c := range name {
		switch c {
		case ';':
			c = ':'
		case '\n':
			c = ' '
		}
		f.line = append(f.line, c)
	}
	f.line = append(f.line, mark...)
}

// weight is the number of a line; nothing that is less than 1 has a place in a
// graph.
func (f *folder) weight(v value.Value) uint64 {
	if d := displayOf(v.Type); d != nil {
		return d.weight(f.p, v)
	}
	if v.Type.Kind == types.Int {
		return positive(f.p.div.scaled(v), v.Signed())
	}
	return 0
}

// change is the weight of a value that others are added to, which a number below 0 takes away from them.
func (f *folder) change(v value.Value) int64 {
	if v.Type.Kind.IsNumber() && v.Signed() {
		return int64(f.p.div.scaled(v))
	}
	return int64(min(f.weight(v), math.MaxInt64))
}

// write puts out lines.
func (f *folder) write(lines map[string]uint64) {
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		f.buf = append(append(f.buf, line...), ' ')
		f.buf = append(strconv.AppendUint(f.buf, lines[line], 10), '\n')
	}
	f.done()
}

// Event implements event.Sink.
func (f *folder) Event(e event.Event) {
	f.p.show(e)
	switch e := e.(type) {
	case *event.Attached:
		f.text.attached(e.Probes)
		return
	case *event.Record:
		if m := e.Message; m.Kind.HasValues() && len(m.Fields) == 1 {
			if line, ok := f.fold(event.Field(&m.Fields[0], e.Data)); ok {
				f.write(map[string]uint64{line: 1})
				return
			}
		}
	case *event.Heat:
		f.flush()
		f.text.Event(&event.Map{Map: e.Map, Snapshot: e.Snapshot, Names: e.Names})
		return
	}
	f.flush()
	f.text.Event(e)
}

// byStack reports whether the key of a map has stacks in it.
func byStack(m *object.Map) bool {
	return m.Value != nil && m.Key != nil && slices.ContainsFunc(slices.Collect(parts(value.Of(m.Key, make([]byte, m.Key.Size)))), isStack)
}

// keyLine is the folded line of an element.
func (f *folder) keyLine(r event.Elements, i int) string {
	line, _ := f.fold(r.Key(i))
	return line
}

func isStack(v value.Value) bool { return v.Type.Kind == types.UStack || v.Type.Kind == types.KStack }

// Flush implements event.Sink.
func (f *folder) Flush() error {
	f.flush()
	if err := f.text.Flush(); err != nil {
		return err
	}
	return f.err
}
