// Package mainthread runs functions on the process's first thread. BEGIN and
// END are run by a system call of fst itself: on that thread tid is pid in
// them, as it is in bpftrace.
package mainthread

import "golang.org/x/sys/unix"

var calls chan func()

// Serve runs f in a goroutine while it runs itself what Do is given, and
// returns when f does. It must be called from main, after an init that has
// locked the goroutine to its thread.
func Serve(f func() int) int {
	calls = make(chan func())
	code := make(chan int)
	go func() { code <- f() }()
	for {
		select {
		case call := <-calls:
			deaf(call)
		case c := <-code:
			return c
		}
	}
}

// deaf runs f while other threads get the process's signals: the kernel prefers the first
// one for them, which does not look at any while it runs a program.
func deaf(f func()) {
	all := unix.Sigset_t{}
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
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
	done := make(chan struct{})
	calls <- func() {
		defer close(done)
		f()
	}
	<-done
}
