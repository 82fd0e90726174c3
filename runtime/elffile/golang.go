package elffile

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"errors"
	"strings"
)

// GoFunction is a function of the table that Go programs need when they run
// (.gopclntab), and so keep when they are stripped.
type GoFunction struct {
	Name       string
	Addr, Size uint64
	// Assembly: it was not compiled, and may have its arguments in registers or on
	// the stack.
	Assembly bool
}

// ErrNoGo is the error of a binary that is not of Go.
var ErrNoGo = errors.New("it is not a program of Go")

var (
	errGoTable = errors.New("its table of Go functions is damaged")
	errGoText  = errors.New("where the code of its Go functions begins is not known")
)

// Magic numbers of the table, by the release that brought each form.
const (
	go12, go116 = 0xfffffffb, 0xfffffffa
	go118       = 0xfffffff0
	go120       = 0xfffffff1
)

// GoFunctions reads the table of Go functions. Registers says that arguments are
// passed in registers, as from Go 1.18 on (of 1.17 the table does not tell).
func (f *File) GoFunctions() (list []GoFunction, registers bool, err error) {
	section := f.Section(".gopclntab")
	if section == nil {
		section = f.Section(".data.rel.ro.gopclntab")
	}
	if section == nil || section.Type == elf.SHT_NOBITS || section.Flags&elf.SHF_COMPRESSED != 0 {
		return nil, false, ErrNoGo
	}
	data, err := section.Data()
	if err != nil || len(data) < 8 {
		return nil, false, errGoTable
	}
	switch magic := f.ByteOrder.Uint32(data); magic {
	case go12, go116:
		list, err = f.oldGoFunctions(data)
		return list, false, err
	case go118, go120:
		t := goTable{data: data, order: f.ByteOrder, word: int(data[7]), flag: 37}
		if magic == go120 {
			t.flag = 41 // behind the line of the function's beginning
		}
		list, err := t.functions()
		if err != nil {
			return nil, false, err
		}
		text, err := f.goText(&t, section.Addr, list)
		if err != nil {
			return nil, false, err
		}
		for i := range list {
			list[i].Addr += text
		}
		return list, true, nil
	}
	return nil, false, errGoTable
}

// oldGoFunctions reads the tables before Go 1.18, which hold addresses.
func (f *File) oldGoFunctions(data []byte) (list []GoFunction, err error) {
	text := f.Section(".text")
	if text == nil {
		return nil, errGoText
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil || len(table.Funcs) == 0 {
		return nil, errGoTable
	}
	for i := range table.Funcs {
		fn := &table.Funcs[i]
		list = append(list, GoFunction{Name: fn.Name, Addr: fn.Entry, Size: fn.End - fn.Entry})
	}
	return list, nil
}

// goTable is a table in the form of Go 1.18 and later. Its header is the magic number,
// two zeros, the quantum of addresses and the size of a word, then these words: the
// number of functions, that of files, the address of the code (0 since 1.26), and where
// the names, the units, the files, the tables of lines and the functions are.
type goTable struct {
	data  []byte
	order binary.ByteOrder
	word  int
	flag  int // where in a function's record its flags are
}

const (
	goNumber, goText, goNames, goUnits, goRecords = 0, 2, 3, 4, 7 // words of the header
	longestGoName                                 = 1 << 14
)

func (t *goTable) header(n int) (uint64, bool) {
	at := 8 + n*t.word
	switch {
	case t.word != 4 && t.word != 8 || at+t.word > len(t.data):
		return 0, false
	case t.word == 4:
		return uint64(t.order.Uint32(t.data[at:])), true
	}
	return t.order.Uint64(t.data[at:]), true
}

// functions lists the functions with their distances from the beginning of the code.
func (t *goTable) functions() ([]GoFunction, error) {
	number, ok1 := t.header(goNumber)
	names, ok2 := t.header(goNames)
	units, ok3 := t.header(goUnits)
	records, ok4 := t.header(goRecords)
	size := uint64(len(t.data))
	if !ok1 || !ok2 || !ok3 || !ok4 || names > units || units > size || records > size || number > (size-records)/8 {
		return nil, errGoTable
	}
	texts, rows := string(t.data[names:units]), t.data[records:]
	list := make([]GoFunction, 0, number)
	for i := range int(number) {
		row := rows[8*i:]
		if len(row) < 12 { // the next one's address is where this one ends
			return nil, errGoTable
		}
		from, at, to := t.order.Uint32(row), uint64(t.order.Uint32(row[4:])), t.order.Uint32(row[8:])
		if to < from || at+uint64(t.flag) >= uint64(len(rows)) {
			return nil, errGoTable
		}
		if to == from { // programs that have C code, too, may list functions without code
			continue
		}
		record := rows[at:]
		name := uint64(t.order.Uint32(record[4:]))
		if name >= uint64(len(texts)) {
			return nil, errGoTable
		}
		text := texts[name:min(name+longestGoName, uint64(len(texts)))]
		end := strings.IndexByte(text, 0)
		if end < 0 {
			return nil, errGoTable
		}
		const assembly = 4
		list = append(list, GoFunction{Name: text[:end], Addr: uint64(from), Size: uint64(to - from), Assembly: record[t.flag]&assembly != 0})
	}
	return list, nil
}

// goText finds the address of the first Go function. In programs that have C code, too,
// others come before it.
func (f *File) goText(t *goTable, table uint64, list []GoFunction) (uint64, error) {
	if symbols, err := f.Symbols(); err == nil {
		for _, y := range symbols {
			if y.Name == "runtime.text" {
				return y.Value, nil
			}
		}
	}
	if addr, _ := t.header(goText); addr != 0 {
		return addr, nil
	}
	if addr := f.pointerAt(table + 8 + goText*uint64(t.word)); addr != 0 {
		return addr, nil
	}
	// Since Go 1.26 the description of the module has it, behind the address of the table.
	if m := f.Section(".go.module"); m != nil && t.word == 8 && f.pointerAt(m.Addr) == table {
		const text = 22 * 8
		if addr := f.pointerAt(m.Addr + text); addr != 0 {
			return addr, nil
		}
	}
	// Where the program begins in Go, all code is of Go.
	if text := f.Section(".text"); text != nil {
		for _, fn := range list {
			if strings.HasPrefix(fn.Name, "_rt0_") && text.Addr+fn.Addr == f.Entry {
				return text.Addr, nil
			}
		}
	}
	return 0, errGoText
}

// pointerAt is the pointer at an address as the file has it or, of a program that can be
// loaded anywhere, as its relocation tells; 0 if there is none.
func (f *File) pointerAt(addr uint64) uint64 {
	if f.Class != elf.ELFCLASS64 {
		return 0
	}
	var word [8]byte
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr < p.Filesz {
			if _, err := p.ReadAt(word[:], int64(addr-p.Vaddr)); err != nil {
				return 0
			}
		}
	}
	if n := f.ByteOrder.Uint64(word[:]); n != 0 {
		return n
	}
	relative := uint32(elf.R_X86_64_RELATIVE)
	if f.Machine == elf.EM_AARCH64 {
		relative = uint32(elf.R_AARCH64_RELATIVE)
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		data, err := s.Data()
		if err != nil {
			continue
		}
		var want [16]byte
		f.ByteOrder.PutUint64(want[:], addr)
		f.ByteOrder.PutUint64(want[8:], uint64(relative))
		for ; len(data) >= 24; data = data[24:] {
			if bytes.Equal(data[:16], want[:]) {
				return f.ByteOrder.Uint64(data[16:])
			}
		}
	}
	return 0
}
