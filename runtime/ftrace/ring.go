package ftrace

import (
	"encoding/binary"
	"errors"
)

// lostUnknown is the number of lost records that a page does not tell.
const lostUnknown = -1

// Types of an entry of a page, in the low five bits of its first word; see
// tracefs' events/header_event.
const (
	entryLong    = 0 // the length is in the next word
	entryPadding = 29
	entryExtend  = 30
	entryStamp   = 31
)

var errPage = errors.New("a page of the kernel's trace buffer is not understood")

// eachRecord takes a page of trace_pipe_raw apart. lost is how many records
// the kernel dropped before the page's first one.
func eachRecord(page []byte, f func(time uint64, record []byte)) (lost int64, err error) {
	const (
		head       = 16 // time, commit
		missed     = 1 << 31
		missedTold = 1 << 30
		lengthBits = 1<<27 - 1
	)
	if len(page) < head {
		return 0, errPage
	}
	time := binary.NativeEndian.Uint64(page)
	commit := binary.NativeEndian.Uint64(page[8:])
	data := page[head:]
	length := commit & lengthBits
	if length > uint64(len(data)) {
		return 0, errPage
	}
	if commit&missed != 0 {
		lost = lostUnknown
		if commit&missedTold != 0 && length+8 <= uint64(len(data)) {
			lost = int64(binary.NativeEndian.Uint64(data[length:]))
		}
	}
	data = data[:length]
	for len(data) >= 4 {
		word := binary.NativeEndian.Uint32(data)
		kind, delta := word&31, uint64(word>>5)
		var next uint32
		if kind == entryLong || kind >= entryPadding {
			if kind == entryPadding && delta == 0 {
				break // nothing follows on this page
			}
			if len(data) < 8 {
				return lost, errPage
			}
			next = binary.NativeEndian.Uint32(data[4:])
		}
		switch kind {
		case entryExtend:
			time += uint64(next)<<27 + delta
			data = data[8:]
			continue
		case entryStamp:
			// The upper five bits of an absolute time are those of the page.
			time = time&^(1<<59-1) | uint64(next)<<27 + delta
			data = data[8:]
			continue
		case entryPadding:
			if uint64(next)+4 > uint64(len(data)) {
				return lost, errPage
			}
			data = data[next+4:]
			continue
		}
		time += delta
		start, end := uint64(4), 4+4*uint64(kind)
		if kind == entryLong {
			start, end = 8, 4+uint64(next)
		}
		if end < start || end > uint64(len(data)) {
			return lost, errPage
		}
		f(time, data[start:end])
		data = data[min((end+3)&^3, uint64(len(data))):]
	}
	return lost, nil
}
