package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
)

// cpuSet is a set of CPUs, a bit each.
type cpuSet [1024 / bits.UintSize]uint

// allowedCPUs are the CPUs that the calling thread may use, lowest first.
func allowedCPUs() (set cpuSet, cpus []int, err error) {
	_, _, e := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	if e != 0 {
		return set, nil, fmt.Errorf("sched_getaffinity: %w", e)
	}
	for i, word := range set {
		for ; word != 0; word &= word - 1 {
			cpus = append(cpus, i*bits.UintSize+bits.TrailingZeros(word))
		}
	}
	return set, cpus, nil
}

// bind binds the calling thread to a set of CPUs.
func bind(set cpuSet) error {
	_, _, e := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	if e != 0 {
		return fmt.Errorf("sched_setaffinity: %w", e)
	}
	return nil
}

// Of the CPUs allowed the generator gets the first and the tracers the second:
// then a tracer's own work does not slow down what it traces. A single CPU
// they share.
const (
	generatorCPU = 0
	tracerCPU    = 1
)

// pin binds the calling thread to the generator's or the tracer's CPU; undo
// binds it to those it had.
func pin(which int) (undo func(), err error) {
	had, cpus, err := allowedCPUs()
	if err != nil || len(cpus) < 2 {
		return func() {}, err
	}
	var one cpuSet
	one[cpus[which]/bits.UintSize] = 1 << (cpus[which] % bits.UintSize)
	return func() { bind(had) }, bind(one)
}

type startOptions struct {
	stdin, stdout *os.File // nil: none, and kept in process.out
	env           []string // besides ours
	pinned        bool     // to tracerCPU
}

// process is a process that we started.
type process struct {
	cmd      *exec.Cmd
	pid      int
	started  time.Time
	out, err output
	done     chan struct{} // closed at its end
	ended    time.Time     // valid then
}

// output keeps what a process writes, and when it wrote its first byte.
type output struct {
	mu    sync.Mutex
	b     bytes.Buffer
	first time.Time
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.b.Len() == 0 {
		o.first = time.Now()
	}
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// start starts a process that ends at the latest with us. It must be called
// from the main goroutine.
func start(argv []string, o startOptions) (*process, error) {
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), o.env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	if o.stdin != nil {
		p.cmd.Stdin = o.stdin
	}
	if o.stdout != nil {
		p.cmd.Stdout = o.stdout
	}
	if o.pinned {
		undo, err := pin(tracerCPU)
		if err != nil {
			return nil, err
		}
		defer undo()
	}
	p.started = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.pid = p.cmd.Process.Pid
	go func() {
		p.cmd.Wait() // the exit status is read from cmd.ProcessState
		p.ended = time.Now()
		close(p.done)
	}()
	return p, nil
}

// wait waits for the end; a process that takes longer than limit (0: none) is
// killed.
func (p *process) wait(limit time.Duration) error {
	var late <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-p.done:
	case <-late:
		p.cmd.Process.Kill()
		<-p.done
		return fmt.Errorf("did not end within %v", limit)
	}
	if !p.cmd.ProcessState.Success() {
		return fmt.Errorf("%v: %s", p.cmd.ProcessState, p.complaint())
	}
	return nil
}

// stop interrupts the process and returns how long it took to end.
func (p *process) stop() (time.Duration, error) {
	asked := time.Now()
	p.cmd.Process.Signal(os.Interrupt)
	err := p.wait(time.Minute)
	return p.ended.Sub(asked), err
}

// kill ends the process at once.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.done
}

func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// complaint is the end of what the process wrote to its standard error.
func (p *process) complaint() string {
	s := strings.TrimSpace(p.err.String())
	if len(s) > 400 {
		s = "…" + s[len(s)-400:]
	}
	return s
}

// cpuTime of a process that ended.
func (p *process) cpuTime() time.Duration {
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// cpuTimeNow is the CPU time of a running process so far.
func (p *process) cpuTimeNow() time.Duration {
	const tick = 10 * time.Millisecond // USER_HZ is 100 on everything Go runs on
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * tick
}

// peakMemory watches a process to its end and returns the last peak of its
// resident memory seen, in bytes. (The peak that wait4 reports is no use: it
// begins with that of the process that called fork.)
func (p *process) peakMemory() float64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		return 0
	}
	defer f.Close()
	peak := 0
	for buffer := make([]byte, 8192); p.running(); time.Sleep(20 * time.Microsecond) {
		n, _ := f.ReadAt(buffer, 0)
		if _, rest, ok := strings.Cut(string(buffer[:n]), "VmHWM:"); ok {
			fmt.Sscan(rest, &peak)
		}
	}
	return float64(peak) * 1024
}

// descriptors counts a process's open files: each probe it attaches adds some.
func (p *process) descriptors() int {
	d, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.pid))
	if err != nil {
		return 0
	}
	return len(d)
}

// programs are the BPF programs that a process has open, with their runs so
// far. Runs count only while statistics are on (ebpf.EnableStats).
func (p *process) programs() map[ebpf.ProgramID]uint64 {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", p.pid))
	runs := map[ebpf.ProgramID]uint64{}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		_, rest, ok := strings.Cut(string(b), "\nprog_id:")
		if !ok {
			continue
		}
		var id ebpf.ProgramID
		if _, err := fmt.Sscan(rest, &id); err != nil {
			continue
		}
		if _, ok := runs[id]; ok {
			continue
		}
		if program, err := ebpf.NewProgramFromID(id); err == nil {
			if s, err := program.Stats(); err == nil {
				runs[id] = s.RunCount
			}
			program.Close()
		}
	}
	return runs
}

// awaitAttached lets the generator run until so many of the tracer's programs
// have run with each of its calls.
func (p *process) awaitAttached(g *generator, programs int) error {
	statistics, err := ebpf.EnableStats(0) // BPF_STATS_RUN_TIME
	if err != nil {
		return err
	}
	defer statistics.Close()
	const calls = 50
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); time.Sleep(10 * time.Millisecond) {
		if !p.running() {
			return fmt.Errorf("ended before its probes were attached: %v: %s", p.cmd.ProcessState, p.complaint())
		}
		before := p.programs()
		g.run(calls)
		if g.err != nil {
			return g.err
		}
		hit := 0
		for id, runs := range p.programs() {
			if was, ok := before[id]; ok && runs >= was+calls {
				hit++
			}
		}
		if hit >= programs {
			return nil
		}
	}
	return errors.New("its probes never ran: " + p.complaint())
}
