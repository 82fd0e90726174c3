package emit

import (
	"encoding/binary"
	"fmt"

	"fst/compiler/regalloc"
	"fst/lang/source"

	"github.com/cilium/ebpf/asm"
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
func (e *emitter) layout() error {
	lines, err := newLineInfo(e.o.Sources)
	if err != nil {
		return err
	}
	callbacks := len(e.funcs) > 1
	for n, fn := range e.funcs {
		if fn == nil {
			continue // never reached
		}
		insns, spans, err := fn.assemble()
		if err != nil {
			return fmt.Errorf("%s: %w", e.p.Funcs[n].Name, err)
		}
		insns[0] = insns[0].WithSymbol(e.symbol(n))
		if callbacks || lines != nil {
			insns[0] = withFunc(insns[0], e.symbol(n), n, e.p.Funcs[n])
		}
		if lines != nil {
			lines.add(insns, spans)
		}
		for i := range insns {
			for range insns[i].Width() {
				e.res.spans = append(e.res.spans, spans[i])
			}
		}
		e.res.Insns = append(e.res.Insns, insns...)
	}
	if lines != nil {
		return lines.apply(e.res.Insns)
	}
	return nil
}

// assemble fills in registers, stack offsets and jumps.
func (fn *function) assemble() (insns asm.Instructions, spans []source.Span, err error) {
	type jump struct{ at, target int }
	var jumps []jump
	var blockAt []int // raw offset of each block
	raw := 0
	var rawAt []int
	var span source.Span
	for _, block := range fn.alloc.Blocks {
		blockAt = append(blockAt, raw)
		for i := range block {
			o := &block[i]
			if o.ID >= 0 {
				span = fn.code.templates[o.ID].span
			}
			if o.Kind == regalloc.Normal && o.ID >= 0 {
				if t := &fn.code.templates[o.ID]; t.target >= 0 {
					jumps = append(jumps, jump{len(insns), t.target + 1})
				}
			}
			ins, ok := fn.instruction(o)
			if !ok {
				continue
			}
			rawAt = append(rawAt, raw)
			raw += int(ins.Width())
			insns = append(insns, ins)
			spans = append(spans, span)
		}
	}
	for _, j := range jumps {
		// Jumps are one raw instruction wide and count from the next.
		off := blockAt[j.target] - rawAt[j.at] - 1
		if off != int(int16(off)) {
			return nil, nil, fmt.Errorf("the program is too long: a jump over %d instructions", off)
		}
		insns[j.at].Offset = int16(off)
	}
	if len(insns) == 0 {
		return nil, nil, fmt.Errorf("no instructions")
	}
	return insns, spans, nil
}

// instruction makes one machine instruction, or none if a copy has vanished.
func (fn *function) instruction(o *regalloc.Out) (asm.Instruction, bool) {
	home := func() int16 { return int16(-8 * (o.Slot + 1)) }
	switch o.Kind {
	case regalloc.Reload:
		return asm.LoadMem(asm.Register(o.Def), asm.R10, home(), asm.DWord), true
	case regalloc.Spill:
		return asm.StoreMem(asm.R10, home(), asm.Register(o.Uses[0]), asm.DWord), true
	}
	t := &fn.code.templates[o.ID]
	ins := t.ins
	ins.Dst = pick(t.dst, ins.Dst, o)
	ins.Src = pick(t.src, ins.Src, o)
	if t.slot >= 0 {
		if ins.OpCode.Class().IsALU() {
			ins.Constant += int64(fn.slotOffset[t.slot])
		} else {
			ins.Offset += int16(fn.slotOffset[t.slot])
		}
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
