package session

import (
	"runtime"
	"sync"
	"sync/atomic"

	"fst/compiler/object"
	"fst/runtime/cpus"
	"fst/runtime/maps"

	"golang.org/x/sys/unix"
)

// gate is object.GateMapName, by which clauses begin and cease to act while they are attached.
type gate struct {
	mu         sync.Mutex
	acts       []byte // of each CPU, the generation whose clauses act; nil if there is no gate or it is closed
	fd         int
	generation uint8
	paused     bool        // none act
	replaced   atomic.Bool // another session acts in this one's place, and shows its maps
}

// open lets the session's clauses act from the beginning, unless those of another session do until Switch.
func (g *gate) open(set *maps.Set, id int, o Options) {
	g.acts, g.fd, g.generation = set.Bytes(id), set.FD(id), o.Generation
	if o.Replaces == nil {
		for i := range g.acts {
			g.acts[i] = g.generation
		}
	}
}

// close is called before the map is.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.acts = nil
}

// gateOf is the descriptor of a session's map, or -1. The session may be nil.
func gateOf(s *Session) int {
	if s == nil {
		return -1
	}
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	if s.gate.acts == nil {
		return -1
	}
	return s.gate.fd
}

// Switch has the session's clauses act from now on, and those of the session that it replaces
// no longer: each event is one's or the other's. on is false to have neither act. Any goroutine may call it.
func (s *Session) Switch(on bool) error {
	g := &s.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.opts.Replaces != nil {
		s.opts.Replaces.gate.replaced.Store(true)
		s.opts.Replaces = nil
	}
	to := g.generation
	if g.paused = !on; g.paused {
		to = 0
	}
	return setAll(g.acts, to)
}

// Paused is true while Switch has turned a session's clauses off.
func Paused(s *Session) bool {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	return s.gate.paused
}

// setAll sets the byte of each CPU by a thread that runs on it. Where none may run, nothing does,
// or what does may see both values in one event.
func setAll(acts []byte, to byte) error {
	online, err := cpus.Online()
	if err != nil || acts == nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		for _, cpu := range online {
			var set unix.CPUSet
			set.Set(cpu)
			if cpu < object.GateSize && unix.SchedSetaffinity(0, &set) == nil {
				acts[cpu] = to
			}
		}
		for i := range acts {
			acts[i] = to
		}
	}()
	<-done
	return nil
}
