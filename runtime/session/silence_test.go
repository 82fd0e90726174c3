package session

import (
	"testing"

	"fst/compiler/object"
	"fst/runtime/attach"
)

func TestSilence(t *testing.T) {
	a, b, library := object.Noted{Probe: "kprobe:a"}, object.Noted{Probe: "uprobe:b", Clause: 1}, object.Noted{Probe: "kprobe:inner", Clause: 2, Library: true}
	var many []object.Noted
	for _, name := range []string{"a", "b", "b", "c", "d", "e", "f"} {
		many = append(many, object.Noted{Probe: name, Clause: len(many)})
	}
	known := skips{}
	for i, clause := range []int{0, 1, 9, 10} {
		p := attach.Stats{Program: &object.Program{Clause: clause, Hooks: []object.Hook{{Kind: object.HookKprobe}}}}
		if clause == 9 {
			p.Misses = 1
		}
		known.add(p, i < 3)
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
		{[]object.Noted{a, b, library}, []uint64{0, 0, object.NotedPassed}, 0, "Nothing was seen: kprobe:a and uprobe:b never fired"},
		{[]object.Noted{a}, []uint64{object.NotedFired}, 0, "Nothing was seen: kprobe:a fired, but no event passed the filter"},
		{[]object.Noted{a, b}, []uint64{object.NotedFired, 0}, 7,
			"Nothing was seen of process 7: kprobe:a fired, but no event passed the filter; uprobe:b never fired"},
		{[]object.Noted{{Probe: "kprobe:skipped", Clause: 9}, {Probe: "kprobe:old", Clause: 10}, a}, []uint64{0, 0, 0}, 0,
			"Nothing was seen: kprobe:skipped fired only where the kernel skipped the events; kprobe:a never fired; " +
				"kprobe:old never fired, unless the kernel skipped the events: Linux counts those from 6.7 on"},
		{many, make([]uint64, 7), 0, "Nothing was seen: a, b, c, d and 2 more never fired"},
		{many[:6], make([]uint64, 6), 0, "Nothing was seen: a, b, c, d and e never fired"},
	} {
		if got := silence(test.noted, test.seen, known, test.pid); got != test.want {
			t.Errorf("%v %v: %q, want %q", test.noted, test.seen, got, test.want)
		}
	}
}

// TestSkips has declared probes take what is known of the programs that fire them.
func TestSkips(t *testing.T) {
	program := func(clause int, library bool, kind object.HookKind, misses uint64) attach.Stats {
		s := attach.Stats{Program: &object.Program{Clause: clause, Library: library, Hooks: []object.Hook{{Kind: kind}}}}
		s.Misses = misses
		return s
	}
	old := skips{}
	old.add(program(0, false, object.HookRawTracepoint, 0), false)
	old.add(program(1, false, object.HookTracepoint, 0), false)
	old.add(program(7, true, object.HookKprobe, 3), false)
	for clause, want := range []skip{{}, {unknown: true}, {counted: true, unknown: true}} {
		if got := old.of(clause); got != want {
			t.Errorf("clause %d: %v, want %v", clause, got, want)
		}
	}
}
