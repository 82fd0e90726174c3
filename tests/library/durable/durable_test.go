package durable

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fst"
)

// trace runs a script while f runs, and returns what was hit. A test that has lost
// anything says nothing.
func trace(t *testing.T, script string, f func()) (hits []*fst.Hit) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	prog, err := fst.Compile(script, fst.Options{Params: fst.Params{Words: []string{strconv.Itoa(os.Getpid())}}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	session, err := prog.Start(ctx, fst.RunOptions{})
	if errors.Is(err, fst.ErrPermission) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	f()
	stop()
	for event, err := range session.Events() {
		if err != nil {
			t.Fatal(err)
		}
		switch e := event.(type) {
		case *fst.Hit:
			hits = append(hits, e)
		case *fst.Lost, *fst.Warning:
			t.Fatal(e)
		}
	}
	return hits
}

// TestOrder: the data is written and synchronized to the disk before the file gets its name.
func TestOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	hits := trace(t, `syscall:openat, syscall:write, syscall:fsync, syscall:renameat /pid == $1/`, func() {
		if err := Replace(path, []byte("content")); err != nil {
			t.Error(err)
		}
	})
	var order []string
	fd := int64(-1) // of the new file
	for _, hit := range hits {
		var call struct {
			Filename, Oldname, Newname string
			FD                         int64
			Retval                     int64
		}
		if err := hit.Decode(&call); err != nil {
			t.Fatal(err)
		}
		switch name := strings.TrimPrefix(hit.Probe, "syscall:"); {
		case name == "openat" && strings.HasPrefix(call.Filename, filepath.Dir(path)):
			fd = call.Retval
			order = append(order, name)
		case name == "renameat" && call.Newname == path:
			order = append(order, name)
		case name != "openat" && call.FD == fd && fd >= 0:
			order = append(order, name)
			if name == "write" && call.Retval != int64(len("content")) {
				t.Errorf("%d bytes are written", call.Retval)
			}
		}
	}
	if got := strings.Join(order, " "); got != "openat write fsync renameat" {
		t.Errorf("the calls are %s:\n%v", got, hits)
	}
}
