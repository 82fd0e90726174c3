package builtin

import (
	"fmt"
	"slices"

	"fst/compiler/types"
)

var (
	FuncDelete = function(Func{Name: "delete", Family: "maps", Signature: "delete(@map, key) or delete(@map[key])", Min: 1, Max: -1, Args: []ArgKind{MapEntry, Any}, Type: types.BoolType,
		Help: "remove an entry; true if it was there", Example: `delete(@start, tid)`, Effects: DoesDelete, Form: Deleting})
	FuncClear = function(Func{Name: "clear", Family: "maps", Signature: "clear(@map)", Min: 1, Max: 1, Args: []ArgKind{MapName}, Type: none,
		Help: "remove all entries", Example: `print(@); clear(@)`, Effects: DoesClear, Form: WholeMap})
	FuncZero = function(Func{Name: "zero", Family: "maps", Signature: "zero(@map)", Min: 1, Max: 1, Args: []ArgKind{MapName}, Type: none,
		Help: "set all values to 0 and keep the keys", Example: `zero(@)`, Effects: DoesZero, Form: WholeMap})
	FuncHasKey = function(Func{Name: "has_key", Family: "maps", Signature: "has_key(@map, key)", Min: 2, Max: -1, Args: []ArgKind{MapName, Any}, Type: types.BoolType,
		Help: "true if the map has the key", Example: `/has_key(@start, tid)/`, Form: KeyLookup})
	FuncFind = function(Func{Name: "find", Family: "maps", Signature: "find(@map, key, $value)", Min: 3, Max: 3, Args: []ArgKind{MapName, Any, Variable}, Type: types.BoolType,
		Help: "look a key up and copy its value; true if it was there", Example: `if (find(@start, tid, $t)) { print(nsecs - $t) }`, Effects: DoesStore | ReadsValue, Form: Finding})
	FuncLen = function(Func{Name: "len", Family: "maps", Signature: "len(@map or stack)", Min: 1, Max: 1, Args: []ArgKind{MapEntry}, Type: types.I64,
		Help: "number of entries of a map, or of frames of a stack", Example: `print(len(@))`, Effects: DoesWalk, Form: Length})
)

var (
	FuncCount = function(Func{Name: "count", Family: "aggregations", Signature: "count()", Aggregation: types.Count,
		Help: "count events", Example: `@[comm] = count()`})
	FuncSum = function(Func{Name: "sum", Family: "aggregations", Signature: "sum(n)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Aggregation: types.Sum, Parameters: ofNumber,
		Help: "add numbers up", Example: `@bytes[comm] = sum(args.count)`})
	FuncAvg = function(Func{Name: "avg", Family: "aggregations", Signature: "avg(n)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Aggregation: types.Avg, Parameters: ofNumber,
		Help: "average of numbers", Example: `@[comm] = avg(took)`})
	FuncMin = function(Func{Name: "min", Family: "aggregations", Signature: "min(n)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Aggregation: types.Min, Picks: "<", Parameters: ofNumber,
		Help: "smallest number", Example: `@ = min(took)`})
	FuncMax = function(Func{Name: "max", Family: "aggregations", Signature: "max(n)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Aggregation: types.Max, Picks: ">", Parameters: ofNumber,
		Help: "largest number", Example: `@ = max(took)`})
	FuncStats = function(Func{Name: "stats", Family: "aggregations", Signature: "stats(n)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Aggregation: types.Stats, Parameters: ofNumber,
		Help: "count, average and total of numbers", Example: `@[comm] = stats(took)`})
	FuncHist = function(Func{Name: "hist", Family: "aggregations", Signature: "hist(n[, k])", Min: 1, Max: 2, Args: []ArgKind{Integer, Constant}, Aggregation: types.Hist, Parameters: ofHist,
		Help: "histogram by powers of two, each divided into 2^k buckets (k from 0 to 5); numbers from 2^63 on count as negative, as in bpftrace", Example: `@ = hist(took / 1us)`})
	FuncLhist = function(Func{Name: "lhist", Family: "aggregations", Signature: "lhist(n, min, max, step)", Min: 4, Max: 4, Args: []ArgKind{Integer, Constant}, Aggregation: types.LHist, Parameters: ofLHist,
		Help: "histogram with buckets of the same size", Example: `@ = lhist(cpu, 0, 64, 1)`})
	FuncQuantile = function(Func{Name: "quantile", Family: "aggregations", Signature: "quantile(n)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Aggregation: types.Quantile,
		Help: "percentiles p50 p90 p99 p99.9 and the maximum", Example: `@lat = quantile(took)`})
	FuncTseries = function(Func{Name: "tseries", Family: "aggregations", Signature: `tseries(n, interval, slots[, "avg"|"sum"|"min"|"max"])`, Min: 3, Max: 4, Args: []ArgKind{Integer, Constant, Constant, Literal}, Words: []string{"avg", "sum", "min", "max"}, Aggregation: types.TSeries, Parameters: ofTSeries,
		Help: "values over time: the newest slots of one interval each", Example: `@ = tseries(took, 1s, 10, "max")`})
	FuncTop = function(Func{Name: "top", Family: "aggregations", Signature: "top(key, n)", Min: 2, Max: 2, Args: []ArgKind{Any, Constant}, Aggregation: types.Top, Parameters: ofTop,
		Help: "the n most frequent keys, in memory that does not grow: a key occurred at most count times and at least count - error times; error is 0 while all keys fit", Example: `@ = top(comm, 10)`})
)

// Bounds of aggregations.
const (
	maxHistK   = 5
	maxBuckets = 1000
	maxSlots   = 1_000_000
	maxTop     = 500
)

// AggArgs are the arguments of a call that makes an aggregation. Each has the kind that the record says.
type AggArgs struct {
	Func  *Func
	Types []*types.Type
	// Consts are the constant numbers, and Texts the constant texts: one of Words, where the record has some.
	Consts []int64
	Texts  []string
	// Kept is the type under which maps keep the first one.
	Kept *types.Type
	// Weak tells that the first is a constant that has no sign of its own.
	Weak bool
	// Setting is the text of a setting of the script.
	Setting func(name string) string
}

// Fault is what is wrong with a call: with one of its arguments, or with all of it.
type Fault struct {
	Arg           int // WholeCall, or which argument
	Message, Hint string
	// Near, if set, finds what may be meant instead, which costs more than the rest; "" if there is nothing.
	Near func() string
	// Unfit: the message ends with what the argument is.
	Unfit bool
}

// WholeCall is Fault.Arg of what is not the fault of one argument.
const WholeCall = -1

func faultf(arg int, hint, format string, args ...any) (types.Agg, *Fault) {
	return types.Agg{}, &Fault{Arg: arg, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func ofNumber(args AggArgs) (types.Agg, *Fault) {
	return types.Agg{Signed: args.Types[0].Signed && !args.Weak}, nil
}

func ofHist(args AggArgs) (types.Agg, *Fault) {
	if len(args.Consts) < 2 {
		return types.Agg{}, nil
	}
	k := args.Consts[1]
	if k < 0 || k > maxHistK {
		return faultf(1, args.Func.Signature+": "+args.Func.Help, "the k of hist must be from 0 to %d, not %d", maxHistK, k)
	}
	return types.Agg{K: int(k)}, nil
}

func ofLHist(args AggArgs) (types.Agg, *Fault) {
	a := types.Agg{Min: args.Consts[1], Max: args.Consts[2], Step: args.Consts[3]}
	signature := args.Func.Signature
	switch {
	case a.Step < 1:
		return faultf(3, signature, "the step of lhist must be at least 1")
	case a.Min < 0:
		return faultf(1, signature, "the lower bound of lhist can't be negative")
	case a.Max <= a.Min:
		return faultf(2, signature, "the upper bound of lhist must be above the lower one")
	case a.Step > a.Max-a.Min:
		return faultf(3, signature, "the step of lhist is larger than its range")
	case (a.Max-a.Min)/a.Step > maxBuckets:
		return faultf(WholeCall, "use a larger step", "lhist would have %d buckets; at most %d are allowed", (a.Max-a.Min)/a.Step, maxBuckets)
	}
	return a, nil
}

func ofTSeries(args AggArgs) (types.Agg, *Fault) {
	interval, slots := args.Consts[1], args.Consts[2]
	a := types.Agg{Interval: interval, Slots: int(slots), Signed: args.Types[0].Signed}
	switch {
	case SwitchedOff(args.Setting("unstable_tseries")):
		return faultf(WholeCall, "leave that setting out", "tseries is switched off by unstable_tseries")
	case interval < 1:
		return faultf(1, args.Func.Signature, "the interval of tseries must be at least 1ns")
	case slots < 1 || slots > maxSlots:
		return faultf(2, args.Func.Signature, "the number of slots of tseries must be from 1 to %d, not %d", maxSlots, slots)
	}
	if len(args.Texts) > 3 {
		a.Func = map[string]types.Kind{"avg": types.Avg, "sum": types.Sum, "min": types.Min, "max": types.Max}[args.Texts[3]]
	}
	return a, nil
}

func ofTop(args AggArgs) (types.Agg, *Fault) {
	a, signature := types.Agg{Elem: args.Kept}, args.Func.Signature
	if holdsAggregation(a.Elem) {
		return faultf(0, "use the number itself as the key and format it when it is printed", "a value of type %s can't be a key", a.Elem)
	}
	if n := args.Consts[1]; n < 1 || n > maxTop {
		return faultf(1, signature, "the n of top must be from 1 to %d, not %d", maxTop, n)
	}
	a.N = int(args.Consts[1])
	if l := a.Ranking(); l.Slots() < 2*a.N || l.SetSize() > types.MostRanking/2 {
		return faultf(WholeCall, "ask for fewer keys, or shorten them: str(x, 32)", "%d keys of %d bytes do not fit into the %d bytes that top() has", a.N, l.KeySize, types.MostRanking)
	}
	return a, nil
}

func holdsAggregation(t *types.Type) bool {
	return t.Kind.IsAggregation() || slices.ContainsFunc(parts(t), func(f types.Field) bool { return holdsAggregation(f.Type) })
}

// parts are those of a tuple or a record.
func parts(t *types.Type) []types.Field {
	if t.Kind == types.Tuple || t.Kind == types.Record {
		return t.Fields()
	}
	return nil
}
