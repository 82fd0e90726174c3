package value

import (
	"time"

	"fst/compiler/types"
)

// Any returns the value as an ordinary Go value that shares no memory with v:
//
//	int, enum                int64 or uint64, by signedness
//	bool                     bool
//	string, char array       string
//	buffer                   []byte
//	tuple, array             []any
//	record, struct, union    map[string]any
//	pointer and other ids    uint64
//	errno, signal            int64
//	ksym, usym, func         Address
//	kstack, ustack           Stack
//	inet, mac                netip.Addr, net.HardwareAddr
//	timestamp                time.Duration since the system's start
//	count, sum, min, max, avg  int64 or uint64
//	stats                    Totals
//	hist, lhist, quantile    Histogram
//	tseries                  []Slot
func (v Value) Any() any {
	switch v.Type.Kind {
	case types.Bool:
		return v.Bool()
	case types.String:
		return string(v.Bytes())
	case types.Buffer:
		return append([]byte{}, v.Bytes()...)
	case types.Array:
		if v.Type.IsCharArray() {
			return string(v.Bytes())
		}
		list := make([]any, v.Len())
		for i := range list {
			list[i] = v.Index(i).Any()
		}
		return list
	case types.Tuple:
		list := []any{}
		for _, f := range v.Fields() {
			list = append(list, f.Any())
		}
		return list
	case types.Record, types.Struct, types.Union:
		m := map[string]any{}
		for name, f := range v.Fields() {
			m[name] = f.Any()
		}
		return m
	case types.KSym, types.USym, types.Func:
		return v.Address()
	case types.KStack, types.UStack:
		return v.Stack()
	case types.Inet:
		return v.IP()
	case types.MAC:
		return v.Clone().MAC()
	case types.Timestamp:
		return time.Duration(v.Int())
	case types.Stats:
		return v.Totals()
	case types.Hist, types.LHist, types.Quantile:
		return v.Histogram()
	case types.TSeries:
		return v.Series()
	case types.None, types.Invalid:
		return nil
	}
	if v.Signed() {
		return v.Int()
	}
	return v.Uint()
}
