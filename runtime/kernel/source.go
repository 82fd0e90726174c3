package kernel

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"fst/lang/load"
)

// source is where the facts of the running kernel come from; it implements
// facts.Source.
type source struct {
	opts    Options
	tracefs struct {
		once    sync.Once
		path    string
		mounted bool
		err     error
	}
	funcs     funcList
	blacklist func() map[string]bool
	modules   func() []string
}

func newSource(opts Options) *source {
	src := &source{opts: opts}
	src.blacklist = sync.OnceValue(readBlacklist)
	src.modules = sync.OnceValue(func() []string { return names("/sys/kernel/btf", "vmlinux") })
	return src
}

// names lists a directory without one name.
func names(dir, except string) []string {
	entries, _ := os.ReadDir(dir)
	var list []string
	for _, e := range entries {
		if e.Name() != except {
			list = append(list, e.Name())
		}
	}
	return list
}

// BTF implements facts.Source.
func (src *source) BTF(module string) ([]byte, error) {
	path := filepath.Join("/sys/kernel/btf", module)
	if module == "vmlinux" && src.opts.BTF != "" {
		path = src.opts.BTF
	}
	raw, err := mapFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && src.opts.BTF == "":
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the kernel's type information could not be read: %w", err)
	}
	return raw, nil
}

// BTFModules implements facts.Source.
func (src *source) BTFModules() []string { return src.modules() }

// mapFile returns a file's content: mapped, so that only the pages that are
// looked at take memory, or read if the kernel does not map it (sysfs before
// 6.16). A mapping stays until the process ends.
func mapFile(path string) ([]byte, error) {
	f, err := load.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := int(st.Size())
	if size > 0 {
		if raw, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_PRIVATE); err == nil {
			return raw, nil
		}
	}
	raw := make([]byte, size)
	n, err := io.ReadFull(f, raw)
	if err != nil && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	return raw[:n], nil
}

// readBlacklist reads the functions that kprobes refuse.
func readBlacklist() map[string]bool {
	text, err := os.ReadFile("/sys/kernel/debug/kprobes/blacklist")
	if err != nil {
		return nil
	}
	black := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		// 0xffffffff81000000-0xffffffff81000010	name
		if _, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			name, _, _ = strings.Cut(name, " ")
			black[name] = true
		}
	}
	return black
}

// Blacklist implements facts.Source.
func (src *source) Blacklist() map[string]bool { return src.blacklist() }
