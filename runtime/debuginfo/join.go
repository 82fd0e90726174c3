package debuginfo

import (
	"debug/dwarf"
	"encoding/binary"
	"path/filepath"

	"fst/runtime/elffile"
)

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
