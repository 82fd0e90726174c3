package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// The load generator makes one known system call a known number of times on
// one CPU. It obeys lines on its standard input, each with one line of answer:
//
//	run N     N system calls; answers the CPU time in ns
//	work      a fixed piece of work without system calls; answers ns
//	from I    the next argument of getpgid, which counts up; answers 0
//
// Its calls bypass Go's scheduler (RawSyscall), it collects no garbage while
// it runs, and GODEBUG=asyncpreemptoff=1 keeps the runtime's signals away.

// missing is a file that openat does not find.
var missing = [...]byte{'/', 'n', 'o', '-', 's', 'u', 'c', 'h', '-', 'f', 'i', 'l', 'e', 0}

// generate is the generator's side: it serves until in ends. Its goroutine must
// be locked to its thread.
func generate(call string, in io.Reader, out io.Writer) error {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	undo, err := pin(generatorCPU)
	if err != nil {
		return err
	}
	defer undo()
	var next uintptr
	var op func(n int)
	switch call {
	case "getppid":
		op = func(n int) {
			for range n {
				syscall.RawSyscall(syscall.SYS_GETPPID, 0, 0, 0)
			}
		}
	case "getpgid": // hardly anybody else calls it
		op = func(n int) {
			for range n {
				syscall.RawSyscall(syscall.SYS_GETPGID, next&0x7fffffff, 0, 0)
				next++
			}
		}
	case "openat":
		const cwd = ^uintptr(99) // AT_FDCWD, -100
		op = func(n int) {
			for range n {
				syscall.RawSyscall6(syscall.SYS_OPENAT, cwd, uintptr(unsafe.Pointer(&missing[0])), 0, 0, 0, 0)
			}
		}
	default:
		return fmt.Errorf("the generator has no call %q", call)
	}
	fmt.Fprintln(out, "0") // ready
	for s := bufio.NewScanner(in); s.Scan(); {
		var n int
		verb, _, _ := strings.Cut(s.Text(), " ")
		if verb != "work" {
			if _, err := fmt.Sscanf(s.Text(), verb+" %d", &n); err != nil {
				return fmt.Errorf("generator: %q: %w", s.Text(), err)
			}
		}
		var ns int64
		switch verb {
		case "run":
			t := threadTime()
			op(n)
			ns = threadTime() - t
		case "work":
			ns = work()
		case "from":
			next = uintptr(n)
		default:
			return fmt.Errorf("generator: no such order: %q", s.Text())
		}
		if _, err := fmt.Fprintln(out, ns); err != nil {
			return err
		}
	}
	return nil
}

// threadTime is the CPU time of this thread: what others take does not count.
func threadTime() int64 {
	const threadCPU = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPU, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}

var workMemory [1 << 16]byte

// work takes as long as the machine is busy: arithmetic and memory only.
func work() int64 {
	start := time.Now()
	x := uint64(88172645463325252)
	for range 200000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		workMemory[x&0xffff]++
		workMemory[x>>20&0xffff] ^= byte(x)
	}
	return time.Since(start).Nanoseconds()
}

// generator is the driver's side of a running load generator.
type generator struct {
	*process
	in      io.WriteCloser
	out     io.Closer
	answers *bufio.Scanner
	err     error // the first
}

// newGenerator starts a generator of a system call.
func newGenerator(call string) (*generator, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out, w, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer w.Close()
	p, err := start([]string{self, "generator", call}, startOptions{
		stdin: r, stdout: w, env: []string{"GODEBUG=asyncpreemptoff=1"}})
	if err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	g := &generator{process: p, in: in, out: out, answers: bufio.NewScanner(out)}
	if g.answer(); g.err != nil {
		g.close()
		return nil, fmt.Errorf("%w: %s", g.err, p.complaint())
	}
	return g, nil
}

func (g *generator) answer() (ns int64) {
	if g.err != nil {
		return 0
	}
	if !g.answers.Scan() {
		g.err = errors.New("the load generator ended")
		return 0
	}
	_, g.err = fmt.Sscan(g.answers.Text(), &ns)
	return ns
}

func (g *generator) order(format string, args ...any) int64 {
	if g.err == nil {
		_, g.err = fmt.Fprintf(g.in, format+"\n", args...)
	}
	return g.answer()
}

// run makes n calls and returns the CPU time of one in ns.
func (g *generator) run(n int) float64 { return float64(g.order("run %d", n)) / float64(n) }

// work is how long the fixed work takes now.
func (g *generator) work() int64 { return g.order("work") }

// from sets the next argument of getpgid.
func (g *generator) from(i int) { g.order("from %d", i) }

// close ends the generator: it has no more orders to read.
func (g *generator) close() {
	g.in.Close()
	<-g.done
	g.out.Close()
}
