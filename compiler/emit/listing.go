package emit

import (
	"fmt"

	"fst/lang/source"

	"github.com/cilium/ebpf/asm"
)

// line is a line of a script as asm prints it above its instructions.
type line string

func (l line) String() string { return string(l) }

// Listing is the text of the instructions, with the lines of the script that
// they come from.
func (r *Result) Listing(set *source.Set) string {
	insns := make(asm.Instructions, len(r.Insns))
	last, raw := line(""), 0
	for i, in := range r.Insns {
		insns[i] = in
		pos := set.Position(r.SpanAt(raw).Start)
		raw += int(in.Width())
		if pos.File == nil {
			continue
		}
		if l := line(pos.File.Line(pos.Line)); l != last {
			insns[i], last = in.WithSource(l), l
		}
	}
	return fmt.Sprint(insns)
}
