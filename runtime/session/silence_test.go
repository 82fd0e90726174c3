package session

import (
	"testing"

	"fst/compiler/object"
)

func TestSilence(t *testing.T) {
	a, b, library := object.Noted{Probe: "kprobe:a"}, object.Noted{Probe: "io:b", Clause: 1}, object.Noted{Probe: "kprobe:inner", Clause: 2, Library: true}
	var many []object.Noted
	for _, name := range []string{"a", "b", "b", "c", "d", "e", "f"} {
		many = append(many, object.Noted{Probe: name, Clause: len(many)})
	}
	for _, test := range []struct {
		noted []object.Noted
		seen  []uint64
		pid   int
		want  string
	}{
		{nil, nil, 0, ""},
		{[]object.Noted{library}, []uint64{0}, 0, ""},
		{[]object.Noted{a}, []uint64{object.NotedPassed}, 0, ""},
		{[]object.Noted{a, b}, []uint64{0, object.NotedPassed}, 0, ""},
		{[]object.Noted{a, b, library}, []uint64{0, 0, object.NotedPassed}, 0, "Nothing was seen: kprobe:a and io:b never fired"},
		{[]object.Noted{a}, []uint64{object.NotedFired}, 0, "Nothing was seen: kprobe:a fired, but no event passed the filter"},
		{[]object.Noted{a, b}, []uint64{object.NotedFired, 0}, 7,
			"Nothing was seen of process 7: kprobe:a fired, but no event passed the filter; io:b never fired"},
		{[]object.Noted{{Probe: "io:skipped", Clause: 9}, a}, []uint64{0, 0}, 0, "Nothing was seen: io:skipped fired only where the kernel skipped the events; kprobe:a never fired"},
		{many, make([]uint64, 7), 0, "Nothing was seen: a, b, c, d and 2 more never fired"},
		{many[:6], make([]uint64, 6), 0, "Nothing was seen: a, b, c, d and e never fired"},
	} {
		if got := silence(test.noted, test.seen, map[int]bool{9: true}, test.pid); got != test.want {
			t.Errorf("%v %v: %q, want %q", test.noted, test.seen, got, test.want)
		}
	}
}
