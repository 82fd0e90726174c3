package attach

import (
	"strings"
	"testing"

	"fst/compiler/object"
)

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		log, reason string
		at          int
	}{
		{"0: R1=ctx() R10=fp0\n0: (85) call unknown#9999\ninvalid func unknown#9999\nprocessed 1 insns (limit 1000000)\n", "this kernel has no", 0},
		{"back-edge from insn 7 to 3\nprocessed 0 insns", "no loops", 7},
		{"3: (15) if r6 == 0x0 goto pc-2\ninfinite loop detected at insn 2\ncur state: R1=ctx()\nold state: R1=ctx()\nprocessed 4 insns", "loop", 2},
		{"9: (79) r0 = *(u64 *)(r1 +0)\nR1 invalid mem access 'scalar'\nverification time 20 usec\nstack depth 16\nprocessed 9 insns", "not know to be valid", 9},
		{"BPF program is too large. Processed 1000001 insn\nprocessed 1000001 insns (limit 1000000)", "more than a million steps", -1},
		{"combined stack size of 2 calls is 544. Too large\n", "512 bytes of stack", -1},
		{"something quite new\nprocessed 3 insns", "something quite new", -1},
		{"", "no reason", -1},
	} {
		if r, at := explain(c.log); !strings.Contains(r.text, c.reason) || at != c.at {
			t.Errorf("%q: %q at %d", c.log, r.text, at)
		}
	}
}

// TestLockdown: a helper that reads memory is missing everywhere in a kernel that is locked
// down, not here or in this kernel.
func TestLockdown(t *testing.T) {
	const log = "7: (85) call bpf_probe_read_kernel#113\nunknown func bpf_probe_read_kernel#113\nprocessed 8 insns\n"
	for mode, want := range map[string]string{"": "this kernel has no", "integrity": "this kernel has no", "confidentiality": "in lockdown"} {
		e := NewVerifierError(&object.Program{}, log, nil)
		if e.lockdown(mode); !strings.Contains(e.Reason, want) {
			t.Errorf("%q: %s", mode, e.Reason)
		}
	}
}
