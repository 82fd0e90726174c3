package lower_test

import "testing"

// TestKeys: each kind of key finds its entry again, and no other.
func TestKeys(t *testing.T) {
	printsOn(t, newest, `
@n = 5; $n = @n;
@int[$n] = 1; @int[-1] = 2; @int[1 << 40] = 3;
print((@int[5], @int[-1], @int[1 << 40], @int[255]));      //= (1, 2, 3, 0)
@small[(uint8)255] = 1; print((@small[255], @small[-1]));  //= (1, 0)
@signed[(int8)-1] = 1; print((@signed[-1], @signed[255])); //= (1, 0)
@mixed[(uint32)-1] = 1; @mixed[-1] = 2; print((@mixed[4294967295], @mixed[-1], len(@mixed))); //= (1, 2, 2)
@bool[$n > 3] = 1; print((@bool[true], @bool[false]));     //= (1, 0)
@text["ab"] = 1; @text["abc"] = 2; @text[""] = 3; print((@text["ab"], @text["abc"], @text[""], @text["a"])); //= (1, 2, 3, 0)
$s = "ab"; print(@text[$s]);                               //= 1
@text["a key that is much longer than the others"] = 4; print((@text["ab"], @text["a key that is much longer than the others"])); //= (1, 4)
@two[$n, "x"] = 1; @two[$n, "y"] = 2; print((@two[5, "x"], @two[5, "y"], @two[6, "x"])); //= (1, 2, 0)
@three[(uint8)1, "a", (int16)-3] = 1; print((@three[1, "a", -3], @three[1, "a", 3])); //= (1, 0)
@nested[(1, ("a", 2)), 3] = 1; print((@nested[(1, ("a", 2)), 3], @nested[(1, ("a", 3)), 3])); //= (1, 0)
@record[(a = 1, b = "x")] = 1; print((@record[(b = "x", a = 1)], @record[(a = 1, b = "y")])); //= (1, 0)
@pointer[(uint64 *)8] = 1; print((@pointer[(uint64 *)8], @pointer[0])); //= (1, 0)
@array[(uint8[4])(uint32)7] = 1; print((@array[(uint8[4])(uint32)7], @array[(uint8[4])(uint32)8])); //= (1, 0)
@buffer[buf("ab\0c", 4)] = 1; print((@buffer[buf("ab\0c", 4)], @buffer[buf("ab\0d", 4)])); //= (1, 0)
@enum[(enum pid_type)1] = 1; print((@enum[PIDTYPE_TGID], @enum[PIDTYPE_PID])); //= (1, 0)
@name[strerror(1)] = 1; print((@name[strerror(1)], @name[strerror(2)])); //= (1, 0)
@inet[ntop(0x0100007f)] = 1; print((@inet[ntop(0x0100007f)], @inet[ntop(0x0200007f)])); //= (1, 0)
@none = 7; print(@none + 0);                               //= 7
$k = ($n, "x"); print(@two[$k]);                           //= 1
$i = (uint8)5; print(@int[$i]);                            //= 1
$j = (int8)-1; print(@int[$j]);                            //= 2
@char[(char)65] = 1; print(@char[65]);                     //= 1
print(@int[@none - 2]);                                    //= 1
print(@int[@int[@none - 2] - 2]);                          //= 2
// at the end
//= @array[[7,0,0,0]]: 1
//= @bool[true]: 1
//= @buffer[ab\x00c]: 1
//= @char[65]: 1
//= @enum[PIDTYPE_TGID]: 1
//= @inet[127.0.0.1]: 1
//= @int[5]: 1
//= @int[-1]: 2
//= @int[1099511627776]: 3
//= @mixed[4294967295]: 1
//= @mixed[-1]: 2
//= @n: 5
//= @name[Operation not permitted]: 1
//= @nested[(1, (a, 2)), 3]: 1
//= @none: 7
//= @pointer[0x8]: 1
//= @record[{ .a = 1, .b = x }]: 1
//= @signed[-1]: 1
//= @small[255]: 1
//= @text[ab]: 1
//= @text[abc]: 2
//= @text[]: 3
//= @text[a key that is much longer than the others]: 4
//= @three[1, a, -3]: 1
//= @two[5, x]: 1
//= @two[5, y]: 2
`)
}

// TestMapValues: values of all kinds are kept, changed, and empty where there is none.
func TestMapValues(t *testing.T) {
	prints(t, `
@n = 5; $n = @n;
@i[1] = -$n; print((@i[1], @i[2]));                          //= (-5, 0)
@u[1] = (uint64)-1; print((@u[1], @u[2]));                   //= (18446744073709551615, 0)
@b[1] = $n > 3; print((@b[1], @b[2]));                       //= (true, false)
@s[1] = "abc"; @s[2] = "a longer text than abc"; print((@s[1], @s[2], @s[3])); //= (abc, a longer text than abc, )
@s[2] = "x"; print((@s[2], strlen(@s[2])));                  //= (x, 1)
@t[1] = (1, "a"); print((@t[1], @t[2]));                     //= ((1, a), (0, ))
@t[1] = ($n, "b"); print(@t[1].1);                           //= b
@r[1] = (a = 1, b = "c"); print((@r[1], @r[2]));             //= ({ .a = 1, .b = c }, { .a = 0, .b =  })
@p[1] = (uint64 *)16; print((@p[1], @p[2]));                 //= (0x10, 0x0)
@a[1] = (uint8[4])(uint32)0x04030201; print((@a[1], @a[2])); //= ([1,2,3,4], [0,0,0,0])
@f[1] = buf("abc", 3); print((@f[1], @f[2]));                //= (abc, )
@e[1] = strerror(13); print(@e[1]);                          //= Permission denied
@y[1] = (enum pid_type)2; print((@y[1], @y[2]));             //= (PIDTYPE_PGID, PIDTYPE_PID)
@l = -$n; print(@l + 0);                                     //= -5
@l = @l * 2; print(@l + 0);                                  //= -10
@o = "one"; $o = @o; @o = "two"; print(($o, @o == "two"));   //= (one, true)
@q = (1, 2); $q = @q; @q = (3, 4); print(($q, @q.1));        //= ((1, 2), 4)
@v = @i[1]; print(@v + 0);                                   //= -5
@w[1] = @s[1]; @s[1] = "changed"; print(@w[1]);              //= abc
@x[1] = @t[1]; @t[1] = (0, ""); print(@x[1]);                //= (5, b)
@i[3] = @i[1] + @i[2] * 2; print(@i[3]);                     //= -5
@i[@i[3] + 10] = 4; print(@i[5]);                            //= 4
@i[1] = @i[1]; print(@i[1]);                                 //= -5
@i[9]++; @i[9]++; print(@i[9]);                              //= 2
@none = @missing[1]; print(@none + 1);                       //= 1
@missing[2] = 0;
print(has_key(@missing, 1));                                 //= false
`)
}

// TestMapCalls: delete, has_key, find, len, clear and zero.
func TestMapCalls(t *testing.T) {
	printsOn(t, newest, `
@a[1] = 10; @a[2] = 20; @a[3] = 30;
print(len(@a));                                 //= 3
print(has_key(@a, 2));                          //= true
print(has_key(@a, 4));                          //= false
print(delete(@a, 2));                           //= true
print(delete(@a, 2));                           //= false
print(delete(@a[3]));                           //= true
print(len(@a));                                 //= 1
delete(@a, 1); print(len(@a));                  //= 0
@a[5] = 0; print((has_key(@a, 5), @a[5]));      //= (true, 0)
$v = 7; print((find(@a, 5, $v), $v));           //= (true, 0)
$v = 7; print((find(@a, 6, $v), $v));           //= (false, 7)
@s["k"] = "text"; $t = "none"; print((find(@s, "k", $t), $t)); //= (true, text)
$t = "none"; print((find(@s, "l", $t), $t));    //= (false, none)
@t[1, 2] = (3, "four"); $w = (0, ""); print((find(@t, (1, 2), $w), $w)); //= (true, (3, four))
if (find(@t, (1, 3), $w)) { print("found"); } else { print($w.0); }
//= 3
delete(@t, (1, 2)); print(has_key(@t, (1, 2))); //= false
@m["a", 1] = 1; @m["b", 2] = 2; delete(@m, "a", 1); print((len(@m), has_key(@m, ("b", 2)))); //= (1, true)
delete(@m["b", 2]); print(len(@m));             //= 0
@x = 5; print(delete(@x));                      //= true
print(@x + 0);                                  //= 0
@c[1] = count(); @c[2] = count(); @c[2] = count(); print((len(@c), has_key(@c, 2), (int64)@c[2])); //= (2, true, 2)
print(delete(@c, 2));                           //= true
print(((int64)@c[2], (int64)@c[1]));            //= (0, 1)
@h[1] = hist(5); print((len(@h), has_key(@h, 1), delete(@h, 1), len(@h))); //= (1, true, true, 0)
@k = count(); print((int64)@k);                 //= 1
@e[1] = 1; $n = 0; while (has_key(@e, $n + 1) && $n < 5) { $n++; @e[$n + 1] = $n; } print(len(@e)); //= 6
`)
	prints(t, `
@a[1] = 1; @a[2] = 2; @b = 7; @s["x"] = "y"; @c = count(); @d[1] = sum(5); @l = "last";
clear(@a); zero(@b); clear(@s); zero(@c); zero(@d); clear(@l);
@a[3] = 3;
// at the end
//= @b: 0
//= @c: 0
//= @d[1]: 0
`)
	prints(t, `
@a[1] = 1; @a[2] = 2; @m[1] = max(7); @t = (1, "x"); @h = hist(3); @v[1] = avg(4); @v[1] = avg(6); @x["k"] = stats(3);
zero(@a); zero(@m); zero(@t); zero(@h); zero(@v); zero(@x);
// at the end
//= @a[1]: 0
//= @a[2]: 0
//= @h:
//= @m[1]: 0
//= @t: (0, )
//= @v[1]: 0
//= @x[k]: { .count = 0, .average = 0, .total = 0 }
`)
}

// TestLoopsOverMaps: each entry once, with what it is and not a copy of the last; deleting and adding meanwhile is allowed.
func TestLoopsOverMaps(t *testing.T) {
	printsOn(t, newest, `
@a[1] = 10; @a[2] = 20; @a[3] = 30;
for ($kv : @a) { print($kv); }
//= (1, 10)
//= (2, 20)
//= (3, 30)
$n = 0; for ($kv : @a) { $n += $kv.0 * $kv.1; } print($n);  //= 140
for ($kv : @a) { if ($kv.0 == 2) { continue; } print($kv.1); }
//= 10
//= 30
for ($kv : @a) { if ($kv.0 == 2) { break; } print($kv.1); }
//= 10
for ($kv : @a) { @b[$kv.1] = $kv.0; } print((len(@b), @b[20])); //= (3, 2)
for ($kv : @a) { delete(@a, $kv.0); } print(len(@a));       //= 0
@s["x"] = "one"; @s["y"] = "two and more"; for ($kv : @s) { print((strlen($kv.1), $kv.0, $kv.1)); }
//= (3, x, one)
//= (12, y, two and more)
@t[1, "a"] = (5, "five"); for ($kv : @t) { print(($kv.0, $kv.1.1)); }
//= ((1, a), five)
for ($kv : @t) { $copy = $kv; } print(@t[1, "a"]);          //= (5, five)
@c["x"] = count(); @c["x"] = count(); for ($kv : @c) { print($kv); }
//= (x, 2)
@m[1] = sum(-5); for ($kv : @m) { print(-$kv.1); }
//= 5
@v[1] = avg(5); @v[1] = avg(8); for ($kv : @v) { print($kv.1); }
//= 6
@o[1] = 1; @o[2] = 2; for ($x : @o) { for ($y : @o) { print(($x.0, $y.0)); } }
//= (1, 1)
//= (1, 2)
//= (2, 1)
//= (2, 2)
for ($x : @o) { for ($i : 0..2) { if ($i == $x.0) { break; } @p += 1; } } print(@p + 0); //= 3
for ($i : 0..2) { for ($x : @o) { @q += $x.1; } } print(@q + 0); //= 6
$last = 0; for ($kv : @o) { $last = $kv.0; if ($last == 1) { break; } } print($last); //= 1
$s = ""; for ($kv : @s) { $s = $kv.1; } print($s);          //= two and more
@o[1] = 7; for ($kv : @o) { @o[$kv.0] = $kv.1 + 1; } print((@o[1], @o[2])); //= (8, 3)
for ($kv : @o) { if ($kv.1 == 8) { @first = $kv.0; return; } }
print("never");
`)
}

// TestMapsAtTheEnd: what is printed of maps when a script ends, in the order of the values.
func TestMapsAtTheEnd(t *testing.T) {
	prints(t, `
@text = "x"; @number = -5; @bool = true; @tuple = (1, "a"); @enum = (enum pid_type)1; @null = (uint64 *)0;
@keys[3] = 1; @keys[1] = 3; @keys[2] = 2;
@pair["b", 1] = 1; @pair["a", 2] = 1;
@record[(a = 1, b = "x")] = (c = 2);
@array = (uint8[4])(uint32)5;
@errno[strerror(2)] = 1;
@empty["", 0] = "";
// at the end
//= @array: [5,0,0,0]
//= @bool: true
//= @empty[, 0]: 
//= @enum: PIDTYPE_TGID
//= @errno[No such file or directory]: 1
//= @keys[3]: 1
//= @keys[2]: 2
//= @keys[1]: 3
//= @null: 0x0
//= @number: -5
//= @pair[a, 2]: 1
//= @pair[b, 1]: 1
//= @record[{ .a = 1, .b = x }]: { .c = 2 }
//= @text: x
//= @tuple: (1, a)
`)
}

// TestKindsOfMaps: declared kinds hold as many entries as they say.
func TestKindsOfMaps(t *testing.T) {
	printsOn(t, newest, `
let @h = hash(2);
let @l = lruhash(2);
let @p = percpuhash(2);
let @q = percpulruhash(2);
let @a = percpuarray(1);
---
for ($i : 0..4) { @h[$i] = $i; @l[$i] = $i; @p[$i] = count(); @q[$i] = sum($i); @a = count(); }
print((len(@h), len(@l), (int64)@a));                    //= (2, 2, 4)
print((@h[0], @h[3], @l[3], has_key(@l, 0)));            //= (0, 0, 3, false)
print((has_key(@p, 0), has_key(@p, 3), has_key(@q, 3))); //= (true, false, true)
`)
}
