package builtin

import (
	"slices"

	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
)

// The rules of variables whose types, or values, depend on the probe or on the run; and what says the same
// in probes that lack a variable.

// ofResult is retval and ret.
func ofResult(v *Var, w *Where) (Result, *Fault) {
	if f := w.Func; f != nil && f.ResultUnread != "" {
		return faulty(nil, WholeCall, "leave "+v.Name+" out", "the result of %s can't be read: %s", f.Name, f.ResultUnread)
	}
	if w.Retval == nil {
		return faulty(nil, WholeCall, "leave "+v.Name+" out", "%s returns nothing", w.Hook().Name)
	}
	return typed(w.Retval)
}

func ofFunc(_ *Var, w *Where) (Result, *Fault) {
	r := Result{Type: KFuncType}
	single, hook := len(w.Hooks) == 1, w.Hook()
	name := hook.Function
	if name == "" {
		name = hook.Symbol
	}
	switch w.Provider {
	case "syscall":
		return typed(SyscallType)
	case "tracepoint", "rawtracepoint":
		r.Type, name = ProbeType, hook.Name
	default:
		if w.User {
			r.Type = UFuncType
			if !w.Shared && (w.Blind || single && hook.Symbol != "") {
				r.Type = ProbeType // the name is known without the process, which may have ended
			}
		}
	}
	if single && name != "" {
		r.Text = &name
	}
	return r, nil
}

// ofProbe is the name of the probe: a number that stands for it, or a text.
func ofProbe(_ *Var, w *Where) (Result, *Fault) {
	r := Result{Type: ProbeType}
	if w.Title != "" {
		r.Text = &w.Title
	}
	if w.Named {
		longest := len(w.Title)
		for i := range w.Hooks {
			longest = max(longest, len(w.Hooks[i].Name))
		}
		r.Type = types.StringType(longest + 1)
	}
	return r, nil
}

func ofProbetype(_ *Var, w *Where) (Result, *Fault) {
	switch w.Provider {
	case "begin", "end", "self":
		return text("special")
	}
	return text(w.Provider)
}

func ofCurtask(_ *Var, w *Where) (Result, *Fault) {
	if t, ok := w.Struct("struct", "task_struct"); ok {
		return typed(types.PointerTo(t, false))
	}
	return typed(types.U64)
}

func ofCtx(_ *Var, w *Where) (Result, *Fault) {
	if w.Blind { // no hook tells what the kernel would give
		return typed(nil)
	}
	tag := "pt_regs"
	for i := range w.Hooks {
		switch w.Hooks[i].Kind.Program() {
		case object.ProgIter:
			tag = "bpf_iter__" + w.Hooks[i].Event
		case object.ProgPerfEvent:
			tag = "bpf_perf_event_data"
		}
	}
	t, ok := w.Struct("struct", tag)
	if !ok {
		return typed(types.PointerTo(types.NoneType, false))
	}
	p := types.PointerTo(t, false)
	p.Ctx = true
	return typed(p)
}

// ofCpid is 0 without a child.
func ofCpid(v *Var, w *Where) (Result, *Fault) {
	if w.CPID == 0 {
		return number(v.Type, 0)
	}
	return typed(v.Type)
}

func ofHasCpid(_ *Var, w *Where) (Result, *Fault) { return truth(w.CPID != 0) }

func ofSafeMode(_ *Var, w *Where) (Result, *Fault) { return truth(!w.Unsafe) }

func ofPidns(v *Var, w *Where) (Result, *Fault) {
	if own, ok := w.Target.(target.PIDNamespace); ok {
		_, inode, _ := own.PIDNamespace()
		return number(v.Type, int64(inode))
	}
	return number(v.Type, 0)
}

func ofArch(_ *Var, w *Where) (Result, *Fault) {
	if w.Target.Arch() == "amd64" {
		return text("x86_64")
	}
	return text(w.Target.Arch())
}

func ofNcpus(v *Var, w *Where) (Result, *Fault) {
	return number(v.Type, int64(w.Target.CPUs()))
}

func ofElfIsExe(_ *Var, w *Where) (Result, *Fault) {
	if w.Blind {
		return typed(nil)
	}
	_, fixed, _ := w.Target.Address(w.Hook().Path, w.Hook().FileOffset)
	return truth(fixed)
}

func ofElfInfo(v *Var, w *Where) (Result, *Fault) {
	if w.Blind {
		return typed(nil)
	}
	files, ok := w.Target.(target.Files)
	if !ok {
		return number(v.Type, 0)
	}
	path := w.Hook().Path
	inode, err := files.Inode(path)
	if err != nil {
		return faulty(nil, WholeCall, "stat "+path+" shows it", "the inode of %s can't be read: %v", path, err)
	}
	return number(v.Type, int64(inode))
}

const (
	syscallResult = "use syscall:NAME, or the fields of args"
	notBegun      = "it describes the interrupted code, and nothing is interrupted here: the kernel runs these probes for fst itself"
	notInProgram  = "these probes fire in the kernel's own code, never in a program's; the interrupted code is known in profile, interval, software, hardware and watchpoint"
)

func insteadOfRetval(provider, function string) string {
	switch provider {
	case "kprobe", "fentry":
		return "it exists at the return: call:" + function + " or kretprobe:" + function
	case "tracepoint":
		return syscallResult
	}
	return ""
}

// insteadOfRet is about ret and errno.
func insteadOfRet(name string) func(provider, function string) string {
	return func(provider, _ string) string {
		if provider != "syscall" && provider != "tracepoint" && slices.Contains(inReturn, provider) {
			return "use retval; " + name + " belongs to system calls"
		}
		return syscallResult
	}
}

func insteadOfTook(provider, function string) string {
	switch {
	case provider == "tracepoint":
		return "a call begins and ends: took is in syscall:NAME and tracepoint:syscalls:sys_exit_NAME; for two events keep the time of the first: @start[tid] = nsecs"
	case function != "":
		return "use call:" + function
	}
	return ""
}

func insteadOfFunc(provider, _ string) string {
	switch provider {
	case "profile", "interval", "software", "hardware":
		return "kstack(1) is what runs in the kernel, ustack(1) what runs in the program"
	}
	return ""
}

func insteadOfUsermode(provider, _ string) string {
	switch provider {
	case "begin", "end", "iter", "self", "test", "bench":
		return notBegun
	}
	return notInProgram
}

func insteadOfArgs(string, string) string {
	return "args exists in tracepoint, kprobe, uprobe, fentry, fexit, call, syscall and rawtracepoint probes"
}
