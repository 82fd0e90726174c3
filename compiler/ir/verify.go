package ir

import (
	"fmt"
	"sync"
)

// Verify reports the first way in which p is not well formed: blocks without an
// end, targets outside the function, registers that may be read before they
// are set, operands that the Op does not allow.
func Verify(p *Program) error {
	if len(p.Funcs) == 0 {
		return fmt.Errorf("ir: program %s has no functions", p.Name)
	}
	for n, f := range p.Funcs {
		if err := verifyFunc(p, f); err != nil {
			return fmt.Errorf("ir: program %s, function %d (%s): %w", p.Name, n, f.Name, err)
		}
	}
	return nil
}

func verifyFunc(p *Program, f *Func) error {
	if len(f.Blocks) == 0 {
		return fmt.Errorf("no blocks")
	}
	if len(f.Params) > 5 {
		return fmt.Errorf("%d parameters", len(f.Params))
	}
	for _, r := range f.Params {
		if r <= 0 || int(r) >= f.NumRegs {
			return fmt.Errorf("parameter v%d is not below NumRegs %d", r, f.NumRegs)
		}
	}
	for i, s := range f.Slots {
		if s.Size <= 0 || s.Align != 1 && s.Align != 2 && s.Align != 4 && s.Align != 8 {
			return fmt.Errorf("slot %d has size %d, align %d", i, s.Size, s.Align)
		}
	}
	f.Number()
	for i, b := range f.Blocks {
		if b.ID != i {
			return fmt.Errorf("b%d is listed twice", b.ID)
		}
	}
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if err := verifyInstr(p, f, &b.Instrs[i]); err != nil {
				return fmt.Errorf("b%d, instruction %d (%s): %w", b.ID, i, b.Instrs[i].String(), err)
			}
		}
		if err := verifyTerm(f, &b.Term); err != nil {
			return fmt.Errorf("b%d, end: %w", b.ID, err)
		}
	}
	return verifyDefined(f)
}

func verifyTerm(f *Func, t *Term) error {
	switch t.Kind {
	case TermJump, TermReturn:
	case TermBranch:
		if int(t.Cond) >= len(conds) {
			return fmt.Errorf("condition %d", t.Cond)
		}
	default:
		return fmt.Errorf("the block does not end")
	}
	inside := func(b *Block) bool { return b != nil && b.ID >= 0 && b.ID < len(f.Blocks) && f.Blocks[b.ID] == b }
	if t.Kind != TermReturn && !inside(t.Then) || t.Kind == TermBranch && !inside(t.Else) {
		return fmt.Errorf("the target is not in the function")
	}
	var err error
	t.Operands(func(o *Operand) { err = first(err, checkReg(f, o.Reg)) })
	return err
}

func verifyInstr(p *Program, f *Func, i *Instr) error {
	if i.Op == OpInvalid || int(i.Op) >= len(shapes) {
		return fmt.Errorf("op %d", i.Op)
	}
	s := shapes[i.Op]
	if s.dst && i.Dst == 0 || !s.dst && i.Dst != 0 && i.Op != OpCall && i.Op != OpReadMem {
		return fmt.Errorf("destination v%d", i.Dst)
	}
	if err := checkReg(f, i.Dst); err != nil {
		return err
	}
	var err error
	i.Operands(func(o *Operand) { err = first(err, checkReg(f, o.Reg)) })
	if err != nil {
		return err
	}
	if i.Op == OpConst && !i.A.IsImm() {
		return fmt.Errorf("a constant that is a register")
	}
	if s.memory {
		if i.A.IsImm() {
			return fmt.Errorf("the address is a constant")
		}
		if i.Off != int32(int16(i.Off)) {
			return fmt.Errorf("offset %d does not fit 16 bits", i.Off)
		}
	}
	if s.sized {
		atomic := i.Op == OpAtomicAdd || i.Op == OpAtomicXchg
		switch {
		case i.Size == 4 || i.Size == 8:
		case (i.Size == 1 || i.Size == 2) && !atomic:
		default:
			return fmt.Errorf("size %d", i.Size)
		}
	}
	if i.Bit != 0 && (f.Failed == 0 || i.Bit < 0 || i.Bit > 62) {
		return fmt.Errorf("bit %d", i.Bit)
	}
	switch {
	case s.args > 0 && (len(i.Args) < s.args || len(i.Args) > s.args+s.more):
		return fmt.Errorf("%d arguments", len(i.Args))
	case s.mapped && i.Map < 0:
		return fmt.Errorf("map %d", i.Map)
	}
	switch i.Op {
	case OpGet:
		if i.Fact == FactInvalid || int(i.Fact) >= len(facts) || i.Fact.Asks() == i.A.IsImm() {
			return fmt.Errorf("fact %d", i.Fact)
		}
	case OpSlotAddr:
		if i.Slot < 0 || int(i.Slot) >= len(f.Slots) {
			return fmt.Errorf("slot %d of %d", i.Slot, len(f.Slots))
		}
	case OpFuncAddr:
		if i.Func <= 0 || int(i.Func) >= len(p.Funcs) {
			return fmt.Errorf("function %d of %d", i.Func, len(p.Funcs))
		}
	case OpCall:
		switch {
		case i.Func != 0 && (i.Func < 0 || int(i.Func) >= len(p.Funcs) || i.Helper != 0):
			return fmt.Errorf("function %d of %d, helper %d", i.Func, len(p.Funcs), i.Helper)
		case i.Func != 0 && len(i.Args) != len(p.Funcs[i.Func].Params):
			return fmt.Errorf("function %d with %d arguments", i.Func, len(i.Args))
		case i.Func == 0 && i.Helper <= 0, len(i.Args) > 5:
			return fmt.Errorf("helper %d with %d arguments", i.Helper, len(i.Args))
		}
	}
	return nil
}

func checkReg(f *Func, r Reg) error {
	if r < 0 || int(r) >= f.NumRegs && r != 0 {
		return fmt.Errorf("v%d is not below NumRegs %d", r, f.NumRegs)
	}
	return nil
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// verifier has the memory of verifyDefined, to be used again.
type verifier struct {
	cfg  CFG
	defs []int32
	// where is, by register: the block, plus one, of its only assignment; 0 for
	// a parameter and -i for the one with bit i - 1 in the sets.
	where []int32
	here  []int32 // by register: one more than the block in which it has been set so far
}

var verifiers = sync.Pool{New: func() any { return new(verifier) }}

// verifyDefined checks that on all paths a register is set before it is read. If
// it is set in one place, that must dominate its uses; the others are followed.
func verifyDefined(f *Func) error {
	v := verifiers.Get().(*verifier)
	defer verifiers.Put(v)
	v.cfg.Reset(f)
	v.defs = f.CountDefs(v.defs)
	v.where, v.here = resize(v.where, f.NumRegs), resize(v.here, f.NumRegs)
	clear(v.where)
	clear(v.here)
	c, n, defs, where, here, several := &v.cfg, len(v.cfg.Order), v.defs, v.where, v.here, 0
	for r, count := range defs {
		where[r] = int32(n) + 1 // nowhere
		if count > 1 {
			several++
			where[r] = int32(-several)
		}
	}
	for _, r := range f.Params {
		if defs[r] == 1 {
			where[r] = 0
		}
	}
	for i, b := range c.Order {
		for k := range b.Instrs {
			if d := b.Instrs[k].Dst; d != 0 && where[d] > 0 {
				where[d] = int32(i) + 1
			}
		}
	}
	in := definedAtEntry(f, c, where, several)
	for i, b := range c.Order {
		var err error
		check := func(o *Operand) {
			if o.Reg == 0 {
				return
			}
			w := where[o.Reg]
			ok := w == 0 || here[o.Reg] == int32(i)+1
			switch {
			case ok:
			case w < 0:
				ok = in[i].Has(int(-w) - 1)
			case int(w) <= n:
				ok = int(w)-1 != i && c.Dominates(int(w)-1, i)
			}
			if !ok {
				err = first(err, fmt.Errorf("v%d may be read before it is set", o.Reg))
			}
		}
		for k := range b.Instrs {
			b.Instrs[k].Operands(check)
			if err != nil {
				return fmt.Errorf("b%d, instruction %d (%s): %w", b.ID, k, b.Instrs[k].String(), err)
			}
			if d := b.Instrs[k].Dst; d != 0 {
				here[d] = int32(i) + 1
			}
		}
		b.Term.Operands(check)
		if err != nil {
			return fmt.Errorf("b%d, end (%s): %w", b.ID, b.Term.String(), err)
		}
	}
	return nil
}

// definedAtEntry finds, for the registers that are set in several places, which
// are set on every path to each block.
func definedAtEntry(f *Func, c *CFG, where []int32, several int) []Bits {
	in := make([]Bits, len(c.Order))
	if several == 0 {
		return in
	}
	for i := range in {
		in[i] = NewBits(several)
		if i > 0 {
			in[i].Fill()
		}
	}
	for _, r := range f.Params {
		if w := where[r]; w < 0 {
			in[0].Set(int(-w) - 1)
		}
	}
	out := NewBits(several)
	for changed := true; changed; {
		changed = false
		for i, b := range c.Order {
			copy(out, in[i])
			for k := range b.Instrs {
				if d := b.Instrs[k].Dst; d != 0 && where[d] < 0 {
					out.Set(int(-where[d]) - 1)
				}
			}
			for _, s := range c.Succs[i] {
				changed = in[s].And(out) || changed
			}
		}
	}
	return in
}

// Bits is a set of small numbers.
type Bits []uint64

// NewBits returns an empty set for numbers below n.
func NewBits(n int) Bits { return make(Bits, (n+63)/64) }

// Has reports whether i is in the set.
func (b Bits) Has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

// Set adds i.
func (b Bits) Set(i int) { b[i/64] |= 1 << (i % 64) }

// Clear removes i.
func (b Bits) Clear(i int) { b[i/64] &^= 1 << (i % 64) }

// Fill adds all numbers.
func (b Bits) Fill() {
	for i := range b {
		b[i] = ^uint64(0)
	}
}

// Clone returns a copy.
func (b Bits) Clone() Bits { return append(Bits(nil), b...) }

// And removes what is not in o and reports whether anything changed.
func (b Bits) And(o Bits) bool {
	changed := false
	for i := range b {
		if v := b[i] & o[i]; v != b[i] {
			b[i], changed = v, true
		}
	}
	return changed
}

// Or adds what is in o and reports whether anything changed.
func (b Bits) Or(o Bits) bool {
	changed := false
	for i := range b {
		if v := b[i] | o[i]; v != b[i] {
			b[i], changed = v, true
		}
	}
	return changed
}
