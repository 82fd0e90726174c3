package repl

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHistoryFile has a missing home get no history: it is not made for one.
func TestHistoryFile(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "plain")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ state, home, want string }{
		{"", "", ""},
		{"", filepath.Join(home, "missing"), ""},
		{"", file, ""},
		{"", home, filepath.Join(home, ".local/state/fst/history")},
		{"/state", filepath.Join(home, "missing"), "/state/fst/history"},
	} {
		if got := HistoryFile(map[string]string{"XDG_STATE_HOME": test.state, "HOME": test.home}); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}
