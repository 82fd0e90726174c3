package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"fst/runtime/interpreter/interptest"
)

// edges are numbers at which arithmetic turns.
var edges = []int64{0, 1, -1, 2, -2, 3, 7, -7, 8, 63, 100, -128, 127, 255, 256, 32767, 65535, -32768,
	1<<31 - 1, -1 << 31, 1<<32 - 1, 1 << 32, 1<<62 + 1, -1<<63 + 1, -1 << 63, 1<<63 - 1}

// TestArithmetic computes with all pairs of edges, known only at run time and known to the compiler, as C does.
func TestArithmetic(t *testing.T) {
	for _, c := range []struct {
		op       string
		signed   func(a, b int64) int64
		unsigned func(a, b uint64) uint64
	}{
		{"+", func(a, b int64) int64 { return a + b }, func(a, b uint64) uint64 { return a + b }},
		{"-", func(a, b int64) int64 { return a - b }, func(a, b uint64) uint64 { return a - b }},
		{"*", func(a, b int64) int64 { return a * b }, func(a, b uint64) uint64 { return a * b }},
		{"/", divide, func(a, b uint64) uint64 { return uint64(orOne(b, func() int64 { return int64(a / b) })) }},
		{"%", remainder, func(a, b uint64) uint64 { return uint64(orOne(b, func() int64 { return int64(a % b) })) }},
		{"&", func(a, b int64) int64 { return a & b }, func(a, b uint64) uint64 { return a & b }},
		{"|", func(a, b int64) int64 { return a | b }, func(a, b uint64) uint64 { return a | b }},
		{"^", func(a, b int64) int64 { return a ^ b }, func(a, b uint64) uint64 { return a ^ b }},
		{"<<", func(a, b int64) int64 { return a << (uint64(b) & 63) }, func(a, b uint64) uint64 { return a << (b & 63) }},
		{">>", func(a, b int64) int64 { return a >> (uint64(b) & 63) }, func(a, b uint64) uint64 { return a >> (b & 63) }},
		{"<", func(a, b int64) int64 { return bit(a < b) }, func(a, b uint64) uint64 { return uint64(bit(a < b)) }},
		{"<=", func(a, b int64) int64 { return bit(a <= b) }, func(a, b uint64) uint64 { return uint64(bit(a <= b)) }},
		{">", func(a, b int64) int64 { return bit(a > b) }, func(a, b uint64) uint64 { return uint64(bit(a > b)) }},
		{">=", func(a, b int64) int64 { return bit(a >= b) }, func(a, b uint64) uint64 { return uint64(bit(a >= b)) }},
		{"==", func(a, b int64) int64 { return bit(a == b) }, func(a, b uint64) uint64 { return uint64(bit(a == b)) }},
		{"!=", func(a, b int64) int64 { return bit(a != b) }, func(a, b uint64) uint64 { return uint64(bit(a != b)) }},
	} {
		var set strings.Builder
		for i, a := range edges {
			fmt.Fprintf(&set, "@e[%d] = (int64)%d; ", i, a)
		}
		var signed, unsigned strings.Builder
		for i, a := range edges {
			for j, b := range edges {
				if c.signed(a, b) != 0 {
					fmt.Fprintf(&signed, "%d %d: %d\n", i, j, c.signed(a, b))
				}
				if n := c.unsigned(uint64(a), uint64(b)); n != 0 {
					fmt.Fprintf(&unsigned, "%d %d: %d\n", i, j, n)
				}
			}
		}
		const script = `begin {
			%s
			for ($i : 0..%d) {
				for ($j : 0..%d) {
					$a = (%s)@e[$i]; $b = (%s)@e[$j];
					$c = (%s)($a %s $b);
					if ($c) { printf("%%d %%d: %%%s\n", $i, $j, $c); }
				}
			}
			clear(@e);
		}`
		for _, k := range []struct{ typ, verb, want string }{{"int64", "lld", signed.String()}, {"uint64", "llu", unsigned.String()}} {
			text := fmt.Sprintf(script, set.String(), len(edges), len(edges), k.typ, k.typ, k.typ, c.op, k.verb)
			same(t, k.typ+" "+c.op, interptest.Run(t, text).Out, k.want)
		}
	}
}

// same compares what was printed, and names the first line that differs.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	g, w := strings.Split(strings.TrimSpace(got), "\n"), strings.Split(strings.TrimSpace(want), "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			t.Errorf("%s: %d lines, want %d; from line %d on: %q, want %q", what, len(g), len(w), i, g[min(i, len(g)):min(i+2, len(g))], w[min(i, len(w)):min(i+2, len(w))])
			return
		}
	}
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// orOne is the result of a division, 1 where the divisor is 0.
func orOne(b uint64, f func() int64) int64 {
	if b == 0 {
		return 1
	}
	return f()
}

func divide(a, b int64) int64 {
	if a == -1<<63 && b == -1 {
		return a
	}
	return orOne(uint64(b), func() int64 { return a / b })
}

func remainder(a, b int64) int64 {
	if b == -1 {
		return 0
	}
	return orOne(uint64(b), func() int64 { return a % b })
}

// TestDivisionByConstants: each divisor that the compiler knows, of either sign and of each power of two.
func TestDivisionByConstants(t *testing.T) {
	var b, want strings.Builder
	dividends := []int64{0, 1, -1, 7, -7, 100, -100, 1 << 40, -1 << 40, 1<<63 - 1, -1<<63 + 1, -1 << 63}
	fmt.Fprint(&b, "begin { ")
	for i, a := range dividends {
		fmt.Fprintf(&b, "@e[%d] = (int64)%d; ", i, a)
	}
	fmt.Fprintf(&b, "for ($i : 0..%d) { $a = @e[$i]; $u = (uint64)$a;\n", len(dividends))
	divisors := []int64{1, -1, 2, -2, 3, -3, 4, 5, 7, 8, -8, 10, 16, 64, 100, 1000, -1000, 1024, 1000000, 1 << 32, 1 << 62, 1<<63 - 1, -1 << 63}
	for _, d := range divisors {
		fmt.Fprintf(&b, "printf(\"%%lld %%lld\\n\", $a / %d, $a %% %d);\n", d, d)
		if d > 0 {
			fmt.Fprintf(&b, "printf(\"%%llu %%llu\\n\", $u / %d, $u %% %d);\n", d, d)
		}
	}
	fmt.Fprint(&b, "} clear(@e); }")
	for _, a := range dividends {
		for _, d := range divisors {
			fmt.Fprintln(&want, divide(a, d), remainder(a, d))
			if d > 0 {
				fmt.Fprintln(&want, uint64(a)/uint64(d), uint64(a)%uint64(d))
			}
		}
	}
	same(t, "constants", interptest.Run(t, b.String()).Out, want.String())
}

// TestMixedSigns: where signs differ, the result is signed, and so are comparisons: -1 is less than 5, and 2^63 is less than -1.
func TestMixedSigns(t *testing.T) {
	prints(t, `
@u = (uint64)5; @s = -1; @b = (uint64)1 << 63;
$u = (uint64)@u; $s = @s; $b = (uint64)@b;
print($u + $s);                                //= 4
print($s + $u);                                //= 4
print($u * $s);                                //= -5
print($s / $u);                                //= 0
print($u % $s);                                //= 0
print($u > $s);                                //= true
print($s < $u);                                //= true
print($s == $u);                               //= false
print($s == -1);                               //= true
print($u == 5);                                //= true
print($b > $s);                                //= false
print($b > 5);                                 //= true
print(5 < $b);                                 //= true
print($b >> 62);                               //= 2
print((int64)$b >> 62);                        //= -2
print($s >> 1);                                //= -1
print((uint64)$s >> 1);                        //= 9223372036854775807
print((uint64)$s >> 60);                       //= 15
print(-$u);                                    //= -5
print(~$s);                                    //= 0
print(~$u);                                    //= 18446744073709551610
print(!$u);                                    //= false
print(!$s);                                    //= false
print(+$s);                                    //= -1
print($s ?: 4);                                //= -1
print(($u - 5) ?: 4);                          //= 4
`)
}

// TestNarrowNumbers: what has less than 64 bits is extended by its sign before it is used, and cut where it is cast.
func TestNarrowNumbers(t *testing.T) {
	prints(t, `
@n = 0x1ff80; $n = @n;
print((int8)$n);                   //= -128
print((uint8)$n);                  //= 128
print((int16)$n);                  //= -128
print((uint16)$n);                 //= 65408
print((int32)$n);                  //= 130944
print((uint8)$n + 1);              //= 129
print((int8)$n - 1);               //= -129
print((int8)$n * (int8)$n);        //= 16384
print((int8)$n / 3);               //= -42
print((int8)$n >> 4);              //= -8
print((uint8)$n >> 4);             //= 8
print((uint8)$n << 4);             //= 2048
print((uint64)(int8)$n);           //= 18446744073709551488
print((uint32)(int8)$n);           //= 4294967168
print((uint16)(int8)$n);           //= 65408
print((int64)(uint8)$n);           //= 128
print((int8)$n < 0);               //= true
print((uint8)$n < 0);              //= false
print((int8)$n == (uint8)$n);      //= false
print((bool)$n);                   //= true
print((bool)((uint8)$n & 0x7f));   //= false
print((char)$n);                   //= -128
print(-(int8)$n);                  //= 128
print(-(uint8)$n);                 //= -128
print(~(uint8)$n);                 //= 18446744073709551487
print(!(uint8)$n);                 //= false
print((uint32)-1 + 1);             //= 4294967296
print((uint32)$n * (uint32)65536); //= 8581545984
print((int32)((uint32)$n << 16));  //= -8388608
print(bswap((uint16)$n));          //= 33023
print(bswap((uint32)$n));          //= 2164195584
print(bswap((uint64)$n));          //= 9295149255427620864
print(bswap((int16)$n));           //= 33023
`)
}

// TestAssignmentOperators: on variables, maps and entries, narrow ones included.
func TestAssignmentOperators(t *testing.T) {
	prints(t, `
$x = 7; $x += 5; print($x);               //= 12
$x -= 20; print($x);                      //= -8
$x *= -3; print($x);                      //= 24
$x /= 5; print($x);                       //= 4
$x %= 3; print($x);                       //= 1
$x = 6; $x <<= 3; print($x);              //= 48
$x >>= 1; print($x);                      //= 24
$x |= 7; print($x);                       //= 31
$x &= 0x1c; print($x);                    //= 28
$x ^= 0xff; print($x);                    //= 227
@m = 7; @m += 5; print((@m, 0).0);        //= 12
@m -= 20; print((@m, 0).0);               //= -8
@m *= -3; print((@m, 0).0);               //= 24
@m /= 5; print((@m, 0).0);                //= 4
@m %= 3; print((@m, 0).0);                //= 1
@m <<= 4; print((@m, 0).0);               //= 16
@m >>= 1; print((@m, 0).0);               //= 8
@m |= 7; print((@m, 0).0);                //= 15
@m &= 0x1c; print((@m, 0).0);             //= 12
@m ^= 0xff; print((@m, 0).0);             //= 243
@k[1, "a"] += 5; print(@k[1, "a"]);       //= 5
@k[1, "b"] -= 5; print(@k[1, "b"]);       //= -5
@k[1, "a"] *= 3; print(@k[1, "a"]);       //= 15
@k[1, "a"] /= 2; print(@k[1, "a"]);       //= 7
@k[1, "a"] %= 4; print(@k[1, "a"]);       //= 3
@k[1, "c"] |= 9; print(@k[1, "c"]);       //= 9
@k[1, "c"] <<= 2; print(@k[1, "c"]);      //= 36
@k[1, "c"] ^= 1; print(@k[1, "c"]);       //= 37
print($x++);                              //= 227
print($x);                                //= 228
print(++$x);                              //= 229
print($x--);                              //= 229
print(--$x);                              //= 227
print(@m++);                              //= 243
print(++@m);                              //= 245
print(@m--);                              //= 245
print(--@m);                              //= 243
print(@k[2, "x"]++);                      //= 0
print(++@k[2, "x"]);                      //= 2
print(@k[2, "x"]--);                      //= 2
print(--@k[2, "x"]);                      //= 0
print(--@k[3, "y"]);                      //= -1
$u = (uint64)0; $u -= 1; print($u > 5);   //= false
let $b: uint8 = 250; $b += 10; print($b); //= 4
let $i: int8 = 127; $i++; print($i);      //= -128
let $h: uint16 = 1; $h <<= 15; print($h); //= 32768
$h <<= 1; print($h);                      //= 0
$y = 5; $y += $y++; print($y);            //= 10
$z = 0; $z += 1; $z -= $z; print($z);     //= 0
`)
}

// TestPointers: arithmetic counts elements, a difference bytes; a null pointer is false.
func TestPointers(t *testing.T) {
	prints(t, `
struct pair { uint32 a; uint32 b; uint64 c; };
---
$p = (uint32 *)0x1000;
print((uint64)($p + 1));                                     //= 4100
print((uint64)($p - 1));                                     //= 4092
print((uint64)(2 + $p));                                     //= 4104
print((uint64)&$p[3]);                                       //= 4108
$q = $p + 5;
print($q - $p);                                              //= 20
print($p < $q);                                              //= true
print($p == $q);                                             //= false
print(!$p);                                                  //= false
print(!(uint32 *)0);                                         //= true
print($p ? 1 : 2);                                           //= 1
$s = (struct pair *)0x2000;
print((uint64)($s + 1));                                     //= 8208
print((uint64)&$s.c);                                        //= 8200
print((uint64)&$s[2].b);                                     //= 8228
$n = 3; print((uint64)($s + $n));                            //= 8240
print((uint64)($s - $n));                                    //= 8144
print((uint64)((void *)$s + 1));                             //= 8193
$p++; print((uint64)$p);                                     //= 4100
$p += 2; print((uint64)$p);                                  //= 4108
$p--; print((uint64)$p);                                     //= 4104
$p -= 1; print((uint64)$p);                                  //= 4100
$s++; print((uint64)$s);                                     //= 8208
$w = (uint64)0x1122334455667788; $a = &$w; print(*$a == $w); //= true
print(*(uint8 *)$a);                                         //= 136
print(*(uint16 *)$a);                                        //= 30600
print(*(int8 *)$a);                                          //= -120
print(((uint8 *)$a)[7]);                                     //= 17
print(((uint16 *)$a)[1]);                                    //= 21862
print(((uint32 *)$a)[1]);                                    //= 287454020
$i = 2; print(((uint8 *)$a)[$i]);                            //= 102
print(*((uint8 *)$a + $i));                                  //= 102
print(((struct pair *)$a).a);                                //= 1432778632
print(((struct pair *)$a).b);                                //= 287454020
$w = 5; print(*$a);                                          //= 5
@v = 7; $b = &@v; @v = 8; print(*$b);                        //= 8
@t[1] = (uint64)9; $c = &@t[1]; print(*$c);                  //= 9
$d = &@t[2]; print(!$d);                                     //= false
print(*$d);                                                  //= 0
`)
}
