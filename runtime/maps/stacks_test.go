package maps

import (
	"encoding/binary"
	"errors"
	"testing"

	"fst/compiler/object"

	"golang.org/x/sys/unix"
)

// TestStacks records many more stacks than the map has room for, and asks for each
// of them soon after, then once more.
func TestStacks(t *testing.T) {
	const room, all = 1024, 20000
	m := newStacks(newMap(t, object.Map{Name: "fst_stack2", Kind: object.MapStacks, KeySize: 8, ValueSize: 8 + 2*8, MaxEntries: room}).table)
	ask := func(id uint64) {
		t.Helper()
		frames, err := m.Frames(id)
		if err != nil {
			t.Fatal(err)
		}
		if len(frames) != 1 || frames[0] != 7*id {
			t.Fatalf("stack %d has the frames %v, expected [%d]", id, frames, 7*id)
		}
	}
	for id := uint64(1); id <= all; id++ {
		val := make([]byte, m.Spec.ValueSize)
		binary.NativeEndian.PutUint64(val, 1)
		binary.NativeEndian.PutUint64(val[8:], 7*id)
		if err := m.Update(binary.NativeEndian.AppendUint64(nil, id), val); err != nil {
			if errors.Is(err, unix.E2BIG) {
				t.Fatalf("there is no room for stack %d", id)
			}
			t.Fatal(err)
		}
		ask(id)
	}
	for id := uint64(1); id <= all; id++ {
		ask(id)
	}
	if n := m.Unknown(); n != 0 {
		t.Errorf("%d stacks are unknown", n)
	}
	if frames, err := m.Frames(all + 1); frames != nil || err != nil || m.Unknown() != 1 {
		t.Errorf("a stack that is none: %v, %v, %d unknown", frames, err, m.Unknown())
	}
}
