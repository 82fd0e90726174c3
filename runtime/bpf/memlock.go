package bpf

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// RaiseMemlock lifts the limit of locked memory, as far as this process may, on
// kernels before 5.11, which count maps and programs against it.
func RaiseMemlock() {
	now, counts := memlock()
	if !counts || unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: math.MaxUint64, Max: math.MaxUint64}) == nil {
		return
	}
	now.Cur = now.Max
	unix.Setrlimit(unix.RLIMIT_MEMLOCK, &now) // what is too little shows when a map is created
}

// memlock is the limit of locked memory; counts is false where the kernel does
// not count maps and programs against it, or there is no limit.
func memlock() (limit unix.Rlimit, counts bool) {
	var u unix.Utsname
	if unix.Uname(&u) != nil || !before511(unix.ByteSliceToString(u.Release[:])) {
		return limit, false
	}
	err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit)
	return limit, err == nil && limit.Cur != math.MaxUint64
}

// MemoryLimit says that too little memory may be locked for maps and programs, where a
// limit counts: the kernel answers EPERM then. remedy is what helps.
func MemoryLimit() (reason, remedy string, counts bool) {
	limit, counts := memlock()
	if !counts {
		return "", "", false
	}
	return fmt.Sprintf("this process may lock too little memory, %d KB, against which kernels before 5.11 count maps and programs", limit.Cur>>10),
		"raise the limit (ulimit -l unlimited), or give fst CAP_SYS_RESOURCE", true
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
