package lower_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/ir/interp"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/target/fixture"
	"fst/compiler/types"
	"fst/runtime/interpreter"
	"fst/runtime/interpreter/interptest"
	"fst/tests/expect"
)

// world is the memory of a kernel and of a process.
type world struct {
	t      *testing.T
	kernel *fixture.Kernel
	memory map[uint64][]byte
	next   uint64
	task   uint64   // the running one
	regs   uint64   // with which it left for the kernel
	told   []string // what was done to the system
	probe  string   // for PROBE in scripts

	tables map[[object.UnwindKeySize]byte][]object.UnwindRow // of files

	more map[int32]interp.Helper // besides those below

	options check.Options
}

func newWorld(t *testing.T, kernel string) *world {
	t.Helper()
	k, err := fixture.Load(kernel)
	if err != nil {
		t.Fatal(err)
	}
	k.Functions = map[string][]target.UserSymbol{"/bin/true": {{Name: "main", Offset: 2, Size: 1}}}
	w := &world{t: t, kernel: k, memory: map[uint64][]byte{}, next: 0xffff888000000000}
	parent := w.object("task_struct", map[string]any{"comm": "init", "tgid": 1, "pid": 1})
	w.task = w.object("task_struct", map[string]any{"comm": "sh", "tgid": 700, "pid": 701, "real_parent": parent, "group_leader": parent, "flags": 0x400000})
	return w
}

// put keeps bytes at a new address.
func (w *world) put(b []byte) uint64 {
	at := w.next
	w.next += uint64(len(b)+4095) &^ 4095
	w.memory[at] = b
	return at
}

// text keeps a string.
func (w *world) text(s string) uint64 { return w.put(append([]byte(s), 0)) }

// object keeps a struct of the kernel with some members, which are named as in fst.
func (w *world) object(name string, members map[string]any) uint64 {
	w.t.Helper()
	s, ok := w.kernel.Type("struct", name)
	if !ok {
		w.t.Fatalf("there is no struct %s", name)
	}
	b := make([]byte, s.Size)
	for path, v := range members {
		typ, off := s, 0
		for part := range strings.SplitSeq(path, ".") {
			fd, ok := typ.Field(part)
			if !ok {
				w.t.Fatalf("%s has no %s", typ, part)
			}
			typ, off = fd.Type, off+fd.Offset
		}
		store(b[off:], typ, v)
	}
	return w.put(b)
}

// store writes a number or a text as a type.
func store(b []byte, typ *types.Type, v any) {
	var word [8]byte
	switch v := v.(type) {
	case string:
		copy(b, v)
		return
	case int:
		binary.LittleEndian.PutUint64(word[:], uint64(v))
	case uint64:
		binary.LittleEndian.PutUint64(word[:], v)
	}
	copy(b[:min(typ.Size, 8)], word[:])
}

// read is the memory at an address.
func (w *world) read(at uint64, n int) []byte {
	for base, b := range w.memory {
		if at >= base && at+uint64(n) <= base+uint64(len(b)) {
			return b[at-base:][:n]
		}
	}
	return nil
}

// Where registers are in struct pt_regs of x86-64.
var registers = map[string]int{"r10": 56, "r9": 64, "r8": 72, "ax": 80, "cx": 88, "dx": 96, "si": 104, "di": 112, "orig_ax": 120, "ip": 128, "cs": 136, "sp": 152, "bp": 32, "bx": 40}

// regs are the registers of a thread.
func regs(list map[string]uint64) []byte {
	b := make([]byte, 168)
	for name, v := range list {
		binary.LittleEndian.PutUint64(b[registers[name]:], v)
	}
	return b
}

func words(list ...uint64) []byte {
	b := make([]byte, 0, 128)
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return append(b, make([]byte, 128-len(b))...)
}

// record is what a tracepoint's programs get.
func (w *world) record(category, event string, fields map[string]any) []byte {
	w.t.Helper()
	tp, err := w.kernel.Tracepoint(category, event)
	if err != nil {
		w.t.Fatal(err)
	}
	b := make([]byte, 256)
	end := 192
	for name, v := range fields {
		fd, ok := tp.Args.Field(name)
		if !ok {
			w.t.Fatalf("%s has no %s", event, name)
		}
		if s, text := v.(string); text && fd.DataLoc {
			binary.LittleEndian.PutUint32(b[fd.Offset:], uint32(end|(len(s)+1)<<16))
			end += copy(b[end:], s) + 1
			continue
		}
		store(b[fd.Offset:], fd.Type, v)
	}
	return b
}

// call is what a function was called with, and what it returned.
type call struct {
	args           []uint64
	result, second uint64
}

// context is what a program on a hook gets of a call. Registers of arguments have other values when a function returns.
func (w *world) context(h *object.Hook, c call, stack uint64) []byte {
	list := map[string]uint64{"ip": 0xffffffff81000000, "sp": stack}
	if h.Kind == object.HookKretprobe || h.Kind == object.HookUretprobe {
		return regs(map[string]uint64{"ax": c.result, "dx": c.second, "di": 0xdead, "ip": 0xffffffff81000000, "sp": stack + 8})
	}
	for i, a := range c.args[:min(6, len(c.args))] {
		list[[]string{"di", "si", "dx", "cx", "r8", "r9"}[i]] = a
	}
	switch h.Kind {
	case object.HookFentry, object.HookFexit, object.HookRawTracepoint:
		return words(append(c.args, c.result)...)
	}
	return regs(list)
}

// sysCall is a system call of the running thread.
type sysCall struct {
	name   string
	number uint64
	args   [6]uint64
	result uint64
}

// contextOf is what a program on a hook gets of a system call: registers behind a pointer, or a record.
func (w *world) contextOf(h *object.Hook, c sysCall) []byte {
	list := map[string]uint64{"orig_ax": c.number, "ax": c.result}
	for i, r := range []string{"di", "si", "dx", "r10", "r8", "r9"} {
		list[r] = c.args[i]
	}
	returns := strings.HasPrefix(h.Event, "sys_exit")
	switch {
	case h.Kind == object.HookRawTracepoint && returns:
		return words(w.put(regs(list)), c.result)
	case h.Kind == object.HookRawTracepoint:
		return words(w.put(regs(list)), c.number)
	case returns:
		return words(0, c.number, c.result)
	}
	return words(append([]uint64{0, c.number}, c.args[:]...)...)
}

// helpers are those of the kernel that the interpreter does not have.
func (w *world) helpers() map[int32]interp.Helper {
	give := func(v uint64) interp.Helper {
		return func(*interp.Machine, [5]uint64) (uint64, error) { return v, nil }
	}
	tell := func(what string) interp.Helper {
		return func(_ *interp.Machine, a [5]uint64) (uint64, error) {
			w.told = append(w.told, fmt.Sprintf("%s %d", what, a[0]))
			return 0, nil
		}
	}
	all := map[int32]interp.Helper{
		ir.HelperPidTgid: give(700<<32 | 701), ir.HelperUidGid: give(1001<<32 | 1000), ir.HelperCurrentTask: give(w.task), ir.HelperCurrentTaskBTF: give(w.task),
		ir.HelperComm: func(m *interp.Machine, a [5]uint64) (uint64, error) {
			b, err := m.Memory(a[0], int(a[1]))
			if err == nil {
				clear(b)
				copy(b, "sh")
			}
			return 0, err
		},
		ir.HelperTaskPtRegs: give(w.regs), ir.HelperGetFuncIP: give(0xffffffff81000000), ir.HelperJiffies64: give(4294967295), ir.HelperCgroupID: give(55), ir.HelperSocketCookie: give(66),
		ir.HelperSendSignal: tell("signal"), ir.HelperSendSignalThr: tell("signal to the thread"), ir.HelperAttachCookie: give(0),
		ir.HelperOverrideReturn: func(_ *interp.Machine, a [5]uint64) (uint64, error) {
			w.told = append(w.told, fmt.Sprintf("return %d", int64(a[1])))
			return 0, nil
		},
		ir.HelperProbeWriteUser: func(m *interp.Machine, a [5]uint64) (uint64, error) {
			to, from := w.read(a[0], int(a[2])), []byte(nil)
			from, err := m.Memory(a[1], int(a[2]))
			copy(to, from)
			return 0, err
		},
		ir.HelperGetStack: func(m *interp.Machine, a [5]uint64) (uint64, error) {
			b, err := m.Memory(a[1], int(a[2]))
			if err != nil {
				return 0, err
			}
			n := 0
			for i := range min(len(b)/8, 3) {
				binary.LittleEndian.PutUint64(b[8*i:], 0xffffffff81000000+uint64(i))
				n += 8
			}
			return uint64(n), nil
		},
	}
	maps.Copy(all, w.more)
	return all
}

// What differs from run to run.
var (
	moments   = regexp.MustCompile(`\b\d\d:\d\d:\d\d\.\d{6}\b`)
	durations = regexp.MustCompile(`\b[\d.]+(ns|us|ms|s)\b`)
)

// run runs a script, once for each event.
func (w *world) run(events []any, script string) interptest.Result {
	w.t.Helper()
	options := w.options
	options.Target, options.Unsafe = w.kernel, true
	obj, code, err := interptest.CompileAny(options, script)
	if err != nil {
		w.t.Fatal(err)
	}
	o := interpreter.Options{Memory: w.read, Helpers: w.helpers(), Tables: w.tables}
	for _, e := range events {
		c, isCall := e.(call)
		stack := w.put(words(append([]uint64{0}, c.args[min(6, len(c.args)):]...)...))
		for _, entry := range []bool{true, false} {
			for i, p := range obj.Programs {
				for n := range p.Hooks {
					h := &p.Hooks[n]
					isEntry := strings.HasPrefix(h.Event, "sys_enter") || h.Kind == object.HookFentry || h.Kind == object.HookKprobe || h.Kind == object.HookUprobe
					if h.Kind.Once() || isEntry != entry {
						continue
					}
					ctx, _ := e.([]byte)
					if c, ok := e.(sysCall); ok {
						if h.Category == "syscalls" && !strings.HasSuffix(h.Event, "_"+c.name) {
							continue // an event of another call
						}
						ctx = w.contextOf(h, c)
					}
					if isCall {
						ctx = w.context(h, c, stack)
					}
					o.Events = append(o.Events, interpreter.Event{Program: i, Context: ctx})
				}
			}
		}
	}
	r, err := interptest.With(obj, code, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// sees runs a script, once for each event: a call, or the context itself. What each statement of a clause prints is
// behind it, for several events separated by bars; maps and warnings are at the end.
func (w *world) sees(events []any, text string) {
	w.t.Helper()
	lines := withoutOutput(text)
	r := w.run(events, strings.ReplaceAll(marked(lines, 0, 1), "PROBE", w.probe))
	r.Out = moments.ReplaceAllString(durations.ReplaceAllString(r.Out, "TOOK"), "TIME")
	// What each line printed in one run after the other.
	printed, order, line := map[string][]string{}, []string(nil), ""
	ended := []string(nil)
	for s := range strings.SplitSeq(r.Out, "\n") {
		switch {
		case strings.HasPrefix(s, "\x01"):
			line = s
		case s == "":
			line = "" // the maps follow
		case line == "":
			ended = append(ended, s)
		default:
			if printed[line] == nil {
				order = append(order, line)
			}
			printed[line] = append(printed[line], s)
		}
	}
	var out strings.Builder
	for _, line := range order {
		fmt.Fprintf(&out, "%s\n%s\n", line, strings.Join(printed[line], " | "))
	}
	fmt.Fprintf(&out, "\x01%d\n%s\n%s%s", len(lines), strings.Join(ended, "\n"), r.Errs, strings.Join(w.told, "\n"))
	w.told = nil
	expect.Text(w.t, withOutput(lines, out.String()), text)
}
