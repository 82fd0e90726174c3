package lower

import "fst/compiler/object"

// Sizes of the ring buffer.
const (
	// ringDefault is for scripts that may say much at once: a reader that is
	// kept from its CPU for some milliseconds loses nothing.
	ringDefault = 4 << 20
	// ringMost is for those whose messages are long.
	ringMost = 64 << 20
	// ringLeast is for all others: making 4 MiB takes the kernel longer than
	// all else that a short script needs.
	ringLeast = 128 << 10
)

// ringUse notes what sending m here may take of the ring.
func (f messages) ringUse(m *object.Message) {
	f.ringOnce += m.Size + 8
	f.ringLongest = max(f.ringLongest, m.Size+8)
	switch {
	case m.Kind == object.MsgRuntimeError: // only the first of each is sent
	case len(f.loops) > 0 || len(f.inlines) > 0 || f.parent != nil:
		f.ringMuch, f.p.obj.Speaks = true, true
	case !f.isSlow():
		f.ringMuch = true
	}
}

// isSlow reports whether the program runs once, or by a clock that lets the
// reader keep up.
func (f messages) isSlow() bool {
	for i := range f.p.obj.Hooks {
		switch h := &f.p.obj.Hooks[i]; h.Kind {
		case object.HookBegin, object.HookEnd, object.HookSelf, object.HookAttached, object.HookTest:
		case object.HookInterval:
			if h.Frequency > 1000 || h.Frequency == 0 && h.Period < 1e6 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// sizeRing decides how large the ring buffer is: as the script wants it, or
// large if messages may come fast, or else with room for many times all that
// is said at once.
func (l *lowerer) sizeRing() {
	want := l.info.Config.RingBytes
	switch {
	case want > 0:
	case l.ringMuch:
		want = max(ringDefault, min(16*l.ringOnce, ringMost), 4*l.ringLongest)
	default:
		want = max(ringLeast, 16*l.ringOnce)
	}
	size := 64 << 10
	for size < want {
		size *= 2
	}
	l.obj.Maps[l.obj.Ring].MaxEntries = size
}
