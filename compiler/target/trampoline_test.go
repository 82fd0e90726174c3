package target

import "testing"

// TestStopsMachine: a trampoline that would call itself is refused here where the kernel does not.
func TestStopsMachine(t *testing.T) {
	const linux61, linux612 = 6<<16 | 1<<8 | 176, 6<<16 | 12<<8
	for _, c := range []struct {
		name    string
		version uint32
		stops   bool
	}{
		{"__rcu_read_lock", linux61, true}, {"migrate_disable", linux61, true}, {"__srcu_read_lock", linux61, false},
		{"__rcu_read_lock", linux612, false}, // which refuses it
	} {
		f := &Func{Name: c.name}
		since := func(version uint32) bool { return c.version >= version }
		if f.StopsMachine(since) != c.stops || f.Trampoline(since) == c.stops {
			t.Errorf("%s of %#x: stops the machine %v, takes a trampoline %v", c.name, c.version, f.StopsMachine(since), f.Trampoline(since))
		}
	}
}
