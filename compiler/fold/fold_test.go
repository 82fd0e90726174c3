package fold

import (
	"math"
	"math/big"
	"testing"

	"fst/compiler/types"
)

var numbers = []int64{0, 1, 2, 3, 7, 63, 64, 255, 1 << 31, 1 << 62, math.MaxInt64, -1, -2, -7, math.MinInt32, math.MinInt64 + 1, math.MinInt64}

// TestInt compares with arithmetic without a limit, cut to 64 bits.
func TestInt(t *testing.T) {
	operators := map[string]func(z, x, y *big.Int) *big.Int{"+": (*big.Int).Add, "-": (*big.Int).Sub, "*": (*big.Int).Mul,
		"/": (*big.Int).Quo, "%": (*big.Int).Rem, "&": (*big.Int).And, "|": (*big.Int).Or, "^": (*big.Int).Xor}
	for op, exact := range operators {
		for _, signed := range []bool{true, false} {
			for _, a := range numbers {
				for _, b := range numbers {
					got, ok := Int(op, a, b, signed)
					if b == 0 && (op == "/" || op == "%") {
						if ok {
							t.Errorf("%d %s 0 is %d", a, op, got)
						}
						continue
					}
					z := exact(new(big.Int), Big(a, signed), Big(b, signed))
					want := int64(z.And(z, new(big.Int).SetUint64(math.MaxUint64)).Uint64())
					if !ok || got != want {
						t.Errorf("%d %s %d, signed %v: %d %v, want %d", a, op, b, signed, got, ok, want)
					}
				}
			}
		}
	}
	for _, c := range []struct {
		op     string
		a, b   int64
		signed bool
		want   int64
	}{
		{"<<", 1, 62, true, 1 << 62}, {"<<", 1, 63, true, math.MinInt64}, {"<<", 1, 64, true, 1}, // as the processor does
		{">>", -8, 1, true, -4}, {">>", -8, 1, false, math.MaxInt64 - 3}, {">>", 8, 67, true, 1},
	} {
		if got, ok := Int(c.op, c.a, c.b, c.signed); !ok || got != c.want {
			t.Errorf("%d %s %d, signed %v: %d %v, want %d", c.a, c.op, c.b, c.signed, got, ok, c.want)
		}
	}
	if n, ok := Int("<", 1, 2, true); ok {
		t.Errorf("a comparison is arithmetic: %d", n)
	}
}

// TestExact: what does not fit into an int64 is a uint64, and what fits into neither is no number.
func TestExact(t *testing.T) {
	for _, c := range []struct {
		op   string
		a, b int64
		want int64
		t    *types.Type
	}{
		{"+", 2, 3, 5, types.I64}, {"-", 2, 3, -1, types.I64}, {"*", -2, 3, -6, types.I64},
		{"+", math.MaxInt64, 1, math.MinInt64, types.U64}, // 2^63
		{"*", math.MaxInt64, 2, -2, types.U64},            // 2^64-2
		{"*", math.MaxInt64, 3, 0, nil}, {"-", math.MinInt64, 1, 0, nil},
	} {
		if n, typ := Exact(c.op, c.a, true, c.b, true); typ != c.t || typ != nil && n != c.want {
			t.Errorf("%d %s %d: %d of type %v, want %d of %v", c.a, c.op, c.b, n, typ, c.want, c.t)
		}
	}
	if n, typ := Exact("+", -1, false, 1, true); typ != nil {
		t.Errorf("2^64-1 + 1: %d of type %v", n, typ)
	}
}

func TestCompare(t *testing.T) {
	for _, signed := range []bool{true, false} {
		for _, a := range numbers {
			for _, b := range numbers {
				c := Big(a, signed).Cmp(Big(b, signed))
				for op, want := range map[string]bool{"==": c == 0, "!=": c != 0, "<": c < 0, "<=": c <= 0, ">": c > 0, ">=": c >= 0} {
					if got := Compare(op, a, b, signed); got != want {
						t.Errorf("%d %s %d, signed %v: %v", a, op, b, signed, got)
					}
				}
			}
		}
	}
}

// TestFit: a number that is stored in less than 64 bits loses the rest.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		n    int64
		t    *types.Type
		want int64
	}{
		{300, types.IntType(1, false), 44}, {300, types.IntType(2, false), 300}, {200, types.IntType(1, true), -56}, {-1, types.IntType(4, false), math.MaxUint32},
		{-1, types.I64, -1}, {math.MinInt64, types.IntType(4, true), 0},
	} {
		if got := Fit(c.n, c.t); got != c.want {
			t.Errorf("%d as %v: %d, want %d", c.n, c.t, got, c.want)
		}
	}
}
