package interpreter

import (
	"sync"
	"time"

	"fst/runtime/events"
)

// ring implements session.Records: a queue without an end.
type ring struct {
	*events.Reader // that waits
	programs       *programs
	mu             sync.Mutex
	records        [][]byte
}

func newRing(p *programs) (*ring, error) {
	idle, err := events.NewIdle()
	return &ring{Reader: idle, programs: p}, err
}

// submit adds a record.
func (r *ring) submit(rec []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.records = append(r.records, rec)
	if len(r.records) == 1 {
		r.Wake()
	}
}

// next takes the first record, nil if there is none.
func (r *ring) next() (rec []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.records) > 0 {
		rec, r.records = r.records[0], r.records[1:]
	}
	return rec
}

func (r *ring) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.records)
}

// Drain implements session.Records.
func (r *ring) Drain(f func(record []byte) bool) (n int) {
	for all := r.count(); n < all; {
		rec := r.next()
		if n++; !f(rec) {
			break
		}
	}
	return n
}

// DrainAll implements session.Records.
func (r *ring) DrainAll(f func(record []byte) bool, _ time.Duration) (n int) {
	for rec := r.next(); rec != nil; rec = r.next() {
		if n++; !f(rec) {
			break
		}
	}
	return n
}

// Wait implements session.Records: instead of waiting for the next interval it runs it.
func (r *ring) Wait(most time.Duration) ([]events.Event, error) {
	if r.count() > 0 {
		return nil, nil
	}
	if ok, err := r.programs.tick(); ok || err != nil {
		return nil, err
	}
	return r.Reader.Wait(most)
}
