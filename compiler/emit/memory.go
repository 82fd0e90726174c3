package emit

import (
	"fst/compiler/ir"
	"fst/compiler/regalloc"

	"github.com/cilium/ebpf/asm"
)

// stackSlot tells if the address of in is a slot on the stack.
func (s *selector) stackSlot(in *ir.Instr) (slot int, off int16, ok bool) {
	a := s.again[in.A.Reg]
	if a == nil || a.Op != ir.OpSlotAddr {
		return 0, 0, false
	}
	sum := a.Off + in.Off
	return int(a.Slot), int16(sum), sum > -MaxStack && sum < MaxStack
}

func (s *selector) load(in *ir.Instr, d regalloc.Reg) {
	ins := asm.LoadMem(0, 0, int16(in.Off), sizes[in.Size])
	if slot, off, ok := s.stackSlot(in); ok {
		ins.Src, ins.Offset = asm.R10, off
		t := plain(ins, def, fixed)
		t.slot = slot
		s.add(t, regalloc.Instr{Def: d})
		return
	}
	s.add(plain(ins, def, use0), regalloc.Instr{Def: d, Uses: s.list(s.reg(in.A))})
}

func (s *selector) store(in *ir.Instr) {
	v, ok := s.constant(in.B)
	if ok {
		shift := 64 - 8*int(in.Size)
		v = v << shift >> shift // the value as its size sees it
		if v == int64(int32(v)) {
			ins := asm.Instruction{OpCode: asm.StoreImmOp(sizes[in.Size]), Offset: int16(in.Off), Constant: v}
			s.link(s.memory(ins, in, regalloc.None, regalloc.None), in.B)
			return
		}
	}
	s.memory(asm.StoreMem(0, int16(in.Off), 0, sizes[in.Size]), in, s.reg(in.B), regalloc.None)
}

// atomic emits an addition or an exchange. A slot on the stack belongs to one
// run, so plain instructions do there; the verifier of 6.18 also takes the
// value that an exchange reads from the stack for known where it is not (it
// does not track the precision of such reads back) and removes live branches.
func (s *selector) atomic(in *ir.Instr, d regalloc.Reg) {
	t := s.newReg()
	if _, _, ok := s.stackSlot(in); ok {
		load := *in
		load.Op = ir.OpLoad
		s.load(&load, t)
		put := t
		if in.Op == ir.OpAtomicAdd {
			if v, ok := s.small(in.B); ok {
				s.aluImm(asm.Add, t, v)
			} else {
				s.aluReg(asm.Add, t, s.reg(in.B))
			}
		} else {
			put = s.reg(in.B)
		}
		s.memory(asm.StoreMem(0, int16(in.Off), 0, sizes[in.Size]), in, put, regalloc.None)
		if in.Op == ir.OpAtomicXchg {
			s.copy(d, t)
		}
		return
	}
	if in.Op == ir.OpAtomicAdd {
		s.memory(asm.AddAtomic.Mem(0, 0, sizes[in.Size], int16(in.Off)), in, s.reg(in.B), regalloc.None)
		return
	}
	s.into(t, in.B)
	ins := asm.Xchg.Mem(0, 0, sizes[in.Size], int16(in.Off))
	ins.Constant = int64(asm.Xchg >> 8) // left out by Marshal of cilium/ebpf 0.22
	s.memory(ins, in, t, t)
	s.copy(d, t)
}

// memory emits an instruction that writes at the address of in, whose value is
// in register v (or none), and which may set r. It returns the ID.
func (s *selector) memory(ins asm.Instruction, in *ir.Instr, v, r regalloc.Reg) int {
	t := plain(ins, use0, use1)
	i := regalloc.Instr{Def: r}
	a := regalloc.None
	if slot, off, ok := s.stackSlot(in); ok {
		t.ins.Dst, t.ins.Offset, t.slot = asm.R10, off, slot
		t.dst, t.src = fixed, use0
	} else {
		a = s.reg(in.A)
	}
	switch {
	case v == regalloc.None:
		t.src = fixed
		if a != regalloc.None {
			i.Uses = s.list(a)
		}
	case a == regalloc.None:
		i.Uses = s.list(v)
	default:
		i.Uses = s.list(a, v)
	}
	return s.add(t, i)
}
