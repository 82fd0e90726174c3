// Arguments on the stack, as programs in Go before 1.17 pass all of theirs and C
// the seventh and later ones: bpftrace had these words up to 0.24.

// sarg0: argument 0 on the stack, at the entry of a function.
macro sarg0() { *(uint64 *)(reg("sp") + 8) }

// sarg1: argument 1 on the stack, at the entry of a function.
macro sarg1() { *(uint64 *)(reg("sp") + 16) }

// sarg2: argument 2 on the stack, at the entry of a function.
macro sarg2() { *(uint64 *)(reg("sp") + 24) }

// sarg3: argument 3 on the stack, at the entry of a function.
macro sarg3() { *(uint64 *)(reg("sp") + 32) }

// sarg4: argument 4 on the stack, at the entry of a function.
macro sarg4() { *(uint64 *)(reg("sp") + 40) }

// sarg5: argument 5 on the stack, at the entry of a function.
macro sarg5() { *(uint64 *)(reg("sp") + 48) }

// sarg6: argument 6 on the stack, at the entry of a function.
macro sarg6() { *(uint64 *)(reg("sp") + 56) }

// sarg7: argument 7 on the stack, at the entry of a function.
macro sarg7() { *(uint64 *)(reg("sp") + 64) }

// sarg8: argument 8 on the stack, at the entry of a function.
macro sarg8() { *(uint64 *)(reg("sp") + 72) }

// sarg9: argument 9 on the stack, at the entry of a function.
macro sarg9() { *(uint64 *)(reg("sp") + 80) }
