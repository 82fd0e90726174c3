package objfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"os"
	"reflect"
	"testing"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/object"
	"fst/compiler/reloc"
	"fst/compiler/target/fixture"
	"fst/compiler/types"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"
	"fst/scripts"
)

var header = Header{"0.1.0", "7.2.0", "amd64", true, []*reloc.Fact{{Kind: reloc.CPUs, Number: 4, HasNumber: true, Uses: []reloc.Use{{At: 3, Times: 1}}}}}

func compile(t testing.TB, k *fixture.Kernel, name, text string) *object.Object {
	var set source.Set
	var diags diag.List
	tree := parse.Parse(set.Add(name, text), &diags)
	obj, err := compiler.Compile(&set, tree, compiler.Options{Options: check.Options{Target: k, OpenParams: true}}, &diags)
	if err != nil {
		t.Fatal(name, err)
	}
	return obj
}

func write(t testing.TB, obj *object.Object) []byte {
	var b bytes.Buffer
	if err := Write(&b, header, obj); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRoundTrip: all bundled scripts are the same when they were written and read, and
// what was read is data only.
func TestRoundTrip(t *testing.T) {
	k, err := fixture.Load("7.2")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for i, name := range scripts.Names() {
		if testing.Short() && i%8 != 0 {
			continue
		}
		text, _ := scripts.Source(name)
		obj := compile(t, k, name, text)
		if obj == nil {
			continue // it needs words that make sense
		}
		tried++
		file := write(t, obj)
		h, again, err := Read(bytes.NewReader(file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(h, header) {
			t.Errorf("%s: header %v", name, h)
		}
		if !bytes.Equal(write(t, again), file) {
			t.Errorf("%s: written again it differs", name)
		}
		for i, p := range obj.Programs {
			q := again.Programs[i]
			if !reflect.DeepEqual(p.Code, q.Code) || len(p.Hooks) != len(q.Hooks) {
				t.Errorf("%s: the program %s differs", name, p.Name)
			}
		}
		for i, m := range obj.Maps {
			if r := again.Maps[i]; !types.Equal(m.Key, r.Key) || !types.Equal(m.Value, r.Value) || m.Span != r.Span {
				t.Errorf("%s: the map %s differs", name, m.Name)
			}
		}
		for i, m := range obj.Messages {
			if obj.Sources.Place(m.Span) != again.Sources.Place(again.Messages[i].Span) {
				t.Errorf("%s: the place of message %d differs", name, i)
			}
		}
		isData(t, name, reflect.ValueOf(again), map[uintptr]bool{})
	}
	if least := len(scripts.Names()) * 2 / 3; !testing.Short() && tried < least {
		t.Errorf("%d of %d scripts were compiled, want %d", tried, len(scripts.Names()), least)
	}
}

// isData makes sure that there is no function in a value.
func isData(t *testing.T, at string, v reflect.Value, seen map[uintptr]bool) {
	switch v.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if !v.IsNil() {
			t.Errorf("%s is a %s", at, v.Type())
		}
	case reflect.Pointer:
		if !v.IsNil() && !seen[v.Pointer()] {
			seen[v.Pointer()] = true
			isData(t, at, v.Elem(), seen)
		}
	case reflect.Slice, reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.Struct, reflect.Pointer:
			for i := range v.Len() {
				isData(t, at, v.Index(i), seen)
			}
		}
	case reflect.Struct:
		if v.Type().PkgPath() == "sync" {
			return
		}
		for i := range v.NumField() {
			isData(t, at+"."+v.Type().Field(i).Name, v.Field(i), seen)
		}
	}
}

// TestRefused: files that are damaged, cut off or of another version.
func TestRefused(t *testing.T) {
	k, err := fixture.Load("7.2")
	if err != nil {
		t.Fatal(err)
	}
	good := write(t, compile(t, k, "a", `begin { @x[1] = 2; printf("%d\n", 3); }`))
	if _, _, err := Read(bytes.NewReader(good)); err != nil {
		t.Fatal(err)
	}
	for n := range len(good) {
		if _, _, err := Read(bytes.NewReader(good[:n])); err != ErrDamaged {
			t.Fatalf("the first %d bytes: %v", n, err)
		}
	}
	for _, i := range []int{0, len(magic) + 4, prologue, len(good) - 1} {
		bad := bytes.Clone(good)
		bad[i] ^= 1
		if _, _, err := Read(bytes.NewReader(bad)); err != ErrDamaged {
			t.Errorf("byte %d: %v", i, err)
		}
	}
	bad := bytes.Clone(good)
	binary.LittleEndian.PutUint32(bad[len(magic):], format+1)
	var foreign *FormatError
	if _, _, err := Read(bytes.NewReader(bad)); !errors.As(err, &foreign) {
		t.Error(err)
	}
	if !Is(string(good)) || Is(string(bad[1:])) || sha256.Size+len(magic)+4 != prologue {
		t.Error("the magic number is not found")
	}
}

// TestLinks: code is refused whose links are not those of its instructions.
func TestLinks(t *testing.T) {
	const store, loadMap = 0, 1
	code := object.Code{Insns: []byte{0x62, 10, 0xf8, 0xff, 0, 0, 0, 0, 0x18, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}
	for _, c := range []struct {
		links []object.Link
		want  bool
	}{
		{[]object.Link{{At: loadMap}}, true},
		{[]object.Link{{At: store, Kind: object.LinkMessage}, {At: loadMap, Number: 1}}, true},
		{nil, false}, // the map would be the descriptor 0
		{[]object.Link{{At: store}, {At: loadMap}}, false},
		{[]object.Link{{At: loadMap}, {At: store, Kind: object.LinkMessage}}, false},
		{[]object.Link{{At: loadMap, Kind: object.LinkMessage}}, false},
		{[]object.Link{{At: loadMap, Number: 2}}, false},
		{[]object.Link{{At: loadMap, Number: -1}}, false},
		{[]object.Link{{At: store, Kind: object.LinkMessage, Number: 1}, {At: loadMap}}, false},
		{[]object.Link{{At: loadMap}, {At: loadMap + 1}}, false},
		{[]object.Link{{At: loadMap}, {At: 3, Kind: object.LinkMessage}}, false},
	} {
		if code.Links = c.links; code.IsLinked(2, 1) != c.want {
			t.Errorf("%v: %v", c.links, !c.want)
		}
	}
	code.Links = []object.Link{{At: store, Kind: object.LinkMessage, Number: 5}, {At: loadMap, Number: 1, Offset: 24}}
	insns, err := code.Linked(func(id int) int { return 10 + id })
	if err != nil || insns[4] != 5 || insns[12] != 11 || insns[20] != 24 || code.Insns[4] != 0 {
		t.Error(insns, err)
	}
	if _, err := code.Linked(func(int) int { return -1 }); err == nil {
		t.Error("a map without a descriptor was linked")
	}
}

var update = flag.Bool("update", false, "compile the seeds of FuzzRead anew")

// seeds are scripts that testdata has compiled: a fuzzer's processes start sooner without a kernel and a compiler.
var seeds = map[string]string{
	"map":   `begin { @x[1] = 2; printf("%d\n", 3); }`,
	"event": `tracepoint:sched:sched_switch`,
	"stack": `kprobe:vfs_read { @[kstack] = count(); }`,
	"table": `begin { @a[1] = count(); table("N %d COUNT %d", @a); }`,
}

// FuzzRead reads bodies of files whose checksum is right.
func FuzzRead(f *testing.F) {
	for name, text := range seeds {
		path := "testdata/" + name + ".fsto"
		if *update {
			k, err := fixture.Load("7.2")
			if err != nil {
				f.Fatal(err)
			}
			if err := os.WriteFile(path, write(f, compile(f, k, "a", text)), 0o644); err != nil {
				f.Fatal(err)
			}
		}
		file, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if _, _, err := Read(bytes.NewReader(file)); err != nil {
			f.Fatalf("%s: %v; -update writes it anew", path, err)
		}
		f.Add(file[prologue:])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		h, obj, err := decode(body)
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := Write(&again, h, obj); err != nil {
			t.Fatal(err)
		}
		for _, m := range obj.Messages {
			obj.Sources.Place(m.Span)
			obj.Sources.Uses(m.Span)
		}
		obj.ScriptMaps()
	})
}
