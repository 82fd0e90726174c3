package symbol

import (
	"bytes"
	"cmp"
	order "encoding/binary"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"fst/runtime/perf"
)

// A Watcher follows which files are mapped in which process of the system: the
// kernel tells of every program that is started and every library it loads. A
// process's addresses have names then even if it has ended by the time they are
// shown.
type Watcher struct {
	of    *Processes
	rings []*watchRing
	stop  int // an eventfd
	done  chan struct{}
	ended chan struct{} // closed with the watch
	learn sync.WaitGroup

	// code is told of files of which code was mapped: those in mapped.
	code   func(Code)
	mapped []*watchRecord
}

// watchPages is the size of a CPU's buffer: a program that is started takes
// about 2 KB of it.
const watchPages = 64

// Watch begins to follow the processes on some CPUs, and learns meanwhile what
// those that run already have mapped: all of them, or only pid if it is not 0.
// Close ends it. code, if it is not nil, is told at once when code of a file is
// mapped.
func (ps *Processes) Watch(cpus []int, pid int, code func(Code)) (_ *Watcher, err error) {
	w := &Watcher{of: ps, stop: -1, done: make(chan struct{}), ended: make(chan struct{}), code: code}
	wakeup := watchPages / 2 * os.Getpagesize()
	if code != nil {
		wakeup = 1
	}
	for _, cpu := range cpus {
		ring, err := newWatchRing(cpu, wakeup)
		if err != nil {
			w.release()
			return nil, err
		}
		w.rings = append(w.rings, ring)
	}
	if w.stop, err = unix.Eventfd(0, unix.EFD_CLOEXEC); err != nil {
		w.release()
		return nil, err
	}
	ps.mu.Lock()
	ps.watcher = w
	ps.mu.Unlock()
	go w.run()
	w.learn.Go(func() { w.learnRunning(pid) })
	return w, nil
}

// learnRunning reads the code of processes that nothing is known of: they may
// have ended by the time their addresses are shown.
func (w *Watcher) learnRunning(pid int) {
	ps := w.of
	for _, pid := range ps.proc.running(pid) {
		select {
		case <-w.ended:
			return
		default:
		}
		ps.mu.Lock()
		known := ps.known[pid] != nil
		ps.mu.Unlock()
		if known {
			continue
		}
		list := slices.DeleteFunc(ps.proc.mappings(pid), func(m mapping) bool { return !m.exec })
		if len(list) == 0 {
			continue // a thread of the kernel
		}
		ps.mu.Lock()
		if ps.known[pid] == nil {
			ps.forget()
			for i := range list {
				ps.share(&list[i])
			}
			ps.known[pid] = &process{pid: pid, mappings: slices.Clone(list), seen: true}
		}
		ps.mu.Unlock()
	}
}

// Close ends the watch; what was learned stays. A nil Watcher watches nothing.
func (w *Watcher) Close() {
	if w == nil {
		return
	}
	w.of.mu.Lock()
	w.drain()
	w.of.watcher = nil
	w.of.mu.Unlock()
	var one [8]byte
	order.NativeEndian.PutUint64(one[:], 1)
	unix.Write(w.stop, one[:])
	<-w.done
	close(w.ended)
	w.learn.Wait()
	w.release()
}

func (w *Watcher) release() {
	for _, ring := range w.rings {
		ring.close()
	}
	if w.stop >= 0 {
		unix.Close(w.stop)
	}
}

// run empties the buffers before they are full.
func (w *Watcher) run() {
	defer close(w.done)
	fds := []unix.PollFd{{Fd: int32(w.stop), Events: unix.POLLIN}}
	for _, ring := range w.rings {
		fds = append(fds, unix.PollFd{Fd: int32(ring.fd), Events: unix.POLLIN})
	}
	for {
		if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
			return
		}
		if fds[0].Revents != 0 {
			return
		}
		w.of.mu.Lock()
		if w.of.watcher == w {
			w.drain()
		}
		mapped := w.mapped
		w.mapped = nil
		w.of.mu.Unlock()
		for _, rec := range mapped {
			if c, ok := w.of.proc.code(rec.pid, &rec.m); ok {
				w.code(c)
			}
		}
	}
}

// drain takes what the kernel has told so far, in the order in which it
// happened. The caller holds the processes' lock.
func (w *Watcher) drain() {
	var records []watchRecord
	for _, ring := range w.rings {
		records = ring.read(records)
	}
	slices.SortStableFunc(records, func(a, b watchRecord) int { return cmp.Compare(a.time, b.time) })
	for i := range records {
		w.of.note(&records[i])
	}
}

// watchRecord is a record of the kernel: a program was started (exec), a
// process was forked, or a file was mapped.
type watchRecord struct {
	kind   uint32
	time   uint64
	pid    int
	parent int // of a fork
	m      mapping
}

// maxImages is how many earlier programs of a process are kept.
const maxImages = 8

// note applies a record to what is known of its process.
func (ps *Processes) note(rec *watchRecord) {
	p := ps.known[rec.pid]
	if p == nil {
		ps.forget()
		p = &process{pid: rec.pid}
		ps.known[rec.pid] = p
	}
	if rec.time < p.told {
		return
	}
	p.told = rec.time
	switch rec.kind {
	case unix.PERF_RECORD_COMM:
		p.replace()
		p.seen = true
	case unix.PERF_RECORD_FORK: // it may have the id of one that has ended
		p.replace()
		parent := ps.known[rec.parent]
		p.seen, p.parent = false, rec.parent
		if parent != nil && parent.seen {
			p.mappings, p.seen = slices.Clip(parent.mappings), true
		}
	case unix.PERF_RECORD_MMAP2:
		ps.share(&rec.m)
		list := make([]mapping, 0, len(p.mappings)+1)
		for _, m := range p.mappings {
			if m.end <= rec.m.start || m.start >= rec.m.end {
				list = append(list, m)
			}
		}
		list = append(list, rec.m)
		slices.SortFunc(list, func(a, b mapping) int { return cmp.Compare(a.start, b.start) })
		p.mappings = list
		if ps.watcher != nil && ps.watcher.code != nil {
			ps.watcher.mapped = append(ps.watcher.mapped, rec)
		}
	}
}

// replace begins another program. Stacks of the one before may still be shown.
func (p *process) replace() {
	if len(p.mappings) > 0 {
		p.before = append(p.before[max(0, len(p.before)-maxImages+1):], p.mappings)
	}
	p.mappings = nil
}

// watchRing is the buffer of one CPU.
type watchRing struct {
	fd   int
	mem  []byte
	page *unix.PerfEventMmapPage
}

// newWatchRing makes the buffer of a CPU, which wakes those who wait for it when
// so many bytes are in it.
func newWatchRing(cpu, wakeup int) (*watchRing, error) {
	attr := perf.Attr(unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_DUMMY)
	attr.Sample_type, attr.Wakeup, attr.Clockid = unix.PERF_SAMPLE_TIME, uint32(wakeup), unix.CLOCK_MONOTONIC
	attr.Bits = unix.PerfBitMmap | unix.PerfBitMmap2 | unix.PerfBitComm | unix.PerfBitCommExec | unix.PerfBitTask |
		unix.PerfBitSampleIDAll | unix.PerfBitWatermark | unix.PerfBitExcludeKernel | unix.PerfBitUseClockID
	fd, err := perf.Open(attr, -1, cpu)
	if err != nil {
		return nil, fmt.Errorf("perf_event_open: %w", err)
	}
	mem, err := unix.Mmap(fd, 0, (1+watchPages)*os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("mapping a perf buffer: %w", err)
	}
	return &watchRing{fd: fd, mem: mem, page: (*unix.PerfEventMmapPage)(unsafe.Pointer(&mem[0]))}, nil
}

func (w *watchRing) close() {
	unix.Munmap(w.mem)
	unix.Close(w.fd)
}

// read appends the records since the last read.
func (w *watchRing) read(list []watchRecord) []watchRecord {
	data := w.mem[os.Getpagesize():]
	head := atomic.LoadUint64(&w.page.Data_head)
	tail := w.page.Data_tail
	size := uint64(len(data))
	var whole []byte
	for tail < head {
		at := tail % size
		n := uint64(order.NativeEndian.Uint16(data[at+6:])) // records are aligned to 8 bytes
		if n < 8 || tail+n > head {
			break
		}
		rec := data[at:min(at+n, size)]
		if at+n > size {
			whole = append(append(whole[:0], rec...), data[:at+n-size]...)
			rec = whole
		}
		if r, ok := parseWatch(rec); ok {
			list = append(list, r)
		}
		tail += n
	}
	atomic.StoreUint64(&w.page.Data_tail, head)
	runtime.KeepAlive(w)
	return list
}

// parseWatch decodes a record; ok is false for one that says nothing of use.
// The time stands at its end.
func parseWatch(b []byte) (r watchRecord, ok bool) {
	u32 := func(at int) uint32 { return order.NativeEndian.Uint32(b[at:]) }
	u64 := func(at int) uint64 { return order.NativeEndian.Uint64(b[at:]) }
	if len(b) < 24 {
		return r, false
	}
	r.kind, r.pid, r.time = u32(0), int(u32(8)), u64(len(b)-8)
	misc := order.NativeEndian.Uint16(b[4:])
	switch r.kind {
	case unix.PERF_RECORD_COMM:
		return r, misc&unix.PERF_RECORD_MISC_COMM_EXEC != 0
	case unix.PERF_RECORD_FORK:
		r.parent = int(u32(12))
		return r, r.pid != r.parent // not a thread
	case unix.PERF_RECORD_MMAP2:
		const nameAt = 72
		if len(b) < nameAt+8 {
			return r, false
		}
		name, _, _ := bytes.Cut(b[nameAt:len(b)-8], []byte{0})
		start := u64(16)
		r.m = mapping{start: start, end: start + u64(24), offset: u64(32), exec: true, told: r.time,
			backing: &backing{dev: fmt.Sprintf("%02x:%02x", u32(40), u32(44)), inode: u64(48), path: string(name)}}
		return r, true
	}
	return r, false
}
