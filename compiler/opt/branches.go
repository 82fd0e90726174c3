package opt

import (
	"slices"

	"fst/compiler/ir"
)

// branches decides branches on constants, sends jumps to where they end up,
// joins blocks in a row and removes blocks that are never reached.
func branches(c *context) bool {
	changed := false
	for _, b := range c.cfg.Order {
		if decide(&b.Term) {
			changed = true
		}
	}
	for _, b := range c.cfg.Order {
		for range len(c.cfg.Order) { // a ring of empty blocks has no end
			if !thread(b) {
				break
			}
			changed = true
		}
	}
	if shareReturns(c) {
		changed = true
	}
	return tidy(c) || changed
}

// decide turns a branch with one outcome into a jump.
func decide(t *ir.Term) bool {
	if t.Kind != ir.TermBranch {
		return false
	}
	to := t.Then
	switch {
	case t.Then == t.Else:
	case t.A.IsImm() && t.B.IsImm():
		if !t.Cond.Eval(t.A.Imm, t.B.Imm) {
			to = t.Else
		}
	case t.Cond == ir.ULt && t.B.IsImm() && t.B.Imm == 0, t.Cond == ir.Set && t.B.IsImm() && t.B.Imm == 0:
		to = t.Else
	case t.Cond == ir.UGe && t.B.IsImm() && t.B.Imm == 0:
	default:
		return false
	}
	*t = ir.Term{Kind: ir.TermJump, Then: to, Span: t.Span}
	return true
}

// shorten lets the empty blocks of a chain, which begins with b, lead further: or each
// edge to one of them would go the whole way.
func shorten(b *ir.Block) {
	for {
		next := b.Term.Then
		if next == b || len(next.Instrs) > 0 || next.Term.Kind != ir.TermJump {
			return
		}
		b.Term.Then = next.Term.Then
		b = b.Term.Then
		if len(b.Instrs) > 0 || b.Term.Kind != ir.TermJump {
			return
		}
	}
}

// thread sends an edge of b that leads to an empty block further: to where the
// block jumps, or, if it branches (or returns) on a register whose value is known at the
// end of b, to where it will go.
func thread(b *ir.Block) bool {
	changed := false
	for _, edge := range []**ir.Block{&b.Term.Then, &b.Term.Else} {
		to := *edge
		if to == nil || len(to.Instrs) > 0 || to == b {
			continue
		}
		t := &to.Term
		switch t.Kind {
		case ir.TermJump:
			shorten(to)
			if t.Then != to {
				*edge = t.Then
				changed = true
			}
		case ir.TermBranch:
			x, okx := atEnd(b, t.A)
			y, oky := atEnd(b, t.B)
			if !okx || !oky {
				continue
			}
			next := t.Else
			if t.Cond.Eval(x, y) {
				next = t.Then
			}
			if next != to {
				*edge = next
				changed = true
			}
		case ir.TermReturn:
			if b.Term.Kind == ir.TermJump {
				b.Term = *t
				return true
			}
		}
	}
	return changed
}

// shareReturns makes branches to blocks that only return the same constant go to
// one of them.
func shareReturns(c *context) bool {
	changed := false
	one := map[int64]*ir.Block{}
	for _, b := range c.cfg.Order {
		if b.Term.Kind != ir.TermBranch {
			continue
		}
		for _, edge := range []**ir.Block{&b.Term.Then, &b.Term.Else} {
			to := *edge
			if len(to.Instrs) > 0 || to.Term.Kind != ir.TermReturn || !to.Term.A.IsImm() {
				continue
			}
			v := to.Term.A.Imm
			if one[v] == nil {
				one[v] = to
			} else if one[v] != to {
				*edge = one[v]
				changed = true
			}
		}
	}
	return changed
}

// atEnd returns the value that o has at the end of b, if b sets it to a
// constant.
func atEnd(b *ir.Block, o ir.Operand) (int64, bool) {
	if o.IsImm() {
		return o.Imm, true
	}
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		if in := &b.Instrs[i]; in.Dst == o.Reg {
			return in.A.Imm, in.Op == ir.OpConst
		}
	}
	return 0, false
}

// blockLists are lists by block.
type blockLists struct {
	preds []int32 // edges to it
	gone  []bool
	work  []*ir.Block
}

// tidy removes blocks that are never reached, and appends blocks to their only
// predecessor that only goes there.
func tidy(c *context) bool {
	f, l := c.f, &c.blocks
	f.Number()
	l.preds, l.gone = zeroed(l.preds, len(f.Blocks)), zeroed(l.gone, len(f.Blocks))
	l.preds[0] = 1
	l.work = append(l.work[:0], f.Blocks[0])
	for len(l.work) > 0 {
		b := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		then, other := b.Term.Successors()
		for _, t := range [2]*ir.Block{then, other} {
			if t == nil {
				continue
			}
			if l.preds[t.ID] == 0 {
				l.work = append(l.work, t)
			}
			l.preds[t.ID]++
		}
	}
	changed := false
	for _, b := range f.Blocks {
		if l.preds[b.ID] == 0 {
			l.gone[b.ID], changed = true, true
		}
		for !l.gone[b.ID] && b.Term.Kind == ir.TermJump && b.Term.Then != b && l.preds[b.Term.Then.ID] == 1 {
			next := b.Term.Then
			b.Instrs = append(b.Instrs, next.Instrs...)
			b.Term = next.Term
			l.gone[next.ID], changed = true, true
		}
	}
	if changed {
		f.Blocks = slices.DeleteFunc(f.Blocks, func(b *ir.Block) bool { return l.gone[b.ID] })
	}
	return changed
}
