package fst

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
)

// Child is a command that waits, stopped before its first instruction, until
// a session's probes are in place.
type Child struct {
	pid   int
	start chan bool // true: run, false: kill
	once  sync.Once
	done  chan struct{}
}

// NewChild starts a command in its stopped state. The words are split at
// blanks; there is no shell.
func NewChild(command string, stdin io.Reader, stdout, stderr io.Writer) (*Child, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil, errors.New("the command to run is empty")
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	c := &Child{start: make(chan bool, 1), done: make(chan struct{})}
	started := make(chan error, 1)
	go c.watch(cmd, started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("cannot run %s: %w", words[0], err)
	}
	return c, nil
}

// watch starts the command and sets it going. Only the thread that started a
// traced process may let go of it.
func (c *Child) watch(cmd *exec.Cmd, started chan<- error) {
	defer close(c.done)
	runtime.LockOSThread()
	if err := cmd.Start(); err != nil {
		started <- err
		return
	}
	c.pid = cmd.Process.Pid
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(c.pid, &status, 0, nil); err != nil || !status.Stopped() {
		started <- fmt.Errorf("it did not stop at its start: %v", err)
		return
	}
	started <- nil
	run := <-c.start
	if !run {
		cmd.Process.Kill()
	}
	syscall.PtraceDetach(c.pid)
	runtime.UnlockOSThread()
	cmd.Wait()
}

// PID is the process id of the command.
func (c *Child) PID() int { return c.pid }

// Run sets the command going. Only the first call of Run or Kill counts.
func (c *Child) Run() { c.once.Do(func() { c.start <- true }) }

// Done is closed when the command has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Close ends a command that still runs with SIGTERM (one that never ran is
// killed) and waits for it.
func (c *Child) Close() {
	c.once.Do(func() { c.start <- false })
	select {
	case <-c.done:
		return
	default:
		syscall.Kill(c.pid, syscall.SIGTERM)
	}
	<-c.done
}
