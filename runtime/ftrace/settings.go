package ftrace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// change is what a file of the tracer is to say.
type change struct {
	path string
	// value is the text to write; for a list its words, "" for none.
	value string
	// optional changes are left out where the kernel has no such file.
	optional bool
}

// lists are the files that hold words; a write adds to them and only opening
// them with O_TRUNC empties them.
var lists = []string{"set_graph_function", "set_graph_notrace", "set_ftrace_filter", "set_ftrace_notrace",
	"set_ftrace_pid", "set_ftrace_notrace_pid", "set_event_pid", "set_event_notrace_pid"}

func isList(path string) bool { return slices.Contains(lists, filepath.Base(path)) }

// current is the value that would have to be written to get what a file says.
func current(path, text string) string {
	switch filepath.Base(path) {
	case "trace_clock": // "[local] global counter"
		_, rest, _ := strings.Cut(text, "[")
		word, _, _ := strings.Cut(rest, "]")
		return word
	case "buffer_size_kb":
		// "7 (expanded: 1408)" is a buffer that takes its size with its first
		// use, whoever is the user; nothing makes it smaller again.
		if _, rest, ok := strings.Cut(text, "expanded: "); ok {
			return strings.TrimRight(rest, ")\n ")
		}
	}
	if !isList(path) {
		return strings.TrimSpace(text)
	}
	var words []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		// "#### all functions enabled ####", "no pid"; "vfs_read:traceoff" is
		// a command, which truncation leaves alone. A module's function has
		// its name behind it.
		word, _, _ := strings.Cut(line, " ")
		if word == "" || word[0] == '#' || line == "no pid" || strings.Contains(word, ":") {
			continue
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// plan finds out which of the changes are to be made, and how each is undone.
// It changes nothing. undo has the last change first.
func plan(changes []change) (todo []change, undo []step, err error) {
	for _, c := range changes {
		text, err := os.ReadFile(c.path)
		if err != nil {
			if c.optional && errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return nil, nil, fmt.Errorf("the kernel's tracer cannot be set up: %w", err)
		}
		now := current(c.path, string(text))
		if now == c.value {
			continue
		}
		todo = append(todo, c)
		undo = append(undo, step{path: c.path, text: now, truncate: isList(c.path)})
	}
	slices.Reverse(undo)
	return todo, undo, nil
}

// apply makes a change.
func (c change) apply() error {
	s := step{path: c.path, text: c.value, truncate: isList(c.path)}
	return s.take()
}

// take does what the guard does with a step, with an error that tells.
func (s step) take() error {
	flags := os.O_WRONLY
	if s.truncate {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(s.path, flags, 0)
	if err != nil {
		return err
	}
	rest := []byte(s.text)
	for len(rest) > 0 && err == nil {
		var n int
		n, err = unix.Write(int(f.Fd()), rest)
		rest = rest[max(n, 0):]
		if errors.Is(err, unix.EINTR) {
			err = nil
		} else if n == 0 && err == nil {
			break
		}
	}
	if err != nil {
		err = &fs.PathError{Op: "write", Path: s.path, Err: err}
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
