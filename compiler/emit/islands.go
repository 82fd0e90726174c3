package emit

import (
	"fmt"
	"slices"
	"sort"

	"fst/lang/source"

	"github.com/cilium/ebpf/asm"
)

// A jump goes over at most 32767 instructions, counted when the kernel has put
// in the code of helpers and of accesses to the context: one instruction becomes
// up to eight or so. (gotol goes further, but only from Linux 6.6 on.) Longer
// ones go by way of branch islands: places between instructions
// that the code there jumps over, with a jump for each block that is reached by way of them.

// islandGap is how many instructions lie between two islands.
const islandGap = 2048

// maxJump is the longest jump that is left as it is. The longest between islands is about as long.
const maxJump = islandGap + islandGap/2

const alwaysJump = asm.OpCode(asm.JumpClass) | asm.OpCode(asm.Ja)

// jump is one of the instruction at an index to a block.
type jump struct{ at, block int }

// stretch is the code of a function before its jumps have their offsets.
type stretch struct {
	insns  asm.Instructions
	spans  []source.Span // of each instruction
	jumps  []jump
	blocks []int // the index of each block's first instruction
}

// island stands before the instruction at an index.
type island struct {
	at    int
	slots []int // the blocks that it has a jump to, sorted
	first int   // where the first of these jumps is in the result
}

// link fills in the jumps. The places that it returns are by the kernel's
// numbers: those of 64-bit loads come twice.
func (s *stretch) link() (asm.Instructions, []source.Span, error) {
	raw := rawOffsets(s.insns)
	islands, long := s.route(raw)
	out, spans := s.insns, s.spans
	moved := make([]int, len(s.insns)+1) // where each instruction is in the result
	if len(long) > 0 {
		out, spans = make(asm.Instructions, 0, len(s.insns)+len(s.insns)/8), make([]source.Span, 0, len(s.insns)+len(s.insns)/8)
	}
	k := 0
	for i, in := range s.insns {
		for ; k < len(islands) && islands[k].at == i; k++ {
			st := &islands[k]
			if len(st.slots) == 0 {
				continue
			}
			if goesOn(s.insns[i-1]) { // the kernel takes no code that is never reached
				out, spans = append(out, asm.Instruction{OpCode: alwaysJump, Offset: int16(len(st.slots))}), append(spans, s.spans[i])
			}
			st.first = len(out)
			for range st.slots {
				out, spans = append(out, asm.Instruction{OpCode: alwaysJump}), append(spans, s.spans[i])
			}
		}
		if moved[i] = i; len(long) > 0 {
			moved[i] = len(out)
			out, spans = append(out, in), append(spans, s.spans[i])
		}
	}
	moved[len(s.insns)] = len(out)
	if len(long) > 0 {
		raw = rawOffsets(out)
	}
	// aim makes the jump at an instruction of the result go to a block, by way
	// of an island unless that is -1.
	aim := func(from, via, block int) error {
		to := moved[s.blocks[block]]
		if via >= 0 {
			st := &islands[via]
			n, _ := slices.BinarySearch(st.slots, block)
			to = st.first + n
		}
		off := raw[to] - raw[from] - 1
		if off != int(int16(off)) {
			return fmt.Errorf("a jump over %d instructions", off)
		}
		out[from].Offset = int16(off)
		return nil
	}
	for _, j := range s.jumps {
		via := -1
		if long[j] {
			via = entry(islands, j.at, s.blocks[j.block])
		}
		if err := aim(moved[j.at], via, j.block); err != nil {
			return nil, nil, err
		}
	}
	for k := range islands {
		for n, block := range islands[k].slots {
			if err := aim(islands[k].first+n, onward(islands, k, s.blocks[block]), block); err != nil {
				return nil, nil, err
			}
		}
	}
	wide := make([]source.Span, 0, raw[len(out)])
	for i := range out {
		for range out[i].Width() {
			wide = append(wide, spans[i])
		}
	}
	return out, wide, nil
}

// route finds the jumps that are too long, and the islands on their ways; raw are the
// offsets of the instructions.
func (s *stretch) route(raw []int) (islands []island, long map[jump]bool) {
	for _, j := range s.jumps {
		if d := raw[s.blocks[j.block]] - raw[j.at]; d > maxJump || d < -maxJump {
			if long == nil {
				long = map[jump]bool{}
			}
			long[j] = true
		}
	}
	if long == nil {
		return nil, nil
	}
	for i, next := 0, islandGap; i < len(s.insns); i++ {
		if raw[i] >= next {
			islands = append(islands, island{at: i})
			next = raw[i] + islandGap
		}
	}
	for j := range long {
		to := s.blocks[j.block]
		for k := entry(islands, j.at, to); k >= 0; k = onward(islands, k, to) {
			st := &islands[k]
			n, found := slices.BinarySearch(st.slots, j.block)
			if found {
				break // as are the islands behind it
			}
			st.slots = slices.Insert(st.slots, n, j.block)
		}
	}
	return islands, long
}

// entry is the first island on the way from one instruction to another, or -1.
func entry(islands []island, from, to int) int {
	k := sort.Search(len(islands), func(k int) bool { return islands[k].at > from })
	if to > from {
		return onTheWay(islands, k, to, true)
	}
	return onTheWay(islands, k-1, to, false)
}

// onward is the island behind another one on the way to an instruction, or -1.
func onward(islands []island, k, to int) int {
	if to > islands[k].at {
		return onTheWay(islands, k+1, to, true)
	}
	return onTheWay(islands, k-1, to, false)
}

// onTheWay returns island k if it stands before the instruction to, as one goes.
func onTheWay(islands []island, k, to int, forward bool) int {
	if k < 0 || k >= len(islands) || forward && islands[k].at >= to || !forward && islands[k].at <= to {
		return -1
	}
	return k
}

// goesOn reports whether the instruction behind another can be the next.
func goesOn(in asm.Instruction) bool {
	return in.OpCode != alwaysJump && in.OpCode != asm.Return().OpCode
}

// rawOffsets counts as the kernel does, where 64-bit loads are two
// instructions; the last is the length.
func rawOffsets(insns asm.Instructions) []int {
	raw := make([]int, len(insns)+1)
	for i := range insns {
		raw[i+1] = raw[i] + int(insns[i].Width())
	}
	return raw
}
