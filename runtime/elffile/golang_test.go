package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// TestGoFunctions reads the table of the test's own program.
func TestGoFunctions(t *testing.T) {
	f, err := Open("/proc/self/exe")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	list, registers, err := f.GoFunctions()
	if err != nil || !registers {
		t.Fatalf("registers %v: %v", registers, err)
	}
	entry := runtime.FuncForPC(reflect.ValueOf(TestGoFunctions).Pointer()).Entry()
	found, assembly := false, false
	for _, fn := range list {
		if strings.HasSuffix(fn.Name, "elffile.TestGoFunctions") {
			found = true
			if f.Type == elf.ET_EXEC && fn.Addr != uint64(entry) {
				t.Errorf("%s is at %#x, not at %#x", fn.Name, fn.Addr, entry)
			}
			if fn.Size == 0 || fn.Assembly {
				t.Errorf("it is %+v", fn)
			}
		}
		assembly = assembly || fn.Name == "runtime.memmove" && fn.Assembly
	}
	if !found || !assembly {
		t.Errorf("of %d functions, the test's own is found: %v, memmove is in assembly: %v", len(list), found, assembly)
	}
}

// goImage is a small program with a table of two functions.
func goImage(magic uint32) []byte {
	var table []byte
	put := func(words ...uint64) {
		for _, w := range words {
			table = binary.LittleEndian.AppendUint64(table, w)
		}
	}
	put(uint64(magic)|1<<48|8<<56, 2, 0, 0x1000, 72, 88, 88, 88, 88) // the header
	table = append(table, "main.a\x00main.b\x00\x00\x00"...)
	half := func(words ...uint32) {
		for _, w := range words {
			table = binary.LittleEndian.AppendUint32(table, w)
		}
	}
	half(0, 20, 16, 64, 32)
	half(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4<<8)
	half(16, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	names := "\x00.gopclntab\x00.text\x00.shstrtab\x00"
	head := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: 1, Ehsize: 64, Shentsize: 64, Shnum: 4, Shstrndx: 3}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	head.Shoff = uint64(64 + len(table) + len(names))
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, head)
	b.Write(table)
	b.WriteString(names)
	for _, s := range []elf.Section64{
		{},
		{Name: 1, Type: uint32(elf.SHT_PROGBITS), Addr: 0x5000, Off: 64, Size: uint64(len(table))},
		{Name: 12, Type: uint32(elf.SHT_NOBITS), Addr: 0x1000, Size: 64},
		{Name: 18, Type: uint32(elf.SHT_STRTAB), Off: uint64(64 + len(table)), Size: uint64(len(names))},
	} {
		binary.Write(&b, binary.LittleEndian, s)
	}
	return b.Bytes()
}

func TestGoImage(t *testing.T) {
	f, err := Parse(goImage(go120))
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := f.GoFunctions()
	want := []GoFunction{{"main.a", 0x1000, 16, true}, {"main.b", 0x1010, 16, false}}
	if err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("%+v: %v", list, err)
	}
}

// FuzzGoFunctions reads damaged programs: they must not end the reader, nor make it
// list more than they have room for.
func FuzzGoFunctions(f *testing.F) {
	for _, magic := range []uint32{go12, go116, go118, go120} {
		f.Add(goImage(magic))
	}
	f.Fuzz(func(t *testing.T, image []byte) {
		e, err := Parse(image)
		if err != nil {
			return
		}
		list, _, _ := e.GoFunctions()
		if len(list) > len(image) {
			t.Errorf("%d functions in %d bytes", len(list), len(image))
		}
		e.StaticSymbols(Places{Root: os.DevNull})
	})
}
