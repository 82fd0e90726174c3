package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"fst/compiler/target"
)

// maxLooked is how many names of files are looked at to find those of a pattern.
const maxLooked = 100_000

// glob finds the files of an absolute pattern, in which only * is special, in the order of their names.
// It fails if it had to look at very many: /*/*/* is all that /proc holds, too.
func glob(pattern string) ([]string, error) {
	found, looked := []string{""}, 0
	for part := range strings.SplitSeq(strings.Trim(filepath.Clean(pattern), "/"), "/") {
		var next []string
		for _, dir := range found {
			if !strings.Contains(part, "*") {
				if _, err := os.Lstat(dir + "/" + part); err == nil {
					next = append(next, dir+"/"+part)
				}
				continue
			}
			// What is no directory has no entries; a FIFO must not be opened to find that out.
			if st, err := os.Stat(dir + "/"); err != nil || !st.IsDir() {
				continue
			}
			entries, _ := os.ReadDir(dir + "/")
			if looked += len(entries); looked > maxLooked {
				return nil, fmt.Errorf("to find the files of %s more than %d names had to be looked at: name their directories", pattern, maxLooked)
			}
			for _, e := range entries {
				if target.Match(part, e.Name()) {
					next = append(next, dir+"/"+e.Name())
				}
			}
		}
		found = next
	}
	return found, nil
}
