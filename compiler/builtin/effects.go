package builtin

// Effects says what a built-in does besides giving a value, what of the script it
// looks at in its own way, and what its value depends on. The record says it, and
// every part of the compiler asks there.
type Effects uint32

// What it does.
const (
	DoesEmit   Effects = 1 << iota // tells user space something
	DoesExit                       // ends the script
	DoesDelete                     // removes a key of the map
	DoesClear                      // removes all keys
	DoesZero                       // sets all values to 0
	DoesStore                      // gives a variable a value
	DoesAct                        // changes the system
	DoesWalk                       // goes through the map in the kernel

	// Changes are the effects that make it matter whether, and when, it is evaluated.
	Changes = DoesEmit | DoesExit | DoesDelete | DoesClear | DoesZero | DoesStore | DoesAct
	// Empties are those of a map that begins anew.
	Empties = DoesDelete | DoesClear | DoesZero
)

// What it looks at, and what its value depends on.
const (
	ShowsArgs    Effects = 1 << (iota + 12) // its arguments, to show them
	ShowsMaps                               // its maps as wholes, which user space reads
	ReadsValue                              // the value of a map that is named without its key
	ReadsArgs                               // the probe's arguments by name
	ReadsArgN                               // the probe's arguments by number
	ReadsResult                             // what the probed call returned
	ReadsCall                               // what is known only at the end of a call
	ReadsStart                              // when the call began
	ReadsProbe                              // the probe's name
	ReadsFunc                               // the probed function
	ReadsStack                              // a stack
	ReadsProgram                            // the probed program
	ReadsTyped                              // what a pointer of a known type points to: only trampolines have such
	ReadsOptions                            // the command line
	OfPlace                                 // the place in the kernel where the probe is
	OfThread                                // the running thread
	SameAtEntry                             // it is at a call's return what it was at the entry
)

// Does reports whether a built-in has one of some effects.
func (f *Func) Does(e Effects) bool { return f != nil && f.Effects&e != 0 }

// Does reports whether a built-in has one of some effects.
func (v *Var) Does(e Effects) bool { return v != nil && v.Effects&e != 0 }

// EffectsOf returns the effects of the built-in of a name, none if there is none.
func EffectsOf(name string) Effects {
	if f, ok := funcsByName[name]; ok {
		return f.Effects
	}
	if v, ok := VarByName(name); ok {
		return v.Effects
	}
	return 0
}

// Does reports whether the built-in of a name has one of some effects.
func Does(name string, e Effects) bool { return EffectsOf(name)&e != 0 }
