package check

import (
	"strings"
	"testing"

	"fst/compiler/target/fixture"
	"fst/compiler/types"
)

// TestRenamedFields: each path leads somewhere on a recorded kernel that lacks the member
// it stands for.
func TestRenamedFields(t *testing.T) {
	var kernels []*fixture.Kernel
	for _, name := range fixture.Names {
		k, err := fixture.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		kernels = append(kernels, k)
	}
	for member, paths := range types.RenamedMembers {
		whole, name, _ := strings.Cut(member, ".")
		used := map[string]bool{}
		for _, k := range kernels {
			s, ok := k.Type("struct", strings.TrimPrefix(whole, "struct "))
			if !ok {
				continue
			}
			if _, has := s.Field(name); !has {
				used[types.SuccessorOf(s, name)] = true
			}
		}
		for _, p := range paths {
			// Linux 6.7 to 6.10 have __i_atime and the like; none of them is recorded.
			if !used[p] && !strings.HasPrefix(p, "__i_") {
				t.Errorf("%s is never said to be %s", member, p)
			}
		}
	}
}
