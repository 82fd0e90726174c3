package lower_test

import "testing"

// TestTuples: parts keep their types, copies are copies, and comparison goes part by part.
func TestTuples(t *testing.T) {
	prints(t, `
@n = 5; $n = @n; @s = "text"; $s = @s;
$t = ($n, $s, (uint8)200, (1, $n), (int8)-1);
print($t);                                                   //= (5, text, 200, (1, 5), -1)
print($t.0);                                                 //= 5
print($t.1);                                                 //= text
print($t.2);                                                 //= 200
print($t.3.1);                                               //= 5
print($t.4);                                                 //= -1
print($t[2]);                                                //= 200
print($t == (5, "text", (uint8)200, (1, 5), (int8)-1));      //= true
print($t == (5, "texts", (uint8)200, (1, 5), (int8)-1));     //= false
print($t == (5, "text", (uint8)200, (1, 6), (int8)-1));      //= false
print($t != ($n, $s, (uint8)200, (1, $n), (int8)-1));        //= false
$u = $t; $n = 6; $t = ($n, "other", (uint8)1, (2, $n), (int8)1); print($u); //= (5, text, 200, (1, 5), -1)
print($t);                                                   //= (6, other, 1, (2, 6), 1)
print(($t.3, $u.3.0));                                       //= ((2, 6), 1)
@m[1] = $t; print(@m[1]);                                    //= (6, other, 1, (2, 6), 1)
print(@m[1].1);                                              //= other
print(@m[2]);                                                //= (0, , 0, (0, 0), 0)
print(@m[2].3.1);                                            //= 0
$t = @m[1]; print($t.0);                                     //= 6
@k[$t] = 1; print(@k[$t]);                                   //= 1
print(@k[$u]);                                               //= 0
@p[(1, "a")] = 2; print(@p[1, "a"]);                         //= 2
@p[1, "b"] = 3; $key = (1, "b"); print(@p[$key]);            //= 3
print(has_key(@p, (1, "c")));                                //= false
$c = $n > 5 ? (1, "one") : (2, "two and more"); print($c);   //= (1, one)
$c = $n < 5 ? (1, "one") : (2, "two and more"); print($c.1); //= two and more
$i = ((1, 2), (3, (4, 5))); print($i.1.1.0);                 //= 4
print($i == ((1, 2), (3, (4, 5))));                          //= true
print($i == ((1, 2), (3, (4, 6))));                          //= false
$w = (1, "a"); $w = ($n, "a text of more characters"); print($w); //= (6, a text of more characters)
$w = (-1, "b"); print($w);                                   //= (-1, b)
print((1,));                                                 //= (1)
print(((1,), 2).0);                                          //= (1)
print((1, ()));                                              //= (1, ())
`)
}

// TestRecords: fields go by their names, whatever their order.
func TestRecords(t *testing.T) {
	prints(t, `
@n = 5; $n = @n;
$r = (a = $n, b = "text", c = (x = 1, y = (uint8)2));
print($r);                                                   //= { .a = 5, .b = text, .c = { .x = 1, .y = 2 } }
print($r.a);                                                 //= 5
print($r.b);                                                 //= text
print($r.c.y);                                               //= 2
print($r == (b = "text", c = (y = (uint8)2, x = 1), a = 5)); //= true
print($r == (a = 5, b = "text", c = (x = 2, y = (uint8)2))); //= false
print($r != (a = 6, b = "text", c = (x = 1, y = (uint8)2))); //= true
@m[1] = $r; print(@m[1].c.x);                                //= 1
@m[1] = (b = "other", a = 7, c = (x = 3, y = (uint8)4)); print(@m[1]); //= { .a = 7, .b = other, .c = { .x = 3, .y = 4 } }
print(@m[2].b == "");                                        //= true
$q = @m[1]; print($q.c);                                     //= { .x = 3, .y = 4 }
@k[$r] = 1; print(@k[$r]);                                   //= 1
print(@k[(b = "text", a = 5, c = (y = (uint8)2, x = 1))]);   //= 1
$s = $n > 1 ? (u = 1, v = "a") : (v = "bcd", u = 2); print($s); //= { .u = 1, .v = a }
$s = $n < 1 ? (u = 1, v = "a") : (v = "bcd", u = 2); print($s.v); //= bcd
`)
}

// TestArrays: arrays of numbers and of bytes, by constant and by other indexes; what is outside reads 0.
func TestArrays(t *testing.T) {
	prints(t, `
@n = 0x0807060504030201; $n = @n;
$a = (uint8[8])$n;
print($a[0]);                                              //= 1
print($a[7]);                                              //= 8
$i = 3; print($a[$i]);                                     //= 4
$i = 8; print($a[$i]);                                     //= 0
$i = -1; print($a[$i]);                                    //= 0
print($a);                                                 //= [1,2,3,4,5,6,7,8]
$b = (uint16[4])$n; print($b[1]);                          //= 1027
$i = 2; print($b[$i]);                                     //= 1541
print((uint32[2])$n);                                      //= [67305985,134678021]
print((uint64)$a == $n);                                   //= true
print((uint64)(uint8[4])(uint32)$n);                       //= 67305985
print((int64)(int8[1])(int8)-1);                           //= 255
print($a == (uint8[8])$n);                                 //= true
print($a == (uint8[8])5);                                  //= false
$c = $a; $a = (uint8[8])0; print(($a[1], $c[1]));          //= (0, 2)
@m[1] = $c; print(@m[1][4]);                               //= 5
print(@m[2][4]);                                           //= 0
@k[$c] = 1; print(@k[$c]);                                 //= 1
print(@k[$a]);                                             //= 0
$t = (1, $c); print($t.1[6]);                              //= 7
$s = (uint8[])"abc"; print($s);                            //= [97,98,99,0]
print(sizeof($s));                                         //= 4
$x = (char[8])"abc"; print($x);                            //= abc
print(buf($c, 3));                                         //= \x01\x02\x03
print((uint16[])buf("abcd", 4));                           //= [25185,25699]
let $e: uint8[4] = (uint8[4])(uint32)$n; print($e[2]);     //= 3
$sum = 0; for ($j : 0..8) { $sum += $c[$j]; } print($sum); //= 36
`)
}

// TestOwnStructs: members of structs, unions and bitfields that lie in the script's own memory.
func TestOwnStructs(t *testing.T) {
	prints(t, `
struct in { uint8 x; uint16 y; };
struct own { uint8 a; int8 b; uint16 c; uint32 d; struct in e; union { uint32 whole; uint8 part[4]; }; };
struct bits { uint32 a : 3; uint32 b : 7; int32 c : 6; uint32 d : 16; };
struct wide { uint64 a : 40; uint64 b : 24; };
union both { uint64 n; uint8 b[8]; struct { uint32 low; uint32 high; } half; };
struct node { struct node *next; uint64 v; };
---
$w = (uint64)0x1122334455667788;
$p = (struct own *)&$w;
print($p.a);                                   //= 136
print($p.b);                                   //= 119
print($p.c);                                   //= 21862
print($p.d);                                   //= 287454020
print($p->a);                                  //= 136
print((*$p).a);                                //= 136
$u = (union both *)&$w;
print($u.n);                                   //= 1234605616436508552
print($u.b[1]);                                //= 119
$i = 6; print($u.b[$i]);                       //= 34
print($u.half.high);                           //= 287454020
print($u.half.low);                            //= 1432778632
$b = (struct bits *)&$w;
print($b.a);                                   //= 0
print($b.b);                                   //= 113
print($b.c);                                   //= 29
print($b.d);                                   //= 21862
print((int64)$b.c + 1);                        //= 30
print(-$b.c);                                  //= -29
$d = (struct wide *)&$w;
print($d.a);                                   //= 293490554760
print($d.b);                                   //= 1122867
print(((struct in *)&$w).y);                   //= 21862
$copy = *$u; print($copy.half.high);           //= 287454020
$w = 0; print($copy.n);                        //= 1234605616436508552
print($u.n);                                   //= 0
print(*$b);                                    //= { .a = 0, .b = 0, .c = 0, .d = 0 }
print(*((struct in *)&$w));                    //= { .x = 0, .y = 0 }
@t = (uint64)77; $n = (struct node *)&@t;
print(sizeof(*$n));                            //= 16
print(offsetof(struct own, part));             //= 12
print(offsetof(struct own, e.y));              //= 10
print((uint64)&((struct own *)0).part[2]);     //= 14
print((uint64)&((struct node *)8).v);          //= 16
print(((struct in *)0).x);                     //= 0
print(!((struct node *)0).next);               //= true
`)
}

// TestTernaries: only the side that is chosen is evaluated, and conditions of all forms choose right.
func TestTernaries(t *testing.T) {
	prints(t, `
@n = 5; $n = @n; $c = 0;
print($n > 3 ? 1 : 2);                        //= 1
print($n < 3 ? 1 : 2);                        //= 2
print($n ? 1 : 2);                            //= 1
print(!$n ? 1 : 2);                           //= 2
print($n == 5 ? "five" : "other");            //= five
print($n > 3 ? $n > 4 ? "a" : "b" : "c");     //= a
print($n > 3 && $n < 6 ? 1 : 2);              //= 1
print($n < 3 || $n == 5 ? 1 : 2);             //= 1
print(!($n > 3 || $n < 0) ? 1 : 2);           //= 2
print(($n > 3) == true);                      //= true
print(($n > 3) + ($n > 4));                   //= 2
print($n > 3 && $n);                          //= true
print($n && 0);                               //= false
print(0 || $n);                               //= true
$x = $n > 3 ? $c++ : $c--; print(($x, $c));   //= (0, 1)
$x = $n < 3 ? $c++ : $c--; print(($x, $c));   //= (1, 0)
$n > 9 && $c++; print($c);                    //= 0
$y = $n > 9 || $c++; print(($y, $c));         //= (false, 1)
$y = $n > 1 || $c++; print(($y, $c));         //= (true, 1)
$y = $n > 1 && $c++; print(($y, $c));         //= (true, 2)
print($n ?: 7);                               //= 5
print(($n - 5) ?: 7);                         //= 7
print($n & 4 ? "set" : "clear");              //= set
print($n & 2 ? "set" : "clear");              //= clear
print(!($n & 2) ? "clear" : "set");           //= clear
print((uint8)($n + 251) ? "more" : "zero");   //= zero
print(if ($n == 5) { 10 } else { 20 });       //= 10
print(if ($n == 4) { 10 } else if ($n == 5) { 15 } else { 20 }); //= 15
print({ $k = $n * 2; $k + 1 });               //= 11
print($n >= 5 ? (int8)-1 : (uint8)255);       //= -1
print($n < 5 ? (int8)-1 : (uint8)255);        //= 255
print(@n ? "yes" : "no");                     //= yes
print(@none[1] ? "yes" : "no");               //= no
@none[2] = 1;
print(@none[2] && !@none[3]);                 //= true
$s = ""; print($s == "" ? "empty" : $s);      //= empty
$p = (uint64 *)0; print($p ? "p" : "null");   //= null
print($p == 0 || *$p == 5 ? "safe" : "read"); //= safe
`)
}
