package repl

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// history is the file of what was entered, an entry a line, with marks for the
// line breaks of an entry. Sessions share it: each appends its entries at once,
// and sees what the others have appended.
type history struct {
	path   string // empty: nothing is kept
	read   int64  // so much of it has been read
	file   os.FileInfo
	failed bool // to keep an entry: it has been said why
}

const (
	historyEntries = 1000     // as many are kept: the line editor holds no more
	historyBytes   = 16 << 20 // and no file beyond this is read
)

// HistoryFile is where the prompt's history is kept: in the state directory
// of the XDG base directory specification. A home that is not there is not made.
func HistoryFile(env map[string]string) string {
	dir := env["XDG_STATE_HOME"]
	if dir == "" {
		if home, err := os.Stat(env["HOME"]); err != nil || !home.IsDir() {
			return ""
		}
		dir = filepath.Join(env["HOME"], ".local", "state")
	}
	return filepath.Join(dir, "fst", "history")
}

// news returns the entries that have come since the last call, those of this
// session, too.
func (h *history) news() []string {
	f, err := os.Open(h.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil || !now.Mode().IsRegular() || now.Size() > historyBytes {
		return nil
	}
	if h.file != nil && !os.SameFile(h.file, now) { // a session has shortened it: all of it is known
		h.read = now.Size()
	}
	h.file = now
	text, err := io.ReadAll(io.NewSectionReader(f, h.read, now.Size()-h.read))
	if err != nil {
		return nil
	}
	end := strings.LastIndexByte(string(text), '\n') + 1 // the last may not be whole yet
	h.read += int64(end)
	var entries []string
	for line := range strings.Lines(string(text[:end])) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && utf8.ValidString(line) {
			entries = append(entries, line)
		}
	}
	return entries
}

// add appends an entry, which comes back with the news.
func (h *history) add(entry string) error {
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	unix.Flock(int(f.Fd()), unix.LOCK_EX)
	_, err = f.WriteString(entry + "\n")
	return err
}

// shorten keeps the latest entries, once there are twice as many.
func (h *history) shorten() {
	f, err := os.Open(h.path)
	if err != nil {
		return
	}
	defer f.Close()
	unix.Flock(int(f.Fd()), unix.LOCK_EX)
	if now, err := f.Stat(); err != nil || !now.Mode().IsRegular() || now.Size() > historyBytes {
		return
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return
	}
	lines := strings.SplitAfter(string(text), "\n")
	if len(lines) <= 2*historyEntries {
		return
	}
	kept, err := os.CreateTemp(filepath.Dir(h.path), "history-*")
	if err != nil {
		return
	}
	_, err = kept.WriteString(strings.Join(lines[len(lines)-historyEntries-1:], ""))
	if kept.Close() != nil || err != nil || os.Rename(kept.Name(), h.path) != nil {
		os.Remove(kept.Name())
	}
}

// recalled are the entries of the history that hints are taken from.
type recalled struct {
	mu   sync.Mutex
	list []string
}

func (e *recalled) add(entry string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list[max(0, len(e.list)-historyEntries+1):], entry)
}

// recall returns the latest that is longer than its beginning.
func (e *recalled) recall(beginning string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, entry := range slices.Backward(e.list) {
		if len(entry) > len(beginning) && strings.HasPrefix(entry, beginning) {
			return entry
		}
	}
	return ""
}
