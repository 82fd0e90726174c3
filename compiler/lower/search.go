package lower

import (
	"strings"

	"fst/compiler/ir"
	"fst/compiler/ir/irbuild"
	"fst/compiler/object"
	"fst/compiler/target"
	"fst/compiler/types"
	"fst/lang/ast"
)

// contains is strcontains (index false) and strstr (index true).
func (f texts) contains(x *ast.Call, t *types.Type, index bool) value {
	hay := f.values.sized(f.conditions.settled(f.expr(x.Args[0]), x.Args[1]))
	needle := f.values.sized(f.expr(x.Args[1]))
	if hay.str != nil && needle.str != nil {
		at := strings.Index(*hay.str, *needle.str)
		if !index {
			at = min(at, 0) + 1
		}
		return scalar(t, ir.I(int64(at)))
	}
	s := search{out: f.NewVar(ir.I(0)), size: textSize(hay), done: f.NewBlock()}
	if index {
		f.Set(s.out, ir.I(-1))
	}
	s.found = func(at ir.Operand) {
		if !index {
			at = ir.I(1)
		}
		f.Set(s.out, at)
		f.Jump(s.done)
	}
	if needle.str != nil && (*needle.str == "" || len(*needle.str) <= maxConstSearch && !f.crowded(s)) {
		f.searchConst(s, hay, *needle.str)
	} else {
		f.searchText(s, hay, needle)
	}
	f.SetBlock(s.done)
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
func (f texts) intoFar(name string, v value, size, room int) ir.Reg {
	mem := f.FarSlot(name, room+16)
	t := &types.Type{Kind: types.String, Size: size}
	f.values.storeValue(v, t, mem, 0)
	f.Store(mem, int32(size), ir.I(0), 8)
	return mem
}

// maxPending is how many branches of searches the verifier may be made to put
// off in one program; BPF_COMPLEXITY_LIMIT_JMP_SEQ allows it 8192 in all.
const maxPending = 2048

// crowded notes the search for a constant, and reports whether the verifier
// would put off too many branches if it walked this one, too. It then is done by
// a function, at which the verifier looks once.
func (f texts) crowded(s search) bool {
	if s.size <= 128 {
		return false
	}
	turns := s.size / 8
	if len(f.loops) > 0 || f.p.pending+turns > maxPending {
		return true
	}
	f.p.pending += turns
	return false
}

// maxConstSearch is the length up to which a constant is compared whole at every
// place of a text.
const maxConstSearch = 32

// searchConst looks for a constant at every place.
func (f texts) searchConst(s search, hay value, needle string) {
	if needle == "" {
		s.found(ir.I(0))
		return
	}
	mem := f.intoFar("haystack", hay, s.size, s.size+len(needle))
	s.found(f.FindText(mem, s.size, needle, s.done))
}

// textScan is a search for a text that is known only at run time, by the algorithm
// of Knuth, Morris and Pratt: it never goes back in the text that is searched,
// so its steps are few and known before.
type textScan struct {
	needle ir.Reg
	mask   int // of places in the needle
	// borders[n] tells how long the longest part is that the needle's first n
	// bytes both begin and end with, themselves not counted.
	borders ir.Reg
	entry   int    // the size of each
	state   ir.Reg // the place in the text, and how much of the needle ends there
}

const (
	scanPlace = 0
	scanLong  = 8
	// scanSteps is how many steps are done between two branches.
	scanSteps = 8
	// loopScanTurns is from how many turns on of so many steps each the verifier
	// need not walk them, where there is bpf_loop.
	loopScanTurns = 32
	// maxScanTurns is how many it may be made to walk: each takes it some 230 of its
	// million of steps.
	maxScanTurns = 1800
)

// searchText has a function of the program search a text. It is given the addresses of
// the two, as numbers: what is read from memory away from the stack is nothing else to
// the verifier.
func (f texts) searchText(s search, hay, needle value) {
	where := f.FarSlot("texts", 16)
	var sizes [2]int
	var args [2]ir.Operand
	for i, v := range []value{hay, needle} {
		base, off, size := f.bytesOf(v)
		sizes[i] = size
		f.Store(where, int32(8*i), f.AddConst(ir.R(base), int64(off)), 8)
	}
	for i := range args {
		args[i] = f.Load(where, int32(8*i), 8, false)
	}
	r := f.Func.NewReg()
	f.Emit(ir.Instr{Op: ir.OpCall, Dst: r, Func: f.searchFunc(sizes), Args: args[:]})
	f.Guard(ir.Ne, ir.R(r), ir.I(0), s.done)
	s.found(f.AddConst(ir.R(r), -1))
}

// searchFunc is the program's function that searches texts of a size for texts of
// another one. It returns the place and 1, or 0. It finds the borders of the needle by
// searching it within itself.
func (f texts) searchFunc(sizes [2]int) int32 {
	if n, made := f.p.searches[sizes]; made {
		return n
	}
	g := f.newFunc(f.u, f.p, f.p.ir.Name+"_search")
	index := int32(len(f.p.ir.Funcs) - 1)
	if f.p.searches == nil {
		f.p.searches = map[[2]int]int32{}
	}
	f.p.searches[sizes] = index
	g.Span = f.Span
	g.Func.Params = []ir.Reg{g.Func.NewReg(), g.Func.NewReg()}
	g.start()
	g.Set(g.result, ir.I(0))
	copied := func(name string, param, mask int) ir.Reg {
		mem := g.FarSlot(name, mask+16)
		g.CopyKernel(ir.R(mem), ir.I(int64(sizes[param])), ir.R(g.Func.Params[param]))
		g.Store(mem, int32(sizes[param]), ir.I(0), 1)
		return mem
	}
	hayMask := irbuild.RoundMask(sizes[0])
	k := textScan{mask: irbuild.RoundMask(sizes[1]), entry: 2}
	if k.mask > 0xffff {
		k.entry = 4
	}
	hay := copied("haystack", 0, hayMask)
	k.needle = copied("needle", 1, k.mask)
	k.borders = g.FarSlot("borders", k.entry*(k.mask+2))
	g.Store(k.borders, 0, ir.I(0), 2*k.entry)
	k.state = g.FarSlot("scan", 16)
	g.Store(k.state, scanPlace, ir.I(1), 8)
	g.Store(k.state, scanLong, ir.I(0), 8)
	whole := g.texts.scan(k, k.needle, k.mask, sizes[1], true)
	g.Store(k.state, scanPlace, ir.I(0), 8)
	g.Store(k.state, scanLong, ir.I(0), 8)
	whole = g.texts.scan(k, hay, hayMask, sizes[0], false) && whole
	at := g.Op(ir.OpAnd, g.Load(k.state, scanPlace, 8, false), ir.I(int64(hayMask)))
	long := g.Op(ir.OpAnd, g.Load(k.state, scanLong, 8, false), ir.I(int64(k.mask)))
	miss := g.NewBlock()
	g.Guard(ir.Eq, g.Load(g.Op(ir.OpAdd, ir.R(k.needle), long).Reg, 0, 1, false), ir.I(0), miss)
	g.Set(g.result, g.AddConst(g.Op(ir.OpSub, at, long), 1))
	g.Jump(g.exit)
	g.SetBlock(miss)
	if !whole {
		g.Guard(ir.Ne, g.Load(g.Op(ir.OpAdd, ir.R(hay), at).Reg, 0, 1, false), ir.I(0), g.exit)
		g.loss(object.LossOther)
	}
	g.finish()
	return index
}

// scan goes through a text of at most size bytes, to its end or behind the needle. It
// returns false if it may end before.
func (f texts) scan(k textScan, text ir.Reg, mask, size int, table bool) bool {
	// A step goes on in the text or makes the part of the needle shorter, which only
	// going on makes longer; one more finds that all is done.
	turns := (2*size+scanSteps)/scanSteps + 1
	if turns > loopScanTurns && f.t.Has(target.BPFLoop) {
		f.scanLoop(k, text, mask, table, turns)
		return true
	}
	turn := f.NewVar(ir.I(0))
	head, done := f.NewBlock(), f.NewBlock()
	f.Label(head)
	f.Guard(ir.ULt, ir.R(turn), ir.I(int64(min(turns, maxScanTurns))), done)
	f.Emit(ir.Instr{Op: ir.OpAdd, Dst: turn, A: ir.R(turn), B: ir.I(1)})
	f.Branch(ir.Ne, f.scanTurn(k, text, mask, table), ir.I(0), head, done)
	f.SetBlock(done)
	return turns <= maxScanTurns
}

// scanTurn does some steps, without a branch, and returns 0 when all was done
// before the last of them. The state is kept in memory between turns, where
// the verifier forgets what it was: every turn is like the others to it.
func (f texts) scanTurn(k textScan, text ir.Reg, mask int, table bool) (going ir.Operand) {
	at, long := f.Load(k.state, scanPlace, 8, false), f.Load(k.state, scanLong, 8, false)
	for range scanSteps {
		at, long = f.Op(ir.OpAnd, at, ir.I(int64(mask))), f.Op(ir.OpAnd, long, ir.I(int64(k.mask)))
		a := f.Load(f.Op(ir.OpAdd, ir.R(text), at).Reg, 0, 1, false)
		b := f.Load(f.Op(ir.OpAdd, ir.R(k.needle), long).Reg, 0, 1, false)
		border := f.Load(f.Op(ir.OpAdd, ir.R(k.borders), f.Op(ir.OpMul, long, ir.I(int64(k.entry)))).Reg, 0, k.entry, false)
		bit := func(negative ir.Operand) ir.Operand { return f.Op(ir.OpRsh, negative, ir.I(63)) }
		// Both bytes are there; they are the same; nothing of the needle is left.
		going = bit(f.Op(ir.OpSub, ir.I(0), f.Op(ir.OpMul, a, b)))
		equal := bit(f.Op(ir.OpSub, f.Op(ir.OpXor, a, b), ir.I(1)))
		none := bit(f.Op(ir.OpSub, long, ir.I(1)))
		// long becomes long+1 where they are the same, else the border.
		change := f.Op(ir.OpSub, border, long)
		change = f.Op(ir.OpAdd, change, f.Op(ir.OpMul, equal, f.Op(ir.OpSub, ir.I(1), change)))
		long = f.Op(ir.OpAdd, long, f.Op(ir.OpMul, going, change))
		if table {
			// Where the place stays, the next step stores it again.
			f.Store(f.Op(ir.OpAdd, ir.R(k.borders), f.Op(ir.OpMul, at, ir.I(int64(k.entry)))).Reg, int32(k.entry), long, k.entry)
		}
		at = f.Op(ir.OpAdd, at, f.Op(ir.OpAnd, going, f.Op(ir.OpOr, equal, none)))
	}
	f.Store(k.state, scanPlace, at, 8)
	f.Store(k.state, scanLong, long, 8)
	return going
}

// scanLoop has bpf_loop do the turns.
func (f texts) scanLoop(k textScan, text ir.Reg, mask int, table bool, turns int) {
	shared := f.flow.shareWords("search", text, k.needle, k.borders, k.state)
	cb := f.flow.callback("search", 2, 1, func(cb *fn, _ []ir.Reg) {
		inner := k
		inner.needle, inner.borders, inner.state = cb.flow.sharedWord(1), cb.flow.sharedWord(2), cb.flow.sharedWord(3)
		cb.Set(cb.result, cb.Op(ir.OpXor, cb.texts.scanTurn(inner, cb.flow.sharedWord(0), mask, table), ir.I(1)))
	})
	f.Do(ir.OpLoop, ir.R(f.Reg(ir.I(int64(turns)))), f.flow.funcAddr(cb), ir.R(shared))
}
