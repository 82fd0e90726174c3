package emit

import (
	"testing"

	"fst/compiler/ir"
)

// TestNear keeps memory for addresses on the stack, however full that is and
// though no callback is left that takes it.
func TestNear(t *testing.T) {
	prog, err := ir.Parse(`program p func main(v1) {
slot 0 "often" size 120 align 8
slot 1 "addresses" size 16 align 8 near
slot 2 "elsewhere" size 8 align 8 far
b0: v2 = slot 0+0 v3 = slot 0+8 v4 = slot 1+0 v5 = slot 2+0
store.8 v2+0, 1 store.8 v3+0, 2 store.8 v5+0, 3 store.8 v4+0, v5 v6 = load.8 v4+0 v7 = load.8 v6+0 return v7 }`)
	if err != nil {
		t.Fatal(err)
	}
	e := &emitter{p: prog}
	place, _, err := e.placeSlots(prog.Funcs[0], 130)
	if err != nil {
		t.Fatal(err)
	}
	if place.onStack[0] || !place.onStack[1] || place.onStack[2] {
		t.Errorf("on the stack are %v", place.onStack[:3])
	}
}
