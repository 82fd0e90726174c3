package lower_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"fst/compiler/object"
)

// mapping is a part of a process's address space.
type mapping struct {
	start, end, page uint64 // page is where it begins in its file
	inode            int    // 0: of no file
	data             bool   // it cannot be executed
}

// process is what a stack is followed in.
type process struct {
	maps       []mapping // by address
	ip, sp, bp uint64
	vdso       uint64
	kernel     bool // the thread was not in user mode
}

// unwindRow is a row of an unwind table. The offset of the frame is in bytes, bp as object.UnwindRow has it.
func unwindRow(place uint64, rule object.UnwindRule, offset int64, bp int) object.UnwindRow {
	return object.UnwindRow(place<<object.UnwindPlaceShift | uint64(uint32(offset/8<<object.UnwindOffsetShift)) | uint64(rule)<<object.UnwindRuleShift | uint64(bp))
}

// unwindKey is the key of a file in the tables: its inode and device.
func unwindKey(inode int) (key [object.UnwindKeySize]byte) {
	binary.LittleEndian.PutUint64(key[:], uint64(inode))
	if inode != 0 {
		binary.LittleEndian.PutUint64(key[8:], 0x800001)
	}
	return key
}

// user writes words to the memory of the process.
func (w *world) user(at uint64, list ...uint64) {
	b := make([]byte, 0, 8*len(list))
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	w.memory[at] = b
}

// runIn makes the running thread one of a process.
func (w *world) runIn(p process) {
	cs := uint64(0x33)
	if p.kernel {
		cs = 0x10
	}
	state := regs(map[string]uint64{"ip": p.ip, "sp": p.sp, "bp": p.bp, "cs": cs})
	w.regs = w.put(state)
	kernelStack := make([]byte, 16<<10)
	copy(kernelStack[len(kernelStack)-len(state):], state) // before 5.15 they are looked for there
	sb := w.object("super_block", map[string]any{"s_dev": 0x800001})
	vmas := make([]uint64, len(p.maps))
	for i, m := range p.maps {
		members := map[string]any{"vm_start": m.start, "vm_end": m.end, "vm_pgoff": m.page, "vm_flags": 4}
		if m.data {
			members["vm_flags"] = 3
		}
		if m.inode != 0 {
			members["vm_file"] = w.object("file", map[string]any{"f_inode": w.object("inode", map[string]any{"i_ino": m.inode, "i_sb": sb})})
		}
		vmas[i] = w.object("vm_area_struct", members)
	}
	mm := map[string]any{"context.vdso": p.vdso}
	if s, _ := w.kernel.Type("struct", "mm_struct"); s != nil {
		if _, tree := s.Field("mm_mt"); tree {
			mm["mm_mt.ma_root"] = w.mapleTree(p.maps, vmas)
		} else {
			mm["mm_rb.rb_node"] = w.redBlackTree(vmas)
		}
	}
	w.task = w.object("task_struct", map[string]any{"comm": "sh", "tgid": 700, "pid": 701, "mm": w.object("mm_struct", mm), "stack": w.put(kernelStack)})
}

// mapleTree is the root of a tree of two levels: a node with leaves of three mappings each, and the gaps behind them.
func (w *world) mapleTree(maps []mapping, vmas []uint64) (root uint64) {
	kind := func(name string) uint64 { v, _, _ := w.kernel.Enumerator(name); return uint64(v) << 3 }
	node := func(structure string, pivots, slots []uint64) uint64 {
		s, _ := w.kernel.Type("struct", structure)
		b := make([]byte, 256)
		for name, list := range map[string][]uint64{"pivot": pivots, "slot": slots} {
			fd, _ := s.Field(name)
			for i, v := range list {
				binary.LittleEndian.PutUint64(b[fd.Offset+8*i:], v)
			}
		}
		return w.put(b)
	}
	var ends, leaves []uint64
	for first := 0; first < len(maps); first += 3 {
		var pivots, slots []uint64
		for i := first; i < min(first+3, len(maps)); i++ {
			pivots, slots = append(pivots, maps[i].start-1, maps[i].end-1), append(slots, 0, vmas[i])
		}
		ends, leaves = append(ends, pivots[len(pivots)-1]), append(leaves, node("maple_range_64", pivots, slots)|kind("maple_leaf_64"))
	}
	return node("maple_arange_64", ends, leaves) | kind("maple_arange_64")
}

// redBlackTree is the root of a balanced tree.
func (w *world) redBlackTree(vmas []uint64) (root uint64) {
	if len(vmas) == 0 {
		return 0
	}
	s, _ := w.kernel.Type("struct", "vm_area_struct")
	rb, _ := s.Field("vm_rb")
	at := func(child string) int { fd, _ := rb.Type.Field(child); return rb.Offset + fd.Offset }
	middle := len(vmas) / 2
	b := w.memory[vmas[middle]]
	binary.LittleEndian.PutUint64(b[at("rb_left"):], w.redBlackTree(vmas[:middle]))
	binary.LittleEndian.PutUint64(b[at("rb_right"):], w.redBlackTree(vmas[middle+1:]))
	return vmas[middle] + uint64(rb.Offset)
}

// TestUnwind follows stacks by the tables of binaries: each rule of a table, each kind of mapping, and each way to end. What
// cannot be followed is shown as far as it is known, and counted.
func TestUnwind(t *testing.T) {
	const (
		app, libc, vdso, jit = 0x401000, 0x7f0000001000, 0x7ffff7fc1000, 0x5000000
		stack                = 0x7fffffff0000
		code                 = 0x1000 // where the application's code begins in its file
	)
	maps := []mapping{
		{start: 0x400000, end: 0x401000, inode: 5, data: true}, {start: app, end: 0x405000, page: 1, inode: 5},
		{start: jit, end: jit + 0x1000}, {start: 0x6000000, end: 0x6001000, inode: 9}, // no table is known of the last
		{start: libc, end: libc + 0x100000, page: 0x28, inode: 6}, {start: vdso, end: vdso + 0x2000},
		{start: stack, end: stack + 0x2000, data: true},
	}
	tables := map[[object.UnwindKeySize]byte][]object.UnwindRow{
		unwindKey(5): {
			object.UnwindByFramePointer,
			unwindRow(code+0x100, object.UnwindSP, 8, object.UnwindBPSame), // begins
			unwindRow(code+0x101, object.UnwindSP, 16, 2),                  // has pushed rbp
			unwindRow(code+0x200, object.UnwindBP, 16, 2),                  // with a frame pointer
			unwindRow(code+0x300, object.UnwindSP, 48, 3),                  // without one, rbp lies in the middle
			unwindRow(code+0x400, object.UnwindBPDeref, -8, object.UnwindBPAtBP),
			unwindRow(code+0x500, object.UnwindPLT, 88, object.UnwindBPSame),
			unwindRow(code+0x600, object.UnwindUnknown, 0, object.UnwindBPLost),
			unwindRow(code+0x700, object.UnwindSP, 16, object.UnwindBPLost),
			unwindRow(code+0x800, object.UnwindEnd, 0, object.UnwindBPSame),
			unwindRow(code+0x900, object.UnwindSP, -8, object.UnwindBPSame), // goes down: damaged
		},
		unwindKey(6): {
			object.UnwindByFramePointer,
			unwindRow(0x28000+0x40, object.UnwindSP, 8, object.UnwindBPSame),
			unwindRow(0x28000+0x80, object.UnwindSignal, 0, object.UnwindBPSame),
		},
		unwindKey(0): {
			object.UnwindByFramePointer,
			unwindRow(0x600, object.UnwindSP, 24, object.UnwindBPSame),
		},
	}
	for _, c := range []struct {
		name string
		process
		memory map[uint64][]uint64
		frames []uint64
		lost   bool
	}{
		{name: "at the end", process: process{ip: app + 0x800, sp: stack}, frames: []uint64{app + 0x800}},
		{name: "at the first instruction", process: process{ip: app + 0x100, sp: stack, bp: 7},
			memory: map[uint64][]uint64{stack: {app + 0x801}}, frames: []uint64{app + 0x100, app + 0x800}},
		{name: "after the first push", process: process{ip: app + 0x101, sp: stack, bp: stack + 0x100},
			memory: map[uint64][]uint64{stack: {stack + 0x200, app + 0x205}, stack + 0x200: {0, app + 0x801}},
			frames: []uint64{app + 0x101, app + 0x204, app + 0x800}},
		{name: "a return address behind the function", process: process{ip: app + 0x100, sp: stack},
			memory: map[uint64][]uint64{stack: {app + 0x900}}, frames: []uint64{app + 0x100, app + 0x8ff}},
		{name: "frame pointers", process: process{ip: app + 0x210, sp: stack, bp: stack + 0x40},
			memory: map[uint64][]uint64{stack + 0x40: {stack + 0x80, app + 0x220}, stack + 0x80: {0, app + 0x230}},
			frames: []uint64{app + 0x210, app + 0x21f, app + 0x22f}}, // the last has none: it was the first
		{name: "rbp in the middle of a frame", process: process{ip: app + 0x310, sp: stack},
			memory: map[uint64][]uint64{stack + 24: {stack + 0x100, 1, app + 0x210}, stack + 0x100: {0, app + 0x801}},
			frames: []uint64{app + 0x310, app + 0x20f, app + 0x800}},
		{name: "a stack that was realigned", process: process{ip: app + 0x410, sp: stack, bp: stack + 0x50},
			memory: map[uint64][]uint64{stack + 0x48: {stack + 0x80, stack + 0x100}, stack + 0x78: {app + 0x210}, stack + 0x100: {0, app + 0x801}},
			frames: []uint64{app + 0x410, app + 0x20f, app + 0x800}},
		{name: "a stub before its push", process: process{ip: app + 0x50a, sp: stack},
			memory: map[uint64][]uint64{stack: {app + 0x801}}, frames: []uint64{app + 0x50a, app + 0x800}},
		{name: "a stub after its push", process: process{ip: app + 0x50b, sp: stack},
			memory: map[uint64][]uint64{stack: {3, app + 0x801}}, frames: []uint64{app + 0x50b, app + 0x800}},
		{name: "a signal's handler", process: process{ip: app + 0x100, sp: stack},
			memory: map[uint64][]uint64{stack: {libc + 0x81},
				// rbp, rsp and rip of struct sigcontext
				stack + 8 + 40 + 8*10: {stack + 0x500}, stack + 8 + 40 + 8*15: {stack + 0x400, app + 0x100}, stack + 0x400: {app + 0x801}},
			frames: []uint64{app + 0x100, libc + 0x80, app + 0x100, app + 0x800}},
		{name: "a library", process: process{ip: libc + 0x44, sp: stack, bp: stack + 0x40},
			memory: map[uint64][]uint64{stack: {app + 0x210}, stack + 0x40: {0, app + 0x801}},
			frames: []uint64{libc + 0x44, app + 0x20f, app + 0x800}},
		{name: "the vdso", process: process{ip: vdso + 0x610, sp: stack, vdso: vdso},
			memory: map[uint64][]uint64{stack + 16: {app + 0x801}}, frames: []uint64{vdso + 0x610, app + 0x800}},
		{name: "code that was made at run time", process: process{ip: jit + 0x10, sp: stack, bp: stack + 0x40},
			memory: map[uint64][]uint64{stack + 0x40: {0, app + 0x801}}, frames: []uint64{jit + 0x10, app + 0x800}},
		{name: "a return address of 0", process: process{ip: app + 0x100, sp: stack},
			memory: map[uint64][]uint64{stack: {0}}, frames: []uint64{app + 0x100}},

		{name: "no user mode", process: process{ip: app + 0x100, sp: stack, kernel: true}},
		{name: "a rule that is not known", process: process{ip: app + 0x610, sp: stack}, frames: []uint64{app + 0x610}, lost: true},
		{name: "an unreadable stack", process: process{ip: app + 0x100, sp: stack}, frames: []uint64{app + 0x100}, lost: true},
		{name: "a frame below its own", process: process{ip: app + 0x910, sp: stack}, frames: []uint64{app + 0x910}, lost: true},
		{name: "a file without a table", process: process{ip: 0x6000010, sp: stack}, frames: []uint64{0x6000010}, lost: true},
		{name: "data", process: process{ip: app + 0x100, sp: stack},
			memory: map[uint64][]uint64{stack: {stack + 0x10}}, frames: []uint64{app + 0x100, stack + 0xf}, lost: true},
		{name: "no mapping", process: process{ip: app + 0x100, sp: stack},
			memory: map[uint64][]uint64{stack: {0x10000}}, frames: []uint64{app + 0x100, 0xffff}, lost: true},
		{name: "rbp is lost, and needed", process: process{ip: app + 0x710, sp: stack, bp: stack + 0x40},
			memory: map[uint64][]uint64{stack + 8: {app + 0x210}}, frames: []uint64{app + 0x710, app + 0x20f}},
	} {
		for _, kernel := range []string{oldest, newest} {
			t.Run(c.name+" on "+kernel, func(t *testing.T) {
				w := newWorld(t, kernel)
				w.tables = tables
				c.process.maps = maps
				w.runIn(c.process)
				for at, list := range c.memory {
					w.user(at, list...)
				}
				got := w.run([]any{call{args: []uint64{0, 0}}}, `kprobe:vfs_open { @[dw_ustack(raw, 10)] = count(); }`)
				var frames []string
				for _, f := range c.frames {
					frames = append(frames, fmt.Sprintf("%x\n", f))
				}
				if want := "\n\n@[\n" + strings.Join(frames, "") + "]: 1\n"; got.Out != want {
					t.Errorf("got %s, want %s", got.Out, want)
				}
				if lost := strings.Contains(got.Errs, "stack"); lost != c.lost {
					t.Errorf("stacks that end early: %t, want %t: %s", lost, c.lost, got.Errs)
				}
			})
		}
	}
}
