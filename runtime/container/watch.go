package container

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Watcher follows the cgroups of a hierarchy as they are made and removed.
type Watcher struct {
	root  string
	files *Files
	set   func(id uint64, n Name)
	gone  func(id uint64)

	notify *os.File
	dirs   map[int32]string  // what is watched
	ids    map[string]uint64 // of the cgroups
	ended  chan struct{}
}

// retries are when a new container is asked for its name again: some runtimes write it behind the start.
var retries = []time.Duration{20 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second}

// Watch calls set with each cgroup below the mount of a hierarchy and its name before it returns, and from then on, in a
// goroutine, with each that is made. A new container without a name is set when it has one, at the latest after
// the retries, by its id. gone is called for cgroups that are removed, whose ids are never used again. If not all
// can be watched the error says so, and the Watcher is nil; what is there has been set.
func Watch(root string, files *Files, set func(id uint64, n Name), gone func(id uint64)) (*Watcher, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	w := &Watcher{root: strings.TrimSuffix(root, "/"), files: files, set: set, gone: gone,
		notify: os.NewFile(uintptr(fd), "inotify"), dirs: map[int32]string{}, ids: map[string]uint64{}, ended: make(chan struct{})}
	if err := w.add(w.root, fd, func(id uint64, n Name, _ string, _ bool) { set(id, n) }); err != nil {
		w.notify.Close()
		return nil, err
	}
	go w.run(fd)
	return w, nil
}

// Close ends the watching; nothing is called any more when it returns. A nil Watcher does nothing.
func (w *Watcher) Close() {
	if w != nil {
		w.notify.Close()
		<-w.ended
	}
}

// add watches a cgroup and those below it, and finds the names of those that it has not seen. A directory is watched before
// it is read, so that none made meanwhile is missed.
func (w *Watcher) add(dir string, fd int, found func(id uint64, n Name, path string, settled bool)) error {
	wd, err := unix.InotifyAddWatch(fd, dir, unix.IN_CREATE|unix.IN_DELETE|unix.IN_ONLYDIR)
	if err != nil {
		if errors.Is(err, unix.ENOENT) {
			return nil // it is gone again
		}
		return &os.PathError{Op: "watch", Path: dir, Err: err}
	}
	w.dirs[int32(wd)] = dir
	var st unix.Stat_t
	if unix.Stat(dir, &st) != nil {
		return nil
	}
	if w.ids[dir] != st.Ino {
		w.ids[dir] = st.Ino
		path := strings.TrimPrefix(dir, w.root)
		n, settled := w.files.Of(path)
		found(st.Ino, n, path, settled)
	}
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		if e.IsDir() {
			if err := w.add(filepath.Join(dir, e.Name()), fd, found); err != nil {
				return err
			}
		}
	}
	return nil
}

// unnamed is a container that has no name yet.
type unnamed struct {
	id    uint64
	path  string
	tries int
	next  time.Time
}

func (w *Watcher) run(fd int) {
	defer close(w.ended)
	var waiting []unnamed
	found := func(id uint64, n Name, path string, settled bool) {
		if settled {
			w.set(id, n)
		} else {
			waiting = append(waiting, unnamed{id: id, path: path, next: time.Now().Add(retries[0])})
		}
	}
	buffer := make([]byte, 64<<10)
	for {
		var until time.Time
		for _, u := range waiting {
			if until.IsZero() || u.next.Before(until) {
				until = u.next
			}
		}
		w.notify.SetReadDeadline(until)
		n, err := w.notify.Read(buffer)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return // closed
		}
		w.events(buffer[:max(n, 0)], fd, found)
		waiting = w.retry(waiting)
	}
}

// events handles what the kernel has told.
func (w *Watcher) events(list []byte, fd int, found func(uint64, Name, string, bool)) {
	for len(list) >= unix.SizeofInotifyEvent {
		wd := int32(binary.NativeEndian.Uint32(list))
		mask, size := binary.NativeEndian.Uint32(list[4:]), int(binary.NativeEndian.Uint32(list[12:]))
		name, _, _ := bytes.Cut(list[unix.SizeofInotifyEvent:][:size], []byte{0})
		list = list[unix.SizeofInotifyEvent+size:]
		path := filepath.Join(w.dirs[wd], string(name))
		switch {
		case mask&unix.IN_Q_OVERFLOW != 0:
			_ = w.add(w.root, fd, found)
		case mask&unix.IN_IGNORED != 0:
			delete(w.dirs, wd)
		case mask&unix.IN_ISDIR == 0 || w.dirs[wd] == "":
		case mask&unix.IN_CREATE != 0:
			_ = w.add(path, fd, found) // without a watch, what is below it stays unnamed: it is shown by its id
		case mask&unix.IN_DELETE != 0:
			if id, ok := w.ids[path]; ok {
				delete(w.ids, path)
				w.gone(id)
			}
		}
	}
}

// retry asks for the names of those that are due, and returns those that have none still.
func (w *Watcher) retry(waiting []unnamed) (left []unnamed) {
	now := time.Now()
	for _, u := range waiting {
		if now.Before(u.next) {
			left = append(left, u)
			continue
		}
		u.tries++
		if n, settled := w.files.Of(u.path); settled || u.tries == len(retries) {
			w.set(u.id, n)
			continue
		}
		u.next = now.Add(retries[u.tries])
		left = append(left, u)
	}
	return left
}
