package ir

// Effects are what an instruction does besides setting Dst, what the value of Dst depends
// on besides its operands, and what is known of that value. The tables of operations
// (shapes) and of helpers have those of each; all passes ask there.
type Effects uint32

// What it does.
const (
	WritesMemory Effects = 1 << iota // of the program: slots, values of maps, records
	WritesMap                        // adds or removes elements
	Emits                            // hands something to user space
	Acts                             // changes what the system does
	Runs                             // runs functions of the program, as often as it likes
	Holds                            // takes what must be given back before the program ends

	// Changes are the effects for which an instruction stays though nobody reads its result.
	Changes = WritesMemory | WritesMap | Emits | Acts | Runs | Holds
)

// What its value depends on. Without any it is the operands alone: the instruction may be
// left out, doubled or moved.
const (
	ReadsMemory Effects = 1 << (iota + 8)
	ReadsMap
	// Clock values go on: one that is read once, with no loop to wait for, may be read where it
	// is needed.
	Clock
	Varies // another one each time
	// Repeatable values are the same all through an event, but for those of clocks.
	Repeatable
)

// What is known of it.
const (
	Number     Effects = 1 << (iota + 16) // no pointer that the verifier follows
	AnyAddress                            // the address that it reads, its third argument, may be any number
)

// anything is what is to be expected of a helper that is not in the table.
const anything = Changes | ReadsMemory | ReadsMap

// EffectsOf returns the effects of a helper.
func EffectsOf(n int32) Effects {
	if h, ok := helpers[n]; ok {
		return h.effects
	}
	return anything
}

// Effects returns those of an instruction.
func (i *Instr) Effects() Effects {
	switch {
	case i.Op == OpGet:
		return facts[i.Fact].effects
	case i.Op != OpCall:
		return shapes[i.Op].effects
	case i.Func != 0:
		return Runs | ReadsMemory | WritesMemory | Number
	}
	return EffectsOf(i.Helper)
}

// Does reports whether i has one of some effects.
func (i *Instr) Does(e Effects) bool { return i.Effects()&e != 0 }

// IsPure reports whether i does nothing but compute Dst from its operands: it
// may be left out, doubled or moved.
func (i *Instr) IsPure() bool {
	return i.Op != OpCall && i.Op != OpGet && shapes[i.Op].effects&^Number == 0
}

// IsRepeatable reports whether i has the same result all through an event (see Clock), and no effects.
func (i *Instr) IsRepeatable() bool {
	return i.Does(Repeatable) && !i.Does(Changes)
}
