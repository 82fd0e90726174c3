package main

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/ringbuf"
)

// The floor: for each question a program written by hand that does the least
// known to answer it. All are raw tracepoints, whose context is the arguments
// of the tracepoint: sys_enter(regs, number), sys_exit(regs, result). A compiler
// can come below the floor only by a better idea.

// Offsets in pt_regs of the first argument and of the number of a system call.
var regOffsets = map[string]struct{ arg0, number int32 }{
	"amd64": {arg0: 112, number: 120}, // di, orig_ax
	"arm64": {arg0: 0, number: 280},   // regs[0], syscallno
}

const ringSize = 1 << 20

// floor answers one question until it is interrupted, as a tool would.
func floor(name string, args []string) error {
	if name == "read" { // of compile: read the script, and no more
		if len(args) != 1 {
			return errors.New("floor read FILE")
		}
		_, err := os.ReadFile(args[0])
		return err
	}
	var numbers [2]int
	for i, a := range args[:min(len(args), len(numbers))] {
		n, err := strconv.Atoi(a)
		if err != nil {
			return err
		}
		numbers[i] = n
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	f := &floorProgram{pid: int32(numbers[0]), regs: regOffsets[runtime.GOARCH], interrupted: interrupted}
	if _, ok := regOffsets[runtime.GOARCH]; !ok {
		return fmt.Errorf("the floor programs do not know the registers of %s", runtime.GOARCH)
	}
	switch name {
	case "begin":
		return f.begin()
	case "reject", "count":
		return f.count()
	case "pid":
		return f.byPID()
	case "comm":
		return f.byComm()
	case "hist":
		return f.hist()
	case "latency":
		return f.latency(numbers[1])
	case "printf":
		return f.printf()
	case "wildcard":
		return f.wildcard()
	case "readout":
		return f.readout(numbers[1])
	}
	return fmt.Errorf("no floor program %q", name)
}

// floorProgram traces one process.
type floorProgram struct {
	pid         int32
	regs        struct{ arg0, number int32 }
	interrupted <-chan os.Signal
}

// begin: one map, one program, run once by the kernel's test run.
func (f *floorProgram) begin() error {
	m, err := newMap(ebpf.Array, 4, 8, 1)
	if err != nil {
		return err
	}
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.RawTracepoint, License: "GPL", Instructions: asm.Instructions{
		asm.LoadMapValue(asm.R1, m.FD(), 0), asm.Mov.Imm(asm.R2, 1), asm.StoreMem(asm.R1, 0, asm.R2, asm.DWord),
		asm.Mov.Imm(asm.R0, 0), asm.Return()}})
	if err != nil {
		return err
	}
	if _, err := p.Run(&ebpf.RunOptions{}); err != nil {
		return err
	}
	var ran uint64
	if err := m.Lookup(uint32(0), &ran); err != nil || ran != 1 {
		return fmt.Errorf("the program did not run: %w", err)
	}
	fmt.Println("hi")
	return nil
}

// count: one slot a CPU. With a process that does not exist it is "reject".
func (f *floorProgram) count() error {
	m, err := newMap(ebpf.PerCPUArray, 4, 8, 1)
	if err != nil {
		return err
	}
	code := f.filter()
	code = append(code, asm.StoreImm(asm.RFP, -4, 0, asm.Word))
	code = append(code, lookup(m, -4, "exit")...)
	code = append(code, increment()...)
	return f.runUntilInterrupted(func() error {
		fmt.Println("@:", perCPUSum(m, uint32(0)))
		return nil
	}, probe{"sys_enter", code})
}

// byPID: a hash with a value a CPU, incremented in place.
func (f *floorProgram) byPID() error {
	m, err := newMap(ebpf.PerCPUHash, 4, 8, 4096)
	if err != nil {
		return err
	}
	code := f.filter() // leaves the pid in r0
	code = append(code, asm.StoreMem(asm.RFP, -4, asm.R0, asm.Word))
	code = append(code, countKey(m, -4)...)
	return f.runUntilInterrupted(func() error {
		fmt.Printf("@[%d]: %d\n", f.pid, perCPUSum(m, uint32(f.pid)))
		return nil
	}, probe{"sys_enter", code})
}

// byComm: the same, the key loaded from the task itself and not by a helper.
func (f *floorProgram) byComm() error {
	m, err := newMap(ebpf.PerCPUHash, 16, 8, 4096)
	if err != nil {
		return err
	}
	comm, err := taskOffset("comm")
	if err != nil {
		return err
	}
	tgid, err := taskOffset("tgid")
	if err != nil {
		return err
	}
	code := asm.Instructions{
		asm.FnGetCurrentTaskBtf.Call(),
		asm.LoadMem(asm.R1, asm.R0, tgid, asm.Word), asm.JNE.Imm(asm.R1, f.pid, "exit"),
		asm.LoadMem(asm.R1, asm.R0, comm, asm.DWord), asm.StoreMem(asm.RFP, -16, asm.R1, asm.DWord),
		asm.LoadMem(asm.R1, asm.R0, comm+8, asm.DWord), asm.StoreMem(asm.RFP, -8, asm.R1, asm.DWord),
	}
	code = append(code, countKey(m, -16)...)
	return f.runUntilInterrupted(func() error {
		var key [16]byte
		var values []uint64
		for entries := m.Iterate(); entries.Next(&key, &values); {
			fmt.Printf("@[%s]: %d\n", key[:], sum(values))
		}
		return nil
	}, probe{"sys_enter", code})
}

// hist: the bucket is the index into an array with a value a CPU.
func (f *floorProgram) hist() error {
	m, err := newMap(ebpf.PerCPUArray, 4, 8, buckets)
	if err != nil {
		return err
	}
	code := append(asm.Instructions{asm.Mov.Reg(asm.R6, asm.R1)}, f.filter()...)
	code = append(code, asm.LoadMem(asm.R1, asm.R6, 8, asm.DWord))
	code = append(code, addToHist(m)...)
	return f.runUntilInterrupted(func() error { return printHist(m) }, probe{"sys_enter", code})
}

// latency: the start in the task's own storage, 0 if there is none. A number is that of
// the only system call that is meant.
func (f *floorProgram) latency(number int) error {
	h, err := newMap(ebpf.PerCPUArray, 4, 8, buckets)
	if err != nil {
		return err
	}
	const noPrealloc = 1
	starts, err := keep(ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.TaskStorage, KeySize: 4, ValueSize: 8, Flags: noPrealloc,
		Key:   &btf.Int{Name: "int", Size: 4, Encoding: btf.Signed},
		Value: &btf.Int{Name: "u64", Size: 8}}))
	if err != nil {
		return err
	}
	tgid, err := taskOffset("tgid")
	if err != nil {
		return err
	}
	begin := func(create int32) asm.Instructions { // r6 = where the start is
		return asm.Instructions{
			asm.FnGetCurrentTaskBtf.Call(),
			asm.LoadMem(asm.R1, asm.R0, tgid, asm.Word), asm.JNE.Imm(asm.R1, f.pid, "exit"),
			asm.LoadMapPtr(asm.R1, starts.FD()), asm.Mov.Reg(asm.R2, asm.R0), asm.Mov.Imm(asm.R3, 0), asm.Mov.Imm(asm.R4, create),
			asm.FnTaskStorageGet.Call(), asm.JEq.Imm(asm.R0, 0, "exit"), asm.Mov.Reg(asm.R6, asm.R0),
		}
	}
	enter := begin(1)
	if number > 0 {
		enter = append(asm.Instructions{asm.LoadMem(asm.R0, asm.R1, 8, asm.DWord), asm.JNE.Imm(asm.R0, int32(number), "exit")}, enter...)
	}
	enter = append(enter, asm.FnKtimeGetNs.Call(), asm.StoreMem(asm.R6, 0, asm.R0, asm.DWord))
	leave := append(begin(0),
		asm.LoadMem(asm.R7, asm.R6, 0, asm.DWord), asm.JEq.Imm(asm.R7, 0, "exit"),
		asm.FnKtimeGetNs.Call(),
		asm.Mov.Imm(asm.R1, 0), asm.StoreMem(asm.R6, 0, asm.R1, asm.DWord),
		asm.Mov.Reg(asm.R1, asm.R0), asm.Sub.Reg(asm.R1, asm.R7))
	leave = append(leave, addToHist(h)...)
	return f.runUntilInterrupted(func() error { return printHist(h) }, probe{"sys_exit", leave}, probe{"sys_enter", enter})
}

// printf: written in place into a ring, whose reader is woken at a quarter
// full and otherwise looks every 10 ms.
func (f *floorProgram) printf() error {
	m, err := newMap(ebpf.RingBuf, 0, 0, ringSize)
	if err != nil {
		return err
	}
	const size = 32 // pid, comm, argument
	code := f.getpgidArgument()
	code = append(code,
		asm.LoadMapPtr(asm.R1, m.FD()), asm.Mov.Imm(asm.R2, size), asm.Mov.Imm(asm.R3, 0), asm.FnRingbufReserve.Call(),
		asm.JEq.Imm(asm.R0, 0, "exit"), asm.Mov.Reg(asm.R9, asm.R0),
		asm.Mov.Imm(asm.R1, f.pid), asm.StoreMem(asm.R9, 0, asm.R1, asm.DWord),
		asm.StoreMem(asm.R9, 24, asm.R7, asm.DWord),
		asm.Mov.Reg(asm.R1, asm.R9), asm.Add.Imm(asm.R1, 8), asm.Mov.Imm(asm.R2, 16), asm.FnGetCurrentComm.Call(),
		asm.LoadMapPtr(asm.R1, m.FD()), asm.Mov.Imm(asm.R2, 0), asm.FnRingbufQuery.Call(), // bytes unread
		asm.Mov.Imm(asm.R2, 1), // BPF_RB_NO_WAKEUP
		asm.JLT.Imm(asm.R0, ringSize/4, "submit"),
		asm.Mov.Imm(asm.R2, 2), // BPF_RB_FORCE_WAKEUP
		asm.Mov.Reg(asm.R1, asm.R9).WithSymbol("submit"), asm.FnRingbufSubmit.Call())
	reader, err := ringbuf.NewReader(m)
	if err != nil {
		return err
	}
	finished := make(chan error, 1)
	go func() { finished <- printEvents(reader) }()
	return f.runUntilInterrupted(func() error {
		return errors.Join(reader.Flush(), <-finished)
	}, probe{"sys_enter", code})
}

// printEvents prints what comes until the reader is flushed.
func printEvents(reader *ringbuf.Reader) error {
	w := bufio.NewWriterSize(os.Stdout, 1<<16)
	var event ringbuf.Record
	var line []byte
	reader.SetDeadline(time.Now())
	for {
		err := reader.ReadInto(&event)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			reader.SetDeadline(time.Now().Add(10 * time.Millisecond))
			if err := w.Flush(); err != nil {
				return err
			}
			continue
		case errors.Is(err, ringbuf.ErrFlushed):
			return w.Flush()
		case err != nil:
			return err
		}
		b := event.RawSample
		line = strconv.AppendUint(line[:0], binary.NativeEndian.Uint64(b), 10)
		line = append(line, ' ')
		line = append(line, cString(b[8:24])...)
		line = append(line, ' ')
		line = strconv.AppendInt(line, int64(binary.NativeEndian.Uint64(b[24:])), 10)
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
}

// wildcard: one raw tracepoint for all system calls, counted by number.
func (f *floorProgram) wildcard() error {
	const numbers = 512
	m, err := newMap(ebpf.PerCPUArray, 4, 8, numbers)
	if err != nil {
		return err
	}
	code := append(asm.Instructions{asm.Mov.Reg(asm.R6, asm.R1)}, f.filter()...)
	code = append(code, asm.LoadMem(asm.R3, asm.R6, 0, asm.DWord))
	code = append(code, readRegister(f.regs.number)...)
	code = append(code, asm.StoreMem(asm.RFP, -4, asm.R7, asm.Word))
	code = append(code, lookup(m, -4, "exit")...)
	code = append(code, increment()...)
	return f.runUntilInterrupted(func() error {
		for number := range uint32(numbers) {
			name := strconv.Itoa(int(number))
			if number == syscall.SYS_OPENAT { // what the generator does; a table of all costs nothing more
				name = "openat"
			}
			if n := perCPUSum(m, number); n > 0 {
				fmt.Printf("@[sys_exit_%s]: %d\n", name, n)
			}
		}
		return nil
	}, probe{"sys_exit", code})
}

// readout: a shared hash, which reads faster than one with a value a CPU; read
// in batches, sorted and printed.
func (f *floorProgram) readout(entries int) error {
	m, err := newMap(ebpf.Hash, 4, 8, uint32(entries))
	if err != nil {
		return err
	}
	code := f.getpgidArgument()
	code = append(code, asm.StoreMem(asm.RFP, -4, asm.R7, asm.Word))
	code = append(code, countKey(m, -4)...)
	return f.runUntilInterrupted(func() error {
		type entry struct {
			key   uint32
			value uint64
		}
		const batch = 16384
		keys, values := make([]uint32, batch), make([]uint64, batch)
		all := make([]entry, 0, entries)
		var cursor ebpf.MapBatchCursor
		for {
			n, err := m.BatchLookup(&cursor, keys, values, nil)
			for i := range n {
				all = append(all, entry{keys[i], values[i]})
			}
			if errors.Is(err, ebpf.ErrKeyNotExist) {
				break
			} else if err != nil {
				return err
			}
		}
		slices.SortFunc(all, func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.key, b.key))
		})
		w := bufio.NewWriterSize(os.Stdout, 1<<16)
		var line []byte
		for _, e := range all {
			line = strconv.AppendUint(append(line[:0], "@["...), uint64(e.key), 10)
			line = strconv.AppendUint(append(line, "]: "...), e.value, 10)
			w.Write(append(line, '\n')) // Flush tells
		}
		return w.Flush()
	}, probe{"sys_enter", code})
}

// probe is a raw tracepoint and what runs there, without its end.
type probe struct {
	tracepoint string
	code       asm.Instructions
}

// runUntilInterrupted attaches the probes, waits, detaches, and then prints.
func (f *floorProgram) runUntilInterrupted(print func() error, probes ...probe) error {
	var links []io.Closer
	for _, p := range probes {
		code := append(p.code, asm.Mov.Imm(asm.R0, 0).WithSymbol("exit"), asm.Return())
		program, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.RawTracepoint, License: "GPL", Instructions: code})
		if err != nil {
			return fmt.Errorf("%s: %w", p.tracepoint, err)
		}
		l, err := link.AttachRawTracepoint(link.RawTracepointOptions{Name: p.tracepoint, Program: program})
		if err != nil {
			return err
		}
		links = append(links, l)
	}
	<-f.interrupted
	for _, l := range links {
		if err := l.Close(); err != nil {
			return err
		}
	}
	return print()
}

// filter leaves unless this is the process; its id is in r0 then.
func (f *floorProgram) filter() asm.Instructions {
	return asm.Instructions{asm.FnGetCurrentPidTgid.Call(), asm.RSh.Imm(asm.R0, 32), asm.JNE.Imm(asm.R0, f.pid, "exit")}
}

// getpgidArgument leaves unless this is the process's getpgid; r7 is its
// argument.
func (f *floorProgram) getpgidArgument() asm.Instructions {
	code := asm.Instructions{
		asm.LoadMem(asm.R0, asm.R1, 8, asm.DWord), asm.JNE.Imm(asm.R0, syscall.SYS_GETPGID, "exit"), // the cheaper test
		asm.Mov.Reg(asm.R6, asm.R1),
	}
	code = append(code, f.filter()...)
	code = append(code, asm.LoadMem(asm.R3, asm.R6, 0, asm.DWord))
	return append(code, readRegister(f.regs.arg0)...)
}

// readRegister reads a member of the pt_regs at r3 into r7, by way of fp-16.
func readRegister(offset int32) asm.Instructions {
	return asm.Instructions{
		asm.Add.Imm(asm.R3, offset), asm.Mov.Reg(asm.R1, asm.RFP), asm.Add.Imm(asm.R1, -16), asm.Mov.Imm(asm.R2, 8),
		asm.FnProbeReadKernel.Call(), asm.LoadMem(asm.R7, asm.RFP, -16, asm.DWord),
	}
}

// lookup makes r0 the value of the key at fp+offset, or goes to a label.
func lookup(m *ebpf.Map, offset int32, missing string) asm.Instructions {
	return asm.Instructions{
		asm.LoadMapPtr(asm.R1, m.FD()), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, offset),
		asm.FnMapLookupElem.Call(), asm.JEq.Imm(asm.R0, 0, missing),
	}
}

// increment adds 1 to the value at r0, of which nobody else has a copy now.
func increment() asm.Instructions {
	return asm.Instructions{
		asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord), asm.Add.Imm(asm.R1, 1), asm.StoreMem(asm.R0, 0, asm.R1, asm.DWord),
	}
}

// countKey counts under the key at fp+offset; it uses fp-24.
func countKey(m *ebpf.Map, offset int32) asm.Instructions {
	const noExist = 1
	code := lookup(m, offset, "new")
	if m.Type() == ebpf.Hash { // shared between CPUs
		code = append(code, asm.Mov.Imm(asm.R1, 1), asm.AddAtomic.Mem(asm.R0, asm.R1, asm.DWord, 0))
	} else {
		code = append(code, increment()...)
	}
	return append(code, asm.Ja.Label("exit"),
		asm.Mov.Imm(asm.R1, 1).WithSymbol("new"), asm.StoreMem(asm.RFP, -24, asm.R1, asm.DWord),
		asm.LoadMapPtr(asm.R1, m.FD()), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, offset),
		asm.Mov.Reg(asm.R3, asm.RFP), asm.Add.Imm(asm.R3, -24), asm.Mov.Imm(asm.R4, noExist), asm.FnMapUpdateElem.Call())
}

const buckets = 65 // nothing or less, then one for each top bit

// addToHist counts r1 in a histogram by powers of two, the top bit found by
// halving.
func addToHist(m *ebpf.Map) asm.Instructions {
	code := asm.Instructions{asm.Mov.Imm(asm.R2, 0), asm.JSLE.Imm(asm.R1, 0, "bucket")}
	for _, half := range []int32{32, 16, 8, 4, 2, 1} {
		low := fmt.Sprint("low", half)
		code = append(code,
			asm.Mov.Reg(asm.R3, asm.R1), asm.RSh.Imm(asm.R3, half), asm.JEq.Imm(asm.R3, 0, low),
			asm.Mov.Reg(asm.R1, asm.R3), asm.Add.Imm(asm.R2, half),
			asm.Mov.Reg(asm.R2, asm.R2).WithSymbol(low))
	}
	code = append(code, asm.Add.Imm(asm.R2, 1),
		asm.StoreMem(asm.RFP, -4, asm.R2, asm.Word).WithSymbol("bucket"))
	code = append(code, lookup(m, -4, "exit")...)
	return append(code, increment()...)
}

func printHist(m *ebpf.Map) error {
	for bucket := range uint32(buckets) {
		if n := perCPUSum(m, bucket); n > 0 {
			fmt.Printf("%d: %d\n", bucket, n)
		}
	}
	return nil
}

func newMap(t ebpf.MapType, key, value, entries uint32) (*ebpf.Map, error) {
	return keep(ebpf.NewMap(&ebpf.MapSpec{Type: t, KeySize: key, ValueSize: value, MaxEntries: entries}))
}

var kept []*ebpf.Map

// keep holds a map until the process ends: instructions name it by its file
// descriptor, which the collector of garbage would close.
func keep(m *ebpf.Map, err error) (*ebpf.Map, error) {
	kept = append(kept, m)
	return m, err
}

// perCPUSum adds up the values of a key; a key that is not there has none.
func perCPUSum(m *ebpf.Map, key any) uint64 {
	var values []uint64
	if m.Lookup(key, &values) != nil {
		return 0
	}
	return sum(values)
}

func sum(values []uint64) (total uint64) {
	for _, v := range values {
		total += v
	}
	return total
}

// taskOffset finds a member of the kernel's task_struct.
func taskOffset(member string) (int16, error) {
	kernel, err := btf.LoadKernelSpec()
	if err != nil {
		return 0, err
	}
	var task *btf.Struct
	if err := kernel.TypeByName("task_struct", &task); err != nil {
		return 0, err
	}
	for _, m := range task.Members {
		if m.Name == member {
			return int16(m.Offset.Bytes()), nil
		}
	}
	return 0, fmt.Errorf("no task_struct.%s", member)
}

// cString is b up to its first zero.
func cString(b []byte) []byte {
	if end := slices.Index(b, 0); end >= 0 {
		return b[:end]
	}
	return b
}
