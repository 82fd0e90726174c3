package emit
import ("testing";"fst/compiler/ir";"encoding/binary";"bytes";"fmt";"errors"
"github.com/cilium/ebpf";"github.com/cilium/ebpf/asm")
func TestReduce(t *testing.T) {
	args := []uint64{3, 1 << 40, ^uint64(0) - 6, 0x8000000080000001}
	ctx := make([]byte, 32)
	for i, a := range args { binary.LittleEndian.PutUint64(ctx[8*i:], a) }
	p := randomProgram(*seedFrom)
	
	var desc string
	bad := func(p *ir.Program) bool {
		if ir.Verify(p) != nil { return false }
		want, wout, err := interpret(p, ctx, 3)
		if err != nil { return false }
		res, err := Emit(p, testOptions())
		if err != nil { return false }
		insns := append(asm.Instructions(nil), res.Insns...)
		var ms []*ebpf.Map
		defer func(){ for _,m:=range ms {m.Close()} }()
		for _, s := range []*ebpf.MapSpec{
			{Name: "out", Type: ebpf.Array, KeySize: 4, ValueSize: outSize, MaxEntries: 1},
			{Name: "scratch", Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: uint32(max(res.ScratchSize, 16)), MaxEntries: Nest},
			{Name: "loss", Type: ebpf.PerCPUArray, KeySize: 4, ValueSize: 8, MaxEntries: 8},
		} { m, err := ebpf.NewMap(s); if err != nil { t.Fatal(err) }; ms = append(ms, m)
			if err := insns.AssociateMap(s.Name, m); err != nil && !errors.Is(err, asm.ErrUnreferencedSymbol) { t.Fatal(err) } }
		pr, err := ebpf.NewProgramWithOptions(&ebpf.ProgramSpec{Name: "t", Type: ebpf.RawTracepoint, License: "GPL", Instructions: insns}, ebpf.ProgramOptions{LogLevel: 2})
		if err != nil { return false }
		defer pr.Close()
		pr.Run(&ebpf.RunOptions{Context: args});pr.Run(&ebpf.RunOptions{Context: args});ret, err := pr.Run(&ebpf.RunOptions{Context: args})
		if err != nil { return false }
		var out []byte
		ms[0].Lookup(uint32(0), &out)
		if ret != uint32(want) || !bytes.Equal(out, wout) { desc = fmt.Sprint(ret, uint32(want), "\n", pr.VerifierLog, xl(pr)); return true }
		return false
	}
	if !bad(p) { t.Fatal("not bad") }
	for again := true; again; {
		again = false
		for bi := range p.Funcs[0].Blocks {
			for k := len(p.Funcs[0].Blocks[bi].Instrs)-1; k >= 0; k-- { if bi == 0 && p.Funcs[0].Blocks[bi].Instrs[k].Op == ir.OpStore { continue }
				q := p.Clone(); b := q.Funcs[0].Blocks[bi]
				b.Instrs = append(b.Instrs[:k], b.Instrs[k+1:]...)
				if bad(q) { p = q; again = true }
			}
			for w := range 3 {
				q := p.Clone(); b := q.Funcs[0].Blocks[bi]
				if b.Term.Kind == ir.TermReturn && (b.Term.A.Reg==0 || w>0) || b.Term.Kind==ir.TermJump && w<2 {continue}
				switch w { case 0: b.Term = ir.Term{Kind: ir.TermJump, Then: b.Term.Then}
				case 1: if b.Term.Else==nil {continue}; b.Term = ir.Term{Kind: ir.TermJump, Then: b.Term.Else}
				case 2: b.Term = ir.Term{Kind: ir.TermReturn, A: ir.I(0)} }
				if bad(q) { p = q; again = true; break }
			}
		}
	
	}
	bad(p)
	fmt.Println(desc)
}

func xl(p *ebpf.Program) string { i,_:=p.Info(); x,e:=i.Instructions(); return fmt.Sprint(x,e) }
