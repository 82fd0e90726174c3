package check

import (
	"slices"

	"fst/compiler/builtin"
	"fst/compiler/types"
	"fst/lang/ast"
)

// Bounds of aggregations.
const (
	maxHistK   = 5
	maxBuckets = 1000
	maxSlots   = 1_000_000
)

// aggregationCall is x, if it is a call of a function that maps count by, and that.
func aggregationCall(x ast.Expr) (*ast.Call, *builtin.Func) {
	if call, ok := x.(*ast.Call); ok {
		if f, known := builtin.FuncByName(call.Name); known && f.Aggregation != 0 {
			return call, f
		}
	}
	return nil, nil
}

// aggregation checks count() and its like where they may stand: directly on
// the right side of an assignment to a map.
func (u *unitChecker) aggregation(x *ast.Call, f *builtin.Func) *types.Type {
	if n := len(x.Args); n < f.Min || n > f.Max {
		u.misused(x, f, "%s takes %s, but is given %s", x.Name, argCount(f.Min, f.Max), count(n))
		u.args(x.Args)
		return invalid
	}
	argTypes, ok := u.checkArgs(x, f)
	if !ok {
		return invalid
	}
	agg := types.Agg{}
	konst := func(i int) int64 { return u.u.Consts[x.Args[i]] }
	switch f.Aggregation {
	case types.Sum, types.Avg, types.Min, types.Max, types.Stats:
		agg.Signed = argTypes[0].Signed && u.stored(x.Args[0], argTypes[0]) != weakInt
	case types.Hist:
		if len(x.Args) > 1 {
			k := konst(1)
			if k < 0 || k > maxHistK {
				u.errorf(x.Args[1].Pos(), "the k of hist must be from 0 to %d, not %d", maxHistK, k).Hintf("%s: %s", f.Signature, f.Help)
				return invalid
			}
			agg.K = int(k)
		}
	case types.LHist:
		agg.Min, agg.Max, agg.Step = konst(1), konst(2), konst(3)
		if !u.lhistBounds(x, f, agg) {
			return invalid
		}
	case types.TSeries:
		agg.Interval = konst(1)
		slots := konst(2)
		agg.Signed = argTypes[0].Signed
		switch {
		case builtin.SwitchedOff(u.settings["unstable_tseries"].text):
			u.errorf(x.Span, "tseries is switched off by unstable_tseries").Hintf("leave that setting out")
			return invalid
		case agg.Interval < 1:
			u.errorf(x.Args[1].Pos(), "the interval of tseries must be at least 1ns").Hintf("%s", f.Signature)
			return invalid
		case slots < 1 || slots > maxSlots:
			u.errorf(x.Args[2].Pos(), "the number of slots of tseries must be from 1 to %d, not %d", maxSlots, slots).Hintf("%s", f.Signature)
			return invalid
		}
		agg.Slots = int(slots)
		if len(x.Args) > 3 {
			name := u.u.Strings[x.Args[3]]
			if !slices.Contains(f.Words, name) {
				suggest(u.errorf(x.Args[3].Pos(), "tseries has no function %q", name).Hintf("use avg, sum, min or max"), name, "", f.Words)
				return invalid
			}
			of, _ := builtin.FuncByName(name)
			agg.Func = of.Aggregation
		}
	}
	t := builtin.AggregationType(f.Aggregation, agg)
	if len(x.Args) > 0 {
		_, t.Agg.Divisor = u.u.Addend(x, t)
		u.rounded(x, t)
	}
	return t
}

func (u *unitChecker) lhistBounds(x *ast.Call, f *builtin.Func, a types.Agg) bool {
	switch {
	case a.Step < 1:
		u.errorf(x.Args[3].Pos(), "the step of lhist must be at least 1").Hintf("%s", f.Signature)
	case a.Min < 0:
		u.errorf(x.Args[1].Pos(), "the lower bound of lhist can't be negative").Hintf("%s", f.Signature)
	case a.Max <= a.Min:
		u.errorf(x.Args[2].Pos(), "the upper bound of lhist must be above the lower one").Hintf("%s", f.Signature)
	case a.Step > a.Max-a.Min:
		u.errorf(x.Args[3].Pos(), "the step of lhist is larger than its range").Hintf("%s", f.Signature)
	case (a.Max-a.Min)/a.Step > maxBuckets:
		u.errorf(x.Span, "lhist would have %d buckets; at most %d are allowed", (a.Max-a.Min)/a.Step, maxBuckets).Hintf("use a larger step")
	default:
		return true
	}
	return false
}
