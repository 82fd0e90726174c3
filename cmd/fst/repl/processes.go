package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// The ends of a text behind which the name of a process, or its number, comes next.
var (
	commEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(\bp?comm\s*[=!]=|\bstrn?(cmp|contains)\(p?comm,)\s*$`)
	})
	pidEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[^.\w>])(?:p?pid|tgid)\s*[=!]=\s*(\d*)$`) })
)

// process is one that runs.
type process struct {
	pid  int
	comm string
}

// processes are those that run now. Some may end meanwhile.
func processes() (list []process) {
	names, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, name := range names {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		comm, readErr := os.ReadFile(name)
		if err == nil && readErr == nil {
			list = append(list, process{pid, strings.TrimSuffix(string(comm), "\n")})
		}
	}
	return list
}

// commNames are the names of processes, as they stand in a string, with its end.
func commNames() (list []Candidate) {
	who := map[string][]int{}
	for _, p := range processes() {
		who[p.comm] = append(who[p.comm], p.pid)
	}
	for name, pids := range who {
		help := fmt.Sprintf("process %d", pids[0])
		if len(pids) > 1 {
			help = fmt.Sprintf("%d processes", len(pids))
		}
		list = append(list, Candidate{strconv.Quote(name)[1:], help})
	}
	return list
}

// pids are the numbers of processes.
func pids() (list []Candidate) {
	for _, p := range processes() {
		list = append(list, Candidate{strconv.Itoa(p.pid), strings.Trim(strconv.Quote(p.comm), `"`)})
	}
	return list
}
