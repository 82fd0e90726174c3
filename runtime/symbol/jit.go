package symbol

import (
	"bufio"
	"cmp"
	"io"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxJITBytes is how much of a runtime's symbol file is read.
const maxJITBytes = 64 << 20

// jitMap holds the functions that a runtime (Java, Node, Python …) compiled
// and listed in /tmp/perf-PID.map.
type jitMap struct {
	functions []function
	size      int64
	modified  time.Time
}

// reload reads the file if it is there and has changed. Anybody can make one of that name:
// it must be owned by root or the process's user, who is unknown (-1) if the process had ended
// before it was first looked at.
func (j *jitMap) reload(path string, user int) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() == j.size && st.ModTime().Equal(j.modified) {
		return
	}
	if owner := int(st.Sys().(*syscall.Stat_t).Uid); user >= 0 && owner != user && owner != 0 {
		return
	}
	j.size, j.modified = st.Size(), st.ModTime()
	j.functions = parseJIT(io.LimitReader(f, maxJITBytes))
}

// parseJIT reads lines "START SIZE name", numbers in hex. Of two functions at
// one place the later is the one that lives there now.
func parseJIT(r io.Reader) []function {
	var list []function
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), 1<<20)
	for in.Scan() {
		start, rest, _ := strings.Cut(in.Text(), " ")
		size, name, ok := strings.Cut(rest, " ")
		if !ok {
			continue
		}
		addr, err := strconv.ParseUint(strings.TrimPrefix(start, "0x"), 16, 64)
		n, err2 := strconv.ParseUint(strings.TrimPrefix(size, "0x"), 16, 64)
		if err == nil && err2 == nil {
			list = append(list, function{addr, n, name})
		}
	}
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b function) int { return cmp.Compare(a.addr, b.addr) })
	return slices.CompactFunc(list, func(a, b function) bool { return a.addr == b.addr })
}

func (j *jitMap) lookup(addr uint64) (name string, offset uint64, ok bool) {
	f := j.functions
	i := sort.Search(len(f), func(i int) bool { return f[i].addr > addr }) - 1
	if i < 0 || addr-f[i].addr >= f[i].size {
		return "", 0, false
	}
	return f[i].name, addr - f[i].addr, true
}
