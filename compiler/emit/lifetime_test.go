package emit

import (
	"testing"

	"fst/compiler/ir"
)

// TestShare lays out slots that are in use one after the other, at the same
// time, and within a loop.
func TestShare(t *testing.T) {
	p, err := ir.Parse(`program p func main(v1) {
  slot 0 "a" size 100 align 8
  slot 1 "b" size 100 align 8
  slot 2 "loop" size 64 align 8
  slot 3 "kept" size 8 align 8
  slot 4 "shared" size 8 align 8
b0:
  v2 = slot 0+0 store.8 v2+0, 1
  v3 = slot 3+0
  v9 = slot 4+0 store.8 v3+0, v9
  jump b1
b1:
  v4 = slot 1+0 store.8 v4+0, 2
  v5 = load.8 v4+0
  jump b2
b2:
  v6 = slot 2+0
  v7 = load.8 v6+0
  v5 = add v5, v7
  if v5 ult 100 then b3 else b4
b3:
  v8 = load.8 v4+8
  jump b2
b4:
  v5 = load.8 v3+0
  return v5 }`)
	if err != nil {
		t.Fatal(err)
	}
	r := newReach(p.Funcs[0])
	offset := make([]int, 5)
	size := r.share([]int{0, 1, 2, 3, 4}, offset)
	end := func(s int) int { return offset[s] + (p.Funcs[0].Slots[s].Size+7)&^7 }
	apart := func(a, b int) bool { return end(a) <= offset[b] || end(b) <= offset[a] }
	for _, pair := range [][2]int{{0, 3}, {1, 2}, {1, 3}, {2, 3}, {4, 0}, {4, 1}, {4, 2}, {4, 3}} {
		if !apart(pair[0], pair[1]) {
			t.Errorf("slots %d and %d are in use together and lie at %d and %d", pair[0], pair[1], offset[pair[0]], offset[pair[1]])
		}
	}
	if offset[0] != offset[1] {
		t.Errorf("slots 0 and 1 lie at %d and %d", offset[0], offset[1])
	}
	if want := scratchHeader + 104 + 64 + 8 + 8; size != want {
		t.Errorf("%d bytes, want %d", size, want)
	}
}
