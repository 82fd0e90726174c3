// Package events reads the records of a BPF ring buffer straight from its
// mapping, without copying, and counts them.
//
// It must not import the compiler: what a record means is not known here.
package events

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Record flags in the length word (BPF_RINGBUF_BUSY_BIT, _DISCARD_BIT, _HDR_SZ).
const (
	busyBit    = 1 << 31
	discardBit = 1 << 30
	headerSize = 8
)

// A program submits its records without flags: the kernel then wakes the reader
// for a record if the reader has consumed all before it, and looks at that only
// after the record is complete. A reader that, having said how far it is, finds
// no complete record can therefore sleep until it is woken: none is overlooked,
// and nothing needs to be looked at by the clock. While it has not consumed what
// it was woken for, no record wakes it again, but those with which the ring
// becomes a quarter full: a reader that lags further is awake, and is let work.
const (
	// Wake-ups that follow each other within burst make the reader wait for
	// gather before it looks (or until the ring is a quarter full).
	burst  = 5 * time.Millisecond
	gather = 2 * time.Millisecond
)

// Counts says what a reader has seen.
type Counts struct {
	Records, Discarded, Bytes uint64
	Waits                     uint64 // how often it slept
}

// Reader reads one ring buffer. Only Wake may be called from another goroutine
// than the one that reads.
type Reader struct {
	consumer, data []byte
	consumed       *uint64 // position in consumer
	produced       *uint64 // position in data
	mask           uint64
	pos            uint64
	epoll, wake    int
	lastWake       time.Time // when there was something to read after a wait
	joined         []byte    // room for a record that the ring's end cuts in two
	counts         Counts
}

// Event is what Wait returned for.
type Event int32

// Reasons of Wait to return.
const (
	ring Event = iota
	// Woken is for a call of Wake.
	Woken
	// Watched is the first that Watch may be given.
	Watched
)

// NewReader maps the ring buffer fd of size bytes. The descriptor stays the
// caller's and may be closed once the reader exists.
func NewReader(fd, size int) (_ *Reader, err error) {
	r := &Reader{mask: uint64(size - 1), epoll: -1, wake: -1}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	page := os.Getpagesize()
	if r.consumer, err = unix.Mmap(fd, 0, page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return nil, fmt.Errorf("mapping the ring buffer: %w", err)
	}
	// The kernel would map the data a second time behind the first, so that no
	// record is cut; but that counts as memory of this process.
	data, err := unix.Mmap(fd, int64(page), page+size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mapping the ring buffer: %w", err)
	}
	r.data = data
	r.consumed = (*uint64)(unsafe.Pointer(&r.consumer[0]))
	r.produced = (*uint64)(unsafe.Pointer(&r.data[0]))
	r.pos = atomic.LoadUint64(r.consumed)
	if err = r.open(); err != nil {
		return nil, err
	}
	// Edge triggered: what is left in the ring must not keep Wait from sleeping.
	return r, r.watch(fd, unix.EPOLLIN|unix.EPOLLET, ring)
}

// NewIdle is a reader without a ring buffer: it waits, and has no records.
func NewIdle() (*Reader, error) {
	r := &Reader{epoll: -1, wake: -1, consumed: new(uint64), produced: new(uint64)}
	if err := r.open(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Reader) open() (err error) {
	if r.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return err
	}
	if r.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return err
	}
	return r.watch(r.wake, unix.EPOLLIN, Woken)
}

func (r *Reader) watch(fd int, events uint32, e Event) error {
	return unix.EpollCtl(r.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: events, Fd: int32(e)})
}

// Watch makes Wait return e (Watched or above) when fd becomes readable, once.
func (r *Reader) Watch(fd int, e Event) error {
	return r.watch(fd, unix.EPOLLIN|unix.EPOLLONESHOT, e)
}

// Wake makes a Wait return, now or the next time. It is safe to call from any
// goroutine before Close.
func (r *Reader) Wake() {
	unix.Write(r.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

// Never is the end of a Wait that has none.
const Never = -2 * time.Millisecond

// Wait sleeps until there is something to read, Wake is called, a watched
// descriptor is ready, or a time has passed (Never: none).
func (r *Reader) Wait(most time.Duration) ([]Event, error) {
	ready := r.isReady()
	if ready {
		most = 0
	}
	out, woken, err := r.sleep(nil, most)
	if err != nil || !woken && !ready || len(out) > 0 {
		return out, err
	}
	// The kernel wakes for the first record after those that were consumed.
	// When records come thick and fast that would be almost every one, and each
	// wake-up costs the traced program: let some gather.
	if now := time.Now(); now.Sub(r.lastWake) < burst && atomic.LoadUint64(r.produced)-r.pos <= r.mask/4 {
		out, _, err = r.sleep(out, gather)
		r.lastWake = time.Now()
	} else {
		r.lastWake = now
	}
	return out, err
}

// isReady reports whether the next record is complete. If not, the kernel wakes
// the reader when it is.
func (r *Reader) isReady() bool {
	return r.pos < atomic.LoadUint64(r.produced) && r.header(r.pos)&busyBit == 0
}

// header is the length and the flags of the record at a position.
func (r *Reader) header(pos uint64) uint32 {
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&r.records()[pos&r.mask])))
}

func (r *Reader) records() []byte { return r.data[os.Getpagesize():] }

// record is what follows the header at a position.
func (r *Reader) record(pos, size uint64) []byte {
	records, at := r.records(), pos&r.mask+headerSize
	if end := uint64(len(records)); at+size > end {
		r.joined = append(append(r.joined[:0], records[at:]...), records[:at+size-end]...)
		return r.joined
	}
	return records[at : at+size : at+size]
}

// sleep waits for at most d, or without end if that is negative, and appends what
// happened to out; woken is true if the ring buffer did it.
func (r *Reader) sleep(out []Event, d time.Duration) (_ []Event, woken bool, err error) {
	r.counts.Waits++
	var evs [8]unix.EpollEvent
	n, err := unix.EpollWait(r.epoll, evs[:], int((d+time.Millisecond-1)/time.Millisecond))
	if errors.Is(err, unix.EINTR) {
		return out, false, nil
	}
	if err != nil {
		return out, false, err
	}
	for _, e := range evs[:n] {
		switch Event(e.Fd) {
		case ring:
			woken = true
			continue
		case Woken:
			var b [8]byte
			unix.Read(r.wake, b[:])
		}
		out = append(out, Event(e.Fd))
	}
	return out, woken, nil
}

// Drain calls f with each record that was in the ring when it started, in
// order, and returns how many there were. The record is memory of the ring: it
// is valid during the call only. If f returns false, Drain stops behind that
// record.
func (r *Reader) Drain(f func(record []byte) bool) int {
	end := atomic.LoadUint64(r.produced)
	if r.pos >= end {
		return 0
	}
	n, freed := 0, r.pos
	for r.pos < end {
		at, head := r.pos, r.header(r.pos)
		if head&busyBit != 0 {
			break // still being written
		}
		size := uint64(head &^ (busyBit | discardBit))
		r.pos += (size + headerSize + 7) &^ 7
		if head&discardBit != 0 {
			r.counts.Discarded++
			continue
		}
		r.counts.Records++
		r.counts.Bytes += size
		n++
		more := f(r.record(at, size))
		// Give room back to the kernel in steps, not for each record: the
		// position shares a cache line with nothing, but its writer's CPU.
		if r.pos-freed > r.mask>>4 {
			atomic.StoreUint64(r.consumed, r.pos)
			freed = r.pos
		}
		if !more {
			break
		}
	}
	if r.pos != freed {
		atomic.StoreUint64(r.consumed, r.pos)
	}
	return n
}

// Empty reports whether all records that were produced have been read.
func (r *Reader) Empty() bool { return r.pos >= atomic.LoadUint64(r.produced) }

// DrainAll drains until the ring is empty, for records that are still being
// written up to wait. It is for a ring that nobody fills any more.
func (r *Reader) DrainAll(f func(record []byte) bool, wait time.Duration) int {
	n := 0
	var busySince time.Time
	stopped := false
	for !r.Empty() && !stopped {
		got := r.Drain(func(rec []byte) bool {
			stopped = !f(rec)
			return !stopped
		})
		n += got
		if got > 0 {
			busySince = time.Time{}
			continue
		}
		if busySince.IsZero() {
			busySince = time.Now()
		} else if time.Since(busySince) > wait {
			break
		}
		if !r.Empty() {
			time.Sleep(50 * time.Microsecond)
		}
	}
	return n
}

// Counts says what the reader has seen so far.
func (r *Reader) Counts() Counts { return r.counts }

// Close unmaps the ring. It may be called twice; no other method afterwards.
func (r *Reader) Close() error {
	for _, fd := range []*int{&r.epoll, &r.wake} {
		if *fd >= 0 {
			unix.Close(*fd)
			*fd = -1
		}
	}
	var err error
	for _, m := range []*[]byte{&r.consumer, &r.data} {
		if *m != nil {
			err = errors.Join(err, unix.Munmap(*m))
			*m = nil
		}
	}
	return err
}
