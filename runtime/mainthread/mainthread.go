// Package mainthread runs functions on the process's first thread. BEGIN and
// END are run by a system call of fst itself: on that thread tid is pid in
// them, as it is in bpftrace.
package mainthread

import "golang.org/x/sys/unix"

var calls chan call

type call struct {
	f    func()
	done chan struct{}
}

// Serve runs f in a goroutine while it runs itself what Do is given, and
// returns when f does. It must be called from main, after an init that has
// locked the goroutine to its thread.
func Serve(f func() int) int {
	calls = make(chan call)
	code := make(chan int)
	go func() { code <- f() }()
	for {
		select {
		case c := <-calls:
			deaf(c.f)
			close(c.done)
		case n := <-code:
			return n
		}
	}
}

// perThreadSyscall is the signal by which Go has a system call made on every thread
// (sigPerThreadSyscall in its runtime).
const perThreadSyscall = 33

// deaf runs f while other threads get the process's signals: the kernel prefers the first
// one for them, which does not look at any while it runs a program. Go's own signal stays:
// who waits for it on all threads has stopped all goroutines, also the one that would
// let it through again.
func deaf(f func()) {
	all := unix.Sigset_t{}
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	all.Val[0] &^= 1 << (perThreadSyscall - 1)
	var before unix.Sigset_t
	if unix.PthreadSigmask(unix.SIG_BLOCK, &all, &before) == nil {
		defer unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	}
	f()
}

// Do runs f on the first thread, or on the present one if nobody serves.
func Do(f func()) {
	if calls == nil {
		f()
		return
	}
	c := call{f, make(chan struct{})}
	calls <- c
	<-c.done
}
