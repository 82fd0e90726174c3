package debuginfo

import (
	"debug/dwarf"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Line returns the addresses of the first instructions of a source line: one for
// each function that has code of it and each copy that was inlined, in order. file
// is a path or the end of one; column 0 stands for the first statement of the line.
func (f *File) Line(file string, line, column int) ([]uint64, error) {
	r := f.tree.data.Reader()
	files := map[string]bool{}
	first := map[dwarf.Offset]uint64{} // by the function or the inlined copy
	for {
		unit, err := r.Next()
		if err != nil || unit == nil {
			break
		}
		r.SkipChildren()
		if unit.Tag != dwarf.TagCompileUnit && unit.Tag != dwarf.TagSkeletonUnit {
			continue
		}
		lr, err := f.tree.data.LineReader(unit)
		if err != nil || lr == nil {
			continue
		}
		wanted := map[*dwarf.LineFile]bool{}
		for _, lf := range lr.Files() {
			if lf != nil && isFile(lf.Name, file) {
				wanted[lf], files[path.Clean(lf.Name)] = true, true
			}
		}
		if len(wanted) == 0 {
			continue
		}
		var e dwarf.LineEntry
		begins, dropped := true, false
		for lr.Next(&e) == nil {
			if begins { // the linker puts code that it leaves out at 0
				dropped = e.Address == 0
			}
			begins = e.EndSequence
			if !e.EndSequence && !dropped && e.IsStmt && e.Line == line && wanted[e.File] && (column == 0 || e.Column == column) {
				in := f.tree.innermost(unit, e.Address)
				if at, ok := first[in]; !ok || e.Address < at {
					first[in] = e.Address
				}
			}
		}
	}
	switch {
	case len(files) > 1:
		return nil, fmt.Errorf("%s may be %s", file, strings.Join(slices.Sorted(maps.Keys(files)), " or "))
	case len(first) > 0:
		return slices.Compact(slices.Sorted(maps.Values(first))), nil
	case len(files) == 0:
		return nil, fmt.Errorf("no source file is called %s", file)
	case column != 0:
		return nil, fmt.Errorf("no statement begins at line %d, column %d of %s", line, column, file)
	}
	return nil, fmt.Errorf("line %d of %s has no code of its own", line, file)
}

// isFile reports whether a name, which may be the end of a path, is a file.
func isFile(full, name string) bool {
	full, name = path.Clean(full), path.Clean(name)
	return full == name || strings.HasSuffix(full, "/"+strings.TrimPrefix(name, "/")) && !path.IsAbs(name)
}
