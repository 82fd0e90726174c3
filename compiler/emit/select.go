package emit

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"fst/compiler/ir"
	"fst/compiler/regalloc"
	"fst/lang/source"

	"github.com/cilium/ebpf/asm"
)

// from says where a field of a machine instruction gets its register.
type from int8

const (
	fixed from = iota // from the template
	def
	use0
	use1
)

// template is a machine instruction without registers.
type template struct {
	ins      asm.Instruction
	dst, src from
	slot     int     // its stack offset is added to Offset (memory) or Constant; -1 for none
	target   int     // of a jump: index of a block in the layout, else -1
	link     ir.Link // of its constant
	span     source.Span
}

// selection is a function of machine instructions with virtual registers.
// Block 0 of alloc is the prologue, which takes the parameters; block n+1 is
// block n of the layout.
type selection struct {
	alloc     *regalloc.Func
	templates []template
}

// selector selects the instructions of one function after the other; what it
// made of one is gone with the next.
type selector struct {
	e    *emitter
	f    *ir.Func
	cfg  ir.CFG
	out  selection
	span source.Span
	// again has the definitions that are repeated at each use instead of
	// being kept in a register.
	again []*ir.Instr
	defs  []int32

	// Memory for the parts of out.alloc.
	instrs []regalloc.Instr // of all blocks
	uses   []regalloc.Reg
	ends   []int // of the blocks in instrs
	succs  []int
	blocks []regalloc.Block
}

// reset prepares for f.
func (s *selector) reset(e *emitter, f *ir.Func) {
	s.e, s.f, s.span = e, f, source.Span{}
	s.cfg.Reset(f)
	s.defs = f.CountDefs(s.defs)
	s.again = slices.Grow(s.again[:0], f.NumRegs)[:f.NumRegs]
	clear(s.again)
	if s.out.alloc == nil {
		s.out.alloc = &regalloc.Func{}
	}
	s.out.alloc.NumRegs, s.out.alloc.Remat = int(regalloc.First)+f.NumRegs, map[regalloc.Reg]int{}
	count := len(f.Params)
	for _, b := range s.cfg.Order {
		count += len(b.Instrs) + 2
		for i := range b.Instrs {
			switch in := &b.Instrs[i]; in.Op {
			case ir.OpConst, ir.OpSlotAddr, ir.OpMapPtr, ir.OpFuncAddr:
				if s.defs[in.Dst] == 1 {
					s.again[in.Dst] = in
				}
			case ir.OpCall:
				count += len(in.Args) + 1
			}
		}
	}
	s.out.templates = slices.Grow(s.out.templates[:0], count)
	s.instrs = slices.Grow(s.instrs[:0], count)
	s.uses, s.ends = s.uses[:0], s.ends[:0]
}

// selectFunc selects the instructions of f.
func (e *emitter) selectFunc(f *ir.Func) (*selection, error) {
	s := &e.memory.selector
	s.reset(e, f)
	if len(s.cfg.Order) > 0 && len(f.Blocks[0].Instrs) > 0 {
		s.span = f.Blocks[0].Instrs[0].Span
	}
	for i, r := range f.Params {
		s.copy(vreg(r), regalloc.Reg(1+i))
	}
	s.ends = append(s.ends, len(s.instrs))
	for i, b := range s.cfg.Order {
		for k := range b.Instrs {
			s.span = b.Instrs[k].Span
			if err := s.instr(&b.Instrs[k]); err != nil {
				return nil, fmt.Errorf("%s: %w", b.Instrs[k].String(), err)
			}
		}
		s.span = b.Term.Span
		s.term(&b.Term, i)
		s.ends = append(s.ends, len(s.instrs))
	}
	s.cut()
	return &s.out, nil
}

// cut makes the blocks for the register allocation. Only now does the list of
// all instructions stay where it is.
func (s *selector) cut() {
	n := len(s.ends)
	s.blocks = slices.Grow(s.blocks[:0], n)[:n]
	s.succs = slices.Grow(s.succs[:0], 2*n)
	all := s.out.alloc.Blocks[:0]
	from := 0
	for i, end := range s.ends {
		b := &s.blocks[i]
		at := len(s.succs)
		*b = regalloc.Block{Instrs: s.instrs[from:end:end]}
		from = end
		if i == 0 {
			s.succs = append(s.succs, 1)
		} else {
			b.Depth = int(s.cfg.Depth[i-1])
			for _, t := range s.cfg.Succs[i-1] {
				s.succs = append(s.succs, int(t)+1)
			}
		}
		b.Succs = s.succs[at:len(s.succs):len(s.succs)]
		all = append(all, b)
	}
	s.out.alloc.Blocks = all
}

func vreg(r ir.Reg) regalloc.Reg { return regalloc.First + regalloc.Reg(r) }

func (s *selector) newReg() regalloc.Reg {
	s.out.alloc.NumRegs++
	return regalloc.Reg(s.out.alloc.NumRegs - 1)
}

// add appends an instruction and returns its ID.
func (s *selector) add(t template, i regalloc.Instr) int {
	t.span = s.span
	i.ID = len(s.out.templates)
	s.out.templates = append(s.out.templates, t)
	s.instrs = append(s.instrs, i)
	return i.ID
}

// list returns a list of uses.
func (s *selector) list(regs ...regalloc.Reg) []regalloc.Reg {
	if cap(s.uses)-len(s.uses) < len(regs) { // the lists that there are stay where they are
		s.uses = make([]regalloc.Reg, 0, max(2*cap(s.uses), 256))
	}
	at := len(s.uses)
	s.uses = append(s.uses, regs...)
	return s.uses[at:len(s.uses):len(s.uses)]
}

// plain is a template without slot and target.
func plain(ins asm.Instruction, dst, src from) template {
	return template{ins: ins, dst: dst, src: src, slot: -1, target: -1}
}

func (s *selector) copy(d, u regalloc.Reg) {
	if d != u {
		s.add(plain(asm.Mov.Reg(0, 0), def, use0), regalloc.Instr{Copy: true, Def: d, Uses: s.list(u)})
	}
}

// set emits d = the result of an instruction that reads nothing.
func (s *selector) set(d regalloc.Reg, ins asm.Instruction) int {
	return s.add(plain(ins, def, fixed), regalloc.Instr{Def: d})
}

func (s *selector) setImm(d regalloc.Reg, o ir.Operand) {
	switch v := o.Imm; {
	case v == int64(int32(v)):
		s.link(s.set(d, asm.Mov.Imm(0, int32(v))), o)
	case v == int64(uint32(v)):
		s.set(d, asm.Mov.Imm32(0, int32(uint32(v))))
	default:
		s.set(d, asm.LoadImm(0, v, asm.DWord))
	}
}

// link notes that the constant of an instruction is o.
func (s *selector) link(id int, o ir.Operand) {
	if !o.IsImm() && s.again[o.Reg] != nil {
		o = s.again[o.Reg].A
	}
	s.out.templates[id].link = o.Link
}

// aluImm and aluReg emit d op= v and d op= r.
func (s *selector) aluImm(op asm.ALUOp, d regalloc.Reg, v int32) int {
	return s.add(plain(op.Imm(0, v), use0, fixed), regalloc.Instr{Def: d, Uses: s.list(d)})
}

func (s *selector) aluReg(op asm.ALUOp, d, r regalloc.Reg) {
	s.add(plain(op.Reg(0, 0), use0, use1), regalloc.Instr{Def: d, Uses: s.list(d, r)})
}

// make emits the definition in for d.
func (s *selector) make(d regalloc.Reg, in *ir.Instr) {
	switch in.Op {
	case ir.OpConst:
		s.setImm(d, in.A)
	case ir.OpSlotAddr:
		s.set(d, asm.Mov.Reg(0, asm.R10))
		t := plain(asm.Add.Imm(0, in.Off), use0, fixed)
		t.slot = int(in.Slot)
		s.add(t, regalloc.Instr{Def: d, Uses: s.list(d)})
	case ir.OpMapPtr:
		ins := asm.LoadMapPtr(0, 0)
		ins.Constant = 0
		s.set(d, ins.WithReference(s.e.o.MapName(in.Map)))
	case ir.OpMapValue:
		ins := asm.LoadMapValue(0, 0, uint32(in.Off)).WithReference(s.e.o.MapName(in.Map))
		id := s.set(d, ins)
		s.out.alloc.Remat[d] = id
	case ir.OpFuncAddr:
		ins := asm.Instruction{OpCode: asm.LoadImmOp(asm.DWord), Src: asm.PseudoFunc, Constant: -1}
		s.set(d, ins.WithReference(s.e.symbol(int(in.Func))))
	}
}

// constant returns the value of o if it is known.
func (s *selector) constant(o ir.Operand) (int64, bool) {
	if o.IsImm() {
		return o.Imm, true
	}
	if in := s.again[o.Reg]; in != nil && in.Op == ir.OpConst {
		return in.A.Imm, true
	}
	return 0, false
}

// small returns the value of o if it is known and fits an instruction.
func (s *selector) small(o ir.Operand) (int32, bool) {
	v, ok := s.constant(o)
	return int32(v), ok && v == int64(int32(v))
}

// reg returns a register that holds o, to be read only.
func (s *selector) reg(o ir.Operand) regalloc.Reg {
	if !o.IsImm() && s.again[o.Reg] == nil {
		return vreg(o.Reg)
	}
	r := s.newReg()
	s.into(r, o)
	return r
}

// into emits d = o.
func (s *selector) into(d regalloc.Reg, o ir.Operand) {
	switch {
	case o.IsImm():
		s.setImm(d, o)
	case s.again[o.Reg] != nil:
		s.make(d, s.again[o.Reg])
	default:
		s.copy(d, vreg(o.Reg))
	}
}

var aluOps = [...]asm.ALUOp{ir.OpAdd: asm.Add, ir.OpSub: asm.Sub, ir.OpMul: asm.Mul, ir.OpDiv: asm.Div,
	ir.OpMod: asm.Mod, ir.OpSDiv: asm.SDiv, ir.OpSMod: asm.SMod, ir.OpAnd: asm.And, ir.OpOr: asm.Or,
	ir.OpXor: asm.Xor, ir.OpLsh: asm.LSh, ir.OpRsh: asm.RSh, ir.OpArsh: asm.ArSh}

// sizes are the memory sizes by bytes.
var sizes = [9]asm.Size{1: asm.Byte, 2: asm.Half, 4: asm.Word, 8: asm.DWord}

// clobbered by a call: r0 to r5.
const clobbered = 1<<6 - 1

func (s *selector) instr(in *ir.Instr) error {
	d := vreg(in.Dst)
	if in.Dst != 0 && s.again[in.Dst] != nil {
		return nil
	}
	switch in.Op {
	case ir.OpConst, ir.OpCopy:
		s.into(d, in.A)
	case ir.OpSlotAddr, ir.OpMapPtr, ir.OpFuncAddr:
		s.make(d, in)
	case ir.OpMapValue:
		if s.defs[in.Dst] == 1 {
			s.make(d, in)
			break
		}
		t := s.newReg()
		s.make(t, in)
		s.copy(d, t)
	case ir.OpSDiv, ir.OpSMod:
		if !s.e.o.SignedDivision {
			return fmt.Errorf("the kernel has no signed division")
		}
		s.binary(in, d)
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpMod, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpLsh, ir.OpRsh, ir.OpArsh:
		s.binary(in, d)
	case ir.OpNeg:
		s.into(d, in.A)
		s.add(plain(asm.Neg.Imm(0, 0), use0, fixed), regalloc.Instr{Def: d, Uses: s.list(d)})
	case ir.OpSwap:
		s.swap(d, in)
	case ir.OpExt:
		s.extend(d, in)
	case ir.OpLoad:
		s.load(in, d)
		if in.Signed {
			s.signExtend(d, in.Size)
		}
	case ir.OpStore:
		s.store(in)
	case ir.OpAtomicAdd, ir.OpAtomicXchg:
		if _, _, ok := s.stackSlot(in); !ok && in.Op == ir.OpAtomicXchg && !s.e.o.Atomics {
			return fmt.Errorf("the kernel has no atomic exchange")
		}
		s.atomic(in, d)
	case ir.OpCall:
		s.call(in)
	default:
		return fmt.Errorf("cannot be emitted")
	}
	return nil
}

// binary emits d = A op B in two-operand form.
func (s *selector) binary(in *ir.Instr, d regalloc.Reg) {
	a, b, op := in.A, in.B, aluOps[in.Op]
	if _, known := s.constant(a); known && commutes(in.Op) {
		a, b = b, a
	} else if b.Reg == in.Dst && a.Reg != in.Dst && commutes(in.Op) {
		a, b = b, a
	}
	if v, ok := s.small(b); ok {
		shift := in.Op == ir.OpLsh || in.Op == ir.OpRsh || in.Op == ir.OpArsh
		if shift {
			v &= 63
		}
		switch in.Op {
		case ir.OpDiv, ir.OpSDiv, ir.OpMod, ir.OpSMod:
			// The verifier refuses a division by the constant 0; its
			// result is that of a register.
			if v == 0 {
				if in.Op == ir.OpMod || in.Op == ir.OpSMod {
					s.into(d, a)
				} else {
					s.setImm(d, ir.I(0))
				}
				return
			}
		case ir.OpAnd:
			if v == 0 {
				s.setImm(d, ir.I(0))
				return
			}
		}
		s.into(d, a)
		s.link(s.aluImm(op, d, v), b)
		return
	}
	// A zero-extension written as a mask.
	if v, ok := s.constant(b); ok && in.Op == ir.OpAnd && v == math.MaxUint32 {
		s.extend(d, &ir.Instr{Op: ir.OpExt, Dst: in.Dst, A: a, Size: 4})
		return
	}
	if v, ok := s.constant(b); ok && in.Op == ir.OpMul && bits.OnesCount64(uint64(v)) == 1 {
		s.into(d, a)
		s.aluImm(asm.LSh, d, int32(bits.TrailingZeros64(uint64(v))))
		return
	}
	if b.Reg == in.Dst && b.Reg != 0 {
		if a.Reg == b.Reg {
			s.aluReg(op, d, d)
			return
		}
		t := s.newReg()
		s.into(t, a)
		s.aluReg(op, t, d)
		s.copy(d, t)
		return
	}
	r := s.reg(b)
	s.into(d, a)
	s.aluReg(op, d, r)
}

func commutes(op ir.Op) bool {
	switch op {
	case ir.OpAdd, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor:
		return true
	}
	return false
}

func (s *selector) swap(d regalloc.Reg, in *ir.Instr) {
	s.into(d, in.A)
	if in.Size == 1 {
		s.aluImm(asm.And, d, 0xff)
		return
	}
	end := asm.BE
	if !littleEndian {
		end = asm.LE
	}
	s.add(plain(asm.HostTo(end, 0, sizes[in.Size]), use0, fixed), regalloc.Instr{Def: d, Uses: s.list(d)})
}

func (s *selector) extend(d regalloc.Reg, in *ir.Instr) {
	switch {
	case in.Size == 8:
		s.into(d, in.A)
	case in.Signed:
		s.into(d, in.A)
		s.signExtend(d, in.Size)
	case in.Size == 4:
		s.add(plain(asm.Mov.Reg32(0, 0), def, use0), regalloc.Instr{Def: d, Uses: s.list(s.reg(in.A))})
	default:
		s.into(d, in.A)
		s.aluImm(asm.And, d, 1<<(8*in.Size)-1)
	}
}

func (s *selector) signExtend(d regalloc.Reg, size int8) {
	if shift := 64 - 8*int32(size); shift > 0 {
		s.aluImm(asm.LSh, d, shift)
		s.aluImm(asm.ArSh, d, shift)
	}
}

// argRegs are the registers of a call's arguments.
var argRegs = [5]regalloc.Reg{1, 2, 3, 4, 5}

func (s *selector) call(in *ir.Instr) {
	i := regalloc.Instr{Def: 0, Clobbers: clobbered}
	// Values first: what is made on the spot needs no register before.
	for n := range in.Args {
		if a := in.Args[n]; !a.IsImm() && s.again[a.Reg] == nil {
			s.into(regalloc.Reg(n+1), a)
		}
	}
	for n := range in.Args {
		if a := in.Args[n]; a.IsImm() || s.again[a.Reg] != nil {
			s.into(regalloc.Reg(n+1), a)
		}
	}
	i.Uses = s.list(argRegs[:len(in.Args)]...)
	call := asm.BuiltinFunc(in.Helper).Call()
	if in.Func != 0 {
		call = asm.Call.Label(s.e.symbol(int(in.Func)))
	}
	s.add(plain(call, fixed, fixed), i)
	if in.Dst != 0 {
		s.copy(vreg(in.Dst), 0)
	}
}

var jumpOps = [...]asm.JumpOp{ir.Eq: asm.JEq, ir.Ne: asm.JNE, ir.ULt: asm.JLT, ir.ULe: asm.JLE, ir.UGt: asm.JGT,
	ir.UGe: asm.JGE, ir.SLt: asm.JSLT, ir.SLe: asm.JSLE, ir.SGt: asm.JSGT, ir.SGe: asm.JSGE, ir.Set: asm.JSet}

// term emits the end of block n of the layout.
func (s *selector) term(t *ir.Term, n int) {
	jump := func(to *ir.Block) {
		if k := s.cfg.Index(to); k != n+1 {
			s.add(template{ins: asm.Instruction{OpCode: asm.OpCode(asm.JumpClass).SetJumpOp(asm.Ja)}, slot: -1, target: k}, regalloc.Instr{Def: regalloc.None})
		}
	}
	switch t.Kind {
	case ir.TermReturn:
		s.into(0, t.A)
		s.add(plain(asm.Return(), fixed, fixed), regalloc.Instr{Def: regalloc.None, Uses: s.list(0)})
	case ir.TermJump:
		jump(t.Then)
	case ir.TermBranch:
		if t.Then == t.Else {
			jump(t.Then)
			return
		}
		a, b, cond, then, other := t.A, t.B, t.Cond, t.Then, t.Else
		if _, ok := s.constant(a); ok {
			a, b, cond = b, a, cond.Swap()
		}
		if inverse, ok := cond.Invert(); ok && s.cfg.Index(then) == n+1 {
			then, other, cond = other, then, inverse
		}
		i := regalloc.Instr{Def: regalloc.None}
		tm, imm := template{dst: use0, slot: -1, target: s.cfg.Index(then)}, ir.Operand{}
		if v, ok := s.small(b); ok {
			tm.ins, imm = asm.Instruction{OpCode: jumpOps[cond].Op(asm.ImmSource), Constant: int64(v)}, b
			i.Uses = s.list(s.reg(a))
		} else {
			tm.ins, tm.src = asm.Instruction{OpCode: jumpOps[cond].Op(asm.RegSource)}, use1
			i.Uses = s.list(s.reg(a), s.reg(b))
		}
		s.link(s.add(tm, i), imm)
		jump(other)
	}
}
