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

const (
	child = "FST_MAINTHREAD_TEST"
	withC = 77 // the exit code of a program that is linked with C
)

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
	switch _, _, errno := syscall.AllThreadsSyscall(unix.SYS_GETPPID, 0, 0, 0); errno {
	case 0:
		return 0
	case syscall.ENOTSUP:
		return withC
	}
	return 1
}

// A system call on all threads, such as dropping capabilities, waits for the first one.
// It runs in a process of its own: one that hangs has stopped all of its goroutines.
func TestSystemCallOfAllThreads(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == withC {
		t.Skip("Go makes no system calls on all threads of a program that is linked with C, as the race detector is")
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
