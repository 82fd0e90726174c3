package regalloc

import (
	"reflect"
	"strings"
	"testing"
)

// op is an instruction that reads uses and sets d.
func op(d Reg, uses ...Reg) Instr      { return Instr{Def: d, Uses: uses} }
func cp(d, s Reg) Instr                { return Instr{Copy: true, Def: d, Uses: []Reg{s}} }
func call(uses ...Reg) Instr           { return Instr{Def: 0, Uses: uses, Clobbers: 1<<6 - 1} }
func blocks(b ...*Block) []*Block      { return b }
func block(s []int, i ...Instr) *Block { return &Block{Instrs: i, Succs: s} }

// number gives the instructions IDs.
func number(f *Func) *Func {
	n := 0
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			b.Instrs[i].ID = n
			n++
		}
	}
	return f
}

// straight is a function of n values that live across calls calls.
func straight(n, calls int) *Func {
	b := &Block{}
	for i := range n {
		b.Instrs = append(b.Instrs, op(First+Reg(i)))
	}
	for range calls {
		b.Instrs = append(b.Instrs, call())
	}
	for i := range n {
		b.Instrs = append(b.Instrs, op(None, First+Reg(i)))
	}
	return number(&Func{Blocks: blocks(b), NumRegs: int(First) + n})
}

func count(r *Result, k Kind) (n int) {
	for _, b := range r.Blocks {
		for _, o := range b {
			if o.Kind == k {
				n++
			}
		}
	}
	return n
}

// TestPressure: the eleventh value needs a register to be made in, so two are
// stored.
func TestPressure(t *testing.T) {
	for _, test := range []struct{ values, calls, spills int }{
		{10, 0, 0}, {11, 0, 2}, {4, 1, 0}, {5, 1, 1}, {4, 3, 0}, {9, 2, 5}, {60, 1, 56},
	} {
		r, err := new(Allocator).Allocate(straight(test.values, test.calls))
		if err != nil {
			t.Errorf("%+v: %v", test, err)
			continue
		}
		if got := count(r, Spill); got != test.spills || r.NumSlots != test.spills {
			t.Errorf("%+v: %d stores, %d slots", test, got, r.NumSlots)
		}
	}
}

func TestCopiesVanish(t *testing.T) {
	v, w := First, First+1
	f := number(&Func{NumRegs: int(First) + 2, Blocks: blocks(block(nil,
		cp(v, 1), cp(2, v), op(1), call(1, 2), cp(w, 0), cp(1, w), call(1)))})
	r, err := new(Allocator).Allocate(f)
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, o := range r.Blocks[0] {
		if o.orig.Copy && o.Def != o.Uses[0] {
			left++
		}
	}
	if left != 2 { // r1 to r2, r0 to r1
		t.Errorf("%d copies are left: %v", left, r.Blocks[0])
	}
}

func TestRemat(t *testing.T) {
	f := straight(6, 1)
	f.Remat = map[Reg]int{First: 0, First + 1: 1}
	r, err := new(Allocator).Allocate(f)
	if err != nil {
		t.Fatal(err)
	}
	if count(r, Spill) != 0 || count(r, Remat) != 2 {
		t.Errorf("%d stores, %d repeated", count(r, Spill), count(r, Remat))
	}
}

// loop sets more values than there are registers before a loop that uses and
// changes them around a call.
func loop(n int) *Func {
	head, body, end := &Block{Succs: []int{1}}, &Block{Succs: []int{1, 2}, Depth: 1}, &Block{}
	for i := range n {
		v := First + Reg(i)
		head.Instrs = append(head.Instrs, op(v))
		body.Instrs = append(body.Instrs, op(v, v, First+Reg((i+1)%n)))
		end.Instrs = append(end.Instrs, op(None, v))
	}
	body.Instrs = append(body.Instrs, cp(1, First), call(1), cp(First, 0))
	return number(&Func{NumRegs: int(First) + n, Blocks: blocks(head, body, end)})
}

func TestLoop(t *testing.T) {
	for n := 2; n < 40; n++ {
		if _, err := new(Allocator).Allocate(loop(n)); err != nil {
			t.Errorf("%d values: %v", n, err)
		}
	}
}

func TestDeterministic(t *testing.T) {
	a, err := new(Allocator).Allocate(loop(20))
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		b, err := new(Allocator).Allocate(loop(20))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a.Blocks, b.Blocks) {
			t.Fatal("two results for one function")
		}
	}
}

// TestSharedSlots has two groups of values that are never alive together.
func TestSharedSlots(t *testing.T) {
	b := &Block{}
	for g := range 2 {
		for i := range 8 {
			b.Instrs = append(b.Instrs, op(First+Reg(8*g+i)))
		}
		b.Instrs = append(b.Instrs, call())
		for i := range 8 {
			b.Instrs = append(b.Instrs, op(None, First+Reg(8*g+i)))
		}
	}
	r, err := new(Allocator).Allocate(number(&Func{NumRegs: int(First) + 16, Blocks: blocks(b)}))
	if err != nil {
		t.Fatal(err)
	}
	if r.NumSlots != 4 || count(r, Spill) != 8 {
		t.Errorf("%d slots, %d stores", r.NumSlots, count(r, Spill))
	}
}

// TestCheck breaks correct results in every place; each must be noticed, or
// not matter.
func TestCheck(t *testing.T) {
	f := loop(14)
	broken := func(change func(*Out) bool) (noticed, all int) {
		for b := range f.Blocks {
			for i := 0; ; i++ {
				r, err := new(Allocator).Allocate(f)
				if err != nil {
					t.Fatal(err)
				}
				if i >= len(r.Blocks[b]) {
					break
				}
				if !change(&r.Blocks[b][i]) {
					continue
				}
				all++
				if Check(f, r) != nil {
					noticed++
				}
			}
		}
		return noticed, all
	}
	if got, all := broken(func(o *Out) bool {
		if len(o.Uses) == 0 || o.Kind != Normal {
			return false
		}
		o.Uses[0] = (o.Uses[0] + 1) % NumPhys
		return true
	}); got != all {
		t.Errorf("wrong reads: %d of %d noticed", got, all)
	}
	if got, all := broken(func(o *Out) bool {
		if o.Kind != Reload {
			return false
		}
		o.Slot += 100
		return true
	}); got != all || all == 0 {
		t.Errorf("wrong loads: %d of %d noticed", got, all)
	}
	// A copy that is left out must not let its old value pass.
	v := First
	g := number(&Func{NumRegs: int(First) + 2, Blocks: blocks(block(nil, op(v), op(v+1), cp(v, v+1), op(None, v)))})
	r, err := new(Allocator).Allocate(g)
	if err != nil {
		t.Fatal(err)
	}
	r.Blocks[0] = append(r.Blocks[0][:2:2], r.Blocks[0][3])
	r.Blocks[0][0].Def, r.Blocks[0][1].Def, r.Blocks[0][2].Uses[0] = 1, 2, 1
	if err := Check(g, r); err == nil || !strings.Contains(err.Error(), "is not in") {
		t.Errorf("a lost copy: %v", err)
	}
}
