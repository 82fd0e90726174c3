package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"
)

// note is an ELF note.
func note(name string, typ uint32, desc string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(name)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(desc)))
	b = binary.LittleEndian.AppendUint32(b, typ)
	for _, s := range []string{name, desc} {
		b = append(b, s...)
		for len(b)%4 != 0 {
			b = append(b, 0)
		}
	}
	return b
}

// file is an ELF file with one segment of notes.
func file(notes []byte) *elf.File {
	return &elf.File{FileHeader: elf.FileHeader{ByteOrder: binary.LittleEndian}, Progs: []*elf.Prog{
		{ProgHeader: elf.ProgHeader{Type: elf.PT_LOAD, Filesz: 1}, ReaderAt: bytes.NewReader([]byte{0})},
		{ProgHeader: elf.ProgHeader{Type: elf.PT_NOTE, Filesz: uint64(len(notes))}, ReaderAt: bytes.NewReader(notes)},
	}}
}

func TestBuildID(t *testing.T) {
	id := note("GNU\x00", 3, "\x01\x02\xab")
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for _, test := range []struct {
		name  string
		notes []byte
		want  string
	}{
		{"alone", id, "0102ab"},
		{"behind others", join(note("GNU\x00", 5, "xyz"), note("stapsdt\x00", 3, "12345"), id), "0102ab"},
		{"none", note("GNU\x00", 1, "abcd"), ""},
		{"empty", nil, ""},
		{"cut short", id[:len(id)-4], ""},
		{"a header cut short", join(note("x", 1, ""), id[:8]), ""},
		{"a length out of all bounds", []byte("\xff\xff\xff\xff\xff\xff\xff\xff\x03\x00\x00\x00GNU\x00"), ""},
		{"a name of no length", note("", 3, "abcd"), ""},
	} {
		if got := BuildID(file(test.notes)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
