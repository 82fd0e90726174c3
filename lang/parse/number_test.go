package parse

import (
	"math"
	"testing"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		word   string
		n      int64
		signed bool
		ok     bool
	}{
		{"0", 0, true, true},
		{"42", 42, true, true},
		{"-42", -42, true, true},
		{"1_000", 1000, true, true},
		{"0x10", 16, true, true},
		{"-0x10", -16, true, true},
		{"017", 15, true, true},
		{"1e3", 1000, true, true},
		{"9E2ms", 900e6, true, true},
		{"5s", 5e9, true, true},
		{"64KiB", 64 << 10, true, true},
		{"7u", 7, false, true},
		{"9223372036854775807", math.MaxInt64, true, true},
		{"9223372036854775808", math.MinInt64, false, true},
		{"18446744073709551615", -1, false, true},
		{"-9223372036854775808", math.MinInt64, true, true},
		{word: "-9223372036854775809"},
		{word: "18446744073709551616"},
		{word: "18446744073709551615s"},
		{word: "1e20"},
		{word: "300000d000"},
		{word: "12e3"},
		{word: "08"},
		{"0b101", 5, true, true},
		{"-0B11", -3, true, true},
		{word: "0b"},
		{word: "0b12"},
		{word: "0o17"},
		{word: "0x"},
		{word: "0xfg"},
		{word: "5 s"},
		{word: "5x"},
		{word: "--5"},
		{word: "_5"},
		{word: "e3"},
		{word: "s"},
		{word: "-"},
		{word: ""},
	} {
		n, signed, ok := Number(c.word)
		if ok != c.ok || ok && (n != c.n || signed != c.signed) {
			t.Errorf("%q: %d, signed %t, %t; want %d, signed %t, %t", c.word, n, signed, ok, c.n, c.signed, c.ok)
		}
	}
}
