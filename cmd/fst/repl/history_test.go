package repl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
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

// FuzzHistory has sessions read, and shorten, a history that was damaged.
func FuzzHistory(f *testing.F) {
	f.Add([]byte("@x = 1\n@y\n"))
	f.Add([]byte("\x00\xff\n\n\nabc"))
	f.Fuzz(func(t *testing.T, text []byte) {
		h := &history{path: filepath.Join(t.TempDir(), "history")}
		if err := os.WriteFile(h.path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, entry := range h.news() {
			if entry == "" || !utf8.ValidString(entry) {
				t.Errorf("%q is an entry", entry)
			}
		}
		h.shorten()
		if h.add("@last") != nil {
			t.Fatal("it cannot be added to")
		}
		// What was not a whole line is one with the entry behind it.
		if news := h.news(); utf8.Valid(text) && (len(news) == 0 || !strings.HasSuffix(news[len(news)-1], "@last")) {
			t.Errorf("%q came, not @last", news)
		}
	})
}
