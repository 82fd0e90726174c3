package builtin

import (
	"sort"
	"strings"
	"sync"

	"fst/compiler/types"
)

// Enums returns the enumerations of Constants that the kernel's type information
// does not have: a cast to one shows a number by its name.
var Enums = sync.OnceValue(func() map[string]*types.Type {
	return map[string]*types.Type{
		"errno":  errnos(),
		"signal": enumOf("signal", "SIG", "SIGIOT", "SIGPOLL", "SIGCLD", "SIGUNUSED"),
	}
})

// errnos has the errors of programs, and those that the kernel keeps to itself: a call that a signal interrupts ends with
// one of these, and they are in the results that its functions have.
func errnos() *types.Type {
	list := enumOf("errno", "E", "EWOULDBLOCK", "EDEADLOCK", "ENOTSUP").Enumerators()
	for n, name := range types.KernelErrors {
		list = append(list, types.Enumerator{Name: name, Value: n})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Value < list[j].Value })
	return types.EnumType("errno", 4, true, list)
}

// enumOf makes an enum of the constants whose names begin so, without second
// names of the same number.
func enumOf(name, prefix string, aliases ...string) *types.Type {
	var list []types.Enumerator
next:
	for c, n := range general() {
		rest, ok := strings.CutPrefix(c, prefix)
		if !ok || rest == "" || strings.Contains(rest, "_") || n <= 0 || n > 133 {
			continue
		}
		for _, a := range aliases {
			if a == c {
				continue next
			}
		}
		list = append(list, types.Enumerator{Name: c, Value: n})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Value < list[j].Value })
	return types.EnumType(name, 4, true, list)
}
