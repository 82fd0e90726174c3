package target

import "strings"

// ShownPath is how a binary is called in the name of a probe: by the path that
// the script writes, if it writes one. path is what that was resolved to.
func ShownPath(written, path string) string {
	const processes = "/proc/"
	if !strings.Contains(written, "/") || strings.HasPrefix(path, processes) && !strings.HasPrefix(written, processes) {
		return path
	}
	star := strings.IndexByte(written, '*')
	if star < 0 {
		return written
	}
	// A pattern matches as many names as it has: those behind its own directory.
	dir := written[:strings.LastIndexByte(written[:star], '/')+1]
	names := strings.Split(path, "/")
	return dir + strings.Join(names[max(0, len(names)-strings.Count(written[len(dir):], "/")-1):], "/")
}

// ProcessError says why a process can't be traced.
type ProcessError string

func (e ProcessError) Error() string { return string(e) }
