package debuginfo

import (
	"debug/dwarf"
	"fmt"
	"path"
	"strings"
)

// Line returns the address of the first instruction of a source line. file is
// a path or the end of one; column 0 stands for the first statement of the
// line.
func (f *File) Line(file string, line, column int) (uint64, error) {
	r := f.data.Reader()
	found, known := false, false
	var addr uint64
	for {
		unit, err := r.Next()
		if err != nil || unit == nil {
			break
		}
		if unit.Tag != dwarf.TagCompileUnit {
			r.SkipChildren()
			continue
		}
		r.SkipChildren()
		lr, err := f.data.LineReader(unit)
		if err != nil || lr == nil {
			continue
		}
		wanted := map[*dwarf.LineFile]bool{}
		for _, lf := range lr.Files() {
			if lf != nil && isFile(lf.Name, file) {
				wanted[lf], known = true, true
			}
		}
		if len(wanted) == 0 {
			continue
		}
		var e dwarf.LineEntry
		for lr.Next(&e) == nil {
			if !e.EndSequence && e.IsStmt && e.Line == line && wanted[e.File] && (column == 0 || e.Column == column) && (!found || e.Address < addr) {
				addr, found = e.Address, true
			}
		}
	}
	switch {
	case found:
		return addr, nil
	case !known:
		return 0, fmt.Errorf("no source file is called %s", file)
	case column != 0:
		return 0, fmt.Errorf("no statement begins at line %d, column %d of %s", line, column, file)
	}
	return 0, fmt.Errorf("line %d of %s has no code of its own", line, file)
}

// isFile reports whether a name, which may be the end of a path, is a file.
func isFile(full, name string) bool {
	full, name = path.Clean(full), path.Clean(name)
	return full == name || strings.HasSuffix(full, "/"+strings.TrimPrefix(name, "/")) && !path.IsAbs(name)
}
