package session

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/attach"
	"fst/runtime/child"
	"fst/runtime/cpus"

	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"
)

func getppidHook() object.Hook {
	return object.Hook{Kind: object.HookTracepoint, Name: "tracepoint:syscalls:sys_enter_getppid", Category: "syscalls", Event: "sys_enter_getppid"}
}

func TestBeginPrintsAndEnds(t *testing.T) {
	s := newScript(4096)
	hi := s.message(object.Message{Kind: object.MsgPrintf, Fields: fields(1)})
	s.begin(s.send(hi, 42))
	s.end(s.send(hi, 43))
	l, code := run(t, s, Options{}, nil)
	want(t, l, "attached 2", "message 0 42", "message 0 43", "exit")
	if code != 0 {
		t.Error("exit code", code)
	}
	if left := fds(t); len(left) > 0 {
		t.Error("left open:", left)
	}
}

func TestExit(t *testing.T) {
	s := newScript(4096)
	hi := s.message(object.Message{Kind: object.MsgPrintf, Fields: fields(1)})
	exit := s.message(object.Message{Kind: object.MsgExit, Fields: fields(1)})
	m := s.addMap(hash("@x"))
	clr := s.message(object.Message{Kind: object.MsgClear, Map: m})
	s.begin(append(append(append(append(set("@x", 1, 2), s.send(hi, 1)...), s.send(exit, 7)...), s.send(hi, 2)...), s.send(clr)...))
	s.end(s.send(hi, 3))
	l, code := run(t, s, Options{}, nil)
	want(t, l, "attached 2", "message 0 1", "message 0 3", "exit", "@x top 0 div 0: [1]=2")
	if code != 7 {
		t.Error("exit code", code)
	}
	s.end(s.send(exit, 9))
	if _, code = run(t, s, Options{}, nil); code != 9 {
		t.Error("exit code of END", code)
	}
}

func TestMapsInOrder(t *testing.T) {
	s := newScript(4096)
	m, n := s.addMap(hash("@b")), s.addMap(counter("@a"))
	none := hash("@none")
	s.addMap(none)
	pr := s.message(object.Message{Kind: object.MsgPrintMap, Map: m, Fields: fields(2)})
	clr := s.message(object.Message{Kind: object.MsgClear, Map: m})
	zero := s.message(object.Message{Kind: object.MsgZero, Map: m})
	prn := s.message(object.Message{Kind: object.MsgPrintMap, Map: n, Fields: fields(2)})
	zeron := s.message(object.Message{Kind: object.MsgZero, Map: n})
	s.begin(slicesOf(set("@b", 1, 10), set("@b", 2, 20), count(n, 0), s.send(pr, 5, 6), s.send(zero), s.send(pr, 0, 0), s.send(clr),
		s.send(pr, 0, 0), s.send(prn, 0, 0), s.send(zeron), s.send(prn, 0, 0)))
	s.end(slicesOf(set("@b", 3, 30), count(n, 0)))
	l, _ := run(t, s, Options{}, nil)
	want(t, l, "attached 2", "@b top 5 div 6: [1]=10 [2]=20", "@b top 0 div 0: [1]=0 [2]=0", "@b top 0 div 0: ", "@a top 0 div 0: =1", "@a top 0 div 0: =0",
		"exit", "@a top 0 div 0: =1", "@b top 0 div 0: [3]=30")
}

func slicesOf(parts ...asm.Instructions) asm.Instructions {
	var all asm.Instructions
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func TestTracepointCounts(t *testing.T) {
	s := newScript(4096)
	s.addMap(counter("@n"))
	s.program(object.ProgTracepoint, append(mine(), count(2, 0)...), getppidHook())
	var ses []*attach.Attachment
	var the *Session
	l := &log{}
	ctx, cancel := context.WithCancel(t.Context())
	the = start(t, s, Options{Sink: l, OnAttached: func() {
		ses = the.Attachments()
		getppids(1000)
		cancel()
	}})
	if _, err := the.Run(ctx); err != nil {
		t.Fatal(err)
	}
	want(t, l, "attached 1", "exit", "@n top 0 div 0: =1000")
	if len(ses) != 1 || ses[0].Mechanism != attach.PerfTracepoint {
		t.Error("mechanism", ses)
	}
}

func TestRawTracepointAndStats(t *testing.T) {
	s := newScript(4096)
	s.addMap(counter("@n"))
	body := slicesOf(asm.Instructions{asm.LoadMem(asm.R0, asm.R1, 8, asm.DWord), asm.JNE.Imm(asm.R0, unix.SYS_GETPPID, "exit")}, mine(), count(2, 0))
	s.program(object.ProgRawTracepoint, body, object.Hook{Kind: object.HookRawTracepoint, Name: "rawtracepoint:sys_enter", Event: "sys_enter"})
	l := &log{}
	ctx, cancel := context.WithCancel(t.Context())
	ses := start(t, s, Options{Sink: l, Stats: true, OnAttached: func() {
		for range 500 {
			unix.Getppid()
		}
		cancel()
	}})
	if _, err := ses.Run(ctx); err != nil {
		t.Fatal(err)
	}
	want(t, l, "attached 1", "exit", "@n top 0 div 0: =500")
	if st := ses.Stats(); len(st) != 1 || st[0].Runs < 500 || st[0].RunTimeNS == 0 || st[0].Instructions == 0 {
		t.Errorf("stats %+v", st)
	}
}

func TestPairedHalves(t *testing.T) {
	s := newScript(4096)
	s.addMap(counter("@n"))
	enter := s.program(object.ProgRawTracepoint, nil, object.Hook{Kind: object.HookRawTracepoint, Name: "enter", Event: "sys_enter"})
	enter.Entry = true
	s.program(object.ProgRawTracepoint, nil, object.Hook{Kind: object.HookRawTracepoint, Name: "exit", Event: "sys_exit"})
	var order []string
	var ses *Session
	ctx, cancel := context.WithCancel(t.Context())
	ses = start(t, s, Options{Sink: &log{}, OnAttached: func() {
		for _, a := range ses.Attachments() {
			order = append(order, a.Hooks[0].Name)
		}
		cancel()
	}})
	if _, err := ses.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if strings.Join(order, " ") != "exit enter" {
		t.Error(order)
	}
}

func TestRingLoss(t *testing.T) {
	s := newScript(4096)
	hi := s.message(object.Message{Kind: object.MsgPrintf, Fields: fields(1)})
	body := slicesOf(mine(), s.send(hi, 1), asm.Instructions{asm.JEq.Imm(asm.R0, 0, "exit")}, lose(object.LossRingFull))
	s.program(object.ProgTracepoint, body, getppidHook())
	l := &log{quiet: true}
	const made = 1000
	l, _ = run(t, s, Options{Sink: l}, func() { getppids(made) })
	lines := strings.Split(l.text(), "\n")
	lost := 0
	if _, n, ok := strings.Cut(lines[len(lines)-1], "lost clause 0 kind 0 n "); ok {
		lost, _ = strconv.Atoi(n)
	}
	if lost == 0 || l.msgs+lost != made {
		t.Errorf("%d messages and %d lost of %d:\n%s", l.msgs, lost, made, l.text())
	}
}

func TestInterval(t *testing.T) {
	s := newScript(4096)
	hi := s.message(object.Message{Kind: object.MsgPrintf, Fields: fields(1)})
	s.program(object.ProgPerfEvent, s.send(hi, 1), object.Hook{Kind: object.HookInterval, Name: "interval:ms:20", Period: 20_000_000})
	l := &log{quiet: true}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	l.onMsg = func() {
		if l.msgs == 3 {
			cancel()
		}
	}
	began := time.Now()
	if _, err := start(t, s, Options{Sink: l}).Run(ctx); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(began); l.msgs < 3 || d < 50*time.Millisecond || d > 3*time.Second {
		t.Errorf("%d ticks in %v", l.msgs, d)
	}
}

//go:noinline
func target(n int) int { return n + runtime.NumGoroutine() }

// targetHook is target in this test's binary.
func targetHook(t *testing.T, kind object.HookKind) object.Hook {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Type != elf.ET_EXEC {
		t.Skip("the test binary is not linked to a fixed address")
	}
	pc := uint64(reflect.ValueOf(target).Pointer())
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && pc >= p.Vaddr && pc < p.Vaddr+p.Memsz {
			return object.Hook{Kind: kind, Name: "uprobe:target", Path: path, Symbol: "target", FileOffset: pc - p.Vaddr + p.Off}
		}
	}
	t.Fatal("target is in no segment")
	return object.Hook{}
}

// Several clauses on one hook run in the order of the script.
func TestFiringOrder(t *testing.T) {
	hooks := map[string]struct {
		kind object.ProgramKind
		hook object.Hook
	}{
		"uprobe":        {object.ProgKprobe, targetHook(t, object.HookUprobe)},
		"tracepoint":    {object.ProgTracepoint, getppidHook()},
		"rawtracepoint": {object.ProgRawTracepoint, object.Hook{Kind: object.HookRawTracepoint, Name: "raw", Event: "sys_enter"}},
	}
	for name, h := range hooks {
		t.Run(name, func(t *testing.T) {
			s := newScript(1 << 20)
			hi := s.message(object.Message{Kind: object.MsgPrintf, Fields: fields(1)})
			for i := range 3 {
				body := append(mine(), s.send(hi, int64(i))...)
				if h.kind == object.ProgRawTracepoint {
					nr := asm.Instructions{asm.LoadMem(asm.R0, asm.R1, 8, asm.DWord), asm.JNE.Imm(asm.R0, unix.SYS_GETPPID, "exit")}
					body = append(nr, body...)
				}
				s.program(h.kind, body, h.hook)
			}
			l, _ := run(t, s, Options{}, func() { target(1); getppids(1) })
			want(t, l, "attached 3", "message 0 0", "message 0 1", "message 0 2", "exit")
		})
	}
}

func TestFailedAttachLeavesNothing(t *testing.T) {
	before := len(fds(t))
	s := newScript(4096)
	s.addMap(counter("@n"))
	s.program(object.ProgTracepoint, count(2, 0), getppidHook())
	s.program(object.ProgRawTracepoint, count(2, 0), object.Hook{Kind: object.HookRawTracepoint, Name: "rawtracepoint:sys_exit", Event: "sys_exit"})
	bad := getppidHook()
	bad.Name, bad.Event = "tracepoint:syscalls:sys_enter_nosuch", "sys_enter_nosuch"
	s.program(object.ProgTracepoint, count(2, 0), bad)
	s.program(object.ProgTracepoint, count(2, 0), getppidHook())
	l := &log{}
	_, err := start(t, s, Options{Sink: l}).Run(t.Context())
	var e *attach.Error
	if !errors.As(err, &e) || e.Hook.Name != bad.Name || !strings.Contains(err.Error(), "no such tracepoint") {
		t.Errorf("error %v", err)
	}
	if left := fds(t); len(left) != before {
		t.Error("left open:", left)
	}
	want(t, l)

	s.Config.MissingProbes = "warn"
	l, _ = run(t, s, Options{}, func() {})
	if got := l.text(); !strings.HasPrefix(got, "warn cannot attach tracepoint:syscalls:sys_enter_nosuch: this kernel has no such tracepoint\nattached 3\n") {
		t.Error(got)
	}
}

func TestVerifierError(t *testing.T) {
	for name, c := range map[string]struct {
		body   asm.Instructions
		reason string
		at     int
	}{
		"loop":    {asm.Instructions{asm.Mov.Imm(asm.R6, 0), asm.Add.Imm(asm.R6, 0).WithSymbol("again"), asm.JEq.Imm(asm.R6, 0, "again")}, "loop", -1},
		"pointer": {asm.Instructions{asm.Mov.Imm(asm.R1, 0), asm.LoadMem(asm.R0, asm.R1, 0, asm.DWord)}, "reads memory", 1},
		"stack":   {asm.Instructions{asm.Mov.Imm(asm.R1, 0), asm.StoreMem(asm.RFP, -520, asm.R1, asm.DWord)}, "stack", 1},
		"helper":  {asm.Instructions{asm.BuiltinFunc(9999).Call()}, "this kernel has no", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(4096)
			s.begin(c.body)
			_, err := New(&s.Object, Options{Sink: &log{}})
			if errors.Is(err, attach.ErrPermission) {
				t.Skip(err)
			}
			var v *attach.VerifierError
			if !errors.As(err, &v) {
				t.Fatalf("error %v", err)
			}
			if !strings.Contains(v.Reason, c.reason) || c.at >= 0 && v.InsnOffset != c.at {
				t.Errorf("reason %q at %d\n%s", v.Reason, v.InsnOffset, v.Log)
			}
		})
	}
	if left := fds(t); len(left) > 0 {
		t.Error("left open:", left)
	}
}

func TestChild(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	c, err := child.Start([]string{"sh", "-c", "echo $$ > " + out + "; exit 3"})
	if err != nil {
		t.Fatal(err)
	}
	s := newScript(1 << 16)
	hi := s.message(object.Message{Kind: object.MsgPrintf, Fields: fields(1)})
	// The child's exec is seen, with the id known before.
	body := append(asm.Instructions{asm.FnGetCurrentPidTgid.Call(), asm.RSh.Imm(asm.R0, 32), asm.JNE.Imm(asm.R0, int32(c.PID), "exit")}, s.send(hi, 5)...)
	s.program(object.ProgRawTracepoint, body, object.Hook{Kind: object.HookRawTracepoint, Name: "exec", Event: "sched_process_exec"})
	l, code := run(t, s, Options{Child: c, OnAttached: func() {
		if _, err := os.Stat(out); err == nil {
			t.Error("the command ran before the attach")
		}
	}}, nil)
	want(t, l, "attached 1", "message 0 5", "exit")
	text, err := os.ReadFile(out)
	if err != nil || string(bytes.TrimSpace(text)) != strconv.Itoa(c.PID) || code != 0 {
		t.Errorf("%q %v, code %d", text, err, code)
	}
}

// TestContextDone runs nothing for a context that is done: not the command either.
func TestContextDone(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	c, err := child.Start([]string{"touch", out})
	if err != nil {
		t.Fatal(err)
	}
	s := newScript(1 << 16)
	s.begin(s.send(s.message(object.Message{Kind: object.MsgPrintf, Fields: fields(1)}), 1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := &log{}
	if _, err := start(t, s, Options{Sink: l, Child: c}).Run(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := os.Stat(out); err == nil || !c.Ended() || l.text() != "" {
		t.Errorf("%v, ended %v: %s", err, c.Ended(), l.text())
	}
	if left := fds(t); len(left) > 0 {
		t.Error("left open:", left)
	}
	if err := c.Release(); err == nil {
		t.Error("a command that is gone was released")
	}
}

// TestMapsAfterEnd reads a map when the script has ended, until the session is
// closed.
// TestStoppedWhileAttaching: a session that is ended while it attaches makes no more
// links, is not said to be attached, and ends as others do.
func TestStoppedWhileAttaching(t *testing.T) {
	s := newScript(4096)
	hi := s.message(object.Message{Kind: object.MsgPrintf, Fields: fields(1)})
	for range 3 {
		s.program(object.ProgTracepoint, append(mine(), s.send(hi, 1)...), getppidHook())
	}
	s.program(object.ProgRawTracepoint, s.send(hi, 2), object.Hook{Kind: object.HookEnd, Name: "END"})
	l := &log{}
	ses := start(t, s, Options{Sink: l})
	defer ses.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	at := 0
	as, err := ses.programs.Attach(ctx, func(done, all int) {
		if at = done; done == 2 {
			cancel()
		}
	})
	if err != nil || as.Count() != 2 || at != 2 {
		t.Errorf("%d links, told of %d, %v", as.Count(), at, err)
	}
	as.Detach()
	ses.opts.OnAttached = func() { t.Error("said to be attached") }
	if err := ses.attach(ctx); err != nil || ses.attached.Count() != 0 {
		t.Errorf("%d links, %v", ses.attached.Count(), err)
	}
	w := &wakers{session: ses}
	w.start(ctx)
	defer w.stop()
	if code, err := ses.finish(ctx, w, true); code != 0 || err != nil {
		t.Error(code, err)
	}
	want(t, l, "message 0 2", "exit")
}

func TestMapsAfterEnd(t *testing.T) {
	s := newScript(4096)
	s.addMap(counter("@n"))
	s.begin(count(2, 0))
	ses := start(t, s, Options{Sink: &log{}})
	if _, err := ses.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	n, err := ses.Maps.Find("@n")
	if err != nil {
		t.Fatal(err)
	}
	if snap, err := ses.Maps.Read(n); err != nil || len(snap.Entries) != 1 || snap.Entries[0].Value[0] != 1 {
		t.Errorf("%v %+v", err, snap)
	}
	if _, err := ses.Maps.Find("@m"); !errors.Is(err, ErrNoMap) {
		t.Error(err)
	}
	ses.Close()
	if _, err := ses.Maps.Read(n); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if left := fds(t); len(left) > 0 {
		t.Error("left open:", left)
	}
}

func TestChildStops(t *testing.T) {
	for _, release := range []bool{false, true} {
		c, err := child.Start([]string{"sleep", "100"})
		if err != nil {
			t.Fatal(err)
		}
		if release {
			if err := c.Release(); err != nil {
				t.Fatal(err)
			}
		}
		c.Stop()
		c.Stop()
		select {
		case <-c.Done():
		case <-time.After(5 * time.Second):
			t.Error("still alive")
		}
	}
	if _, err := child.Start([]string{"/no/such/command"}); err == nil {
		t.Error("no error")
	}
	bad := filepath.Join(t.TempDir(), "bad")
	os.WriteFile(bad, []byte("not a program"), 0o755)
	c, err := child.Start([]string{bad})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Release(); !errors.Is(err, unix.ENOEXEC) {
		t.Error(err)
	}
	c.Stop()
}

func TestSelfSignal(t *testing.T) {
	s := newScript(4096)
	hi := s.message(object.Message{Kind: object.MsgPrintf, Fields: fields(1)})
	s.program(object.ProgRawTracepoint, s.send(hi, 1), object.Hook{Kind: object.HookSelf, Name: "self:signal:SIGUSR1"})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	l := &log{onMsg: cancel}
	if _, err := start(t, s, Options{Sink: l, OnAttached: func() { unix.Kill(os.Getpid(), unix.SIGUSR1) }}).Run(ctx); err != nil {
		t.Fatal(err)
	}
	want(t, l, "attached 1", "message 0 1", "exit")
}

func TestProcessEnds(t *testing.T) {
	c, err := child.Start([]string{"sleep", "0.05"})
	if err != nil {
		t.Fatal(err)
	}
	s := newScript(4096)
	s.program(object.ProgTracepoint, nil, getppidHook())
	began := time.Now()
	run(t, s, Options{PID: c.PID, OnAttached: func() { c.Release() }}, nil)
	if time.Since(began) > 5*time.Second {
		t.Error("did not end with the process")
	}
}

func TestProfileOfThreads(t *testing.T) {
	s := newScript(4096)
	s.addMap(counter("@n"))
	s.program(object.ProgPerfEvent, append(mine(), count(2, 0)...),
		object.Hook{Kind: object.HookProfile, Name: "profile:hz:999", Frequency: 999, PID: os.Getpid()})
	l, _ := run(t, s, Options{}, func() {
		for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); {
		}
	})
	if !strings.Contains(l.text(), "@n") {
		t.Error(l.text())
	}
}

// TestJoin: on a processor that comes back the event is opened anew, and the one that ended
// with it is closed.
func TestJoin(t *testing.T) {
	s := newScript(4096)
	hi := s.message(object.Message{Kind: object.MsgPrintf, Fields: fields(1)})
	s.program(object.ProgPerfEvent, s.send(hi, 1), object.Hook{Kind: object.HookProfile, Name: "profile:hz:99", Frequency: 99})
	l := &log{}
	ses := start(t, s, Options{Sink: l})
	if err := ses.attach(t.Context()); err != nil {
		t.Fatal(err)
	}
	online, err := cpus.Online()
	if err != nil {
		t.Fatal(err)
	}
	before := len(fds(t))
	for _, cpu := range online {
		if err := ses.attached.Join(cpu); err != nil {
			t.Error(err)
		}
	}
	if now := len(fds(t)); now != before {
		t.Errorf("%d descriptors, before there were %d", now, before)
	}
	ses.reader.Drain(func([]byte) bool { return true }) // what the closed events said
	for end := time.Now().Add(5 * time.Second); !strings.Contains(l.text(), "message") && time.Now().Before(end); {
		if _, err := ses.reader.Wait(10 * time.Millisecond); err != nil {
			t.Fatal(err)
		}
		ses.drain()
	}
	if !strings.Contains(l.text(), "message 0 1") {
		t.Errorf("the new events say nothing: %s", l.text())
	}
}

func TestPresent(t *testing.T) {
	s := newScript(4096)
	plain := object.Map{Name: "@p", Kind: object.MapArray, KeySize: 4, ValueSize: 16, MaxEntries: 1, Script: true, Present: 8, Value: types.U64}
	m := s.addMap(plain)
	plain.Name = "@q"
	s.addMap(plain)
	zero := s.message(object.Message{Kind: object.MsgZero, Map: m})
	pr := s.message(object.Message{Kind: object.MsgPrintMap, Map: m, Fields: fields(2)})
	s.begin(slicesOf(asm.Instructions{asm.LoadMapValue(asm.R1, 0, 0).WithReference("@p"), asm.Mov.Imm(asm.R2, 5), asm.StoreMem(asm.R1, 0, asm.R2, asm.DWord),
		asm.StoreMem(asm.R1, 8, asm.R2, asm.DWord)}, s.send(pr, 0, 0), s.send(zero)))
	l, _ := run(t, s, Options{}, nil)
	want(t, l, "attached 1", "@p top 0 div 0: =5", "exit", "@p top 0 div 0: =0")
}

// A start must cost little: BEGIN alone, from the object to the end.
func BenchmarkBegin(b *testing.B) {
	for b.Loop() {
		s := newScript(1 << 20)
		hi := s.message(object.Message{Kind: object.MsgPrintf, Fields: fields(1)})
		s.begin(s.send(hi, 42))
		ses, err := New(&s.Object, Options{Sink: &log{}})
		if err != nil {
			b.Skip(err)
		}
		if _, err := ses.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// TestDrainWaitsForPrograms empties a map while a program that is slow to change
// what it has found is almost always at it.
func TestDrainWaitsForPrograms(t *testing.T) {
	const calls, slow = 3000, 50_000
	s := newScript(4096)
	turns := s.addMap(object.Map{Name: "fst_turns", Kind: object.MapShared, KeySize: 4, ValueSize: object.TurnsSize, MaxEntries: 1, Present: -1})
	spec := hash("@n")
	spec.Turns = &object.Turns{Map: turns}
	id := s.addMap(spec)
	s.program(object.ProgTracepoint, slicesOf(mine(), asm.Instructions{
		asm.LoadMapValue(asm.R1, 0, object.TurnsNow).WithReference("fst_turns"), asm.LoadMem(asm.R1, asm.R1, 0, asm.DWord),
		asm.And.Imm(asm.R1, 1), asm.StoreMem(asm.RFP, -4, asm.R1, asm.Word),
		asm.LoadMapPtr(asm.R1, 0).WithReference("@n"), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, -4), asm.FnMapLookupElem.Call(),
		asm.JEq.Imm(asm.R0, 0, "exit"), asm.Mov.Reg(asm.R6, asm.R0),
		asm.Mov.Imm(asm.R1, 1), asm.StoreMem(asm.RFP, -16, asm.R1, asm.DWord), asm.StoreMem(asm.RFP, -24, asm.R1, asm.DWord),
		asm.Mov.Reg(asm.R1, asm.R6), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, -16), asm.FnMapLookupElem.Call(),
		asm.JNE.Imm(asm.R0, 0, "found"),
		asm.Mov.Reg(asm.R1, asm.R6), asm.Mov.Reg(asm.R2, asm.RFP), asm.Add.Imm(asm.R2, -16), asm.Mov.Reg(asm.R3, asm.RFP),
		asm.Add.Imm(asm.R3, -24), asm.Mov.Imm(asm.R4, 0), asm.FnMapUpdateElem.Call(), asm.Ja.Label("exit"),
		asm.LoadMem(asm.R7, asm.R0, 0, asm.DWord).WithSymbol("found"), asm.Mov.Imm(asm.R8, 0),
		asm.Add.Imm(asm.R8, 1).WithSymbol("slow"), asm.JLT.Imm(asm.R8, slow, "slow"),
		asm.Add.Imm(asm.R7, 1), asm.StoreMem(asm.R0, 0, asm.R7, asm.DWord),
	}), getppidHook())
	var the *Session
	ctx, cancel := context.WithCancel(t.Context())
	sum, turn := uint64(0), uint64(0)
	the = start(t, s, Options{Sink: &log{}, OnAttached: func() {
		defer cancel()
		drain := func() {
			turn++
			snap, err := the.Maps.set.Map(id).Drain(turn)
			if err != nil {
				t.Error(err)
			}
			for _, e := range snap.Entries {
				sum += binary.NativeEndian.Uint64(e.Value)
			}
		}
		over := make(chan struct{})
		go func() {
			defer close(over)
			getppids(calls)
		}()
		for done := false; !done; drain() {
			select {
			case <-over:
				done = true
			default:
			}
		}
	}})
	if _, err := the.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if sum != calls {
		t.Errorf("%d of %d calls in %d parts", sum, calls, turn)
	}
}

// TestThread refuses the id of a thread that is no process.
func TestThread(t *testing.T) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil || len(threads) < 2 {
		t.Skip("there are no threads to ask for")
	}
	id, _ := strconv.Atoi(threads[len(threads)-1].Name())
	if fd, err := OpenProcess(id); err == nil || !strings.Contains(err.Error(), "is a thread, not a process") {
		t.Errorf("%v, %v", fd, err)
	}
}
