package value

import (
	"math"
	"math/rand/v2"
	"testing"

	"fst/compiler/types"
)

// TestHistBounds checks that index and bounds are inverse at random numbers
// and at every bucket's edges.
func TestHistBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for k := 0; k <= 5; k++ {
		next := int64(math.MinInt64)
		for i := range types.HistBuckets(k) {
			b := HistBounds(i, k)
			if b.Lo != next || b.Hi < b.Lo {
				t.Fatalf("k=%d: bucket %d is %+v, expected to start at %d", k, i, b, next)
			}
			for _, n := range []int64{b.Lo, b.Hi, b.Lo + (b.Hi-b.Lo)/2} {
				if got := HistIndex(n, k); got != i {
					t.Fatalf("HistIndex(%d, %d) = %d, want %d", n, k, got, i)
				}
			}
			next = b.Hi + 1
		}
		if next != math.MinInt64 { // one past the largest number
			t.Errorf("k=%d: the last bucket ends before %d", k, next)
		}
		for range 10000 {
			n := int64(rng.Uint64()) >> rng.IntN(64)
			if b := HistBounds(HistIndex(n, k), k); n < b.Lo || n > b.Hi {
				t.Fatalf("k=%d: %d is not within %+v", k, n, b)
			}
		}
	}
}

func TestLHistBounds(t *testing.T) {
	for _, c := range []struct{ lo, hi, step int64 }{{0, 10, 3}, {0, 30, 10}, {5, 6, 1}, {0, 1 << 20, 1024}} {
		for n := c.lo - 3; n <= c.hi+3 && n < c.lo+5000; n++ {
			b := LHistBounds(LHistIndex(n, c.lo, c.hi, c.step), c.lo, c.hi, c.step)
			if n < b.Lo || n > b.Hi {
				t.Errorf("lhist(%d, %d, %d, %d) is in %+v", n, c.lo, c.hi, c.step, b)
			}
		}
	}
	for n := int64(9); n <= 11; n++ {
		if got := LHistIndex(n, 0, 10, 3); got != 4 {
			t.Errorf("LHistIndex(%d, 0, 10, 3) = %d, want the last bucket", n, got)
		}
	}
}

func TestHistLabels(t *testing.T) {
	tests := []struct {
		k    int
		n    int64
		want string
	}{
		{0, -1, "(..., 0)"}, {0, 0, "[0]"}, {0, 1, "[1]"}, {0, 3, "[2, 4)"}, {0, 512, "[512, 1K)"}, {0, 1024, "[1K, 2K)"},
		{0, 1 << 19, "[512K, 1M)"}, {0, math.MaxInt64, "[4E, 8E)"},
		{1, 1024, "[1024, 1536)"}, {1, 1536, "[1536, 2K)"}, {1, 2048, "[2K, 3K)"},
		{2, 7, "[7]"}, {2, 8, "[8, 10)"}, {2, 896, "[896, 1024)"}, {2, 1024, "[1024, 1280)"}, {2, 3584, "[3584, 4K)"}, {2, 4096, "[4K, 5K)"},
		{3, 2816 << 20, "[2816M, 3072M)"}, {3, math.MaxInt64, "[7680P, 8E)"},
		{5, 63, "[63]"}, {5, math.MaxInt64, "[8064P, 8192P)"},
	}
	for _, c := range tests {
		h := Histogram{Agg: types.Agg{K: c.k}}
		if got := h.Label(HistIndex(c.n, c.k)); got != c.want {
			t.Errorf("k=%d: label of %d is %s, want %s", c.k, c.n, got, c.want)
		}
	}
}

func TestLHistLabels(t *testing.T) {
	tests := []struct {
		lo, hi, step int64
		n            int64
		want         string
	}{
		{0, 30, 10, -1, "(..., 0)"}, {0, 30, 10, 30, "[30, ...)"}, {0, 30, 10, 11, "[10, 20)"}, {0, 10, 3, 9, "[9, ...)"},
		{0, 9, 1, 4, "[4]"}, {0, 4096, 512, 600, "[512, 1024)"},
		{0, 4 << 20, 524288, 0, "[0, 512K)"}, {0, 4 << 20, 524288, 600000, "[512K, 1M)"}, {0, 4 << 20, 524288, 1 << 20, "[1M, 1536K)"},
		{512, 10240, 1024, 512, "[512, 1536)"},
	}
	for _, c := range tests {
		h := Histogram{Linear: true, Agg: types.Agg{Min: c.lo, Max: c.hi, Step: c.step}}
		if got := h.Label(LHistIndex(c.n, c.lo, c.hi, c.step)); got != c.want {
			t.Errorf("lhist(%d, %d, %d, %d): %s, want %s", c.n, c.lo, c.hi, c.step, got, c.want)
		}
	}
}

// TestQuantile compares with the exact answer: never below it, and at most
// 1/16 above.
func TestQuantile(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	h := Histogram{Agg: types.Agg{K: 4}, Counts: make([]uint64, types.HistBuckets(4)), Max: 999 * 37}
	const n = 1000
	numbers := rng.Perm(n)
	for _, v := range numbers {
		h.Counts[HistIndex(int64(v*37), 4)]++
	}
	for _, share := range []uint64{1, 500, 900, 990, 999, 1000} {
		exact := int64(share*n/1000-1) * 37
		got := h.Quantile(share, 1000)
		if got < exact || float64(got) > float64(exact)*17/16 || share == 1000 && got != exact {
			t.Errorf("quantile %d/1000 = %d, exact %d", share, got, exact)
		}
	}
	if got := (Histogram{}).Quantile(1, 2); got != 0 {
		t.Errorf("quantile of nothing = %d", got)
	}
}
