package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestChildOfKilled has a process start a child and be killed: the child ends, too.
// TestChildOfThread is the same for one that goes on when the thread ends that has
// asked for the child.
func TestChildOfKilled(t *testing.T) {
	if os.Getenv("FST_TEST_CHILD") != "" {
		c, err := Start([]string{"sleep", "100"})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Release(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(os.Stderr, c.PID)
		unix.Kill(os.Getpid(), unix.SIGKILL)
		select {}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestChildOfKilled$")
	cmd.Env = append(os.Environ(), "FST_TEST_CHILD=1")
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(said, &pid); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	for range 500 {
		if !runs(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	unix.Kill(pid, unix.SIGKILL)
	t.Errorf("the child %d runs on", pid)
}

func TestChildOfThread(t *testing.T) {
	const threads = 2 // one may be the first of the process, which does not end
	var started, locked sync.WaitGroup
	locked.Add(threads)
	children := make([]*Child, threads)
	for i := range children {
		started.Go(func() {
			runtime.LockOSThread() // and let the thread end
			locked.Done()
			locked.Wait()
			c, err := Start([]string{"sleep", "100"})
			if err != nil {
				t.Error(err)
				return
			}
			children[i] = c
			if err := c.Release(); err != nil {
				t.Error(err)
			}
		})
	}
	started.Wait()
	time.Sleep(100 * time.Millisecond)
	for _, c := range children {
		if c.Ended() {
			t.Error("a child has ended with its thread")
		}
		if c != nil {
			c.Stop()
		}
	}
}

// runs reports whether there is a process that is no zombie.
func runs(pid int) bool {
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return false
	}
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, state, _ := strings.Cut(string(text), ") ")
	return state != "" && state[0] != 'Z'
}

// TestApart: its input is empty, its output goes where it is told, and keys of the terminal do not reach it.
func TestApart(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	c, err := NewApart(`sh -c "cat; echo out; echo err >&2; cut -d' ' -f5 /proc/$$/stat; kill -9 $$"`, write)
	write.Close()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Release(); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(read)
	if want := fmt.Sprintf("out\nerr\n%d\n", c.PID); err != nil || string(said) != want {
		t.Errorf("%q, want %q (%v)", said, want, err)
	}
	<-c.Done()
	if got := c.Status(); got != "ended by the signal SIGKILL" {
		t.Error(got)
	}
}
