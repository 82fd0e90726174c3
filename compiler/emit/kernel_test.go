package emit

import (
	"errors"
	"os"
	"strings"
	"testing"

	"fst/compiler/ir"
	"fst/lang/source"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/features"
	"github.com/cilium/ebpf/rlimit"
)

// The maps of test programs, by index.
const (
	mapOut     = 0 // array, one value of outSize bytes
	mapScratch = 1
	mapLoss    = 2
	mapLarge   = 3
	outSize    = 512
)

var mapNames = []string{"out", "scratch", "loss", "large"}

func testOptions() Options {
	return Options{MapName: func(i int32) string { return mapNames[i] }, Check: true, Scratch: mapScratch, LargeScratch: mapLarge, LossMap: mapLoss, LossNested: 3,
		Atomics: true, SignedDivision: true}
}

// needBPF skips the test where programs cannot be loaded.
func needBPF(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("loading programs needs root")
	}
	_ = rlimit.RemoveMemlock()
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.RawTracepoint, License: "GPL",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()}})
	if errors.Is(err, os.ErrPermission) {
		t.Skip("the kernel does not let this process load programs")
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
}

// needInstructions skips the test on kernels without bpf_loop (5.17) or signed
// division (6.6).
func needInstructions(t testing.TB, loop, sdiv bool) {
	t.Helper()
	if loop && features.HaveProgramHelper(ebpf.RawTracepoint, asm.FnLoop) != nil {
		t.Skip("the kernel has no bpf_loop")
	}
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.RawTracepoint, License: "GPL",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 4), asm.SDiv.Imm(asm.R0, 2), asm.Return()}})
	if err == nil {
		p.Close()
	} else if sdiv {
		t.Skip("the kernel has no signed division")
	}
}

// kernel is a loaded program with its maps.
type kernel struct {
	prog *ebpf.Program
	maps map[string]*ebpf.Map
}

func (k *kernel) close() {
	if k.prog != nil {
		k.prog.Close()
	}
	for _, m := range k.maps {
		m.Close()
	}
}

// load loads an emitted program; a refusal by the verifier fails the test.
func load(t testing.TB, res *Result, what string) *kernel {
	t.Helper()
	k := &kernel{maps: map[string]*ebpf.Map{}}
	specs := []*ebpf.MapSpec{
		{Name: "out", Type: ebpf.Array, KeySize: 4, ValueSize: outSize, MaxEntries: 1},
		{Name: "scratch", Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: uint32(max(res.ScratchSize, 16)), MaxEntries: Nest},
		{Name: "loss", Type: ebpf.Array, KeySize: 4, ValueSize: 64, MaxEntries: 1},
		{Name: "large", Type: ebpf.Array, KeySize: 4, ValueSize: uint32(max(res.LargeScratchSize, 16)), MaxEntries: uint32(Nest * ebpf.MustPossibleCPU())},
	}
	insns := append(asm.Instructions(nil), res.Insns...)
	for _, s := range specs {
		m, err := ebpf.NewMap(s)
		if err != nil {
			t.Fatal(err)
		}
		k.maps[s.Name] = m
		if err := insns.AssociateMap(s.Name, m); err != nil && !errors.Is(err, asm.ErrUnreferencedSymbol) {
			t.Fatal(err)
		}
	}
	prog, err := ebpf.NewProgram(&ebpf.ProgramSpec{Name: "t", Type: ebpf.RawTracepoint, License: "GPL", Instructions: insns})
	if err != nil {
		k.close()
		var ve *ebpf.VerifierError
		log := err.Error()
		if errors.As(err, &ve) {
			log = strings.Join(ve.Log[max(0, len(ve.Log)-60):], "\n")
		}
		t.Fatalf("not loaded: %v\n%s\n%s\n%v", err, log, what, res.Insns)
	}
	k.prog = prog
	return k
}

// run runs the program once and returns what it returned and left in "out".
func (k *kernel) run(t testing.TB, ctx ...uint64) (uint32, []byte) {
	t.Helper()
	if len(ctx) == 0 {
		ctx = []uint64{0}
	}
	ret, err := k.prog.Run(&ebpf.RunOptions{Context: ctx})
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	if err := k.maps["out"].Lookup(uint32(0), &out); err != nil {
		t.Fatal(err)
	}
	return ret, out
}

// emitText emits a program in text form.
func emitText(t testing.TB, text string, o Options) *Result {
	t.Helper()
	p, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Emit(p, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestKernel(t *testing.T) {
	needBPF(t)
	for _, test := range []struct {
		name, text string
		ctx        []uint64
		want       uint32
	}{
		{"return", "program p func main(v1) {\nb0: return 7 }", nil, 7},
		{"context", "program p func main(v1) {\nb0: v2 = load.8 v1+8 v3 = load.8 v1+0 v4 = sub v2, v3 return v4 }", []uint64{5, 47}, 42},
		{"across a call", `program p func main(v1) {
b0: v2 = load.8 v1+0 v3 = call 14() v5 = call 14() v6 = sub v3, v5 v4 = load.8 v1+8 v2 = add v2, v4 v2 = add v2, v6 return v2 }`, []uint64{5, 6}, 11},
		{"wide constants", `program p func main(v1) {
b0: v2 = const 81985529216486895 v3 = load.8 v1+0 v4 = xor v2, v3 v5 = and v4, 4294967295 if v5 uge 4294967295 then b1 else b2
b1: return 3
b2: return v5 }`, []uint64{0}, 0x89abcdef},
		{"loop", `program p func main(v1) {
b0: v2 = const 0 v3 = const 0 jump b1
b1: if v2 uge 10 then b3 else b2
b2: v3 = add v3, v2 v2 = add v2, 1 jump b1
b3: return v3 }`, nil, 45},
		{"atomics", `program p func main(v1) {
b0: v2 = mapvalue 0+8 store.8 v2+0, 5 atomicadd.8 v2+0, 37 v3 = xchg.8 v2+0, 1 v4 = load.8 v2+0 v5 = mul v4, 100 v5 = add v5, v3 return v5 }`, nil, 142},
		{"swap and extend", `program p func main(v1) {
b0: v2 = load.8 v1+0 v3 = swap.2 v2 v4 = ext.1s v2 v5 = add v3, v4 return v5 }`, []uint64{0x80ff}, 0xff80 - 1},
		{"stack slot", `program p func main(v1) { slot 0 "a" size 16 align 8
b0: v2 = slot 0+0 store.8 v2+0, 5 store.8 v2+8, -1 v3 = slot 0+8 v4 = load.4s v3+0 v5 = load.8 v2+0 v6 = add v4, v5 return v6 }`, nil, 4},
		{"scratch", `program p func main(v1) { slot 0 "a" size 600 align 8 slot 1 "b" size 8 align 8
b0: v9 = load.8 v1+0 if v9 eq 0 then b1 else b2
b1: return 1
b2: v2 = slot 0+592 store.8 v2+0, v9 v3 = call 14() v4 = slot 1+0 store.8 v4+0, 2 v5 = load.8 v2+0 v6 = load.8 v4+0 v7 = add v5, v6
  if v7 eq 3 then b1 else b3
b3: return v7 }`, []uint64{40}, 42},
		{"large scratch", `program p func main(v1) { slot 0 "a" size 40000 align 8 slot 1 "b" size 40000 align 8
b0: v2 = slot 0+39992 v3 = load.8 v1+0 store.8 v2+0, v3 v4 = slot 1+0 store.8 v4+0, 2 v5 = load.8 v2+0 v6 = load.8 v4+0 v7 = add v5, v6 return v7 }`, []uint64{40}, 42},
		{"callback", `program p func main(v1) { slot 0 "sum" size 8 align 8
b0: v2 = slot 0+0 store.8 v2+0, 0 v3 = func 1 v4 = call 181(10, v3, v2, 0) v5 = load.8 v2+0 v6 = mul v4, 1000 v5 = add v5, v6 return v5 }
func each(v1, v2) { slot 0 "big" size 300 align 8
b0: v3 = slot 0+296 store.8 v3+0, v1 v4 = load.8 v3+0 v5 = load.8 v2+0 v5 = add v5, v4 store.8 v2+0, v5 return 0 }`, nil, 10045},
	} {
		for _, atomics := range []bool{true, false} {
			t.Run(test.name, func(t *testing.T) {
				o := testOptions()
				if o.Atomics = atomics; !atomics && strings.Contains(test.text, "xchg") {
					t.Skip("needs atomic exchange")
				}
				needInstructions(t, strings.Contains(test.text, "call 181"), false)
				res := emitText(t, test.text, o)
				k := load(t, res, test.text)
				defer k.close()
				for range 6 { // more than Nest: scratch memory must be given back
					if ret, _ := k.run(t, test.ctx...); ret != test.want {
						t.Fatalf("returned %d, want %d\n%v", ret, test.want, res.Insns)
					}
				}
			})
		}
	}
}

// TestSpans: the place in the script is known of each instruction, and the
// listing shows its line.
func TestSpans(t *testing.T) {
	p, err := ir.Parse("program p func main(v1) {\nb0: v2 = const 1 v3 = load.8 v1+0 store.8 v1+4000, v3 return 0 }")
	if err != nil {
		t.Fatal(err)
	}
	var set source.Set
	f := set.Add("a.bt", "kprobe:f\n{ @ = arg0 }\n")
	span := f.Span(11, 19)
	for i := range p.Funcs[0].Blocks[0].Instrs {
		p.Funcs[0].Blocks[0].Instrs[i].Span = span
	}
	res, err := Emit(p, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	if got := res.SpanAt(0); got != span {
		t.Errorf("SpanAt(0) = %v, want %v", got, span)
	}
	if got := res.SpanAt(1000); got.IsValid() {
		t.Errorf("SpanAt(1000) = %v", got)
	}
	if got := res.Listing(&set); strings.Count(got, "; { @ = arg0 }") != 1 {
		t.Errorf("the listing does not quote the script once:\n%s", got)
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"stack", `program p func main(v1) { slot 0 "a" size 600 align 8
b0: v2 = slot 0+0 store.8 v2+0, 1 return 0 }`, "do not fit on the stack"},
		{"sdiv", "program p func main(v1) {\nb0: v2 = load.8 v1+0 v3 = sdiv v2, v2 return v3 }", "no signed division"},
		{"xchg", "program p func main(v1) {\nb0: v2 = mapvalue 0+0 v3 = xchg.8 v2+0, 1 return v3 }", "no atomic exchange"},
	} {
		p, err := ir.Parse(test.text)
		if err != nil {
			t.Fatal(err)
		}
		o := testOptions()
		o.Scratch, o.Atomics, o.SignedDivision = -1, false, false
		if _, err := Emit(p, o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
