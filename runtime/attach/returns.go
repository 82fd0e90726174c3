package attach

import (
	"bytes"
	"encoding/binary"
	"runtime"

	"fst/compiler/object"
	"fst/runtime/bpf"
	system "fst/runtime/kernel"
	"fst/runtime/perf"

	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"
)

// A kretprobe replaces the return address of a call with that of the kernel's
// trampoline, unless it follows as many calls as it can already: then it misses the
// return. The kernel counts those and, before Linux 6.7, tells nobody. There a kprobe at the
// same place looks at the return address after the kretprobe had its turn.
//
// Kprobes at one place are called from the newest to the oldest. The kprobe is opened
// before the kretprobe and gets its program afterwards, so that no call is counted
// that came before the kretprobe. Where another kretprobe came later to the same
// place, calls are not counted of which that one alone will see the return.

// returnCounter counts the calls whose returns a program on kretprobes misses.
type returnCounter struct{ counts, prog int }

// trampolines are the functions to which functions with kretprobes return, by the names
// that they have had.
var trampolines = []string{"arch_rethook_trampoline", "__kretprobe_trampoline", "kretprobe_trampoline"}

// stackPointer is the offset of the stack pointer in struct pt_regs of x86-64. A
// function's return address is there when it is entered.
const stackPointer = 152

// countsReturns reports whether a kprobe is to count what the link's kretprobe misses.
func (k *kernel) countsReturns(a *Attachment) bool {
	if a.Mechanism != PerfKprobe || a.Hooks[0].Kind != object.HookKretprobe || runtime.GOARCH != "amd64" {
		return false
	}
	if !k.searched {
		k.searched = true
		if CountsSkipped() {
			return false
		}
		s := system.Open(system.Options{})
		for _, name := range trampolines {
			if address, ok := s.Symbol(name); ok {
				k.trampolines = append(k.trampolines, address)
			}
		}
		if k.trampolines == nil {
			k.warnings = append(k.warnings, "returns that kretprobes miss are not reported: this kernel does not count them, and hides its addresses (sysctl kernel.kptr_restrict)")
		}
	}
	return k.trampolines != nil
}

// countReturns opens a kretprobe between the two steps that its kprobe takes.
func (k *kernel) countReturns(a *Attachment, attr *unix.PerfEventAttr, kretprobe func() error) error {
	entry := *attr
	entry.Config = 0
	fd, err := perf.Open(&entry, -1, 0)
	if err != nil {
		return err
	}
	a.add(fd, nil)
	if err := kretprobe(); err != nil {
		return err
	}
	c, err := k.returnCounter(a.Program)
	if err != nil {
		return err
	}
	return setProgram(fd, c.prog)
}

// returnCounter is the counter of a program; it is made for its first hook.
func (k *kernel) returnCounter(p *object.Program) (*returnCounter, error) {
	if c := k.returns[p]; c != nil {
		return c, nil
	}
	counts, err := bpf.CreateMap(&bpf.MapSpec{Type: bpf.Array, Name: "missed_returns", Key: 4, Value: 8, Entries: 1})
	if err != nil {
		return nil, err
	}
	code := asm.Instructions{
		asm.LoadMem(asm.R3, asm.R1, stackPointer, asm.DWord),
		asm.Mov.Reg(asm.R1, asm.RFP), asm.Add.Imm(asm.R1, -8),
		asm.Mov.Imm(asm.R2, 8),
		asm.FnProbeReadKernel.Call(),
		asm.JNE.Imm(asm.R0, 0, "end"),
		asm.LoadMem(asm.R1, asm.RFP, -8, asm.DWord),
	}
	for _, address := range k.trampolines {
		code = append(code, asm.LoadImm(asm.R2, int64(address), asm.DWord), asm.JEq.Reg(asm.R1, asm.R2, "end"))
	}
	code = append(code,
		asm.LoadMapValue(asm.R1, counts, 0),
		asm.Mov.Imm(asm.R2, 1),
		asm.StoreXAdd(asm.R1, asm.R2, asm.DWord),
		asm.Mov.Imm(asm.R0, 0).WithSymbol("end"),
		asm.Return())
	prog, err := loadCode(&bpf.Prog{Type: bpf.Kprobe, Name: "missed_returns"}, code)
	if err != nil {
		unix.Close(counts)
		return nil, err
	}
	if k.returns == nil {
		k.returns = map[*object.Program]*returnCounter{}
	}
	c := &returnCounter{counts, prog}
	k.returns[p] = c
	return c, nil
}

// loadCode loads a program of this package's own.
func loadCode(p *bpf.Prog, code asm.Instructions) (int, error) {
	var buf bytes.Buffer
	if err := code.Marshal(&buf, byteOrder()); err != nil {
		return -1, err
	}
	p.License, p.Code = "GPL", buf.Bytes()
	return bpf.Load(p)
}

// read is how many returns were missed, or will be.
func (c *returnCounter) read() uint64 {
	var key [4]byte
	var value [8]byte
	if bpf.Lookup(c.counts, key[:], value[:]) != nil {
		return 0
	}
	return binary.NativeEndian.Uint64(value[:])
}

func (c *returnCounter) close() {
	unix.Close(c.counts)
	unix.Close(c.prog)
}
