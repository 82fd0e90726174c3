package fst

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"fst/compiler/object"
	"fst/runtime/child"
	"fst/runtime/event"
	"fst/runtime/render"
)

// start runs a script whose end is its own, or else comes after ten seconds.
func start(t *testing.T, script string, run RunOptions) *Session {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	p, err := Compile(script, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	s, err := p.Start(ctx, run)
	if errors.Is(err, ErrPermission) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestEvents(t *testing.T) {
	s := start(t, `
		begin {
			printf("%d %s\n", 3, "x");
			print((1, "a"));
			@h = hist(5);
			@n["a", 1] = 8;
			@n["b", 2] = 7;
			@x = stats(4);
			exit(3);
		}`, RunOptions{})
	var got []Event
	for e := range s.Events() {
		got = append(got, e)
	}
	if code, err := s.Wait(); code != 3 || err != nil {
		t.Errorf("ended with %d, %v", code, err)
	}
	want := []Event{
		{Kind: "printf", Text: "3 x\n", Fields: []Field{{"value", int64(3)}, {"value_2", "x"}}},
		{Kind: "value", Text: "(1, a)\n", Fields: []Field{{"value", []any{int64(1), "a"}}}},
		{Kind: "map", Map: "@h", Entries: []MapEntry{{Value: []Bucket{{Min: 4, Max: 7, Count: 1}}}}},
		{Kind: "map", Map: "@n", Text: "@n[b, 2]: 7\n@n[a, 1]: 8\n", Entries: []MapEntry{
			{Key: []any{"b", int64(2)}, Value: int64(7)}, {Key: []any{"a", int64(1)}, Value: int64(8)}}},
		{Kind: "map", Map: "@x", Text: "@x: { .count = 1, .average = 4, .total = 4 }\n",
			Entries: []MapEntry{{Value: Stats{Count: 1, Average: uint64(4), Total: uint64(4)}}}},
	}
	for i, e := range got {
		if i >= len(want) {
			t.Errorf("one event too many: %+v", e)
			continue
		}
		e.Text = strings.TrimPrefix(e.Text, "\n")
		if want[i].Text == "" {
			e.Text = ""
		}
		if !reflect.DeepEqual(e, want[i]) {
			t.Errorf("got  %+v\nwant %+v", e, want[i])
		}
	}
	if len(got) < len(want) {
		t.Errorf("only %d events of %d", len(got), len(want))
	}
}

// TestEventOfACall counts calls of this very process, decoded, and reads a map
// while the script runs.
func TestEventOfACall(t *testing.T) {
	path := fmt.Sprintf("/no/such/file/%d", os.Getpid())
	s := start(t, fmt.Sprintf(`
		syscall:openat /str(args.filename) == "%s"/
		syscall:openat /str(args.filename) == "%[1]s"/ { @calls[pid] = count(); }`, path), RunOptions{})
	for range 3 {
		os.Open(path)
	}
	n := 0
	for e := range s.Events() {
		if e.Kind != "event" {
			t.Fatalf("%+v", e)
		}
		if e.Get("pid") != uint64(os.Getpid()) || e.Get("filename") != path || e.Get("no") != nil || time.Since(e.Time).Abs() > time.Minute {
			t.Errorf("%+v", e)
		}
		if n++; n == 3 {
			break
		}
	}
	calls, err := s.ReadMap("calls")
	want := []MapEntry{{Key: uint64(os.Getpid()), Value: uint64(3)}}
	if err != nil || !reflect.DeepEqual(calls, want) {
		t.Errorf("%+v, %v, want %+v", calls, err, want)
	}
	var text strings.Builder
	if err := s.PrintMap(&text, "@calls", ""); err != nil || text.String() != fmt.Sprintf("@calls[%d]: 3\n", os.Getpid()) {
		t.Errorf("%q %v", &text, err)
	}
	if err := s.PrintMap(&text, "@calls", "no"); err == nil {
		t.Error("a key that is not there was found")
	}
	if _, err := s.ReadMap("@none"); err == nil {
		t.Error("a map that is not there was read")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.ReadMap("@calls"); !errors.Is(err, ErrClosed) {
		t.Errorf("a map of a session that has ended: %v", err)
	}
}

// TestEarlyEvents says more before Start returns than the channel holds: a
// pattern may name many functions that cannot be probed.
func TestEarlyEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Session{object: &object.Object{}, events: make(chan Event, 1), attached: make(chan struct{}), closing: make(chan struct{})}
		e := newEventOutput(s, io.Discard, render.Options{})
		e.Event(&event.Warning{Text: "first"}) // would not return if it had to be read
		e.Event(&event.Warning{Text: "second"})
		close(s.attached)
		go func() {
			e.Flush()
			e.Event(&event.Warning{Text: "third"})
			close(s.events)
		}()
		var got []string
		for e := range s.Events() {
			got = append(got, e.Text)
		}
		if text := strings.Join(got, ""); text != "WARNING: first\nWARNING: second\nWARNING: third\n" {
			t.Errorf("%q", text)
		}
	})
}

// TestLostAddsUp: what is told while a script runs is not told again at its end.
func TestLostAddsUp(t *testing.T) {
	s := &Session{object: &object.Object{}, events: make(chan Event, 9), attached: make(chan struct{}), closing: make(chan struct{})}
	close(s.attached)
	e := newEventOutput(s, io.Discard, render.Options{})
	e.Event(&event.Lost{What: object.Loss{Clause: 0, Kind: object.LossRingFull}, Count: 3})
	e.Event(&event.Lost{What: object.Loss{Clause: 0, Kind: object.LossRingFull}, Count: 2})
	e.Event(&event.Exit{})
	e.Event(&event.Lost{What: object.Loss{Clause: 0, Kind: object.LossRingFull}, Count: 5})
	e.Event(&event.Lost{What: object.Loss{Clause: 1, Kind: object.LossRingFull}, Count: 1})
	e.Event(&event.Lost{What: object.Loss{Clause: 0, Kind: object.LossMapFull}, Count: 7})
	close(s.events)
	sums := map[any]uint64{}
	n := 0
	for ev := range s.Events() {
		n++
		sums[ev.Get("kind")] += ev.Get("count").(uint64)
	}
	if n != 4 || sums["ring_full"] != 6 || sums["map_full"] != 7 {
		t.Errorf("%d events: %v", n, sums)
	}
}

// TestMapsAfterEnd reads maps when the script has ended, until the session is closed.
func TestMapsAfterEnd(t *testing.T) {
	s := start(t, `begin { @a[1] = 2; @s[kstack] = count(); exit(); }`, RunOptions{Stdout: io.Discard})
	if _, err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	if m, err := s.ReadMap("a"); err != nil || len(m) != 1 || m[0].Value != int64(2) {
		t.Errorf("%v %v", m, err)
	}
	if m, err := s.ReadMap("s"); err != nil || len(m) != 1 || len(m[0].Key.([]Place)) == 0 {
		t.Errorf("%v %v", m, err)
	}
	if _, err := s.ReadMap("b"); !errors.Is(err, ErrNoMap) {
		t.Error(err)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := s.ReadMap("a"); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// TestNotStarted: what can't be started is refused, and nothing has run.
func TestNotStarted(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	begin := func(ctx context.Context, script string, o Options, run RunOptions) error {
		p, err := Compile(script, o)
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Start(ctx, run)
		if err == nil {
			s.Close()
		}
		return err
	}
	mark := filepath.Join(t.TempDir(), "ran")
	c, err := child.New("touch " + mark)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := begin(done, `begin { printf("x"); }`, Options{Child: c}, RunOptions{}); !errors.Is(err, context.Canceled) {
		t.Error("a context that is done: ", err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the command ran")
	}
	if err := begin(t.Context(), `test:one { return 1; }`, Options{Mode: "test"}, RunOptions{}); err == nil {
		t.Error("tests ran with nobody to tell of them")
	}
	var load *LoadError
	err = begin(t.Context(), `interval:s:1 { }`, Options{PID: 1 << 22}, RunOptions{})
	if errors.Is(err, ErrPermission) {
		t.Skip(err)
	}
	if !errors.Is(err, syscall.ESRCH) || !errors.As(err, &load) {
		t.Errorf("no such process: %v", err)
	}
}

// TestCloseUnread closes a session whose events nobody reads.
func TestCloseUnread(t *testing.T) {
	s := start(t, `begin { for ($i : 0..1000) { print($i); } }`, RunOptions{})
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Wait(); err != nil {
		t.Error(err)
	}
}

func TestTextOutput(t *testing.T) {
	var out, errs strings.Builder
	s := start(t, `begin { printf("x\n"); @a = 1; exit(); }`, RunOptions{Stdout: &out, Stderr: &errs})
	if code, err := s.Wait(); code != 0 || err != nil || !strings.HasPrefix(out.String(), "x\n") || !strings.Contains(out.String(), "@a: 1\n") {
		t.Errorf("%d %v\n%s%s", code, err, &out, &errs)
	}
}

// TestEndByContext ends a script that has no end of its own.
func TestEndByContext(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	p, err := Compile(`begin { @a = 5; } interval:s:100 { } end { printf("over\n"); }`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	ctx, cancel := context.WithCancel(context.Background())
	s, err := p.Start(ctx, RunOptions{Stdout: &out})
	if errors.Is(err, ErrPermission) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := s.Wait(); err != nil || !strings.Contains(out.String(), "over\n") || !strings.Contains(out.String(), "@a: 5\n") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// A script may say more before everything is attached than anybody reads yet.
func TestEventsBeforeStartReturns(t *testing.T) {
	s := start(t, `begin { for $i : 0..5000 { printf("%d\n", $i); } } end { printf("end\n"); exit(); } interval:ms:10 { exit() }`, RunOptions{})
	var texts []string
	for e := range s.Events() {
		texts = append(texts, e.Text)
	}
	if _, err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	if len(texts) != 5001 || texts[4999] != "4999\n" {
		t.Errorf("%d events", len(texts))
	}
}

// The maps at the end are those of a script that has ended, if nobody wants those
// of one that was stopped.
func TestMapsWhenStopped(t *testing.T) {
	var ended, stopped strings.Builder
	s := start(t, `begin { @a = 1; exit(); }`, RunOptions{Stdout: &ended, NoMapsWhenStopped: true})
	s.Wait()
	if !strings.Contains(ended.String(), "@a: 1") {
		t.Errorf("a script that ends shows %q", ended.String())
	}
	s = start(t, `begin { @a = 1; } interval:s:100 { @a = 2; }`, RunOptions{Stdout: &stopped, NoMapsWhenStopped: true})
	s.Close()
	if strings.Contains(stopped.String(), "@a") {
		t.Errorf("a script that is stopped shows %q", stopped.String())
	}
}
