package debuginfo

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"path/filepath"
	"slices"
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

// bytesOf takes numbers off the front of data. After the end it yields zeros, and bad
// is set.
type bytesOf struct {
	data []byte
	bad  bool
}

func (b *bytesOf) take(n uint64) []byte {
	if n > uint64(len(b.data)) {
		b.bad, b.data = true, nil
		return make([]byte, min(n, 8))
	}
	t := b.data[:n]
	b.data = b.data[n:]
	return t
}

func (b *bytesOf) u8() byte    { return b.take(1)[0] }
func (b *bytesOf) u16() uint16 { return binary.LittleEndian.Uint16(b.take(2)) }
func (b *bytesOf) u32() uint32 { return binary.LittleEndian.Uint32(b.take(4)) }
func (b *bytesOf) u64() uint64 { return binary.LittleEndian.Uint64(b.take(8)) }

func (b *bytesOf) uleb() uint64 {
	n, size := binary.Uvarint(b.data)
	if size <= 0 {
		b.bad, b.data = true, nil
		return 0
	}
	b.data = b.data[size:]
	return n
}

// header is that of a unit.
type header struct {
	at, size   int // of the unit with its header
	version    int
	kind       byte
	word       byte   // size of an address
	abbrev     uint64 // where its abbreviations are
	id         uint64 // of a split unit, or the signature of a type
	typeOffset uint32
	root       int // where its first entry is, from the header on
}

// headers lists the units of a section of 32-bit DWARF; types says that it is
// .debug_types. What is damaged ends the list.
func headers(data []byte, types bool) []header {
	var list []header
	for at := 0; at < len(data); {
		b := bytesOf{data: data[at:]}
		size := uint64(b.u32())
		if size >= 0xfffffff0 || size > uint64(len(b.data)) {
			break
		}
		b.data = b.data[:size]
		h := header{at: at, size: int(size) + 4, version: int(b.u16()), kind: unitCompile}
		if h.version >= 5 {
			h.kind, h.word = b.u8(), b.u8()
			h.abbrev = uint64(b.u32())
		} else {
			h.abbrev = uint64(b.u32())
			h.word = b.u8()
			if types {
				h.kind = unitType
			}
		}
		switch {
		case h.kind == unitSkeleton, h.kind == unitSplitCompile:
			h.id = b.u64()
		case h.kind == unitType, h.kind == unitSplitType:
			h.id, h.typeOffset = b.u64(), b.u32()
		}
		h.root = h.size - len(b.data)
		if !b.bad && h.version >= 2 && h.version <= 5 {
			list = append(list, h)
		}
		at += h.size
	}
	return list
}

// abbreviations is a table: the forms of entries by their code.
type abbreviations struct {
	text  []byte // without its end
	forms map[uint64][]form
}

type form struct {
	attr  dwarf.Attr
	form  uint64
	value int64 // of DW_FORM_implicit_const
}

// readAbbreviations reads the table at the front of data. The forms that GNU had before
// DWARF 5 are replaced by those of DWARF 5 that mean the same.
func readAbbreviations(data []byte) (abbreviations, bool) {
	b := bytesOf{data: data}
	t := abbreviations{forms: map[uint64][]form{}}
	for {
		before := len(b.data)
		code := b.uleb()
		if b.bad {
			return t, false
		}
		if code == 0 {
			t.text = append([]byte(nil), data[:len(data)-before]...)
			break
		}
		b.uleb()
		b.u8()
		list := []form{}
		for {
			attr, f := b.uleb(), b.uleb()
			if b.bad {
				return t, false
			}
			if attr == 0 && f == 0 {
				break
			}
			one := form{attr: dwarf.Attr(attr), form: f}
			if f == formImplicitConst {
				one.value = b.sleb()
			}
			list = append(list, one)
		}
		t.forms[code] = list
	}
	// Once more, to replace.
	b = bytesOf{data: t.text}
	for len(b.data) > 0 {
		b.uleb()
		b.uleb()
		b.u8()
		for {
			attr := b.uleb()
			at := len(t.text) - len(b.data)
			f := b.uleb()
			if attr == 0 && f == 0 || b.bad {
				break
			}
			switch f {
			case formImplicitConst:
				b.sleb()
			case formGNUAddrIndex:
				copy(t.text[at:], []byte{formAddrx | 0x80, 0}) // a number of two bytes, as before
			case formGNUStrIndex:
				copy(t.text[at:], []byte{formStrx | 0x80, 0})
			}
		}
	}
	return t, true
}

func (b *bytesOf) sleb() int64 {
	var n int64
	for shift := 0; shift < 70; {
		c := b.u8()
		n |= int64(c&0x7f) << shift
		shift += 7
		if c&0x80 == 0 {
			if c&0x40 != 0 && shift < 64 {
				n |= -1 << shift
			}
			return n
		}
		if b.bad {
			return 0
		}
	}
	b.bad = true
	return 0
}

// Forms of attributes.
const (
	formAddr, formBlock2, formBlock4, formData2, formData4, formData8, formString = 0x01, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08
	formBlock, formBlock1, formData1, formFlag, formSdata, formStrp, formUdata    = 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f
	formRefAddr, formRef1, formRef2, formRef4, formRef8, formRefUdata             = 0x10, 0x11, 0x12, 0x13, 0x14, 0x15
	formSecOffset, formExprloc, formFlagPresent, formStrx, formAddrx              = 0x17, 0x18, 0x19, 0x1a, 0x1b
	formRefSup4, formStrpSup, formData16, formLineStrp, formRefSig8               = 0x1c, 0x1d, 0x1e, 0x1f, 0x20
	formImplicitConst, formLoclistx, formRnglistx, formRefSup8                    = 0x21, 0x22, 0x23, 0x24
	formStrx1, formStrx2, formStrx3, formStrx4                                    = 0x25, 0x26, 0x27, 0x28
	formAddrx1, formAddrx2, formAddrx3, formAddrx4                                = 0x29, 0x2a, 0x2b, 0x2c
)

// value takes an attribute's value, as a number where it is a constant.
func (b *bytesOf) value(f form, word byte) uint64 {
	switch f.form {
	case formAddr:
		b.take(uint64(word))
	case formBlock1:
		b.take(uint64(b.u8()))
	case formBlock2:
		b.take(uint64(b.u16()))
	case formBlock4:
		b.take(uint64(b.u32()))
	case formBlock, formExprloc:
		b.take(b.uleb())
	case formData1, formFlag, formRef1, formStrx1, formAddrx1:
		return uint64(b.u8())
	case formData2, formRef2, formStrx2, formAddrx2:
		return uint64(b.u16())
	case formStrx3, formAddrx3:
		b.take(3)
	case formData4, formRef4, formStrp, formRefAddr, formSecOffset, formRefSup4, formStrpSup, formLineStrp, formStrx4, formAddrx4:
		return uint64(b.u32())
	case formData8, formRef8, formRefSig8, formRefSup8:
		return b.u64()
	case formData16:
		b.take(16)
	case formString:
		i := strings.IndexByte(string(b.data[:min(len(b.data), 1<<16)]), 0)
		if i < 0 {
			b.bad = true
			return 0
		}
		b.take(uint64(i) + 1)
	case formUdata, formRefUdata, formStrx, formAddrx, formLoclistx, formRnglistx, formGNUAddrIndex, formGNUStrIndex:
		return b.uleb()
	case formSdata:
		return uint64(b.sleb())
	case formFlagPresent:
	case formImplicitConst:
		return uint64(f.value)
	default:
		b.bad = true
	}
	return 0
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

// joiner puts the units of other files into the sections of a program.
type joiner struct {
	sections
	data       *dwarf.Data // of the program alone, in the end of all
	signatures map[uint64]dwarf.Offset
	rebased    []rebased
	tables     map[sharedTable]int
}

// sharedTable is a table of abbreviations with one more of a unit's first entry, which
// the units of types of a file have in common.
type sharedTable struct {
	first *byte
	root  string
}

// Most bytes of what is put together: places in it are numbers of 32 bits.
const (
	mostAbbreviations = 256 << 20
	mostInfo          = 2 << 30
)

// rebased is a unit of DWARF 4 whose ranges are told from a place in .debug_ranges on.
type rebased struct {
	from, to, root dwarf.Offset
	base           int64
}

// join returns the debug information of a program with its separate units. paths are the
// program and the file that has its sections.
func join(s sections, paths []string, places elffile.Places, machine binary.ByteOrder) (*joiner, error) {
	d, err := s.data()
	if err != nil {
		return nil, err
	}
	j := &joiner{sections: s, data: d, signatures: map[uint64]dwarf.Offset{}}
	if machine != binary.LittleEndian {
		return j, nil
	}
	own := headers(s["info"], false)
	changed := false
	for _, h := range own {
		if h.kind == unitType {
			j.signatures[h.id] = dwarf.Offset(h.at) + dwarf.Offset(h.typeOffset)
		}
	}
	if types := s["types"]; types != nil {
		for _, h := range headers(types, true) {
			if h.abbrev <= uint64(len(s["abbrev"])) {
				u := &splitUnit{header: h, bytes: types[h.at : h.at+h.size], abbrev: s["abbrev"][h.abbrev:]}
				changed = j.add(u, nil) || changed
			}
		}
	}
	if s["addr"] != nil { // without, no separate unit has an address
		changed = j.addSplit(own, paths, places) || changed
	}
	if changed {
		if d, err = j.sections.data(); err == nil {
			j.data = d
		}
	}
	return j, err
}

// addSplit adds the units whose skeletons the program has.
func (j *joiner) addSplit(own []header, paths []string, places elffile.Places) (changed bool) {
	files := map[string]*splitFile{}
	find := func(dir, name string, id uint64) *splitUnit {
		full := name
		if !filepath.IsAbs(name) {
			full = filepath.Join(dir, name)
		}
		at := []string{}
		for _, path := range paths {
			at = append(at, path+".dwp")
		}
		for _, path := range paths {
			at = append(at, filepath.Join(filepath.Dir(path), name), filepath.Join(filepath.Dir(path), filepath.Base(name)))
		}
		for _, at := range append(at, places.Root+full) {
			f, known := files[at]
			if !known {
				f = openSplit(at)
				files[at] = f
			}
			if f != nil && f.units[id] != nil {
				return f.units[id]
			}
		}
		return nil
	}
	info := append([]byte(nil), j.sections["info"]...)
	done := map[*splitFile]bool{}
	for _, h := range own {
		r := j.data.Reader()
		r.Seek(dwarf.Offset(h.at + h.root))
		e, err := r.Next()
		if err != nil || e == nil {
			continue
		}
		name, _ := e.Val(dwarf.AttrDwoName).(string)
		id := h.id
		if h.version < 5 {
			name, _ = e.Val(attrGNUDwoName).(string)
			n, _ := e.Val(attrGNUDwoID).(int64)
			id = uint64(n)
		}
		if name == "" {
			continue
		}
		dir, _ := e.Val(dwarf.AttrCompDir).(string)
		u := find(dir, name, id)
		if u == nil || !j.add(u, e) {
			continue
		}
		delete(u.file.units, id) // a second time it would be the same code
		changed = true
		if !done[u.file] {
			done[u.file] = true
			for _, t := range u.file.types {
				if j.signatures[t.id] == 0 {
					j.add(t, nil)
				}
			}
		}
		j.empty(info, h)
	}
	if changed {
		j.sections["info"] = append(info, j.sections["info"][len(info):]...)
	}
	return changed
}

// empty makes an entry without children and attributes of a skeleton.
func (j *joiner) empty(info []byte, h header) {
	unit := info[h.at : h.at+h.size]
	b := bytesOf{data: unit[h.root:]}
	code := b.uleb()
	if b.bad || len(b.data) < 2 || len(b.data) > 1<<16 {
		return
	}
	at := 8 // of the offset of its abbreviations
	if h.version < 5 {
		at = 6
	}
	binary.LittleEndian.PutUint32(unit[at:], uint32(len(j.sections["abbrev"])))
	binary.LittleEndian.PutUint16(b.data, uint16(len(b.data)-2))
	table := binary.AppendUvarint(nil, code)
	table = append(table, byte(dwarf.TagPartialUnit), 0)
	table = binary.AppendUvarint(table, uint64(attrFiller))
	table = append(table, formBlock2, 0, 0, 0)
	j.sections["abbrev"] = append(j.sections["abbrev"], table...)
}

// add appends a unit; skeleton is nil for units of types. It is false if the unit is
// damaged.
func (j *joiner) add(u *splitUnit, skeleton *dwarf.Entry) bool {
	table, ok := readAbbreviations(u.abbrev)
	if !ok || u.word != 8 || len(u.abbrev) == 0 {
		return false
	}
	code, length, attrs, ok := u.root(table)
	if !ok {
		return false
	}
	const headerSize = 12
	room := u.header.root + length - headerSize
	root := binary.AppendUvarint(nil, code)

	decl := binary.AppendUvarint(nil, code)
	tag := dwarf.TagPartialUnit
	if skeleton != nil {
		tag = dwarf.TagCompileUnit
	}
	decl = append(decl, byte(tag), 1)
	declare := func(attr dwarf.Attr, form byte) {
		decl = append(binary.AppendUvarint(decl, uint64(attr)), form)
	}
	constant := func(attr dwarf.Attr, n int64) {
		declare(attr, formImplicitConst)
		decl = appendSleb(decl, n)
	}
	if u.file != nil {
		constant(dwarf.AttrStrOffsetsBase, int64(j.strings(u)))
	}
	if n, ok := attrs[dwarf.AttrLanguage]; ok {
		constant(dwarf.AttrLanguage, int64(n))
	}
	start := dwarf.Offset(len(j.sections["info"]))
	if skeleton != nil {
		if u.rnglists != nil {
			constant(dwarf.AttrRnglistsBase, int64(j.ranges(u)))
		}
		base, _ := skeleton.Val(dwarf.AttrAddrBase).(int64)
		if u.version < 5 {
			base, _ = skeleton.Val(attrGNUAddrBase).(int64)
			from, _ := skeleton.Val(attrGNURangesBase).(int64)
			j.rebased = append(j.rebased, rebased{start, start + dwarf.Offset(len(u.bytes)), start + headerSize, from})
		}
		constant(dwarf.AttrAddrBase, base)
		if lines, ok := skeleton.Val(dwarf.AttrStmtList).(int64); ok {
			constant(dwarf.AttrStmtList, lines)
		}
		ranges, err := j.data.Ranges(skeleton)
		if err != nil {
			return false
		}
		low, hasLow := skeleton.Val(dwarf.AttrLowpc).(uint64)
		if len(ranges) == 1 {
			low, hasLow = ranges[0][0], true
			constant(dwarf.AttrHighpc, int64(ranges[0][1]-low))
		} else if len(ranges) > 1 {
			declare(dwarf.AttrRanges, formSecOffset)
			root = binary.LittleEndian.AppendUint32(root, uint32(len(j.sections["rnglists"])))
			j.appendRanges(ranges)
		}
		if hasLow {
			declare(dwarf.AttrLowpc, formAddrx3)
			root = append24(root, j.address(base, low))
		}
		if dir, ok := skeleton.Val(dwarf.AttrCompDir).(string); ok && len(root)+3 <= room {
			declare(dwarf.AttrCompDir, formStrx3)
			root = append24(root, j.text(j.strings(u), dir))
		}
	}
	switch fill := room - len(root); {
	case fill < 0 || fill > 1<<16:
		return false
	case fill == 1:
		declare(attrFiller, formData1)
		root = append(root, 0)
	case fill > 1:
		declare(attrFiller, formBlock2)
		root = binary.LittleEndian.AppendUint16(root, uint16(fill-2))
		root = append(root, make([]byte, fill-2)...)
	}
	decl = append(decl, 0, 0, 0)

	rest := u.bytes[u.header.root+length:]
	shared := sharedTable{&u.abbrev[0], string(decl)}
	at, known := j.tables[shared]
	if !known {
		at = len(j.sections["abbrev"])
	}
	if at+len(table.text) > mostAbbreviations || len(j.sections["info"])+len(u.bytes) > mostInfo {
		return false
	}
	info := binary.LittleEndian.AppendUint32(j.sections["info"], uint32(headerSize-4+len(root)+len(rest)))
	info = append(info, 5, 0, unitCompile, u.word)
	info = binary.LittleEndian.AppendUint32(info, uint32(at))
	j.sections["info"] = append(append(info, root...), rest...)
	if !known {
		j.sections["abbrev"] = append(append(j.sections["abbrev"], table.text...), decl...)
		if j.tables == nil {
			j.tables = map[sharedTable]int{}
		}
		j.tables[shared] = at
	}
	if skeleton == nil {
		j.signatures[u.id] = start + dwarf.Offset(u.typeOffset)
	}
	return true
}

// strings is where the texts of a unit are told: their offsets are those within the
// texts of its file, and must become those within all.
func (j *joiner) strings(u *splitUnit) int {
	f := u.file
	if f.strAt < 0 {
		f.strAt = len(j.sections["str"])
		j.sections["str"] = append(j.sections["str"], f.str...)
	}
	table := u.strOffsets
	if u.version >= 5 {
		table = table[min(8, len(table)):] // its header
	}
	if len(table) == 0 {
		return len(j.sections["str_offsets"])
	}
	first := &table[0]
	at, ok := f.tables[first]
	if !ok {
		all := j.sections["str_offsets"]
		at = len(all)
		for ; len(table) >= 4; table = table[4:] {
			all = binary.LittleEndian.AppendUint32(all, binary.LittleEndian.Uint32(table)+uint32(f.strAt))
		}
		f.tables[first] = at
		j.sections["str_offsets"] = all
	}
	return at
}

// text adds a text, and returns its number from a base on.
func (j *joiner) text(base int, text string) int {
	all := j.sections["str_offsets"]
	number := (len(all) - base) / 4
	j.sections["str_offsets"] = binary.LittleEndian.AppendUint32(all, uint32(len(j.sections["str"])))
	j.sections["str"] = append(append(j.sections["str"], text...), 0)
	return number
}

// ranges is where the offsets of the lists of ranges of a unit are.
func (j *joiner) ranges(u *splitUnit) int {
	const listHeader = 12
	if len(u.rnglists) == 0 {
		return 0
	}
	at, ok := u.file.rnglists[&u.rnglists[0]]
	if !ok {
		at = len(j.sections["rnglists"])
		j.sections["rnglists"] = append(j.sections["rnglists"], u.rnglists...)
		u.file.rnglists[&u.rnglists[0]] = at
	}
	return at + listHeader
}

// appendRanges adds a list of ranges.
func (j *joiner) appendRanges(list [][2]uint64) {
	const end, startEnd = 0, 6 // DW_RLE_...
	all := j.sections["rnglists"]
	for _, r := range list {
		all = append(all, startEnd)
		all = binary.LittleEndian.AppendUint64(all, r[0])
		all = binary.LittleEndian.AppendUint64(all, r[1])
	}
	j.sections["rnglists"] = append(all, end)
}

// address adds an address, and returns its number from a base on.
func (j *joiner) address(base int64, addr uint64) int {
	all := j.sections["addr"]
	for (int64(len(all))-base)%8 != 0 {
		all = append(all, 0)
	}
	j.sections["addr"] = binary.LittleEndian.AppendUint64(all, addr)
	return int(int64(len(all))-base) / 8
}

func append24(b []byte, n int) []byte { return append(b, byte(n), byte(n>>8), byte(n>>16)) }

func appendSleb(b []byte, n int64) []byte {
	for {
		c := byte(n & 0x7f)
		n >>= 7
		if n == 0 && c&0x40 == 0 || n == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// oldRanges reads a list of ranges of DWARF 4, which the library takes for one of DWARF 5.
func (f *File) oldRanges(e *dwarf.Entry, at int64) ([][2]uint64, error) {
	if at < 0 || at > int64(len(f.oldLists)) {
		return nil, errors.New("a list of ranges is out of its section")
	}
	var base uint64
	r := f.data.Reader()
	if i := slices.IndexFunc(f.rebased, func(u rebased) bool { return e.Offset >= u.from && e.Offset < u.to }); i >= 0 {
		r.Seek(f.rebased[i].root)
		if unit, err := r.Next(); err == nil && unit != nil {
			base, _ = unit.Val(dwarf.AttrLowpc).(uint64)
		}
	}
	var list [][2]uint64
	for b := (bytesOf{data: f.oldLists[at:]}); ; {
		low, high := b.u64(), b.u64()
		switch {
		case b.bad || low == 0 && high == 0:
			return list, nil
		case low == ^uint64(0):
			base = high
		default:
			list = append(list, [2]uint64{base + low, base + high})
		}
	}
}
