package ir

import (
	"math/rand"
	"testing"
)

// TestDominators compares the tree of dominators of random functions, most of
// whose loops have several entries, with what dominance means: without a block,
// those that it dominates cannot be reached.
func TestDominators(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 2000 {
		f := &Func{NumRegs: 1}
		for range 2 + random.Intn(12) {
			f.NewBlock()
		}
		for _, b := range f.Blocks {
			any := func() *Block { return f.Blocks[random.Intn(len(f.Blocks))] }
			switch random.Intn(5) {
			case 0:
				b.Term = Term{Kind: TermReturn}
			case 1:
				b.Term = Term{Kind: TermJump, Then: any()}
			default:
				b.Term = Term{Kind: TermBranch, Then: any(), Else: any()}
			}
		}
		c := NewCFG(f)
		for a := range c.Order {
			reached := make([]bool, len(c.Order))
			var visit func(b int)
			visit = func(b int) {
				if b == a || reached[b] {
					return
				}
				reached[b] = true
				for _, s := range c.Succs[b] {
					visit(int(s))
				}
			}
			visit(0)
			for b := range c.Order {
				if want := !reached[b]; c.Dominates(a, b) != want {
					t.Fatalf("block %d dominates %d: %v, want %v\n%s", a, b, !want, want, f)
				}
			}
		}
	}
}
