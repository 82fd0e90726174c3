// Package unwind reads from binaries how the frames of their functions are laid
// out (the call frame information in .eh_frame, which exceptions need and which
// is therefore in all of them), and brings it into the form in which a program
// in the kernel follows a stack whose functions keep no frame pointer.
//
// It must not import eBPF libraries, nor the compiler beyond object.
package unwind

import (
	"cmp"
	"debug/elf"
	"errors"
	"io"
	"slices"

	"fst/compiler/object"
)

// Row tells how the code from Start on, up to the next row, finds its caller's
// frame.
type Row struct {
	Start  uint64 // address as in the binary's symbol table
	Rule   object.UnwindRule
	Offset int64 // of the rule; bytes on the stack, for UnwindPLT 8 for each byte of code
	// BP is where the caller's rbp is: its offset from the CFA, or one of the
	// special places.
	BP      int64
	BPPlace BPPlace
}

// BPPlace is how the caller's rbp is found.
type BPPlace uint8

const (
	BPSame  BPPlace = iota // it was not changed
	BPAtCFA                // at CFA + Row.BP
	BPAtBP                 // at *rbp
	BPLost                 // by a rule that is not followed
)

// Table is the rows of a binary, sorted by Start.
type Table []Row

// unknown is the row of code that the binary tells nothing of.
func unknown(start uint64) Row {
	return Row{Start: start, Rule: object.UnwindBP, Offset: 16, BP: -16, BPPlace: BPAtCFA}
}

// ErrMachine is the error of a binary for another processor.
var ErrMachine = errors.New("unwind tables are read of x86-64 programs only")

// Read reads the table of a binary. It is empty for one without call frame
// information.
func Read(f *elf.File) (Table, error) {
	if f.Machine != elf.EM_X86_64 || f.Class != elf.ELFCLASS64 {
		return nil, ErrMachine
	}
	data, addr, err := frameSection(f)
	if err != nil || data == nil {
		return nil, err
	}
	fdes, err := parseFrames(data, addr, true)
	if err != nil {
		return nil, err
	}
	return tableOf(fdes), nil
}

// A Range is the code from Start up to End, which does not belong to it.
type Range struct{ Start, End uint64 }

// Functions lists where the functions of a binary are, sorted: all that the frames of
// are described, whether or not anything names them. A function may have several ranges.
func Functions(f *elf.File) []Range {
	if f.Machine != elf.EM_X86_64 || f.Class != elf.ELFCLASS64 {
		return nil
	}
	data, addr, err := frameSection(f)
	if err != nil {
		return nil
	}
	fdes, err := parseFrames(data, addr, false)
	if err != nil {
		return nil
	}
	list := make([]Range, 0, len(fdes))
	for _, d := range fdes {
		list = append(list, Range{d.start, d.end})
	}
	slices.SortFunc(list, func(a, b Range) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	return slices.Compact(list)
}

// frameSection finds .eh_frame: by its section, or through the segment that
// the loader knows where the sections were taken away.
func frameSection(f *elf.File) (data []byte, addr uint64, err error) {
	if s := f.Section(".eh_frame"); s != nil && s.Type != elf.SHT_NOBITS {
		data, err = s.Data()
		return data, s.Addr, err
	}
	for _, p := range f.Progs {
		if p.Type != elf.PT_GNU_EH_FRAME {
			continue
		}
		head := make([]byte, min(p.Filesz, 16))
		if _, err := p.ReadAt(head, 0); err != nil {
			return nil, 0, err
		}
		r := reader{data: head, addr: p.Vaddr}
		if version := r.u8(); version != 1 {
			return nil, 0, errFormat
		}
		enc := r.u8()
		r.skip(2)
		at := r.pointer(enc, p.Vaddr)
		if r.bad {
			return nil, 0, errFormat
		}
		for _, seg := range f.Progs {
			if seg.Type == elf.PT_LOAD && at >= seg.Vaddr && at-seg.Vaddr < seg.Filesz {
				// What the file says of its size need not be true.
				rest := io.NewSectionReader(seg, int64(at-seg.Vaddr), int64(seg.Filesz-(at-seg.Vaddr)))
				data, err = io.ReadAll(rest)
				return data, at, err
			}
		}
	}
	return nil, 0, nil
}

// tableOf sorts the functions' rows into one table. Between functions that do
// not touch nothing is known.
func tableOf(fdes []fde) Table {
	slices.SortStableFunc(fdes, func(a, b fde) int { return cmp.Compare(a.start, b.start) })
	t := Table{unknown(0)}
	put := func(r Row) {
		last := &t[len(t)-1]
		switch same := *last; {
		case last.Start == r.Start:
			*last = r
		case last.Start > r.Start: // overlapping functions: the first one counts
		default:
			same.Start = r.Start
			if same != r {
				t = append(t, r)
			}
		}
	}
	var end uint64
	for i, f := range fdes {
		if i > 0 && f.start > end {
			put(unknown(end))
		}
		for _, r := range f.rows {
			put(r)
		}
		end = max(end, f.end)
	}
	if len(fdes) > 0 {
		put(unknown(end))
	}
	return t
}

// Find returns the row for an address.
func (t Table) Find(addr uint64) Row {
	i, found := slices.BinarySearchFunc(t, addr, func(r Row, addr uint64) int { return cmp.Compare(r.Start, addr) })
	if !found {
		i--
	}
	if i < 0 {
		return unknown(addr)
	}
	return t[i]
}

// Segment is a part of a file that is loaded.
type Segment struct{ Offset, Addr, Size uint64 }

// Segments are the parts of a binary that hold code.
func Segments(f *elf.File) []Segment {
	var list []Segment
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			list = append(list, Segment{p.Off, p.Vaddr, p.Filesz})
		}
	}
	slices.SortFunc(list, func(a, b Segment) int { return cmp.Compare(a.Offset, b.Offset) })
	return list
}

// Encode brings a table into the form for the kernel, by places in the file
// rather than addresses. It always has a row for place 0.
func (t Table) Encode(segments []Segment) []object.UnwindRow {
	rows := []object.UnwindRow{object.UnwindByFramePointer}
	put := func(place uint64, row object.UnwindRow) {
		if place>>32 != 0 {
			return // a file of over 4 GB
		}
		row |= object.UnwindRow(place << object.UnwindPlaceShift)
		if last := rows[len(rows)-1]; uint64(last>>object.UnwindPlaceShift) == place {
			rows[len(rows)-1] = row
		} else if uint32(last) != uint32(row) {
			rows = append(rows, row)
		}
	}
	for _, s := range segments {
		first, found := slices.BinarySearchFunc(t, s.Addr, func(r Row, addr uint64) int { return cmp.Compare(r.Start, addr) })
		if !found {
			put(s.Offset, t.Find(s.Addr).encode())
		}
		for _, r := range t[first:] {
			if r.Start-s.Addr >= s.Size {
				break
			}
			put(r.Start-s.Addr+s.Offset, r.encode())
		}
		put(s.Offset+s.Size, object.UnwindByFramePointer)
	}
	return rows[:min(len(rows), 1<<object.UnwindSteps)]
}

// encode packs a row without its place.
func (r Row) encode() object.UnwindRow {
	rule, words, bp := r.Rule, r.Offset/8, uint64(object.UnwindBPLost)
	const limit = 1 << (object.UnwindOffsetBits - 1)
	if r.Offset%8 != 0 || words < -limit || words >= limit {
		rule, words = object.UnwindUnknown, 0
	}
	switch n := -r.BP / 8; {
	case r.BPPlace == BPSame:
		bp = object.UnwindBPSame
	case r.BPPlace == BPAtBP:
		bp = object.UnwindBPAtBP
	case r.BPPlace == BPAtCFA && r.BP%8 == 0 && n > 0 && n <= object.UnwindMaxBPAt:
		bp = uint64(n)
	}
	return object.UnwindRow(uint64(words)<<object.UnwindOffsetShift&(1<<object.UnwindPlaceShift-1) | uint64(rule)<<object.UnwindRuleShift | bp)
}
