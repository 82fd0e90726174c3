package debuginfo

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"fst/runtime/elffile"
)

// splitProgram builds a program whose debug information is in a file of its own.
func splitProgram(t testing.TB, options ...string) (program string) {
	t.Helper()
	dir := t.TempDir()
	text := "struct s { int n; }; __attribute__((noipa)) int work(struct s *p) { return p->n; }\nint main(void) { struct s x = { 0 }; return work(&x); }\n"
	if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{append(options, "-g", "-O1", "-gsplit-dwarf", "-c", "a.c"), {"-o", "prog", "a.o"}} {
		cmd := exec.Command("gcc", args...)
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("%v: %s", err, text)
		}
	}
	return filepath.Join(dir, "prog")
}

// TestForeignSplit passes over the file of another build.
func TestForeignSplit(t *testing.T) {
	one, two := splitProgram(t, "-gdwarf-5"), splitProgram(t, "-gdwarf-5", "-DX=1", "-O2")
	has := func() bool {
		f, err := Open(one, elffile.Places{})
		if err != nil {
			t.Fatal(err)
		}
		_, _, ok := f.Types.Find("struct", "s", nil)
		return ok
	}
	if !has() {
		t.Error("its own file is not read")
	}
	other, err := os.ReadFile(filepath.Join(filepath.Dir(two), "a.dwo"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(one), "a.dwo"), other, 0o644); err != nil {
		t.Fatal(err)
	}
	if has() {
		t.Error("the file of another build is read")
	}
}

// FuzzSplit joins a program with damaged files: they must not end the reader, nor make
// more of the information than they hold.
func FuzzSplit(f *testing.F) {
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		e, err := elffile.Open(filepath.Join(filepath.Dir(splitProgram(f, version, "-fdebug-types-section")), "a.dwo"))
		if err != nil {
			f.Fatal(err)
		}
		s, err := readSections(e.File)
		e.Close()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(s["info.dwo"], s["types.dwo"], s["abbrev.dwo"], s["str.dwo"], s["str_offsets.dwo"], []byte{})
	}
	f.Add([]byte{}, []byte{}, []byte{}, []byte{}, []byte{}, binary.LittleEndian.AppendUint32(nil, 5))
	f.Fuzz(func(t *testing.T, info, typeUnits, abbrev, str, offsets, index []byte) {
		parts := sections{"info.dwo": info, "types.dwo": typeUnits, "abbrev.dwo": abbrev, "str.dwo": str, "str_offsets.dwo": offsets}
		readIndexOf(index, parts)
		j := &joiner{sections: sections{}, signatures: map[uint64]dwarf.Offset{}}
		file := &splitFile{units: map[uint64]*splitUnit{}, str: str, strAt: -1, tables: map[*byte]int{}, rnglists: map[*byte]int{}}
		file.add(info, false, parts)
		file.add(typeUnits, true, parts)
		for _, u := range file.units {
			file.types = append(file.types, u)
		}
		for _, u := range file.types {
			j.add(u, nil)
		}
		if len(j.sections["info"]) > len(info)+len(typeUnits)+16*len(file.types) {
			t.Errorf("%d bytes of %d and %d", len(j.sections["info"]), len(info), len(typeUnits))
		}
		d, err := j.sections.data()
		if err != nil {
			return
		}
		j.data = d
		x := newFile(j, elf.EM_X86_64)
		x.Types.Find("struct", "s", nil)
		x.Function(0, "work")
		x.Places(0x1000)
		x.Inlined(func(string) bool { return true })
		x.IsInlined(0, "work")
	})
}
