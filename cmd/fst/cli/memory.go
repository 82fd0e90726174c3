package cli

import (
	"math"
	"runtime/debug"
)

// compilePercent is how much garbage, in percent of 4 MiB, a compile may make
// before it is interrupted for its collection. A long script makes 4 MiB in a few
// milliseconds, and collecting them would cost as much again.
const compilePercent = 400

// compileMemory is from which size of the process on garbage is collected whatever its share is: a
// text of the longest kind fits into 500 MB then (docs/reliability.md), and no script that somebody wrote is near it.
const compileMemory = 420 << 20

// compiling defers the collection of garbage until the function that it returns
// is called. Someone who has set GOGC decides alone.
func (a *app) compiling() (done func()) {
	if a.env["GOGC"] != "" {
		return func() {}
	}
	old := debug.SetGCPercent(compilePercent)
	limit := int64(math.MaxInt64)
	if a.env["GOMEMLIMIT"] == "" {
		limit = debug.SetMemoryLimit(compileMemory)
	}
	return func() {
		debug.SetGCPercent(old)
		if a.env["GOMEMLIMIT"] == "" {
			debug.SetMemoryLimit(limit)
		}
	}
}
