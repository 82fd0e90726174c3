package debuginfo

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"strings"

	"fst/runtime/elffile"
)

// With -gsplit-dwarf a program holds of each unit only a skeleton: its code, its lines,
// and the name of the file (.dwo, or a package of them, .dwp) that has all else. The
// library that reads DWARF knows of one file. So the units of the other files are put
// behind those of the program, with all that their skeletons say, and the skeletons made
// empty: what comes of it is ordinary DWARF 5.
//
// The entries of a unit refer to each other by their distance from its header, so that
// none but the first can move. That one is written anew in the room that it has.

// Attributes and forms that the library has no names for.
const (
	attrGNUDwoName    = dwarf.Attr(0x2130)
	attrGNUDwoID      = dwarf.Attr(0x2131)
	attrGNURangesBase = dwarf.Attr(0x2132)
	attrGNUAddrBase   = dwarf.Attr(0x2133)
	attrFiller        = dwarf.Attr(0x3ffe) // in the range of users

	formGNUAddrIndex = 0x1f01
	formGNUStrIndex  = 0x1f02
)

// Kinds of units of DWARF 5.
const (
	unitCompile      = 1
	unitType         = 2
	unitSkeleton     = 4
	unitSplitCompile = 5
	unitSplitType    = 6
)

var errTooLarge = errors.New("its debug information is too large")

// sections are those of DWARF by their names without ".debug_".
type sections map[string][]byte

// readSections reads the sections of DWARF. What a section says of its size when it is
// unpacked need not be true.
func readSections(e *elf.File) (sections, error) {
	const small, mostPacked, mostBytes = 64 << 20, 64, 4 << 30
	all := sections{}
	total := uint64(0)
	for _, s := range e.Sections {
		name, ok := strings.CutPrefix(strings.Replace(s.Name, ".zdebug_", ".debug_", 1), ".debug_")
		if !ok || s.Type == elf.SHT_NOBITS {
			continue
		}
		switch strings.TrimSuffix(name, ".dwo") {
		case "info", "abbrev", "str", "str_offsets", "line", "line_str", "ranges", "rnglists", "addr", "types", "cu_index", "tu_index":
		default:
			continue
		}
		if total += s.Size; total > mostBytes || s.Size > small && s.Size/mostPacked > s.FileSize {
			return nil, errTooLarge
		}
		data, err := s.Data()
		if err != nil {
			return nil, err
		}
		if all[name] == nil {
			all[name] = data
		} else if name == "types" || name == "types.dwo" || name == "info.dwo" { // each unit of a type may have a section
			all[name] = append(all[name], data...)
		}
	}
	return all, nil
}

// data makes what the library reads of sections.
func (s sections) data() (*dwarf.Data, error) {
	d, err := dwarf.New(s["abbrev"], nil, nil, s["info"], s["line"], nil, s["ranges"], s["str"])
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"addr", "line_str", "str_offsets", "rnglists"} {
		if data := s[name]; data != nil {
			if err := d.AddSection(".debug_"+name, data); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// splitUnit is a unit with what its file has for it.
type splitUnit struct {
	header
	bytes      []byte // from the header on
	file       *splitFile
	abbrev     []byte // from the table's beginning on
	strOffsets []byte
	rnglists   []byte
}

// root reads the first entry: its code, its length, and the attributes that count.
func (u *splitUnit) root(t abbreviations) (code uint64, length int, attrs map[dwarf.Attr]uint64, ok bool) {
	if u.header.root > len(u.bytes) {
		return 0, 0, nil, false
	}
	b := bytesOf{data: u.bytes[u.header.root:]}
	code = b.uleb()
	forms, known := t.forms[code]
	if !known {
		return 0, 0, nil, false
	}
	attrs = map[dwarf.Attr]uint64{}
	for _, f := range forms {
		attrs[f.attr] = b.value(f, u.word)
	}
	return code, len(u.bytes) - u.header.root - len(b.data), attrs, !b.bad
}

// splitFile is a .dwo or .dwp file.
type splitFile struct {
	units    map[uint64]*splitUnit // by their ids
	types    []*splitUnit
	str      []byte
	strAt    int // where str is in the whole, -1 if it is not there yet
	tables   map[*byte]int
	rnglists map[*byte]int
}

// openSplit reads a .dwo or .dwp file, nil if there is none that can be read.
func openSplit(path string) *splitFile {
	e, err := elffile.Open(path)
	if err != nil {
		return nil
	}
	defer e.Close()
	if e.ByteOrder != binary.LittleEndian {
		return nil
	}
	s, err := readSections(e.File)
	if err != nil {
		return nil
	}
	f := &splitFile{units: map[uint64]*splitUnit{}, str: s["str.dwo"], strAt: -1, tables: map[*byte]int{}, rnglists: map[*byte]int{}}
	indexed := false
	for _, name := range []string{"cu_index", "tu_index"} {
		if index := s[name]; index != nil {
			indexed = true
			for _, parts := range readIndexOf(index, s) {
				f.add(parts["info.dwo"], false, parts)
				f.add(parts["types.dwo"], true, parts)
			}
		}
	}
	if !indexed {
		f.add(s["info.dwo"], false, s)
		f.add(s["types.dwo"], true, s)
	}
	return f
}

// add adds the units of a section with the parts of the others that are theirs.
func (f *splitFile) add(data []byte, types bool, parts sections) {
	for _, h := range headers(data, types) {
		if h.abbrev > uint64(len(parts["abbrev.dwo"])) {
			continue
		}
		u := &splitUnit{header: h, bytes: data[h.at : h.at+h.size], file: f, abbrev: parts["abbrev.dwo"][h.abbrev:],
			strOffsets: parts["str_offsets.dwo"], rnglists: parts["rnglists.dwo"]}
		switch {
		case h.kind == unitType, h.kind == unitSplitType:
			f.types = append(f.types, u)
			continue
		case h.version < 5:
			t, ok := readAbbreviations(u.abbrev)
			if !ok {
				continue
			}
			_, _, attrs, ok := u.root(t)
			if !ok {
				continue
			}
			u.id = attrs[attrGNUDwoID]
		}
		if f.units[u.id] == nil {
			f.units[u.id] = u
		}
	}
}

// readIndexOf reads .debug_cu_index or .debug_tu_index of a package: which parts of the
// sections each unit has.
func readIndexOf(index []byte, s sections) []sections {
	b := bytesOf{data: index}
	version := b.u32() // of DWARF 5 in two bytes, with two of padding
	columns, units, slots := uint64(b.u32()), uint64(b.u32()), uint64(b.u32())
	names := map[uint32]string{1: "info.dwo", 3: "abbrev.dwo", 6: "str_offsets.dwo"}
	switch version {
	case 2:
		names[2] = "types.dwo"
	case 5:
		names[8] = "rnglists.dwo"
	default:
		return nil
	}
	b.take(slots * 12) // ids, and the numbers of their rows
	if b.bad || columns == 0 || columns > 16 || units > uint64(len(b.data))/(8*columns) {
		return nil
	}
	ids := make([]uint32, columns)
	for i := range ids {
		ids[i] = b.u32()
	}
	offsets, sizes := bytesOf{data: b.take(4 * columns * units)}, b
	if b.bad {
		return nil
	}
	var list []sections
	for range units {
		parts := sections{}
		for _, id := range ids {
			at, size := uint64(offsets.u32()), uint64(sizes.u32())
			if name, ok := names[id]; ok && at+size <= uint64(len(s[name])) {
				parts[name] = s[name][at : at+size]
			}
		}
		if sizes.bad {
			return list
		}
		list = append(list, parts)
	}
	return list
}
