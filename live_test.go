package fst

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestReplaces: while one program takes the place of another, again and again, each event is
// counted by one of them.
func TestReplaces(t *testing.T) {
	if os.Geteuid() != 0 || testing.Short() {
		t.Skip("traces as root")
	}
	for probe, filter := range map[string]string{"syscall:setns": "1", "tracepoint:syscalls:sys_enter_setns": "1", "rawtracepoint:sys_enter": "args.id == 308"} {
		t.Run(probe, func(t *testing.T) {
			open := func() int {
				list, _ := os.ReadDir("/proc/self/fd")
				return len(list)
			}
			OpenKernel().Release()
			before := open()
			store := NewStore()
			defer func() {
				store.Close()
				if after := open(); after != before {
					t.Errorf("%d descriptors are open, and were %d", after, before)
				}
			}()
			start := func(n int, old *Session) *Session {
				text := fmt.Sprintf("%s /pid == %d && %s/ { @n = count(); @of[%d] = count(); }", probe, os.Getpid(), filter, n)
				prog, err := Compile(text, Options{Store: store, Live: true, Replaces: old})
				if err != nil {
					t.Fatal(err)
				}
				s, err := prog.Start(context.Background(), RunOptions{})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			s := start(0, nil)
			var stop atomic.Bool
			var made atomic.Int64
			var callers sync.WaitGroup
			for range 2 * runtime.NumCPU() {
				callers.Go(func() {
					n := int64(0)
					for !stop.Load() {
						syscall.RawSyscall(308, ^uintptr(0), 0, 0) // setns
						if n++; n%8 == 0 {                         // the others have to compile, too
							time.Sleep(50 * time.Microsecond)
						}
					}
					made.Add(n)
				})
			}
			for n := range 20 {
				next := start(n+1, s)
				s.Close()
				s = next
			}
			stop.Store(true)
			callers.Wait()
			s.Close()
			m, err := store.Map("@n")
			if err != nil {
				t.Fatal(err)
			}
			n, _, err := m.Get()
			if err != nil || fmt.Sprint(n) != fmt.Sprint(made.Load()) {
				t.Errorf("%v events of %d were counted (%v)", n, made.Load(), err)
			}
			if of, err := store.Map("@of"); err != nil {
				t.Error(err)
			} else if all, err := of.Read(); err != nil || len(all.Entries) < 15 {
				t.Errorf("%d programs saw any (%v)", len(all.Entries), err)
			}
		})
	}
}
