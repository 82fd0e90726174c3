package lower_test

import "testing"

// TestPrintf: C's conversions, with flags, widths and precisions, for numbers of all sizes.
func TestPrintf(t *testing.T) {
	prints(t, `
@n = -5; $n = @n; @s = "text"; $s = @s;
printf("%d|%5d|%-5d|%05d|%+d|% d\n", 42, 42, 42, 42, 42, 42); //= 42|   42|42   |00042|+42| 42
printf("%d|%5d|%-5d|%05d\n", $n, $n, $n, $n);               //= -5|   -5|-5   |-0005
printf("%u|%x|%X|%o\n", 255, 255, 255, 255);                //= 255|ff|FF|377
printf("%#x|%#o|%08x|%8x|%-8x|\n", 255, 8, 255, 255, 255);  //= 0xff|010|000000ff|      ff|ff      |
printf("%lld %llu %ld %lu %hd\n", -1, -1, -1, 1, 5);        //= -1 18446744073709551615 -1 1 5
printf("%llx %lx\n", -1, (int64)1 << 40);                   //= ffffffffffffffff 10000000000
printf("%d %u\n", (uint32)-1, (uint32)-1);                  //= -1 4294967295
printf("%x\n", (uint8)-1);                                  //= ff
printf("%d\n", (int8)200);                                  //= -56
printf("%hhd %hd %d\n", 300, 70000, (int64)1 << 33 | 5);    //= 44 4464 5
printf("%i\n", $n);                                         //= -5
printf("%c%c%c|%5c|\n", 72, 105, 33, 65);                   //= Hi!|    A|
printf("%s|%8s|%-8s|%.2s|%8.2s\n", $s, $s, $s, $s, $s);     //= text|    text|text    |te|      te
printf("%s %s\n", "", "constant");                          //=  constant
printf("%p %p\n", (void *)255, 0);                          //= 0xff 0x0
printf("%%|100%%|%d%%\n", 5);                               //= %|100%|5%
printf("a\tb\\n\"q\"\x41\n");                               //= a	b\n"q"A
printf("%s %s %s\n", 5, -5, (uint8)5);                      //= 5 -5 5
printf("%s %s\n", 1 == 1, 1 == 2);                          //= true false
printf("%s\n", (1, "two", (3, 4)));                         //= (1, two, (3, 4))
printf("%s\n", (a = 1, b = "c"));                           //= { .a = 1, .b = c }
printf("%s %d\n", (enum pid_type)1, (enum pid_type)1);      //= PIDTYPE_TGID 1
printf("%s %d\n", strerror(2), 7);                          //= No such file or directory 7
printf("%s\n", ntop(0x0100007f));                           //= 127.0.0.1
printf("%r|%rx|%rh\n", buf("a\x01", 2), buf("a\x01", 2), buf("a\x01", 2)); //= a\x01|\x61\x01|61 01
printf("%r\n", $s);                                         //= text
printf("%s\n", buf("ab", 2));                               //= ab
printf("%s\n", (uint8[3])"ab");                             //= [97,98,0]
printf("no newline"); printf("\n");                         //= no newline
printf("%s:%d:%s:%d\n", $s, $n, $s, $n);                    //= text:-5:text:-5
printf("%d %d\n", $n++, $n);                                //= -5 -4
printf("%-10s|%3d|%-3d|%s\n", "left", 7, 7, "end");         //= left      |  7|7  |end
printf("%20s|\n", "a text of more than twenty letters");    //= a text of more than twenty letters|
printf("%d\n", 1 == 1);                                     //= 1
printf("%s %s\n", $s == "text" ? "yes" : "no", str($s, 3)); //= yes te
@m[1] = 7; printf("%d %d\n", @m[1], @m[2]);                 //= 7 0
@c = count(); printf("%d\n", @c);                           //= 1
printf("%5s|%-7s|\n", true, false);                         //=  true|false  |
printf("%d %s\n", (uint64)1 << 31, (uint64)1 << 63);        //= -2147483648 9223372036854775808
printf("%.3d|%8.3d|%+.2d\n", 5, 5, 5);                      //= 005|     005|+05
printf("%x %x\n", buf("ab", 2) == buf("ab", 2), 16);        //= 1 10
`)
}

// TestPrint: each value alone, as it is shown in tuples and at the end.
func TestPrint(t *testing.T) {
	prints(t, `
@n = -5; $n = @n;
print($n);                                   //= -5
print((uint64)-1);                           //= 18446744073709551615
print((int8)$n);                             //= -5
print(true);                                 //= true
print("text");                               //= text
print("");                                   //= 
print("a\nb");
//= a
//= b
print((1, 2));                               //= (1, 2)
print((a = $n));                             //= { .a = -5 }
print((uint64 *)16);                         //= 0x10
print((uint64 *)0);                          //= 0x0
print((enum pid_type)2);                     //= PIDTYPE_PGID
print((enum pid_type)@n);                    //= 4294967291
print(buf("a\x00b", 3));                     //= a\x00b
print((uint16[2])(uint32)0x00020001);        //= [1,2]
print(strerror(1));                          //= Operation not permitted
print(signal_name(2));                       //= Interrupt
print(ntop(pton("::1")));                    //= ::1
print(macaddr(buf("abcdef", 6)));            //= 61:62:63:64:65:66
print(bits(enum pid_type, 3));               //= pid|tgid
print(bits(enum pid_type, 0));               //= 0
print(probe);                                //= begin
print(probetype);                            //= special
print(comm == comm);                         //= true
print(pid == tid || pid > 0);                //= true
print((uid >= 0, gid >= 0, cpu, ncpus > 0)); //= (true, true, 0, true)
print(nsecs > 0 && nsecs(boot) > 0 && nsecs(tai) > 0 && elapsed > 0); //= true
print(sizeof(uint16));                       //= 2
print(getopt("limit", 7));                   //= 7
print(getopt("which", probe));               //= begin
print(strlen(comm) > 0);                     //= true
print(comm == str_concat(comm, ""));         //= true
$c = comm; print($c == comm);                //= true
@k[comm] = 1; print(@k[$c]);                 //= 1
print(followed(pid));                        //= true
print(safe_mode);                            //= false
print(cpid);                                 //= 0
print(has_cpid);                             //= false
print(numaid);                               //= 0
print(cgroup == cgroup);                     //= true
print($#);                                   //= 0
print(str($1) == "");                        //= true
`)
}
