package target

import "testing"

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"vfs_read", "vfs_read", true},
		{"vfs_read", "vfs_readv", false},
		{"vfs_*", "vfs_read", true},
		{"*", "", true},
		{"*read", "vfs_read", true},
		{"*read", "vfs_readv", false},
		{"v*r*d", "vfs_read", true},
		{"v*ead*ad", "vfs_read", false},
		{"a*a", "a", false},
		{"a**a", "aa", true},
		{"v?s", "vfs", false},
		{"", "x", false},
		{"a*c*f", "abcde", false},
		{"*aa*", "aba", false},
		{"ab*ba", "aba", false},
		{"a*", "a/b", true},
	} {
		if got := Match(c.pattern, c.name); got != c.want {
			t.Errorf("Match(%q, %q) = %v", c.pattern, c.name, got)
		}
	}
}
