package vm

import (
	"bytes"
	"fmt"
	"strings"
)

// archive builds a cpio archive in the "newc" form that Linux unpacks as an
// initramfs. Several archives may follow each other in one file.
type archive struct {
	out  bytes.Buffer
	seen map[string]bool
}

// add appends a regular file; the directories of its path come by themselves.
func (a *archive) add(path string, mode uint32, data []byte) {
	parts := strings.Split(path, "/")
	for i := 1; i < len(parts); i++ {
		if dir := strings.Join(parts[:i], "/"); !a.seen[dir] {
			a.entry(dir, 0o40755, nil)
		}
	}
	a.entry(path, 0o100000|mode, data)
}

func (a *archive) entry(path string, mode uint32, data []byte) {
	if a.seen == nil {
		a.seen = map[string]bool{}
	}
	a.seen[path] = true
	a.out.WriteString("070701")
	for _, field := range []int{len(a.seen), int(mode), 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(path) + 1, 0} {
		fmt.Fprintf(&a.out, "%08X", field)
	}
	a.out.WriteString(path + "\x00")
	a.pad(4)
	a.out.Write(data)
	a.pad(4)
}

func (a *archive) pad(to int) {
	for a.out.Len()%to != 0 {
		a.out.WriteByte(0)
	}
}

// bytes ends the archive and returns it.
func (a *archive) bytes() []byte {
	a.entry("TRAILER!!!", 0, nil)
	a.pad(512)
	return a.out.Bytes()
}
