package lower

import "strings"

// namesByNumber is the room for the names of system calls of one kind in
// Object.ProbeNames. Linux has numbers below 512 on x86-64 and arm64.
const namesByNumber = 512

// probeID interns a probe's name. The names of system calls of one kind are laid out
// by number: one program can serve many of them, and another clause, or another
// script with the same maps, numbers them alike.
func (l *lowerer) probeID(name string) int {
	if id, ok := l.probeIDs[name]; ok {
		return id
	}
	if kind, nr := l.syscallProbe(name); kind != "" {
		if id := l.probesByNumber(kind) + nr; l.obj.ProbeNames[id] == "" {
			l.obj.ProbeNames[id], l.probeIDs[name] = name, id
			return id
		} // else the call's other name is there: fstat is newfstat
	}
	return l.addProbeName(name)
}

func (l *lowerer) addProbeName(name string) int {
	id := len(l.obj.ProbeNames)
	l.obj.ProbeNames = append(l.obj.ProbeNames, name)
	if name != "" {
		l.probeIDs[name] = id
	}
	return id
}

// probesByNumber is the index of the name of system call 0 for probes of a kind. The
// kind itself, which names no probe, stands before it.
func (l *lowerer) probesByNumber(kind string) int {
	id, ok := l.probeIDs[kind]
	if !ok {
		id = l.addProbeName(kind)
		l.obj.ProbeNames = append(l.obj.ProbeNames, make([]string, namesByNumber)...)
	}
	return id + 1
}

// syscallProbe splits the name of a system call's probe into its kind, which is all
// before the call's name, and the call's number. The kind of other probes is "".
func (l *lowerer) syscallProbe(name string) (kind string, nr int) {
	for _, kind := range []string{"syscall:", "tracepoint:syscalls:sys_enter_", "tracepoint:syscalls:sys_exit_"} {
		if call, ok := strings.CutPrefix(name, kind); ok {
			if nr, ok := l.t.SyscallNumber(call); ok && nr < namesByNumber {
				return kind, nr
			}
		}
	}
	return "", 0
}
