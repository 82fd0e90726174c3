package interp

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"fst/compiler/ir"
)

func machine(t *testing.T, text string, maps ...Map) *Machine {
	t.Helper()
	p, err := ir.Parse("program p\n" + text)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	return &Machine{Prog: p, Maps: maps, MaxSteps: 1000}
}

// TestHash counts the context's first word in a map.
func TestHash(t *testing.T) {
	h := &Hash{Key: 8, Val: 8, Max: 1}
	m := machine(t, `func main(v1) { slot 0 "key" size 8 align 8 slot 1 "one" size 8 align 8
b0:
  v2 = load.8 v1+0 v3 = slot 0+0 store.8 v3+0, v2 v4 = map 0
  v5 = call 1(v4, v3)
  if v5 eq 0 then b1 else b2
b1:
  v6 = slot 1+0 store.8 v6+0, 1
  v7 = call 2(v4, v3, v6, 0)
  return v7
b2:
  atomicadd.8 v5+0, 1
  return 1
}`, h)
	for i, want := range []int64{0, 1, 1} {
		if got, err := m.Run([]byte{7, 0, 0, 0, 0, 0, 0, 0}); err != nil || got != want {
			t.Errorf("run %d: %d, %v", i, got, err)
		}
	}
	if got, err := m.Run(make([]byte, 8)); err != nil || got != -7 {
		t.Errorf("full: %d, %v", got, err)
	}
	if n := binary.LittleEndian.Uint64(h.Lookup([]byte{7, 0, 0, 0, 0, 0, 0, 0})); n != 3 {
		t.Errorf("counted %d", n)
	}
}

func TestErrors(t *testing.T) {
	m := machine(t, "func main(v1) {\nb0: jump b0 }")
	if _, err := m.Run(nil); !errors.Is(err, ErrSteps) {
		t.Error(err)
	}
	m.MaxSteps = 1e8
	if _, err := m.Run(nil); !errors.Is(err, ErrTurns) {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"v2 = load.8 v1+4": "access of 8 bytes",
		"v2 = call 77()":   "the helper is not known: 77",
	} {
		m := machine(t, "func main(v1) {\nb0: "+text+" return 0 }")
		if _, err := m.Run(make([]byte, 8)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
