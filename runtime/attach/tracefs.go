package attach

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// tracefs finds the ids of trace events. It uses the file system where it is
// mounted, else a mount of its own that nobody else sees and that ends with it.
type tracefs struct {
	dir int // descriptor + 1, 0 if not opened
}

// errHiddenTracefs is the reason for a user who may not read it.
var errHiddenTracefs = errors.New("this user may not read tracefs")

// errNoTracefs is the reason for a system without trace events.
var errNoTracefs = errors.New("tracefs is not mounted and cannot be (mount -t tracefs tracefs /sys/kernel/tracing)")

func (t *tracefs) open() error {
	if t.dir != 0 {
		return nil
	}
	for _, path := range []string{"/sys/kernel/tracing", "/sys/kernel/debug/tracing"} {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		// (access(2) would ignore the capabilities of a user who is not root.)
		var st unix.Stat_t
		if err = unix.Fstatat(fd, "events", &st, 0); err == nil {
			t.dir = fd + 1
			return nil
		}
		unix.Close(fd)
		if err == unix.EACCES {
			return errHiddenTracefs
		}
	}
	ctx, err := unix.Fsopen("tracefs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return errNoTracefs
	}
	defer unix.Close(ctx)
	if err := unix.FsconfigCreate(ctx); err != nil {
		return errNoTracefs
	}
	fd, err := unix.Fsmount(ctx, unix.FSMOUNT_CLOEXEC, 0)
	if err != nil {
		return errNoTracefs
	}
	t.dir = fd + 1
	return nil
}

func (t *tracefs) close() {
	if t.dir != 0 {
		unix.Close(t.dir - 1)
		t.dir = 0
	}
}

// id is the number of an event for perf.
func (t *tracefs) id(category, event string) (uint64, error) {
	if strings.Contains(category+event, "/") {
		return 0, fs.ErrNotExist
	}
	if err := t.open(); err != nil {
		return 0, err
	}
	path := "events/" + category + "/" + event + "/id"
	fd, err := unix.Openat(t.dir-1, path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err == unix.EACCES {
		return 0, errHiddenTracefs
	}
	if err != nil {
		return 0, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var buf [32]byte
	n, err := unix.Read(fd, buf[:])
	if err != nil {
		return 0, err
	}
	id, err := strconv.ParseUint(strings.TrimSpace(string(buf[:n])), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return id, nil
}
