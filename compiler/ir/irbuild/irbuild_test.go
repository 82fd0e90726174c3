package irbuild

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"testing"

	"fst/compiler/ir"
	"fst/compiler/ir/interp"
	"fst/compiler/types"
)

// machine runs what body builds; it gets the register of the context and returns the result.
func machine(t *testing.T, body func(f *Builder, ctx ir.Reg) ir.Operand) func(ctx []byte) int64 {
	t.Helper()
	fn := &ir.Func{Name: "main"}
	f := &Builder{Func: fn}
	ctx := fn.NewReg()
	fn.Params = []ir.Reg{ctx}
	f.SetBlock(f.NewBlock())
	result := body(f, ctx)
	f.Cur.Term = ir.Term{Kind: ir.TermReturn, A: result}
	p := &ir.Program{Name: "p", Funcs: []*ir.Func{fn}}
	if err := ir.Verify(p); err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	return func(ctx []byte) int64 {
		m := &interp.Machine{Prog: p}
		n, err := m.Run(ctx)
		if err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		return n
	}
}

// words is memory that holds numbers.
func words(list ...int64) (b []byte) {
	for _, n := range list {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

var edges = []int64{0, 1, 2, 3, 7, 8, 9, 63, 64, 255, 1 << 31, 1<<31 - 1, 1 << 40, math.MaxInt64 - 1, math.MaxInt64,
	-1, -2, -7, -64, math.MinInt32, math.MinInt64 + 1, math.MinInt64}

// TestSignedDivide compares with what Go computes, which divides as C does.
func TestSignedDivide(t *testing.T) {
	for _, op := range []ir.Op{ir.OpDiv, ir.OpMod} {
		both := machine(t, func(f *Builder, ctx ir.Reg) ir.Operand {
			return f.SignedDivide(op, f.Load(ctx, 0, 8, false), f.Load(ctx, 8, 8, false))
		})
		for _, b := range edges {
			if b == 0 {
				continue
			}
			byConst := machine(t, func(f *Builder, ctx ir.Reg) ir.Operand {
				return f.SignedDivide(op, f.Load(ctx, 0, 8, false), ir.R(f.Reg(ir.I(b))))
			})
			for _, a := range edges {
				want := a / b
				if op == ir.OpMod {
					want = a % b
				}
				if got := both(words(a, b)); got != want {
					t.Errorf("%v: %d and %d give %d, want %d", op, a, b, got, want)
				}
				if got := byConst(words(a)); got != want {
					t.Errorf("%v: %d and the constant %d give %d, want %d", op, a, b, got, want)
				}
			}
		}
	}
}

// TestExtend loads and widens numbers of each size.
func TestExtend(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8} {
		for _, signed := range []bool{false, true} {
			load := machine(t, func(f *Builder, ctx ir.Reg) ir.Operand { return f.Load(ctx, 0, size, signed) })
			extend := machine(t, func(f *Builder, ctx ir.Reg) ir.Operand { return f.Extend(f.Load(ctx, 0, 8, false), size, signed) })
			for _, n := range edges {
				shift := 64 - 8*size
				want := int64(uint64(n) << shift >> shift)
				if signed {
					want = n << shift >> shift
				}
				if got := load(words(n)); got != want {
					t.Errorf("load of %d bytes of %#x, signed %v: %d, want %d", size, uint64(n), signed, got, want)
				}
				if got := extend(words(n)); got != want {
					t.Errorf("%#x of %d bytes, signed %v: %d, want %d", uint64(n), size, signed, got, want)
				}
			}
		}
	}
}

// TestHistIndex: bucket 0 is of negative numbers; each later one of hist(n, 0) ends where the next power of two begins, and those of
// hist(n, k) divide each into 2^k.
func TestHistIndex(t *testing.T) {
	for k := range 6 {
		index := machine(t, func(f *Builder, ctx ir.Reg) ir.Operand { return f.HistIndex(f.Load(ctx, 0, 8, false), k) })
		for _, n := range edges {
			want := int64(0)
			switch l := bits.Len64(uint64(n)) - 1; {
			case n >= 0 && n < 1<<k:
				want = n + 1
			case n >= 0:
				want = int64(l-k+1)<<k + n>>(l-k)&(1<<k-1) + 1
			}
			if got := index(words(n)); got != want {
				t.Errorf("hist(%d, %d): bucket %d, want %d", n, k, got, want)
			}
		}
	}
}

// TestLinearIndex: the first bucket is of what is below the range, the last one of what is not below its end.
func TestLinearIndex(t *testing.T) {
	agg := types.Agg{Min: 10, Max: 50, Step: 20}
	index := machine(t, func(f *Builder, ctx ir.Reg) ir.Operand { return f.LinearIndex(f.Load(ctx, 0, 8, false), agg) })
	for n, want := range map[int64]int64{-1: 0, 9: 0, 10: 1, 29: 1, 30: 2, 49: 2, 50: 3, math.MaxInt64: 3, math.MinInt64: 0} {
		if got := index(words(n)); got != want {
			t.Errorf("%d: bucket %d, want %d", n, got, want)
		}
	}
}

// texts are such as differ in each word, and in what is behind their NUL.
func texts(size int) (list [][]byte) {
	plain := bytes.Repeat([]byte("abcdefghi"), size)[:size]
	list = append(list, plain, make([]byte, size))
	for at := range size {
		other, ended, garbage := bytes.Clone(plain), make([]byte, size), bytes.Clone(plain)
		other[at] = 0xff
		copy(ended, plain[:at])
		garbage[at] = 0
		list = append(list, other, ended, garbage)
	}
	return list
}

// upTo is a text without its NUL and what is behind it.
func upTo(b []byte) []byte {
	text, _, _ := bytes.Cut(b, []byte{0})
	return text
}

func TestTextLength(t *testing.T) {
	for _, size := range []int{1, 7, 8, 13, 16, 64} {
		length := machine(t, func(f *Builder, ctx ir.Reg) ir.Operand { return f.TextLength(ctx, 8, size) })
		for _, text := range texts(size) {
			if got, want := length(append(words(0), text...)), int64(len(upTo(text))); got != want {
				t.Errorf("%q: %d, want %d", text, got, want)
			}
		}
	}
}

// TestCompare compares each two of the texts, as bytes, up to their NUL, and with a constant.
func TestCompare(t *testing.T) {
	for _, size := range []int{8, 16, 24} {
		differ := machine(t, func(f *Builder, ctx ir.Reg) ir.Operand { return f.CompareBytes(ctx, 0, ctx, int32(size), size) })
		same := machine(t, func(f *Builder, ctx ir.Reg) ir.Operand {
			out := f.NewVar(ir.I(1))
			done, not := f.NewBlock(), f.NewBlock()
			f.CompareWords(ctx, 0, ctx, int32(size), size, done, not)
			f.Jump(done) // whole and equal
			f.SetBlock(not)
			f.Set(out, ir.I(0))
			f.Label(done)
			return ir.R(out)
		})
		list := texts(size)
		for _, a := range list {
			for _, b := range list {
				both := append(bytes.Clone(a), b...)
				want := int64(0)
				for i := range a {
					if want = int64(a[i]) - int64(b[i]); want != 0 {
						break
					}
				}
				if got := differ(both); got != want {
					t.Errorf("%q and %q differ by %d, want %d", a, b, got, want)
				}
				if got := same(both) == 1; got != bytes.Equal(upTo(a), upTo(b)) {
					t.Errorf("%q and %q are equal up to their NUL: %v", a, b, got)
				}
			}
		}
		for _, n := range []int{1, 8, size} {
			const text = "abcdefghiabcdefghiabcdef"
			is := machine(t, func(f *Builder, ctx ir.Reg) ir.Operand {
				out := f.NewVar(ir.I(1))
				not, done := f.NewBlock(), f.NewBlock()
				f.ExpectText(ctx, 0, text[:n], n, not)
				f.Jump(done)
				f.SetBlock(not)
				f.Set(out, ir.I(0))
				f.Label(done)
				return ir.R(out)
			})
			for _, a := range list {
				if got := is(append(bytes.Clone(a), words(0)...)) == 1; got != bytes.Equal(a[:n], []byte(text[:n])) {
					t.Errorf("%q begins with %q: %v", a, text[:n], got)
				}
			}
		}
	}
}

func TestClearBehindNUL(t *testing.T) {
	for _, size := range []int{8, 16, 64} {
		clear := machine(t, func(f *Builder, ctx ir.Reg) ir.Operand {
			f.ClearBehindNUL(ctx, 0, size)
			return ir.I(0)
		})
		for _, text := range texts(size) {
			got, want := bytes.Clone(text), make([]byte, size)
			copy(want, upTo(text))
			if clear(got); !bytes.Equal(got, want) {
				t.Errorf("%q becomes %q, want %q", text, got, want)
			}
		}
	}
}

// TestFindText looks for texts at each place, and behind the end.
func TestFindText(t *testing.T) {
	const size = 32
	for _, needle := range []string{"x", "xyz", "xyzxyzxyzxy"} {
		find := machine(t, func(f *Builder, ctx ir.Reg) ir.Operand {
			out := f.NewVar(ir.I(-1))
			none := f.NewBlock()
			f.Set(out, f.FindText(ctx, size, needle, none))
			f.Label(none)
			return ir.R(out)
		})
		for at := range size {
			for _, end := range []int{size, at, at + 1, at + len(needle), 0} {
				text := make([]byte, size)
				copy(text, bytes.Repeat([]byte("ab"), size))
				copy(text[at:], needle)
				clear(text[min(end, size):])
				want := int64(bytes.Index(upTo(text), []byte(needle)))
				if got := find(append(text, make([]byte, 32)...)); got != want {
					t.Errorf("%q in %q: %d, want %d", needle, text, got, want)
				}
			}
		}
	}
}

// TestCopyMem copies, clears and stores texts of sizes that are no whole words.
func TestCopyMem(t *testing.T) {
	for size := range 20 {
		change := machine(t, func(f *Builder, ctx ir.Reg) ir.Operand {
			f.CopyMem(ctx, 24, ctx, 0, size)
			f.Zero(ctx, 0, size)
			f.StoreText(ctx, 48, "text", 6)
			return ir.I(0)
		})
		memory := bytes.Repeat([]byte("0123456789abcdef"), 4)
		want := bytes.Clone(memory)
		copy(want[24:], memory[:size])
		clear(want[:size])
		copy(want[48:], "text\x00\x00")
		if change(memory); !bytes.Equal(memory, want) {
			t.Errorf("size %d: %q, want %q", size, memory, want)
		}
	}
}

// TestFlow adds up in a loop what a condition selects.
func TestFlow(t *testing.T) {
	sum := machine(t, func(f *Builder, ctx ir.Reg) ir.Operand {
		limit := f.Load(ctx, 0, 8, false)
		i, odd, even := f.NewVar(ir.I(0)), f.NewVar(ir.I(0)), f.NewVar(ir.I(0))
		next, done := f.NewBlock(), f.NewBlock()
		f.CountedLoop(i, ir.ULt, limit, next, done, func() {
			f.IfElse(ir.Ne, f.Op(ir.OpAnd, ir.R(i), ir.I(1)), ir.I(0),
				func() { f.Set(odd, f.Op(ir.OpAdd, ir.R(odd), ir.R(i))) },
				func() { f.Set(even, f.Op(ir.OpAdd, ir.R(even), ir.R(i))) })
		})
		return f.Op(ir.OpAdd, f.Op(ir.OpMul, ir.R(odd), ir.I(1000)), ir.R(even))
	})
	for n, want := range map[int64]int64{0: 0, 1: 0, 2: 1000, 10: 25_020} {
		if got := sum(words(n)); got != want {
			t.Errorf("%d turns: %d, want %d", n, got, want)
		}
	}
}
