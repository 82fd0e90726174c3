package load

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"fst/lang/parse"
)

// maxHeaders is how many bytes all headers of a script may have together: twice a
// dump of all types of a kernel.
const maxHeaders = 8 << 20

// Script reads a script, or the standard input for "-". What is no file is
// refused, as reading it may take forever, but for what the caller holds open already:
// /dev/stdin, /dev/fd/N, and so <(COMMAND) of a shell. Files that begin as larger says may have
// that many bytes; it may be nil.
func Script(name string, stdin io.Reader, larger func(beginning string) int) (string, error) {
	read := func(r io.Reader, name string) (string, error) {
		text, err := upTo(r, name, parse.MaxScript)
		if most := 0; errors.Is(err, errTooLarge) && larger != nil {
			if most = larger(text); most > len(text) {
				var rest string
				rest, err = upTo(r, name, most-len(text))
				text += rest
			}
		}
		return text, err
	}
	if name == "-" {
		return read(stdin, "stdin")
	}
	f, err := openNamed(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return read(f, name)
}

// Named reads what a word of the command line names: a regular file, or what the caller holds
// open already, as <(COMMAND) of a shell, of at most so many bytes.
func Named(name string, most int) (string, error) {
	f, err := openNamed(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return upTo(f, name, most)
}

func openNamed(name string) (io.ReadCloser, error) {
	if isOpen(name) {
		return os.Open(name)
	}
	f, err := Open(name)
	return Patient{f}, err
}

// isOpen reports whether a path names a descriptor of this process.
func isOpen(name string) bool {
	name = filepath.Clean(name)
	return name == "/dev/stdin" || strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/")
}

// ReadFile reads a regular file of at most so many bytes, and refuses all else.
func ReadFile(name string, most int) (string, error) {
	f, err := Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return upTo(Patient{f}, name, most)
}

// Open opens a regular file to be read and refuses all else.
func Open(name string) (*os.File, error) {
	// To open a device may do something, so that the path is looked at before; it may
	// have become something else then.
	if info, err := os.Stat(name); err == nil {
		if err := regular(name, info); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(name, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Patient reads a file that Open has opened, and gives up where nothing comes for a second: some files of the kernel,
// such as /proc/kmsg, are regular ones and may never have anything to read. However long all takes, it goes on while something comes.
type Patient struct{ *os.File }

// Read implements io.Reader.
func (p Patient) Read(b []byte) (int, error) {
	p.SetReadDeadline(time.Now().Add(time.Second)) // fails for files of a disk, which never wait
	return p.File.Read(b)
}

// errNoFile is the error of a path that leads to something else than a file.
var errNoFile = errors.New("not a file")

func regular(name string, info fs.FileInfo) error {
	what := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	case mode&fs.ModeNamedPipe != 0:
		what = "a FIFO"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	default:
		what = "a device"
	}
	return fmt.Errorf("%s is %s, %w", name, what, errNoFile)
}

// errTooLarge is the error of a text that is longer than allowed.
var errTooLarge = errors.New("too large")

// upTo reads at most so many bytes and refuses more.
func upTo(r io.Reader, name string, most int) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("%s is %w: at most %d bytes are read", name, errTooLarge, most)
	}
	return string(text), err
}
