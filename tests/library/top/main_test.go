package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fst"
)

// screen is what is shown so far.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
	seen int // where what wait found ends
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// wait waits (attaching to all system calls takes long on some machines) until something is shown behind what it found before.
func (s *screen) wait(t *testing.T, pattern string, ended <-chan error) {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if found := re.FindStringIndex(s.String()[s.seen:]); found != nil {
			s.seen += found[1]
			return
		}
		select {
		case err := <-ended:
			if errors.Is(err, fst.ErrPermission) {
				t.Skip(err)
			}
			t.Fatal(err)
		default:
		}
		if time.Now().After(end) {
			t.Fatalf("%s is not in\n%s", pattern, s.String()[s.seen:])
		}
	}
}

// TestTop sees the calls of a shell, and then only those that take long.
func TestTop(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-c", "while :; do read line </dev/null; sleep 0.05; done")
	if err := shell.Start(); err != nil {
		t.Skip(err)
	}
	defer shell.Wait()
	defer cancel()
	var shown screen
	lines, ended := make(chan string), make(chan error, 1)
	pid := strconv.Itoa(shell.Process.Pid)
	go func() { ended <- top(ctx, &shown, lines, 5, "250", pid) }()
	shown.wait(t, `COMM +PID +CALLS +AVERAGE\nsh +`+pid+` +[1-9][0-9]* +[1-9]`, ended)
	lines <- "no time"
	shown.wait(t, "invalid duration", ended)
	lines <- "10ms" // it waits for sleep so long, and for nothing else
	shown.wait(t, `COMM +PID +CALLS +AVERAGE\nsh +`+pid+` +[1-9] +[1-9][0-9]{7,}\n\n`, ended)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
