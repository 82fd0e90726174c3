package probe

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"fst/compiler/object"
	"fst/lang/ast"
	"fst/lang/diag"
	"fst/lang/parse"
)

// timerUnits are the units of profile and interval, in nanoseconds; hz is
// handled apart.
var timerUnits = map[string]uint64{"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}

var durationUnits = map[string]uint64{"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86400e9}

// minPeriod is the shortest period: the kernel's timers do no better.
const minPeriod = 1000

func (r *Resolver) resolveTimer(ap *ast.AttachPoint) ([]Point, *Failure) {
	kind := object.HookInterval
	if ap.Provider == "profile" {
		kind = object.HookProfile
	}
	h := object.Hook{Kind: kind}
	switch len(ap.Parts) {
	case 1:
		n, fail := duration(ap)
		if fail != nil {
			fail.hint = written(ap)
			return nil, fail
		}
		h.Period = n
		h.Name = fmt.Sprintf("%s:us:%d", ap.Provider, n/1000)
	case 2:
		unit := ap.Parts[0]
		n, ok := wholeNumber(ap.Parts[1])
		if _, swapped := timerUnits[ap.Parts[1]]; (swapped || ap.Parts[1] == "hz") && isNumber(unit) {
			return nil, &Failure{Span: partSpan(ap, 0).To(partSpan(ap, 1)), message: "the unit comes before the number",
				hint: "write " + ap.Written + ":" + ap.Parts[1] + ":" + unit}
		}
		scale, known := timerUnits[unit]
		if !known && unit != "hz" {
			f := &Failure{Span: partSpan(ap, 0), message: fmt.Sprintf("%q is not a unit of time", unit), hint: "units are hz, s, ms and us"}
			if instead := parse.Foreign(ap.Raw); instead != "" {
				f.hint = "write " + instead
			} else if near := nearUnit(unit); near != "" {
				f.near = func() string { return ap.Written + ":" + near + ":" + ap.Parts[1] }
			}
			return nil, f
		}
		if !ok || n == 0 || n > math.MaxUint32 {
			f := &Failure{Span: partSpan(ap, 1), message: fmt.Sprintf("%q can't be the number of %s: it is a whole number from 1 to %d", ap.Parts[1], unit, uint32(math.MaxUint32)), hint: written(ap)}
			if number := strings.TrimSuffix(ap.Parts[1], unit); number != ap.Parts[1] && isNumber(number) {
				f.hint = "the unit stands once: " + ap.Written + ":" + unit + ":" + number
			} else if part, err := strconv.ParseFloat(ap.Parts[1], 64); err == nil && unit == "s" && part >= 0.001 {
				f.hint = fmt.Sprintf("write it in a smaller unit: %s:ms:%d", ap.Written, int(part*1000))
			}
			return nil, f
		}
		if unit == "hz" {
			h.Frequency = n
		} else {
			h.Period = n * scale
		}
		h.Name = fmt.Sprintf("%s:%s:%d", ap.Provider, unit, n)
	default:
		return nil, badForm(ap)
	}
	if h.Frequency == 0 && h.Period < minPeriod {
		f := &Failure{Span: ap.Span, message: "the shortest period is 1us", hint: written(ap)}
		if n := ap.Parts[0]; len(ap.Parts) == 1 && strings.Trim(n, "0123456789") == "" {
			f.message = fmt.Sprintf("%s without a unit is %s ns, and the shortest period is 1us", n, n)
			f.hint = fmt.Sprintf("write %s:%ss", ap.Written, n)
			if ap.Provider == "profile" {
				f.hint = fmt.Sprintf("write %s:hz:%s", ap.Written, n)
			}
		}
		return nil, f
	}
	if h.Frequency > 1e6 {
		return nil, &Failure{Span: ap.Span, message: "the highest frequency is 1000000 Hz", hint: "99 is usual"}
	}
	if kind == object.HookProfile {
		h.PID = r.hookPID()
	}
	return []Point{{Provider: ap.Provider, Hook: h}}, nil
}

// nearUnit is the unit that a word seems to mean.
func nearUnit(word string) string {
	switch w := strings.TrimSuffix(strings.ToLower(word), "s"); w {
	case "hz", "hertz", "herz", "freq":
		return "hz"
	case "", "sec", "second":
		return "s"
	case "m", "msec", "millisecond", "milli":
		return "ms"
	case "u", "usec", "microsecond", "micro":
		return "us"
	}
	return ""
}

func isNumber(s string) bool {
	_, ok := wholeNumber(s)
	return ok
}

// duration reads "5s", or a bare number of nanoseconds.
func duration(ap *ast.AttachPoint) (uint64, *Failure) {
	text := strings.ReplaceAll(ap.Parts[0], "_", "")
	i := 0
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	n, err := strconv.ParseUint(text[:i], 10, 40)
	scale, ok := durationUnits[text[i:]]
	if bare, isBare := wholeNumber(text); isBare {
		n, err, scale, ok = bare, nil, 1, true
	}
	if err != nil || !ok || n == 0 {
		f := &Failure{Span: partSpan(ap, 0), message: fmt.Sprintf("%q is not a period", ap.Parts[0])}
		if unit := nearUnit(text[i:]); err == nil && n > 0 && unit != "" {
			f.near = func() string { return ap.Written + ":" + unit + ":" + text[:i] }
		}
		return 0, f
	}
	if n > (1<<63)/scale {
		return 0, &Failure{Span: partSpan(ap, 0), message: fmt.Sprintf("%q is too long", ap.Parts[0])}
	}
	return n * scale, nil
}

// perfEvent is an event of perf_event_open (linux/perf_event.h).
type perfEvent struct {
	config uint64
	period uint64
}

const (
	perfTypeHardware = 0
	perfTypeSoftware = 1
)

var softwareEvents = map[string]perfEvent{
	"cpu-clock": {0, 1e6}, "cpu": {0, 1e6}, "task-clock": {1, 1}, "page-faults": {2, 100}, "faults": {2, 100},
	"context-switches": {3, 1000}, "cs": {3, 1000}, "cpu-migrations": {4, 1}, "minor-faults": {5, 100}, "major-faults": {6, 1},
	"alignment-faults": {7, 1}, "emulation-faults": {8, 1}, "dummy": {9, 1}, "bpf-output": {10, 1},
}

var hardwareEvents = map[string]perfEvent{
	"cpu-cycles": {0, 1e6}, "cycles": {0, 1e6}, "instructions": {1, 1e6}, "cache-references": {2, 1e6}, "cache-misses": {3, 1e6},
	"branch-instructions": {4, 1e5}, "branches": {4, 1e5}, "branch-misses": {5, 1e5}, "bus-cycles": {6, 1e5},
	"frontend-stalls": {7, 1e6}, "backend-stalls": {8, 1e6}, "ref-cycles": {9, 1e6},
}

// perfEvents are the events of a kind of probes, software or hardware, and their type.
func perfEvents(provider string) (events map[string]perfEvent, typ uint32) {
	if provider == "hardware" {
		return hardwareEvents, perfTypeHardware
	}
	return softwareEvents, perfTypeSoftware
}

// PerfEvents lists the events of the software: or hardware: probes by name, sorted.
func PerfEvents(provider string) []string {
	events, _ := perfEvents(provider)
	return slices.Sorted(maps.Keys(events))
}

func (r *Resolver) resolvePerf(ap *ast.AttachPoint) ([]Point, *Failure) {
	events, typ := perfEvents(ap.Provider)
	if len(ap.Parts) < 1 || len(ap.Parts) > 2 {
		return nil, badForm(ap)
	}
	e, ok := events[ap.Parts[0]]
	if !ok {
		f := &Failure{Span: partSpan(ap, 0), message: fmt.Sprintf("there is no %s event %s", ap.Provider, ap.Parts[0]), hint: "fst -l '" + ap.Provider + ":*' lists them"}
		f.near = func() string {
			for _, other := range []string{"software", "hardware"} {
				if events, _ := perfEvents(other); events[ap.Parts[0]] != (perfEvent{}) {
					return other + ":" + ap.Parts[0]
				}
			}
			return diag.Nearest(ap.Parts[0], PerfEvents(ap.Provider))
		}
		return nil, f
	}
	h := object.Hook{Kind: object.HookPerf, PerfType: typ, PerfConfig: e.config, Period: e.period, PID: r.hookPID(),
		Name: ap.Provider + ":" + ap.Parts[0]}
	// "*" is the usual count too.
	if len(ap.Parts) == 2 && ap.Parts[1] != "*" {
		n, ok := wholeNumber(ap.Parts[1])
		if !ok {
			return nil, &Failure{Span: partSpan(ap, 1), message: fmt.Sprintf("%q is not a number of events", ap.Parts[1]),
				hint: "it is written " + ap.Provider + ":EVENT:COUNT; the probe fires at every COUNT-th event"}
		}
		if n != 0 {
			h.Period = n
			h.Name += ":" + strconv.FormatUint(n, 10)
		}
	}
	return []Point{{Provider: ap.Provider, Hook: h}}, nil
}

// wholeNumber reads a number of an attach point: "1000", "0x3e8", "1_000" or
// "1e3".
func wholeNumber(text string) (uint64, bool) {
	if coefficient, zeros, ok := strings.Cut(text, "e"); ok && !strings.HasPrefix(text, "0x") {
		k, err := strconv.ParseUint(zeros, 10, 8)
		if err != nil || k > 15 {
			return 0, false
		}
		text = coefficient + strings.Repeat("0", int(k))
	}
	n, err := strconv.ParseUint(text, 0, 63)
	return n, err == nil
}

func (r *Resolver) resolveWatchpoint(ap *ast.AttachPoint) ([]Point, *Failure) {
	if len(ap.Parts) != 3 {
		return nil, badForm(ap)
	}
	addr, err := strconv.ParseUint(ap.Parts[0], 0, 64)
	if err != nil {
		return nil, &Failure{Span: partSpan(ap, 0), message: fmt.Sprintf("%q is not an address", ap.Parts[0]), hint: written(ap)}
	}
	n, err := strconv.Atoi(ap.Parts[1])
	if err != nil || n != 1 && n != 2 && n != 4 && n != 8 {
		return nil, &Failure{Span: partSpan(ap, 1), message: fmt.Sprintf("%q can't be the length of a watchpoint", ap.Parts[1]), hint: "lengths are 1, 2, 4 and 8 bytes"}
	}
	mode := ap.Parts[2]
	switch mode {
	case "w", "rw", "x":
	case "wr":
		mode = "rw"
	default:
		return nil, &Failure{Span: partSpan(ap, 2), message: fmt.Sprintf("%q can't be the mode of a watchpoint", mode), hint: "modes are w, rw and x"}
	}
	pid := r.hookPID()
	if pid == 0 {
		pid = r.CPID
	}
	return []Point{{Provider: "watchpoint", Hook: object.Hook{Kind: object.HookWatchpoint, Address: addr, Len: n, Mode: mode, PID: pid,
		Name: fmt.Sprintf("watchpoint:%d:%d:%s", addr, n, mode)}}}, nil
}
