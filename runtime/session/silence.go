package session

import (
	"fmt"
	"strings"

	"fst/compiler/object"
)

// silence is what to say of a script that ends having seen nothing, whose output
// does not tell whether its probes have never fired or its filters let nothing
// through. It is empty if an action has run, and for scripts that wait for nothing.
// skipped are the clauses of which the kernel skipped events. pid is the process that was looked at, or 0.
func silence(noted []object.Noted, seen []uint64, skipped map[int]bool, pid int) string {
	var never, dropped, missed []string
	for i, n := range noted {
		switch {
		case n.Library:
		case seen[i] >= object.NotedPassed:
			return ""
		case seen[i] == object.NotedFired:
			dropped = append(dropped, n.Probe)
		case skipped[n.Clause]:
			missed = append(missed, n.Probe)
		default:
			never = append(never, n.Probe)
		}
	}
	nothing := "Nothing was seen: "
	if pid != 0 {
		nothing = fmt.Sprintf("Nothing was seen of process %d: ", pid)
	}
	var reasons []string
	for _, group := range []struct {
		probes []string
		reason string
	}{
		{dropped, " fired, but no event passed the filter"},
		{missed, " fired only where the kernel skipped the events"},
		{never, " never fired"},
	} {
		if group.probes != nil {
			reasons = append(reasons, several(group.probes)+group.reason)
		}
	}
	if reasons == nil {
		return ""
	}
	return nothing + strings.Join(reasons, "; ")
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
	skipped := map[int]bool{}
	for _, p := range s.Stats() {
		if p.Misses+p.Unreached > 0 {
			skipped[p.Program.Clause] = true
		}
	}
	if text := silence(s.obj.Noted, seen, skipped, s.opts.PID); text != "" {
		remark(s.opts.Sink, "%s", text)
	}
}
