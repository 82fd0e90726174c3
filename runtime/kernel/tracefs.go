package kernel

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"fst/lang/load"
)

// TraceFS returns where tracefs is mounted. If it is nowhere, it is mounted at
// /sys/kernel/tracing, and mounted tells so (also in later calls, so that
// whoever reports it need not be the first to ask).
func (s *System) TraceFS() (path string, mounted bool, err error) { return s.src.traceFS() }

func (src *source) traceFS() (string, bool, error) {
	t := &src.tracefs
	t.once.Do(func() {
		const usual, old = "/sys/kernel/tracing", "/sys/kernel/debug/tracing"
		if src.opts.TraceFS != "" {
			t.path = src.opts.TraceFS
			return
		}
		for _, p := range []string{usual, old} {
			if isTraceFS(p) {
				t.path = p
				return
			}
		}
		switch err := syscall.Mount("tracefs", usual, "tracefs", 0, ""); {
		case err == nil:
			t.path, t.mounted = usual, true
		case errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES):
			t.err = errors.New("tracefs is not mounted and this user may not mount it: run as root, or mount -t tracefs tracefs /sys/kernel/tracing")
		case errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.ENOENT):
			t.err = errors.New("this kernel has no tracefs, which it needs to have tracepoints and a list of functions (CONFIG_FTRACE)")
		default:
			t.err = fmt.Errorf("tracefs is not mounted and mounting it at %s failed: %w", usual, err)
		}
	})
	return t.path, t.mounted, t.err
}

func isTraceFS(path string) bool {
	const magic = 0x74726163
	var st syscall.Statfs_t
	return syscall.Statfs(path, &st) == nil && st.Type == magic
}

// events returns the directory of trace events.
func (src *source) events() (string, error) {
	path, _, err := src.traceFS()
	if err != nil {
		return "", err
	}
	return filepath.Join(path, "events"), nil
}

// readable turns an error of reading tracefs into advice.
func readable(what string, err error) error {
	switch {
	case !errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be read: %w", what, cause(err))
	case os.Geteuid() == 0 || errors.Is(err, syscall.EPERM): // files' modes give EACCES
		return fmt.Errorf("%s cannot be read even by root: the kernel is locked down (/sys/kernel/security/lockdown) or this is a container", what)
	}
	return notPermitted(what + " cannot be read by this user: run as root or with CAP_DAC_READ_SEARCH")
}

// notPermitted is the error of a file that only others may read.
type notPermitted string

func (e notPermitted) Error() string { return string(e) }
func (e notPermitted) Unwrap() error { return fs.ErrPermission }

// Format implements facts.Source.
func (src *source) Format(category, event string) ([]byte, error) {
	dir, err := src.events()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, category, event, "format"))
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return nil, nil
	case err != nil:
		return nil, readable("the format of tracepoint "+category+":"+event, err)
	}
	return text, nil
}

// Categories implements facts.Source.
func (src *source) Categories() ([]string, error) {
	dir, err := src.events()
	if err != nil {
		return nil, err
	}
	return subdirectories(dir)
}

// Events implements facts.Source.
func (src *source) Events(category string) ([]string, error) {
	dir, err := src.events()
	if err != nil {
		return nil, err
	}
	list, err := subdirectories(filepath.Join(dir, category))
	// ftrace's own events have no id and can't be attached to.
	if category == "ftrace" {
		list = nil
	}
	return list, err
}

// subdirectories lists the directories in a directory; none if there is no
// such directory.
func subdirectories(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, readable("the list of tracepoints", err)
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, e.Name())
		}
	}
	return list, nil
}

// maxFuncList is how long the list may be: ten times what kernels have.
const maxFuncList = 64 << 20

// funcList is the text of available_filter_functions. The kernel makes it up
// while it is read, which takes a while: it is read as far as needed.
type funcList struct {
	mu   sync.Mutex
	file *os.File
	data []byte
	done bool
	err  error
}

// isWhole reports whether the list was read to its end.
func (l *funcList) isWhole() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done
}

// Traceable implements facts.Source.
func (src *source) Traceable(literal string) (string, error) {
	l := &src.funcs
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil && l.err == nil && !l.done {
		var path string
		var err error
		if name := src.opts.Functions; name != "" {
			l.file, err = load.Open(name)
		} else if path, _, err = src.traceFS(); err == nil {
			l.file, err = os.Open(filepath.Join(path, "available_filter_functions"))
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			l.err = errors.New("this kernel does not list the functions that can be probed (no function tracer: CONFIG_DYNAMIC_FTRACE): write their names out, without *")
		case err != nil:
			l.err = readable("the kernel's list of functions that can be probed (available_filter_functions)", err)
		}
	}
	if l.err != nil {
		return "", l.err
	}
	literals := [][]byte{[]byte("\n" + literal + "\n"), []byte("\n" + literal + " ")}
	searched := 0
	for {
		if literal != "" {
			end := bytes.LastIndexByte(l.data, '\n') + 1
			part := l.data[searched:end]
			if bytes.Contains(part, literals[0]) || bytes.Contains(part, literals[1]) || bytes.HasPrefix(l.data[:end], literals[0][1:]) {
				break
			}
			searched = max(0, end-1)
		}
		if l.done {
			break
		}
		if len(l.data) > maxFuncList {
			l.err = fmt.Errorf("the list of functions that can be probed has more than %d bytes", maxFuncList)
			return "", l.err
		}
		l.data = append(l.data, make([]byte, 64<<10)...)
		n, err := l.file.Read(l.data[len(l.data)-64<<10:])
		l.data = l.data[:len(l.data)-64<<10+n]
		if err != nil || n == 0 {
			l.done = true
			l.file.Close()
			l.file = nil
			if len(l.data) == 0 {
				l.err = readable("the kernel's list of functions that can be probed", err)
				return "", l.err
			}
		}
	}
	// The tail may be half a line.
	return strings.TrimSuffix(string(l.data[:bytes.LastIndexByte(l.data, '\n')+1]), "\n") + "\n", nil
}
