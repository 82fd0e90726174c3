package elffile

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ulikunitz/xz"
)

// TestStaticSymbols finds the functions of a stripped binary where distributions
// leave them, and does without where that is damaged or of another build.
func TestStaticSymbols(t *testing.T) {
	for _, tool := range []string{"gcc", "objcopy"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	run := func(args ...string) {
		t.Helper()
		if text, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, text)
		}
	}
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(in(name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("prog.c", []byte("static __attribute__((noipa)) int hidden(void) { return 0; }\nint main(void) { return hidden(); }\n"))
	run("gcc", "-Wl,--build-id=sha1", "-o", in("prog"), in("prog.c"))
	run("gcc", "-O2", "-Wl,--build-id=sha1", "-o", in("other"), in("prog.c"))
	run("objcopy", "--only-keep-debug", in("prog"), in("prog.debug"))
	run("objcopy", "--only-keep-debug", in("other"), in("other.debug"))
	run("objcopy", "--strip-all", in("prog"), in("bare"))

	image, err := os.ReadFile(in("prog.debug"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, err := xz.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(image); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	write("packed", packed.Bytes())
	write("cut", packed.Bytes()[:packed.Len()/2])
	write("text", []byte("no archive"))
	run("objcopy", "--add-gnu-debuglink="+in("prog.debug"), in("bare"), in("linked"))
	run("objcopy", "--add-gnu-debuglink="+in("other.debug"), in("bare"), in("mislinked"))
	for _, data := range []string{"packed", "cut", "text"} {
		run("objcopy", "--add-section", ".gnu_debugdata="+in(data), in("bare"), in("with-"+data))
	}

	for name, found := range map[string]bool{"prog": true, "bare": false, "linked": true, "mislinked": false,
		"with-packed": true, "with-cut": false, "with-text": false} {
		f, err := Open(in(name))
		if err != nil {
			t.Fatal(err)
		}
		symbols := f.StaticSymbols(Places{Root: dir})
		has := false
		for _, s := range symbols {
			has = has || s.Name == "hidden" && elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Value != 0
		}
		if has != found {
			t.Errorf("%s: hidden is found: %v, want %v (%d symbols)", name, has, found, len(symbols))
		}
		f.Close()
	}

	// By the build id, and in another directory.
	f, err := Open(in("bare"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	id := BuildID(f.File)
	for _, places := range []Places{{Root: in("root")}, {Dirs: []string{in("debug")}}} {
		ids := places.Root + "/usr/lib/debug/.build-id/" + id[:2]
		if places.Root == "" {
			ids = places.Dirs[0] + "/.build-id/" + id[:2]
		}
		if err := os.MkdirAll(ids, 0o700); err != nil {
			t.Fatal(err)
		}
		if len(f.StaticSymbols(places)) > 0 {
			t.Errorf("%+v: symbols from nowhere", places)
		}
		if err := os.Symlink(in("prog.debug"), ids+"/"+id[2:]+".debug"); err != nil {
			t.Fatal(err)
		}
		if len(f.StaticSymbols(places)) == 0 {
			t.Errorf("%+v: no symbols", places)
		}
	}
}

// FuzzDebugData unpacks damaged .gnu_debugdata and reads what comes out of it.
func FuzzDebugData(f *testing.F) {
	image, err := os.ReadFile("/bin/true")
	if err != nil {
		f.Skip(err)
	}
	for _, content := range [][]byte{nil, image, make([]byte, 1<<20)} {
		var packed bytes.Buffer
		w, err := xz.NewWriter(&packed)
		if err != nil {
			f.Fatal(err)
		}
		w.Write(content)
		w.Close()
		f.Add(packed.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		image, err := unpack(data)
		if len(image) > mostDebugData {
			t.Errorf("%d bytes are unpacked", len(image))
		}
		if err != nil {
			return
		}
		if e, err := parse(bytes.NewReader(image)); err == nil {
			e.Symbols()
		}
	})
}

// TestDebugDataBomb unpacks 100 MB of one byte, which are some kilobytes when they are packed.
func TestDebugDataBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var packed bytes.Buffer
	w, err := xz.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		w.Write(make([]byte, 1<<20))
	}
	w.Close()
	if image, _ := unpack(packed.Bytes()); len(image) > mostDebugData {
		t.Errorf("%d bytes become %d", packed.Len(), len(image))
	}
}
