package session

import (
	"fmt"
	"strings"

	"fst/compiler/object"
	"fst/runtime/attach"
)

// silence is what to say of a script that ends having seen nothing, whose output
// does not tell whether its probes have never fired or its filters let nothing
// through. It is empty if an action has run, and for scripts that wait for nothing.
// skips is what is known of events that the kernel skipped. pid is the process that was looked at, or 0.
func silence(noted []object.Noted, seen []uint64, skips skips, pid int) string {
	groups := [...]struct {
		reason string
		probes []string
	}{
		{reason: " fired, but no event passed the filter"},
		{reason: " fired only where the kernel skipped the events"},
		{reason: " never fired"},
		{reason: " never fired, unless the kernel skipped the events: Linux counts those from 6.7 on"},
	}
	for i, n := range noted {
		group := &groups[2]
		switch skip := skips.of(n.Clause); {
		case n.Library:
			continue
		case seen[i] >= object.NotedPassed:
			return ""
		case seen[i] == object.NotedFired:
			group = &groups[0]
		case skip.counted:
			group = &groups[1]
		case skip.unknown:
			group = &groups[3]
		}
		group.probes = append(group.probes, n.Probe)
	}
	nothing := "Nothing was seen: "
	if pid != 0 {
		nothing = fmt.Sprintf("Nothing was seen of process %d: ", pid)
	}
	var reasons []string
	for _, group := range groups {
		if group.probes != nil {
			reasons = append(reasons, several(group.probes)+group.reason)
		}
	}
	if reasons == nil {
		return ""
	}
	return nothing + strings.Join(reasons, "; ")
}

// skips is what is known of the events that the kernel skipped, by the programs' clauses. libraries is the index for
// all programs that fire declared probes: a clause on one of these has no program of its own.
type skips map[int]skip

type skip struct {
	counted bool // some were skipped
	unknown bool // the kernel does not count them
}

const libraries = -1

func (s skips) of(clause int) skip {
	if own, ok := s[clause]; ok {
		return own
	}
	return s[libraries]
}

// add adds what is known of a program. countsAll tells a kernel that counts the skipped events of all kinds of probes.
func (s skips) add(p attach.Stats, countsAll bool) {
	clause := p.Program.Clause
	if p.Program.Library {
		clause = libraries
	}
	known := s[clause]
	known.counted = known.counted || p.Misses+p.Unreached > 0
	switch p.Program.Hooks[0].Kind {
	case object.HookKprobe, object.HookKretprobe, object.HookTracepoint:
		known.unknown = known.unknown || !countsAll
	}
	s[clause] = known
}

// shownProbes is how many probes a line names.
const shownProbes = 4

func several(names []string) string {
	var unique []string
	told := map[string]bool{}
	for _, n := range names {
		if !told[n] {
			unique = append(unique, n)
			told[n] = true
		}
	}
	if n := len(unique) - shownProbes; n > 1 {
		unique = append(unique[:shownProbes], fmt.Sprintf("%d more", n))
	}
	if last := len(unique) - 1; last > 0 {
		return strings.Join(unique[:last], ", ") + " and " + unique[last]
	}
	return unique[0]
}

// tellSilence says it if there is nothing else to see.
func (s *Session) tellSilence() {
	if len(s.obj.Noted) == 0 {
		return
	}
	seen, err := s.Maps.set.Map(s.obj.Seen).Counters()
	if err != nil {
		return
	}
	known, countsAll := skips{}, attach.CountsSkipped()
	for _, p := range s.Stats() {
		known.add(p, countsAll)
	}
	if text := silence(s.obj.Noted, seen, known, s.opts.PID); text != "" {
		remark(s.opts.Sink, "%s", text)
	}
}
