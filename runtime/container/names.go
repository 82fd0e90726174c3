package container

import (
	"fmt"
	"sync"

	"fst/compiler/types"
)

// Names remembers what numbers (types.NameNumber) and cgroups are called, also of those that are gone.
type Names struct {
	mu       sync.Mutex
	byNumber map[uint64]string
	byCgroup map[uint64]Name
}

// most is how many names and cgroups are remembered.
const most = 1 << 17

// Learn remembers the name of a cgroup. It is false if there is no room: the cgroup is then called by its id.
func (t *Names) Learn(id uint64, n Name) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byNumber == nil {
		t.byNumber, t.byCgroup = map[uint64]string{}, map[uint64]Name{}
	}
	if len(t.byCgroup) < most {
		t.byCgroup[id] = n
	}
	if len(t.byNumber) > most {
		return false
	}
	t.byNumber[types.NameNumber(n.Container)] = n.Container
	t.byNumber[types.NameNumber(n.Pod)] = n.Pod
	return true
}

// ContainerName is what a value of types.Container is called.
func (t *Names) ContainerName(n uint64) string {
	return t.name(n, func(n Name) string { return n.Container })
}

// PodName is what a value of types.Pod is called.
func (t *Names) PodName(n uint64) string { return t.name(n, func(n Name) string { return n.Pod }) }

func (t *Names) name(n uint64, part func(Name) string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if types.IsNameNumber(n) {
		return t.byNumber[n]
	}
	if known, ok := t.byCgroup[n]; ok {
		return part(known)
	}
	return fmt.Sprintf("cgroup %d", n)
}
