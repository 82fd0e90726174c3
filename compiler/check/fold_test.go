package check

import "testing"

// TestFold: what is constant is computed as it would be at run time.
func TestFold(t *testing.T) {
	gives(t, "begin", `
$a = 7 / 2;                    // int64 = 3
$b = -7 / 2;                   // int64 = -3
$c = -7 % 3;                   // int64 = -1
$d = 7 % -3;                   // int64 = 1
$e = 7 / -2;                   // int64 = -3
$f = 1 << 62;                  // int64 = 4611686018427387904
$g = 1 << 63;                  // uint64 = 9223372036854775808
$h = -1 >> 1;                  // int64 = -1
$i = (uint64)-1 >> 1;          // uint64 = 9223372036854775807
$j = 0xffffffffffffffff / 2;   // int64 = 9223372036854775807
$k = 0xffffffffffffffff % 10;  // int64 = 5
$l = 9223372036854775807 + 1;  // uint64 = 9223372036854775808
$m = -9223372036854775808;     // int64 = -9223372036854775808
$n = -9223372036854775808 - 0; // int64 = -9223372036854775808
$o = 5 - 7;                    // int64 = -2
$p = 5u - 7;                   // int64 = -2
$q = 2 * -3;                   // int64 = -6
$r = 6 & 3 | 8 ^ 1;            // int64 = 11
$s = ~0;                       // uint64 = 18446744073709551615
$t1 = ~5u;                     // uint64 = 18446744073709551610
$u = !0;                       // bool = 1
$v = !7;                       // bool = 0
$w = -(5);                     // int64 = -5
$x = 3 < 4;                    // bool = 1
$y = -1 < 0u;                  // bool = 1
$z = (uint64)-1 > 5;           // bool = 1
$aa = 0xffffffffffffffff > 1;  // bool = 1
$ab = 1 == 1 && 2 > 3;         // bool = 0
$ac = 0 || 5;                  // bool = 1
$ad = 0 && pid;                // bool = 0
$ae = 1 || pid;                // bool = 1
$af = 1 ? 5 : pid;             // uint64 = 5
$ag = 0 ?: 9;                  // int64 = 9
$ah = 3 ?: 9;                  // int64 = 3
$ai = "a" == "a";              // bool = 1
$aj = "a" != "a";              // bool = 0
$ak = "a" < "b";               // bool = 1
$al = "b" >= "c";              // bool = 0
$am = "abc" > "abc";           // bool = 0
$an = strlen("four");          // uint64
$ao = 10 == 10 ? "yes" : "no"; // string[8] = "yes"
$ap = 1e3 + 1_000;             // int64 = 2000
$aq = 2ms / 1us;               // int64 = 2000
$ar = 4KB + 1;                 // int64 = 4097
$au = sizeof(uint32) * 8;      // uint64 = 32
$av = (uint8)200 + (uint8)100; // uint64 = 300
$aw = (int8)127 + 1;           // int64 = 128
$ax = 1 << 3 + 1;              // int64 = 16
$ay = 1 + 2 * 3 - 4 / 2;       // int64 = 5
$az = comptime (3 * 7);        // int64 = 21
$ba = -5 >> 1;                 // int64 = -3
$bb = 10 - 3 - 2;              // int64 = 5
$bc = 5 <= 5;                  // bool = 1
$bd = 4 >= 5;                  // bool = 0
`)
}
