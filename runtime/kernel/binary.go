package kernel

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"fst/compiler/target"
)

// Binary implements target.Target. What a name may be:
//
//	/path, ./path      a file, or with * the ELF files that match within a directory level
//	libc, libssl.so.3  a shared library as the loader would find it
//	bash               a program in PATH, or else in the working directory
//	* with a pid       every file that the process has mapped to execute
//	"" with a pid      the process's own program
//
// With a pid that lives in another mount namespace, paths are below /proc/PID/root.
func (*Binaries) Binary(name string, pid int) ([]string, error) {
	root := ""
	if pid > 0 {
		dir := "/proc/" + strconv.Itoa(pid)
		if _, err := os.Stat(dir); err != nil {
			return nil, target.ProcessError(fmt.Sprintf("there is no process %d", pid))
		}
		if err := zombie(dir, pid); err != nil {
			return nil, err
		}
		root = processRoot(dir)
		if name == "" {
			exe, err := os.Readlink(dir + "/exe")
			if err != nil {
				return nil, fmt.Errorf("the program of process %d is not known: %w", pid, err)
			}
			if strings.HasSuffix(exe, deleted) && !isELF(root+exe) {
				return []string{dir + "/exe"}, nil
			}
			return []string{root + exe}, nil
		}
		if name == "*" {
			return mappedFiles(dir, root)
		}
	}
	switch {
	case name == "*":
		return distinct(append(inPath(name, ""), everyMapped()...)), nil
	case name == "":
		return nil, errors.New("a uprobe needs the path of a binary, or a process (-p PID)")
	case strings.Contains(name, "/"):
		return pathTarget(name, root)
	case pid > 0:
		// What the process itself has mapped comes before any search.
		if mapped, err := mappedFiles("/proc/"+strconv.Itoa(pid), root); err == nil {
			for _, m := range mapped {
				if isNamed(filepath.Base(m), name) {
					return []string{m}, nil
				}
			}
		}
	}
	if isLibrary(name) {
		if found := library(name, root); len(found) > 0 {
			return found, nil
		}
	}
	if found := inPath(name, root); len(found) > 0 {
		return found, nil
	}
	if !isLibrary(name) {
		if found := library(name, root); len(found) > 0 {
			return found, nil
		}
	}
	// As bpftrace up to 0.12 did: a.out stands for ./a.out.
	if found, err := pathTarget(name, root); err == nil && len(found) == 1 && isELF(found[0]) {
		return found, nil
	}
	return nil, fmt.Errorf("no binary %q in PATH and no such library: write its path", name)
}

// zombie is an error if a process, or its main thread, has ended and is only kept
// for its parent: of that thread's memory and files, which tell what the process has
// mapped and whether a uprobe is hit in it, the kernel knows nothing any more.
func zombie(dir string, pid int) error {
	stat, err := os.ReadFile(dir + "/stat")
	_, state, ok := bytes.Cut(stat[max(bytes.LastIndexByte(stat, ')'), 0):], []byte(") "))
	if err != nil || !ok || len(state) == 0 || state[0] != 'Z' {
		return nil
	}
	if threads, _ := os.ReadDir(dir + "/task"); len(threads) > 1 {
		return target.ProcessError(fmt.Sprintf("the main thread of process %d has ended, by which the kernel finds its files and memory: leave out -p and write /pid == %d/", pid, pid))
	}
	return target.ProcessError(fmt.Sprintf("process %d has ended: it is a zombie", pid))
}

// processRoot is "" if a process sees the same files as this one.
func processRoot(dir string) string {
	theirs, err := os.Readlink(dir + "/ns/mnt")
	ours, err2 := os.Readlink("/proc/self/ns/mnt")
	if r, err3 := os.Readlink(dir + "/root"); err == nil && err2 == nil && theirs == ours && err3 == nil && r == "/" {
		return ""
	}
	return dir + "/root"
}

// pathTarget finds the file or files of a path.
func pathTarget(path, root string) ([]string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	abs = root + abs
	if !strings.Contains(abs, "*") {
		st, err := os.Stat(abs)
		switch {
		case err != nil:
			return nil, fmt.Errorf("the binary %s can't be used: %w", path, cause(err))
		case st.IsDir():
			return nil, fmt.Errorf("%s is a directory, not a binary", path)
		}
		return []string{abs}, nil
	}
	found, err := glob(abs)
	if err != nil {
		return nil, err
	}
	return distinct(slices.DeleteFunc(found, func(p string) bool { return !isELF(p) })), nil
}

func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// inPath searches PATH for programs. A plain name gives the first one, a
// pattern all.
func inPath(name, root string) []string {
	var found []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if strings.Contains(name, "*") {
			list, _ := glob(filepath.Join(root+dir, name))
			found = append(found, slices.DeleteFunc(list, func(p string) bool { return !isELF(p) })...)
			continue
		}
		path := root + filepath.Join(dir, name)
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			return []string{path}
		}
	}
	return distinct(found)
}

// distinct leaves out further names of the same file.
func distinct(paths []string) []string {
	var kept []string
	type file struct{ dev, inode uint64 }
	seen := map[file]bool{}
	for _, p := range paths {
		var st unix.Stat_t
		if unix.Stat(p, &st) != nil || seen[file{st.Dev, st.Ino}] {
			continue
		}
		seen[file{st.Dev, st.Ino}] = true
		kept = append(kept, p)
	}
	return kept
}

// everyMapped lists the ELF files that any process but this one has mapped to
// execute: first those of processes that see the same files as this one.
func everyMapped() []string {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var here, elsewhere []string
	seen := map[string]bool{}
	for _, dir := range dirs {
		if filepath.Base(dir) == strconv.Itoa(os.Getpid()) {
			continue
		}
		root := processRoot(dir)
		files, _ := mappedFiles(dir, root) // of one that has ended: none
		for _, f := range files {
			switch {
			case seen[f] || !isELF(f):
			case root == "":
				here = append(here, f)
			default:
				elsewhere = append(elsewhere, f)
			}
			seen[f] = true
		}
	}
	return append(here, elsewhere...)
}

func isELF(path string) bool {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	_, err = f.Read(magic[:])
	return err == nil && string(magic[:]) == elf.ELFMAG
}

// deleted stands behind the names of files that were removed or replaced.
const deleted = " (deleted)"

// mappedFiles lists the files that a process has mapped to execute. Those that were
// removed or replaced since are named by /proc/PID/exe and /proc/PID/map_files.
func mappedFiles(dir, root string) ([]string, error) {
	text, err := os.ReadFile(dir + "/maps")
	if err != nil {
		return nil, fmt.Errorf("the files that the process has mapped are not known: %w", cause(err))
	}
	exe, _ := os.Readlink(dir + "/exe")
	var files []string
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		// 7f00-7f01 r-xp 00028000 00:1b 1234   /usr/lib/libc.so.6
		fields := strings.Fields(line)
		if len(fields) < 6 || len(fields[1]) < 3 || fields[1][2] != 'x' || fields[5][0] != '/' {
			continue
		}
		name := strings.ReplaceAll(strings.TrimSuffix(line[strings.IndexByte(line, '/'):], "\n"), `\012`, "\n")
		if file := fields[3] + " " + fields[4] + " " + name; seen[file] {
			continue
		} else {
			seen[file] = true
		}
		path := root + name
		if strings.HasSuffix(name, deleted) && !isELF(path) {
			path = dir + "/map_files/" + fields[0]
			if name == exe {
				path = dir + "/exe"
			}
			if !isELF(path) { // other memory that has a name
				continue
			}
		}
		files = append(files, path)
	}
	return files, nil
}
