package kernel

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"fst/compiler/target"
)

func TestUSDTArgs(t *testing.T) {
	show := func(a target.USDTArg) string {
		switch {
		case a.Size == 0:
			return "?"
		case a.Const != nil:
			return fmt.Sprintf("%d,%v const %d", a.Size, a.Signed, *a.Const)
		case a.Reg != "":
			return fmt.Sprintf("%d,%v %s", a.Size, a.Signed, a.Reg)
		}
		return fmt.Sprintf("%d,%v [%s+%s*%d%+d]", a.Size, a.Signed, a.Base, a.Index, a.Scale, a.Disp)
	}
	distance := func(symbol string) (int64, bool) { return 0x100, symbol == "here" }
	for _, c := range []struct {
		machine    elf.Machine
		spec, want string
	}{
		{elf.EM_X86_64, "-4@%eax", "4,true rax"},
		{elf.EM_X86_64, "8@-8(%rbp)", "8,false [rbp+*0-8]"},
		{elf.EM_X86_64, "4@$5 -4@$-7", "4,false const 5; 4,true const -7"},
		{elf.EM_X86_64, "8@(%rax,%rbx,4)", "8,false [rax+rbx*4+0]"},
		{elf.EM_X86_64, "8@16(%r12, %r9,8) 1@%r10b 2@%r11w", "8,false [r12+r9*8+16]; 1,false r10; 2,false r11"},
		{elf.EM_X86_64, "8@foo(%rip) 8f@%xmm0 1@%ah 4@%ecx", "?; ?; ?; 4,false rcx"},
		{elf.EM_X86_64, "-2@here(%rip) 4@here-4(%rip) 4@12(%rip) 4@here(%rax) 8@(,%rcx,8)",
			"2,true [rip+*0+256]; 4,false [rip+*0+252]; 4,false [rip+*0+12]; ?; 8,false [+rcx*8+0]"},
		{elf.EM_X86_64, "", ""},
		{elf.EM_AARCH64, "8@x0 -4@[sp, 12] 4@5", "8,false x0; 4,true [sp+*0+12]; 4,false const 5"},
		{elf.EM_AARCH64, "8@[x1, x2, lsl 3] 4@w3", "8,false [x1+x2*8+0]; 4,false x3"},
	} {
		var got []string
		for _, a := range parseUSDTArgs(c.machine, c.spec, distance) {
			got = append(got, show(a))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: %s, not %s", c.spec, s, c.want)
		}
	}
}

func TestSymbolTable(t *testing.T) {
	const text = "ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81000100 t do_it\n" +
		"ffffffff81000300 T _etext\nffffffff82000000 D data\nffffffffc0000000 t mod_fn\t[mod]\nffffffffc0002000 r mod_ops\t[mod]\nffffffff81000200 W weak\n"
	s, err := parseSymbols(strings.NewReader(text), ofFunctions)
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[uint64]string{
		0xffffffff81000000: "_text+0 ", 0xffffffff81000180: "do_it+128 ", 0xffffffff81000200: "weak+0 ", 0xffffffffc0000010: "mod_fn+16 mod",
		0xffffffffc0002008: "mod_ops+8 mod",
	} {
		name, off, mod, ok := s.Lookup(addr)
		if got := fmt.Sprintf("%s+%d %s", name, off, mod); !ok || got != want {
			t.Errorf("%#x is %q, not %q", addr, got, want)
		}
	}
	for addr, stale := range map[uint64]bool{5: false, 0xffffffff82000000: false, 0xffffffffc0800010: true} {
		if name, _, _, ok := s.Lookup(addr); ok || s.Stale(addr) != stale {
			t.Errorf("%#x has the name %s; stale %v", addr, name, !stale)
		}
	}
	s.data = func() *Symbols {
		variables, _ := parseSymbols(strings.NewReader(text), ofKernelVariables)
		return variables
	}
	if name, off, _, ok := s.Lookup(0xffffffff82000010); !ok || name != "data" || off != 16 {
		t.Errorf("a variable is %s+%d", name, off)
	}
	if _, err := parseSymbols(strings.NewReader("0000000000000000 T _text\n"), ofFunctions); err != errHidden {
		t.Errorf("hidden addresses: %v", err)
	}
}

func TestSymbol(t *testing.T) {
	text := []byte("ffffffff81000000 T do_it_not\nffffffff81000100 t do_it\nffffffff81000200 d table\nffffffffc0000000 t mod_fn\t[mod]\n" +
		"0000000000000000 A hidden\nffffffff81000300 t hidden\nffffffff81000400 t last")
	s := &System{}
	s.kallsyms.text = weak.Make(&text)
	for name, want := range map[string]uint64{
		"do_it": 0xffffffff81000100, "table": 0xffffffff81000200, "mod_fn": 0xffffffffc0000000, "hidden": 0xffffffff81000300,
		"last": 0xffffffff81000400, "do": 0, "it": 0, "t": 0, "mod": 0, "": 0,
	} {
		if got, ok := s.Symbol(name); got != want || ok != (want != 0) {
			t.Errorf("%q is at %#x, not %#x", name, got, want)
		}
	}
	runtime.KeepAlive(&text)
}

func TestLibraryNames(t *testing.T) {
	for _, c := range []struct {
		file, name string
		want       bool
	}{
		{"libc.so.6", "libc", true}, {"libc.so.6", "libc.so", true}, {"libc.so.6", "libc.so.6", true}, {"libc-2.31.so", "libc", true},
		{"libcap.so.2", "libc", false}, {"libc.so.65", "libc.so.6", false}, {"libpthread-2.31.so", "libp", false},
	} {
		if got := isNamed(c.file, c.name); got != c.want {
			t.Errorf("%s named %s: %v", c.file, c.name, got)
		}
	}
}

// TestOwnBinary looks at the test's own file: it is there on any machine.
func TestOwnBinary(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := Open(Options{})
	paths, err := s.Binary("", os.Getpid())
	if err != nil || len(paths) != 1 {
		t.Fatal(paths, err)
	}
	if mapped, err := s.Binary("*", os.Getpid()); err != nil || !slices.Contains(mapped, exe) {
		t.Errorf("mapped: %v, %v", mapped, err)
	}
	for _, bad := range []string{"/no/such/file", "no-such-program-anywhere", filepath.Dir(exe) + "/"} {
		if p, err := s.Binary(bad, 0); err == nil {
			t.Errorf("%s gives %v", bad, p)
		} else {
			t.Log(err)
		}
	}
	if _, err := s.Symbols("/etc/passwd", "*"); err == nil || !strings.Contains(err.Error(), "not an ELF") {
		t.Errorf("symbols of /etc/passwd: %v", err)
	}
}

// TestRunningBinary finds a program that is in no directory of PATH because it runs.
func TestRunningBinary(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	text, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sleep")
	if err := os.WriteFile(path, text, 0o755); err != nil {
		t.Fatal(err)
	}
	s := Open(Options{})
	if all, err := s.Binary("*", 0); err != nil || slices.Contains(all, path) {
		t.Errorf("before it runs: %v", err)
	}
	cmd := exec.Command(path, "1000")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	all, err := s.Binary("*", 0)
	if err != nil || !slices.Contains(all, path) {
		t.Errorf("while it runs: %d files, %v", len(all), err)
	}
	if real, err := filepath.EvalSymlinks(sleep); err == nil && !slices.ContainsFunc(all, func(p string) bool { q, _ := filepath.EvalSymlinks(p); return q == real }) {
		t.Errorf("%s is in PATH and not found", real)
	}
}

// TestLibrary needs a C library, which most machines have.
func TestLibrary(t *testing.T) {
	s := Open(Options{})
	paths, err := s.Binary("libc", 0)
	if err != nil {
		t.Skip(err)
	}
	list, err := s.Symbols(paths[0], "malloc")
	if err != nil || len(list) != 1 || list[0].Offset == 0 || list[0].Size == 0 {
		t.Errorf("malloc: %+v, %v", list, err)
	}
	all, err := s.Symbols(paths[0], "*")
	seen := map[uint64]string{}
	for _, y := range all {
		if seen[y.Addr] != "" {
			t.Errorf("%s and %s are at one address", seen[y.Addr], y.Name)
		}
		seen[y.Addr] = y.Name
	}
	if err != nil || len(all) < 100 {
		t.Errorf("%d functions, %v", len(all), err)
	}
}

// TestLive asks what any Linux that runs the tests can answer.
func TestLive(t *testing.T) {
	s := Open(Options{})
	if s.Release() == "" || s.version() < 4<<16 || s.CPUs() < 1 || s.PIDMax() < 1 {
		t.Errorf("release %q version %#x CPUs %d pid_max %d", s.Release(), s.version(), s.CPUs(), s.PIDMax())
	}
	if s.Has(target.BTF) {
		task, ok := s.Type("struct", "task_struct")
		if !ok {
			t.Fatal("no struct task_struct")
		}
		if f, ok := task.Field("comm"); !ok || !f.Type.IsCharArray() {
			t.Errorf("comm: %+v", f)
		}
	}
	if f, ok := s.Syscall("openat"); !ok || len(f.Params) < 4 {
		t.Errorf("openat: %+v", f)
	}
	list, err := s.Traceable("", "vfs_read")
	if err != nil || len(list) != 1 {
		t.Errorf("vfs_read: %v, %v", list, err)
	}
	var b bytes.Buffer
	s.Info(&b)
	t.Log(b.String())
}

func BenchmarkFirstStruct(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s := Open(Options{})
		task, ok := s.Type("struct", "task_struct")
		if !ok {
			b.Skip("no BTF")
		}
		task.Field("comm")
	}
}

func BenchmarkKernelSymbols(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Open(Options{}).KernelSymbols(false); err != nil {
			b.Skip(err)
		}
	}
}

func TestInstructionLength(t *testing.T) {
	for _, c := range []struct {
		code string
		want int
	}{
		{"c3", 1}, {"55", 1}, {"4889e5", 3}, {"f30f1efa", 4}, {"8b4508", 3}, {"8b0424", 3}, {"8b042500000000", 7}, {"8b0500000000", 6},
		{"488b848000010000", 8}, {"b801000000", 5}, {"66b80100", 4}, {"48b80102030405060708", 10}, {"e800000000", 5}, {"0f8400000000", 6},
		{"7405", 2}, {"f6c301", 3}, {"f6d3", 2}, {"f7c300000000", 6}, {"66f7c30000", 5}, {"0fb6c0", 3}, {"0fbaf007", 4}, {"660f3a0fc108", 6},
		{"c5f877", 3}, {"c5f9efc0", 4}, {"c4e27918c0", 5}, {"c4e37d19c101", 6}, {"62f17c4828c0", 6}, {"62f37d48251f0f", 7}, {"0f05", 2},
		{"c8010000", 4}, {"a00000000000000000", 9}, {"06", 0}, {"48", 0}, {"e80000", 0},
	} {
		code, err := hex.DecodeString(c.code)
		if err != nil {
			t.Fatal(err)
		}
		if got := instructionLength(code); got != c.want {
			t.Errorf("%s: %d, not %d", c.code, got, c.want)
		}
	}
}

// A kernel may have more modules than a byte counts.
func TestManyModules(t *testing.T) {
	const modules = 700
	var text strings.Builder
	fmt.Fprintln(&text, "ffffffff81000000 T start")
	for i := range modules {
		for k := range 2 {
			fmt.Fprintf(&text, "%x t f%d_%d\t[module%d]\n", 0xffffffffc0000000+uint64(i)<<16+uint64(k)<<8, i, k, i)
		}
	}
	s, err := parseSymbols(strings.NewReader(text.String()), ofFunctions)
	if err != nil {
		t.Fatal(err)
	}
	for i := range modules {
		name, offset, module, ok := s.Lookup(0xffffffffc0000104 + uint64(i)<<16)
		if want := fmt.Sprintf("module%d", i); !ok || name != fmt.Sprintf("f%d_1", i) || offset != 4 || module != want {
			t.Fatalf("%s+%d of %q, %v; want %s", name, offset, module, ok, want)
		}
	}
}
