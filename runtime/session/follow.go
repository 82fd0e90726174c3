package session

import (
	"bytes"
	"os"
	"strconv"
)

// follow sets the bytes of a process and of all that descend from it (object.FollowMapName). The programs that do so for new
// ones are attached: who is made meanwhile by a process that has its byte gets one from them, all others are in /proc by then. It
// looks until nothing changes.
func follow(followed []byte, pid int) error {
	followed[pid] = 1
	for changed := true; changed; {
		changed = false
		children, err := childrenOf()
		if err != nil {
			return err
		}
		var mark func(pid int)
		mark = func(pid int) {
			for _, child := range children[pid] {
				changed = changed || followed[child] == 0
				followed[child] = 1
				mark(child)
			}
		}
		mark(pid)
	}
	return nil
}

// childrenOf lists the children of each process.
func childrenOf() (map[int][]int, error) {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	children := map[int][]int{}
	for _, e := range names {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		// 12 (a name) S 1 ...: the name may have parentheses.
		words := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(words) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(string(words[1])); err == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	return children, nil
}
