package fst_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"fst"
)

// startStored compiles a text with a store, as an entry of that name, and starts it.
func startStored(t *testing.T, store *fst.Store, name, text string) (*fst.Session, error) {
	t.Helper()
	prog, err := fst.Compile(text, fst.Options{Name: name, Store: store})
	if err != nil {
		return nil, err
	}
	s, err := prog.Start(context.Background(), fst.RunOptions{Maps: fst.MapsNever})
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

// ran runs a text to its end, closes its session, and returns what it printed.
func ran(t *testing.T, store *fst.Store, name, text string) string {
	t.Helper()
	s, err := startStored(t, store, name, text)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for e, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(&out, e)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func newStore(t *testing.T) *fst.Store {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	s := fst.NewStore()
	t.Cleanup(s.Close)
	return s
}

func TestStore(t *testing.T) {
	store := newStore(t)
	// One session stores, and ends; others read it, add to it, and end.
	ran(t, store, "one", `begin { @start[tid] = nsecs; @n = count(); @names["a", 1] = probe; @start[5] = 6; }`)
	if got := ran(t, store, "two", `begin { printf("%d %d\n", @start[5], nsecs > @start[tid]); @n = count(); print(@names["a", 1]); }`); got != "6 1\nbegin\n" {
		t.Errorf("the second session says %q", got)
	}
	if got := ran(t, store, "three", `begin { print(@n); print(@start[5]); @names["b", 2] = probe; }`); got != "@n: 2\n6\n" {
		t.Errorf("the third session says %q", got)
	}
	// What they left is read and changed without a session.
	m, err := store.Map("n")
	if err != nil {
		t.Fatal(err)
	}
	if v, ok, err := m.Get(); fmt.Sprint(v) != "2" || !ok || err != nil {
		t.Errorf("@n is %v, %t, %v", v, ok, err)
	}
	start, _ := store.Map("@start")
	if err := start.Set(7, 5); err != nil {
		t.Error(err)
	}
	if err := start.Set(100, 6); err != nil {
		t.Error(err)
	}
	if got := ran(t, store, "four", `begin { print((@start[5], @start[6])); clear(@n); }`); got != "(7, 100)\n" {
		t.Errorf("after Set: %q", got)
	}
	if top, err := start.Top(2); err != nil || len(top.Entries) != 2 || fmt.Sprint(top.Entries[0].Value) != "100" {
		t.Errorf("the largest two: %v, %v", top, err)
	}
	if _, ok, err := m.Get(); ok || err != nil {
		t.Errorf("@n is not cleared: %v", err)
	}
	var names []string
	for _, m := range store.Maps() {
		names = append(names, m.Name())
	}
	if got := strings.Join(names, " "); got != "@n @names @start" {
		t.Errorf("the store has %s", got)
	}
}

// TestStoreShared has two sessions use a map at the same time.
func TestStoreShared(t *testing.T) {
	store := newStore(t)
	one, err := startStored(t, store, "one", `interval:ms:5 { @ticks = count(); @last[1] = nsecs; }`)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if got := ran(t, store, "two", `begin { printf("%d", @ticks); }`); got != "0" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the second session does not see what the first counts")
		}
	}
	// What it uses can't be replaced or forgotten meanwhile.
	_, err = startStored(t, store, "three", `let @last = hash(7); begin { @last[1] = 5; }`)
	var load *fst.LoadError
	if !errors.As(err, &load) || load.Place == nil || !strings.Contains(err.Error(), "three:1:") || !strings.Contains(err.Error(), "one:1:") {
		t.Errorf("another size: %v", err)
	}
	if err := store.Forget("last"); err == nil {
		t.Error("a map in use is forgotten")
	}
	one.Close()
	if got := ran(t, store, "four", `let @last = hash(7); begin { print(has_key(@last, 1)); }`); got != "true\n" {
		t.Errorf("another size, when nobody uses it: %q", got)
	}
	if err := store.Forget("last"); err != nil {
		t.Error(err)
	}
	if _, err := store.Map("last"); !errors.Is(err, fst.ErrNoMap) {
		t.Errorf("a map that is forgotten: %v", err)
	}
}

// TestStoreProbes has a session show the names of probes that later scripts have.
func TestStoreProbes(t *testing.T) {
	store := newStore(t)
	prog, err := fst.Compile(`begin { @p[probe] = 1; } interval:s:100 { } end { print(@p); }`, fst.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	s, err := prog.Start(ctx, fst.RunOptions{Maps: fst.MapsNever})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ran(t, store, "later", `later=interval:ms:1 { @p[probe] = 2; exit(); }`)
	stop()
	var said []string
	for e, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, strings.TrimSpace(fmt.Sprint(e)))
	}
	if got := strings.Join(said, "\n"); got != "@p[begin]: 1\n@p[later]: 2" {
		t.Errorf("the probes are %q", got)
	}
}

// TestStoreTypes: what can be converted is, and all else is refused with both places.
func TestStoreTypes(t *testing.T) {
	store := newStore(t)
	ran(t, store, "old", `begin { @k["a", (int32)-1] = (int8)-2; @s[1] = "text"; @h[1] = hist(3); }`)
	if got := ran(t, store, "wider", `begin { @k["a much longer text than before", (int64)1] = (int64)1 << 40; print(@k); }`); got != "@k[a, -1]: -2\n@k[a much longer text than before, 1]: 1099511627776\n" {
		t.Errorf("converted: %q", got)
	}
	if got := ran(t, store, "again", `begin { print((@k["a", -1], @s[1])); }`); got != "(-2, text)\n" {
		t.Errorf("read as before: %q", got)
	}
	for text, want := range map[string]string{
		`begin { @s["key"] = "x"; }`:            "the key of @s is string here, but",
		`begin { @s = "x"; }`:                   "@s needs a key here",
		`begin { @s[1] = 5; }`:                  "@s holds string, so it can't be given",
		`begin { @h[1] = lhist(1, 0, 10, 1); }`: "@h holds hist(), so it can't be given lhist()",
	} {
		_, err := startStored(t, store, "new", text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "new:1:") || !strings.Contains(err.Error(), "old:1:") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
