package lower

import (
	"math"

	"fst/compiler/analysis"
	"fst/compiler/check"
	"fst/compiler/ir"
	"fst/compiler/ir/irbuild"
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
	p := f.MapOp(r, ir.OpMapLookup, ir.R(key))
	om := f.obj.Maps[f.maps[m]]
	atomic := om.Kind == object.MapHash || om.Kind == object.MapLRUHash || om.Kind == object.MapArray
	found, missing, done := f.NewBlock(), f.NewBlock(), f.NewBlock()
	f.Branch(ir.Ne, p, ir.I(0), found, missing)

	add := func(p ir.Reg) { f.addTo(m.Value, p, n, atomic) }
	f.SetBlock(found)
	add(p.Reg)
	f.Jump(done)

	f.SetBlock(missing)
	switch {
	case m.Key == nil: // an array always has its value: the verifier's branch
	case m.Value.Size <= 16: // what a number comes to, if any, and how many there were
		init := f.Slot("first", 16)
		last := int32(m.Value.Size - 8)
		if last > 0 {
			f.Store(init, 0, n, 8)
		}
		f.Store(init, last, ir.I(1), 8)
		f.access.insert(r, key, init, false, add)
	default:
		f.access.insert(r, key, f.MapValue(f.zeroes(m.Value.Size), 0), true, add)
	}
	f.Label(done)
}

// addend is what a call gives to a map's aggregation.
func (f aggregates) addend(t *types.Type, call *ast.Call) ir.Operand {
	if of := aggregations[t.Kind].argument; of != nil {
		return of(f.fn, t, call)
	}
	x, div := f.u.Addend(call, t)
	n := f.scalarOf(x)
	if missing := t.Agg.Divisor / div; missing > 1 { // another clause divides by more
		n = f.Op(ir.OpMul, n, ir.R(f.Reg(ir.I(missing))))
	}
	return n
}

// aggregation is how the program counts by one kind.
type aggregation struct {
	// argument is what add is given of a call, if that is not the number that is its first argument.
	argument func(f *fn, t *types.Type, call *ast.Call) ir.Operand
	// add changes the value at p by one more number. inc adds to a word of a value, as the map needs it.
	add func(f *fn, t *types.Type, p ir.Reg, n ir.Operand, inc irbuild.Increment)
	// read adds what a CPU has at p to total and n, which begin as 0; nil if no expression reads it.
	read func(f *fn, t *types.Type, p, total, n ir.Reg)
	// average: what is read is total / n.
	average bool
}

var aggregations map[types.Kind]aggregation

func init() {
	aggregations = map[types.Kind]aggregation{
		types.Count: {
			add: func(f *fn, t *types.Type, p ir.Reg, n ir.Operand, inc irbuild.Increment) { inc(p, 0, ir.I(1)) },
			read: func(f *fn, t *types.Type, p, total, n ir.Reg) {
				f.Emit(ir.Instr{Op: ir.OpAdd, Dst: total, A: ir.R(total), B: f.Load(p, 0, 8, false)})
			},
		},
		types.Sum:   {add: addUp, read: readSum},
		types.Avg:   {add: addUp, read: readSum, average: true},
		types.Stats: {add: addUp, read: readSum, average: true},
		types.Min:   {add: extreme, read: readExtreme},
		types.Max:   {add: extreme, read: readExtreme},
		types.Hist: {add: func(f *fn, t *types.Type, p ir.Reg, n ir.Operand, inc irbuild.Increment) {
			f.CountBucket(p, f.HistIndex(n, t.Agg.K), types.HistBuckets(t.Agg.K), inc)
		}},
		types.LHist: {add: func(f *fn, t *types.Type, p ir.Reg, n ir.Operand, inc irbuild.Increment) {
			f.CountBucket(p, f.LinearIndex(n, t.Agg), t.Agg.LHistBuckets(), inc)
		}},
		types.Quantile: {add: quantile},
		types.TSeries:  {add: timeSlot},
		types.Top:      {argument: rankedKey, add: rank},
	}
}

func addUp(f *fn, t *types.Type, p ir.Reg, n ir.Operand, inc irbuild.Increment) {
	inc(p, 0, n)
	inc(p, 8, ir.I(1))
}

func readSum(f *fn, t *types.Type, p, total, n ir.Reg) {
	f.Emit(ir.Instr{Op: ir.OpAdd, Dst: total, A: ir.R(total), B: f.Load(p, 0, 8, false)})
	f.Emit(ir.Instr{Op: ir.OpAdd, Dst: n, A: ir.R(n), B: f.Load(p, 8, 8, false)})
}

// addTo updates one value of an aggregation at p.
func (f aggregates) addTo(t *types.Type, p ir.Reg, n ir.Operand, atomic bool) {
	aggregations[t.Kind].add(f.fn, t, p, n, func(at ir.Reg, off int32, by ir.Operand) {
		if atomic {
			f.Emit(ir.Instr{Op: ir.OpAtomicAdd, A: ir.R(at), B: ir.R(f.Reg(by)), Off: off, Size: 8})
			return
		}
		f.Store(at, off, f.Op(ir.OpAdd, f.Load(at, off, 8, false), by), 8)
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
func extreme(f *fn, t *types.Type, p ir.Reg, n ir.Operand, inc irbuild.Increment) {
	n = ir.R(f.Reg(n))
	set, done := f.NewBlock(), f.NewBlock()
	f.Guard(ir.Ne, f.Load(p, 8, 8, false), ir.I(0), set)
	f.Branch(better(t), n, f.Load(p, 0, 8, false), set, done)
	f.SetBlock(set)
	f.Store(p, 0, n, 8)
	f.Label(done)
	inc(p, 8, ir.I(1))
}

// readExtreme keeps the smaller or larger of total and what a CPU has; n tells that there is one.
func readExtreme(f *fn, t *types.Type, p, total, n ir.Reg) {
	v := f.Load(p, 0, 8, false)
	set, done := f.NewBlock(), f.NewBlock()
	f.Guard(ir.Ne, f.Load(p, 8, 8, false), ir.I(0), done)
	f.Guard(ir.Ne, ir.R(n), ir.I(0), set)
	f.Branch(better(t), v, ir.R(total), set, done)
	f.SetBlock(set)
	f.Set(total, v)
	f.Set(n, ir.I(1))
	f.Label(done)
}

// quantile keeps the largest number beside its buckets.
func quantile(f *fn, t *types.Type, p ir.Reg, n ir.Operand, inc irbuild.Increment) {
	bias := f.Reg(ir.I(math.MinInt64)) // types.QuantileBias
	biased := ir.R(f.Reg(f.Op(ir.OpXor, n, ir.R(bias))))
	off := int32(types.QuantileMax)
	f.If(ir.UGt, biased, f.Load(p, off, 8, false), func() { f.Store(p, off, biased, 8) })
	f.CountBucket(p, f.HistIndex(n, types.QuantileK), types.HistBuckets(types.QuantileK), inc)
}

// timeSlot adds n to the slot of the current interval, which it takes over
// from an older interval if needed.
func timeSlot(f *fn, t *types.Type, p ir.Reg, n ir.Operand, _ irbuild.Increment) {
	now := f.probed.tai()
	epoch := f.Op(ir.OpDiv, now, ir.R(f.Reg(ir.I(max(t.Agg.Interval, 1)))))
	idx := f.Op(ir.OpMod, epoch, ir.I(int64(t.Agg.Slots)))
	done := f.NewBlock()
	f.Guard(ir.ULt, idx, ir.I(int64(t.Agg.Slots)), done)
	at := f.Op(ir.OpAdd, ir.R(p), f.Op(ir.OpMul, idx, ir.I(24))).Reg
	same := f.NewBlock()
	f.Guard(ir.Ne, f.Load(at, 0, 8, false), epoch, same)
	f.Store(at, 0, epoch, 8)
	f.Store(at, 8, n, 8)
	f.Store(at, 16, ir.I(1), 8)
	f.Jump(done)
	f.SetBlock(same)
	switch t.Agg.Func {
	case types.Avg, types.Sum:
		f.Store(at, 8, f.Op(ir.OpAdd, f.Load(at, 8, 8, false), n), 8)
	case types.Min, types.Max:
		c := ir.SLt
		if t.Agg.Func == types.Max {
			c = ir.SGt
		}
		f.If(c, ir.R(f.Reg(n)), f.Load(at, 8, 8, false), func() { f.Store(at, 8, n, 8) })
	default:
		f.Store(at, 8, n, 8)
	}
	f.Store(at, 16, f.Op(ir.OpAdd, f.Load(at, 16, 8, false), ir.I(1)), 8)
	f.Label(done)
}

// aggRead is the number that an aggregation stands for in an expression.
func (f aggregates) aggRead(r irbuild.Map, m *check.Map, key ir.Reg) ir.Operand {
	total, n := f.access.sinceDrained(r, m, key)
	return f.aggNumber(m.Value, ir.R(total), ir.R(n))
}

// aggNumber is that number by the total of an aggregation and how many values
// there were.
func (f aggregates) aggNumber(t *types.Type, total, n ir.Operand) ir.Operand {
	divide := func(by ir.Operand) ir.Operand {
		if t.Agg.Signed {
			return f.SignedDivide(ir.OpDiv, total, by)
		}
		return f.Op(ir.OpDiv, total, by)
	}
	if aggregations[t.Kind].average {
		total = f.SelectIf(ir.Ne, n, ir.I(0), ir.I(0), func() ir.Operand { return divide(n) })
	}
	if t.Agg.Divisor > 1 {
		total = divide(ir.R(f.Reg(ir.I(t.Agg.Divisor))))
	}
	return total
}

// aggTotal adds up an aggregation over all CPUs: the sum (or the least, or the
// largest) and, of those that keep it, how many values there were.
func (f aggregates) aggTotal(r irbuild.Map, m *check.Map, key ir.Reg) (total, n ir.Reg) {
	om := f.obj.Maps[f.maps[m]]
	total, n = f.NewVar(ir.I(0)), f.NewVar(ir.I(0))
	visitIf := func(p ir.Operand, done *ir.Block) {
		f.Guard(ir.Ne, p, ir.I(0), done)
		aggregations[m.Value.Kind].read(f.fn, m.Value, p.Reg, total, n)
	}
	switch om.Kind {
	case object.MapPerCPUArray, object.MapPerCPUHash, object.MapPerCPULRUHash:
		cpu := f.NewVar(ir.I(0))
		next := f.NewBlock()
		f.CountedLoop(cpu, ir.ULt, ir.I(int64(f.t.CPUs())), next, f.NewBlock(), func() {
			visitIf(f.MapOp(r, ir.OpMapLookupCPU, ir.R(key), ir.R(cpu)), next)
		})
	default:
		done := f.NewBlock()
		visitIf(f.MapOp(r, ir.OpMapLookup, ir.R(key)), done)
		f.Label(done)
	}
	return total, n
}

// rankedKey evaluates the key that a call of top() is given, and returns its address.
func rankedKey(f *fn, t *types.Type, call *ast.Call) ir.Operand {
	size := t.Agg.Ranking().KeySize
	key := f.Slot("ranked", size)
	if size > t.Agg.Elem.Size {
		f.Store(key, int32(size-8), ir.I(0), 8)
	}
	f.exprTo(call.Args[0], t.Agg.Elem, key, 0)
	return ir.R(key)
}

// rank counts a key in the value of top() at p, as types.RankingLayout says. It must not be interrupted by another
// event that does so on the CPU: who comes while the CPU's word is not 0 counts itself as missed. The word is changed
// atomically, so that this holds as well where a thread in the midst of it loses the CPU.
func rank(f *fn, t *types.Type, p ir.Reg, key ir.Operand, _ irbuild.Increment) {
	index := f.Slot("index", 8)
	f.Store(index, 0, ir.I(0), 4)
	busy := f.MapOp(irbuild.Map{Index: f.busy()}, ir.OpMapLookup, ir.R(index))
	atomicAdd := func(at ir.Reg, n int64) {
		f.Emit(ir.Instr{Op: ir.OpAtomicAdd, A: ir.R(at), B: ir.R(f.Reg(ir.I(n))), Size: 8})
	}
	f.If(ir.Ne, busy, ir.I(0), func() {
		atomicAdd(busy.Reg, 1)
		f.IfElse(ir.Ne, f.Load(busy.Reg, 0, 8, false), ir.I(1), func() { atomicAdd(p, 1) }, func() {
			f.Store(p, 8, f.AddConst(f.Load(p, 8, 8, false), 1), 8)
			f.Rank(t.Agg.Ranking(), busy.Reg, p, key.Reg)
		})
		atomicAdd(busy.Reg, -1)
	})
}

// busy is the map with the word of each CPU.
func (l *lowerer) busy() int {
	return l.ownMap(object.Map{Name: "fst_top", Kind: object.MapPerCPUArray, KeySize: 4, ValueSize: 16, MaxEntries: 1})
}
