package session

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fst/compiler/emit"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/attach"
	"fst/runtime/event"

	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"
)

// script is a hand-assembled object: map 0 is the ring, map 1 the losses.
type script struct{ object.Object }

func newScript(ring int) *script {
	s := &script{object.Object{Ring: 0, Loss: 1, Config: object.DefaultConfig()}}
	s.Maps = []*object.Map{
		{ID: 0, Name: "fst_ring", Kind: object.MapRingBuf, MaxEntries: ring, Present: -1},
		{ID: 1, Name: "fst_loss", Kind: object.MapArray, KeySize: 4, ValueSize: 8 * 4 * object.LossKinds, MaxEntries: 1, Present: -1},
	}
	return s
}

func (s *script) addMap(m object.Map) int {
	m.ID = len(s.Maps)
	s.Maps = append(s.Maps, &m)
	return m.ID
}

func (s *script) message(m object.Message) uint32 {
	m.ID = len(s.Messages)
	m.Size = object.HeaderSize
	if n := len(m.Fields); n > 0 {
		m.Size = m.Fields[n-1].Offset + 8
	}
	s.Messages = append(s.Messages, &m)
	return uint32(m.ID)
}

func (s *script) program(kind object.ProgramKind, body asm.Instructions, hooks ...object.Hook) *object.Program {
	body = append(body, asm.Mov.Imm(asm.R0, 0).WithSymbol("exit"), asm.Return())
	p := &object.Program{Name: fmt.Sprintf("p%d", len(s.Programs)), Kind: kind, Code: s.code(body), Hooks: hooks, Clause: len(s.Programs)}
	s.Programs = append(s.Programs, p)
	return p
}

// code is what is made of instructions that name maps by reference or by index.
func (s *script) code(insns asm.Instructions) object.Code {
	c, err := emit.Encode(insns, func(name string) (int, bool) {
		i := slices.IndexFunc(s.Maps, func(m *object.Map) bool { return m.Name == name })
		return i, i >= 0
	})
	if err != nil {
		panic(err)
	}
	return c
}

func (s *script) begin(body asm.Instructions) {
	s.program(object.ProgRawTracepoint, body, object.Hook{Kind: object.HookBegin, Name: "BEGIN"})
}

func (s *script) end(body asm.Instructions) {
	s.program(object.ProgRawTracepoint, body, object.Hook{Kind: object.HookEnd, Name: "END"})
}

// send puts a record into the ring; a field's value is a constant.
func (s *script) send(id uint32, fields ...int64) asm.Instructions {
	size := int32(object.HeaderSize + 8*len(fields))
	var i asm.Instructions
	store := func(off int16, v int64) {
		i = append(i, asm.LoadImm(asm.R1, v, asm.DWord), asm.StoreMem(asm.RFP, off, asm.R1, asm.DWord))
	}
	store(int16(-size), int64(id))
	for n, f := range fields {
		store(int16(-size+8+8*int32(n)), f)
	}
	return append(i, asm.LoadMapPtr(asm.R1, 0).WithReference("fst_ring"), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, -size),
		asm.Mov.Imm(asm.R3, size), asm.Mov.Imm(asm.R4, 0), asm.FnRingbufOutput.Call())
}

// mine lets only this process through.
func mine() asm.Instructions {
	return asm.Instructions{asm.FnGetCurrentPidTgid.Call(), asm.RSh.Imm(asm.R0, 32), asm.JNE.Imm(asm.R0, int32(os.Getpid()), "exit")}
}

// count adds 1 to the first u64 of a per-CPU array's element; maps are named
// by their index here.
func count(id, index int) asm.Instructions {
	return asm.Instructions{
		asm.Mov.Imm(asm.R1, int32(index)), asm.StoreMem(asm.RFP, -4, asm.R1, asm.Word),
		asm.LoadMapPtr(asm.R1, id), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, -4), asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, "exit"), asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord), asm.Add.Imm(asm.R1, 1),
		asm.StoreMem(asm.R0, 0, asm.R1, asm.DWord),
	}
}

// lose adds 1 to a loss counter of the first clause.
func lose(kind object.LossKind) asm.Instructions {
	return asm.Instructions{asm.LoadMapValue(asm.R1, 0, 8*uint32(kind)).WithReference("fst_loss"), asm.Mov.Imm(asm.R2, 1),
		asm.AddAtomic.Mem(asm.R1, asm.R2, asm.DWord, 0)}
}

// set writes a u64 into a hash with a u64 key.
func set(name string, key, val int64) asm.Instructions {
	return asm.Instructions{
		asm.LoadImm(asm.R1, key, asm.DWord), asm.StoreMem(asm.RFP, -8, asm.R1, asm.DWord),
		asm.LoadImm(asm.R1, val, asm.DWord), asm.StoreMem(asm.RFP, -16, asm.R1, asm.DWord),
		asm.LoadMapPtr(asm.R1, 0).WithReference(name), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, -8),
		asm.Mov.Reg(asm.R3, asm.RFP), asm.Add.Imm(asm.R3, -16), asm.Mov.Imm(asm.R4, 0), asm.FnMapUpdateElem.Call(),
	}
}

func counter(name string) object.Map {
	return object.Map{Name: name, Kind: object.MapPerCPUArray, KeySize: 4, ValueSize: 8, MaxEntries: 1, Script: true, Present: -1,
		Value: &types.Type{Kind: types.Count, Size: 8}}
}

func hash(name string) object.Map {
	return object.Map{Name: name, Kind: object.MapHash, KeySize: 8, ValueSize: 8, MaxEntries: 64, Script: true, Present: -1,
		Key: types.U64, Value: types.U64}
}

func fields(n int) []object.MessageField {
	f := make([]object.MessageField, n)
	for i := range f {
		f[i] = object.MessageField{Type: types.I64, Offset: object.HeaderSize + 8*i}
	}
	return f
}

// log is a sink that writes down what it is told.
type log struct {
	mu    sync.Mutex
	lines []string
	quiet bool // count messages only
	msgs  int
	onMsg func()
}

func (l *log) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}
func (l *log) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// Event implements event.Sink.
func (l *log) Event(e event.Event) {
	switch e := e.(type) {
	case *event.Attached:
		l.add("attached %d", e.Probes)
	case *event.Record:
		l.record(e.Message, e.Data)
	case *event.Map:
		l.addMap(e)
	case *event.Heat:
		l.add("heat %s", e.Map.Name)
	case *event.Table:
		l.add("table of %d maps", len(e.Snapshots))
	case *event.Exit:
		l.add("exit")
	case *event.Lost:
		l.add("lost clause %d kind %d n %d", e.What.Clause, e.What.Kind, e.Count)
	case *event.Warning:
		l.add("warn %s", e.Text)
	case *event.Remark:
		if !strings.Contains(e.Text, " probes are attached; ") { // a busy machine
			l.add("remark %s", e.Text)
		}
	}
}

func (l *log) record(m *object.Message, rec []byte) {
	l.msgs++
	if l.onMsg != nil {
		l.onMsg()
	}
	if l.quiet {
		return
	}
	s := fmt.Sprintf("message %d", m.ID)
	for _, f := range m.Fields {
		s += fmt.Sprintf(" %d", int64(binary.NativeEndian.Uint64(rec[f.Offset:])))
	}
	l.add("%s", s)
}
func (l *log) addMap(shown *event.Map) {
	var es []string
	for _, e := range shown.Snapshot.Entries {
		key := ""
		if e.Key != nil {
			key = fmt.Sprintf("[%d]", binary.NativeEndian.Uint64(e.Key))
		}
		es = append(es, fmt.Sprintf("%s=%d", key, binary.NativeEndian.Uint64(e.Value)))
	}
	slices.Sort(es)
	l.add("%s top %d div %d: %s", shown.Map.Name, shown.Top, shown.Div, strings.Join(es, " "))
}
func (l *log) Flush() error { return nil }

// start loads a script, or skips the test where the system does not let it.
func start(t *testing.T, s *script, opts Options) *Session {
	t.Helper()
	ses, err := New(&s.Object, opts)
	if errors.Is(err, attach.ErrPermission) {
		t.Skip("no permission to use BPF: ", err)
	}
	if err != nil {
		var v *attach.VerifierError
		if errors.As(err, &v) {
			t.Log(v.Log)
		}
		t.Fatal(err)
	}
	t.Cleanup(ses.Close)
	return ses
}

// run runs a script to its end while work goes on after the attach.
func run(t *testing.T, s *script, opts Options, work func()) (*log, int) {
	t.Helper()
	l, _ := opts.Sink.(*log)
	if l == nil {
		l = &log{}
		opts.Sink = l
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if work != nil {
		before := opts.OnAttached
		opts.OnAttached = func() {
			if before != nil {
				before()
			}
			work()
			cancel()
		}
	}
	ses := start(t, s, opts)
	code, err := ses.Run(ctx)
	ses.Close()
	if err != nil {
		t.Fatal(err)
	}
	return l, code
}

func want(t *testing.T, l *log, lines ...string) {
	t.Helper()
	if got := l.text(); got != strings.Join(lines, "\n") {
		t.Errorf("got:\n%s\nwant:\n%s", got, strings.Join(lines, "\n"))
	}
}

func getppids(n int) {
	for range n {
		unix.Getppid()
	}
}

// fds lists this process' descriptors of the BPF and perf kind.
func fds(t *testing.T) []string {
	t.Helper()
	es, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range es {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && (strings.Contains(to, "bpf") || strings.Contains(to, "perf") || strings.Contains(to, "raw-tracepoint")) {
			out = append(out, to)
		}
	}
	return out
}
