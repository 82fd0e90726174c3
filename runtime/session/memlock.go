package session

import (
	"math"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// raiseMemlock lifts the limit of locked memory on kernels before 5.11, which
// count maps and programs against it. A failure shows when a map is created.
func raiseMemlock() {
	var u unix.Utsname
	if unix.Uname(&u) != nil || !before511(unix.ByteSliceToString(u.Release[:])) {
		return
	}
	unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: math.MaxUint64, Max: math.MaxUint64})
}

func before511(release string) bool {
	major, rest, _ := strings.Cut(release, ".")
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	a, _ := strconv.Atoi(major)
	b, _ := strconv.Atoi(rest[:end])
	return a < 5 || a == 5 && b < 11
}
