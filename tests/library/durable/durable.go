// Package durable replaces files such that after a crash either the old or the new content
// is there. That it makes the system calls which this needs, and in their order, no look at
// the file can tell: its test sees them by the library.
package durable

import (
	"os"
	"path/filepath"
)

// Replace writes a file under another name, and makes it the one of this name when it is on
// the disk.
func Replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // if it has not become the other
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}
