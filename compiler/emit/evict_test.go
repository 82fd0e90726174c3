package emit

import (
	"bytes"
	"slices"
	"testing"

	"fst/compiler/ir"
)

// TestEvict compares what random programs do before and after all that may be
// was moved to memory: for the interpreter and for the kernel.
func TestEvict(t *testing.T) {
	ctx := make([]byte, 32)
	ctx[0], ctx[13], ctx[31] = 3, 1, 0x80
	evicted := 0
	for seed := int64(1); seed <= 60; seed++ {
		p := randomProgram(seed)
		wantRet, wantOut, err := interpret(p, ctx, 2)
		if err != nil {
			t.Fatal(seed, err)
		}
		q := p.Clone()
		for i, f := range q.Funcs {
			if g := evict(f, 1); g != nil {
				evicted += len(g.Slots) - len(f.Slots)
				q.Funcs[i] = g
			}
		}
		if err := ir.Verify(q); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, q)
		}
		ret, out, err := interpret(q, ctx, 2)
		if err != nil || ret != wantRet || !bytes.Equal(out, wantOut) {
			t.Fatalf("seed %d: %d, want %d (%v)\n%s\nfrom\n%s", seed, ret, wantRet, err, q, p)
		}
	}
	if evicted == 0 {
		t.Error("nothing was evicted")
	}
}

// TestNeedKnown names the registers that must stay as they are.
func TestNeedKnown(t *testing.T) {
	p, err := ir.Parse(`program p func main(v1) {
  slot 0 "s" size 16 align 8
b0:
  v2 = slot 0+0
  v3 = call 14()
  v4 = rsh v3, 32
  v5 = load.8 v1+8
  v6 = load.4 v2+0
  v7 = and v6, 7
  v8 = add v2, v7
  v9 = load.1 v8+0
  v10 = load.8 v1+16
  v11 = load.8 v10+0
  v12 = call 113(v2, 8, v11)
  v13 = load.8 v1+24
  store.8 v2+8, v13
  store.8 v2+8, v4
  v14 = add v5, v9
  return v14 }`)
	if err != nil {
		t.Fatal(err)
	}
	var free []int
	for r, known := range needKnown(p.Funcs[0]) {
		if r > 0 && !known {
			free = append(free, r)
		}
	}
	// v1 is the context, v2 and v8 are addresses, v7 and v6 are part of one, v10 is
	// an address too, v13 may be a pointer that is read back from v2+8.
	if want := []int{3, 4, 5, 9, 11, 12, 14}; !slices.Equal(free, want) {
		t.Errorf("%v need not be known, rather than %v", free, want)
	}
}

// TestCrowded compiles more numbers at once than registers and stack hold.
func TestCrowded(t *testing.T) {
	const n = 200
	f := &ir.Func{Name: "main", Params: []ir.Reg{1}, NumRegs: 2}
	b := f.NewBlock()
	var all []ir.Reg
	for i := range n {
		r, d := f.NewReg(), f.NewReg()
		b.Instrs = append(b.Instrs,
			ir.Instr{Op: ir.OpCall, Dst: r, Helper: 14},
			ir.Instr{Op: ir.OpAdd, Dst: d, A: ir.R(r), B: ir.I(int64(i * i))})
		all = append(all, d)
	}
	sum := f.NewReg()
	b.Instrs = append(b.Instrs, ir.Instr{Op: ir.OpConst, Dst: sum, A: ir.I(0)})
	want := uint32(0)
	for i, r := range all {
		b.Instrs = append(b.Instrs, ir.Instr{Op: ir.OpMul, Dst: sum, A: ir.R(sum), B: ir.I(3)},
			ir.Instr{Op: ir.OpAdd, Dst: sum, A: ir.R(sum), B: ir.R(r)},
			ir.Instr{Op: ir.OpSub, Dst: sum, A: ir.R(sum), B: ir.R(all[0])})
		want = want*3 + uint32(i*i)
	}
	b.Term = ir.Term{Kind: ir.TermReturn, A: ir.R(sum)}
	o := testOptions()
	res, err := Emit(&ir.Program{Name: "crowded", Funcs: []*ir.Func{f}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if res.ScratchSize < 8*n/2 {
		t.Errorf("%d bytes of scratch memory", res.ScratchSize)
	}
	o.Scratch = -1
	if _, err := Emit(&ir.Program{Name: "crowded", Funcs: []*ir.Func{f}}, o); err == nil {
		t.Error("without scratch memory it fits, too")
	}
	needBPF(t)
	k := load(t, res, "crowded")
	defer k.close()
	if got, _ := k.run(t); got != want {
		t.Errorf("%d, want %d", got, want)
	}
}
