// Package mainthread runs functions on the process's first thread. BEGIN and
// END are run by a system call of fst itself: on that thread tid is pid in
// them, as it is in bpftrace.
package mainthread

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
			call()
		case c := <-code:
			return c
		}
	}
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
