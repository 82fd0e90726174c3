package fst

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
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

// collect reads all events of a session.
func collect(t *testing.T, s *Session) (list []Event) {
	t.Helper()
	for e, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

func TestEvents(t *testing.T) {
	s := start(t, `
		begin {
			$took = 5us;
			printf("%d %s %d\n", 3, "x", $took / 1us);
			print((a = 1, b = "a"));
			errorf("%s", "bad");
			row("A %3d B %d", 1, 2);
			@h = hist(5);
			@n["a", 1] = 8;
			@n["b", 2] = 7;
			@x = stats(4);
			print(@n, 1);
			exit(3);
		}`, RunOptions{})
	got := collect(t, s)
	if code, err := s.Wait(); code != 3 || err != nil {
		t.Errorf("ended with %d, %v", code, err)
	}
	f := func(name, unit string, v any) Field { return Field{Name: name, Unit: unit, Value: v} }
	want := []struct {
		event Event
		text  string
	}{
		{&Message{Fields: Fields{f("value", "", int64(3)), f("value_2", "", "x"), f("took", "us", int64(5))}}, "3 x 5\n"},
		{&Value{Field: f("value", "", Fields{f("a", "", int64(1)), f("b", "", "a")})}, "{ .a = 1, .b = a }\n"},
		{&Message{Level: LevelError, Fields: Fields{f("value", "", "bad")}}, "script:6:4-23: ERROR: bad\n"},
		{&Row{Fields: Fields{f("a", "", int64(1)), f("b", "", int64(2))}}, "  1 2\n"},
		{&Snapshot{Map: "@n", Entries: []Entry{{Key: Fields{f("key", "", "a"), f("key_2", "", int64(1))}, Value: int64(8)}}}, "@n[a, 1]: 8\n"},
		{&Snapshot{Map: "@h", Final: true, Entries: []Entry{{Value: []Bucket{{Min: 4, Max: 7, Count: 1}}}}}, ""},
		{&Snapshot{Map: "@n", Final: true, Entries: []Entry{
			{Key: Fields{f("key", "", "b"), f("key_2", "", int64(2))}, Value: int64(7)},
			{Key: Fields{f("key", "", "a"), f("key_2", "", int64(1))}, Value: int64(8)}}}, "@n[b, 2]: 7\n@n[a, 1]: 8\n"},
		{&Snapshot{Map: "@x", Final: true, Entries: []Entry{{Value: Stats{Count: 1, Average: uint64(4), Total: uint64(4)}}}}, "@x: { .count = 1, .average = 4, .total = 4 }\n"},
	}
	if len(got) != len(want) {
		t.Errorf("%d events, not %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if text := got[i].String(); want[i].text != "" && text != want[i].text {
			t.Errorf("%T is shown as %q, not %q", got[i], text, want[i].text)
		}
		if snap, ok := got[i].(*Snapshot); ok {
			if snap.Map == "@n" && snap.Final && snap.Entries[1].String() != "@n[a, 1]: 8\n" {
				t.Errorf("an element is shown as %q", &snap.Entries[1])
			}
			for i := range snap.Entries {
				snap.Entries[i].said = element{}
			}
		}
		if plain := bare(got[i]); !reflect.DeepEqual(plain, want[i].event) {
			t.Errorf("got  %#v\nwant %#v", plain, want[i].event)
		}
	}
}

// bare is an event with nothing but its values.
func bare(e Event) Event {
	switch e := e.(type) {
	case *Message:
		e.Stamp, e.said = Stamp{}, said{}
	case *Value:
		e.Stamp, e.said = Stamp{}, said{}
	case *Row:
		e.Stamp, e.said = Stamp{}, said{}
	case *Snapshot:
		e.Time, e.said = time.Time{}, said{}
	}
	return e
}

// TestTimes: events that are read long after they happened have the kernel's time, and its CPU.
func TestTimes(t *testing.T) {
	before := time.Now()
	s := start(t, `interval:ms:200 { @n++; print((@n == 3, nsecs, cpu)); if (@n == 3) { exit(); } }`, RunOptions{})
	if _, err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	var ahead []time.Duration // of the time that the script reads
	for _, e := range collect(t, s) {
		switch e := e.(type) {
		case *Value:
			parts := e.Value.([]any)
			ahead = append(ahead, time.Duration(e.Time.UnixNano()-int64(parts[1].(uint64))))
			if e.Time.Before(before) || uint64(e.CPU) != parts[2] {
				t.Errorf("%v on CPU %d: %v", e.Time, e.CPU, parts)
			}
		case *Snapshot:
			if d := time.Since(e.Time); d < 300*time.Millisecond || d > time.Since(before) {
				t.Errorf("the map was read %v ago", d)
			}
		}
	}
	// The program reads the clock twice, one after the other.
	if len(ahead) != 3 || slices.Max(ahead)-slices.Min(ahead) > 5*time.Millisecond {
		t.Errorf("the times are ahead of the script's by %v", ahead)
	}
}

// TestFormats: what is compiled for text has no times, and can't be shown in a form that tells them.
func TestFormats(t *testing.T) {
	p, err := Compile(`begin { print(1); exit(); }`, Options{Formats: []string{"text", "csv"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Start(t.Context(), RunOptions{Outputs: []Output{{Format: "influx"}}}); err == nil || !strings.Contains(err.Error(), "Options.Formats") {
		t.Error(err)
	}
	s, err := p.Start(t.Context(), RunOptions{})
	if errors.Is(err, ErrPermission) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if v := collect(t, s)[0].(*Value); !v.Time.IsZero() || v.CPU != -1 {
		t.Errorf("%+v", v.Stamp)
	}
}

// TestEventOfACall sees calls of this very process, decoded, and reads and changes a map
// while the script runs.
func TestEventOfACall(t *testing.T) {
	path := fmt.Sprintf("/no/such/file/%d", os.Getpid())
	s := start(t, fmt.Sprintf(`
		syscall:openat /str(args.filename) == "%s"/
		syscall:openat /str(args.filename) == "%[1]s"/ { @calls[pid] = count(); }`, path), RunOptions{})
	for range 3 {
		os.Open(path)
	}
	events := s.Channel()
	for range 3 {
		hit, ok := (<-events).(*Hit)
		if !ok {
			t.Fatal("an event is no Hit")
		}
		var call struct {
			PID      int
			Filename string
			Retval   int
			Took     time.Duration
		}
		if err := hit.Decode(&call); err != nil {
			t.Error(err)
		}
		if call.PID != os.Getpid() || call.Filename != path || call.Retval != -2 || call.Took <= 0 || call.Took > time.Minute || hit.Get("no") != nil ||
			hit.Probe != "syscall:openat" || time.Since(hit.Time).Abs() > time.Minute {
			t.Errorf("%+v %+v", call, hit.Fields)
		}
	}
	calls, err := s.Map("calls")
	if err != nil {
		t.Fatal(err)
	}
	if all, err := calls.Read(); err != nil || all.Unit != "count" || len(all.Entries) != 1 || all.Entries[0].Key.Get("pid") != uint64(os.Getpid()) || all.Entries[0].Value != uint64(3) ||
		all.String() != fmt.Sprintf("@calls[%d]: 3\n", os.Getpid()) {
		t.Errorf("%+v, %v", all, err)
	}
	if n, ok, err := calls.Get(os.Getpid()); n != uint64(3) || !ok || err != nil {
		t.Errorf("%v %v %v", n, ok, err)
	}
	if _, ok, err := calls.Get(0); ok || err != nil {
		t.Errorf("a key that is not there was found: %v", err)
	}
	if _, _, err := calls.Get("x"); err == nil {
		t.Error("a text is a number")
	}
	if _, _, err := calls.Get(1, 2); err == nil {
		t.Error("two keys are one")
	}
	if err := calls.Set(5, os.Getpid()); err == nil || !strings.Contains(err.Error(), "filled by count()") {
		t.Error(err)
	}
	if err := calls.Clear(); err != nil {
		t.Error(err)
	}
	if all, err := calls.Read(); err != nil || len(all.Entries) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := s.Map("@none"); !errors.Is(err, ErrNoMap) {
		t.Errorf("a map that is not there: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, ok := <-events; ok {
		t.Error("the channel of a closed session is open")
	}
	if _, err := calls.Read(); !errors.Is(err, ErrClosed) {
		t.Errorf("a map of a session that has ended: %v", err)
	}
}

// TestMapsAreWritten: a script goes by what is written into its maps.
func TestMapsAreWritten(t *testing.T) {
	s := start(t, fmt.Sprintf(`
		begin { @least = getopt("least", 100); @names["a", 1] = "x"; @on = false; }
		tracepoint:syscalls:sys_enter_dup /pid == %d && args.fildes >= @least && @on/ { @seen[args.fildes] = @names["b", 2]; }`, os.Getpid()), RunOptions{})
	get := func(name string) *Map {
		m, err := s.Map(name)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const fd = 1 << 20
	syscall.Dup(fd) // @on is false
	if err := errors.Join(get("least").Set(fd+1), get("names").Set("y", "b", 2), get("on").Set(true)); err != nil {
		t.Fatal(err)
	}
	syscall.Dup(fd)
	syscall.Dup(fd + 1)
	if all, err := get("seen").Read(); err != nil || len(all.Entries) != 1 || all.Entries[0].Key[0].Value != int64(fd+1) && all.Entries[0].Key[0].Value != uint64(fd+1) || all.Entries[0].Value != "y" {
		t.Errorf("%v, %v", all, err)
	}
	if v, ok, err := get("least").Get(); v != int64(fd+1) || !ok || err != nil {
		t.Errorf("%v %v %v", v, ok, err)
	}
	if err := errors.Join(get("names").Delete("a", 1), get("names").Delete("none", 1)); err != nil {
		t.Error(err)
	}
	if err := get("least").Zero(); err != nil {
		t.Error(err)
	}
	if all, err := get("names").Read(); err != nil || len(all.Entries) != 1 {
		t.Errorf("%v, %v", all, err)
	}
	syscall.Dup(fd)
	if all, err := get("seen").Read(); err != nil || len(all.Entries) != 2 {
		t.Errorf("%v, %v", all, err)
	}
	if err := get("names").Set("y", strings.Repeat("long", 1000), 1); err == nil {
		t.Error("a key was cut")
	}
}

// TestUnreadEvents: who does not read loses what there is no room for, and is told.
func TestUnreadEvents(t *testing.T) {
	q := newQueue()
	const size, n = 1 << 20, 100
	for i := range n {
		q.push(&Value{Field: Field{Value: i}}, size, true)
	}
	q.push(&Warning{}, 0, false)
	for i := range queueBytes / size {
		if e, ok := q.pop(); !ok || e.(*Value).Value != i {
			t.Fatalf("%v %v", e, ok)
		}
	}
	if e, _ := q.pop(); e.(*Lost).Count != n-queueBytes/size || e.(*Lost).Kind != LossUnread {
		t.Errorf("%+v", e)
	}
	q.push(&Value{}, size, true) // there is room again
	q.end()
	for _, want := range []Event{&Warning{}, &Value{}} {
		if e, ok := q.pop(); !ok || reflect.TypeOf(e) != reflect.TypeOf(want) {
			t.Errorf("%T is no %T", e, want)
		}
	}
	if _, ok := q.pop(); ok {
		t.Error("there is no end")
	}
}

// TestLostAddsUp: what is told while a script runs is not told again at its end.
func TestLostAddsUp(t *testing.T) {
	obj := &object.Object{}
	l := newListener(obj, render.NewSingle(obj))
	for _, e := range []event.Event{
		&event.Lost{What: object.Loss{Clause: 0, Kind: object.LossRingFull}, Count: 3},
		&event.Lost{What: object.Loss{Clause: 0, Kind: object.LossRingFull}, Count: 2},
		&event.Exit{},
		&event.Lost{What: object.Loss{Clause: 0, Kind: object.LossRingFull}, Count: 5},
		&event.Lost{What: object.Loss{Clause: 1, Kind: object.LossRingFull}, Count: 1},
		&event.Lost{What: object.Loss{Clause: 0, Kind: object.LossMapFull}, Count: 7},
	} {
		l.Event(e)
	}
	l.queue.end()
	sums := map[string]uint64{}
	n := 0
	for e, ok := l.queue.pop(); ok; e, ok = l.queue.pop() {
		n++
		sums[e.(*Lost).Kind.String()] += e.(*Lost).Count
	}
	if n != 4 || sums["ring_full"] != 6 || sums["map_full"] != 7 {
		t.Errorf("%d events: %v", n, sums)
	}
}

// TestLosses: what the programs have lost so far can be asked for while they run.
func TestLosses(t *testing.T) {
	s := start(t, "begin { @ = *(uint64 *)8; }\nbegin { @ = 1 / @nothing; }\ninterval:s:100 { }", RunOptions{})
	list, err := s.Losses()
	if err != nil || len(list) != 2 || list[0].Kind != LossReadFailed || list[0].Count != 1 || list[0].Line != 1 || list[1].Kind != LossDivision || list[1].Line != 2 {
		t.Errorf("%+v %v", list, err)
	}
	s.Close()
	if _, err := s.Losses(); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// TestOutputsAndEvents: a session is written and listened to at once.
func TestOutputsAndEvents(t *testing.T) {
	var text, lines strings.Builder
	s := start(t, `begin { printf("x\n"); @a = 1; exit(); }`, RunOptions{Listen: true,
		Outputs: []Output{{Writer: &text}, {Writer: &lines, Format: "json"}}})
	got := collect(t, s)
	if len(got) != 2 || got[0].String() != "x\n" || text.String() != "x\n@a: 1\n" || !strings.Contains(lines.String(), `"printf", "data": "x\n"`) {
		t.Errorf("%v\n%s%s", got, &text, &lines)
	}
}

// TestMapsAfterEnd reads maps when the script has ended, until the session is closed.
func TestMapsAfterEnd(t *testing.T) {
	s := start(t, `begin { @a[1] = 2; @s[kstack] = count(); exit(); }`, RunOptions{})
	if _, err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	m, err := s.Map("a")
	if err != nil {
		t.Fatal(err)
	}
	if all, err := m.Read(); err != nil || len(all.Entries) != 1 || all.Entries[0].Value != int64(2) {
		t.Errorf("%v %v", all, err)
	}
	stacks, err := s.Map("s")
	if err != nil {
		t.Fatal(err)
	}
	if all, err := stacks.Read(); err != nil || len(all.Entries) != 1 || len(all.Entries[0].Key[0].Value.([]Place)) == 0 {
		t.Errorf("%v %v", all, err)
	}
	if _, err := s.Map("b"); !errors.Is(err, ErrNoMap) {
		t.Error(err)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := m.Read(); !errors.Is(err, ErrClosed) {
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
	if err := begin(t.Context(), `test:one { return 1; }`, Options{Mode: Test}, RunOptions{}); err == nil {
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
	s := start(t, `begin { printf("x\n"); @a = 1; exit(); }`, RunOptions{Outputs: []Output{{Writer: &out}}, Log: Log{Writer: &errs}})
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
	s, err := p.Start(ctx, RunOptions{Outputs: []Output{{Writer: &out}}})
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
	got := collect(t, s)
	if len(got) != 5001 || got[4999].String() != "4999\n" {
		t.Errorf("%d events", len(got))
	}
}

// The maps at the end are those of a script that has ended, if nobody wants those
// of one that was stopped.
func TestMapsWhenStopped(t *testing.T) {
	var ended, stopped strings.Builder
	s := start(t, `begin { @a = 1; exit(); }`, RunOptions{Outputs: []Output{{Writer: &ended}}, Maps: MapsOnExit})
	s.Wait()
	if !strings.Contains(ended.String(), "@a: 1") {
		t.Errorf("a script that ends shows %q", ended.String())
	}
	s = start(t, `begin { @a = 1; } interval:s:100 { @a = 2; }`, RunOptions{Outputs: []Output{{Writer: &stopped}}, Maps: MapsOnExit})
	s.Close()
	if strings.Contains(stopped.String(), "@a") {
		t.Errorf("a script that is stopped shows %q", stopped.String())
	}
}

// TestRemembers: only a program that keeps something of its own for a later event waits before it takes another's place.
func TestRemembers(t *testing.T) {
	for text, want := range map[string]bool{
		"tracepoint:sched:sched_switch { @n[tid] = count(); }": false,
		"syscall:read { @ = count(); printf(\"%d\", ret); }":   false,
		"syscall:read { @ = avg(took); }":                      true,
		"io:done { @ = hist(took); }":                          true,
	} {
		p, err := Compile(text, Options{Live: true, Store: NewStore()})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.remembers(); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
