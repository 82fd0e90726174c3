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
	r := f.tree.data.Reader()
	unit, err := r.SeekPC(addr)
	if err != nil {
		return nil
	}
	functions := f.tree.functionsAt(r, addr)
	if functions == nil {
		return nil
	}
	var files []*dwarf.LineFile
	var file string
	var line int
	if lr, err := f.tree.data.LineReader(unit); err == nil && lr != nil {
		files = lr.Files()
		var e dwarf.LineEntry
		if lr.SeekPC(addr, &e) == nil && e.File != nil {
			file, line = e.File.Name, e.Line
		}
	}
	places := make([]Place, 0, len(functions))
	for i := len(functions) - 1; i >= 0; i-- {
		e := functions[i]
		places = append(places, Place{f.tree.linkName(e), file, line})
		file, line = "", 0
		if n, ok := e.Val(dwarf.AttrCallFile).(int64); ok && n >= 0 && n < int64(len(files)) && files[n] != nil {
			at, _ := e.Val(dwarf.AttrCallLine).(int64)
			file, line = files[n].Name, int(at)
		}
	}
	return places
}
