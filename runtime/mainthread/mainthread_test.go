package mainthread

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func init() { runtime.LockOSThread() }

const child = "FST_MAINTHREAD_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		os.Exit(Serve(everyThread))
	}
	os.Exit(m.Run())
}

// everyThread makes a system call on all threads while the first one runs a function.
func everyThread() int {
	busy := make(chan struct{})
	go Do(func() {
		close(busy)
		pause := unix.NsecToTimespec(int64(100 * time.Millisecond))
		unix.Nanosleep(&pause, nil) //nolint:errcheck // how long does not matter
	})
	<-busy
	if _, _, errno := syscall.AllThreadsSyscall(unix.SYS_GETPPID, 0, 0, 0); errno != 0 {
		return 1
	}
	return 0
}

// A system call on all threads, such as dropping capabilities, waits for the first one.
// It runs in a process of its own: one that hangs has stopped all of its goroutines.
func TestSystemCallOfAllThreads(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), child+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
