package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"fst/runtime/interpreter/interptest"
)

// lengths are those at which texts need another word, or another way to be compared.
var lengths = []int{0, 1, 7, 8, 9, 16, 31, 64, 65, 130}

// letters is a text of a length.
func letters(n int) string {
	return strings.Repeat("abcdefghijklmnopqrstuvwxyz", n/26+1)[:n]
}

// TestLengths: texts of all lengths are stored, compared, joined and found again, in buffers of other sizes.
func TestLengths(t *testing.T) {
	for _, n := range lengths {
		s := letters(n)
		other := s + "!"
		if n > 0 {
			other = s[:n-1] + "!"
		}
		text := fmt.Sprintf(`begin {
			@a = %q; @b = %q; @long = %q;
			$a = @a; $b = @b; $l = @long;
			printf("%%s|%%d|%%d|%%d\n", $a, strlen($a), strlen(@a), strlen(%q));
			print(($a == @a, $a == $b, $a != $b, $a == %q, $a == %q, $b == %q, $l == $a));
			@m[$a] = 5; @m[$b] = 6; print((@m[%q], @m[%q], has_key(@m, $l), len(@m)));
			$t = (1, $a, 2); print(($t.1 == $a, $t == (1, $a, 2), $t == (1, $b, 2), $t.2));
			print((str_concat($a, "x"), str_concat("x", $a) == %q, strlen(str_concat($a, $b))));
			print((strncmp($a, $b, %d) == 0, strncmp($a, $b, %d) == 0, strncmp($a, $l, %d) == 0));
			print((strstr($l, $a), strstr($a, $l), strcontains($l, $b), strcontains($a, $a)));
			clear(@a); clear(@b); clear(@long); clear(@m);
		}`, s, other, "xyz"+s+"xyz", s, s, other, other, s, other, "x"+s, max(n-1, 1), max(n, 1), max(n, 1))
		long := "xyz" + s + "xyz"
		at := func(text, part string) int { return strings.Index(text, part) }
		want := fmt.Sprintf("%s|%d|%d|%d\n", s, n, n, n) +
			"(true, false, true, true, false, true, false)\n" +
			"(5, 6, false, 2)\n" +
			"(true, true, false, 2)\n" +
			fmt.Sprintf("(%sx, true, %d)\n", s, len(s)+len(other)) +
			fmt.Sprintf("(%t, %t, %t)\n", prefix(s, other, max(n-1, 1)), prefix(s, other, max(n, 1)), prefix(s, long, max(n, 1))) +
			fmt.Sprintf("(%d, %d, %t, true)", at(long, s), at(s, long), strings.Contains(long, other))
		same(t, fmt.Sprint(n, " letters"), interptest.Run(t, text).Out, want)
	}
}

// prefix compares the first n characters as C does.
func prefix(a, b string, n int) bool {
	a, b = a+"\x00", b+"\x00"
	return a[:min(n, len(a))] == b[:min(n, len(b))]
}

// TestFind: strstr and strcontains find a part wherever it is, constant or not.
func TestFind(t *testing.T) {
	var b, want strings.Builder
	b.WriteString("begin { ")
	hay := []string{"", "a", "aaab", "abcabd", "mississippi", letters(26) + letters(44)}
	parts := []string{"", "a", "b", "aab", "abd", "issip", "zabc", letters(26)}
	for _, h := range hay {
		fmt.Fprintf(&b, "@h = %q; $h = @h;\n", h)
		for _, p := range parts {
			fmt.Fprintf(&b, "@p = %q; print((strstr($h, %q), strstr($h, @p), strcontains($h, %q), strcontains(@h, @p)));\n", p, p, p)
			fmt.Fprintf(&want, "(%d, %d, %t, %t)\n", strings.Index(h, p), strings.Index(h, p), strings.Contains(h, p), strings.Contains(h, p))
		}
	}
	b.WriteString("clear(@h); clear(@p); }")
	same(t, "parts", interptest.Run(t, b.String()).Out, want.String())
}

// TestTexts: what is stored where there is less room is cut, what is shorter is filled.
func TestTexts(t *testing.T) {
	prints(t, `
@s = "hello"; $s = @s;
print($s);                                                   //= hello
print($s[0]);                                                //= 104
print($s[5]);                                                //= 0
$i = 1; print($s[$i]);                                       //= 101
$i = 4; print($s[$i]);                                       //= 111
$i = 100; print($s[$i]);                                     //= 0
print(strlen($s));                                           //= 5
print(strlen(""));                                           //= 0
print($s == "hello");                                        //= true
print($s == "hell");                                         //= false
print($s == "hello!");                                       //= false
print($s != "hello");                                        //= false
print("hello" == $s);                                        //= true
print($s == @s);                                             //= true
print(@s == @s);                                             //= true
print(str($s, 3));                                           //= he
print(str($s, 0));                                           //= 
print(str($s, 100));                                         //= hello
print(strlen(str($s, 3)));                                   //= 2
print(str($s, 3) == "hel");                                  //= false
$n = 2; print(str($s, $n));                                  //= h
$n = 0; print(strlen(str($s, $n)));                          //= 0
print(str_concat($s, ""));                                   //= hello
print(str_concat("", $s));                                   //= hello
print(str_concat($s, str_concat(" ", "world")));             //= hello world
print(strncmp($s, "help", 3));                               //= 0
print(strncmp($s, "help", 4) == 0);                          //= false
print(strncmp($s, "help", 0));                               //= 0
print(strncmp($s, $s, 100));                                 //= 0
print(strcontains($s, "ell"));                               //= true
print(strcontains($s, "elo"));                               //= false
print(strstr($s, "l"));                                      //= 2
print(memcmp($s, "hello", 5));                               //= 0
print(memcmp($s, "hellx", 4));                               //= 0
print(memcmp($s, "hellx", 5) < 0);                           //= true
print(memcmp("hellx", $s, 5) > 0);                           //= true
print(strcap($s) >= 6);                                      //= true
let $short: string[8] = "abc"; print($short);                //= abc
$short = str_concat($s, " world"); print($short);            //= hello w
print((string[8])str_concat($s, " world"));                  //= hello w
let $wide: string[40] = $s; print(($wide, strlen($wide)));   //= (hello, 5)
$x = "ab"; $x = $s; print($x);                               //= hello
$x = "a"; print(($x, strlen($x)));                           //= (a, 1)
$t = ("x", $s); $t = ("longer than x", "y"); print($t);      //= (longer than x, y)
$u = $s; $s = "other"; print(($s, $u));                      //= (other, hello)
@s = "a much longer text than before"; print(@s == "hello"); //= false
print(strlen(@s));                                           //= 30
@k["key"] = "value"; print(@k["key"]);                       //= value
print(@k["ke"]);                                             //= 
print(strlen(@k["none"]));                                   //= 0
print(@k["none"] == "");                                     //= true
$k = "key"; print(@k[$k]);                                   //= value
$k = "ke"; print(has_key(@k, $k));                           //= false
print((char)$u[0] == 104);                                   //= true
$e = ""; print(($e == "", strlen($e), $e));                  //= (true, 0, )
$q = "a\"b\\c\td\x41"; print($q);                            //= a"b\c	dA
print(strlen($q));                                           //= 8
printf("%s\n", $q);                                          //= a"b\c	dA
$z = "ab\0cd"; print(strlen($z));                            //= 2
print((uint8[5])"abcd");                                     //= [97,98,99,100,0]
$y = (char[4])"abc"; print($y);                              //= abc
print(buf("abc", 2));                                        //= ab
print(buf($u, 5) == buf("hello", 5));                        //= true
print((uint64)(uint8[8])"abcdefg");                          //= 29104508263162465
print($u == "hello" ? "yes" : "no");                         //= yes
$w = $u == "x" ? "a rather long text" : "short"; print($w);  //= short
$w = "x"; print($w == "x");                                  //= true
$v = if ($u == "hello") { "was hello" } else { "was not" }; print($v); //= was hello
`)
}

// TestNamesOfNumbers: numbers that are shown by a name compare, join and serve as keys as the text that they show.
func TestNamesOfNumbers(t *testing.T) {
	prints(t, `
$n = 2; $e = strerror($n);
print($e);                                          //= No such file or directory
print($e == "No such file or directory");           //= true
print($e == strerror(2));                           //= true
print($e == strerror(1));                           //= false
print(strlen($e));                                  //= 25
print(str_concat($e, "!"));                         //= No such file or directory!
print(strncmp($e, "No such", 7));                   //= 0
print(strcontains($e, "file"));                     //= true
@k[$e] = 1; print(@k[strerror(2)]);                 //= 1
$s = "x"; $s = $e; print($s);                       //= No such file or directory
print(signal_name(9));                              //= Killed
$g = 15; print(signal_name($g));                    //= Terminated
print(signal_num("TERM"));                          //= 15
print(signal_name(999));                            //= N/A
print(strerror(9999));                              //= Unknown error
print(syscall_name(0));                             //= read
$c = 1; print(syscall_name($c));                    //= write
print(syscall_name(99999));                         //= Unknown syscall
print(ntop(0x0100007f));                            //= 127.0.0.1
$a = (uint32)0x08080808; print(ntop($a));           //= 8.8.8.8
print(ntop(pton("10.1.2.3")));                      //= 10.1.2.3
print(ntop(pton("fe80::1")));                       //= fe80::1
print(ntop(2, 0x0100007f));                         //= 127.0.0.1
print(pton("1.2.3.4"));                             //= [1,2,3,4]
print(pton("::1") == pton("::2"));                  //= false
print(macaddr(buf("\x01\x02\x03\x0a\x0b\x0c", 6))); //= 01:02:03:0A:0B:0C
print((enum pid_type)1);                            //= PIDTYPE_TGID
$t = 3; print((enum pid_type)$t);                   //= PIDTYPE_SID
print((enum pid_type)(uint8)$t == PIDTYPE_SID);     //= true
print(bits(enum pid_type, 6));                      //= tgid|pgid
print(ksym(0));                                     //= 0
print((bool)5);                                     //= true
print((void *)255);                                 //= 0xff
print((char)65);                                    //= 65
printf("%c%c\n", 72, 105);                          //= Hi
`)
}
