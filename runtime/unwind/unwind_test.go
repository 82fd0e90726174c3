package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"fst/compiler/object"
)

// frames builds an .eh_frame section at address 0x1000: a CIE (rsp+8, the
// return address at CFA-8) and one function of 0x40 bytes at 0x2000.
func frames(augmentation string, program ...byte) []byte {
	body := append([]byte{0, 0, 0, 0, 1}, augmentation...)
	body = append(body, 0, 1, 0x78, 16) // code by 1, data by -8, return address 16
	body = append(body, 1, 0x1b)        // augmentation data: pointers are relative, 4 bytes
	body = append(body, cfaDef, regSP, 8, cfaOffset|regRA, 1)
	section := entry(nil, body)
	at := len(section)
	fde := make([]byte, 12)
	put := func(off int, v uint32) {
		for i := range 4 {
			fde[off+i] = byte(v >> (8 * i))
		}
	}
	put(0, uint32(at+4))
	put(4, uint32(0x2000-(0x1000+at+8)))
	put(8, 0x40)
	return append(entry(section, append(append(fde, 0), program...)), 0, 0, 0, 0)
}

func entry(section, body []byte) []byte {
	for len(body)%4 != 0 {
		body = append(body, cfaNop)
	}
	return append(append(section, byte(len(body)), 0, 0, 0), body...)
}

func TestRules(t *testing.T) {
	bp := func(n int64) Row { return Row{BP: n, BPPlace: BPAtCFA} }
	row := func(r Row, start uint64, rule object.UnwindRule, offset int64) Row {
		r.Start, r.Rule, r.Offset = start, rule, offset
		return r
	}
	sp, gap := object.UnwindSP, unknown(0x2040)
	for _, c := range []struct {
		name, augmentation string
		program            []byte
		want               Table
	}{
		{"push, frame pointer, pop", "zR", []byte{
			cfaAdvance | 1, cfaDefOffset, 16, cfaOffset | regBP, 2, cfaAdvance | 3, cfaDefRegister, regBP,
			cfaAdvance1, 0x20, cfaRemember, cfaDef, regSP, 8, cfaRestore | regBP, cfaAdvance | 1, cfaRestoreState},
			Table{row(Row{}, 0x2000, sp, 8), row(bp(-16), 0x2001, sp, 16), row(bp(-16), 0x2004, object.UnwindBP, 16),
				row(Row{}, 0x2024, sp, 8), row(bp(-16), 0x2025, object.UnwindBP, 16)}},
		{"the outermost", "zR", []byte{cfaUndefined, regRA}, Table{row(Row{}, 0x2000, object.UnwindEnd, 0), gap}},
		{"a signal's frame", "zRS", nil, Table{row(Row{}, 0x2000, object.UnwindSignal, 0), gap}},
		{"a linkage table", "zR", []byte{cfaDefOffset, 16, cfaAdvance | 6, cfaDefExpression, 11,
			opBReg + regSP, 8, opBReg + regRA, 0, opLit + 15, opAnd, opLit + 10, opGE, opLit + 3, opShl, opPlus},
			Table{row(Row{}, 0x2000, sp, 16), row(Row{}, 0x2006, object.UnwindPLT, 80), gap}},
		{"a realigned stack", "zR", []byte{
			cfaAdvance | 5, cfaDef, 10, 0, cfaAdvance | 8, cfaExpression, regBP, 2, opBReg + regBP, 0,
			cfaAdvance | 4, cfaDefExpression, 3, opBReg + regBP, 0x78, opDeref},
			Table{row(Row{}, 0x2000, sp, 8), row(Row{BPPlace: BPLost}, 0x2005, object.UnwindUnknown, 0),
				row(Row{BPPlace: BPAtBP}, 0x2011, object.UnwindBPDeref, -8), gap}},
		{"garbage", "zR", []byte{0x3e}, Table{row(Row{BPPlace: BPLost}, 0x2000, object.UnwindUnknown, 0), gap}},
		{"nothing remembered", "zR", []byte{cfaRestoreState}, Table{row(Row{BPPlace: BPLost}, 0x2000, object.UnwindUnknown, 0), gap}},
	} {
		fdes, err := parseFrames(frames(c.augmentation, c.program...), 0x1000, true)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if got := tableOf(fdes); !reflect.DeepEqual(got[1:], c.want) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", c.name, got[1:], c.want)
		}
	}
}

func TestEncode(t *testing.T) {
	table := Table{unknown(0), {Start: 0x2000, Rule: object.UnwindSP, Offset: 8},
		{Start: 0x2010, Rule: object.UnwindBPDeref, Offset: -8, BPPlace: BPAtBP},
		{Start: 0x2020, Rule: object.UnwindSP, Offset: 12}, {Start: 0x2030, Rule: object.UnwindSP, Offset: 1 << 20, BP: -24, BPPlace: BPAtCFA},
		unknown(0x2040)}
	row := func(place, offset uint64, rule object.UnwindRule, bp uint64) object.UnwindRow {
		return object.UnwindRow(place<<32 | offset<<13&(1<<32-1) | uint64(rule)<<9 | bp)
	}
	fp := func(place uint64) object.UnwindRow { return row(place, 2, object.UnwindBP, 2) }
	want := []object.UnwindRow{fp(0), row(0x1000, 1, object.UnwindSP, 0), row(0x1010, 1<<64-1, object.UnwindBPDeref, object.UnwindBPAtBP),
		row(0x1020, 0, object.UnwindUnknown, 0), row(0x1030, 1<<17, object.UnwindSP, 3), fp(0x1040)}
	if got := table.Encode([]Segment{{Offset: 0x1000, Addr: 0x2000, Size: 0x1000}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%x\nwant\n%x", got, want)
	}
	if got := (Table)(nil).Encode(nil); len(got) != 1 || got[0] != object.UnwindByFramePointer {
		t.Errorf("an empty table is %x", got)
	}
}

// TestReadelf compares tables with what readelf says of binaries of the system.
func TestReadelf(t *testing.T) {
	if _, err := exec.LookPath("readelf"); err != nil {
		t.Skip(err)
	}
	paths, _ := filepath.Glob("/lib/x86_64-linux-gnu/ld-linux-x86-64.so*")
	for _, path := range append(paths, "/bin/bash", "/usr/bin/env") {
		f, err := elf.Open(path)
		if err != nil {
			continue
		}
		table, err := Read(f)
		f.Close()
		if err == ErrMachine {
			continue
		} else if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		cmd := exec.Command("readelf", "--debug-dump=frames-interp", path)
		cmd.Env = append(os.Environ(), "LC_ALL=C")
		text, _ := cmd.Output() // it complains about some sections and goes on
		if n := compare(t, path, table, string(text)); n < 100 {
			t.Errorf("%s: compared only %d rows", path, n)
		}
	}
}

// compare checks the rows of readelf's text against a table and returns how many
// there were.
func compare(t *testing.T, path string, table Table, text string) int {
	compared, bad, columns, signal := 0, 0, []string(nil), map[string]bool{}
	var start, end uint64
	isFDE := false
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) > 3 && (f[3] == "CIE" || f[3] == "FDE"):
			isFDE, columns = f[3] == "FDE", nil
			if !isFDE {
				signal[f[0]] = strings.Contains(f[4], "S")
				continue
			}
			from, to, _ := strings.Cut(strings.TrimPrefix(f[5], "pc="), "..")
			start, _ = strconv.ParseUint(from, 16, 64)
			end, _ = strconv.ParseUint(to, 16, 64)
			isFDE = !signal[strings.TrimPrefix(f[4], "cie=")]
		case len(f) > 1 && f[0] == "LOC":
			columns = f
		case isFDE && columns != nil && len(f) == len(columns):
			at, _ := strconv.ParseUint(f[0], 16, 64)
			if at < start || at >= end {
				continue // a row behind the function
			}
			want := f[1]
			bp := "u"
			for i, c := range columns {
				if c == "rbp" {
					bp = f[i]
				}
			}
			ra := f[len(f)-1]
			r := table.Find(at)
			gotRule, gotBP := "exp", "u"
			switch r.Rule {
			case object.UnwindSP, object.UnwindBP:
				gotRule = map[object.UnwindRule]string{object.UnwindSP: "rsp", object.UnwindBP: "rbp"}[r.Rule] + fmt.Sprintf("%+d", r.Offset)
			case object.UnwindUnknown:
				if want != "exp" && strings.HasPrefix(want, "r") && !strings.HasPrefix(want, "rsp") && !strings.HasPrefix(want, "rbp") {
					gotRule = want // by another register
				}
			}
			switch r.BPPlace {
			case BPAtCFA:
				gotBP = fmt.Sprintf("c%+d", r.BP)
			case BPAtBP, BPLost:
				gotBP = bp
			}
			compared++
			if ra == "u" && r.Rule == object.UnwindEnd {
				continue
			}
			if gotRule != want || gotBP != bp && bp != "s" || ra != "c-8" {
				if bad++; bad < 10 {
					t.Errorf("%s at %#x: %+v is %s %s, readelf says %s", path, at, r, gotRule, gotBP, strings.Join(f, " "))
				}
			}
		}
	}
	return compared
}

func FuzzFrames(f *testing.F) {
	f.Add(frames("zR", cfaAdvance|1, cfaDefOffset, 16, cfaOffset|regBP, 2))
	f.Add(frames("zRS", cfaDefExpression, 3, opBReg+regBP, 0x78, opDeref))
	f.Fuzz(func(t *testing.T, data []byte) {
		fdes, err := parseFrames(data, 0x1000, true)
		if err != nil {
			return
		}
		table := tableOf(fdes)
		for i := 1; i < len(table); i++ {
			if table[i].Start <= table[i-1].Start {
				t.Fatalf("rows %d: %#x after %#x", i, table[i].Start, table[i-1].Start)
			}
		}
		table.Encode([]Segment{{Addr: 0, Size: 1 << 20}})
	})
}

// TestHugeSegment reads a binary without sections that claims a segment of more
// memory than there is.
func TestHugeSegment(t *testing.T) {
	const size = 1 << 62
	section := frames("zR")
	const hdr, addr = 64 + 2*56, 0x1000
	var b bytes.Buffer
	put := func(v any) {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 2}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1
	put(h)
	put(elf.Prog64{Type: uint32(elf.PT_GNU_EH_FRAME), Off: hdr, Vaddr: 0x800, Filesz: 8})
	put(elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_X), Off: hdr + 8, Vaddr: addr, Filesz: size, Memsz: size})
	put([4]byte{1, peU4}) // version; the pointer to .eh_frame is its address
	put(uint32(addr))
	put(section)
	f, err := elf.NewFile(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	table, err := Read(f)
	if err != nil || len(table) < 3 || table[1].Start != 0x2000 {
		t.Errorf("%+v, %v", table, err)
	}
}
