package graph

import (
	"os/exec"
	"testing"
	"time"

	"fst/runtime/session"

	"golang.org/x/sys/unix"
)

// A process has ended for a Graph when it has, though nobody has waited for it.
func TestHasEnded(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	process, err := session.OpenProcess(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(process)
	if hasEnded(process) {
		t.Error("it has ended before it was killed")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); !hasEnded(process); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it is not told that it has ended")
		}
	}
}
