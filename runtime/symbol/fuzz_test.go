package symbol

import (
	"os"
	"strings"
	"testing"
)

// FuzzProc reads damaged files of /proc: names in them are those of programs, mounts and users.
func FuzzProc(f *testing.F) {
	for _, name := range []string{"/proc/self/maps", "/proc/self/mountinfo", "/etc/passwd"} {
		if text, err := os.ReadFile(name); err == nil {
			f.Add(string(text))
		}
	}
	f.Add("7f0-6f0 r-xp 0 00:00 0 /a\\012b\nffffffffffffffffff-0 r-xp 0 0 0 [vdso]\n1 2 0:3 / /sys\\040x - cgroup2 c rw\na:b:4294967296\n")
	f.Fuzz(func(t *testing.T, text string) {
		mappings, _ := parseMappings(strings.NewReader(text))
		if lines := strings.Count(text, "\n") + 1; len(mappings) > lines || len(parseHierarchies(text)) > lines || len(parsePasswd(text)) > lines {
			t.Errorf("%d lines are more", lines)
		}
	})
}
