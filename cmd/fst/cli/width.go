package cli

import (
	"io"
	"os"

	"fst/lang/load"

	"golang.org/x/sys/unix"
)

// widthOf tells how many columns the terminal has that w is, each time anew:
// it may change. It is nil if w is no terminal.
func widthOf(w io.Writer) func() int {
	if o, ok := w.(*load.Output); ok {
		w = o.File
	}
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	fd := int(f.Fd())
	if _, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ); err != nil {
		return nil
	}
	return func() int {
		size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
		if err != nil {
			return 0
		}
		return int(size.Col)
	}
}

// anyWidth is that of a terminal which leaves lines as they are.
func anyWidth() int { return 0 }
