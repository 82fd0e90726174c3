package emit

import (
	"encoding/binary"
	"fmt"

	"fst/compiler/ir"
	"fst/compiler/regalloc"
	"fst/lang/source"

	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
)

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// symbol is the name of function n. The kernel sees it, too.
func (e *emitter) symbol(n int) string {
	name := clean(e.p.Name)
	if n > 0 {
		name = fmt.Sprintf("%s_cb%d", name, n)
	}
	return name
}

// clean makes a C identifier of s.
func clean(s string) string {
	out := []byte(s)
	for i, c := range out {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			out[i] = '_'
		}
	}
	if len(out) == 0 || out[0] >= '0' && out[0] <= '9' {
		out = append([]byte("p"), out...)
	}
	return string(out)
}

// layout puts the functions one behind the other.
func (e *emitter) layout() {
	several := len(e.funcs) > 1
	for n, fn := range e.funcs {
		if fn == nil {
			continue // never reached
		}
		insns, spans := fn.insns, fn.spans
		insns[0] = insns[0].WithSymbol(e.symbol(n))
		if several {
			insns[0] = e.withFunc(insns[0], n)
		}
		if len(e.funcs) == 1 {
			e.res.Insns, e.res.spans = insns, spans
			continue
		}
		e.res.Insns, e.res.spans = append(e.res.Insns, insns...), append(e.res.spans, spans...)
	}
}

// withFunc marks the first instruction of a function with its type. The kernel
// demands it of callbacks, which must be static. Functions that are called are global:
// of those the verifier takes the arguments for any numbers and looks at them once.
func (e *emitter) withFunc(ins asm.Instruction, n int) asm.Instruction {
	long := &btf.Int{Name: "long", Size: 8, Encoding: btf.Signed}
	integer := &btf.Int{Name: "int", Size: 4, Encoding: btf.Signed}
	proto := &btf.FuncProto{Return: integer}
	linkage := btf.GlobalFunc
	if n == 0 {
		proto.Params = []btf.FuncParam{{Name: "ctx", Type: &btf.Pointer{Target: (*btf.Void)(nil)}}}
	} else {
		linkage = btf.StaticFunc
		if e.called[n] {
			linkage, proto.Return = btf.GlobalFunc, long
		}
		for i := range e.p.Funcs[n].Params {
			proto.Params = append(proto.Params, btf.FuncParam{Name: fmt.Sprintf("a%d", i), Type: long})
		}
	}
	return btf.WithFuncMetadata(ins, &btf.Func{Name: e.symbol(n), Type: proto, Linkage: linkage})
}

// assemble fills in registers, stack offsets and jumps. The places are by the
// kernel's numbers: those of 64-bit loads come twice.
func (d *draft) assemble() (asm.Instructions, []source.Span, error) {
	var s stretch
	count := 0
	for _, block := range d.alloc.Blocks {
		count += len(block)
	}
	s.insns, s.spans = make(asm.Instructions, 0, count), make([]source.Span, 0, count)
	s.blocks = make([]int, 0, len(d.alloc.Blocks))
	var span source.Span
	for _, block := range d.alloc.Blocks {
		s.blocks = append(s.blocks, len(s.insns))
		for i := range block {
			o := &block[i]
			if o.ID >= 0 {
				span = d.code.templates[o.ID].span
			}
			if o.Kind == regalloc.Normal && o.ID >= 0 {
				if t := &d.code.templates[o.ID]; t.target >= 0 {
					s.jumps = append(s.jumps, jump{len(s.insns), t.target + 1})
				}
			}
			if ins, ok := d.instruction(o); ok {
				s.insns, s.spans = append(s.insns, ins), append(s.spans, span)
			}
		}
	}
	if len(s.insns) == 0 {
		return nil, nil, fmt.Errorf("no instructions")
	}
	return s.link()
}

// instruction makes one machine instruction, or none if a copy has vanished.
func (d *draft) instruction(o *regalloc.Out) (asm.Instruction, bool) {
	spillSlot := func() int16 { return int16(-8 * (o.Slot + 1)) }
	switch o.Kind {
	case regalloc.Reload:
		return asm.LoadMem(asm.Register(o.Def), asm.R10, spillSlot(), asm.DWord), true
	case regalloc.Spill:
		return asm.StoreMem(asm.R10, spillSlot(), asm.Register(o.Uses[0]), asm.DWord), true
	}
	t := &d.code.templates[o.ID]
	ins := t.ins
	ins.Dst = pick(t.dst, ins.Dst, o)
	ins.Src = pick(t.src, ins.Src, o)
	if t.slot >= 0 {
		if ins.OpCode.Class().IsALU() {
			ins.Constant += int64(d.slotOffset[t.slot])
		} else {
			ins.Offset += int16(d.slotOffset[t.slot])
		}
	}
	if t.link != ir.NoLink {
		ins.Metadata.Set(linkKey{}, t.link)
	}
	if ins.OpCode == asm.Mov.Op(asm.RegSource) && ins.Dst == ins.Src {
		return ins, false
	}
	return ins, true
}

func pick(f from, r asm.Register, o *regalloc.Out) asm.Register {
	switch f {
	case def:
		return asm.Register(o.Def)
	case use0:
		return asm.Register(o.Uses[0])
	case use1:
		return asm.Register(o.Uses[1])
	}
	return r
}
