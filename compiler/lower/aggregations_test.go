package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"fst/runtime/interpreter/interptest"
)

// TestNumbersOfAggregations: what an expression reads of an aggregation.
func TestNumbersOfAggregations(t *testing.T) {
	prints(t, `
@n = 5; $n = @n;
@c = count(); @c = count(); print((int64)@c);              //= 2
@s = sum($n); @s = sum(-7); print((int64)@s);              //= -2
@u = sum((uint64)1 << 63); @u = sum((uint64)1 << 62); print(@u + 0 > 5); //= true
@l = min($n); @l = min(-3); @l = min(9); print((int64)@l); //= -3
@h = max($n); @h = max(-3); @h = max(9); print((int64)@h); //= 9
@ul = min((uint64)-1); @ul = min((uint64)$n); print((uint64)@ul); //= 5
@uh = max((uint64)1 << 63); @uh = max((uint64)$n); print((uint64)@uh); //= 9223372036854775808
@one = min(-1); print((int64)@one);                        //= -1
@neg = max(-9); @neg = max(-5); print((int64)@neg);        //= -5
@v = avg(2); @v = avg(5); print((int64)@v);                //= 3
@w = avg(-3); @w = avg(-4); print((int64)@w);              //= -3
@big = avg((uint64)1 << 62); @big = avg((uint64)1 << 62); print((int64)@big); //= 4611686018427387904
print(@c == 2);                                            //= true
print(@c > 1 && @s < 0);                                   //= true
print(@c + @s * 10);                                       //= -18
print(@c ? "some" : "none");                               //= some
print(@none ? "some" : "none");                            //= none
@k["a"] = count(); @k["a"] = count(); @k["b"] = count(); print(((int64)@k["a"], (int64)@k["b"], (int64)@k["c"])); //= (2, 1, 0)
@ks["a"] = sum(1); @ks["a"] = sum(2); print(@ks["a"] + 0); //= 3
@km["a", 1] = max(7); @km["a", 1] = max(3); print(@km["a", 1] + 0); //= 7
@kl["a"] = min(7); @kl["a"] = min(3); @kl["b"] = min(9); print((@kl["a"] + 0, @kl["b"] + 0, @kl["c"] + 0)); //= (3, 9, 0)
@kv[1] = avg(1); @kv[1] = avg(2); @kv[1] = avg(6); print(@kv[1] + 0); //= 3
@m[1] = (int64)@s; print(@m[1]);                           //= -2
$x = @c; print($x);                                        //= 2
for ($i : 0..5) { @loop = count(); @total = sum($i); @most = max($i); @least = min(-$i); } print((@loop + 0, @total + 0, @most + 0, @least + 0)); //= (5, 10, 4, -4)
if ($n > 3) { @if = sum(1); } else { @if = sum(100); } print(@if + 0); //= 1
@none = count(); print(@none + 0);                         //= 1
@zero = max(0); @zero = max(-1); print(@zero + 0);         //= 0
@small = sum((uint8)200); @small = sum((uint8)100); print(@small + 0); //= 300
@smalls = sum((int8)-100); @smalls = sum((int8)-100); print(@smalls + 0); //= -200
@div = sum(1500us / 1ms); @div = sum(700us / 1ms); print(@div + 0); //= 2
@mod = sum($n / 2); @mod = sum($n / 2); print(@mod + 0);   //= 4
@b = sum($n > 3); @b = sum($n > 9); print(@b + 0);         //= 1
`)
}

// TestShownAggregations: how each is shown, alone and with keys, and after it was emptied.
func TestShownAggregations(t *testing.T) {
	prints(t, `
@count = count(); @sum = sum(-5); @min = min(3); @max = max(3); @avg = avg(4); @avg = avg(5);
@stats = stats(4); @stats = stats(6); @stats = stats(-1);
@q = quantile(5); for ($i : 0..100) { @q = quantile($i); }
@by["a"] = count(); @by["b"] = count(); @by["b"] = count();
@stat["x"] = stats(2); @stat["y"] = stats(8);
@top = top("k", 3); @top = top("k", 3); @top = top("l", 3);
@tops[1] = top((1, "k"), 2);
// at the end
//= @avg: 4
//= @by[a]: 1
//= @by[b]: 2
//= @count: 1
//= @max: 3
//= @min: 3
//= @q: p50 49 p90 91 p99 99 p99.9 99 max 99
//= @stat[x]: { .count = 1, .average = 2, .total = 2 }
//= @stat[y]: { .count = 1, .average = 8, .total = 8 }
//= @stats: { .count = 3, .average = 3, .total = 9 }
//= @sum: -5
//= @top:
//=    COUNT    ERROR  KEY
//=        2        0  k
//=        1        0  l
//= @tops[1]:
//=    COUNT    ERROR  KEY
//=        1        0  1, k
`)
	prints(t, `
@h = hist(0); @h = hist(1); @h = hist(2); @h = hist(3); @h = hist(4); @h = hist(1023); @h = hist(1024); @h = hist(-1); @large = hist((int64)1 << 62); @large = hist((int64)-1 << 62);
@k[1] = hist(100); @k[2] = hist(5000); @k[2] = hist(5001);
@fine = hist(1000, 3); @fine = hist(1023, 3); @fine = hist(1100, 3);
@l = lhist(-1, 0, 30, 10); @l = lhist(0, 0, 30, 10); @l = lhist(9, 0, 30, 10); @l = lhist(10, 0, 30, 10); @l = lhist(29, 0, 30, 10); @l = lhist(30, 0, 30, 10);
@odd = lhist(7, 5, 12, 3); @odd = lhist(11, 5, 12, 3); @odd = lhist(4, 5, 12, 3);
// at the end
//= @fine:
//= [960, 1024)            2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
//= [1024, 1152)           1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |
//= @h:
//= (..., 0)               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |
//= [0]                    1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |
//= [1]                    1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |
//= [2, 4)                 2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
//= [4, 8)                 1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |
//= [8, 16)                0 |                                                    |
//= [16, 32)               0 |                                                    |
//= [32, 64)               0 |                                                    |
//= [64, 128)              0 |                                                    |
//= [128, 256)             0 |                                                    |
//= [256, 512)             0 |                                                    |
//= [512, 1K)              1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |
//= [1K, 2K)               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |
//= @k[1]:
//= [64, 128)              1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
//= @k[2]:
//= [4K, 8K)               2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
//= @l:
//= (..., 0)               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |
//= [0, 10)                2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
//= [10, 20)               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |
//= [20, 30)               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |
//= [30, ...)              1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |
//= @large:
//= (..., 0)               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
//= [0]                    0 |                                                    |
//= [1]                    0 |                                                    |
//= [2, 4)                 0 |                                                    |
//= [4, 8)                 0 |                                                    |
//= [8, 16)                0 |                                                    |
//= [16, 32)               0 |                                                    |
//= [32, 64)               0 |                                                    |
//= [64, 128)              0 |                                                    |
//= [128, 256)             0 |                                                    |
//= [256, 512)             0 |                                                    |
//= [512, 1K)              0 |                                                    |
//= [1K, 2K)               0 |                                                    |
//= [2K, 4K)               0 |                                                    |
//= [4K, 8K)               0 |                                                    |
//= [8K, 16K)              0 |                                                    |
//= [16K, 32K)             0 |                                                    |
//= [32K, 64K)             0 |                                                    |
//= [64K, 128K)            0 |                                                    |
//= [128K, 256K)           0 |                                                    |
//= [256K, 512K)           0 |                                                    |
//= [512K, 1M)             0 |                                                    |
//= [1M, 2M)               0 |                                                    |
//= [2M, 4M)               0 |                                                    |
//= [4M, 8M)               0 |                                                    |
//= [8M, 16M)              0 |                                                    |
//= [16M, 32M)             0 |                                                    |
//= [32M, 64M)             0 |                                                    |
//= [64M, 128M)            0 |                                                    |
//= [128M, 256M)           0 |                                                    |
//= [256M, 512M)           0 |                                                    |
//= [512M, 1G)             0 |                                                    |
//= [1G, 2G)               0 |                                                    |
//= [2G, 4G)               0 |                                                    |
//= [4G, 8G)               0 |                                                    |
//= [8G, 16G)              0 |                                                    |
//= [16G, 32G)             0 |                                                    |
//= [32G, 64G)             0 |                                                    |
//= [64G, 128G)            0 |                                                    |
//= [128G, 256G)           0 |                                                    |
//= [256G, 512G)           0 |                                                    |
//= [512G, 1T)             0 |                                                    |
//= [1T, 2T)               0 |                                                    |
//= [2T, 4T)               0 |                                                    |
//= [4T, 8T)               0 |                                                    |
//= [8T, 16T)              0 |                                                    |
//= [16T, 32T)             0 |                                                    |
//= [32T, 64T)             0 |                                                    |
//= [64T, 128T)            0 |                                                    |
//= [128T, 256T)           0 |                                                    |
//= [256T, 512T)           0 |                                                    |
//= [512T, 1P)             0 |                                                    |
//= [1P, 2P)               0 |                                                    |
//= [2P, 4P)               0 |                                                    |
//= [4P, 8P)               0 |                                                    |
//= [8P, 16P)              0 |                                                    |
//= [16P, 32P)             0 |                                                    |
//= [32P, 64P)             0 |                                                    |
//= [64P, 128P)            0 |                                                    |
//= [128P, 256P)           0 |                                                    |
//= [256P, 512P)           0 |                                                    |
//= [512P, 1E)             0 |                                                    |
//= [1E, 2E)               0 |                                                    |
//= [2E, 4E)               0 |                                                    |
//= [4E, 8E)               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
//= @odd:
//= (..., 5)               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
//= [5, 8)                 1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
//= [8, 11)                0 |                                                    |
//= [11, ...)              1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
`)
	prints(t, `
@c = count(); @k[1] = count(); @h = hist(5); @m = min(5);
print(@c); clear(@c);                                     //= @c: 1
print(@k); clear(@k); @k[2] = count();                    //= @k[1]: 1
clear(@h); @h = hist(9);
zero(@m); @m = min(7);
// at the end
//= @k[2]: 1
//= @m: 0
`)
}

// TestTimeSeries: the newest slot has what the function of the series makes of its values.
func TestTimeSeries(t *testing.T) {
	for function, want := range map[string]string{``: "-2", `, "avg"`: "3", `, "sum"`: "11", `, "min"`: "-2", `, "max"`: "8"} {
		series := "tseries(%d, 1000d, 2" + function + "); "
		text := fmt.Sprintf("begin { @ = "+series+"@ = "+series+"@ = "+series+"@k[1] = "+series+"}", 5, 8, -2, 7)
		out := interptest.Run(t, text).Out
		if alone, key, _ := strings.Cut(out, "@k[1]:"); !strings.Contains(alone, " "+want+"\n") || !strings.Contains(key, " 7\n") {
			t.Errorf("tseries%s of 5, 8 and -2, and of 7 beside it, is shown as %s", function, out)
		}
	}
}

// TestTables: maps side by side, with sums and quotients.
func TestTables(t *testing.T) {
	prints(t, `
@a["x"] = 1; @b["x"] = 3; @a["y"] = 5; @b["y"] = 7;
table("NAME %-6s A %4d B %4d SUM %4d HALF %5d", @a, @b, @a + @b, @b / 2);
//= NAME      A    B  SUM  HALF
//= y         5    7   12     3
//= x         1    3    4     1
@c[1, "k"] = count(); @c[2, "k"] = count(); @c[2, "k"] = count();
table("ID %4d NAME %s N %5d", @c);
//= 
//=   ID NAME     N
//=    2    k     2
//=    1    k     1
@s["m"] = sum(1000); @n["m"] = count(); @n["m"] = count();
table("K %s SUM %5d PER %5d", @s, @s / @n);
//= 
//= K   SUM   PER
//= m  1000   500
row("PID %-7d COMM %-8s", 5, "sh");                        //= 5       sh
row("PID %-7d COMM %-8s", 77, "bash");                     //= 77      bash
print(@a, 1);                                              //= @a[y]: 5
print(@b, 2, 2);
//= @b[x]: 1
//= @b[y]: 3
print(@a, 0);
//= @a[x]: 1
//= @a[y]: 5
`)
}
