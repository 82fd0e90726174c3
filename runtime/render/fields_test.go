package render

import (
	"strings"
	"testing"
	"time"
)

func TestDecodeFields(t *testing.T) {
	f := Fields{{"comm", "", "cat"}, {"tx_bytes", "bytes", uint64(7)}, {"took", "us", int64(3)}, {"ret", "", int64(-2)},
		{"at", "", Fields{{"x", "", uint64(1)}}}, {"list", "", []any{int64(1)}}}
	var got struct {
		Comm    string
		TxBytes uint16
		Took    time.Duration
		Ret     int8
		Ratio   float64 `fst:"tx_bytes"`
		Any     any     `fst:"list"`
		At      struct{ X int }
		Other   string // of no field
		private int
	}
	if err := f.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Comm != "cat" || got.TxBytes != 7 || got.Took != 3*time.Microsecond || got.Ret != -2 || got.Ratio != 7 || got.At.X != 1 || got.Any == nil {
		t.Errorf("%+v", got)
	}
	for want, into := range map[string]any{
		"pointer to a struct": got,
		"no field nosuch": &struct {
			N int `fst:"nosuch"`
		}{},
		"-2 does not fit":    &struct{ Ret uint8 }{},
		"string does not go": &struct{ Comm int }{},
		"no unit of time":    &struct{ Ret time.Duration }{},
	} {
		if err := f.Decode(into); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: %v, want %q", into, err, want)
		}
	}
	if f.Get("ret") != int64(-2) || f.Get("none") != nil {
		t.Error("Get")
	}
}
