package fst

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"strings"
	"testing"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/object"
	"fst/compiler/reference"
	"fst/compiler/target/fixture"
	"fst/compiler/types"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/runtime/event"
	"fst/runtime/naming"
	"fst/runtime/render"
	"fst/runtime/symbol"
	"fst/runtime/trace"
)

// TestProbesShowTheSameFields shows one event of each probe of the standard
// library on each recorded kernel in every way that there is: the default
// action and print(args), as text, as JSON and as values of this package. A
// field has the same value in all.
func TestProbesShowTheSameFields(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, which finds nothing here that it does not find in other tests")
	}
	versions := fixture.Names
	for _, version := range versions {
		k, err := fixture.Load(version)
		if err != nil {
			t.Fatal(err)
		}
		for _, family := range reference.Families() {
			for _, p := range family.Probes {
				obj := compileFor(t, k, fmt.Sprintf("%s { print(args) } %s", p.Name, p.Name))
				var shown, printed *object.Message
				for _, m := range obj.Messages {
					switch m.Kind {
					case object.MsgEvent:
						shown = m
					case object.MsgPrintValue:
						printed = m
					}
				}
				if shown == nil || printed == nil {
					t.Fatalf("%s: %s: no event or no value", version, p.Name)
				}
				sameFields(t, version+": "+p.Name, obj, shown, printed)
			}
		}
	}
}

func compileFor(t *testing.T, k *fixture.Kernel, text string) *object.Object {
	t.Helper()
	var set source.Set
	var diags diag.List
	tree := parse.Parse(set.Add("fields", text), &diags)
	obj, err := compiler.Compile(&set, tree, compiler.Options{Options: check.Options{Target: k}}, &diags)
	if err != nil || diags.HasErrors() {
		t.Fatalf("%s: %v %v", text, err, diags.All)
	}
	return obj
}

// sameFields gives both messages the same fields, and compares what is shown.
func sameFields(t *testing.T, title string, obj *object.Object, shown, printed *object.Message) {
	t.Helper()
	all := printed.Fields[0].Type.Fields()
	record, value := make([]byte, shown.Size+1024), make([]byte, printed.Size+1024)
	for i, fd := range all {
		copy(value[printed.Fields[0].Offset+fd.Offset:], sample(fd.Type, i))
		found := false
		for j, m := range shown.Fields {
			if shown.Schema.Fields[j].Name == fd.Name {
				copy(record[m.Offset:], sample(m.Type, i))
				found = true
				if m.Type.Kind != fd.Type.Kind { // numbers may be wider
					t.Errorf("%s: %s is %s by default, %s in args", title, fd.Name, m.Type, fd.Type)
					return
				}
			}
		}
		if !found {
			t.Errorf("%s: the default action does not show %s", title, fd.Name)
		}
	}
	res := &trace.Names{Kernel: new(symbol.Kernel), Processes: symbol.NewProcesses(nil, false)}
	namer := &naming.Namer{System: res, Object: obj}
	hit, print := &event.Record{Message: shown, Data: record}, &event.Record{Message: printed, Data: value}
	namer.Name(hit, false)
	namer.Name(print, false)
	library := newListener(obj, render.NewSingle(obj))
	one := library.decode(hit, said{library.single, hit}).(*Hit)
	other := library.decode(print, said{}).(*Value)
	args := other.Value.(Fields)
	for _, f := range args {
		if got := one.Get(f.Name); !reflect.DeepEqual(got, f.Value) {
			t.Errorf("%s: the library has %s %v by default, %v in args", title, f.Name, got, f.Value)
		}
	}
	var out bytes.Buffer
	j := render.NewJSON(&out, io.Discard, obj, render.Options{LineBuffered: true})
	j.Event(hit)
	j.Event(print)
	j.Flush()
	var objects []struct{ Data map[string]any }
	for d := json.NewDecoder(&out); d.More(); {
		var o struct{ Data map[string]any }
		if err := d.Decode(&o); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, o)
	}
	flat := maps.Clone(objects[0].Data)
	maps.Copy(flat, objects[0].Data["args"].(map[string]any))
	for name, want := range objects[1].Data {
		if got := flat[name]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: JSON has %s %v by default, %v in args", title, name, got, want)
		}
	}
	for _, fd := range all {
		text := fmt.Sprint(args.Get(fd.Name))
		switch _, isText := args.Get(fd.Name).(string); {
		case fd.Name == "took" || fd.Type.IsStack() || fd.Type.Kind == types.Enum || fd.Type.Kind == types.Pointer:
			continue // of its own form
		case isText && fd.Name != "comm":
			text = fmt.Sprintf("%s=%q", fd.Name, text)
		case !isText && !strings.Contains("pid tid", fd.Name):
			text = fd.Name + "=" + text
		}
		if fd.Name != "tid" && !strings.Contains(one.String(), " "+text) {
			t.Errorf("%s: the line by default has not %s: %s", title, text, one)
		}
	}
}

// sample is a value of a type, another one for each i.
func sample(t *types.Type, i int) []byte {
	b := make([]byte, max(t.Size, 8))
	switch t.Kind {
	case types.Inet:
		copy(b, []byte{4, 0, 0, 0, 10, 1, 2, byte(i)})
	case types.Bool:
		b[0] = 1
	case types.String:
		copy(b[:t.Size-1], fmt.Sprintf("a b%d", i))
	default:
		binary.LittleEndian.PutUint64(b, 0x21+uint64(i))
	}
	return b[:t.Size]
}
