package attach

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"fst/compiler/object"
	"fst/lang/diag"
	"fst/lang/source"
	"fst/runtime/bpf"

	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"
)

// ErrPermission is the error of a process that may not use BPF.
var ErrPermission = errors.New("no permission to use BPF: run fst as root, or with CAP_BPF and CAP_PERFMON")

// VerifierError is a program that the kernel's verifier refused: a mistake of
// the compiler, or something that this kernel cannot do.
type VerifierError struct {
	Program *object.Program
	Log     string // all that the verifier said
	Err     error  // of the system call
	Reason  string // in plain words
	Remedy  string // what helps; may be empty
	// InsnOffset is the instruction the verifier stopped at, counted as the
	// kernel does (a 64-bit load counts two); -1 if it names none.
	InsnOffset int
	loop       bool // the loop round that instruction is to blame
}

// NewVerifierError makes the error of a program from the verifier's log.
func NewVerifierError(p *object.Program, log string, err error) *VerifierError {
	r, at := explain(log)
	return &VerifierError{Program: p, Log: log, Err: err, Reason: r.text, Remedy: r.remedy, InsnOffset: at, loop: r.loop}
}

// noRead is the refusal of the helpers that read memory of the kernel.
var noRead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(unknown func|cannot use helper) bpf_probe_read(_kernel|_str|_kernel_str)?#`)
})

// lockdown blames the mode of lockdown where it is what forbids to read memory.
func (e *VerifierError) lockdown(mode string) {
	if mode == "confidentiality" && noRead().MatchString(e.Log) {
		e.Reason = "the kernel is in lockdown (confidentiality): programs may not read its memory"
		e.Remedy = "count events by pid, comm and numbers of their own, or boot without lockdown"
	}
}

// Diagnose adds the refusal to a list, at the place of the script that the
// verifier stopped at. set has the script's texts.
func (e *VerifierError) Diagnose(l *diag.List, set *source.Set) {
	span := e.Program.Span
	if s := e.Program.Code.SpanAt(e.InsnOffset); s.IsValid() {
		span = s
	}
	if e.loop {
		span = e.loopOf(span, set)
	}
	l.Errorf(span, "the kernel refuses this program: %s", e.Reason).Hint = e.Remedy
}

// loopOf is the innermost loop round a place, which may be in a macro that the
// loop calls; the place itself if there is none.
func (e *VerifierError) loopOf(span source.Span, set *source.Set) source.Span {
	places := []source.Span{span}
	if set != nil {
		for _, u := range set.Uses(span) {
			places = append(places, u.At)
		}
	}
	for _, sp := range places {
		var loop source.Span
		for _, s := range e.Program.Loops {
			if s.Start <= sp.Start && sp.End <= s.End {
				loop = s // inner ones come later
			}
		}
		if loop.IsValid() {
			return loop
		}
	}
	return span
}

func (e *VerifierError) Error() string {
	return fmt.Sprintf("the kernel refused the program %s: %s (%v)", e.Program.Name, e.Reason, e.Err)
}

func (e *VerifierError) Unwrap() error { return e.Err }

// LoadError is a program that could not be given to the kernel.
type LoadError struct {
	Program *object.Program
	Hook    *object.Hook // or nil
	Err     error
	Reason  string // in plain words; may be empty
	Remedy  string // what helps; may be empty
}

// What says what failed and why, without what helps.
func (e *LoadError) What() string {
	what := "the program " + e.Program.Name
	if e.Hook != nil {
		what = e.Hook.Name
	}
	if e.Reason != "" {
		return fmt.Sprintf("cannot load %s: %s (%v)", what, e.Reason, e.Err)
	}
	return fmt.Sprintf("cannot load %s: %v", what, e.Err)
}

func (e *LoadError) Error() string {
	if e.Remedy != "" {
		return e.What() + "; " + e.Remedy
	}
	return e.What()
}

func (e *LoadError) Unwrap() error { return e.Err }

// loadFailure finds out why the kernel refused a program: it is loaded once
// more, with the log.
func loadFailure(spec *object.Program, h *object.Hook, b *bpf.Prog, err error) error {
	if errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) {
		return &LoadError{Program: spec, Hook: h, Err: err, Reason: "too many files are open", Remedy: "raise the limit (ulimit -n)"}
	}
	log, again := bpf.LoadLog(b)
	log = strings.TrimRight(log, "\n")
	if again == nil {
		again = err
	}
	if log != "" && !errors.Is(again, unix.EPERM) || verifierSpoke(log) {
		e := NewVerifierError(spec, log, err)
		e.lockdown(lockedDown())
		return e
	}
	e := &LoadError{Program: spec, Hook: h, Err: err}
	limited := false
	if errors.Is(err, unix.EPERM) {
		e.Reason, e.Remedy, limited = bpf.MemoryLimit()
	}
	switch {
	case limited:
	case errors.Is(err, unix.EPERM) && b.Type == bpf.Tracing:
		e.Reason = "the kernel permits no programs of this kind here (lockdown, or a missing capability)"
		e.Remedy = "use a kprobe or tracepoint"
		if lockedDown() == "" && os.Geteuid() != 0 {
			e.Err = ErrPermission
		}
	case errors.Is(err, unix.EPERM):
		e.Err = ErrPermission
		if os.Geteuid() == 0 {
			e.Reason = "a security policy of this system (seccomp, lockdown, a container) forbids it even to root"
			if mode := lockedDown(); mode != "" {
				e.Reason = "the kernel is in lockdown (" + mode + ") and forbids it even to root"
			}
		}
	case errors.Is(err, unix.EINVAL) && b.Expected == bpf.KprobeMulti:
		e.Reason = "this kernel has no kprobe.multi"
	case errors.Is(err, unix.EINVAL) && b.Expected == bpf.UprobeMulti:
		e.Reason = "this kernel has no uprobe.multi"
	case errors.Is(err, unix.E2BIG):
		e.Reason = fmt.Sprintf("it has %d instructions, more than this kernel takes", len(b.Code)/8)
		e.Remedy = "use fewer statements and unrolls, or several clauses"
	case errors.Is(err, unix.EINVAL) && b.Type == bpf.Tracing:
		e.Reason, e.Remedy = "the kernel cannot attach to this function with a trampoline", "use a kprobe"
	case errors.Is(err, errNotSupp), errors.Is(err, unix.ENOENT) && b.Type == bpf.Tracing:
		e.Reason, e.Remedy = "this kernel has no trampolines (fentry, fexit)", "use a kprobe"
	}
	return e
}

// verifierSpoke reports whether a log has more than the kernel's statistics.
func verifierSpoke(log string) bool {
	return log != "" && !strings.HasPrefix(log, "processed 0 insns")
}

// insnLine is a line of the log that shows an instruction: "12: (85) call ...".
var insnLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(\d+): \([0-9a-f]{2}\) `) })

// statistics are the lines behind a complaint.
var statistics = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(processed|verification time|stack depth|peak_states|max_states|mark_precise|total_states) `)
})

// insnName is an instruction that a complaint names itself.
var insnName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:at insn|from insn|insn|unreachable insn) (\d+)`) })

// reason is what a line of the verifier's log means.
type reason struct {
	match string // a part of the line
	// text says it in plain words, remedy what helps. A %s in text stands for
	// the kernel function that the line names.
	text, remedy string
	loop         bool // about a loop as a whole
}

const seeLog = "-v shows all that the kernel said; please report it: fst should not have made this program"

// reasons turns the verifier's last words into plain ones, the first match
// wins.
var reasons = []reason{
	// What a script can be made to mend.
	{"back-edge from insn", "this kernel takes no loops in programs", "write unroll (10) { ... } with a constant count", true},
	{"infinite loop detected", "it can see no end of this loop",
		"let a variable count up to a constant: while ($i < 100) { ...; $i++ }, or write for ($i : 0..100) { ... }", true},
	{"BPF program is too large", "checking it takes more than a million steps",
		"use fewer loops, branches and strings; from Linux 5.17 on the body of for ($i : 0..N) is checked only once", true},
	{"The sequence of", "it has too many branches in a row to check",
		"end loops at a constant, after fewer iterations, or use fewer conditions and searches; from Linux 5.17 on the body of for ($i : 0..N) is checked only once", true},
	{"too many instructions", "it has too many instructions", "use fewer statements and unrolls, or several clauses", true},
	{"number of maps per program", "it uses more maps than a program can (64)", "make several clauses of it, or keep the values in one map: @m[\"reads\"], @m[\"writes\"]", false},
	{"program of this type cannot use helper bpf_override_return", "this kernel lets no program override results",
		"it needs CONFIG_BPF_KPROBE_OVERRIDE, and a function that the kernel lists for it", false},
	{"unknown func bpf_override_return", "this kernel lets no program override results",
		"it needs CONFIG_BPF_KPROBE_OVERRIDE, and a function that the kernel lists for it", false},
	{"too many states", "it has too many branches to check", "use fewer conditions, or several clauses", true},
	{"program of this type cannot use helper", "programs of this kind of probe may not call the kernel's %s", "use another kind of probe", false},
	{"helper call is not allowed in probe", "the kernel's %s may not be called in this function",
		"the kernel lists the functions for it: security_file_open, security_file_permission, dentry_open, filp_close, vfs_truncate and a few more", false},
	{"helper call might sleep", "the kernel's %s may not be called here, where the kernel can't wait", "use another kind of probe", false},
	{"unknown func", "this kernel has no %s for this kind of probe", "use another kind of probe, or a newer kernel", false},
	{"invalid func", "this kernel has no %s", "a newer kernel has it", false},
	{"cannot call GPL-restricted function", "it calls a function of the kernel that is for programs under the GPL only",
		"leave the license setting out", false},
	{"cannot call GPL", "it calls a function of the kernel that is for programs under the GPL only", "leave the license setting out", false},
	{"is rejected", "the kernel lets no program be attached to this function", "use a kprobe, or another function", false},
	{"doesn't have", "the function has fewer parameters than the program reads", "look at fst -lv for its parameters", false},
	{"is not a struct", "a parameter of the function is read that programs may not read there", "use a kprobe", false},
	{"The address of function", "the function has no address in this kernel", "use a kprobe, or another function", false},
	{"is not a kernel function", "the function can't be traced with a trampoline", "use a kprobe", false},
	{"is not a tracing prog", "the function can't be traced with a trampoline", "use a kprobe", false},
	{"not found", "what it attaches to is not in the kernel's type information", "use a kprobe or tracepoint", false},
	// The rest are faults of the compiler.
	{"combined stack size", "it needs more than the 512 bytes of stack that programs have", seeLog, false},
	{"invalid indirect access to stack", "it uses memory of the stack out of its bounds", seeLog, false},
	{"invalid indirect read from stack", "it reads memory of the stack that was never written", seeLog, false},
	{"invalid write to stack", "it writes to the stack out of its bounds", seeLog, false},
	{"invalid read from stack", "it reads memory of the stack that was never written", seeLog, false},
	{"invalid stack", "it uses memory of the stack out of its bounds", seeLog, false},
	{"!read_ok", "it uses a register that was never set", seeLog, false},
	{"invalid mem access", "it reads memory that the kernel does not know to be valid", seeLog, false},
	{"invalid access to map value", "it reads or writes beyond the end of a map's value", seeLog, false},
	{"invalid bpf_context access", "it reads a part of the probe's context that is not there, or not readable", seeLog, false},
	{"invalid access to packet", "it reads beyond the end of a packet", seeLog, false},
	{"unbounded memory access", "it uses a length or index that the kernel cannot see a limit of", seeLog, false},
	{"min value is negative", "it uses a length or index that may be negative", seeLog, false},
	{"unbounded min value", "it uses a length or index that the kernel cannot see a limit of", seeLog, false},
	{"pointer arithmetic", "it calculates with a pointer in a way that the kernel does not allow", seeLog, false},
	{"prohibits", "it calculates with a pointer in a way that the kernel does not allow", seeLog, false},
	{"leaks addr", "it stores an address of the kernel where users could read it", seeLog, false},
	{"Unreleased reference", "a record of the ring buffer is neither submitted nor discarded on some path", seeLog, false},
	{"unreachable insn", "it contains code that is never reached", seeLog, false},
	{"jump out of range", "a jump is too far", seeLog, false},
	{"missing btf func_info", "the kernel needs type information for a callback", seeLog, false},
}

// helperName is a function of the kernel in a complaint: "bpf_d_path#147".
var helperName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:func|helper|call|function) (\w+)#(\d+)`) })

// explain finds the complaint in a verifier log, and the instruction it is
// about.
func explain(log string) (r reason, at int) {
	at = -1
	// The complaint is the last line that is neither statistics nor an
	// instruction; a few kernels put states of the machine behind it.
	var last string
	lines := strings.Split(log, "\n")
	for i, behind := len(lines)-1, 0; i >= 0 && behind < 8; i-- {
		l := strings.TrimSpace(lines[i])
		if l == "" || statistics().MatchString(l) || insnLine().MatchString(l) {
			continue
		}
		behind++
		if last == "" {
			last = l
		}
		if found, ok := plainReason(l); ok {
			last, r = l, found
			break
		}
	}
	if m := insnName().FindStringSubmatch(last); m != nil {
		at, _ = strconv.Atoi(m[1])
	} else if all := insnLine().FindAllStringSubmatch(log, -1); len(all) > 0 {
		at, _ = strconv.Atoi(all[len(all)-1][1])
	}
	switch {
	case strings.Contains(r.text, "%s"):
		r.text = fmt.Sprintf(r.text, calledHelper(last, log))
	case r.text != "":
	case last == "":
		r = reason{text: "its verifier gives no reason", remedy: seeLog}
	default:
		r = reason{text: last, remedy: seeLog}
	}
	return r, at
}

// calledHelper names the function of the kernel that a complaint is about.
func calledHelper(line, log string) string {
	m := helperName().FindStringSubmatch(line)
	if m == nil {
		if all := helperName().FindAllStringSubmatch(log, -1); len(all) > 0 {
			m = all[len(all)-1]
		}
	}
	switch {
	case m == nil:
		return "such function"
	case m[1] == "unknown": // of a kernel that is older than the function
		if n, err := strconv.Atoi(m[2]); err == nil && strings.HasPrefix(asm.BuiltinFunc(n).String(), "Fn") {
			return helperOf(asm.BuiltinFunc(n))
		}
		return "function " + m[2] + " of BPF"
	}
	return m[1]
}

// helperOf is the kernel's name of a function, bpf_ktime_get_ns for FnKtimeGetNs.
func helperOf(f asm.BuiltinFunc) string {
	var b strings.Builder
	b.WriteString("bpf")
	for _, c := range strings.TrimPrefix(f.String(), "Fn") {
		if unicode.IsUpper(c) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// plainReason is what a line of the log means.
func plainReason(line string) (reason, bool) {
	for _, r := range reasons {
		if strings.Contains(line, r.match) {
			return r, true
		}
	}
	return reason{}, false
}

// lockedDown is the kernel's lockdown mode, empty if none.
func lockedDown() string {
	text, err := os.ReadFile("/sys/kernel/security/lockdown")
	if err != nil {
		return ""
	}
	_, mode, _ := strings.Cut(string(text), "[")
	mode, _, _ = strings.Cut(mode, "]")
	if mode == "none" {
		return ""
	}
	return mode
}
