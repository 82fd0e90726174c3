package symbol

import (
	order "encoding/binary"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// recordOf builds a record of the kernel: its numbers, a text, and the time.
func recordOf(kind uint32, misc uint16, time uint64, text string, numbers ...any) []byte {
	b := make([]byte, 8)
	order.NativeEndian.PutUint32(b, kind)
	order.NativeEndian.PutUint16(b[4:], misc)
	for _, n := range numbers {
		switch n := n.(type) {
		case uint32:
			b = order.NativeEndian.AppendUint32(b, n)
		case uint64:
			b = order.NativeEndian.AppendUint64(b, n)
		}
	}
	b = append(b, text...)
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	b = order.NativeEndian.AppendUint64(b, time)
	order.NativeEndian.PutUint16(b[6:], uint16(len(b)))
	return b
}

func mapped(pid uint32, time, start, size uint64, path string) []byte {
	return recordOf(unix.PERF_RECORD_MMAP2, 0, time, path+"\x00", pid, pid, start, size, uint64(0), uint32(8), uint32(1),
		uint64(99), uint64(0), uint32(0), uint32(0))
}

func TestWatchRecords(t *testing.T) {
	r := newProcesses(procFS(t.TempDir()), nil, false) // no process is alive
	for _, b := range [][]byte{
		recordOf(unix.PERF_RECORD_COMM, unix.PERF_RECORD_MISC_COMM_EXEC, 1, "a\x00", uint32(10), uint32(10)),
		mapped(10, 2, 0x1000, 0x1000, "/bin/a"),
		recordOf(unix.PERF_RECORD_COMM, 0, 3, "thread\x00", uint32(10), uint32(11)),
		recordOf(unix.PERF_RECORD_FORK, 0, 4, "", uint32(20), uint32(10), uint32(20), uint32(10), uint64(4)),
		recordOf(unix.PERF_RECORD_FORK, 0, 4, "", uint32(10), uint32(10), uint32(12), uint32(10), uint64(4)),
		recordOf(unix.PERF_RECORD_COMM, unix.PERF_RECORD_MISC_COMM_EXEC, 5, "b\x00", uint32(10), uint32(10)),
		mapped(10, 6, 0x1800, 0x1000, "/bin/b"),
		mapped(20, 7, 0x1800, 0x100, "/lib/c"),
		mapped(20, 3, 0x5000, 0x100, "/lib/late"), // older than what is known
		recordOf(unix.PERF_RECORD_COMM, unix.PERF_RECORD_MISC_COMM_EXEC, 5, "c\x00", uint32(40), uint32(40)),
		mapped(40, 6, 0x9000, 0x1000, "/bin/first"),
		recordOf(unix.PERF_RECORD_FORK, 0, 8, "", uint32(40), uint32(10), uint32(40), uint32(10), uint64(8)), // the id is used again
		mapped(40, 9, 0x9800, 0x1000, "/bin/second"),
	} {
		if rec, ok := parseWatch(b); ok {
			r.note(&rec)
		}
	}
	for _, c := range []struct {
		pid  int
		addr uint64
		path string
	}{
		{10, 0x1900, "/bin/b"}, {10, 0x1100, "/bin/a"}, {20, 0x1810, "/lib/c"}, {40, 0x9100, "/bin/first"}, {40, 0x9900, "/bin/second"}, {20, 0x5000, ""}, {30, 0x1000, ""},
	} {
		got := ""
		if _, m := r.find(c.pid, c.addr); m != nil {
			got = m.path
		}
		if got != c.path {
			t.Errorf("%#x of %d lies in %q, want %q", c.addr, c.pid, got, c.path)
		}
	}
	for n := range 40 {
		parseWatch(make([]byte, n)) // too short for anything
	}
}

// TestWatch sees a program that ended before it was asked about.
func TestWatch(t *testing.T) {
	r := NewProcesses(nil, false)
	w, err := r.Watch([]int{0}, os.Getpid(), nil)
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) {
		t.Skip("needs the right to watch the system: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("taskset", "1", "/bin/true")
	if _, err := exec.LookPath("taskset"); err != nil || !all.IsSet(0) {
		t.Skip("needs taskset, and CPU 0")
	}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.process(cmd.Process.Pid)
	if _, err := os.Stat("/bin/true"); err == nil && len(p.mappings) == 0 {
		t.Error("nothing is known of the process")
	}
}

// TestProcessSize holds down what is kept of each process, of which there may be thousands.
func TestProcessSize(t *testing.T) {
	const processes, most = 4000, 450
	ps := newProcesses(procFS(t.TempDir()), nil, false)
	kept := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := kept()
	for pid := uint32(1); pid <= processes; pid++ {
		for _, b := range [][]byte{
			recordOf(unix.PERF_RECORD_COMM, unix.PERF_RECORD_MISC_COMM_EXEC, 1, "a\x00", pid, pid),
			mapped(pid, 2, 0x1000, 0x1000, "/usr/bin/a"),
			mapped(pid, 3, 0x3000, 0x1000, "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"),
			mapped(pid, 4, 0x5000, 0x1000, "/usr/lib/x86_64-linux-gnu/libc.so.6"),
		} {
			if rec, ok := parseWatch(b); ok {
				ps.note(&rec)
			}
		}
	}
	if n := (kept() - before) / processes; n > most || len(ps.known) != processes {
		t.Errorf("%d processes take %d bytes each, more than %d", len(ps.known), n, most)
	} else {
		t.Logf("%d bytes each", n)
	}
}
