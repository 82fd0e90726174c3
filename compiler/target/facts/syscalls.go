package facts

import (
	"fmt"
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

// Syscall implements target.Target. Where the system call's trace event is missing, or its
// format must not be read, the parameters are those that other kernels have, or arg0 to arg5.
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
	for _, n := range []string{name, tracefsNames[name]} {
		if format := usualFormat("syscalls", "sys_enter_"+n); format != "" {
			if tp, err := ParseFormat("syscalls", "sys_enter_"+n, format, k.Type); err == nil {
				return tp
			}
		}
	}
	return nil
}

// usualFormat is the format of a trace event of system calls, which all kernels have in
// common: for those that do not show theirs. It is empty for other events.
func usualFormat(category, event string) string {
	const id = "field:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	const result = "field:long ret;\toffset:16;\tsize:8;\tsigned:1;\n"
	const number = "field:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	switch category + ":" + event {
	case "raw_syscalls:sys_enter":
		return id + "field:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n"
	case "raw_syscalls:sys_exit":
		return id + result
	}
	if category != "syscalls" {
		return ""
	}
	if call, ok := strings.CutPrefix(event, "sys_exit_"); ok {
		if _, known := syscalls.Params(call); known {
			return number + result
		}
		return ""
	}
	call, _ := strings.CutPrefix(event, "sys_enter_")
	decls, ok := syscalls.Params(call)
	if !ok {
		return ""
	}
	format := number
	for i, decl := range decls {
		format += fmt.Sprintf("field:%s;\toffset:%d;\tsize:8;\tsigned:0;\n", decl, 16+8*i)
	}
	return format
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
