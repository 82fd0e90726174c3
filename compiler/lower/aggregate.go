package lower

import (
	"math"

	"fst/compiler/analysis"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/object"
	"fst/compiler/types"
	"fst/lang/ast"
)

// aggregates counts, and reads what was counted.
type aggregates struct{ *fn }

// aggregate is @m[k] = count() and the like: find this CPU's value (making it
// if needed) and change it in place.
func (f aggregates) aggregate(m *check.Map, x *ast.Map, call *ast.Call) {
	var n ir.Operand
	var key ir.Reg
	switch {
	case len(call.Args) == 0:
		key = f.access.key(m, x.Keys)
	case analysis.HasEffects(x.Keys...) || analysis.HasEffects(call.Args[0]): // the key comes first, as it is written
		key = f.access.key(m, x.Keys)
		n = f.addend(m.Value, call)
	default:
		n = f.addend(m.Value, call)
		key = f.access.key(m, x.Keys)
	}
	r := f.access.ref(m)
	p := f.on(r, ir.OpMapLookup, ir.R(key))
	om := f.obj.Maps[f.maps[m]]
	atomic := om.Kind == object.MapHash || om.Kind == object.MapLRUHash || om.Kind == object.MapArray
	found, missing, done := f.block(), f.block(), f.block()
	f.branch(ir.Ne, p, ir.I(0), found, missing)

	add := func(p ir.Reg) { f.addTo(m.Value, p, n, atomic) }
	f.use(found)
	add(p.Reg)
	f.jump(done)

	f.use(missing)
	switch {
	case m.Key == nil: // an array always has its value: the verifier's branch
	case m.Value.Size <= 16: // what a number comes to, if any, and how many there were
		init := f.slot("first", 16)
		last := int32(m.Value.Size - 8)
		if last > 0 {
			f.store(init, 0, n, 8)
		}
		f.store(init, last, ir.I(1), 8)
		f.access.insert(r, key, init, false, add)
	default:
		f.access.insert(r, key, f.mapValue(f.zeroes(m.Value.Size), 0), true, add)
	}
	f.goOn(done)
}

// addend is what a call gives to a map's aggregation.
func (f aggregates) addend(t *types.Type, call *ast.Call) ir.Operand {
	if of := aggregations[t.Kind].argument; of != nil {
		return of(f.fn, t, call)
	}
	x, div := f.u.Addend(call, t)
	n := f.scalarOf(x)
	if missing := t.Agg.Divisor / div; missing > 1 { // another clause divides by more
		n = f.op(ir.OpMul, n, ir.R(f.reg(ir.I(missing))))
	}
	return n
}

// aggregation is how the program counts by one kind.
type aggregation struct {
	// argument is what add is given of a call, if that is not the number that is its first argument.
	argument func(f *fn, t *types.Type, call *ast.Call) ir.Operand
	// add changes the value at p by one more number. inc adds to a word of a value, as the map needs it.
	add func(f *fn, t *types.Type, p ir.Reg, n ir.Operand, inc increment)
	// read adds what a CPU has at p to total and n, which begin as 0; nil if no expression reads it.
	read func(f *fn, t *types.Type, p, total, n ir.Reg)
	// average: what is read is total / n.
	average bool
}

type increment func(at ir.Reg, off int32, by ir.Operand)

var aggregations map[types.Kind]aggregation

func init() {
	aggregations = map[types.Kind]aggregation{
		types.Count: {
			add: func(f *fn, t *types.Type, p ir.Reg, n ir.Operand, inc increment) { inc(p, 0, ir.I(1)) },
			read: func(f *fn, t *types.Type, p, total, n ir.Reg) {
				f.emit(ir.Instr{Op: ir.OpAdd, Dst: total, A: ir.R(total), B: f.load(p, 0, 8, false)})
			},
		},
		types.Sum:   {add: addUp, read: readSum},
		types.Avg:   {add: addUp, read: readSum, average: true},
		types.Stats: {add: addUp, read: readSum, average: true},
		types.Min:   {add: extreme, read: readExtreme},
		types.Max:   {add: extreme, read: readExtreme},
		types.Hist: {add: func(f *fn, t *types.Type, p ir.Reg, n ir.Operand, inc increment) {
			f.aggregates.bucket(p, f.aggregates.histIndex(n, t.Agg.K), types.HistBuckets(t.Agg.K), inc)
		}},
		types.LHist: {add: func(f *fn, t *types.Type, p ir.Reg, n ir.Operand, inc increment) {
			f.aggregates.bucket(p, f.aggregates.lhistIndex(n, t.Agg), t.Agg.LHistBuckets(), inc)
		}},
		types.Quantile: {add: quantile},
		types.TSeries:  {add: timeSlot},
		types.Top:      {argument: rankedKey, add: rank},
	}
}

func addUp(f *fn, t *types.Type, p ir.Reg, n ir.Operand, inc increment) {
	inc(p, 0, n)
	inc(p, 8, ir.I(1))
}

func readSum(f *fn, t *types.Type, p, total, n ir.Reg) {
	f.emit(ir.Instr{Op: ir.OpAdd, Dst: total, A: ir.R(total), B: f.load(p, 0, 8, false)})
	f.emit(ir.Instr{Op: ir.OpAdd, Dst: n, A: ir.R(n), B: f.load(p, 8, 8, false)})
}

// addTo updates one value of an aggregation at p.
func (f aggregates) addTo(t *types.Type, p ir.Reg, n ir.Operand, atomic bool) {
	aggregations[t.Kind].add(f.fn, t, p, n, func(at ir.Reg, off int32, by ir.Operand) {
		if atomic {
			f.emit(ir.Instr{Op: ir.OpAtomicAdd, A: ir.R(at), B: ir.R(f.reg(by)), Off: off, Size: 8})
			return
		}
		f.store(at, off, f.op(ir.OpAdd, f.load(at, off, 8, false), by), 8)
	})
}

// better is the comparison by which a number takes the place of a minimum or maximum.
func better(t *types.Type) ir.Cond {
	switch least := t.Kind == types.Min; {
	case least && t.Agg.Signed:
		return ir.SLt
	case least:
		return ir.ULt
	case t.Agg.Signed:
		return ir.SGt
	}
	return ir.UGt
}

// extreme keeps the smaller or larger of the value and n; the first n wins.
func extreme(f *fn, t *types.Type, p ir.Reg, n ir.Operand, inc increment) {
	n = ir.R(f.reg(n))
	set, done := f.block(), f.block()
	f.goOnIf(ir.Ne, f.load(p, 8, 8, false), ir.I(0), set)
	f.branch(better(t), n, f.load(p, 0, 8, false), set, done)
	f.use(set)
	f.store(p, 0, n, 8)
	f.goOn(done)
	inc(p, 8, ir.I(1))
}

// readExtreme keeps the smaller or larger of total and what a CPU has; n tells that there is one.
func readExtreme(f *fn, t *types.Type, p, total, n ir.Reg) {
	v := f.load(p, 0, 8, false)
	set, done := f.block(), f.block()
	f.goOnIf(ir.Ne, f.load(p, 8, 8, false), ir.I(0), done)
	f.goOnIf(ir.Ne, ir.R(n), ir.I(0), set)
	f.branch(better(t), v, ir.R(total), set, done)
	f.use(set)
	f.set(total, v)
	f.set(n, ir.I(1))
	f.goOn(done)
}

// quantile keeps the largest number beside its buckets.
func quantile(f *fn, t *types.Type, p ir.Reg, n ir.Operand, inc increment) {
	bias := f.reg(ir.I(math.MinInt64)) // types.QuantileBias
	biased := ir.R(f.reg(f.op(ir.OpXor, n, ir.R(bias))))
	off := int32(types.QuantileMax)
	f.when(ir.UGt, biased, f.load(p, off, 8, false), func() { f.store(p, off, biased, 8) })
	f.aggregates.bucket(p, f.aggregates.histIndex(n, types.QuantileK), types.HistBuckets(types.QuantileK), inc)
}

// bucket adds one to bucket idx. The comparison with the number of buckets is
// what lets the verifier follow the address.
func (f aggregates) bucket(p ir.Reg, idx ir.Operand, buckets int, inc increment) {
	f.when(ir.ULt, idx, ir.I(int64(buckets)), func() {
		at := f.op(ir.OpAdd, ir.R(p), f.op(ir.OpLsh, idx, ir.I(3)))
		inc(at.Reg, 0, ir.I(1))
	})
}

// histIndex is the bucket of hist(n, k): output-formats §4.2.
func (f aggregates) histIndex(n ir.Operand, k int) ir.Operand {
	n = ir.R(f.reg(n))
	out := f.fresh(ir.I(0)) // negative numbers share bucket 0
	big, done := f.block(), f.block()
	f.goOnIf(ir.SGe, n, ir.I(0), done)
	f.goOnIf(ir.ULt, n, ir.I(1<<k), big)
	f.set(out, f.add(n, 1))
	f.jump(done)
	f.use(big)
	// floor(log2 n) by halving: six comparisons.
	rest := f.fresh(n)
	l := f.fresh(ir.I(0))
	for _, w := range []int64{32, 16, 8, 4, 2, 1} {
		limit := ir.I(int64(1) << w)
		if w == 32 {
			limit = ir.R(f.reg(limit))
		}
		f.when(ir.UGe, ir.R(rest), limit, func() {
			f.emit(ir.Instr{Op: ir.OpRsh, Dst: rest, A: ir.R(rest), B: ir.I(w)})
			f.emit(ir.Instr{Op: ir.OpAdd, Dst: l, A: ir.R(l), B: ir.I(w)})
		})
	}
	if k == 0 {
		f.set(out, f.add(ir.R(l), 2))
	} else {
		shift := f.op(ir.OpSub, ir.R(l), ir.I(int64(k)))
		sub := f.op(ir.OpAnd, f.op(ir.OpRsh, n, shift), ir.I(1<<k-1))
		row := f.op(ir.OpLsh, f.op(ir.OpAdd, shift, ir.I(1)), ir.I(int64(k)))
		f.set(out, f.op(ir.OpAdd, f.op(ir.OpAdd, row, sub), ir.I(1)))
	}
	f.goOn(done)
	return ir.R(out)
}

// lhistIndex is the bucket of lhist: output-formats §4.4.
func (f aggregates) lhistIndex(n ir.Operand, a types.Agg) ir.Operand {
	n = ir.R(f.reg(n))
	out := f.fresh(ir.I(0))
	inside, done := f.block(), f.block()
	f.goOnIf(ir.SGe, n, ir.R(f.reg(ir.I(a.Min))), done)
	f.goOnIf(ir.SGt, n, ir.R(f.reg(ir.I(a.Max))), inside)
	f.set(out, ir.I(1+(a.Max-a.Min)/max(a.Step, 1)))
	f.jump(done)
	f.use(inside)
	f.set(out, f.add(f.op(ir.OpDiv, f.op(ir.OpSub, n, ir.R(f.reg(ir.I(a.Min)))), ir.R(f.reg(ir.I(max(a.Step, 1))))), 1))
	f.goOn(done)
	return ir.R(out)
}

// timeSlot adds n to the slot of the current interval, which it takes over
// from an older interval if needed.
func timeSlot(f *fn, t *types.Type, p ir.Reg, n ir.Operand, _ increment) {
	now := f.probed.tai()
	epoch := f.op(ir.OpDiv, now, ir.R(f.reg(ir.I(max(t.Agg.Interval, 1)))))
	idx := f.op(ir.OpMod, epoch, ir.I(int64(t.Agg.Slots)))
	done := f.block()
	f.goOnIf(ir.ULt, idx, ir.I(int64(t.Agg.Slots)), done)
	at := f.op(ir.OpAdd, ir.R(p), f.op(ir.OpMul, idx, ir.I(24))).Reg
	same := f.block()
	f.goOnIf(ir.Ne, f.load(at, 0, 8, false), epoch, same)
	f.store(at, 0, epoch, 8)
	f.store(at, 8, n, 8)
	f.store(at, 16, ir.I(1), 8)
	f.jump(done)
	f.use(same)
	switch t.Agg.Func {
	case types.Avg, types.Sum:
		f.store(at, 8, f.op(ir.OpAdd, f.load(at, 8, 8, false), n), 8)
	case types.Min, types.Max:
		c := ir.SLt
		if t.Agg.Func == types.Max {
			c = ir.SGt
		}
		f.when(c, ir.R(f.reg(n)), f.load(at, 8, 8, false), func() { f.store(at, 8, n, 8) })
	default:
		f.store(at, 8, n, 8)
	}
	f.store(at, 16, f.op(ir.OpAdd, f.load(at, 16, 8, false), ir.I(1)), 8)
	f.goOn(done)
}

// aggRead is the number that an aggregation stands for in an expression.
func (f aggregates) aggRead(r mapRef, m *check.Map, key ir.Reg) ir.Operand {
	total, n := f.access.sinceDrained(r, m, key)
	return f.aggNumber(m.Value, ir.R(total), ir.R(n))
}

// aggNumber is that number by the total of an aggregation and how many values
// there were.
func (f aggregates) aggNumber(t *types.Type, total, n ir.Operand) ir.Operand {
	divide := func(by ir.Operand) ir.Operand {
		if t.Agg.Signed {
			return f.numbers.signedDivide(ir.OpDiv, total, by)
		}
		return f.op(ir.OpDiv, total, by)
	}
	if aggregations[t.Kind].average {
		total = f.valueIf(ir.Ne, n, ir.I(0), ir.I(0), func() ir.Operand { return divide(n) })
	}
	if t.Agg.Divisor > 1 {
		total = divide(ir.R(f.reg(ir.I(t.Agg.Divisor))))
	}
	return total
}

// aggTotal adds up an aggregation over all CPUs: the sum (or the least, or the
// largest) and, of those that keep it, how many values there were.
func (f aggregates) aggTotal(r mapRef, m *check.Map, key ir.Reg) (total, n ir.Reg) {
	om := f.obj.Maps[f.maps[m]]
	total, n = f.fresh(ir.I(0)), f.fresh(ir.I(0))
	visitIf := func(p ir.Operand, done *ir.Block) {
		f.goOnIf(ir.Ne, p, ir.I(0), done)
		aggregations[m.Value.Kind].read(f.fn, m.Value, p.Reg, total, n)
	}
	switch om.Kind {
	case object.MapPerCPUArray, object.MapPerCPUHash, object.MapPerCPULRUHash:
		cpu := f.fresh(ir.I(0))
		next := f.block()
		f.upTo(cpu, ir.ULt, ir.I(int64(f.t.CPUs())), next, f.block(), func() {
			visitIf(f.on(r, ir.OpMapLookupCPU, ir.R(key), ir.R(cpu)), next)
		})
	default:
		done := f.block()
		visitIf(f.on(r, ir.OpMapLookup, ir.R(key)), done)
		f.goOn(done)
	}
	return total, n
}

// rankedKey evaluates the key that a call of top() is given, and returns its address.
func rankedKey(f *fn, t *types.Type, call *ast.Call) ir.Operand {
	size := t.Agg.Ranking().KeySize
	key := f.slot("ranked", size)
	if size > t.Agg.Elem.Size {
		f.store(key, int32(size-8), ir.I(0), 8)
	}
	f.exprTo(call.Args[0], t.Agg.Elem, key, 0)
	return ir.R(key)
}

// rank counts a key in the value of top() at p, as types.RankingLayout says. It must not be interrupted by another
// event that does so on the CPU: who comes while the CPU's word is not 0 counts itself as missed. The word is changed
// atomically, so that this holds as well where a thread in the midst of it loses the CPU.
func rank(f *fn, t *types.Type, p ir.Reg, key ir.Operand, _ increment) {
	index := f.slot("index", 8)
	f.store(index, 0, ir.I(0), 4)
	busy := f.on(mapRef{index: f.busy()}, ir.OpMapLookup, ir.R(index))
	atomicAdd := func(at ir.Reg, n int64) {
		f.emit(ir.Instr{Op: ir.OpAtomicAdd, A: ir.R(at), B: ir.R(f.reg(ir.I(n))), Size: 8})
	}
	f.when(ir.Ne, busy, ir.I(0), func() {
		atomicAdd(busy.Reg, 1)
		f.either(ir.Ne, f.load(busy.Reg, 0, 8, false), ir.I(1), func() { atomicAdd(p, 1) }, func() {
			f.store(p, 8, f.add(f.load(p, 8, 8, false), 1), 8)
			f.aggregates.rankIn(t.Agg.Ranking(), busy.Reg, p, key.Reg)
		})
		atomicAdd(busy.Reg, -1)
	})
}

// busy is the map with the word of each CPU.
func (l *lowerer) busy() int {
	return l.ownMap(object.Map{Name: "fst_top", Kind: object.MapPerCPUArray, KeySize: 4, ValueSize: 16, MaxEntries: 1})
}

// rankIn counts a key in its set. busy has room for a number.
func (f aggregates) rankIn(l types.RankingLayout, busy, p, key ir.Reg) {
	hash := ir.I(0)
	f.eachWord(0, l.KeySize, func(off int32, _ int) { hash = f.hashFrame(hash, f.load(key, off, 8, false)) })
	set := f.add(ir.R(p), 16).Reg
	if l.Sets > 1 {
		number := f.op(ir.OpAnd, f.op(ir.OpRsh, hash, ir.I(32)), ir.I(int64(l.Sets-1)))
		set = f.op(ir.OpAdd, ir.R(set), f.op(ir.OpMul, number, ir.I(int64(l.SetSize())))).Reg
	}
	give, done := f.block(), f.block()
	// The number of the slot goes through memory: the verifier would else follow each one to the end.
	least, index := f.fresh(ir.I(0)), f.fresh(ir.I(0))
	slot := func(i int) int32 { return int32(8 + i*l.SlotSize()) }
	for i := range types.RankingWays {
		n := f.load(set, slot(i), 8, false)
		other := f.block()
		f.set(index, ir.I(int64(i)))
		f.goOnIf(ir.Ne, n, ir.I(0), give) // a free one
		f.eachWord(0, l.KeySize, func(off int32, _ int) {
			f.goOnIf(ir.Eq, f.load(set, slot(i)+16+off, 8, false), f.load(key, off, 8, false), other)
		})
		f.store(set, slot(i), f.add(n, 1), 8)
		f.jump(done)
		f.use(other)
	}
	f.set(index, ir.I(0))
	f.set(least, f.load(set, slot(0), 8, false))
	for i := 1; i < types.RankingWays; i++ {
		n := f.load(set, slot(i), 8, false)
		f.when(ir.ULt, n, ir.R(least), func() {
			f.set(least, n)
			f.set(index, ir.I(int64(i)))
		})
	}
	f.goOn(give)
	f.store(busy, 8, ir.R(index), 8)
	number := f.op(ir.OpAnd, f.load(busy, 8, 8, false), ir.I(types.RankingWays-1))
	at := f.op(ir.OpAdd, ir.R(set), f.op(ir.OpMul, number, ir.I(int64(l.SlotSize())))).Reg
	before := int32(l.SetSize() - 8)
	changes := f.add(f.load(set, before, 8, false), 1)
	f.store(set, before, changes, 8)
	f.store(at, 16, ir.R(least), 8)
	f.copyMem(at, 24, key, 0, l.KeySize)
	f.store(at, 8, f.add(ir.R(least), 1), 8)
	f.store(set, 0, changes, 8)
	f.goOn(done)
}
