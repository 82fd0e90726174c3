package lower

import (
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
)

// strncmp is 0 if the first n bytes of two strings are equal (up to a NUL),
// else 1.
func (f *fn) strncmp(a, b value, n int, t *types.Type) value {
	a, b = f.sized(a), f.sized(b)
	r := f.f.NewReg()
	same, differ, done := f.block(), f.block(), f.block()
	if a.str != nil && b.str == nil {
		a, b = b, a
	}
	switch {
	case a.str != nil:
		x, y := *a.str, *b.str
		if cut(x, n) == cut(y, n) {
			f.jump(same)
		} else {
			f.jump(differ)
		}
	case b.str != nil:
		f.compareConst(a, cut(*b.str, n), min(n, len(*b.str)+1), same, differ)
	default:
		ab, ao := f.inMemory(a)
		bb, bo := f.inMemory(b)
		at := 0
		for ; at+8 <= n && at+8 <= min(a.t.Size, b.t.Size); at += 8 {
			more := f.block()
			f.compareWord(ab, ao+int32(at), bb, bo+int32(at), same, more, differ)
			f.use(more)
		}
		for ; at < n && at < min(a.t.Size, b.t.Size); at++ {
			x := f.load(ab, ao+int32(at), 1, false)
			equal, more := f.block(), f.block()
			f.branch(ir.Eq, x, f.load(bb, bo+int32(at), 1, false), equal, differ)
			f.use(equal)
			f.branch(ir.Eq, x, ir.I(0), same, more)
			f.use(more)
		}
		f.jump(same)
	}
	f.use(same)
	f.set(r, ir.I(0))
	f.jump(done)
	f.use(differ)
	f.set(r, ir.I(1))
	f.jump(done)
	f.use(done)
	return scalar(t, ir.R(r))
}

func cut(s string, n int) string { return s[:min(n, len(s))] }

// compareWord compares eight bytes of two texts: to same if both end here
// equal, to more if they are equal without an end, else to differ.
func (f *fn) compareWord(ab ir.Reg, ao int32, bb ir.Reg, bo int32, same, more, differ *ir.Block) {
	x, y := f.load(ab, ao, 8, false), f.load(bb, bo, 8, false)
	diff := f.op(ir.OpXor, x, y)
	z := f.hasZero(x)
	last, whole := f.block(), f.block()
	f.branch(ir.Ne, z, ir.I(0), last, whole)
	f.use(last)
	upTo := f.op(ir.OpXor, z, f.op(ir.OpSub, z, ir.I(1)))
	f.branch(ir.Eq, f.op(ir.OpAnd, diff, upTo), ir.I(0), same, differ)
	f.use(whole)
	f.branch(ir.Eq, diff, ir.I(0), more, differ)
}

// hasZero is not 0 if a byte of x is 0; its lowest set bit is in the first such byte.
func (f *fn) hasZero(x ir.Operand) ir.Operand {
	ones, highs := f.reg(ir.I(0x0101010101010101)), f.reg(ir.I(-0x7f7f7f7f7f7f7f80))
	return f.op(ir.OpAnd, f.op(ir.OpAnd, f.op(ir.OpSub, x, ir.R(ones)), f.op(ir.OpXor, x, ir.I(-1))), ir.R(highs))
}

// clearBehindNUL sets what follows the NUL of a text of size bytes to 0: keys are
// compared in all their bytes, and of two equal texts in arrays of char the rest may
// differ. What is up to seven bytes behind the text must be 0 or of the text's place.
func (f *fn) clearBehindNUL(base ir.Reg, off int32, size int) {
	if size > maxScanned {
		// A helper that copies up to the NUL leaves the rest alone.
		from, to := f.slot("text", size+8), f.slot("text", size+8)
		f.copyMem(from, 0, base, off, size)
		f.store(from, int32(size), ir.I(0), 1)
		f.zero(to, 0, size+1)
		f.callVoid(helperReadKernelStr, ir.R(to), ir.I(int64(size+1)), ir.R(from))
		f.copyMem(base, off, to, 0, size)
		return
	}
	rest := ir.I(-1) // the bits to keep, as long as there was no NUL
	for at := off; at < off+int32(size); at += 8 {
		x := f.load(base, at, 8, false)
		z := f.hasZero(x)
		keep := f.op(ir.OpSub, f.op(ir.OpRsh, f.lowest(z), ir.I(7)), ir.I(1)) // all of them if z is 0
		f.store(base, at, f.op(ir.OpAnd, f.op(ir.OpAnd, x, keep), rest), 8)
		ended := f.op(ir.OpArsh, f.op(ir.OpOr, z, f.op(ir.OpSub, ir.I(0), z)), ir.I(63))
		rest = f.op(ir.OpAnd, rest, f.op(ir.OpXor, ended, ir.I(-1)))
	}
}

// maxScanned is the size up to which strlen looks at the words of a text. Each
// word is a way out with a length of its own, which the verifier follows to the
// program's end; a helper that copies the text tells its length at once.
const maxScanned = 64

// strlen counts the bytes before the NUL.
func (f *fn) strlen(v value) ir.Operand {
	if v.str != nil {
		return ir.I(int64(len(*v.str)))
	}
	v = f.sized(v)
	base, off := f.inMemory(v)
	if v.t.Size > maxScanned {
		return f.strlenByCopy(base, off, v.t.Size)
	}
	out := f.fresh(ir.I(int64(v.t.Size)))
	done := f.block()
	at := 0
	for ; at+8 <= v.t.Size; at += 8 {
		z := f.hasZero(f.load(base, off+int32(at), 8, false))
		here, next := f.block(), f.block()
		f.branch(ir.Ne, z, ir.I(0), here, next)
		f.use(here)
		f.set(out, f.add(f.firstByte(z), int64(at)))
		f.jump(done)
		f.use(next)
	}
	for ; at < v.t.Size; at++ {
		here, next := f.block(), f.block()
		f.branch(ir.Eq, f.load(base, off+int32(at), 1, false), ir.I(0), here, next)
		f.use(here)
		f.set(out, ir.I(int64(at)))
		f.jump(done)
		f.use(next)
	}
	f.jump(done)
	f.use(done)
	return ir.R(out)
}

// strlenByCopy has a helper copy a text and tell its length.
func (f *fn) strlenByCopy(base ir.Reg, off int32, size int) ir.Operand {
	n := f.call(helperReadKernelStr, ir.R(f.slot("strlen", size)), ir.I(int64(size)), f.add(ir.R(base), int64(off)))
	out := f.fresh(f.add(n, -1))
	wrong, right, full, done := f.block(), f.block(), f.block(), f.block()
	f.branch(ir.ULt, ir.R(out), ir.I(int64(size)), right, wrong)
	f.use(wrong)
	f.set(out, ir.I(0))
	f.jump(done)
	f.use(right)
	// The copy ends with a NUL even if the text does not.
	f.branch(ir.Eq, f.load(base, off+int32(size)-1, 1, false), ir.I(0), done, full)
	f.use(full)
	f.set(out, ir.I(int64(size)))
	f.jump(done)
	f.use(done)
	return ir.R(out)
}

// lowest is the lowest bit that is set in z, 0 if there is none.
func (f *fn) lowest(z ir.Operand) ir.Operand { return f.op(ir.OpAnd, z, f.op(ir.OpSub, ir.I(0), z)) }

// firstByte is the index of the first byte that hasZero has marked in z. What
// is left of the lowest mark is 1 << 8*index; multiplying by it moves the digit
// that is the index to the top.
func (f *fn) firstByte(z ir.Operand) ir.Operand {
	low := f.op(ir.OpRsh, f.lowest(z), ir.I(7))
	return f.op(ir.OpRsh, f.op(ir.OpMul, low, ir.R(f.reg(ir.I(0x0001020304050607)))), ir.I(56))
}

// contains is strcontains (index false) and strstr (index true).
func (f *fn) contains(x *ast.Call, t *types.Type, index bool) value {
	hay := f.sized(f.settled(f.expr(x.Args[0]), x.Args[1]))
	needle := f.sized(f.expr(x.Args[1]))
	if hay.str != nil && needle.str != nil {
		at := indexOf(*hay.str, *needle.str)
		if !index {
			at = min(at, 0) + 1
		}
		return scalar(t, ir.I(int64(at)))
	}
	s := search{out: f.fresh(ir.I(0)), size: textSize(hay), done: f.block()}
	if index {
		f.set(s.out, ir.I(-1))
	}
	s.found = func(at ir.Operand) {
		if !index {
			at = ir.I(1)
		}
		f.set(s.out, at)
		f.jump(s.done)
	}
	if needle.str != nil && !f.crowded(s, *needle.str) {
		f.searchConst(s, hay, *needle.str)
	} else {
		f.searchText(s, hay, needle)
	}
	f.use(s.done)
	return scalar(t, ir.R(s.out))
}

// textSize is the room that a text takes in memory, with its NUL.
func textSize(v value) int {
	if v.str != nil {
		return types.StringType(len(*v.str) + 1).Size
	}
	return (v.t.Size + 7) &^ 7
}

// search is a search for one text in another one: its result, the room of the
// text that is searched, what happens with the place where the other text was
// found, and the block behind it all.
type search struct {
	out   ir.Reg
	size  int
	found func(at ir.Operand)
	done  *ir.Block
}

// intoFar copies a text to memory that can be read at any address. What lies
// behind it is 0 for at least 8 bytes.
func (f *fn) intoFar(name string, v value, size, room int) ir.Reg {
	mem := f.farSlot(name, room+16)
	t := &types.Type{Kind: types.String, Size: size}
	f.storeValue(v, t, mem, 0)
	f.store(mem, int32(size), ir.I(0), 8)
	return mem
}

// maxPending is how many branches of searches the verifier may be made to put
// off in one program; BPF_COMPLEXITY_LIMIT_JMP_SEQ allows it 8192 in all.
const maxPending = 4096

// crowded notes the search for a constant, and reports whether the verifier
// would put off too many branches if it walked this one, too. It then is a
// bpf_loop, where there is one.
func (f *fn) crowded(s search, needle string) bool {
	if s.size <= 128 || needle == "" || !f.t.Has(target.BPFLoop) {
		return false
	}
	places := s.size
	if len(needle) > wholeNeedle {
		places *= 2
	}
	if len(f.loops) > 0 || f.p.pending+places > maxPending {
		return true
	}
	f.p.pending += places
	return false
}

// wholeNeedle is the length up to which all of a constant is compared at each
// place, not its first word before the others.
const wholeNeedle = 16

// searchConst looks for a constant at every place, a word at a time: a loop
// that the verifier walks. Of each branch it puts off one side, so that there
// are few: all words of a place are compared together.
func (f *fn) searchConst(s search, hay value, needle string) {
	mem := f.intoFar("haystack", hay, s.size, s.size+len(needle))
	at := f.fresh(ir.I(0))
	if needle == "" {
		s.found(ir.R(at))
		return
	}
	head, body, miss, step := f.block(), f.block(), f.block(), f.block()
	f.jump(head)
	f.use(head)
	f.branch(ir.ULt, ir.R(at), ir.I(int64(s.size)), body, s.done)
	f.use(body)
	here := f.op(ir.OpAdd, ir.R(mem), ir.R(at)).Reg
	first := f.load(here, 0, 8, false)
	var differ ir.Operand
	for off := 0; off < len(needle); off += 8 {
		var want, mask uint64
		for i := 0; i < 8 && off+i < len(needle); i++ {
			want |= uint64(needle[off+i]) << (8 * i)
			mask |= 0xff << (8 * i)
		}
		word := first
		if off > 0 {
			word = f.load(here, int32(off), 8, false)
		}
		if mask != ^uint64(0) {
			word = f.op(ir.OpAnd, word, ir.R(f.reg(ir.I(int64(mask)))))
		}
		expected := ir.R(f.reg(ir.I(int64(want))))
		switch {
		case len(needle) <= 8, off == 0 && len(needle) > wholeNeedle:
			same := f.block()
			f.branch(ir.Eq, word, expected, same, miss)
			f.use(same)
		case differ == ir.Operand{}:
			differ = f.op(ir.OpXor, word, expected)
		default:
			differ = f.op(ir.OpOr, differ, f.op(ir.OpXor, word, expected))
		}
	}
	if differ != (ir.Operand{}) {
		same := f.block()
		f.branch(ir.Eq, differ, ir.I(0), same, miss)
		f.use(same)
	}
	s.found(ir.R(at))
	f.use(miss)
	f.branch(ir.Eq, f.op(ir.OpAnd, first, ir.I(0xff)), ir.I(0), s.done, step)
	f.use(step)
	f.emit(ir.Instr{Op: ir.OpAdd, Dst: at, A: ir.R(at), B: ir.I(1)})
	f.jump(head)
}

// maxSearchSteps bounds the comparisons of single bytes when both texts are
// known only at run time: how many the verifier may be made to walk. From
// loopSearchSteps on it need not, where there is bpf_loop.
const (
	maxSearchSteps  = 8192
	loopSearchSteps = 1024
)

// searchText compares byte by byte, and starts again one place later when two
// differ. The places are kept in memory, where the verifier forgets what they
// were: every step is like the others to it. Where there are many, they are
// the turns of a bpf_loop, if the kernel has it.
func (f *fn) searchText(s search, hay, needle value) {
	size := textSize(needle)
	hayMask, needleMask := roundMask(s.size), roundMask(size)
	mem := f.intoFar("haystack", hay, s.size, hayMask+needleMask)
	part := f.intoFar("needle", needle, size, needleMask)
	place := f.farSlot("place", 24) // in the haystack, in the needle, how it ended
	for off := int32(0); off < 24; off += 8 {
		f.store(place, off, ir.I(0), 8)
	}
	hit, over := f.block(), f.block()
	steps := s.size * (size + 1)
	if steps > loopSearchSteps && f.t.Has(target.BPFLoop) {
		f.searchLoop(min(steps, check.MaxTurns), mem, part, place, hayMask, needleMask)
	} else {
		step := f.fresh(ir.I(0))
		head, body, done := f.block(), f.block(), f.block()
		f.jump(head)
		f.use(head)
		f.branch(ir.ULt, ir.R(step), ir.I(int64(min(steps, maxSearchSteps))), body, done)
		f.use(body)
		f.emit(ir.Instr{Op: ir.OpAdd, Dst: step, A: ir.R(step), B: ir.I(1)})
		f.searchStep(mem, part, place, hayMask, needleMask, head, done)
		f.use(done)
	}
	ended := f.load(place, searchEnd, 8, false)
	miss := f.block()
	f.branch(ir.Eq, ended, ir.I(searchHit), hit, miss)
	f.use(miss)
	f.branch(ir.Eq, ended, ir.I(searchMiss), s.done, over)
	f.use(hit)
	s.found(f.load(place, 0, 8, false))
	f.use(over)
	f.loss(object.LossOther)
	f.jump(s.done)
}

// How a search ended, in the third word of its place.
const (
	searchEnd  = 16
	searchHit  = 1
	searchMiss = 2
)

// searchStep compares one byte and goes on to next, or to done when all is
// known.
func (f *fn) searchStep(mem, part, place ir.Reg, hayMask, needleMask int, next, done *ir.Block) {
	start := f.op(ir.OpAnd, f.load(place, 0, 8, false), ir.I(int64(hayMask)))
	equal := f.op(ir.OpAnd, f.load(place, 8, 8, false), ir.I(int64(needleMask)))
	b := f.load(f.op(ir.OpAdd, ir.R(part), equal).Reg, 0, 1, false)
	hit, test, same, differ, miss, again := f.block(), f.block(), f.block(), f.block(), f.block(), f.block()
	f.branch(ir.Eq, b, ir.I(0), hit, test)
	f.use(hit)
	f.store(place, searchEnd, ir.I(searchHit), 8)
	f.jump(done)
	f.use(test)
	a := f.load(f.op(ir.OpAdd, f.op(ir.OpAdd, ir.R(mem), start), equal).Reg, 0, 1, false)
	f.branch(ir.Eq, a, b, same, differ)
	f.use(same)
	f.store(place, 8, f.add(equal, 1), 8)
	f.jump(next)
	f.use(differ)
	f.branch(ir.Eq, a, ir.I(0), miss, again)
	f.use(miss)
	f.store(place, searchEnd, ir.I(searchMiss), 8)
	f.jump(done)
	f.use(again)
	f.store(place, 0, f.add(start, 1), 8)
	f.store(place, 8, ir.I(0), 8)
	f.jump(next)
}

// searchLoop runs the steps of a search by bpf_loop. What the callback needs is
// behind what all callbacks find in their context.
func (f *fn) searchLoop(steps int, mem, part, place ir.Reg, hayMask, needleMask int) {
	shared := f.slot("search", capturedVars+24)
	f.store(shared, capturedLeave, ir.I(0), 8)
	f.store(shared, capturedCtx, ir.R(f.ctx), 8)
	for i, r := range []ir.Reg{mem, part, place} {
		f.store(shared, capturedVars+int32(8*i), ir.R(r), 8)
	}
	cb := f.callback("search", 2, 1, func(cb *fn, _ []ir.Reg) {
		var regs [3]ir.Reg
		for i := range regs {
			regs[i] = cb.load(cb.capture, capturedVars+int32(8*i), 8, false).Reg
		}
		stop := cb.block()
		cb.searchStep(regs[0], regs[1], regs[2], hayMask, needleMask, cb.exit, stop)
		cb.use(stop)
		cb.set(cb.result, ir.I(1))
	})
	f.callVoid(helperLoop, ir.R(f.reg(ir.I(int64(steps)))), f.funcAddr(cb), ir.R(shared), ir.I(0))
}

func indexOf(s, sub string) int {
	for i := 0; i+len(sub) <= len(s); i++ {
		if s[i:i+len(sub)] == sub {
			return i
		}
	}
	return -1
}
