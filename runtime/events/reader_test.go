package events

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fst/runtime/bpf"

	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"
)

// producer loads a program that puts one record with a number in it into a
// ring; each run of it makes n of them.
func producer(t testing.TB, size, n int) (r *Reader, run func()) {
	t.Helper()
	ring, err := bpf.CreateMap(&bpf.MapSpec{Type: bpf.RingBuf, Entries: size})
	if errors.Is(err, unix.EPERM) {
		t.Skip("no permission to use BPF: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(ring) })
	insns := asm.Instructions{asm.Mov.Imm(asm.R6, 0)}
	for range n {
		insns = append(insns, asm.StoreMem(asm.RFP, -16, asm.R6, asm.DWord), asm.StoreMem(asm.RFP, -8, asm.R6, asm.DWord),
			asm.LoadMapPtr(asm.R1, ring), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, -16), asm.Mov.Imm(asm.R3, 12),
			asm.Mov.Imm(asm.R4, 0), asm.FnRingbufOutput.Call(), asm.Add.Imm(asm.R6, 1),
			// Another record is reserved and discarded.
			asm.LoadMapPtr(asm.R1, ring), asm.Mov.Imm(asm.R2, 8), asm.Mov.Imm(asm.R3, 0), asm.FnRingbufReserve.Call(),
			asm.JEq.Imm(asm.R0, 0, "exit"), asm.Mov.Reg(asm.R1, asm.R0), asm.Mov.Imm(asm.R2, 0), asm.FnRingbufDiscard.Call())
	}
	insns = append(insns, asm.Mov.Imm(asm.R0, 0).WithSymbol("exit"), asm.Return())
	var code buffer
	if err := insns.Marshal(&code, binary.LittleEndian); err != nil {
		t.Fatal(err)
	}
	p := &bpf.Prog{Type: bpf.RawTracepoint, License: "GPL", Code: code}
	prog, err := bpf.Load(p)
	if err != nil {
		log, _ := bpf.LoadLog(p)
		t.Fatal(err, log)
	}
	t.Cleanup(func() { unix.Close(prog) })
	if r, err = NewReader(ring, size); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, func() {
		if _, err := bpf.TestRun(prog); err != nil {
			t.Fatal(err)
		}
	}
}

type buffer []byte

func (b *buffer) Write(p []byte) (int, error) { *b = append(*b, p...); return len(p), nil }

// Records come in order and whole, also where they cross the ring's end.
func TestDrain(t *testing.T) {
	const each, rounds = 20, 50
	r, run := producer(t, 4096, each)
	seen := 0
	for range rounds {
		run()
		r.Drain(func(rec []byte) bool {
			if len(rec) != 12 || binary.NativeEndian.Uint64(rec) != uint64(seen%each) || binary.NativeEndian.Uint32(rec[8:]) != uint32(seen%each) {
				t.Fatalf("record %d: % x", seen, rec)
			}
			seen++
			return true
		})
	}
	c := r.Counts()
	if seen != each*rounds || c.Records != each*rounds || c.Discarded != each*rounds || c.Bytes != 12*each*rounds || !r.Empty() {
		t.Errorf("%d seen, %+v", seen, c)
	}
}

func TestDrainStops(t *testing.T) {
	r, run := producer(t, 4096, 3)
	run()
	if n := r.Drain(func([]byte) bool { return false }); n != 1 || r.Empty() {
		t.Error("drained", n)
	}
	if n := r.DrainAll(func([]byte) bool { return true }, time.Millisecond); n != 2 || !r.Empty() {
		t.Error("drained", n)
	}
}

func TestWaits(t *testing.T) {
	r, run := producer(t, 4096, 1)
	// Nobody looks by the clock.
	began := time.Now()
	time.AfterFunc(150*time.Millisecond, r.Wake)
	evs, err := r.Wait(Never)
	if err != nil || len(evs) != 1 || evs[0] != Woken || time.Since(began) < 150*time.Millisecond {
		t.Error("idle", evs, err, time.Since(began))
	}
	if evs, err := r.Wait(20 * time.Millisecond); err != nil || len(evs) > 0 {
		t.Error("end of a wait", evs, err)
	}
	run()
	if evs, err := r.Wait(Never); err != nil || len(evs) > 0 {
		t.Error("record", evs, err)
	}
	if n := r.Drain(func([]byte) bool { return true }); n != 1 {
		t.Error("drained", n)
	}
	go r.Wake()
	for evs, err := r.Wait(Never); len(evs) == 0; evs, err = r.Wait(Never) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var pipe [2]int
	if err := unix.Pipe(pipe[:]); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pipe[0])
	if err := r.Watch(pipe[0], Watched+3); err != nil {
		t.Fatal(err)
	}
	unix.Close(pipe[1])
	for {
		evs, err := r.Wait(Never)
		if err != nil {
			t.Fatal(err)
		}
		if len(evs) == 1 && evs[0] == Watched+3 {
			break
		}
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Error(err)
	}
}

func TestIdle(t *testing.T) {
	r, err := NewIdle()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.Wake()
	if evs, err := r.Wait(Never); err != nil || len(evs) != 1 || evs[0] != Woken || r.Drain(nil) != 0 || !r.Empty() {
		t.Error(evs, err)
	}
}

// No record is overlooked, whenever it comes: a reader that sleeps on would be
// woken by the alarm only.
func TestNoneOverlooked(t *testing.T) {
	const most, long = 20000, 10 * time.Second
	r, run := producer(t, 1<<20, 1)
	var made, done atomic.Int64
	var producing sync.WaitGroup
	defer producing.Wait() // nobody may wake a reader that is closed
	producing.Go(func() {
		for end := time.Now().Add(time.Second); made.Load() < most && time.Now().Before(end); {
			run()
			made.Add(1)
			for pause := time.Now().Add(rand.N(30 * time.Microsecond)); time.Now().Before(pause); {
			}
		}
		done.Store(1)
		r.Wake()
	})
	alarm := time.AfterFunc(long, r.Wake)
	defer alarm.Stop()
	for seen := int64(0); done.Load() == 0 || seen < made.Load(); {
		r.lastWake = time.Time{} // let none gather
		evs, err := r.Wait(Never)
		if err != nil || len(evs) > 0 && done.Load() == 0 {
			t.Fatalf("%d of %d seen: %v %v", seen, made.Load(), evs, err)
		}
		seen += int64(r.Drain(func([]byte) bool { return true }))
		alarm.Reset(long)
	}
	t.Log(made.Load(), "records,", r.Counts().Waits, "waits")
}
