package render

import (
	"strings"
	"testing"
	"time"

	"fst/compiler/object"
	"fst/compiler/types"
	"fst/runtime/event"
	"fst/runtime/value"
)

func liveOf(t *testing.T) *Live {
	t.Helper()
	l := NewLive("test", fakeObject())
	l.view.now = func() time.Time { return time.Date(2026, 11, 21, 4, 5, 6, 0, time.UTC) }
	l.text.p.loc = time.UTC
	return l
}

// TestLiveLines: what a script or a command writes moves no cursor, and lines that come again are counted.
func TestLiveLines(t *testing.T) {
	l := liveOf(t)
	l.Event(&event.Warning{Text: "one"})
	l.Say([]byte("\x1b[2J\x1b[31mred\x1b[m\tx\rend\n"))
	l.Say([]byte("begun "))
	l.Say([]byte("and ended\nagain\nagain\nagain\n"))
	got := l.Text(0)
	if want := "again (3 times)\nbegun and ended\n"; !strings.HasPrefix(got, want) || strings.ContainsRune(got, '\x1b') || !strings.Contains(got, "WARNING: one\n") {
		t.Errorf("%q", got)
	}
}

// TestLiveQuit: what was shown when the user quits stays, whatever the end of the script shows; maps that nothing has filled are not shown.
func TestLiveQuit(t *testing.T) {
	for _, key := range []string{"q", "ctrl-c"} {
		l := liveOf(t)
		maps := map[string]*object.Map{}
		for _, name := range []string{"other", "calls"} {
			maps[name] = &object.Map{Name: "@" + name, Key: types.U64, Value: types.U64, Schema: &object.Schema{Keys: 1,
				Fields: []object.Field{{Name: "key", Type: types.U64}, {Name: name, Type: types.U64}}}}
		}
		show := func(name string, entries ...value.Entry) {
			l.Event(named(l.text.p.obj, &event.Map{Map: maps[name], Snapshot: &value.Snapshot{Entries: entries}}))
		}
		show("other")
		show("calls", value.Entry{Key: num(7), Value: num(42)})
		if key == "ctrl-c" {
			l.Key("/")
		}
		if quit := l.Key(key); !quit {
			t.Errorf("%s does not quit", key)
		}
		show("calls")
		if got := l.Text(80); got != "key  calls\n  7     42  ████████████████████████████████████████\n" {
			t.Errorf("%s: %q", key, got)
		}
		if status := l.Frame(80, 24)[0]; !strings.Contains(status, "04:05:06") {
			t.Errorf("%s: %q", key, status)
		}
	}
}

// TestLiveFilter: a filter keeps an element with all its lines, or drops it.
func TestLiveFilter(t *testing.T) {
	l := liveOf(t)
	m, s := snapshot("@h", str("cat"), hist(0, 5, 17), str("dd"), hist(0, 1))
	m.Schema = &object.Schema{Keys: 1, Fields: []object.Field{{Name: "comm", Type: m.Key}, {Name: "h", Type: m.Value}}}
	l.Event(named(l.text.p.obj, &event.Map{Map: m, Snapshot: s}))
	for _, key := range strings.Split("/cat", "") {
		l.Key(key)
	}
	l.Key("enter")
	if got := l.Text(60); !strings.HasPrefix(got, "@h[cat]:\n[4, 8)  ") || !strings.Contains(got, "\n[16, 32)  ") || strings.Contains(got, "dd") || strings.Contains(got, "[1]") {
		t.Errorf("%s", got)
	}
	for _, key := range strings.Split("/rsync", "") {
		l.Key(key)
	}
	if got := l.Text(60); got != "No row has \"rsync\"; Esc ends the filter\n" {
		t.Errorf("%s", got)
	}
}

// TestLiveFits: no screen has more lines or longer ones than the terminal, whatever its size and whichever keys were pressed.
func TestLiveFits(t *testing.T) {
	l := liveOf(t)
	m := &object.Map{Name: "@", Key: types.U64, Value: types.U64, Schema: &object.Schema{Keys: 1,
		Fields: []object.Field{{Name: "key", Type: types.U64}, {Name: "value", Type: types.U64}}}}
	s := &value.Snapshot{}
	for i := range int64(3000) {
		s.Entries = append(s.Entries, value.Entry{Key: num(i), Value: num(i * i)})
	}
	for _, key := range []string{"x", ">", "r", "h", "?", "?", "down", "end", "tab", " ", "pgdn", "<", "/", "9", "enter", " ", "esc"} {
		l.Event(named(l.text.p.obj, &event.Map{Map: m, Snapshot: s}))
		l.Say([]byte(strings.Repeat("line ", 100) + "\n"))
		l.Key(key)
		for _, columns := range []int{1, 2, 20, 80, 300} {
			for _, rows := range []int{1, 2, 3, 24, 200} {
				frame := l.Frame(columns, rows)
				if len(frame) != rows {
					t.Fatalf("%d lines on %d rows after %q", len(frame), rows, key)
				}
				for _, line := range frame {
					if n := len([]rune(withoutControls(line))); n > columns {
						t.Fatalf("%d characters on %d columns after %q: %q", n, columns, key, line)
					}
				}
			}
		}
	}
	if quit := l.Key("q"); !quit {
		t.Error("q does not quit")
	}
}
