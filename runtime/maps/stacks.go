package maps

import (
	"encoding/binary"
	"errors"

	"golang.org/x/sys/unix"
)

// mostStacks is how many stacks are kept here at least, once there are so many:
// at some 300 bytes each.
const mostStacks = 128 << 10

// Stacks is a map of stacks, and those that user space knows. As an id never means
// another stack (object.StackCountBits), it does not matter to programs where a
// stack is kept: what they have put into the kernel's map can be taken out of it at
// any time, so that there is room for new ones however long a session lasts.
type Stacks struct {
	hash
	// recent were taken or asked for last; when it has mostStacks, it becomes older,
	// which is forgotten.
	recent, older map[uint64][]uint64
	read          int // one by one, since the map was emptied
	unknown       int // were asked for and not found
}

func newStacks(t *table) *Stacks { return &Stacks{hash: hash{t}, recent: map[uint64][]uint64{}} }

// Frames returns the addresses of a recorded stack, innermost first. It is nil if the
// id is unknown.
func (s *Stacks) Frames(id uint64) ([]uint64, error) {
	if frames, ok := s.recent[id]; ok {
		return frames, nil
	}
	if frames, ok := s.older[id]; ok {
		s.keep(id, frames)
		return frames, nil
	}
	key := binary.NativeEndian.AppendUint64(nil, id)
	val := make([]byte, s.Spec.ValueSize)
	if err := s.Lookup(key, val); errors.Is(err, unix.ENOENT) {
		s.unknown++
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	frames := frames(val)
	s.keep(id, frames)
	// Who shows a quarter of what the map holds will show the rest, or lets it lie
	// there for ever.
	if s.read++; s.read >= s.Spec.MaxEntries/4 {
		s.read = 0
		return frames, s.take()
	}
	return frames, nil
}

// Unknown is how often Frames was asked for a stack that it does not know.
func (s *Stacks) Unknown() int { return s.unknown }

// take moves all stacks of the kernel's map to those that are kept here.
func (s *Stacks) take() error {
	var keys []byte
	err := s.Walk(false, func(key, val []byte) {
		keys = append(keys, key...)
		s.keep(binary.NativeEndian.Uint64(key), frames(val))
	})
	if err != nil || len(keys) == 0 {
		return err
	}
	return s.DeleteMany(keys, len(keys)/s.Spec.KeySize)
}

func (s *Stacks) keep(id uint64, frames []uint64) {
	if len(s.recent) >= mostStacks {
		s.recent, s.older = map[uint64][]uint64{}, s.recent
	}
	s.recent[id] = frames
}

// frames are the addresses of an entry of a map of stacks: their number comes
// first.
func frames(val []byte) []uint64 {
	n, val := binary.NativeEndian.Uint64(val), val[8:]
	frames := make([]uint64, min(n, uint64(len(val)/8)))
	for i := range frames {
		frames[i] = binary.NativeEndian.Uint64(val[8*i:])
	}
	return frames
}
