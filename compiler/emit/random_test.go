package emit

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand"
	"testing"

	"fst/compiler/ir"
	"fst/compiler/ir/interp"
	"fst/compiler/opt"
)

var (
	seeds    = flag.Int64("seeds", 150, "random programs to try")
	seedFrom = flag.Int64("seed", 1, "the first seed")
)

// generator makes random programs that the verifier must accept: all
// registers are numbers, all loops have counters, slots are filled first.
type generator struct {
	*rand.Rand
	f     *ir.Func
	b     *ir.Block
	regs  []ir.Reg // numbers, set on all ways to here
	slots int
	depth int
	ctx   ir.Reg
	cb    int32 // a callback, or 0
	ctxs  bool  // the context can be read
	// returns is one more than the largest result: a callback's is 0 or 1.
	returns int
	xchg    bool // the kernel may have atomic exchange
}

var randomOps = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpMod, ir.OpSDiv, ir.OpSMod, ir.OpAnd, ir.OpOr,
	ir.OpXor, ir.OpLsh, ir.OpRsh, ir.OpArsh, ir.OpNeg, ir.OpSwap, ir.OpExt, ir.OpCopy, ir.OpConst}

func (g *generator) add(in ir.Instr) { g.b.Instrs = append(g.b.Instrs, in) }

func (g *generator) imm() int64 {
	switch g.Intn(5) {
	case 0:
		return int64(g.Uint64())
	case 1:
		return int64(int32(g.Uint32()))
	case 2:
		return int64(g.Uint32())
	}
	return int64(g.Intn(20)) - 4
}

func (g *generator) operand() ir.Operand {
	if g.Intn(4) == 0 {
		return ir.I(g.imm())
	}
	return ir.R(g.regs[g.Intn(len(g.regs))])
}

// dst is a new register, or one that is overwritten.
func (g *generator) dst() ir.Reg {
	if g.Intn(3) == 0 {
		return g.regs[g.Intn(len(g.regs))]
	}
	return g.f.NewReg()
}

func (g *generator) set(r ir.Reg) {
	for _, x := range g.regs {
		if x == r {
			return
		}
	}
	g.regs = append(g.regs, r)
}

func (g *generator) size() int8 { return []int8{1, 2, 4, 8}[g.Intn(4)] }

func (g *generator) arith() {
	op := randomOps[g.Intn(len(randomOps))]
	in := ir.Instr{Op: op, A: g.operand(), B: g.operand()}
	switch op {
	case ir.OpConst:
		in.A, in.B = ir.I(g.imm()), ir.Operand{}
	case ir.OpCopy, ir.OpNeg:
		in.B = ir.Operand{}
	case ir.OpSwap, ir.OpExt:
		in.B, in.Size = ir.Operand{}, g.size()
		in.Signed = op == ir.OpExt && g.Intn(2) == 0
	}
	in.Dst = g.dst()
	g.add(in)
	g.set(in.Dst)
}

// memory reads or writes a slot or the output.
func (g *generator) memory() {
	size := g.size()
	p := g.f.NewReg()
	limit, atomic := outSize-8, true
	if g.slots > 0 && g.Intn(3) > 0 {
		s := g.Intn(g.slots)
		limit = g.f.Slots[s].Size
		g.add(ir.Instr{Op: ir.OpSlotAddr, Dst: p, Slot: int32(s)})
	} else {
		g.add(ir.Instr{Op: ir.OpMapValue, Dst: p, Map: mapOut})
	}
	off := int32(g.Intn(limit/8)*8 + g.Intn(8)/int(size)*int(size))
	if g.Intn(3) == 0 {
		atomic = limit == outSize-8 // see selector.atomic
		q := g.f.NewReg()
		g.add(ir.Instr{Op: ir.OpAdd, Dst: q, A: ir.R(p), B: ir.I(int64(off))})
		p, off = q, 0
	}
	in := ir.Instr{A: ir.R(p), Off: off, Size: size}
	switch g.Intn(6) {
	case 0, 1:
		in.Op, in.Dst, in.Signed = ir.OpLoad, g.dst(), g.Intn(2) == 0
	case 2:
		if size >= 4 && atomic {
			in.Op, in.B = ir.OpAtomicAdd, g.operand()
			break
		}
		fallthrough
	case 3:
		if size >= 4 && atomic && g.xchg {
			in.Op, in.B, in.Dst = ir.OpAtomicXchg, g.operand(), g.dst()
			break
		}
		fallthrough
	default:
		in.Op, in.B = ir.OpStore, g.operand()
	}
	g.add(in)
	if in.Dst != 0 {
		g.set(in.Dst)
	}
}

// call calls a helper; its result is not used as a number, as it differs here
// and in the kernel, but for what does not depend on it.
func (g *generator) call() {
	if g.cb > 0 && g.Intn(3) == 0 && g.depth < 2 {
		fn, d, sum := g.f.NewReg(), g.dst(), g.f.NewReg()
		g.add(ir.Instr{Op: ir.OpFuncAddr, Dst: fn, Func: g.cb})
		g.add(ir.Instr{Op: ir.OpSlotAddr, Dst: sum, Slot: 0})
		g.add(ir.Instr{Op: ir.OpCall, Helper: 181, Dst: d, Args: []ir.Operand{ir.I(int64(g.Intn(4))), ir.R(fn), ir.R(sum), ir.I(0)}})
		g.set(d)
		return
	}
	r, z := g.f.NewReg(), g.dst()
	g.add(ir.Instr{Op: ir.OpCall, Dst: r, Helper: 14})
	g.add(ir.Instr{Op: ir.OpSub, Dst: z, A: ir.R(r), B: ir.R(r)})
	g.set(z)
}

func (g *generator) straight(n int) {
	for range n {
		switch g.Intn(10) {
		case 0:
			g.call()
		case 1, 2, 3:
			g.memory()
		case 4:
			if g.ctxs {
				d := g.dst()
				if d != g.ctx {
					g.add(ir.Instr{Op: ir.OpLoad, Dst: d, A: ir.R(g.ctx), Off: int32(8 * g.Intn(4)), Size: 8})
					g.set(d)
				}
				break
			}
			fallthrough
		default:
			g.arith()
		}
	}
}

// body generates a part of the program that begins and ends in g.b.
func (g *generator) body(n int) {
	for range n {
		g.straight(1 + g.Intn(6))
		if g.depth >= 3 {
			continue
		}
		g.depth++
		switch g.Intn(4) {
		case 0, 1:
			then, other, end := g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
			g.b.Term = ir.Term{Kind: ir.TermBranch, Cond: ir.Cond(g.Intn(int(ir.Set) + 1)), A: g.operand(), B: g.operand(), Then: then, Else: other}
			before := append([]ir.Reg(nil), g.regs...)
			for _, b := range []*ir.Block{then, other} {
				g.b, g.regs = b, append([]ir.Reg(nil), before...)
				g.body(1 + g.Intn(2))
				if g.Intn(8) == 0 && b == then {
					g.b.Term = ir.Term{Kind: ir.TermReturn, A: ir.I(int64(g.Intn(g.returns)))}
				} else {
					g.b.Term = ir.Term{Kind: ir.TermJump, Then: end}
				}
			}
			g.b, g.regs = end, before
		case 2:
			i, head, in, end := g.f.NewReg(), g.f.NewBlock(), g.f.NewBlock(), g.f.NewBlock()
			g.add(ir.Instr{Op: ir.OpConst, Dst: i, A: ir.I(0)})
			g.b.Term = ir.Term{Kind: ir.TermJump, Then: head}
			head.Term = ir.Term{Kind: ir.TermBranch, Cond: ir.ULt, A: ir.R(i), B: ir.I(int64(1 + g.Intn(4))), Then: in, Else: end}
			before := append([]ir.Reg(nil), g.regs...)
			g.b = in
			depth := g.depth
			g.depth = max(g.depth, 2)
			g.body(1)
			g.depth = depth
			g.add(ir.Instr{Op: ir.OpAdd, Dst: i, A: ir.R(i), B: ir.I(1)})
			g.b.Term = ir.Term{Kind: ir.TermJump, Then: head}
			g.b, g.regs = end, before
		}
		g.depth--
	}
}

// function generates a function whose slots take about stack bytes.
func (g *generator) function(name string, params, stack, size int) *ir.Func {
	g.f = &ir.Func{Name: name, NumRegs: 1}
	for range params {
		g.f.Params = append(g.f.Params, g.f.NewReg())
	}
	g.ctx, g.regs, g.slots, g.depth = g.f.Params[0], nil, 0, 0
	g.b = g.f.NewBlock()
	for n := 0; n < stack || n == 0; {
		s := 8 * (1 + g.Intn(8))
		if g.Intn(4) == 0 && stack > 100 && (n > 0 || g.cb == 0) { // slot 0 is the callback's
			s = 8 * (16 + g.Intn(20))
		}
		n += s
		g.f.NewSlot("s", s, 8)
		g.slots++
		p := g.f.NewReg()
		g.add(ir.Instr{Op: ir.OpSlotAddr, Dst: p, Slot: int32(g.slots - 1)})
		for off := 0; off < s; off += 8 {
			g.add(ir.Instr{Op: ir.OpStore, A: ir.R(p), Off: int32(off), B: ir.I(int64(off)), Size: 8})
		}
	}
	for range 3 + g.Intn(14) {
		d := g.f.NewReg()
		if g.ctxs {
			g.add(ir.Instr{Op: ir.OpLoad, Dst: d, A: ir.R(g.ctx), Off: int32(8 * g.Intn(4)), Size: 8})
		} else {
			g.add(ir.Instr{Op: ir.OpConst, Dst: d, A: ir.I(g.imm())})
		}
		g.set(d)
	}
	g.body(size)
	sum := g.f.NewReg()
	g.add(ir.Instr{Op: ir.OpConst, Dst: sum, A: ir.I(1)})
	for _, r := range g.regs {
		g.add(ir.Instr{Op: ir.OpMul, Dst: sum, A: ir.R(sum), B: ir.I(31)})
		g.add(ir.Instr{Op: ir.OpAdd, Dst: sum, A: ir.R(sum), B: ir.R(r)})
	}
	if params == 1 {
		p := g.f.NewReg()
		g.add(ir.Instr{Op: ir.OpMapValue, Dst: p, Map: mapOut})
		g.add(ir.Instr{Op: ir.OpStore, A: ir.R(p), Off: outSize - 8, B: ir.R(sum), Size: 8})
		g.b.Term = ir.Term{Kind: ir.TermReturn, A: ir.R(sum)}
	} else {
		g.b.Term = ir.Term{Kind: ir.TermReturn, A: ir.I(0)}
	}
	return g.f
}

// randomProgram generates a program from a seed.
func randomProgram(seed int64) *ir.Program {
	g := &generator{Rand: rand.New(rand.NewSource(seed)), ctxs: true, returns: 1000, xchg: seed%2 == 0}
	p := &ir.Program{Name: fmt.Sprintf("r%d", seed)}
	stack := []int{16, 100, 300, 900}[g.Intn(4)]
	callback := seed%3 == 0
	if callback {
		g.cb = 1
	}
	p.Funcs = append(p.Funcs, g.function("main", 1, stack, 2+g.Intn(4)))
	if callback {
		g.cb, g.ctxs, g.returns = 0, false, 2
		p.Funcs = append(p.Funcs, g.function("each", 2, []int{16, 200}[g.Intn(2)], 2))
	}
	return p
}

// interpret runs p and returns its result and the output.
func interpret(p *ir.Program, ctx []byte, runs int) (ret int64, out []byte, err error) {
	maps := []interp.Map{interp.NewArray(1, outSize), interp.NewArray(Nest, 4096), interp.NewArray(8, 8)}
	m := &interp.Machine{Prog: p, Maps: maps, MaxSteps: 200000, Helpers: map[int32]interp.Helper{
		14: func(*interp.Machine, [5]uint64) (uint64, error) { return 12345<<32 | 12345, nil }}}
	for range runs {
		if ret, err = m.Run(ctx); err != nil {
			return 0, nil, err
		}
	}
	return ret, maps[0].Lookup(make([]byte, 4)), nil
}

// TestRandom has three judges: the interpreter before and after the optimiser,
// and the kernel for both.
func TestRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, which finds nothing here that it does not find in other tests")
	}
	needBPF(t)
	needInstructions(t, true, true)
	args := []uint64{3, 1 << 40, ^uint64(0) - 6, 0x8000000080000001}
	ctx := make([]byte, 32)
	for i, a := range args {
		binary.LittleEndian.PutUint64(ctx[8*i:], a)
	}
	scratch, spills, insns := 0, 0, [2]int{}
	for seed := *seedFrom; seed < *seedFrom+*seeds; seed++ {
		p := randomProgram(seed)
		if err := ir.Verify(p); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		const runs = 3
		wantRet, wantOut, err := interpret(p, ctx, runs)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		q := p.Clone()
		if err := opt.Run(q, opt.Options{Check: true}); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		for n, prog := range []*ir.Program{p, q} {
			what := fmt.Sprintf("seed %d, optimised: %v\n%s", seed, n == 1, prog)
			ret, out, err := interpret(prog, ctx, runs)
			if err != nil || ret != wantRet || !bytes.Equal(out, wantOut) {
				t.Fatalf("interpreter: %d, want %d (%v)\n%s\nfrom\n%s", ret, wantRet, err, what, p)
			}
			o := testOptions()
			o.Atomics = seed%2 == 0
			res, err := Emit(prog, o)
			if err != nil {
				t.Fatalf("%v\n%s", err, what)
			}
			insns[n] += len(res.Insns)
			spills += res.Spills
			if res.ScratchSize > 0 {
				scratch++
			}
			k := load(t, res, what)
			var got uint32
			for range runs {
				got, out = k.run(t, args...)
			}
			k.close()
			if got != uint32(wantRet) || !bytes.Equal(out, wantOut) {
				t.Fatalf("kernel: %d, want %d\n%s\n%v", got, uint32(wantRet), what, res.Insns)
			}
		}
	}
	t.Logf("%d programs with scratch memory, %d spills, %d instructions, %d optimised", scratch, spills, insns[0], insns[1])
}
