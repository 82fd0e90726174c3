package lower_test

import (
	"strings"
	"testing"

	"fst/runtime/interpreter/interptest"
)

// TestNarrow runs what is computed in fewer than 64 bits: each value is what C would give.
func TestNarrow(t *testing.T) {
	for text, want := range map[string]string{
		"print(((int8)200, (uint8)-1, (int16)40000, (uint32)(1 << 33 | 5)));":    "(-56, 255, -25536, 5)",
		"print(((int32)-7 / 2, (int32)-7 % 3, (uint32)7 / 2, (int8)-128 >> 1));": "(-3, -1, 3, -64)",
	} {
		if got := interptest.Run(t, "begin { "+text+" }").Out; strings.TrimRight(got, "\n") != want {
			t.Errorf("%s prints %q, want %q", text, got, want)
		}
	}
}
