// Package render turns messages, maps and losses into text, JSON or
// series of numbers. All forms read the same values, so they cannot disagree.
//
// It must not import eBPF libraries or read the kernel's state itself: events bring the
// names of what is in them.
package render

import "time"

// Options change how output looks.
type Options struct {
	// LineBuffered writes each message by itself, not only when there is
	// nothing more to read.
	LineBuffered bool
	// NoWarnings leaves out warnf and Warn.
	NoWarnings bool
	// Quiet leaves out Remark, and the line that says how many probes were attached.
	Quiet bool
	// NoExitLines leaves out the empty lines between a script's output and the
	// maps at its end.
	NoExitLines bool
	// Width is how many columns the terminal has, asked for each line of row()
	// and table(): what is longer is cut. 0 leaves lines as they are. nil stands for an
	// output that is no terminal, to which %rb writes bytes as they are.
	Width func() int
	// Location is the time zone; nil means the local one.
	Location *time.Location
	// Totals reads what the maps of Metrics have counted, for the format prometheus, and Version
	// is that of fst.
	Totals  func() (Totals, error)
	Version string
	// Now is the clock of time(); nil means time.Now.
	Now func() time.Time
}
