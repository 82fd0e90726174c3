package symbol

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Cgroups names control groups. The zero value is ready to be used.
type Cgroups struct {
	mu    sync.Mutex
	paths map[uint64]string // by id
	read  time.Time         // when they were
}

// CgroupPath returns where a control group lies: "unified:/path" for the
// second version, "name:/path" for hierarchies of the first, separated by
// commas if several have the id. It is "" if there is none.
func (c *Cgroups) CgroupPath(id uint64) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	path, ok := c.paths[id]
	if !ok && time.Since(c.read) > freshFor {
		// Groups that are gone keep the name they had.
		found := readCgroups()
		if c.paths == nil {
			c.paths = found
		}
		maps.Copy(c.paths, found)
		c.read = time.Now()
		path = c.paths[id]
	}
	return path
}

// hierarchy is a mounted tree of control groups.
type hierarchy struct{ name, mount string }

// readCgroups lists all control groups: a group's id is its inode.
func readCgroups() map[uint64]string {
	text, _ := os.ReadFile("/proc/self/mountinfo")
	groups := map[uint64]string{}
	for _, h := range parseHierarchies(string(text)) {
		filepath.WalkDir(h.mount, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return nil
			}
			var st syscall.Stat_t
			if syscall.Stat(path, &st) != nil {
				return nil
			}
			at := h.name + ":/" + strings.TrimPrefix(strings.TrimPrefix(path, h.mount), "/")
			if before := groups[st.Ino]; before != "" {
				at = before + "," + at
			}
			groups[st.Ino] = at
			return nil
		})
	}
	return groups
}

// CgroupMount is where the cgroups are by which containers are known: first if that is mounted as a hierarchy of the
// first version, else the second version's.
func CgroupMount(first string) (string, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	list := parseHierarchies(string(text))
	if slices.ContainsFunc(list, func(h hierarchy) bool { return h.mount == first && h.name != unified }) {
		return first, nil
	}
	if len(list) > 0 && list[0].name == unified {
		return list[0].mount, nil
	}
	return "", errors.New("no cgroup hierarchy is mounted")
}

// unified is how the second version is called.
const unified = "unified"

// parseHierarchies finds the mounts of control groups in a mountinfo file:
// each once, the second version's first.
func parseHierarchies(mountinfo string) []hierarchy {
	var list []hierarchy
	for line := range strings.Lines(mountinfo) {
		mount, kind, ok := strings.Cut(line, " - ")
		left, right := strings.Fields(mount), strings.Fields(kind)
		if !ok || len(left) < 5 || len(right) < 3 {
			continue
		}
		h := hierarchy{mount: left[4]}
		switch right[0] {
		case "cgroup2":
			h.name = unified
		case "cgroup":
			h.name = controllers(right[2])
		default:
			continue
		}
		if !slices.ContainsFunc(list, func(g hierarchy) bool { return g.name == h.name }) {
			list = append(list, h)
		}
	}
	slices.SortStableFunc(list, func(a, b hierarchy) int {
		switch {
		case a.name == b.name:
			return 0
		case a.name == unified:
			return -1
		case b.name == unified:
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	return list
}

// controllers are the options of a mount that are not the file system's.
func controllers(options string) string {
	var names []string
	for _, o := range strings.Split(options, ",") {
		switch {
		case o == "rw" || o == "ro" || o == "xattr" || strings.HasPrefix(o, "release_agent="):
		default:
			names = append(names, strings.TrimPrefix(o, "name="))
		}
	}
	return strings.Join(names, ",")
}
