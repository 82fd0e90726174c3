package debuginfo

import "debug/dwarf"

// A Place is where code was written.
type Place struct {
	Function string // as the linker knows it, if it does
	File     string // with its directory; "" if the line is not known
	Line     int
}

// Places tells where the code at an address was written: in the function that
// was inlined last, then in those that it was inlined into, each at its call; the
// last is the function that the address belongs to. There is none if nothing is
// known of the address.
func (f *File) Places(addr uint64) []Place {
	r := f.data.Reader()
	unit, err := r.SeekPC(addr)
	if err != nil {
		return nil
	}
	functions := f.functionsAt(r, addr)
	if functions == nil {
		return nil
	}
	var files []*dwarf.LineFile
	var file string
	var line int
	if lr, err := f.data.LineReader(unit); err == nil && lr != nil {
		files = lr.Files()
		var e dwarf.LineEntry
		if lr.SeekPC(addr, &e) == nil && e.File != nil {
			file, line = e.File.Name, e.Line
		}
	}
	places := make([]Place, 0, len(functions))
	for i := len(functions) - 1; i >= 0; i-- {
		e := functions[i]
		places = append(places, Place{f.linkName(e), file, line})
		file, line = "", 0
		if n, ok := e.Val(dwarf.AttrCallFile).(int64); ok && n >= 0 && n < int64(len(files)) && files[n] != nil {
			at, _ := e.Val(dwarf.AttrCallLine).(int64)
			file, line = files[n].Name, int(at)
		}
	}
	return places
}

// functionsAt lists the function that has the code at an address, and those
// inlined into it there, each into the one before. The reader stands behind the
// entry of their unit.
func (f *File) functionsAt(r *dwarf.Reader, addr uint64) []*dwarf.Entry {
	var found []*dwarf.Entry
	for {
		e, err := r.Next()
		switch {
		case err != nil || e == nil || e.Tag == dwarf.TagCompileUnit:
			return found
		case e.Tag == 0:
			if found != nil { // nothing else in what encloses the address has it
				return found
			}
			continue
		case found == nil && (e.Tag == dwarf.TagNamespace || e.Tag == dwarf.TagStructType || e.Tag == dwarf.TagClassType):
			continue
		}
		code := e.Tag == dwarf.TagSubprogram || e.Tag == dwarf.TagInlinedSubroutine
		if !code && e.Tag != dwarf.TagLexDwarfBlock || !f.holds(e, addr) {
			r.SkipChildren()
			continue
		}
		if code {
			found = append(found, e)
		}
		if !e.Children {
			return found
		}
	}
}

// holds reports whether an address is in the code of an entry. What the linker left
// out stands at 0.
func (f *File) holds(e *dwarf.Entry, addr uint64) bool {
	ranges, err := f.ranges(e)
	if err != nil {
		return false
	}
	for _, r := range ranges {
		if r[0] != 0 && addr >= r[0] && addr < r[1] {
			return true
		}
	}
	return false
}

// linkName is a function's name for the linker, from which its whole name can be
// had, or the one in its source.
func (f *File) linkName(e *dwarf.Entry) string {
	if name, ok := f.val(e, dwarf.AttrLinkageName).(string); ok {
		return name
	}
	return f.name(e)
}
