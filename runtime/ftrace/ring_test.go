package ftrace

import (
	"encoding/binary"
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// page makes a page of the trace buffer.
type page struct{ data []byte }

func (p *page) word(w uint32) { p.data = binary.NativeEndian.AppendUint32(p.data, w) }

func (p *page) event(delta uint32, record string) {
	switch n := len(record); {
	case n%4 == 0 && n <= 28*4:
		p.word(uint32(n/4) | delta<<5)
	default:
		p.word(delta << 5)
		p.word(uint32(n + 4))
	}
	p.data = append(p.data, record...)
	for len(p.data)%4 != 0 {
		p.data = append(p.data, 0)
	}
}

func (p *page) bytes(time uint64, flags uint64, size int) []byte {
	out := binary.NativeEndian.AppendUint64(nil, time)
	out = binary.NativeEndian.AppendUint64(out, uint64(len(p.data))|flags)
	return append(append(out, p.data...), make([]byte, size-len(p.data))...)
}

func TestEachRecord(t *testing.T) {
	var p page
	p.event(0, "abcd")
	p.event(10, "a record of more than one hundred and twelve bytes, whose length does not fit into the five bits of the first word.")
	p.word(entryExtend | 7<<5)
	p.word(1)
	p.event(0, "efgh")
	p.word(entryPadding | 1<<5) // discarded, so long
	p.word(8)
	p.word(0)
	p.event(1, "ijkl")
	p.word(entryStamp | 5<<5)
	p.word(2)
	p.event(0, "mnop")
	p.word(entryPadding)
	var got []string
	lost, err := eachRecord(p.bytes(100, 0, 4080), func(time uint64, record []byte) {
		got = append(got, fmt.Sprintf("%d %.4s", time, record))
	})
	base := uint64(110 + 1<<27 + 7)
	want := []string{"100 abcd", "110 a re", fmt.Sprint(base, " efgh"), fmt.Sprint(base+1, " ijkl"), fmt.Sprint(2<<27+5, " mnop")}
	if err != nil || lost != 0 || !slices.Equal(got, want) {
		t.Errorf("%v, lost %d, %q, want %q", err, lost, got, want)
	}
}

func TestLostRecords(t *testing.T) {
	var p page
	p.event(0, "abcd")
	for _, c := range []struct {
		flags uint64
		count uint64
		want  int64
	}{{0, 3, 0}, {1 << 31, 0, lostUnknown}, {1<<31 | 1<<30, 3, 3}} {
		b := p.bytes(100, c.flags, 4080)
		binary.NativeEndian.PutUint64(b[16+len(p.data):], c.count)
		if lost, err := eachRecord(b, func(uint64, []byte) {}); err != nil || lost != c.want {
			t.Errorf("%x: %d %v, want %d", c.flags, lost, err, c.want)
		}
	}
}

// TestDamagedPages reads pages in which anything may stand.
func TestDamagedPages(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var p page
	for range 40 {
		p.event(uint32(r.Intn(100)), "12345678")
	}
	good := p.bytes(1, 0, 1000)
	for range 20000 {
		b := slices.Clone(good)[:r.Intn(len(good))]
		for range r.Intn(8) {
			if len(b) > 0 {
				b[r.Intn(len(b))] = byte(r.Intn(256))
			}
		}
		eachRecord(b, func(uint64, []byte) {})
	}
}

// TestOddLength reads a page whose last record ends between two words.
func TestOddLength(t *testing.T) {
	var p page
	p.word(entryLong)
	p.word(4 + 3)
	p.data = append(p.data, "abc"...)
	var got []string
	if _, err := eachRecord(p.bytes(1, 0, 100), func(_ uint64, record []byte) { got = append(got, string(record)) }); err != nil || !slices.Equal(got, []string{"abc"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestPageSize(t *testing.T) {
	header := "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: char data;\toffset:16;\tsize:8176;\tsigned:1;\n"
	if n := pageSize(header); n != 8192 {
		t.Errorf("the page has %d bytes", n)
	}
}
