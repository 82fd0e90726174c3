package lower_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"fst/compiler"
	"fst/compiler/check"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/target/fixture"
	"fst/compiler/types"
	"fst/lang/diag"
	"fst/lang/parse"
	"fst/lang/source"

	"github.com/cilium/ebpf/asm"
)

func compile(t *testing.T, kernel, script string) *object.Object {
	t.Helper()
	return compileWith(t, kernel, script, check.Options{})
}

func compileWith(t *testing.T, kernel, script string, o check.Options) *object.Object {
	t.Helper()
	k, err := fixture.Load(kernel)
	if err != nil {
		t.Fatal(err)
	}
	if kernel == "6.12" { // as recorded, on a CPU for which task storage can't be read, it has none
		k.Features = map[target.Feature]bool{target.ThreadMaps: true}
	}
	o.Target = k
	var set source.Set
	var diags diag.List
	tree := parse.Parse(set.Add("a.fst", script), &diags)
	obj, err := compiler.Compile(&set, tree, compiler.Options{Options: o, Verify: true}, &diags)
	if err != nil || diags.HasErrors() {
		t.Fatal(script, err, diags.All)
	}
	return obj
}

// TestMapKinds: which of the kernel's maps a script's map is, on an old kernel
// and a new one.
func TestMapKinds(t *testing.T) {
	const at = "tracepoint:raw_syscalls:sys_enter { "
	const none object.MapKind = -1
	for _, test := range []struct {
		body     string
		old, new object.MapKind // 5.10, 6.12
		value    int            // size on the new one
	}{
		{"@m = count();", object.MapPerCPUArray, object.MapPerCPUArray, 8},
		{"@m = hist(args.id);", object.MapPerCPUArray, object.MapPerCPUArray, 8 * 65},
		{"@m = lhist(args.id, 0, 100, 10);", object.MapPerCPUArray, object.MapPerCPUArray, 8 * 12},
		{"@m[pid] = count();", object.MapPerCPUHash, object.MapPerCPUHash, 8},
		{"@m[pid] = avg(args.id);", object.MapPerCPUHash, object.MapPerCPUHash, 16},
		{"@m = args.id;", object.MapArray, object.MapArray, 16}, // with a word that says whether it is there
		{"@m[pid] = args.id;", object.MapHash, object.MapHash, 8},
		{"@m[comm] = 1;", object.MapHash, object.MapHash, 8},
		// What ended threads have left is lost with task storage.
		{"@m[tid] = args.id; delete(@m[tid]);", object.MapHash, object.MapTaskStorage, 16},
		{"@m[tid] = args.id;", object.MapHash, object.MapHash, 8},
		{"@m[tid] = args.id; delete(@m[tid]); print(@m);", object.MapHash, object.MapHash, 8},
		{"@m[tid] = args.id; delete(@m[tid]); for ($kv : @m) { print($kv); }", none, object.MapHash, 8}, // walked, which 5.10 refuses
		// Read in the kernel, where 5.10 sees only its own CPU's part.
		{"@m[pid] = count(); if ((uint64)@m[pid] > 5) { exit(); }", object.MapHash, object.MapPerCPUHash, 8},
	} {
		for _, k := range []struct {
			name string
			want object.MapKind
		}{{"5.10", test.old}, {"6.12", test.new}} {
			if k.want == none {
				continue
			}
			obj := compile(t, k.name, at+test.body+" }")
			for _, m := range obj.Maps {
				if m.Name == "@m" && (m.Kind != k.want || k.name == "6.12" && m.ValueSize != test.value) {
					t.Errorf("%s: @m of %s is of kind %d with %d bytes, not %d with %d", k.name, test.body, m.Kind, m.ValueSize, k.want, test.value)
				}
			}
		}
	}
}

// TestRing: only a script that may speak fast gets a large ring buffer.
func TestRing(t *testing.T) {
	const small, large = 128 << 10, 4 << 20
	for _, test := range []struct {
		script string
		want   int
	}{
		{`BEGIN { printf("hi\n"); exit(); }`, small},
		{`interval:s:1 { print(@); clear(@); } tracepoint:raw_syscalls:sys_enter { @[comm] = count(); }`, small},
		{`BEGIN { for ($i : 0..1000) { print($i); } }`, large},
		{`interval:us:100 { print(1); }`, large},
		{`tracepoint:raw_syscalls:sys_enter { print(1); }`, large},
		{`config = { perf_rb_pages = 64 } tracepoint:raw_syscalls:sys_enter { print(1); }`, 256 << 10},
	} {
		obj := compile(t, "6.12", test.script)
		if got := obj.Maps[obj.Ring].MaxEntries; got != test.want {
			t.Errorf("%s has a ring of %d bytes, not %d", test.script, got, test.want)
		}
	}
}

// TestLosses: each clause has its own counters, also those that a report puts
// into others, and nothing beyond them is addressed.
func TestLosses(t *testing.T) {
	obj := compile(t, "6.12", strings.Repeat(`tracepoint:raw_syscalls:sys_enter { @a[pid] = count(); @b[comm] = 1; print(1); }`, 3))
	loss := obj.Maps[obj.Loss]
	if want := 3 * 8 * object.LossKinds; loss.ValueSize != want || loss.MaxEntries != 1 {
		t.Errorf("%d values of %d bytes for 3 clauses, not one of %d", loss.MaxEntries, loss.ValueSize, want)
	}
	for i, p := range obj.Programs {
		seen := 0
		for _, l := range p.Code.Links {
			if l.Kind != object.LinkMap || l.Number != obj.Loss {
				continue
			}
			seen++
			if clause := int(l.Offset) / (8 * object.LossKinds); clause != i {
				t.Errorf("the program of clause %d counts for clause %d", i, clause)
			}
		}
		if seen == 0 {
			t.Errorf("the program of clause %d counts nothing", i)
		}
	}
}

// TestMapUses: what a script does with a map decides which of the kernel's maps it
// is, wherever in the script it is done.
func TestMapUses(t *testing.T) {
	const at = "tracepoint:raw_syscalls:sys_enter "
	for _, test := range []struct {
		kernel, script string
		kind           object.MapKind
	}{
		{"6.12", at + "{ @m[tid] = nsecs; } END { delete(@m, tid); }", object.MapTaskStorage},
		{"6.12", at + "/len(@m) < 3/ { @m[tid] = nsecs; delete(@m[tid]); }", object.MapHash},
		{"6.12", at + "{ @m[tid] = nsecs; print(@m); clear(@m); }", object.MapHash},
		{"5.10", at + "{ @m = sum(1); @m = sum((int64)@m); }", object.MapArray},
		{"5.10", at + "{ @m[1] = count(); @m[(int64)@m[1]] = count(); }", object.MapHash},
		{"5.10", at + "{ @m = count(); @t[1] = 1; print(@t, (int64)@m); }", object.MapArray},
		{"5.10", at + "{ @m = count(); @t[1] = 1; if (has_key(@t, (int64)@m)) { print(1); } }", object.MapArray},
		{"5.10", at + "{ @m[1] = count(); @t[1] = count(); table(\"K %d A %d B %d\", @t, @m); print(@m); }", object.MapPerCPUHash},
	} {
		for _, m := range compile(t, test.kernel, test.script).Maps {
			if m.Name == "@m" && m.Kind != test.kind {
				t.Errorf("%s: %s is of kind %d, want %d", test.kernel, test.script, m.Kind, test.kind)
			}
		}
	}
}

// TestKeptMaps: a map of a store does not depend on what a script does with it.
func TestKeptMaps(t *testing.T) {
	const at = "tracepoint:raw_syscalls:sys_enter "
	stored := map[string]*object.Map{}
	for _, test := range []struct {
		kernel, script string
		kept           bool
		kind           object.MapKind
	}{
		{"6.12", at + "{ @m[tid] = nsecs; } END { delete(@m, tid); }", true, object.MapHash},
		{"5.10", at + "{ @m[1] = count(); }", true, object.MapHash},
		{"5.10", at + "{ @m[1] = count(); print((int64)@m[1]); }", true, object.MapHash},
		{"6.12", at + "{ @m[1] = count(); print(@m); clear(@m); }", true, object.MapPerCPUHash},
		{"6.12", at + "{ @m[kstack] = count(); }", false, object.MapPerCPUHash},
	} {
		for _, m := range compileWith(t, test.kernel, test.script, check.Options{Stored: stored}).Maps {
			if m.Name == "@m" && (m.Kept != test.kept || m.Kept && m.Turns != nil || m.Kind != test.kind) {
				t.Errorf("%s: %s is kept: %t, of kind %d, with turns: %t", test.kernel, test.script, m.Kept, m.Kind, m.Turns != nil)
			}
		}
	}
	// Who only reads it has it as it is there.
	for _, m := range compile(t, "6.12", "let @m = lruhash(7); begin { @m[1] = \"x\"; }").Maps {
		stored[m.Name] = m
	}
	for _, m := range compileWith(t, "6.12", "begin { print(@m[5]); }", check.Options{Stored: stored}).Maps {
		if m.Name == "@m" && (m.Kind != object.MapLRUHash || m.MaxEntries != 7 || m.Value.Kind != types.String) {
			t.Errorf("what is read is of kind %d, for %d %v", m.Kind, m.MaxEntries, m.Value)
		}
	}
}

// TestStructByValue: a function that takes a struct by value is called by a trampoline only
// where those pass structs on, and its other arguments are where the struct leaves room.
func TestStructByValue(t *testing.T) {
	for _, k := range []struct {
		name string
		kind object.HookKind
	}{{"5.10", object.HookKretprobe}, {"6.12", object.HookFexit}} {
		obj := compile(t, k.name, "call:tcp_setsockopt { print((func, args.optlen)); }")
		if got := obj.Programs[0].Hooks[0].Kind; got != k.kind {
			t.Errorf("%s: the hook is of kind %d, not %d", k.name, got, k.kind)
		}
		// sk, level and optname, two words of the struct, then optlen: in r9.
		obj = compile(t, k.name, "kprobe:tcp_setsockopt { @ = args.optlen; }")
		found := false
		for _, in := range instructions(t, obj.Programs[0]) {
			found = found || in.OpCode.Class() == asm.LdXClass && in.Offset == 64
		}
		if !found {
			t.Errorf("%s: r9 is not read:\n%s", k.name, instructions(t, obj.Programs[0]))
		}
	}
}

// TestCallsOfPreempted: where threads lose the CPU within a trampoline's program, calls
// are seen by one link of kprobes, and so is what a script leaves open; what it names
// stays as it is.
func TestCallsOfPreempted(t *testing.T) {
	for _, test := range []struct {
		kernel, script string
		kind           object.HookKind
		multi          bool
	}{
		{"6.12", "call:vfs_read { @ = sum(took); }", object.HookFexit, false},
		{"7.2", "call:vfs_read { @ = sum(took); }", object.HookKretprobe, true},
		{"6.12", "fentry:vfs_read | kprobe:vfs_read { @ = count(); }", object.HookFentry, false},
		{"7.2", "fentry:vfs_read | kprobe:vfs_read { @ = count(); }", object.HookKprobe, false},
		{"7.2", "fexit:vfs_read | kretprobe:vfs_read { @ = count(); }", object.HookKretprobe, true},
		{"7.2", "fentry:vfs_read { @ = count(); }", object.HookFentry, false},
	} {
		h := compile(t, test.kernel, test.script).Programs[0].Hooks[0]
		if h.Kind != test.kind || h.Multi != test.multi {
			t.Errorf("%s: %s: kind %d, multi %t", test.kernel, test.script, h.Kind, h.Multi)
		}
	}
}

// TestFuncOfReturns: without bpf_get_func_ip the returns of several functions, which all
// find the kernel's trampoline for their place, have a program each.
func TestFuncOfReturns(t *testing.T) {
	for _, k := range []struct {
		name string
		want int
	}{{"5.10", 2}, {"6.12", 1}} {
		obj := compile(t, k.name, "kretprobe:vfs_read, kretprobe:vfs_write { print(func); }")
		if got := len(obj.Programs); got != k.want {
			t.Errorf("%s: %d programs, not %d", k.name, got, k.want)
		}
	}
}

// TestHeavyWhile: the turns of a long loop with a large body are left to bpf_loop where the
// verifier would have to walk through them all; a loop of which nobody knows that it
// ends never is.
func TestHeavyWhile(t *testing.T) {
	body := strings.Repeat("if ($i % 3 == 0) { @[$i] = $i; } ", 100)
	for _, test := range []struct {
		name, script string
		loop         bool
	}{
		{"6.12", "begin { $i = 0; while ($i < 1000) { $i++; " + body + "} }", true},
		{"6.12", "begin { $i = 0; while ($i < 2) { $i++; " + body + "} }", false},
		{"6.12", "begin { $i = 0; $j = 1; while ($j < 1000) { $i++; " + body + "} }", false},
		{"5.10", "begin { $i = 0; while ($i < 1000) { $i++; " + body + "} }", false},
	} {
		found := false
		for _, in := range instructions(t, compile(t, test.name, test.script).Programs[0]) {
			found = found || in.IsBuiltinCall() && in.Constant == int64(asm.FnLoop)
		}
		if found != test.loop {
			t.Errorf("%s: bpf_loop in %.50s...: %t", test.name, test.script, found)
		}
	}
}

// TestStamps: records carry time and CPU where they are asked for, the time once.
func TestStamps(t *testing.T) {
	const at = "tracepoint:sched:sched_switch "
	for _, test := range []struct {
		clause      string
		named       map[string]string
		plain, with int  // bytes of the record
		own         bool // it has a time without being asked
	}{
		{at + `{ printf("%d", cpu); }`, nil, 16, 24, false},
		{at + `{ print(@m); @m = 1; }`, nil, 24, 32, false},
		{at + `{ row("A%d", cpu); }`, nil, 16, 24, false},
		{at + `{ row("A%d", cpu); }`, map[string]string{"time": "true"}, 24, 24, true},
		{at + `{ exit(); }`, nil, 16, 16, false},
		{"kprobe:schedule", nil, 40, 40, true},
	} {
		for _, stamps := range []bool{false, true} {
			obj := compileWith(t, "6.12", test.clause, check.Options{Stamps: stamps, Named: test.named})
			m, want := obj.Messages[0], test.plain
			if stamps {
				want = test.with
			}
			if m.Size != want || (m.Time != 0) != (test.own || want != test.plain) {
				t.Errorf("%s, stamps %v: %d bytes, the time is at %d", test.clause, stamps, m.Size, m.Time)
			}
		}
	}
}

// instructions are those of a program, as the assembler reads them.
func instructions(t *testing.T, p *object.Program) asm.Instructions {
	t.Helper()
	insns, err := asm.AppendInstructions(nil, bytes.NewReader(p.Code.Insns), binary.LittleEndian, "linux")
	if err != nil {
		t.Fatal(err)
	}
	return insns
}
