package emit

import (
	"fst/compiler/ir"
	"fst/lang/source"

	"github.com/cilium/ebpf/asm"
)

// Limit is a limit of the kernel that a program exceeds, whatever is made of
// it: something for its author to know.
type Limit struct {
	Message string
	Hint    string      // what helps
	Span    source.Span // the place that is to blame, or nowhere
	// crowded says that there were too many values for the stack: with some of
	// them in scratch memory it may be kept.
	crowded bool
}

func (l *Limit) Error() string { return l.Message }

// maxMaps is MAX_USED_MAPS of the kernel's verifier.
const maxMaps = 64

// mapsOf counts the maps that a program refers to.
func mapsOf(insns asm.Instructions) int {
	names := map[string]bool{}
	for i := range insns {
		if insns[i].IsLoadFromMap() {
			names[insns[i].Reference()] = true
		}
	}
	return len(names)
}

// firstSpan is the place of a function's first instruction that has one.
func firstSpan(f *ir.Func) source.Span {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if sp := b.Instrs[i].Span; sp.IsValid() {
				return sp
			}
		}
	}
	return source.Span{}
}
