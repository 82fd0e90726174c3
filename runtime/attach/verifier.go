package attach

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"fst/compiler/object"
	"fst/lang/diag"
	"fst/runtime/attach/bpf"

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
	// InsnOffset is the instruction the verifier stopped at, counted as the
	// kernel does (a 64-bit load counts two); -1 if it names none.
	InsnOffset int
}

// NewVerifierError makes the error of a program from the verifier's log.
func NewVerifierError(p *object.Program, log string, err error) *VerifierError {
	reason, at := explain(log)
	return &VerifierError{Program: p, Log: log, Err: err, Reason: reason, InsnOffset: at}
}

// Diagnose adds the refusal to a list, at the place of the script that the
// verifier stopped at.
func (e *VerifierError) Diagnose(l *diag.List) {
	span := e.Program.Span
	if at := e.Program.SpanAt; at != nil && e.InsnOffset >= 0 {
		if s := at(e.InsnOffset); s.IsValid() {
			span = s
		}
	}
	l.Errorf(span, "the kernel refuses this program: %s", e.Reason)
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
	Reason  string // in plain words, with what helps; may be empty
}

func (e *LoadError) Error() string {
	what := "the program " + e.Program.Name
	if e.Hook != nil {
		what = e.Hook.Name
	}
	if e.Reason != "" {
		return fmt.Sprintf("cannot load %s: %s (%v)", what, e.Reason, e.Err)
	}
	return fmt.Sprintf("cannot load %s: %v", what, e.Err)
}

func (e *LoadError) Unwrap() error { return e.Err }

// loadFailure finds out why the kernel refused a program: it is loaded once
// more, with the log.
func loadFailure(spec *object.Program, h *object.Hook, b *bpf.Prog, err error) error {
	log, again := bpf.LoadLog(b)
	log = strings.TrimRight(log, "\n")
	if again == nil {
		again = err
	}
	if log != "" && !errors.Is(again, unix.EPERM) || verifierSpoke(log) {
		return NewVerifierError(spec, log, err)
	}
	e := &LoadError{Program: spec, Hook: h, Err: err}
	switch {
	case errors.Is(err, unix.EPERM) && b.Type == bpf.Tracing:
		e.Reason = "the kernel permits no programs of this kind here (lockdown, or a missing capability): use a kprobe or tracepoint"
		if lockedDown() == "" && os.Geteuid() != 0 {
			e.Err = ErrPermission
		}
	case errors.Is(err, unix.EPERM):
		e.Err = ErrPermission
		if os.Geteuid() == 0 {
			e.Reason = "a security policy of this system (seccomp, lockdown " + lockedDown() + ", a container) forbids it even to root"
		}
	case errors.Is(err, unix.EINVAL) && b.Expected == bpf.KprobeMulti:
		e.Reason = "this kernel has no kprobe.multi"
	case errors.Is(err, unix.EINVAL) && b.Expected == bpf.UprobeMulti:
		e.Reason = "this kernel has no uprobe.multi"
	case errors.Is(err, unix.E2BIG):
		e.Reason = fmt.Sprintf("it has %d instructions, more than this kernel takes", len(b.Code)/8)
	case errors.Is(err, unix.EINVAL) && b.Type == bpf.Tracing:
		e.Reason = "the kernel cannot attach to this function with a trampoline: use a kprobe"
	case errors.Is(err, errNotSupp), errors.Is(err, unix.ENOENT) && b.Type == bpf.Tracing:
		e.Reason = "this kernel has no trampolines (fentry, fexit): use a kprobe"
	}
	return e
}

// verifierSpoke reports whether a log has more than the kernel's statistics.
func verifierSpoke(log string) bool {
	return log != "" && !strings.HasPrefix(log, "processed 0 insns")
}

// insnLine is a line of the log that shows an instruction: "12: (85) call ...".
var insnLine = regexp.MustCompile(`(?m)^(\d+): \([0-9a-f]{2}\) `)

// statistics are the lines behind a complaint.
var statistics = regexp.MustCompile(`^(processed|verification time|stack depth|peak_states|max_states|mark_precise|total_states) `)

// insnName is an instruction that a complaint names itself.
var insnName = regexp.MustCompile(`(?:at insn|from insn|insn|unreachable insn) (\d+)`)

// reasons turns the verifier's last words into plain ones, the first match
// wins.
var reasons = []struct{ match, text string }{
	{"back-edge from insn", "it contains a loop, and this kernel takes none here"},
	{"infinite loop detected", "it contains a loop that the kernel cannot see an end of"},
	{"BPF program is too large", "it takes too many steps to verify: use fewer or shorter strings, loops and branches"},
	{"The sequence of", "it has too many branches in a row to verify"},
	{"too many instructions", "it has too many instructions"},
	{"program of this type cannot use helper", "it uses a function of the kernel that is not allowed in this kind of probe"},
	{"unknown func", "it uses a function of the kernel that this kernel does not have, or not in this kind of probe"},
	{"invalid func", "it uses a function of the kernel that this kernel does not have"},
	{"cannot call GPL-restricted function", "it uses a function that is for programs under the GPL only: set license to GPL"},
	{"combined stack size", "it needs more than the 512 bytes of stack that programs have"},
	{"invalid indirect access to stack", "it uses memory of the stack out of its bounds"},
	{"invalid stack", "it uses memory of the stack out of its bounds"},
	{"invalid write to stack", "it writes to the stack out of its bounds"},
	{"invalid read from stack", "it reads memory of the stack that was never written"},
	{"invalid indirect read from stack", "it reads memory of the stack that was never written"},
	{"!read_ok", "it uses a register that was never set"},
	{"invalid mem access", "it reads memory that the kernel does not know to be valid"},
	{"invalid access to map value", "it reads or writes beyond the end of a map's value"},
	{"invalid bpf_context access", "it reads a part of the probe's context that is not there, or not readable"},
	{"invalid access to packet", "it reads beyond the end of a packet"},
	{"unbounded memory access", "it uses a length or index that the kernel cannot see a limit of"},
	{"min value is negative", "it uses a length or index that may be negative"},
	{"unbounded min value", "it uses a length or index that the kernel cannot see a limit of"},
	{"pointer arithmetic", "it calculates with a pointer in a way that the kernel does not allow"},
	{"prohibits", "it calculates with a pointer in a way that the kernel does not allow"},
	{"leaks addr", "it stores an address of the kernel where users could read it"},
	{"Unreleased reference", "a record of the ring buffer is neither submitted nor discarded on some path"},
	{"unreachable insn", "it contains code that is never reached"},
	{"jump out of range", "a jump is too far"},
	{"missing btf func_info", "the kernel needs type information for a callback"},
	{"is not a kernel function", "the function cannot be traced with a trampoline: use a kprobe"},
	{"not found", "what it attaches to is not in the kernel's type information"},
}

// explain finds the complaint in a verifier log, and the instruction it is
// about.
func explain(log string) (reason string, at int) {
	at = -1
	// The complaint is the last line that is neither statistics nor an
	// instruction; a few kernels put states of the machine behind it.
	var last string
	lines := strings.Split(log, "\n")
	for i, behind := len(lines)-1, 0; i >= 0 && behind < 8; i-- {
		l := strings.TrimSpace(lines[i])
		if l == "" || statistics.MatchString(l) || insnLine.MatchString(l) {
			continue
		}
		behind++
		if last == "" {
			last = l
		}
		if text := plainReason(l); text != "" {
			last, reason = l, text
			break
		}
	}
	if m := insnName.FindStringSubmatch(last); m != nil {
		at, _ = strconv.Atoi(m[1])
	} else if all := insnLine.FindAllStringSubmatch(log, -1); len(all) > 0 {
		at, _ = strconv.Atoi(all[len(all)-1][1])
	}
	switch {
	case reason != "":
	case last == "":
		reason = "the verifier gives no reason"
	default:
		reason = last
	}
	return reason, at
}

// plainReason is what a line of the log means, empty if it is not known.
func plainReason(line string) string {
	for _, r := range reasons {
		if strings.Contains(line, r.match) {
			return r.text
		}
	}
	return ""
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
