// Arguments on the stack, as programs in Go before 1.17 pass all of theirs and C
// the seventh and later ones: bpftrace had these words up to 0.24.

// sargN: argument N on the stack, from 0 to 9, at the entry of a function.
macro sarg0() { *(uint64 *)(reg("sp") + 8) }
macro sarg1() { *(uint64 *)(reg("sp") + 16) }
macro sarg2() { *(uint64 *)(reg("sp") + 24) }
macro sarg3() { *(uint64 *)(reg("sp") + 32) }
macro sarg4() { *(uint64 *)(reg("sp") + 40) }
macro sarg5() { *(uint64 *)(reg("sp") + 48) }
macro sarg6() { *(uint64 *)(reg("sp") + 56) }
macro sarg7() { *(uint64 *)(reg("sp") + 64) }
macro sarg8() { *(uint64 *)(reg("sp") + 72) }
macro sarg9() { *(uint64 *)(reg("sp") + 80) }
