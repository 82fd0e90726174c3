package trace

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"fst/compiler/check"
	"fst/compiler/object"
	"fst/compiler/target/fixture"
	"fst/runtime/action"
	"fst/runtime/container"
	"fst/runtime/interpreter"
	"fst/runtime/interpreter/interptest"
	"fst/runtime/render"
	"fst/runtime/session"
)

// TestContainerTable: programs find the container of each cgroup that there is, and of no other, whichever slots the
// cgroups share.
func TestContainerTable(t *testing.T) {
	names := []string{"one", "two", "three"}
	const script = `tracepoint:raw_syscalls:sys_enter {
  $c = container(args.id);
  printf("%s\n", $c == "one" ? "one" : $c == "two" ? "two" : $c == "three" ? "three" : "none");
}`
	k, err := fixture.Load("6.12")
	if err != nil {
		t.Fatal(err)
	}
	obj, code, err := interptest.CompileAny(check.Options{Target: k}, script)
	if err != nil {
		t.Fatal(err)
	}
	// Two cgroups of each of two slots, and one for itself.
	ids := []uint64{7, 7 + object.ContainerSlots, 7 + 2*object.ContainerSlots, 9, 1<<33 + 9, 11}
	var events []interpreter.Event
	for _, id := range ids {
		ctx := make([]byte, 64)
		binary.NativeEndian.PutUint64(ctx[8:], id)
		events = append(events, interpreter.Event{Program: 0, Context: ctx})
	}
	type change struct {
		id   uint64
		name string // "" if it goes
	}
	var changes []change
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		c := change{id: ids[rnd.IntN(len(ids))]}
		if rnd.IntN(3) > 0 {
			c.name = names[rnd.IntN(len(names))]
		}
		changes = append(changes, c)
		// The same script again, with all that has changed.
		b, err := interpreter.New(obj, code, interpreter.Options{Events: events})
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		text := render.NewText(&out, &errs, obj, render.Options{Quiet: true})
		s, err := session.New(obj, session.Options{Sink: &action.Runner{Next: text}, Backend: b})
		if err != nil {
			t.Fatal(err)
		}
		table, want := newContainerTable(obj, s.Maps), map[uint64]string{}
		for _, c := range changes {
			if c.name == "" {
				table.delete(c.id)
				delete(want, c.id)
				continue
			}
			if err := table.set(c.id, container.Name{Container: c.name}); err != nil {
				t.Fatal(err)
			}
			want[c.id] = c.name
		}
		_, err = s.Run(t.Context())
		s.Close()
		if err != nil || errs.Len() > 0 {
			t.Fatal(err, errs.String())
		}
		for i, got := range strings.Fields(out.String()) {
			if w := cmp.Or(want[ids[i]], "none"); got != w {
				t.Fatalf("cgroup %d is of %s, want %s, after %v", ids[i], got, w, changes)
			}
		}
		if n := len(strings.Fields(out.String())); n != len(ids) {
			t.Fatalf("%d of %d events", n, len(ids))
		}
	}
}
