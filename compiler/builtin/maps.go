package builtin

import "fst/compiler/types"

var (
	FuncDelete = function(Func{Name: "delete", Family: "maps", Signature: "delete(@map, key) or delete(@map[key])", Min: 1, Max: -1, Args: []ArgKind{MapEntry, Any}, Type: types.BoolType,
		Help: "remove an entry; true if it was there", Example: `delete(@start, tid)`, Effects: DoesDelete})
	FuncClear = function(Func{Name: "clear", Family: "maps", Signature: "clear(@map)", Min: 1, Max: 1, Args: []ArgKind{MapName}, Type: none,
		Help: "remove all entries", Example: `print(@); clear(@)`, Effects: DoesClear})
	FuncZero = function(Func{Name: "zero", Family: "maps", Signature: "zero(@map)", Min: 1, Max: 1, Args: []ArgKind{MapName}, Type: none,
		Help: "set all values to 0 and keep the keys", Example: `zero(@)`, Effects: DoesZero})
	FuncHasKey = function(Func{Name: "has_key", Family: "maps", Signature: "has_key(@map, key)", Min: 2, Max: -1, Args: []ArgKind{MapName, Any}, Type: types.BoolType,
		Help: "true if the map has the key", Example: `/has_key(@start, tid)/`})
	FuncFind = function(Func{Name: "find", Family: "maps", Signature: "find(@map, key, $value)", Min: 3, Max: 3, Args: []ArgKind{MapName, Any, Variable}, Type: types.BoolType,
		Help: "look a key up and copy its value; true if it was there", Example: `if (find(@start, tid, $t)) { print(nsecs - $t) }`, Effects: DoesStore | ReadsValue})
	FuncLen = function(Func{Name: "len", Family: "maps", Signature: "len(@map or stack)", Min: 1, Max: 1, Args: []ArgKind{MapEntry}, Type: types.I64,
		Help: "number of entries of a map, or of frames of a stack", Example: `print(len(@))`, Effects: DoesWalk})
)

var (
	FuncCount = function(Func{Name: "count", Family: "aggregations", Signature: "count()", Aggregation: types.Count,
		Help: "count events", Example: `@[comm] = count()`})
	FuncSum = function(Func{Name: "sum", Family: "aggregations", Signature: "sum(n)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Aggregation: types.Sum,
		Help: "add numbers up", Example: `@bytes[comm] = sum(args.count)`})
	FuncAvg = function(Func{Name: "avg", Family: "aggregations", Signature: "avg(n)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Aggregation: types.Avg,
		Help: "average of numbers", Example: `@[comm] = avg(took)`})
	FuncMin = function(Func{Name: "min", Family: "aggregations", Signature: "min(n)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Aggregation: types.Min,
		Help: "smallest number", Example: `@ = min(took)`})
	FuncMax = function(Func{Name: "max", Family: "aggregations", Signature: "max(n)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Aggregation: types.Max,
		Help: "largest number", Example: `@ = max(took)`})
	FuncStats = function(Func{Name: "stats", Family: "aggregations", Signature: "stats(n)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Aggregation: types.Stats,
		Help: "count, average and total of numbers", Example: `@[comm] = stats(took)`})
	FuncHist = function(Func{Name: "hist", Family: "aggregations", Signature: "hist(n[, k])", Min: 1, Max: 2, Args: []ArgKind{Integer, Constant}, Aggregation: types.Hist,
		Help: "histogram by powers of two, each cut into 2^k buckets (k from 0 to 5); numbers from 2^63 on are negative ones here, as in bpftrace", Example: `@ = hist(took / 1us)`})
	FuncLhist = function(Func{Name: "lhist", Family: "aggregations", Signature: "lhist(n, min, max, step)", Min: 4, Max: 4, Args: []ArgKind{Integer, Constant}, Aggregation: types.LHist,
		Help: "histogram with buckets of the same size", Example: `@ = lhist(cpu, 0, 64, 1)`})
	FuncQuantile = function(Func{Name: "quantile", Family: "aggregations", Signature: "quantile(n)", Min: 1, Max: 1, Args: []ArgKind{Integer}, Aggregation: types.Quantile,
		Help: "percentiles p50 p90 p99 p99.9 and the maximum", Example: `@lat = quantile(took)`})
	FuncTseries = function(Func{Name: "tseries", Family: "aggregations", Signature: `tseries(n, interval, slots[, "avg"|"sum"|"min"|"max"])`, Min: 3, Max: 4, Args: []ArgKind{Integer, Constant, Constant, Literal}, Words: []string{"avg", "sum", "min", "max"}, Aggregation: types.TSeries,
		Help: "the newest slots of a series over time", Example: `@ = tseries(took, 1s, 10, "max")`})
)
