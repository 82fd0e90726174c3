package facts

import (
	"slices"
	"strconv"
	"strings"

	"fst/compiler/target"
	"fst/compiler/target/syscalls"
	"fst/compiler/types"
)

func (k *Kernel) syscallNumbers() map[string]int {
	numbers := map[string]int{}
	for nr, name := range syscalls.Names(k.arch) {
		if name != "" {
			numbers[name] = nr
		}
	}
	return numbers
}

// tracefsNames are the system calls whose events are called differently from
// what unistd.h calls them: the events take the name of the function.
var tracefsNames = map[string]string{
	"stat": "newstat", "fstat": "newfstat", "lstat": "newlstat", "uname": "newuname", "sendfile": "sendfile64",
	"umount2": "umount", "_sysctl": "sysctl",
}

// nativeName is the inverse of tracefsNames.
func nativeName(event string) string {
	for native, e := range tracefsNames {
		if e == event {
			return native
		}
	}
	return event
}

// SyscallNumber implements target.Target. Both the name of unistd.h ("fstat")
// and that of the trace event ("newfstat") are known.
func (k *Kernel) SyscallNumber(name string) (int, bool) {
	nr, ok := k.numbers()[name]
	if !ok {
		nr, ok = k.numbers()[nativeName(name)]
	}
	return nr, ok
}

// SyscallName implements target.Target.
func (k *Kernel) SyscallName(nr int) (string, bool) {
	t := syscalls.Names(k.arch)
	if nr < 0 || nr >= len(t) || t[nr] == "" {
		return "", false
	}
	return t[nr], true
}

// Syscall implements target.Target. Without the system call's trace event the
// parameters are arg0 to arg5.
func (k *Kernel) Syscall(name string) (*target.Func, bool) {
	tp := k.syscallEvent(name)
	if _, known := k.SyscallNumber(name); !known && tp == nil {
		return nil, false
	}
	f := &target.Func{Name: name, Module: Vmlinux, Result: types.I64}
	if tp == nil {
		for i := range 6 {
			f.Params = append(f.Params, target.Param{Name: "arg" + strconv.Itoa(i), Type: types.U64})
		}
		return f, true
	}
	for _, field := range tp.Args.Fields() {
		// Some kernels show what a string argument holds in a field more.
		if field.Name != "__syscall_nr" && field.Name != "nr" && !field.DataLoc {
			f.Params = append(f.Params, target.Param{Name: field.Name, Type: field.Type})
		}
	}
	return f, true
}

func (k *Kernel) syscallEvent(name string) *target.Tracepoint {
	for _, n := range []string{name, tracefsNames[name]} {
		if n != "" {
			if tp, err := k.Tracepoint("syscalls", "sys_enter_"+n); err == nil && tp != nil {
				return tp
			}
		}
	}
	return nil
}

// Syscalls implements target.Target.
func (k *Kernel) Syscalls(pattern string) []string {
	var names []string
	for _, n := range k.syscallList() {
		if target.Match(pattern, n) {
			names = append(names, n)
		}
	}
	return names
}

func (k *Kernel) listSyscalls() []string {
	var names []string
	events, err := k.src.Events("syscalls")
	if err == nil {
		for _, e := range events {
			if n, ok := strings.CutPrefix(e, "sys_enter_"); ok {
				names = append(names, n)
			}
		}
	}
	if len(names) == 0 {
		for _, n := range syscalls.Names(k.arch) {
			if n != "" {
				names = append(names, n)
			}
		}
	}
	slices.Sort(names)
	return names
}
