package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Output is a file to be written. What it held before stays until the first Write or Close,
// so that a run that fails before it has a result takes nothing away.
type Output struct {
	File *os.File
	// made tells that there was no file, begun that it has lost what it held.
	made, begun bool
}

// Create opens a file to be written, and makes it if there is none. It does not wait for somebody to read a FIFO.
func Create(name string) (*Output, error) {
	_, missing := os.Lstat(name)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK, 0o666)
	if errors.Is(err, syscall.ENXIO) {
		return nil, fmt.Errorf("%s is a FIFO or a device that nobody reads", name)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	return &Output{File: f, made: errors.Is(missing, fs.ErrNotExist), begun: err != nil || !info.Mode().IsRegular()}, nil
}

// IsSame reports whether two outputs would overwrite each other.
func (o *Output) IsSame(p *Output) bool {
	a, err := o.File.Stat()
	b, err2 := p.File.Stat()
	return err == nil && err2 == nil && a.Mode().IsRegular() && os.SameFile(a, b)
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	if err := o.empty(); err != nil {
		return 0, err
	}
	return o.File.Write(p)
}

func (o *Output) empty() error {
	if o.begun {
		return nil
	}
	o.begun = true
	return o.File.Truncate(0)
}

// Close ends the file. If nothing was written, it is empty.
func (o *Output) Close() error { return errors.Join(o.empty(), o.File.Close()) }

// Drop ends the file of a run that failed: if nothing was written, all is as it was before Create.
// After Close it does nothing.
func (o *Output) Drop() {
	if o.File.Close() == nil && !o.begun && o.made {
		os.Remove(o.File.Name())
	}
}
