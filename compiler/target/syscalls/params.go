package syscalls

import (
	_ "embed"
	"strings"
	"sync"
)

// The parameters of the system calls: "openat int dfd, const char * filename, ...", one call a
// line, by the names of their trace events. A test makes it from the recorded kernels.
//
//go:embed params.txt
var params string

var parameters = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(params) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), " ")
		m[name] = nil
		if list != "" {
			m[name] = strings.Split(list, ", ")
		}
	}
	return m
})

// Params returns the parameters of a system call as C declares them, by the name of its trace
// event ("newstat" for stat): what the newest kernel that is known has. They are for kernels that do not
// tell them, or not to this user.
func Params(event string) (declarations []string, ok bool) {
	declarations, ok = parameters()[event]
	return declarations, ok
}
