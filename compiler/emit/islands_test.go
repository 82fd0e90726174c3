package emit

import (
	"math/rand/v2"
	"testing"

	"fst/lang/source"

	"github.com/cilium/ebpf/asm"
)

// Every jump reaches its block by jumps that the kernel takes, whatever lies
// between, and what stood one behind the other is still passed in that order.
func TestHops(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := stretch{blocks: []int{0}}
		for b := 1; b < 40; b++ {
			for range r.IntN(1500) {
				s.insns = append(s.insns, asm.Mov.Imm(asm.R0, int32(len(s.insns))))
				if r.IntN(20) == 0 {
					s.insns = append(s.insns, asm.LoadImm(asm.R1, int64(len(s.insns)), asm.DWord))
				}
			}
			switch r.IntN(3) {
			case 0:
				s.insns = append(s.insns, asm.Return())
			case 1:
				s.jumps = append(s.jumps, jump{len(s.insns), r.IntN(40)})
				s.insns = append(s.insns, asm.Instruction{OpCode: alwaysJump})
			default:
				s.jumps = append(s.jumps, jump{len(s.insns), r.IntN(40)})
				s.insns = append(s.insns, asm.Instruction{OpCode: asm.JEq.Op(asm.ImmSource)})
			}
			s.blocks = append(s.blocks, len(s.insns))
		}
		s.insns = append(s.insns, asm.Return())
		s.spans = make([]source.Span, len(s.insns))
		for i := range s.spans {
			s.spans[i] = source.Span{Start: source.Pos(i + 1), End: source.Pos(i + 2)}
		}
		out, spans, err := s.link()
		if err != nil {
			t.Fatal(err)
		}

		// An instruction of the script is known by its span; those of islands
		// are jumps with the span of the one behind them, which is the last with it.
		raw := rawOffsets(out)
		if raw[len(out)] != len(spans) {
			t.Fatalf("%d places for %d instructions", len(spans), raw[len(out)])
		}
		index := map[int]int{}
		moved := make([]int, len(s.insns))
		for i := range out {
			index[raw[i]] = i
			moved[spans[raw[i]].Start-1] = i
		}
		// arrives follows the jumps of islands.
		arrives := func(at int) int {
			for spans[raw[at]].Start-1 >= 0 && moved[spans[raw[at]].Start-1] != at {
				at = index[raw[at]+1+int(out[at].Offset)]
			}
			return at
		}
		for _, j := range s.jumps {
			from := moved[j.at]
			to := raw[from] + 1 + int(out[from].Offset)
			if d := to - raw[from]; d > 2*maxJump || d < -2*maxJump {
				t.Errorf("a jump over %d instructions", d)
			}
			if got, want := arrives(index[to]), moved[s.blocks[j.block]]; got != want {
				t.Fatalf("seed %d: the jump at %d arrives at %d, not at %d", seed, j.at, got, want)
			}
		}
		for i := range s.insns[:len(s.insns)-1] {
			if goesOn(s.insns[i]) && arrives(moved[i]+1) != moved[i+1] {
				t.Fatalf("seed %d: %d is not followed by %d", seed, i, i+1)
			}
		}
		reached := make([]bool, len(out))
		for i := range out {
			if out[i].OpCode.Class() == asm.JumpClass && out[i].OpCode != asm.Return().OpCode {
				reached[index[raw[i]+1+int(out[i].Offset)]] = true
			}
		}
		for i := range out {
			if moved[spans[raw[i]].Start-1] != i && !reached[i] && !goesOn(out[i-1]) {
				t.Fatalf("seed %d: nothing leads to the jump at %d", seed, i)
			}
		}
	}
}
