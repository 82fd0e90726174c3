package value

import (
	"bytes"
	"cmp"
	"slices"

	"fst/compiler/types"
)

// Sort puts the entries of a map in the order they are shown: by value where
// the value is a number or a histogram (its total), else by key. Entries with
// the same value are ordered by key.
func Sort(key, val *types.Type, entries []Entry) {
	if key == nil || len(entries) < 2 {
		return
	}
	byValue := false
	type weighted struct {
		weight uint64 // unsigned order is the order of the values
		Entry
	}
	list := make([]weighted, len(entries))
	for i, e := range entries {
		list[i].Entry = e
		list[i].weight, byValue = weight(Of(val, e.Value))
	}
	slices.SortFunc(list, func(a, b weighted) int {
		if byValue && a.weight != b.weight {
			return cmp.Compare(a.weight, b.weight)
		}
		return Compare(Of(key, a.Key), Of(key, b.Key))
	})
	for i := range list {
		entries[i] = list[i].Entry
	}
}

// weight maps a value to an unsigned number of the same order; ok is false
// if values of this type do not order a map.
func weight(v Value) (w uint64, ok bool) {
	if v.Type.Kind == types.Int || v.Type.Kind == types.Enum {
		return ordered(v.Uint(), v.Signed()), true
	}
	if agg := v.Type.Kind.Aggregation(); agg != nil && agg.Weight != nil {
		return ordered(agg.Weight(v.Data, &v.Type.Agg), v.Signed()), true
	}
	return 0, false
}

func ordered(n uint64, signed bool) uint64 {
	if signed {
		return n ^ 1<<63
	}
	return n
}

// Compare orders two values of one type: numbers by size, texts by bytes,
// tuples, records, structs and arrays by their first element that differs.
func Compare(a, b Value) int {
	if a.Type.Kind.IsNumber() {
		return cmp.Compare(ordered(a.Uint(), a.Signed()), ordered(b.Uint(), b.Signed()))
	}
	switch a.Type.Kind {
	case types.Bool, types.Enum, types.Pointer, types.KSym, types.Timestamp, types.CgroupPath, types.Container, types.Pod, types.Username,
		types.ProbeName, types.Syscall, types.Errno, types.SignalName:
		return cmp.Compare(ordered(a.Uint(), a.Signed()), ordered(b.Uint(), b.Signed()))
	case types.String, types.Buffer, types.MAC:
		return bytes.Compare(a.Bytes(), b.Bytes())
	case types.USym, types.Func:
		x, y := a.Address(), b.Address()
		return cmp.Or(cmp.Compare(x.Addr, y.Addr), cmp.Compare(x.PID, y.PID))
	case types.KStack, types.UStack:
		x, y := a.Stack(), b.Stack()
		return cmp.Or(cmp.Compare(x.ID, y.ID), cmp.Compare(x.PID, y.PID))
	case types.Inet:
		return a.IP().Compare(b.IP())
	case types.Tuple, types.Record, types.Struct, types.Union:
		for _, f := range a.Type.Fields() {
			if c := Compare(member(a, f), member(b, f)); c != 0 {
				return c
			}
		}
		return 0
	case types.Array:
		if a.Type.IsCharArray() {
			return bytes.Compare(a.Bytes(), b.Bytes())
		}
		for i := 0; i < min(a.Len(), b.Len()); i++ {
			if c := Compare(a.Index(i), b.Index(i)); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.Len(), b.Len())
	}
	return bytes.Compare(a.Data, b.Data)
}
