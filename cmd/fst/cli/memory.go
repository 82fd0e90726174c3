package cli

import "runtime/debug"

// compilePercent is how much garbage, in percent of 4 MiB, a compile may make
// before it is interrupted for its collection. A long script makes 4 MiB in a few
// milliseconds, and collecting them would cost as much again.
const compilePercent = 400

// compiling defers the collection of garbage until the function that it returns
// is called. Someone who has set GOGC decides alone.
func (a *app) compiling() (done func()) {
	if a.env["GOGC"] != "" {
		return func() {}
	}
	old := debug.SetGCPercent(compilePercent)
	return func() { debug.SetGCPercent(old) }
}
