package render

import (
	"testing"

	"fst/compiler/types"
)

// seriesOf builds a tseries from pairs of an epoch, counted from the fake
// system's start, and a value.
func seriesOf(interval int64, slots int, f types.Kind, pairs ...int64) operand {
	typ := &types.Type{Kind: types.TSeries, Size: 24 * slots, Agg: types.Agg{Interval: interval, Slots: slots, Func: f}}
	o := operand{typ: typ}
	start := bootTime.Add(fakeSystem{}.TAIOffset()).UnixNano() / interval
	for i := 0; i < len(pairs); i += 2 {
		o.data = append(append(append(o.data, num(start+pairs[i])...), num(pairs[i+1])...), num(1)...)
	}
	o.data = append(o.data, make([]byte, typ.Size-len(o.data))...)
	return o
}

func TestSeries(t *testing.T) {
	b := newBoth()
	// 04:04:24.600 is 264.6 s after the fake system's start.
	showMap(b, 0, 0, "@", seriesOf(1e8, 6, 0, 2646, -2, 2647, -1, 2648, 0, 2649, 2, 2650, 3, 2651, 4))
	b.expect(t, "chart", `@:
             -2                                                  4
hh:mm:ss.ms  |___________________________________________________|
04:04:24.600 *                .                                  | -2
04:04:24.700 |       *        .                                  | -1
04:04:24.800 |                *                                  | 0
04:04:24.900 |                .                *                 | 2
04:04:25.000 |                .                         *        | 3
04:04:25.100 |                .                                  * 4
             v___________________________________________________v
             -2                                                  4

`, `{"type": "tseries", "data": {"@": [{"interval_start":"2026-11-21 04:04:24.600000000","value":-2},{"interval_start":"2026-11-21 04:04:24.700000000","value":-1},{"interval_start":"2026-11-21 04:04:24.800000000","value":0},{"interval_start":"2026-11-21 04:04:24.900000000","value":2},{"interval_start":"2026-11-21 04:04:25.000000000","value":3},{"interval_start":"2026-11-21 04:04:25.100000000","value":4}]}}
`)
	// A gap, a constant, and slots too old to be shown.
	showMap(b, 0, 0, "@s", seriesOf(1e9, 4, 0, 1, 9, 5, 7, 7, 7))
	b.expect(t, "gap", `@s:
         6                                                   8
hh:mm:ss |___________________________________________________|
04:00:05 |                         *                         | 7
04:00:06 |                                                   | -
04:00:07 |                         *                         | 7
         v___________________________________________________v
         6                                                   8

`, `{"type": "tseries", "data": {"@s": [{"interval_start":"2026-11-21 04:00:05.000000000","value":7},{"interval_start":"2026-11-21 04:00:07.000000000","value":7}]}}
`)
	// One row alone has no spacing.
	showMap(b, 0, 0, "@", seriesOf(1e9, 2, 0, 3, 5))
	b.text.flush()
	const want = `@:
                   4                                                   6
hh:mm:ss.ns        |___________________________________________________|
04:00:03.000000000 |                         *                         | 5
                   v___________________________________________________v
                   4                                                   6

`
	if got := b.out.String(); got != want {
		t.Errorf("one row:\n%s", got)
	}
	b.out.Reset()
	// Microseconds: the Greek letter takes one column.
	form{b.text, b.obj}.Map(mapOf(seriesOf(1e3, 2, 0, 1, 0, 2, 10)))
	b.text.flush()
	const micro = `@:
                0                                                  10
hh:mm:ss.μs     |___________________________________________________|
04:00:00.000001 *                                                   | 0
04:00:00.000002 |                                                   * 10
                v___________________________________________________v
                0                                                  10

`
	if got := b.out.String(); got != micro {
		t.Errorf("microseconds:\n%s", got)
	}
	b.out.Reset()
	// Keys share the newest epoch of the map.
	showMap(b, 0, 0, "@k", i64(1), seriesOf(1e9, 2, 0, 3, 5), i64(2), seriesOf(1e9, 2, 0, 9, 1))
	b.text.flush()
	if got := b.out.String(); got[:len("@k[1]:\n<no data>\n\n@k[2]:\n")] != "@k[1]:\n<no data>\n\n@k[2]:\n" {
		t.Errorf("old key:\n%s", got)
	}
}

func TestSeriesAverage(t *testing.T) {
	o := seriesOf(1e9, 1, types.Avg, 3, 10)
	copy(o.data[16:], num(4))
	b := newBoth()
	form{b.json, b.obj}.Map(mapOf(o))
	b.json.flush()
	if got, want := b.lines.String(), `{"type": "tseries", "data": {"@": [{"interval_start":"2026-11-21 04:00:03.000000000","value":2}]}}`+"\n"; got != want {
		t.Errorf("got %s", got)
	}
}
